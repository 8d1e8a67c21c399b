//! What a device is asked for, and what it may be asked for.

use std::fmt;

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
    /// Buffer, from 0 to [`QueueShape::all_slots`] - 1.
    pub slot: u32,
    /// Bytes, a positive multiple of [`Geometry::block_bytes`], at most [`QueueShape::bytes_of`] its slot; of
    /// a trim at most `i32::MAX`.
    pub len: u32,
    /// First byte on the device, a multiple of [`Geometry::block_bytes`].
    pub offset: u64,
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
    /// Buffers; with the large ones at least `depth`.
    pub slots: u32,
    /// Bytes of each buffer, a multiple of the geometry's block.
    pub buffer_bytes: u32,
    /// More buffers, of another size, which take memory when they are first used; their slots come after
    /// [`QueueShape::slots`].
    pub large_slots: u32,
    /// Bytes of each of them, a multiple of the geometry's block; anything where there are none.
    pub large_bytes: u32,
}

impl QueueShape {
    /// `depth` requests in flight, each with a buffer of its own.
    pub fn new(depth: u32, buffer_bytes: u32) -> Self {
        QueueShape { depth, slots: depth, buffer_bytes, large_slots: 0, large_bytes: 0 }
    }

    /// Sets [`QueueShape::slots`].
    #[must_use]
    pub fn slots(mut self, slots: u32) -> Self {
        self.slots = slots;
        self
    }

    /// `slots` more buffers of `bytes` each. Their slots are numbered from [`QueueShape::slots`] on.
    #[must_use]
    pub fn large(mut self, slots: u32, bytes: u32) -> Self {
        (self.large_slots, self.large_bytes) = (slots, bytes);
        self
    }

    /// Buffers of both sizes.
    #[inline]
    pub fn all_slots(&self) -> u32 {
        self.slots.saturating_add(self.large_slots)
    }

    /// Bytes of a slot's buffer.
    #[inline]
    pub fn bytes_of(&self, slot: u32) -> u32 {
        if slot < self.slots { self.buffer_bytes } else { self.large_bytes }
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
        if self.slot >= shape.all_slots() {
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
        } else if self.len > shape.bytes_of(self.slot) {
            return refuse("it is longer than its buffer");
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

/// A request that was refused before the device saw it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestError {
    /// The request.
    pub request: Request,
    /// What is wrong with it.
    pub reason: &'static str,
}

impl std::error::Error for RequestError {}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Request { op, slot, len, offset, .. } = self.request;
        let op = match op {
            Op::Read => "read",
            Op::Write => "write",
            Op::Flush => "flush",
            Op::Trim => "trim",
        };
        write!(f, "{op} of {len} bytes at offset {offset} (slot {slot}) refused: {}", self.reason)
    }
}
