//! What is known of the measured device.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::point::OpKind;
use crate::terms::{DeviceKind, WriteCache};

/// What was measured: the device and the path to it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DeviceFacts {
    /// As the user named it: a directory, a file, a block device, `sim:NAME` or `device:NAME`.
    pub target: String,
    /// What kind of target that is.
    pub kind: DeviceKind,
    /// Short name for people and file names: `vda`, `nvme0n1`, `sim-ssd`.
    pub name: String,
    /// Model string of the drive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Firmware revision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub firmware: Option<String>,
    /// Serial number; only where the user asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub serial: Option<String>,
    /// How the drive is attached, where sysfs tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<Link>,
    /// Size of the whole device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity_bytes: Option<u64>,
    /// Smallest unit the device addresses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logical_block_bytes: Option<u32>,
    /// Smallest unit it writes without read-modify-write, as it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub physical_block_bytes: Option<u32>,
    /// Whether the kernel takes it for a spinning disk; see [`DeviceFacts::spins`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotational: Option<bool>,
    /// I/O scheduler in force.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheduler: Option<String>,
    /// Requests the block layer queues before it blocks (`queue/nr_requests`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_requests: Option<u32>,
    /// Whether the drive caches writes, as the kernel has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_cache: Option<WriteCache>,
    /// Its zones, where it is a zoned device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zones: Option<Zones>,
    /// File system type and mount options, unless the raw device was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filesystem: Option<String>,
    /// Kernel release.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Processors that this process may use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpus: Option<u32>,
    /// Fields of later minor versions.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A load that ran for a second before it counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Held {
    /// Of random requests.
    pub op: OpKind,
    /// Bytes per request.
    pub block_bytes: u32,
    /// Requests in flight.
    pub concurrency: u32,
    /// Requests per second.
    pub iops: f64,
    /// The most that slices of the same requests came to, with as many in flight or fewer.
    pub in_slices_iops: f64,
}

/// Zones of a zoned device, as sysfs has them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Zones {
    /// `host-managed`: zones are written in sequence only; `host-aware`: in any order, at a cost.
    pub model: String,
    /// Bytes of a zone (`queue/chunk_sectors`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone_bytes: Option<u64>,
    /// Zones that may be written to at once (`queue/max_open_zones`); absent where there is no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_open_zones: Option<u32>,
}

/// The way to the drive.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Link {
    /// In words: `PCIe 8.0 GT/s x4`, `SATA 6.0 Gbit/s`, `virtio`.
    pub name: String,
    /// The most the link can carry after line coding, bytes per second.
    pub bandwidth_bytes: Option<f64>,
}
