//! Runs the pools of a sweep on all processors. Each opens its trace and its device anew and reads the trace once, so that
//! memory does not grow with the trace.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use leadline_device::Device as _;
use leadline_measure::Progress;
use leadline_pool::simulate::{Outcome, SimulateError, simulate};
use leadline_sim::Parametric;
use leadline_trace::{Format, Request, STDIN, Trace, TraceError, Unit, open, open_as};

use super::device::SimulatedDevice;
use super::plan::Cell;
use crate::failure::Failure;
use crate::progress::Display;

/// Between two looks at signals and progress.
const TICK: Duration = Duration::from_millis(100);

/// Requests between two reports of progress.
const REPORT_EVERY: u32 = 1 << 14;

/// A whole trace, in the unit of progress.
const WHOLE: u32 = 10_000;

/// What every pool of the sweep shares.
pub(super) struct Common<'a> {
    pub(super) format: Option<Format>,
    pub(super) device: Option<&'a SimulatedDevice>,
    pub(super) threads: usize,
}

/// What workers and the one who waits for them tell each other.
struct Shared<'a> {
    cells: &'a [Cell],
    common: &'a Common<'a>,
    next: AtomicUsize,
    done: AtomicUsize,
    /// Workers that have not ended.
    working: AtomicUsize,
    stop: AtomicBool,
    /// How far each pool is, of [`WHOLE`].
    progress: Vec<AtomicU32>,
    outcomes: Vec<Mutex<Option<Result<Outcome, SimulateError>>>>,
}

/// Runs all; the outcomes are in the cells' order.
///
/// # Errors
/// What went wrong first, by the cells' order; [`Failure::Operation`] where `cancel` was set.
pub(super) fn run(cells: &[Cell], common: &Common, cancel: &AtomicBool) -> Result<Vec<Outcome>, Failure> {
    let shared = Shared {
        cells,
        common,
        next: AtomicUsize::new(0),
        done: AtomicUsize::new(0),
        working: AtomicUsize::new(common.threads.clamp(1, cells.len().max(1))),
        stop: AtomicBool::new(false),
        progress: cells.iter().map(|_| AtomicU32::new(0)).collect(),
        outcomes: cells.iter().map(|_| Mutex::new(None)).collect(),
    };
    let mut display = Display::new();
    thread::scope(|scope| {
        let waiting = thread::current();
        for _ in 0..shared.working.load(Ordering::Relaxed) {
            let ended = Ended { working: &shared.working, waiting: waiting.clone() };
            let shared = &shared;
            scope.spawn(move || {
                let _ended = ended;
                shared.work();
            });
        }
        while shared.working.load(Ordering::Acquire) > 0 {
            thread::park_timeout(TICK);
            if cancel.load(Ordering::Relaxed) {
                shared.stop.store(true, Ordering::Relaxed);
            }
            display.show(&shared.reached());
        }
    });
    display.finish();
    if cancel.load(Ordering::Relaxed) {
        return Err(Failure::Operation("interrupted; nothing was written".into()));
    }
    shared.outcomes()
}

/// Tells of a worker's end when it is dropped, even by a panic.
struct Ended<'a> {
    working: &'a AtomicUsize,
    waiting: thread::Thread,
}

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.working.fetch_sub(1, Ordering::Release);
        self.waiting.unpark();
    }
}

impl Shared<'_> {
    /// Takes one pool after the other until none is left.
    fn work(&self) {
        while !self.stop.load(Ordering::Relaxed) {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(cell) = self.cells.get(at) else { return };
            let outcome = self.simulate(cell, &self.progress[at]);
            if outcome.is_err() {
                self.stop.store(true, Ordering::Relaxed);
            }
            *self.outcomes[at].lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(outcome);
            self.progress[at].store(WHOLE, Ordering::Relaxed);
            self.done.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn simulate(&self, cell: &Cell, reached: &AtomicU32) -> Result<Outcome, SimulateError> {
        let mut trace =
            Watched { trace: open_trace(&cell.trace, self.common.format)?, reached, countdown: 1 };
        let queue = match self.common.device {
            Some(device) => {
                let device = Parametric::new(device.spec(cell.alpha_1));
                Some(device.queue_pair(cell.config.queue_shape()?)?)
            }
            None => None,
        };
        simulate(&mut trace, &cell.config, queue, &self.stop)
    }

    fn reached(&self) -> Progress {
        let sum: f64 = self.progress.iter().map(|p| f64::from(p.load(Ordering::Relaxed))).sum();
        let done = self.done.load(Ordering::Relaxed);
        Progress {
            phase: "simulate",
            done: sum / f64::from(WHOLE) / self.cells.len().max(1) as f64,
            detail: format!("{done} of {} pools", self.cells.len()),
        }
    }

    fn outcomes(self) -> Result<Vec<Outcome>, Failure> {
        let mut outcomes = Vec::with_capacity(self.cells.len());
        let mut failed = None;
        for (cell, slot) in self.cells.iter().zip(self.outcomes) {
            match slot.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()) {
                Some(Ok(outcome)) if outcome.operations == 0 => {
                    return Err(Failure::Input(format!("{}: holds no request", cell.trace)));
                }
                Some(Ok(outcome)) => outcomes.push(outcome),
                // Stopped because another had failed.
                Some(Err(SimulateError::Cancelled)) | None => {}
                Some(Err(error)) => failed = failed.or(Some(failure(&cell.trace, error))),
            }
        }
        match failed {
            Some(failure) => Err(failure),
            None => Ok(outcomes),
        }
    }
}

fn failure(trace: &str, error: SimulateError) -> Failure {
    match error {
        SimulateError::Trace(_) | SimulateError::Config(_) => Failure::Input(error.to_string()),
        SimulateError::BeyondDevice { .. } => {
            Failure::Input(format!("{trace}: {error}; name a larger --device, or smaller --page-bytes"))
        }
        _ => Failure::Operation(format!("{trace}: {error}")),
    }
}

/// The trace; in the format named, or in the one it is told to be in.
pub(super) fn open_trace(name: &str, format: Option<Format>) -> Result<Box<dyn Trace>, TraceError> {
    match format {
        Some(format) => open_as(name, format),
        None => open(name),
    }
}

/// Whether a trace can be read more than once.
pub(super) fn can_be_read_again(name: &str) -> bool {
    name != STDIN
}

/// A trace that tells how far it was read.
struct Watched<'a> {
    trace: Box<dyn Trace>,
    reached: &'a AtomicU32,
    countdown: u32,
}

impl Trace for Watched<'_> {
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
}
