//! The device that is emulated: by name, a model and its capacity.

use leadline_device::Geometry;
use leadline_sim::DeviceModel;

use crate::EmulateError;

/// Bytes of a device whose capacity was not published.
const UNKNOWN_CAPACITY: u64 = 256 << 30;

/// A modelled device.
pub struct EmulatedDevice {
    /// As it was named.
    pub name: String,
    pub(crate) model: Box<dyn DeviceModel>,
    pub(crate) geometry: Geometry,
}

impl EmulatedDevice {
    /// A device of the catalogue or of a file: `sim:NAME`, `sim:FILE.toml`, or `device:NAME` by its published
    /// numbers, which has `capacity_bytes`, or 256 GiB.
    ///
    /// # Errors
    /// [`EmulateError`] names the device and what is wrong with it.
    pub fn open(name: &str, capacity_bytes: Option<u64>) -> Result<EmulatedDevice, EmulateError> {
        let model = if let Some(simulated) = name.strip_prefix("sim:") {
            leadline_sim::open_model(simulated)?.0
        } else if let Some(device) = name.strip_prefix("device:") {
            let capacity = capacity_bytes.unwrap_or(UNKNOWN_CAPACITY);
            let published = leadline_sim::published_model(device, Some(capacity));
            published.map_err(|source| EmulateError::Published { name: name.to_owned(), source })?.0
        } else {
            return Err(EmulateError::NotModelled { name: name.to_owned() });
        };
        Ok(EmulatedDevice { name: name.to_owned(), geometry: model.geometry(), model })
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
