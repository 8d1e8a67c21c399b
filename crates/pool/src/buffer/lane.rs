//! Lanes: queue pairs with what their requests are for.
//!
//! A thread that needs I/O takes a lane for itself: its usual one, else one that nobody has, else a new one. It gives the
//! lane back when what it waited for is done; only pages read ahead stay in flight. Whoever wants such a page takes
//! the lane and reaps it, so nobody depends on the thread that sent the request.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};

use leadline_device::{Completion, Device, DeviceError, Nanos, QueuePair, QueueShape, Request};

use super::frames::{Frames, Load, WriteBack};
use super::notes::thread_index;
use crate::policy::Frame;

/// Most lanes of a pool; threads that need I/O beyond them wait for one.
const MOST: usize = 64;

/// How long one wait in a queue pair lasts before it is begun again.
const PATIENCE: u64 = 1_000_000_000;

/// All lanes of a pool.
pub(crate) struct Lanes {
    device: Arc<dyn Device>,
    shape: QueueShape,
    berths: [OnceLock<Berth>; MOST],
    made: AtomicU32,
    making: Mutex<()>,
}

/// A lane's place.
struct Berth {
    lane: Mutex<Lane>,
    /// Whether somebody has it; for those who sleep until it is free.
    held: AtomicBool,
    /// Those who sleep, or are about to.
    sleepers: AtomicU32,
}

/// What a request is for.
#[derive(Debug)]
pub(crate) enum Job {
    Read(Load),
    Write(WriteBack),
    /// Neither: a flush, or a page of the double-write area.
    Other,
}

/// A request that is over.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) slot: u32,
    pub(crate) job: Job,
    /// Bytes moved, or a negative errno.
    pub(crate) result: i32,
}

/// A queue pair with what its requests are for.
pub(crate) struct Lane {
    /// `None` after it broke, until it is needed again.
    queue: Option<Box<dyn QueuePair>>,
    /// What is in flight, by slot.
    jobs: Box<[Option<Job>]>,
    free: Vec<u32>,
    completions: Vec<Completion>,
    /// Reads ahead in flight.
    pub(crate) ahead: u32,
}

/// A lane that this thread has for itself.
pub(crate) struct HeldLane<'a> {
    lane: Option<MutexGuard<'a, Lane>>,
    lanes: &'a Lanes,
    frames: &'a Frames,
    pub(crate) index: u32,
}

impl Lanes {
    pub(crate) fn new(device: Arc<dyn Device>, shape: QueueShape) -> Self {
        let berths = [const { OnceLock::new() }; MOST];
        Lanes { device, shape, berths, made: AtomicU32::new(0), making: Mutex::default() }
    }

    /// A lane for this thread.
    ///
    /// # Errors
    /// When there is none yet and the device gives no queue pair.
    pub(crate) fn take<'a>(&'a self, frames: &'a Frames) -> Result<HeldLane<'a>, DeviceError> {
        loop {
            let made = self.made.load(Ordering::Acquire);
            let usual = thread_index();
            for i in 0..made {
                if let Some(lane) = self.try_take((usual + i) % made, frames) {
                    return Ok(lane);
                }
            }
            match self.make(made) {
                Ok(()) => {}
                Err(error) if made == 0 => return Err(error),
                // As many as there can be: wait for one.
                Err(_) => {
                    let index = usual % made;
                    if let Some(berth) = self.berths[index as usize].get() {
                        let lane = berth.lane.lock().unwrap_or_else(PoisonError::into_inner);
                        return Ok(self.held(berth, lane, index, frames));
                    }
                }
            }
        }
    }

    /// This lane, if nobody has it.
    pub(crate) fn try_take<'a>(&'a self, index: u32, frames: &'a Frames) -> Option<HeldLane<'a>> {
        let berth = self.berths[index as usize].get()?;
        match berth.lane.try_lock() {
            Ok(lane) => Some(self.held(berth, lane, index, frames)),
            Err(TryLockError::Poisoned(lane)) => Some(self.held(berth, lane.into_inner(), index, frames)),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Waits for a page that this lane reads, as long as somebody has the lane.
    pub(crate) fn wait_for_load(&self, index: u32, frames: &Frames, frame: Frame) {
        let Some(berth) = self.berths[index as usize].get() else { return };
        // Whoever gives the lane back clears `held` first and then looks for sleepers; we do it the other way round. So
        // either we see that the lane is free, or we are seen.
        berth.sleepers.fetch_add(1, Ordering::SeqCst);
        frames.wait_while(frame, |now| now.is_loading() && berth.held.load(Ordering::SeqCst));
        berth.sleepers.fetch_sub(1, Ordering::SeqCst);
    }

    fn held<'a>(
        &'a self,
        berth: &'a Berth,
        lane: MutexGuard<'a, Lane>,
        index: u32,
        frames: &'a Frames,
    ) -> HeldLane<'a> {
        berth.held.store(true, Ordering::SeqCst);
        HeldLane { lane: Some(lane), lanes: self, frames, index }
    }

    /// Makes one more lane, unless others were faster than the caller, who saw `made`.
    fn make(&self, made: u32) -> Result<(), DeviceError> {
        let _one = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        if self.made.load(Ordering::Acquire) != made {
            return Ok(());
        }
        if made as usize == MOST {
            return Err(DeviceError::Unsupported(format!("a pool has at most {MOST} lanes")));
        }
        let mut lane = Lane {
            queue: None,
            jobs: (0..self.shape.slots).map(|_| None).collect(),
            free: (0..self.shape.slots).rev().collect(),
            completions: Vec::with_capacity(self.shape.slots as usize),
            ahead: 0,
        };
        lane.open(self)?;
        let berth =
            Berth { lane: Mutex::new(lane), held: AtomicBool::new(false), sleepers: AtomicU32::new(0) };
        let _ = self.berths[made as usize].set(berth);
        self.made.store(made + 1, Ordering::Release);
        Ok(())
    }
}

impl Lane {
    /// The queue pair, made where there is none.
    fn open(&mut self, lanes: &Lanes) -> Result<&mut Box<dyn QueuePair>, DeviceError> {
        if self.queue.is_none() {
            let mut queue = lanes.device.shared_queue_pair(lanes.shape)?;
            if queue.buffer(0).len() < lanes.shape.buffer_bytes as usize {
                return Err(DeviceError::Unsupported("the device keeps no data: it is a simulation".into()));
            }
            self.queue = Some(queue);
        }
        match &mut self.queue {
            Some(queue) => Ok(queue),
            None => Err(DeviceError::Unsupported("no queue pair".into())),
        }
    }
}

impl HeldLane<'_> {
    fn lane(&mut self) -> &mut Lane {
        // `None` only while it is dropped.
        self.lane.as_mut().expect("a lane that is held is there")
    }

    /// A slot that is free, if there is one.
    pub(crate) fn slot(&mut self) -> Option<u32> {
        self.lane().free.pop()
    }

    /// Gives back a slot that was not used.
    pub(crate) fn give_back(&mut self, slot: u32) {
        self.lane().free.push(slot);
    }

    /// The buffer of a slot that is ours.
    ///
    /// # Errors
    /// Where the queue pair broke and a new one cannot be had.
    pub(crate) fn buffer(&mut self, slot: u32) -> Result<&mut [u8], DeviceError> {
        let lanes = self.lanes;
        Ok(self.lane().open(lanes)?.buffer(slot))
    }

    /// Sends a request from a slot that is ours. Refused, the job comes back, and the slot is free again.
    pub(crate) fn submit(&mut self, request: Request, job: Job) -> Result<(), (Job, DeviceError)> {
        let lanes = self.lanes;
        let lane = self.lane();
        let submitted = lane.open(lanes).and_then(|queue| Ok(queue.submit(request)?));
        match submitted {
            Ok(()) => {
                lane.jobs[request.slot as usize] = Some(job);
                Ok(())
            }
            Err(error) => {
                lane.free.push(request.slot);
                Err((job, error))
            }
        }
    }

    /// The device's clock; 0 while there is no queue pair.
    pub(crate) fn now(&mut self) -> Nanos {
        self.lane().queue.as_ref().map_or(0, |queue| queue.now())
    }

    /// Reads ahead in flight on this lane.
    pub(crate) fn ahead(&mut self) -> &mut u32 {
        &mut self.lane().ahead
    }

    /// Waits until at least `min` requests are over, or a second has passed, and appends what is over. Buffers of their
    /// slots are still theirs: [`HeldLane::give_back`] frees them.
    ///
    /// # Errors
    /// The queue pair broke. All that was in flight is over then, with EIO; a new queue pair is made when it is needed.
    pub(crate) fn reap(&mut self, min: u32, done: &mut Vec<Done>) -> Result<(), DeviceError> {
        let lane = self.lane();
        let Some(queue) = &mut lane.queue else { return Ok(()) };
        lane.completions.clear();
        let deadline = if min == 0 { 0 } else { queue.now().saturating_add(PATIENCE) };
        let reaped = queue.reap(min, deadline, &mut lane.completions);
        for completion in lane.completions.drain(..) {
            if let Some(job) = lane.jobs[completion.slot as usize].take() {
                done.push(Done { slot: completion.slot, job, result: completion.result });
            }
        }
        if reaped.is_err() {
            for (slot, job) in lane.jobs.iter_mut().enumerate() {
                if let Some(job) = job.take() {
                    done.push(Done { slot: slot as u32, job, result: -EIO });
                }
            }
            // What the kernel may still do with its buffers is the queue pair's to see to.
            lane.queue = None;
        }
        reaped
    }
}

/// The errno of a request that a broken queue pair took with it.
const EIO: i32 = 5;

impl Drop for HeldLane<'_> {
    /// Gives the lane back. Those who wait for what is still in flight here may now reap it themselves.
    fn drop(&mut self) {
        let Some(lane) = self.lane.take() else { return };
        let Some(berth) = self.lanes.berths[self.index as usize].get() else { return };
        berth.held.store(false, Ordering::SeqCst);
        if lane.ahead == 0 || berth.sleepers.load(Ordering::SeqCst) == 0 {
            return;
        }
        let frame = |job: &Option<Job>| match job {
            Some(Job::Read(load)) => Some(load.frame),
            _ => None,
        };
        let loading: Vec<_> = lane.jobs.iter().filter_map(frame).collect();
        drop(lane);
        loading.into_iter().for_each(|frame| self.frames.wake_parked(frame));
    }
}
