//! Whether two profiles are of one device.

use crate::{DeviceFacts, DeviceKind};

impl DeviceFacts {
    /// Whether numbers of both may be in one profile. A device may be reached by several paths, a
    /// simulated one by one only; a file and the directory it is in are the same way to it, the raw device
    /// is another.
    pub fn is_same_device(&self, other: &DeviceFacts) -> bool {
        let known = |a: Option<u64>, b: Option<u64>| a.is_none() || b.is_none() || a == b;
        self.way() == other.way()
            && self.name == other.name
            && self.model == other.model
            && known(self.capacity_bytes, other.capacity_bytes)
    }

    /// The way by which requests reach the device.
    fn way(&self) -> String {
        match &self.kind {
            DeviceKind::File | DeviceKind::Directory => "file system".to_owned(),
            DeviceKind::Simulated => self.target.clone(),
            kind => kind.to_string(),
        }
    }
}
