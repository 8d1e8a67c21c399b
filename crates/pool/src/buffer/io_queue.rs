//! I/O queues: queue pairs with what their requests are for.
//!
//! A thread that needs I/O takes an I/O queue for itself: its usual one, else one that nobody has, else a new
//! one. It gives the I/O queue back when what it waited for is done; only pages read ahead stay in flight.
//! Whoever wants such a page takes the I/O queue and reaps it, so nobody depends on the thread that sent the
//! request.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};

use leadline_device::{Completion, Device, DeviceError, Nanos, QueuePair, QueueShape, Request};

use super::frames::{Frames, Load, WriteBack};
use super::hit_log::thread_index;
use crate::policy::Frame;

/// Most I/O queues of a pool; threads that need I/O beyond them wait for one.
const MOST: usize = 64;

/// How long one wait in a queue pair lasts before it is begun again.
const PATIENCE: u64 = 1_000_000_000;

/// All I/O queues of a pool.
pub(crate) struct IoQueues {
    device: Arc<dyn Device>,
    shape: QueueShape,
    entries: [OnceLock<Entry>; MOST],
    made: AtomicU32,
    making: Mutex<()>,
}

/// An I/O queue's place.
struct Entry {
    io: Mutex<IoQueue>,
    /// Whether a thread holds it; read by those who sleep until it is free.
    held: AtomicBool,
    /// Those who sleep, or are about to.
    sleepers: AtomicU32,
}

/// What a request is for.
#[derive(Debug)]
pub(crate) enum Job {
    Read(Load),
    /// Pages that are neighbours on the device, in their order.
    Write(Vec<WriteBack>),
    /// Neither: a flush, or a page of the double-write area.
    Other,
}

/// A request that is over.
#[derive(Debug)]
pub(crate) struct JobResult {
    pub(crate) slot: u32,
    pub(crate) job: Job,
    /// Bytes moved, or a negative errno.
    pub(crate) result: i32,
}

/// A queue pair with what its requests are for.
pub(crate) struct IoQueue {
    /// `None` after it broke, until it is needed again.
    queue: Option<Box<dyn QueuePair>>,
    /// What is in flight, by slot.
    jobs: Box<[Option<Job>]>,
    free: Vec<u32>,
    /// Free slots with buffers for a whole run of pages.
    free_large: Vec<u32>,
    completions: Vec<Completion>,
    /// Reads ahead in flight.
    pub(crate) ahead: u32,
    /// Requests in flight that are for no page of a frame.
    others: u32,
}

/// An I/O queue that this thread has for itself.
pub(crate) struct IoQueueGuard<'a> {
    io: Option<MutexGuard<'a, IoQueue>>,
    io_queues: &'a IoQueues,
    frames: &'a Frames,
    pub(crate) index: u32,
}

impl IoQueues {
    pub(crate) fn new(device: Arc<dyn Device>, shape: QueueShape) -> Self {
        let entries = [const { OnceLock::new() }; MOST];
        IoQueues { device, shape, entries, made: AtomicU32::new(0), making: Mutex::default() }
    }

    /// An I/O queue for this thread.
    ///
    /// # Errors
    /// When there is none yet and the device gives no queue pair.
    pub(crate) fn take<'a>(&'a self, frames: &'a Frames) -> Result<IoQueueGuard<'a>, DeviceError> {
        loop {
            let made = self.made.load(Ordering::Acquire);
            let usual = thread_index();
            for i in 0..made {
                if let Some(io) = self.try_take((usual + i) % made, frames) {
                    return Ok(io);
                }
            }
            match self.make(made) {
                Ok(()) => {}
                Err(error) if made == 0 => return Err(error),
                // As many as there can be: wait for one.
                Err(_) => {
                    let index = usual % made;
                    if let Some(entry) = self.entries[index as usize].get() {
                        let io = entry.io.lock().unwrap_or_else(PoisonError::into_inner);
                        return Ok(self.held(entry, io, index, frames));
                    }
                }
            }
        }
    }

    /// This I/O queue, if no thread holds it.
    pub(crate) fn try_take<'a>(&'a self, index: u32, frames: &'a Frames) -> Option<IoQueueGuard<'a>> {
        let entry = self.entries[index as usize].get()?;
        match entry.io.try_lock() {
            Ok(io) => Some(self.held(entry, io, index, frames)),
            Err(TryLockError::Poisoned(io)) => Some(self.held(entry, io.into_inner(), index, frames)),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Waits for a page that this I/O queue reads, as long as a thread holds the queue.
    pub(crate) fn wait_for_load(&self, index: u32, frames: &Frames, frame: Frame) {
        let Some(entry) = self.entries[index as usize].get() else { return };
        // Whoever gives the I/O queue back clears `held` first and then looks for sleepers; we do it the
        // other way round. So either we see that the I/O queue is free, or we are seen.
        entry.sleepers.fetch_add(1, Ordering::SeqCst);
        frames.wait_while(frame, |now| now.is_loading() && entry.held.load(Ordering::SeqCst));
        entry.sleepers.fetch_sub(1, Ordering::SeqCst);
    }

    fn held<'a>(
        &'a self,
        entry: &'a Entry,
        io: MutexGuard<'a, IoQueue>,
        index: u32,
        frames: &'a Frames,
    ) -> IoQueueGuard<'a> {
        entry.held.store(true, Ordering::SeqCst);
        IoQueueGuard { io: Some(io), io_queues: self, frames, index }
    }

    /// Makes one more I/O queue, unless others were faster than the caller, who saw `made`.
    fn make(&self, made: u32) -> Result<(), DeviceError> {
        let _one = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        if self.made.load(Ordering::Acquire) != made {
            return Ok(());
        }
        if made as usize == MOST {
            return Err(DeviceError::Unsupported(format!("a pool has at most {MOST} io_queues")));
        }
        let (slots, all) = (self.shape.slots, self.shape.all_slots());
        let mut io = IoQueue {
            queue: None,
            jobs: (0..all).map(|_| None).collect(),
            free: (0..slots).rev().collect(),
            free_large: (slots..all).rev().collect(),
            completions: Vec::with_capacity(all as usize),
            ahead: 0,
            others: 0,
        };
        io.open(self)?;
        let entry = Entry { io: Mutex::new(io), held: AtomicBool::new(false), sleepers: AtomicU32::new(0) };
        let _ = self.entries[made as usize].set(entry);
        self.made.store(made + 1, Ordering::Release);
        Ok(())
    }
}

impl IoQueue {
    /// The queue pair, made where there is none.
    fn open(&mut self, io_queues: &IoQueues) -> Result<&mut Box<dyn QueuePair>, DeviceError> {
        if self.queue.is_none() {
            let mut queue = io_queues.device.shared_queue_pair(io_queues.shape)?;
            if queue.buffer(0).len() < io_queues.shape.buffer_bytes as usize {
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

impl IoQueueGuard<'_> {
    fn io(&mut self) -> &mut IoQueue {
        // `None` only while it is dropped.
        self.io.as_mut().expect("a io that is held is there")
    }

    /// A slot that is free. There always is one: a queue has as many as a thread sends requests at once
    /// ([`PoolConfig::queue_shape`](super::config::PoolConfig::queue_shape)).
    pub(crate) fn slot(&mut self) -> u32 {
        self.io().free.pop().expect("a queue has a slot for each request that is sent at once")
    }

    /// A free slot with a buffer for a run of pages. Whoever sends runs sees to it that there is one:
    /// [`IoQueueGuard::large_slots`].
    pub(crate) fn large_slot(&mut self) -> u32 {
        self.io().free_large.pop().expect("a queue has a slot for each run that is sent at once")
    }

    /// Free slots with buffers for runs.
    pub(crate) fn large_slots(&mut self) -> usize {
        self.io().free_large.len()
    }

    /// The free slots that a slot is one of.
    fn free(&mut self, slot: u32) -> &mut Vec<u32> {
        let is_large = slot >= self.io_queues.shape.slots;
        let io = self.io();
        if is_large { &mut io.free_large } else { &mut io.free }
    }

    /// Takes a slot that is free, with what is in its buffer.
    pub(crate) fn take_back(&mut self, slot: u32) {
        let free = self.free(slot);
        let at = free.iter().rposition(|free| *free == slot).expect("the slot is free");
        free.remove(at);
    }

    /// Gives back a slot that was not used.
    pub(crate) fn give_back(&mut self, slot: u32) {
        debug_assert!(!self.free(slot).contains(&slot), "slot {slot} is free already");
        self.free(slot).push(slot);
    }

    /// The buffer of a slot that is ours.
    ///
    /// # Errors
    /// Where the queue pair broke and a new one cannot be had.
    pub(crate) fn buffer(&mut self, slot: u32) -> Result<&mut [u8], DeviceError> {
        let io_queues = self.io_queues;
        Ok(self.io().open(io_queues)?.buffer(slot))
    }

    /// Sends a request from a slot that is ours. Refused, the job comes back, and the slot is free again.
    pub(crate) fn submit(&mut self, request: Request, job: Job) -> Result<(), (Job, DeviceError)> {
        let io_queues = self.io_queues;
        let io = self.io();
        let submitted = io.open(io_queues).and_then(|queue| Ok(queue.submit(request)?));
        match submitted {
            Ok(()) => {
                io.others += u32::from(matches!(job, Job::Other));
                let before = io.jobs[request.slot as usize].replace(job);
                assert!(before.is_none(), "slot {} was in flight", request.slot);
                Ok(())
            }
            Err(error) => {
                self.give_back(request.slot);
                Err((job, error))
            }
        }
    }

    /// The device's clock; 0 while there is no queue pair.
    pub(crate) fn now(&mut self) -> Nanos {
        self.io().queue.as_ref().map_or(0, |queue| queue.now())
    }

    /// Reads ahead in flight on this I/O queue.
    pub(crate) fn ahead(&mut self) -> &mut u32 {
        &mut self.io().ahead
    }

    /// Waits until at least `min` requests are over, or a second has passed, and appends what is over.
    /// Buffers of their slots are still theirs: [`IoQueueGuard::give_back`] frees them.
    ///
    /// # Errors
    /// The queue pair broke. All that was in flight is over then, with EIO; a new queue pair is made when it
    /// is needed.
    pub(crate) fn reap(&mut self, min: u32, done: &mut Vec<JobResult>) -> Result<(), DeviceError> {
        let io = self.io();
        let Some(queue) = &mut io.queue else { return Ok(()) };
        io.completions.clear();
        let deadline = if min == 0 { 0 } else { queue.now().saturating_add(PATIENCE) };
        let reaped = queue.reap(min, deadline, &mut io.completions);
        let already = done.len();
        for Completion { slot, result, .. } in io.completions.drain(..) {
            let Some(job) = io.jobs[slot as usize].take() else {
                panic!("a request of slot {slot} is over, and none was in flight")
            };
            done.push(JobResult { slot, job, result });
        }
        if reaped.is_err() {
            for (slot, job) in io.jobs.iter_mut().enumerate() {
                if let Some(job) = job.take() {
                    done.push(JobResult { slot: slot as u32, job, result: -EIO });
                }
            }
            // What the kernel may still do with its buffers is the queue pair's to see to.
            io.queue = None;
        }
        io.others -= done[already..].iter().filter(|over| matches!(over.job, Job::Other)).count() as u32;
        reaped
    }
}

/// The errno of a request that a broken queue pair took with it.
const EIO: i32 = 5;

impl Drop for IoQueueGuard<'_> {
    /// Gives the I/O queue back. Those who wait for what is still in flight here may now reap it themselves.
    fn drop(&mut self) {
        let Some(io) = self.io.take() else { return };
        // The next thread would take such a result for that of its own request.
        assert!(io.others == 0 || std::thread::panicking(), "{} requests were not waited for", io.others);
        let Some(entry) = self.io_queues.entries[self.index as usize].get() else { return };
        entry.held.store(false, Ordering::SeqCst);
        if io.ahead == 0 || entry.sleepers.load(Ordering::SeqCst) == 0 {
            return;
        }
        let frame = |job: &Option<Job>| match job {
            Some(Job::Read(load)) => Some(load.frame),
            _ => None,
        };
        let loading: Vec<_> = io.jobs.iter().filter_map(frame).collect();
        drop(io);
        loading.into_iter().for_each(|frame| self.frames.wake_parked(frame));
    }
}
