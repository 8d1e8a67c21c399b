//! The queue pair and what passes through it.

use crate::{DeviceError, Geometry, QueueShape, Request, RequestError};

/// Nanoseconds on the device's own clock. Only differences mean anything.
pub type Nanos = u64;

/// A deadline that never comes.
pub const NEVER: Nanos = Nanos::MAX;

/// The answer to one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Completion {
    /// The request's slot, free again.
    pub slot: u32,
    /// Bytes moved or trimmed, or a negative errno: of a trim EOPNOTSUPP where the device or the file system
    /// has none.
    pub result: i32,
    /// When it was reaped, on the device's clock. A simulated device gives the exact time of completion.
    pub at: Nanos,
}

/// The time that [`QueuePair::now`] tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// Wall-clock time.
    Wall,
    /// Virtual time: it advances only while completions are reaped, and belongs to one thread.
    Virtual,
}

/// What a drive has done to its medium since it was made: counted by simulated drives, read from SMART of
/// real ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wear {
    /// Bytes that hosts wrote.
    pub host_bytes: u64,
    /// Bytes that were written to the medium for it: the host's, those moved by garbage collection and
    /// refreshes, the mapping's, padding.
    pub media_bytes: u64,
    /// Blocks erased; 0 for a medium that is not erased.
    pub erases: u64,
    /// Blocks that there are to be erased; 0 likewise.
    pub blocks: u64,
    /// Bytes that may be written to the medium in its whole life; 0 where that is not known.
    pub rated_bytes: u64,
}

impl Wear {
    /// What happened since `before`, an earlier reading of the same drive.
    pub fn since(&self, before: &Wear) -> Wear {
        Wear {
            host_bytes: self.host_bytes - before.host_bytes,
            media_bytes: self.media_bytes - before.media_bytes,
            erases: self.erases - before.erases,
            ..*self
        }
    }

    /// The share of the drive's life that this took; `None` where the medium's is not known.
    pub fn life_share(&self) -> Option<f64> {
        (self.rated_bytes > 0).then(|| self.media_bytes as f64 / self.rated_bytes as f64)
    }

    /// Bytes written to the medium per byte that the host wrote; `None` where it wrote none.
    pub fn write_amplification(&self) -> Option<f64> {
        (self.host_bytes > 0).then(|| self.media_bytes as f64 / self.host_bytes as f64)
    }
}

/// One thread's way to a device.
pub trait QueuePair: Send {
    /// What requests must fit.
    fn geometry(&self) -> Geometry;

    /// How large this queue pair is.
    fn shape(&self) -> QueueShape;

    /// The buffer of a slot: [`QueueShape::bytes_of`] the slot long, or empty where the device keeps no data
    /// (a simulation), so that filling it costs nothing.
    ///
    /// # Panics
    /// If the slot does not exist or its request is in flight: the kernel owns the buffer then.
    fn buffer(&mut self, slot: u32) -> &mut [u8];

    /// Validates a request and queues it. The device need not see it before the next [`QueuePair::reap`], so
    /// that a batch costs one system call.
    ///
    /// # Errors
    /// [`RequestError`] names the request and what is wrong with it; nothing is queued then.
    fn submit(&mut self, request: Request) -> Result<(), RequestError>;

    /// Sends what is queued, waits until at least `min` requests have completed or `deadline` has come, and
    /// appends all that have completed to `completions`. With nothing in flight it waits for the deadline
    /// alone; with `min` 0 and deadline 0 it only polls. Returns early when a signal arrives.
    ///
    /// # Errors
    /// [`DeviceError`] when the queue itself broke; a failed request is a [`Completion`] with a negative
    /// result.
    fn reap(
        &mut self,
        min: u32,
        deadline: Nanos,
        completions: &mut Vec<Completion>,
    ) -> Result<(), DeviceError>;

    /// The device's clock.
    fn now(&self) -> Nanos;

    /// Requests submitted and not yet reaped.
    fn in_flight(&self) -> u32;

    /// What the drive has done to its medium so far; `None` where it does not tell.
    fn wear(&self) -> Option<Wear> {
        None
    }
}

/// Something that hands out queue pairs.
pub trait Device: Send + Sync {
    /// What requests must fit.
    fn geometry(&self) -> Geometry;

    /// Which time its queue pairs tell.
    fn clock(&self) -> Clock;

    /// A new queue pair for one thread. Devices on a virtual clock have one at a time.
    ///
    /// # Errors
    /// [`DeviceError`] with the system's reason.
    fn queue_pair(&self, shape: QueueShape) -> Result<Box<dyn QueuePair>, DeviceError>;

    /// A queue pair that threads use in turn, one at a time under a lock of theirs: one may reap what another
    /// submitted. Costs a little more than a thread's own.
    ///
    /// # Errors
    /// As [`Device::queue_pair`].
    fn shared_queue_pair(&self, shape: QueueShape) -> Result<Box<dyn QueuePair>, DeviceError> {
        self.queue_pair(shape)
    }

    /// What its queue pairs had to do without so far, in plain words, each once; to be shown.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
}
