//! A simulated device of any kind.

use leadline_device::{Clock, Device, DeviceError, Geometry, QueuePair, QueueShape};

use crate::disk::Mechanics;
use crate::host::Front;
use crate::xpoint::Medium;
use crate::{FlashModel, Parametric, VirtualDevice};

/// A device in virtual time, of any kind.
pub struct Simulated(pub(crate) Kind);

/// An enum and not a boxed model, so that the queue pair of each kind is compiled for it.
pub(crate) enum Kind {
    Parametric(Parametric),
    Flash(VirtualDevice<FlashModel>),
    Xpoint(VirtualDevice<Front<Medium>>),
    Disk(VirtualDevice<Front<Mechanics>>),
}

impl Device for Simulated {
    fn geometry(&self) -> Geometry {
        match &self.0 {
            Kind::Parametric(device) => device.geometry(),
            Kind::Flash(device) => device.geometry(),
            Kind::Xpoint(device) => device.geometry(),
            Kind::Disk(device) => device.geometry(),
        }
    }

    fn clock(&self) -> Clock {
        Clock::Virtual
    }

    fn queue_pair(&self, shape: QueueShape) -> Result<Box<dyn QueuePair>, DeviceError> {
        match &self.0 {
            Kind::Parametric(device) => device.queue_pair(shape),
            Kind::Flash(device) => device.queue_pair(shape),
            Kind::Xpoint(device) => device.queue_pair(shape),
            Kind::Disk(device) => device.queue_pair(shape),
        }
    }
}
