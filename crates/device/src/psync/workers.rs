//! psync at depth 2 and more: worker threads, and how requests and completions pass between them and the
//! reaper.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use rustix::io::Errno;
use rustix::thread::futex;

use super::{Lane, Target};
use crate::{
    Completion, DeviceError, Geometry, NEVER, Nanos, QueuePair, QueueShape, Request, RequestError, clock,
};

/// Bytes of a worker's stack; it calls the kernel and nothing else.
const STACK_BYTES: usize = 64 << 10;

/// What a queue pair and its workers share. Whoever is last to leave releases the buffers: a worker that is
/// stuck in the kernel keeps them.
struct Shared {
    target: Target,
    /// Requests that no worker has taken, or `None` at the end of them.
    inbox: Mutex<VecDeque<Option<Request>>>,
    arrived: Condvar,
    /// Slots and results that were not reaped.
    done: Mutex<Vec<(u32, i32)>>,
    /// Counts completions; the reaper sleeps on it, since only a futex lets a signal end the wait.
    finished: AtomicU32,
    waiting: AtomicBool,
}

impl Shared {
    /// A worker's life.
    fn work(&self) {
        while let Some(request) = self.next() {
            // SAFETY: the queue pair validated it, keeps its slot from everybody while it is in flight, and
            // only this worker took it from the inbox.
            let result = unsafe { self.target.perform(&request) };
            lock(&self.done).push((request.slot, result));
            self.finished.fetch_add(1, Ordering::SeqCst);
            if self.waiting.load(Ordering::SeqCst) {
                // Waking a futex that exists cannot fail.
                let _ = futex::wake(&self.finished, futex::Flags::PRIVATE, 1);
            }
        }
    }

    /// The next request; `None` at the end.
    fn next(&self) -> Option<Request> {
        let mut inbox = lock(&self.inbox);
        loop {
            if let Some(next) = inbox.pop_front() {
                return next;
            }
            inbox = self.arrived.wait(inbox).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Depth 2 and more: a worker thread for each request that may be in flight.
pub(super) struct WorkerPair {
    shared: Arc<Shared>,
    lane: Lane,
    queued: Vec<Request>,
}

impl WorkerPair {
    /// A queue pair and its workers.
    pub(super) fn start(target: Target, lane: Lane) -> Result<Self, DeviceError> {
        let depth = lane.shape.depth;
        let pair = WorkerPair::new(target, lane);
        for _ in 0..depth {
            let shared = Arc::clone(&pair.shared);
            let worker = std::thread::Builder::new().name("psync".into()).stack_size(STACK_BYTES);
            // Should one fail, dropping the pair ends those before it.
            worker.spawn(move || shared.work()).map_err(|error| {
                DeviceError::io(format!("starting {depth} psync threads (one per request in flight)"), error)
            })?;
        }
        Ok(pair)
    }

    /// A queue pair that has no workers yet.
    fn new(target: Target, lane: Lane) -> Self {
        let shared = Shared {
            target,
            inbox: Mutex::default(),
            arrived: Condvar::new(),
            done: Mutex::default(),
            finished: AtomicU32::new(0),
            waiting: AtomicBool::new(false),
        };
        let queued = Vec::with_capacity(lane.shape.depth as usize);
        WorkerPair { shared: Arc::new(shared), lane, queued }
    }

    /// Hands what is queued to the workers.
    fn hand_over(&mut self) {
        if self.queued.is_empty() {
            return;
        }
        let count = self.queued.len();
        lock(&self.shared.inbox).extend(self.queued.drain(..).map(Some));
        (0..count).for_each(|_| self.shared.arrived.notify_one());
    }

    /// Moves what the workers have done to `completions`.
    fn collect(&mut self, completions: &mut Vec<Completion>) {
        let mut done = lock(&self.shared.done);
        for (slot, result) in done.drain(..) {
            self.lane.in_flight.complete(slot);
            completions.push(Completion { slot, result, at: 0 });
        }
    }

    /// Waits until `finished` is no longer `seen`; false at the deadline and after a signal.
    fn wait(&self, seen: u32, deadline: Nanos) -> bool {
        let timeout = match deadline {
            NEVER => None,
            _ => match deadline.saturating_sub(clock::now()) {
                0 => return false,
                left => Some(clock::timespec(left)),
            },
        };
        let woken = futex::wait(&self.shared.finished, futex::Flags::PRIVATE, seen, timeout.as_ref());
        matches!(woken, Ok(()) | Err(Errno::AGAIN))
    }
}

impl QueuePair for WorkerPair {
    fn geometry(&self) -> Geometry {
        self.lane.geometry
    }

    fn shape(&self) -> QueueShape {
        self.lane.shape
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.lane.in_flight.assert_idle(slot);
        // SAFETY: no request of this slot is in flight, so no worker uses it, and `&mut self` keeps others
        // out.
        unsafe { self.shared.target.arena.shared_buffer(slot) }
    }

    fn submit(&mut self, request: Request) -> Result<(), RequestError> {
        self.lane.in_flight.admit(&request, &self.lane.geometry, &self.lane.shape)?;
        self.queued.push(request);
        Ok(())
    }

    fn reap(
        &mut self,
        min: u32,
        deadline: Nanos,
        completions: &mut Vec<Completion>,
    ) -> Result<(), DeviceError> {
        if self.lane.in_flight.count() == 0 {
            clock::sleep_until(deadline);
            return Ok(());
        }
        self.hand_over();
        let min = (min as usize).min(self.lane.in_flight.count() as usize);
        let first = completions.len();
        loop {
            // Announced before looking: a worker that finishes after the look sees it and wakes us.
            self.shared.waiting.store(true, Ordering::SeqCst);
            let seen = self.shared.finished.load(Ordering::SeqCst);
            self.collect(completions);
            if completions.len() - first >= min || !self.wait(seen, deadline) {
                break;
            }
        }
        self.shared.waiting.store(false, Ordering::SeqCst);
        self.collect(completions);
        let at = clock::now();
        completions[first..].iter_mut().for_each(|completion| completion.at = at);
        Ok(())
    }

    fn now(&self) -> Nanos {
        clock::now()
    }

    fn in_flight(&self) -> u32 {
        self.lane.in_flight.count()
    }
}

impl Drop for WorkerPair {
    /// Tells the workers to end, and waits for none of them: one may be stuck in the kernel for good.
    fn drop(&mut self) {
        let mut inbox = lock(&self.shared.inbox);
        inbox.clear();
        inbox.extend((0..self.lane.shape.depth).map(|_| None));
        drop(inbox);
        self.shared.arrived.notify_all();
    }
}

/// A lock whose holders cannot panic half-way.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffers::{Arena, InFlight};

    /// A queue pair whose requests nobody does: to its user, a device that hangs.
    fn stuck() -> WorkerPair {
        let geometry = Geometry { capacity_bytes: 1 << 20, block_bytes: 4096, writable: true };
        let shape = QueueShape::new(2, 4096);
        let file = Arc::new(tempfile::tempfile().unwrap());
        let lane = Lane { geometry, shape, in_flight: InFlight::new(shape) };
        WorkerPair::new(Target { file, arena: Arena::new(shape).unwrap() }, lane)
    }

    #[test]
    fn deadline_ends_the_wait_for_a_request_that_hangs() {
        let (mut pair, mut done) = (stuck(), Vec::new());
        pair.submit(Request::write(1, 0, 4096)).unwrap();
        let start = pair.now();
        pair.reap(1, start + 50_000_000, &mut done).unwrap();
        assert!((50_000_000..2_000_000_000).contains(&(pair.now() - start)));
        assert!(done.is_empty() && pair.in_flight() == 1);
    }

    #[test]
    fn dropping_waits_for_no_worker_and_a_stuck_one_keeps_its_buffer() {
        let mut pair = stuck();
        pair.submit(Request::write(1, 0, 4096)).unwrap();
        pair.reap(0, 0, &mut Vec::new()).unwrap();
        let worker = Arc::clone(&pair.shared);
        let request = worker.next().expect("it was handed over");
        let start = clock::now();
        drop(pair);
        assert!(clock::now() - start < 500_000_000);
        // The kernel returns at last, to a worker whose queue pair is gone.
        // SAFETY: this thread is the only worker.
        assert_eq!(unsafe { worker.target.perform(&request) }, 4096);
        assert_eq!(Arc::strong_count(&worker), 1);
        assert_eq!(lock(&worker.inbox).len(), 2, "each of the two workers is told to end");
        assert!(worker.next().is_none());
    }
}
