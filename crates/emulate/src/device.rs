//! The device that is emulated: a model, what it is called, and which files lie where on it.

use leadline_device::Geometry;
use leadline_sim::DeviceModel;
use leadline_tiers::{Opened, Placement};

use crate::EmulateError;

/// Bytes of a device whose capacity was not published.
const UNKNOWN_CAPACITY: u64 = 256 << 30;

/// A modelled device.
pub struct EmulatedDevice {
    /// As it was named.
    pub name: String,
    /// What was assumed to make it, in words for the user.
    pub notes: Vec<String>,
    pub(crate) model: Box<dyn DeviceModel>,
    pub(crate) geometry: Geometry,
    pub(crate) placement: Option<Placement>,
}

impl EmulatedDevice {
    /// A device by its name: `sim:NAME`, `sim:FILE.toml`, of one device or made of two, `device:NAME` by its
    /// published numbers, or `FILE.json`, a measured profile. Where no capacity is known it has
    /// `capacity_bytes`, or 256 GiB.
    ///
    /// # Errors
    /// [`EmulateError::Device`] names the device and what is wrong with it.
    pub fn open(name: &str, capacity_bytes: Option<u64>) -> Result<EmulatedDevice, EmulateError> {
        let opened = leadline_tiers::open(name, Some(capacity_bytes.unwrap_or(UNKNOWN_CAPACITY)))?;
        let Opened { model, placement, notes } = opened;
        Ok(EmulatedDevice { placement, notes, ..EmulatedDevice::from_model(name, model) })
    }

    /// Any model, called `name`.
    pub fn from_model(name: &str, model: Box<dyn DeviceModel>) -> EmulatedDevice {
        let geometry = model.geometry();
        EmulatedDevice { name: name.to_owned(), notes: Vec::new(), model, geometry, placement: None }
    }

    /// The same device, whose files are laid out so: some of them behind the border.
    pub fn placed(self, placement: Placement) -> EmulatedDevice {
        EmulatedDevice { placement: Some(placement), ..self }
    }

    /// Bytes that it holds.
    pub fn capacity_bytes(&self) -> u64 {
        self.geometry.capacity_bytes
    }
}

impl std::fmt::Debug for EmulatedDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EmulatedDevice").field("name", &self.name).field("geometry", &self.geometry).finish()
    }
}
