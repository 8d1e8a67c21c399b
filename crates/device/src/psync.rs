//! psync: blocking `pread` and `pwrite`, `pwritev2` for durable writes, the papers' own method; with
//! fdatasync and fallocate.
//!
//! A queue pair of depth 1 does its request inside `reap`, on the caller's thread: k threads with such a pair
//! each are k requests in flight with nothing between them and the system call. A deeper one keeps a thread
//! for each request that may be in flight.

mod workers;

use std::fs::File;
use std::io::IoSlice;
use std::sync::Arc;

use rustix::fs::{FallocateFlags, fallocate, fdatasync};
use rustix::io::{ReadWriteFlags, pread, pwrite, pwritev2};

use self::workers::WorkerPair;
use crate::buffers::{Arena, InFlight};
use crate::{
    Completion, DeviceError, Geometry, Nanos, Op, QueuePair, QueueShape, Request, RequestError, clock,
};

/// Most worker threads of one queue pair.
const MOST_WORKERS: u32 = 4096;

/// A queue pair on blocking calls.
pub(crate) fn queue_pair(
    file: Arc<File>,
    geometry: Geometry,
    shape: QueueShape,
) -> Result<Box<dyn QueuePair>, DeviceError> {
    if shape.depth > MOST_WORKERS {
        let reason = format!("psync at depth {}: more than {MOST_WORKERS} threads", shape.depth);
        return Err(DeviceError::Unsupported(reason));
    }
    let target = Target { file, arena: Arena::new(shape)? };
    let lane = Lane { geometry, shape, in_flight: InFlight::new(shape) };
    if shape.depth == 1 {
        return Ok(Box::new(InlinePair { target, lane, queued: None }));
    }
    Ok(Box::new(WorkerPair::start(target, lane)?))
}

/// What a request needs to be done.
struct Target {
    file: Arc<File>,
    arena: Arena,
}

impl Target {
    /// Does a request with one system call: bytes moved or trimmed, or a negative errno.
    ///
    /// # Safety
    /// The request was validated, and nobody else uses its slot meanwhile.
    unsafe fn perform(&self, request: &Request) -> i32 {
        let Request { op, durable, slot, len, offset } = *request;
        let bytes = len as usize;
        // SAFETY: the caller's promise.
        let buffer = unsafe { self.arena.shared_buffer(slot) };
        let result = match op {
            Op::Read => pread(&self.file, &mut buffer[..bytes], offset),
            // The only call that takes flags. Emulators of processors and of kernels may not have it.
            Op::Write if durable => {
                pwritev2(&self.file, &[IoSlice::new(&buffer[..bytes])], offset, ReadWriteFlags::DSYNC)
            }
            Op::Write => pwrite(&self.file, &buffer[..bytes], offset),
            Op::Flush => fdatasync(&self.file).map(|()| 0),
            Op::Trim => {
                let hole = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
                fallocate(&self.file, hole, offset, u64::from(len)).map(|()| bytes)
            }
        };
        match result {
            // The kernel moves at most 2 GiB less a page per call.
            Ok(bytes) => i32::try_from(bytes).unwrap_or(i32::MAX),
            Err(errno) => -errno.raw_os_error(),
        }
    }
}

/// What both kinds of queue pair keep.
struct Lane {
    geometry: Geometry,
    shape: QueueShape,
    in_flight: InFlight,
}

/// Depth 1: the request is done in `reap`.
struct InlinePair {
    target: Target,
    lane: Lane,
    queued: Option<Request>,
}

impl QueuePair for InlinePair {
    fn geometry(&self) -> Geometry {
        self.lane.geometry
    }

    fn shape(&self) -> QueueShape {
        self.lane.shape
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.lane.in_flight.assert_idle(slot);
        self.target.arena.buffer(slot)
    }

    fn submit(&mut self, request: Request) -> Result<(), RequestError> {
        self.lane.in_flight.admit(&request, &self.lane.geometry, &self.lane.shape)?;
        self.queued = Some(request);
        Ok(())
    }

    /// The system call runs here whatever `min` and `deadline` are: a blocking call cannot be left.
    fn reap(
        &mut self,
        _: u32,
        deadline: Nanos,
        completions: &mut Vec<Completion>,
    ) -> Result<(), DeviceError> {
        let Some(request) = self.queued.take() else {
            clock::sleep_until(deadline);
            return Ok(());
        };
        // SAFETY: `submit` validated it, and `&mut self` keeps everybody from the buffers.
        let result = unsafe { self.target.perform(&request) };
        self.lane.in_flight.complete(request.slot);
        completions.push(Completion { slot: request.slot, result, at: clock::now() });
        Ok(())
    }

    fn now(&self) -> Nanos {
        clock::now()
    }

    fn in_flight(&self) -> u32 {
        self.lane.in_flight.count()
    }
}
