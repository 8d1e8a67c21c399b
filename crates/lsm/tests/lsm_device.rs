//! Devices whose costs are known exactly, for tests of LSM trees.

use std::path::Path;

use leadline_lsm::{Data, Demands, DeviceCosts, Machine, Mix, ProcessorCosts};
use leadline_profile::DeviceProfile;
use serde_json::json;

/// A device on which a request of a page takes so many microseconds alone, and every further page a
/// hundredth of that, served by `servers`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Drive {
    pub(crate) read_us: f64,
    pub(crate) write_us: f64,
    pub(crate) servers: f64,
}

pub(crate) const FLASH: Drive = Drive { read_us: 80.0, write_us: 30.0, servers: 16.0 };

impl Drive {
    /// What would be measured of it: random requests of 4K to 2M, 1 to 64 at a time.
    pub(crate) fn costs(&self) -> DeviceCosts {
        let mut points = Vec::new();
        for (op, us) in [("read", self.read_us), ("write", self.write_us)] {
            for block_bytes in [4096_u32, 16384, 65536, 524_288, 2_097_152] {
                for k in (0..7).map(|doubling| 1_u32 << doubling) {
                    let pages = f64::from(block_bytes) / 4096.0;
                    let alone = us * (1.0 + (pages - 1.0) / 100.0);
                    let iops = f64::from(k).min(self.servers) / alone * 1e6;
                    let mean = f64::from(k) / iops * 1e6;
                    points.push(json!({
                        "op": op, "pattern": "random", "block_bytes": block_bytes, "concurrency": k,
                        "iops": iops, "iops_ci": [0.99 * iops, 1.01 * iops],
                        "bandwidth_bytes": iops * f64::from(block_bytes),
                        "latency_us": {"mean": mean, "p99": 2.0 * mean},
                    }));
                }
            }
        }
        let document = json!({
            "schema": leadline_profile::SCHEMA, "device": {}, "method": {}, "validity": {},
            "points": points, "parameters": [],
        });
        let profile = DeviceProfile::parse(&document.to_string(), Path::new("drive.json")).unwrap();
        DeviceCosts::from_profile(&profile).unwrap()
    }
}

pub(crate) fn machine<'a>(device: &'a DeviceCosts, processor: &'a ProcessorCosts) -> Machine<'a> {
    Machine { device, processor, cores: 4 }
}

/// Pairs of 1000 bytes.
pub(crate) fn data(bytes: f64) -> Data {
    Data::of_bytes(bytes, 16, 984)
}

pub(crate) fn demands(mix: &str, clients: u32) -> Demands {
    Demands { mix: mix.parse::<Mix>().unwrap(), clients, scan_pairs: 100.0 }
}
