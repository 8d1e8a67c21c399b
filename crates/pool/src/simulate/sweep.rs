//! Many simulations on all processors. Each has a trace and a device of its own, so that memory does not grow
//! with the trace and the outcomes do not depend on the number of threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use leadline_device::QueuePair;
use leadline_trace::{Recognition, Request, Skipped, Trace, TraceError, Unit};

use super::{Config, Outcome, SimulateError, simulate};

/// Between two looks at cancellation and progress.
const TICK: Duration = Duration::from_millis(100);

/// Requests between two reports of progress.
const REPORT_EVERY: u32 = 1 << 14;

/// A whole trace, in the unit of progress.
const WHOLE: u32 = 10_000;

/// What one simulation of a sweep reads from and runs on.
pub struct Inputs {
    /// The trace, from its beginning.
    pub trace: Box<dyn Trace>,
    /// An idle queue pair, as for [`simulate`].
    pub device: Option<Box<dyn QueuePair>>,
}

/// How far a sweep is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SweepProgress {
    /// Of all simulations together, 0 to 1.
    pub done: f64,
    /// Simulations that have ended.
    pub finished: usize,
}

/// A simulation that failed and ended the sweep.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct SweepError {
    /// Which of the sweep's configurations.
    pub index: usize,
    /// What went wrong.
    #[source]
    pub error: SimulateError,
}

/// Simulates every configuration, up to `threads` at a time; the outcomes are in their order. `open` gives
/// each simulation its trace and device. `None` where `cancel` was set.
///
/// # Errors
/// [`SweepError`]: the first failure, by the order of the configurations.
pub fn sweep(
    configs: &[Config],
    open: &(dyn Fn(usize) -> Result<Inputs, SimulateError> + Sync),
    threads: usize,
    cancel: &AtomicBool,
    progress: &mut dyn FnMut(SweepProgress),
) -> Result<Option<Vec<Outcome>>, SweepError> {
    let state = SweepState {
        configs,
        open,
        next: AtomicUsize::new(0),
        finished: AtomicUsize::new(0),
        working: AtomicUsize::new(threads.clamp(1, configs.len().max(1))),
        stop: AtomicBool::new(false),
        reached: configs.iter().map(|_| AtomicU32::new(0)).collect(),
        results: configs.iter().map(|_| Mutex::new(None)).collect(),
    };
    thread::scope(|scope| {
        let waiting = thread::current();
        for _ in 0..state.working.load(Ordering::Relaxed) {
            let guard = WorkerGuard { working: &state.working, waiting: waiting.clone() };
            let state = &state;
            scope.spawn(move || {
                let _guard = guard;
                state.work();
            });
        }
        while state.working.load(Ordering::Acquire) > 0 {
            thread::park_timeout(TICK);
            if cancel.load(Ordering::Relaxed) {
                state.stop.store(true, Ordering::Relaxed);
            }
            progress(state.progress());
        }
    });
    if cancel.load(Ordering::Relaxed) { Ok(None) } else { state.outcomes().map(Some) }
}

/// Tells the waiting thread of a worker's end when it is dropped, even by a panic.
struct WorkerGuard<'a> {
    working: &'a AtomicUsize,
    waiting: thread::Thread,
}

impl Drop for WorkerGuard<'_> {
    fn drop(&mut self) {
        self.working.fetch_sub(1, Ordering::Release);
        self.waiting.unpark();
    }
}

/// What the workers and the thread that waits for them share.
struct SweepState<'a> {
    configs: &'a [Config],
    open: &'a (dyn Fn(usize) -> Result<Inputs, SimulateError> + Sync),
    next: AtomicUsize,
    finished: AtomicUsize,
    /// Workers that have not ended.
    working: AtomicUsize,
    stop: AtomicBool,
    /// How far each simulation is, of [`WHOLE`].
    reached: Vec<AtomicU32>,
    results: Vec<Mutex<Option<Result<Outcome, SimulateError>>>>,
}

impl SweepState<'_> {
    /// Simulates one configuration after the other until none is left.
    fn work(&self) {
        while !self.stop.load(Ordering::Relaxed) {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(config) = self.configs.get(index) else { return };
            let result = self.simulate(index, config);
            if result.is_err() {
                self.stop.store(true, Ordering::Relaxed);
            }
            *self.results[index].lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(result);
            self.reached[index].store(WHOLE, Ordering::Relaxed);
            self.finished.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn simulate(&self, index: usize, config: &Config) -> Result<Outcome, SimulateError> {
        let Inputs { trace, device } = (self.open)(index)?;
        let mut trace = ReportingTrace { trace, reached: &self.reached[index], countdown: 1 };
        simulate(&mut trace, config, device, &self.stop)
    }

    fn progress(&self) -> SweepProgress {
        let sum: f64 = self.reached.iter().map(|reached| f64::from(reached.load(Ordering::Relaxed))).sum();
        SweepProgress {
            done: sum / f64::from(WHOLE) / self.configs.len().max(1) as f64,
            finished: self.finished.load(Ordering::Relaxed),
        }
    }

    fn outcomes(self) -> Result<Vec<Outcome>, SweepError> {
        let mut outcomes = Vec::with_capacity(self.configs.len());
        let mut failed = None;
        for (index, result) in self.results.into_iter().enumerate() {
            match result.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()) {
                Some(Ok(outcome)) => outcomes.push(outcome),
                // Stopped because another had failed.
                Some(Err(SimulateError::Cancelled)) | None => {}
                Some(Err(error)) => failed = failed.or(Some(SweepError { index, error })),
            }
        }
        match failed {
            Some(error) => Err(error),
            None => Ok(outcomes),
        }
    }
}

/// A trace that reports how far it was read.
struct ReportingTrace<'a> {
    trace: Box<dyn Trace>,
    reached: &'a AtomicU32,
    countdown: u32,
}

impl Trace for ReportingTrace<'_> {
    fn unit(&self) -> Unit {
        self.trace.unit()
    }

    #[inline]
    fn next(&mut self) -> Result<Option<Request>, TraceError> {
        self.countdown -= 1;
        if self.countdown == 0 {
            self.countdown = REPORT_EVERY;
            if let Some(share) = self.trace.progress() {
                self.reached.store((share * f64::from(WHOLE)) as u32, Ordering::Relaxed);
            }
        }
        self.trace.next()
    }

    fn remaining(&self) -> Option<u64> {
        self.trace.remaining()
    }

    fn timed(&self) -> bool {
        self.trace.timed()
    }

    fn progress(&self) -> Option<f64> {
        self.trace.progress()
    }

    fn object_bytes(&self) -> Option<u32> {
        self.trace.object_bytes()
    }

    fn recognition(&self) -> Option<&Recognition> {
        self.trace.recognition()
    }

    fn skipped(&self) -> Option<&Skipped> {
        self.trace.skipped()
    }
}
