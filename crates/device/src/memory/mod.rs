//! A device in memory that can lose its power.
//!
//! It keeps two states: what reads see, and what a power cut leaves. A write is in the first when it
//! completes, and in the second when a flush that was submitted after that completes, or at once where the
//! write is durable (RWF_DSYNC). Of the writes in between, a power cut leaves any part: see
//! [`MemoryDevice::crash`]. A trim is a write of zeros wherever anything was written.

mod crash;
mod every;
mod image;
mod medium;

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use self::crash::{Survival, Tearing, UnsyncedWrite};
pub use self::every::Crashes;
use self::medium::{Horizon, Medium};
use crate::buffers::{Arena, InFlight};
use crate::file::check_shape;
use crate::{
    Clock, Completion, Device, DeviceError, Geometry, Nanos, Op, QueuePair, QueueShape, Request,
    RequestError, clock,
};

/// A device that keeps its data in memory, on wall time, for any number of queue pairs and threads.
///
/// Only what was written takes memory: 4 KiB and a little for each 4 KiB of addresses, twice over once it is
/// durable, and a copy of each write until it is. Requests are done in [`QueuePair::reap`], in the order in
/// which they were submitted, and all complete at once. A clone is the same device, not a copy of it.
#[derive(Clone)]
pub struct MemoryDevice {
    geometry: Geometry,
    medium: Arc<Mutex<Medium>>,
}

impl MemoryDevice {
    /// A device of zeros.
    ///
    /// # Panics
    /// If the block is not a power of two from 512 to 65,536 bytes, or the capacity not a multiple of it.
    pub fn new(capacity_bytes: u64, block_bytes: u32) -> MemoryDevice {
        let sound = block_bytes.is_power_of_two() && (512..=65_536).contains(&block_bytes);
        assert!(sound, "a block of {block_bytes} bytes: not a power of two from 512 to 65536");
        assert!(
            capacity_bytes.is_multiple_of(u64::from(block_bytes)),
            "a capacity of {capacity_bytes} bytes: not a multiple of the block, {block_bytes} bytes"
        );
        let geometry = Geometry { capacity_bytes, block_bytes, writable: true };
        MemoryDevice { geometry, medium: Arc::default() }
    }

    /// The writes that a power cut may lose, in the order in which they were done. Writes that later durable
    /// writes cover are not among them. A trim is one write of zeros for each stretch of it in which anything
    /// was written, in whole pages of 4096 bytes.
    pub fn unsynced(&self) -> Vec<UnsyncedWrite> {
        self.medium().unsynced()
    }

    /// The device after a power cut, as one of its own: all that is durable, and of the unsynced writes what
    /// `choose` says of each, asked in the order in which they were done. Of a sector that several of them
    /// wrote, the last to survive is left, so that it may hold any of its versions. This device goes on as if
    /// nothing had happened.
    pub fn crash(&self, choose: impl FnMut(&UnsyncedWrite) -> Survival) -> MemoryDevice {
        let medium = self.medium().crash(choose);
        MemoryDevice { geometry: self.geometry, medium: Arc::new(Mutex::new(medium)) }
    }

    /// The device after a power cut that loses every unsynced write.
    pub fn crash_to_durable(&self) -> MemoryDevice {
        self.crash(|_| Survival::Absent)
    }

    /// The device after one of the power cuts that are possible: each unsynced write survives whole, in parts
    /// or not at all. The same seed after the same writes gives the same contents.
    pub fn crash_at_random(&self, tearing: Tearing, seed: u64) -> MemoryDevice {
        let mut random = fastrand::Rng::with_seed(seed);
        self.crash(|write| Survival::random(write, tearing, &mut random))
    }

    /// The device after every power cut that is possible, for small cases; [`Crashes`] says how many those
    /// are.
    pub fn every_crash(&self, tearing: Tearing) -> Crashes {
        let medium = self.medium().clone();
        let (writes, durable) = (medium.unsynced(), medium.durable.clone());
        let snapshot = MemoryDevice { geometry: self.geometry, medium: Arc::new(Mutex::new(medium)) };
        Crashes::new(snapshot, &writes, &durable, tearing)
    }

    /// What reads see of `len` bytes from `offset` on.
    ///
    /// # Panics
    /// If the two are not multiples of 512 bytes, or reach beyond the device.
    pub fn contents(&self, offset: u64, len: usize) -> Vec<u8> {
        self.check_range(offset, len);
        let mut bytes = vec![0; len];
        self.medium().volatile.read(offset, &mut bytes);
        bytes
    }

    /// As [`MemoryDevice::contents`], after a power cut that loses every unsynced write.
    ///
    /// # Panics
    /// As there.
    pub fn durable_contents(&self, offset: u64, len: usize) -> Vec<u8> {
        self.check_range(offset, len);
        let mut bytes = vec![0; len];
        self.medium().durable.read(offset, &mut bytes);
        bytes
    }

    /// Flips bit `bit` (0 to 7) of the byte at `offset`, at rest: in every version of it that a read or a
    /// power cut may bring to light.
    ///
    /// # Panics
    /// If there is no such bit.
    pub fn flip_bit(&self, offset: u64, bit: u32) {
        assert!(bit < 8, "bit {bit} of a byte");
        assert!(offset < self.geometry.capacity_bytes, "byte {offset} lies beyond the device");
        self.medium().tamper(offset, |byte| *byte ^= 1 << bit);
    }

    /// Memory that the contents take, in bytes, what is unsynced apart.
    pub fn memory_bytes(&self) -> u64 {
        let medium = self.medium();
        medium.volatile.bytes() + medium.durable.bytes()
    }

    fn check_range(&self, offset: u64, len: usize) {
        assert!(
            offset.is_multiple_of(512) && len.is_multiple_of(512),
            "{len} bytes at {offset}: not sectors"
        );
        let end = offset.checked_add(len as u64);
        assert!(
            end.is_some_and(|end| end <= self.geometry.capacity_bytes),
            "{len} bytes at {offset}: too far"
        );
    }

    fn medium(&self) -> MutexGuard<'_, Medium> {
        self.medium.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for MemoryDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryDevice").field("geometry", &self.geometry).finish_non_exhaustive()
    }
}

impl Device for MemoryDevice {
    fn geometry(&self) -> Geometry {
        self.geometry
    }

    fn clock(&self) -> Clock {
        Clock::Wall
    }

    fn queue_pair(&self, shape: QueueShape) -> Result<Box<dyn QueuePair>, DeviceError> {
        check_shape(&shape, &self.geometry)?;
        Ok(Box::new(MemoryPair {
            device: self.clone(),
            shape,
            arena: Arena::new(shape)?,
            in_flight: InFlight::new(shape),
            queued: VecDeque::new(),
        }))
    }
}

struct MemoryPair {
    device: MemoryDevice,
    shape: QueueShape,
    arena: Arena,
    in_flight: InFlight,
    /// Submitted and not done, with what it covers if it is a flush.
    queued: VecDeque<(Request, Horizon)>,
}

/// Does a request: bytes moved or trimmed.
fn perform(medium: &mut Medium, request: &Request, covers: Horizon, buffer: &mut [u8]) -> i32 {
    let Request { op, durable, len, offset, .. } = *request;
    match op {
        Op::Read => medium.volatile.read(offset, &mut buffer[..len as usize]),
        Op::Write => medium.write(offset, &buffer[..len as usize], durable),
        Op::Flush => {
            medium.flush(covers);
            return 0;
        }
        Op::Trim => medium.trim(offset, len),
    }
    i32::try_from(len).unwrap_or(i32::MAX)
}

impl QueuePair for MemoryPair {
    fn geometry(&self) -> Geometry {
        self.device.geometry
    }

    fn shape(&self) -> QueueShape {
        self.shape
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.in_flight.assert_idle(slot);
        self.arena.buffer(slot)
    }

    fn submit(&mut self, request: Request) -> Result<(), RequestError> {
        self.in_flight.admit(&request, &self.device.geometry, &self.shape)?;
        let covers = self.device.medium().horizon();
        self.queued.push_back((request, covers));
        Ok(())
    }

    fn reap(
        &mut self,
        _: u32,
        deadline: Nanos,
        completions: &mut Vec<Completion>,
    ) -> Result<(), DeviceError> {
        if self.queued.is_empty() {
            clock::sleep_until(deadline);
            return Ok(());
        }
        let mut medium = self.device.medium();
        for (request, covers) in self.queued.drain(..) {
            let result = perform(&mut medium, &request, covers, self.arena.buffer(request.slot));
            self.in_flight.complete(request.slot);
            completions.push(Completion { slot: request.slot, result, at: clock::now() });
        }
        Ok(())
    }

    fn now(&self) -> Nanos {
        clock::now()
    }

    fn in_flight(&self) -> u32 {
        self.in_flight.count()
    }
}
