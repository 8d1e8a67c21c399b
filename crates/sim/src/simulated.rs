//! A simulated device of any kind.

use leadline_device::{Clock, Device, DeviceError, Geometry, QueuePair, QueueShape};

use crate::{Disk, FlashModel, Parametric, VirtualDevice, Xpoint};

/// A device in virtual time. An enum and not a boxed model, so that the queue pair of each kind is compiled
/// for it.
#[non_exhaustive]
pub enum Simulated {
    /// Of [`ParametricSpec`](crate::ParametricSpec).
    Parametric(Box<Parametric>),
    /// Of [`FlashSpec`](crate::FlashSpec).
    Flash(VirtualDevice<FlashModel>),
    /// Of [`XpointSpec`](crate::XpointSpec).
    Xpoint(Xpoint),
    /// Of [`DiskSpec`](crate::DiskSpec).
    Disk(Disk),
}

impl Device for Simulated {
    fn geometry(&self) -> Geometry {
        match self {
            Simulated::Parametric(device) => device.geometry(),
            Simulated::Flash(device) => device.geometry(),
            Simulated::Xpoint(device) => device.geometry(),
            Simulated::Disk(device) => device.geometry(),
        }
    }

    fn clock(&self) -> Clock {
        Clock::Virtual
    }

    fn queue_pair(&self, shape: QueueShape) -> Result<Box<dyn QueuePair>, DeviceError> {
        match self {
            Simulated::Parametric(device) => device.queue_pair(shape),
            Simulated::Flash(device) => device.queue_pair(shape),
            Simulated::Xpoint(device) => device.queue_pair(shape),
            Simulated::Disk(device) => device.queue_pair(shape),
        }
    }
}
