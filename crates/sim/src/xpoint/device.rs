//! The 3D XPoint drive in virtual time.

use leadline_device::{Clock, Device, DeviceError, Geometry, QueuePair, QueueShape};

use super::medium::Medium;
use super::spec::XpointSpec;
use crate::host::Front;
use crate::{DeviceModel, VirtualDevice};

/// The device. Its state passes from one queue pair to the next: there is one at a time.
pub struct Xpoint(VirtualDevice<Front<Medium>>);

impl Xpoint {
    /// A device at time zero, idle.
    pub fn new(spec: &XpointSpec) -> Self {
        Xpoint(VirtualDevice::new(front(spec)))
    }
}

impl XpointSpec {
    /// Its timing, idle.
    pub fn model(&self) -> Box<dyn DeviceModel> {
        Box::new(front(self))
    }
}

fn front(spec: &XpointSpec) -> Front<Medium> {
    Front::new(Medium::new(spec), &spec.link, spec.cap.as_ref())
}

impl Device for Xpoint {
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
