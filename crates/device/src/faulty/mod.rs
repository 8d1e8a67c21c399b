//! Faults on demand: what a device looks like that fails, lies, damages data or loses its power, for tests.
//!
//! A [`Fault`] says what goes wrong and which requests it hits; [`Faulty`] puts a list of them over any
//! device. What each does to the caller and to the medium is in docs/faults.md. Every random choice
//! follows from the fault's seed and the number of the request, so that a test which failed once fails again.

mod delay_queue;
mod fault;
mod history;
mod outcome;
mod pair;
mod rule;
mod state;

use std::sync::Arc;

pub use self::fault::Fault;
use self::pair::FaultyPair;
pub use self::rule::FaultRule;
use self::state::FaultState;
use crate::{Clock, Device, DeviceError, Geometry, QueuePair, QueueShape};

/// A device with faults. Works in wall and in virtual time, over any number of queue pairs and threads.
///
/// ```
/// use leadline_device::{Fault, Faulty, MemoryDevice, Op};
///
/// let device = MemoryDevice::new(1 << 20, 512);
/// // The eighth write fails, and one read in a hundred comes back with a bit flipped.
/// let device = Faulty::new(
///     device,
///     [Fault::eio().on(Op::Write).nth(7), Fault::bit_flip().on(Op::Read).chance(0.01).seed(42)],
/// );
/// ```
#[derive(Debug)]
pub struct Faulty<D> {
    device: D,
    shared: Arc<FaultState>,
}

impl<D: Device> Faulty<D> {
    /// The device, with these faults.
    pub fn new(device: D, faults: impl Into<Vec<Fault>>) -> Self {
        Faulty { device, shared: Arc::new(FaultState::new(&faults.into())) }
    }

    /// The device below, for instance to ask a [`crate::MemoryDevice`] what a power cut leaves.
    pub fn device(&self) -> &D {
        &self.device
    }

    /// Requests submitted so far, over all queue pairs.
    pub fn submitted(&self) -> u64 {
        self.shared.submitted()
    }

    /// How many requests each fault has hit so far, in the order in which the faults were given.
    pub fn strikes(&self) -> Vec<u64> {
        self.shared.strikes()
    }
}

impl<D: Device> Device for Faulty<D> {
    fn geometry(&self) -> Geometry {
        self.device.geometry()
    }

    fn clock(&self) -> Clock {
        self.device.clock()
    }

    fn queue_pair(&self, shape: QueueShape) -> Result<Box<dyn QueuePair>, DeviceError> {
        Ok(Box::new(FaultyPair::new(self.device.queue_pair(shape)?, Arc::clone(&self.shared))))
    }

    fn shared_queue_pair(&self, shape: QueueShape) -> Result<Box<dyn QueuePair>, DeviceError> {
        Ok(Box::new(FaultyPair::new(self.device.shared_queue_pair(shape)?, Arc::clone(&self.shared))))
    }

    fn warnings(&self) -> Vec<String> {
        self.device.warnings()
    }
}
