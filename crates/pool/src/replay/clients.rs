//! The clients: threads that take operations from one trace, in order, a few at a time.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::Thread;
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use leadline_trace::{Access, Pages, Trace};

use super::device_range::sent_read;
use super::outcome::RunTotals;
use super::{ReplayArea, ReplayError, Watch};
use crate::Pool;

/// Operations that a client takes at once: enough that the trace's lock is not a bottleneck, few enough that
/// clients stay close together in the trace.
const AT_ONCE: usize = 16;

/// Between two looks at signals and progress.
const TICK: Duration = Duration::from_millis(100);

/// What all clients share.
struct Run<'a> {
    ground: &'a ReplayArea,
    pool: &'a Pool,
    stream: Mutex<SharedTrace<'a>>,
    stop: AtomicBool,
    /// Operations done, and of them, writes.
    done: AtomicU64,
    writing: AtomicU64,
    /// Clients that have ended.
    ended: AtomicU64,
    began: Instant,
    /// Nanoseconds until the last operation was done.
    nanos: AtomicU64,
    latencies: Mutex<Histogram<u64>>,
    /// What went wrong first.
    error: Mutex<Option<ReplayError>>,
}

/// The trace, and how many of its operations are still to be done.
struct SharedTrace<'a> {
    accesses: Pages<&'a mut dyn Trace>,
    left: u64,
}

/// The lock of data that is whole whenever it is free.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// No latencies.
pub(super) fn histogram() -> Histogram<u64> {
    Histogram::new(3).expect("three digits")
}

/// Replays the trace on the pool with that many clients. Being cancelled is not an error.
pub(super) fn run(
    ground: &ReplayArea,
    pool: &Pool,
    trace: &mut dyn Trace,
    clients: u32,
    watch: &mut Watch<'_>,
) -> Result<RunTotals, ReplayError> {
    let operations = ground.footprint.operations();
    let shared = Run {
        ground,
        pool,
        stream: Mutex::new(SharedTrace { accesses: Pages::new(trace, ground.page_bytes), left: operations }),
        stop: AtomicBool::new(false),
        done: AtomicU64::new(0),
        writing: AtomicU64::new(0),
        ended: AtomicU64::new(0),
        began: Instant::now(),
        nanos: AtomicU64::new(0),
        latencies: Mutex::new(histogram()),
        error: Mutex::new(None),
    };
    let cancelled = std::thread::scope(|scope| {
        let waiting = std::thread::current();
        for client in 0..clients {
            let (shared, waiting) = (&shared, waiting.clone());
            let thread = std::thread::Builder::new().name(format!("client {client}"));
            let _ended = match thread.spawn_scoped(scope, move || shared.client(&waiting)) {
                Ok(thread) => thread,
                Err(source) => {
                    shared.fail(ReplayError::Thread { clients: client, source });
                    break;
                }
            };
        }
        shared.wait(operations, u64::from(clients), watch)
    });
    if let Some(error) = shared.error.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    Ok(RunTotals {
        operations: shared.done.into_inner(),
        operations_writing: shared.writing.into_inner(),
        seconds: Duration::from_nanos(shared.nanos.into_inner()).as_secs_f64(),
        latencies: shared.latencies.into_inner().unwrap_or_else(PoisonError::into_inner),
        complete: !cancelled,
    })
}

impl Run<'_> {
    /// Waits for all clients; whether the caller cancelled before they had finished.
    fn wait(&self, operations: u64, clients: u64, watch: &mut Watch<'_>) -> bool {
        let mut cancelled = false;
        while self.ended.load(Ordering::Acquire) < clients && lock(&self.error).is_none() {
            std::thread::park_timeout(TICK);
            let done = self.done.load(Ordering::Relaxed);
            if watch.look(done as f64 / operations as f64).is_err() {
                self.stop.store(true, Ordering::Relaxed);
                cancelled = true;
                break; // the scope waits for them
            }
        }
        cancelled
    }

    fn fail(&self, error: ReplayError) {
        lock(&self.error).get_or_insert(error);
        self.stop.store(true, Ordering::Relaxed);
    }

    /// A client's life.
    fn client(&self, waiting: &Thread) {
        let mut latencies = histogram();
        let mut batch = Vec::with_capacity(AT_ONCE);
        // A read of an earlier run on this thread is none of ours.
        sent_read();
        while !self.stop.load(Ordering::Relaxed) {
            let done = self.take(&mut batch).and_then(|()| self.access_all(&batch, &mut latencies));
            match done {
                Ok(()) if batch.is_empty() => break,
                Ok(()) => {}
                Err(error) => self.fail(error),
            }
        }
        let nanos = u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.nanos.fetch_max(nanos, Ordering::Relaxed);
        // Both resize themselves, so that adding cannot fail.
        let _ = lock(&self.latencies).add(&latencies);
        self.ended.fetch_add(1, Ordering::Release);
        waiting.unpark();
    }

    /// The next operations; none at the end of the trace.
    fn take(&self, batch: &mut Vec<Access>) -> Result<(), ReplayError> {
        batch.clear();
        let mut stream = lock(&self.stream);
        while batch.len() < AT_ONCE && stream.left > 0 {
            let Some(access) = stream.accesses.next()? else { return Err(ReplayError::Shorter) };
            batch.push(access);
            stream.left -= 1;
        }
        Ok(())
    }

    fn access_all(&self, batch: &[Access], latencies: &mut Histogram<u64>) -> Result<(), ReplayError> {
        for &access in batch {
            self.access(access, latencies)?;
            self.writing.fetch_add(u64::from(access.write), Ordering::Relaxed);
            self.done.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Reads a page, or writes its next version. Either looks at what it finds.
    #[inline]
    fn access(
        &self,
        Access { page, write }: Access,
        latencies: &mut Histogram<u64>,
    ) -> Result<(), ReplayError> {
        let ground = self.ground;
        let place = ground.footprint.place(page).ok_or(ReplayError::Changed { page })?;
        let began = Instant::now();
        let in_pool = |error| ground.pool_error(error);
        if write {
            let mut guard = self.pool.write(u64::from(place)).map_err(in_pool)?;
            self.look(place, &guard, began, latencies)?;
            ground.write_next(place, &mut guard);
        } else {
            let guard = self.pool.read(u64::from(place)).map_err(in_pool)?;
            self.look(place, &guard, began, latencies)?;
        }
        Ok(())
    }

    /// Notes how long it took where the page was read for us, and sees whether it is what it should be.
    #[inline]
    fn look(
        &self,
        place: u32,
        bytes: &[u8],
        began: Instant,
        latencies: &mut Histogram<u64>,
    ) -> Result<(), ReplayError> {
        if !sent_read() {
            return self.ground.glance(place, bytes);
        }
        // It resizes itself, which cannot fail (saturating_record would not resize it).
        let _ = latencies.record(u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX));
        self.ground.check_stamps(place, bytes)
    }
}
