//! What rules need to know beyond the profile.

use crate::DriveName;

/// What is known of the machine and the data; each `None` where the user did not say.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Inputs {
    /// Version of the system, one of [`System::versions`](crate::System::versions) or as its program prints
    /// it; `None` for what holds for all, and of what differs, the newest.
    pub version: Option<String>,
    /// What the versions begin with that can be meant where none is given, as
    /// [`System::product`](crate::System::product) has it; empty for all.
    pub product: &'static str,
    /// Processors the system may use; `None` for the processors of the profiled machine.
    pub cores: Option<u32>,
    /// Memory the system may use, bytes.
    pub memory_bytes: Option<u64>,
    /// Data it holds on the device, bytes: with the memory, how much of it is cached.
    pub data_bytes: Option<u64>,
    /// The 99th percentile of read latency that writing in the background must not exceed, seconds.
    pub read_p99_seconds: Option<f64>,
    /// What the drive is called where the configuration is for; `None` for the name it was measured under.
    pub drive: Option<DriveName>,
    /// Number of the OSD of Ceph that has the drive.
    pub osd: Option<u32>,
}

impl Inputs {
    /// Share of the data that memory holds, 0 to 1; 0 where either is not known.
    pub fn cached_share(&self) -> f64 {
        match (self.memory_bytes, self.data_bytes) {
            (Some(memory), Some(data)) if data > 0 => (memory as f64 / data as f64).min(1.0),
            _ => 0.0,
        }
    }
}
