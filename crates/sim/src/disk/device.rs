//! The hard disk in virtual time.

use leadline_device::{Clock, Device, DeviceError, Geometry, QueuePair, QueueShape};

use super::drive::Mechanics;
use super::spec::DiskSpec;
use crate::host::Front;
use crate::{DeviceModel, VirtualDevice};

/// The device. Its state passes from one queue pair to the next: there is one at a time.
pub struct Disk(VirtualDevice<Front<Mechanics>>);

impl Disk {
    /// A device at time zero, idle.
    pub fn new(spec: &DiskSpec) -> Self {
        Disk(VirtualDevice::new(front(spec)))
    }
}

impl DiskSpec {
    /// Its timing, idle.
    pub fn model(&self) -> Box<dyn DeviceModel> {
        Box::new(front(self))
    }
}

fn front(spec: &DiskSpec) -> Front<Mechanics> {
    Front::new(Mechanics::new(spec), &spec.link, spec.cap.as_ref())
}

impl Device for Disk {
    fn geometry(&self) -> Geometry {
        self.0.geometry()
    }

    fn clock(&self) -> Clock {
        self.0.clock()
    }

    fn queue_pair(&self, shape: QueueShape) -> Result<Box<dyn QueuePair>, DeviceError> {
        self.0.queue_pair(shape)
    }
}
