//! io_uring: the fast path. One system call submits a batch and waits for completions.
//!
//! Submitting fills an entry of the ring and nothing more; reaping enters the kernel once, with registered
//! file and registered buffers, so that the kernel looks up and pins nothing per request. Where it is to be
//! had, the ring is made for one issuer with deferred task work (Linux 6.1): completions are then posted
//! while that thread waits for them, and interrupt it never.

mod setup;

use std::fs::File;
use std::io;
use std::mem::ManuallyDrop;
use std::os::fd::AsRawFd;
use std::sync::Arc;

use io_uring::types::{Fixed, FsyncFlags, SubmitArgs, Timespec};
use io_uring::{EnterFlags, IoUring, opcode, squeue};

pub(crate) use self::setup::{Polling, probe};
use self::setup::{build, explain};
use crate::buffers::{Arena, InFlight};
use crate::{
    Completion, DeviceError, Geometry, NEVER, Nanos, Op, QueuePair, QueueShape, Request, RequestError, clock,
};

/// The registered file.
const FILE: Fixed = Fixed(0);

/// How a range of the file is trimmed; the file keeps its length.
const PUNCH_HOLE: i32 = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;

/// How long a queue pair that is dropped waits for what the kernel still has.
const DROP_TIME: Nanos = 1_000_000_000;

/// A queue pair on a ring of its own.
pub(crate) struct UringPair {
    // Dropped by hand, ring first, and only when the kernel has nothing in flight.
    ring: ManuallyDrop<IoUring>,
    arena: ManuallyDrop<Arena>,
    /// Open as long as the ring has it registered.
    _file: Arc<File>,
    geometry: Geometry,
    shape: QueueShape,
    polling: Polling,
    in_flight: InFlight,
    /// Whether the buffers are registered.
    is_registered: bool,
    /// Entries in the ring that the kernel has not taken.
    queued: u32,
    /// Whether a thread has bound the ring to itself.
    enabled: bool,
    warning: Option<String>,
}

impl UringPair {
    pub(crate) fn new(
        file: Arc<File>,
        geometry: Geometry,
        shape: QueueShape,
        polling: Polling,
    ) -> Result<UringPair, DeviceError> {
        UringPair::with_arena(file, geometry, shape, polling, Arena::new(shape)?)
    }

    fn with_arena(
        file: Arc<File>,
        geometry: Geometry,
        shape: QueueShape,
        polling: Polling,
        arena: Arena,
    ) -> Result<UringPair, DeviceError> {
        let ring = build(shape.depth, polling).map_err(|error| explain(&error))?;
        ring.submitter()
            .register_files(&[file.as_raw_fd()])
            .map_err(|error| DeviceError::io("registering the file with io_uring", error))?;
        // SAFETY: the chunks are the arena's own mapping, which `Drop` releases after the ring or never.
        let registered = unsafe { ring.submitter().register_buffers(&arena.chunks()) };
        let warning = registered.as_ref().err().map(|error| {
            format!("io_uring: buffers not registered, each request costs a little more ({error}; RLIMIT_MEMLOCK?)")
        });
        Ok(UringPair {
            ring: ManuallyDrop::new(ring),
            is_registered: registered.is_ok(),
            arena: ManuallyDrop::new(arena),
            _file: file,
            geometry,
            shape,
            polling,
            in_flight: InFlight::new(shape),
            queued: 0,
            enabled: false,
            warning,
        })
    }

    /// What it had to do without.
    pub(crate) fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }

    /// The ring's entry for a request.
    #[inline]
    fn entry(&self, request: &Request) -> squeue::Entry {
        let Request { op, durable, slot, len, offset } = *request;
        let flags = if durable { libc::RWF_DSYNC } else { 0 };
        let buffer = self.arena.pointer(slot);
        let chunk = if self.is_registered { self.arena.chunk_of(slot) } else { None };
        let entry = match (op, chunk) {
            (Op::Read, Some(chunk)) => {
                opcode::ReadFixed::new(FILE, buffer, len, chunk).offset(offset).build()
            }
            (Op::Read, None) => opcode::Read::new(FILE, buffer, len).offset(offset).build(),
            (Op::Write, Some(chunk)) => {
                opcode::WriteFixed::new(FILE, buffer, len, chunk).offset(offset).rw_flags(flags).build()
            }
            (Op::Write, None) => opcode::Write::new(FILE, buffer, len).offset(offset).rw_flags(flags).build(),
            (Op::Flush, _) => opcode::Fsync::new(FILE).flags(FsyncFlags::DATASYNC).build(),
            (Op::Trim, _) => {
                opcode::Fallocate::new(FILE, u64::from(len)).offset(offset).mode(PUNCH_HOLE).build()
            }
        };
        // The kernel says 0 of a trim: the bytes to report travel with the slot.
        let trimmed = if op == Op::Trim { len } else { 0 };
        entry.user_data(u64::from(trimmed) << 32 | u64::from(slot))
    }

    /// Puts an entry into the ring; false if there is no room.
    #[inline]
    fn push(&mut self, entry: &squeue::Entry) -> bool {
        loop {
            // SAFETY: the buffer is the slot's own, `len` was validated to fit it, and `buffer` hands it to
            // nobody while the request is in flight; arena and file outlive the request (see `Drop`).
            if unsafe { self.ring.submission().push(entry) }.is_ok() {
                return true;
            }
            // The ring holds `depth` entries, so there is room, unless the kernel's submission thread has
            // posted completions of a batch whose entries it has yet to give back. It is at it: wait for
            // that.
            let waited = self.polling.submissions && self.ring.submitter().squeue_wait().is_ok();
            if !waited {
                return false;
            }
        }
    }

    /// Moves what has completed out of the ring, its time still to be stamped.
    #[inline]
    fn collect(&mut self, completions: &mut Vec<Completion>) {
        for entry in self.ring.completion() {
            let (slot, trimmed) = (entry.user_data() as u32, (entry.user_data() >> 32) as i32);
            let known = self.in_flight.complete(slot);
            debug_assert!(known, "a completion for slot {slot}, which is not in flight");
            if known {
                let result = if entry.result() == 0 { trimmed } else { entry.result() };
                completions.push(Completion { slot, result, at: 0 });
            }
        }
    }

    /// Enters the kernel: submits `submit` of what is queued, and waits for `missing` completions until
    /// `deadline`.
    fn enter(&mut self, submit: u32, missing: u32, deadline: Nanos) -> Result<(), DeviceError> {
        if !self.enabled {
            // Late, so that the ring belongs to the thread that uses the queue pair, not to the one that made
            // it.
            let enabled = self.ring.submitter().register_enable_rings();
            enabled.map_err(|error| DeviceError::io("enabling the ring", error))?;
            self.enabled = true;
        }
        let mut flags = EnterFlags::GETEVENTS | EnterFlags::EXT_ARG;
        if self.polling.submissions {
            if self.ring.submission().need_wakeup() {
                flags |= EnterFlags::SQ_WAKEUP;
            } else if missing == 0 && !self.polling.completions {
                self.queued = 0;
                return Ok(());
            }
        }
        let mut missing = missing;
        let mut timeout = Timespec::new();
        let mut arguments = SubmitArgs::new();
        if self.polling.completions {
            // The kernel ignores timeouts while it polls the device: `reap` polls, once a call.
            missing = 0;
        } else if missing > 0 && deadline != NEVER {
            let left = deadline.saturating_sub(clock::now());
            missing = if left == 0 { 0 } else { missing };
            timeout = timeout.sec(left / 1_000_000_000).nsec((left % 1_000_000_000) as u32);
            arguments = arguments.timespec(&timeout);
        }
        // SAFETY: the argument is the structure EXT_ARG announces and outlives the call. What the queued
        // entries point to, the file and the arena, lives until the kernel has nothing in flight: see `Drop`.
        let entered = unsafe { self.ring.submitter().enter(submit, missing, flags.bits(), Some(&arguments)) };
        // The ring itself tells what the kernel took, whatever the call answered; its own thread will take
        // the rest.
        self.queued = if self.polling.submissions { 0 } else { self.ring.submission().len() as u32 };
        match entered.map_err(|error| (error.raw_os_error(), error)) {
            Ok(_) | Err((Some(libc::ETIME | libc::EINTR), _)) => Ok(()),
            // Short of memory for requests: those in flight will give some back.
            Err((Some(libc::EAGAIN | libc::EBUSY), _)) if self.in_flight.count() > self.queued => {
                // SAFETY: nothing is submitted; without an argument the size is not looked at.
                let waited =
                    unsafe { self.ring.submitter().enter::<()>(0, 1, EnterFlags::GETEVENTS.bits(), None) };
                waited.map(drop).or_else(interrupted)
            }
            Err((Some(libc::EEXIST), _)) => Err(DeviceError::Unsupported(
                "the queue pair belongs to the thread that reaped from it first; another one used it".into(),
            )),
            Err((_, error)) => Err(DeviceError::io("entering io_uring", error)),
        }
    }

    /// Whether the kernel may have completions that it posts only when it is entered.
    #[inline]
    fn unposted(&mut self) -> bool {
        self.polling.completions || self.ring.submission().taskrun()
    }

    /// Waits until the kernel has nothing in flight; false if that took too long or cannot be found out.
    fn drain(&mut self) -> bool {
        // What was never submitted, the kernel never sees, unless its own thread takes it from the ring.
        let unseen = if self.polling.submissions && self.enabled { 0 } else { self.queued };
        let (mut completed, deadline) = (Vec::new(), clock::now() + DROP_TIME);
        loop {
            self.collect(&mut completed);
            let missing = self.in_flight.count() - unseen;
            if missing == 0 {
                return true;
            }
            if clock::now() >= deadline || self.enter(0, missing, deadline).is_err() {
                return false;
            }
        }
    }
}

impl QueuePair for UringPair {
    fn geometry(&self) -> Geometry {
        self.geometry
    }

    fn shape(&self) -> QueueShape {
        self.shape
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.in_flight.assert_idle(slot);
        self.arena.buffer(slot)
    }

    #[inline]
    fn submit(&mut self, request: Request) -> Result<(), RequestError> {
        let refuse = |reason| Err(RequestError { request, reason });
        if self.polling.completions {
            match request.op {
                Op::Read | Op::Write => {}
                Op::Flush => return refuse("a queue pair that polls for completions (IOPOLL) cannot flush"),
                Op::Trim => return refuse("a queue pair that polls for completions (IOPOLL) cannot trim"),
            }
        }
        self.in_flight.admit(&request, &self.geometry, &self.shape)?;
        let entry = self.entry(&request);
        if !self.push(&entry) {
            self.in_flight.complete(request.slot);
            return refuse("the submission queue is full");
        }
        self.queued += 1;
        Ok(())
    }

    fn reap(
        &mut self,
        min: u32,
        deadline: Nanos,
        completions: &mut Vec<Completion>,
    ) -> Result<(), DeviceError> {
        if self.in_flight.count() == 0 {
            clock::sleep_until(deadline);
            return Ok(());
        }
        let min = (min as usize).min(self.in_flight.count() as usize);
        let first = completions.len();
        self.collect(completions);
        let entered = loop {
            let missing = min.saturating_sub(completions.len() - first);
            if missing == 0 && self.queued == 0 && (completions.len() > first || !self.unposted()) {
                break Ok(());
            }
            let entered = self.enter(self.queued, missing as u32, deadline);
            self.collect(completions);
            let short = completions.len() - first < min;
            let again = self.queued > 0 || (self.polling.completions && short && clock::now() < deadline);
            if entered.is_err() || !again {
                break entered;
            }
        };
        if completions.len() > first {
            let at = clock::now();
            completions[first..].iter_mut().for_each(|completion| completion.at = at);
        }
        entered
    }

    #[inline]
    fn now(&self) -> Nanos {
        clock::now()
    }

    #[inline]
    fn in_flight(&self) -> u32 {
        self.in_flight.count()
    }
}

impl Drop for UringPair {
    fn drop(&mut self) {
        if self.drain() {
            // The kernel takes a ring apart after the process is gone, and the file with its lock would stay
            // open until then: the next run would find it in use.
            let _ = self.ring.submitter().unregister_files();
            // SAFETY: each is dropped once, here, and not used again; the ring goes first, and the kernel has
            // nothing in flight that could still reach the arena.
            unsafe {
                ManuallyDrop::drop(&mut self.ring);
                ManuallyDrop::drop(&mut self.arena);
            }
        }
        // Otherwise a device does not answer, or the ring is another thread's: ring and buffers stay mapped
        // for good, since the kernel may write there at any time.
    }
}

/// A signal ends a wait early; that is not an error.
fn interrupted(error: io::Error) -> Result<(), DeviceError> {
    match error.raw_os_error() {
        Some(libc::EINTR) => Ok(()),
        _ => Err(DeviceError::io("waiting in io_uring", error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a pattern of its own from each of seven slots, of which three are large, then reads them back
    /// into other slots.
    fn round_trip(chunk_bytes: usize, registered: bool) {
        let file = Arc::new(tempfile::tempfile().unwrap());
        let geometry = Geometry { capacity_bytes: 7 * 4096, block_bytes: 4096, writable: true };
        let shape = QueueShape::new(7, 4096).slots(4).large(3, 8192);
        let arena = Arena::chunked(shape, chunk_bytes).unwrap();
        let mut pair = UringPair::with_arena(file, geometry, shape, Polling::default(), arena).unwrap();
        assert_eq!(pair.warning(), None, "buffers of 16 KiB can be registered");
        if !registered {
            pair.is_registered = false;
        }
        let mut done = Vec::new();
        for slot in 0..7 {
            pair.buffer(slot).fill(slot as u8 + 1);
            pair.submit(Request::write(slot, u64::from(slot) * 4096, 4096)).unwrap();
        }
        while pair.in_flight() > 0 {
            pair.reap(7, NEVER, &mut done).unwrap();
        }
        for slot in 0..7 {
            pair.submit(Request::read(slot, u64::from(6 - slot) * 4096, 4096)).unwrap();
        }
        while pair.in_flight() > 0 {
            pair.reap(7, NEVER, &mut done).unwrap();
        }
        assert!(done.iter().all(|done| done.result == 4096), "{done:?}");
        for slot in 0..7 {
            assert!(pair.buffer(slot)[..4096].iter().all(|byte| *byte == 7 - slot as u8), "slot {slot}");
        }
    }

    #[test]
    fn every_chunk_of_registered_buffers_is_addressed() {
        for slots_a_chunk in [1, 2, 3, 7, 100] {
            round_trip(slots_a_chunk * 4096, true);
        }
    }

    #[test]
    fn buffers_that_could_not_be_registered_serve_as_well() {
        round_trip(1 << 30, false);
    }
}
