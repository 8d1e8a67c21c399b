//! The queue pair and what passes through it.

use crate::{DeviceError, RequestError};

/// Nanoseconds on the device's own clock. Only differences mean anything.
pub type Nanos = u64;

/// A deadline that never comes.
pub const NEVER: Nanos = Nanos::MAX;

/// What a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Op {
    /// Device to buffer.
    Read,
    /// Buffer to device.
    Write,
    /// All writes that completed before this one are durable when it completes. Has no buffer, offset or
    /// length.
    Flush,
    /// The range holds nothing any more: reads of it return zeros or anything the drive likes. Durable like a
    /// write, with the next flush. Has no buffer.
    Trim,
}

/// One request. Its `slot` is both its name and the buffer it uses; one request per slot may be in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// Read, write, flush or trim.
    pub op: Op,
    /// A write that is durable when it completes (RWF_DSYNC); no meaning for other operations.
    pub durable: bool,
    /// Buffer, from 0 to [`QueueShape::slots`] - 1.
    pub slot: u32,
    /// Bytes, a positive multiple of [`Geometry::block_bytes`], at most [`QueueShape::buffer_bytes`]; of a
    /// trim at most `i32::MAX`.
    pub len: u32,
    /// First byte on the device, a multiple of [`Geometry::block_bytes`].
    pub offset: u64,
}

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

/// What a request must fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Geometry {
    /// Addressable bytes.
    pub capacity_bytes: u64,
    /// Offsets and lengths are multiples of this power of two.
    pub block_bytes: u32,
    /// False where writes and trims are refused.
    pub writable: bool,
}

/// How large a queue pair is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueShape {
    /// Most requests in flight, 1 to 32,768.
    pub depth: u32,
    /// Buffers, at least `depth`.
    pub slots: u32,
    /// Bytes of each buffer, a multiple of the geometry's block.
    pub buffer_bytes: u32,
}

impl QueueShape {
    /// `depth` requests in flight, each with a buffer of its own.
    pub fn new(depth: u32, buffer_bytes: u32) -> Self {
        QueueShape { depth, slots: depth, buffer_bytes }
    }
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

    /// The buffer of a slot: [`QueueShape::buffer_bytes`] long, or empty where the device keeps no data (a
    /// simulation), so that filling it costs nothing.
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

impl Request {
    /// A plain read.
    pub fn read(slot: u32, offset: u64, len: u32) -> Self {
        Request { op: Op::Read, durable: false, slot, len, offset }
    }

    /// A plain write.
    pub fn write(slot: u32, offset: u64, len: u32) -> Self {
        Request { op: Op::Write, durable: false, slot, len, offset }
    }

    /// A flush.
    pub fn flush(slot: u32) -> Self {
        Request { op: Op::Flush, durable: false, slot, len: 0, offset: 0 }
    }

    /// A trim of a range of any length up to `i32::MAX` bytes.
    pub fn trim(slot: u32, offset: u64, len: u32) -> Self {
        Request { op: Op::Trim, durable: false, slot, len, offset }
    }

    /// Checks the request against what it must fit. Every backend calls this first.
    ///
    /// # Errors
    /// [`RequestError`] with the request in it.
    #[inline]
    pub fn validate(&self, geometry: &Geometry, shape: &QueueShape) -> Result<(), RequestError> {
        let refuse = |reason| Err(RequestError { request: *self, reason });
        if self.slot >= shape.slots {
            return refuse("its slot does not exist");
        }
        if self.op == Op::Flush {
            return Ok(());
        }
        let mask = geometry.block_bytes - 1;
        if self.len == 0 {
            return refuse("its length is zero");
        }
        if self.len & mask != 0 {
            return refuse("its length is not a multiple of the device's block");
        }
        if self.offset & u64::from(mask) != 0 {
            return refuse("its offset is not a multiple of the device's block");
        }
        if self.op == Op::Trim {
            // The completion gives it in an i32.
            if i32::try_from(self.len).is_err() {
                return refuse("it is longer than a trim may be: 2147483647 bytes");
            }
        } else if self.len > shape.buffer_bytes {
            return refuse("it is longer than the queue pair's buffers");
        }
        match self.offset.checked_add(u64::from(self.len)) {
            Some(end) if end <= geometry.capacity_bytes => {}
            _ => return refuse("it ends beyond the device"),
        }
        if self.op != Op::Read && !geometry.writable {
            return refuse("the device is open for reading only");
        }
        Ok(())
    }
}
