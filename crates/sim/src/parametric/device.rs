//! The parametric device in virtual time.

use leadline_device::{Clock, Device, DeviceError, Geometry, QueuePair, QueueShape};

use super::model::ParametricModel;
use super::spec::ParametricSpec;
use crate::VirtualDevice;

/// The device. Its state passes from one queue pair to the next: there is one at a time.
pub struct Parametric {
    spec: ParametricSpec,
    device: VirtualDevice<ParametricModel>,
}

impl Parametric {
    /// A device at time zero, idle.
    pub fn new(spec: ParametricSpec) -> Self {
        let device = VirtualDevice::new(ParametricModel::new(&spec));
        Parametric { spec, device }
    }

    /// The description it was made from.
    pub fn spec(&self) -> &ParametricSpec {
        &self.spec
    }
}

impl Device for Parametric {
    fn geometry(&self) -> Geometry {
        self.device.geometry()
    }

    fn clock(&self) -> Clock {
        self.device.clock()
    }

    fn queue_pair(&self, shape: QueueShape) -> Result<Box<dyn QueuePair>, DeviceError> {
        self.device.queue_pair(shape)
    }
}
