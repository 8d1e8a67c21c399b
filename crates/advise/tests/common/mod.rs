//! Profiles of drives whose numbers are known exactly.

use std::path::Path;

use leadline_profile::DeviceProfile;
use serde_json::{Value, json};

/// A drive on which a request of up to 8K takes so many microseconds alone, `servers` of them at a time, and
/// all together move no more than a bandwidth.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Known {
    pub(crate) read_us: f64,
    pub(crate) write_us: f64,
    pub(crate) servers: u32,
    /// Bytes per second that it reads, and that it writes, at most.
    pub(crate) bandwidth: f64,
    /// Bytes per second that it writes for long.
    pub(crate) sustained: f64,
    /// Microseconds of an fdatasync.
    pub(crate) flush_us: f64,
    pub(crate) rotational: bool,
}

/// A fast solid-state drive.
pub(crate) const FAST: Known = Known {
    read_us: 80.0,
    write_us: 20.0,
    servers: 40,
    bandwidth: 5e9,
    sustained: 1e9,
    flush_us: 100.0,
    rotational: false,
};

/// A hard disk.
pub(crate) const DISK: Known = Known {
    read_us: 8000.0,
    write_us: 8000.0,
    servers: 1,
    bandwidth: 2e8,
    sustained: 1e8,
    flush_us: 16_000.0,
    rotational: true,
};

const KS: [u32; 11] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

impl Known {
    /// What `leadline profile` and the experiments `interleaving`, `sustained`, `fsync` and `sync-methods`
    /// would find.
    pub(crate) fn profile(&self) -> DeviceProfile {
        parsed(&self.document())
    }

    /// The same as JSON, to be changed before it is [parsed].
    pub(crate) fn document(&self) -> Value {
        json!({
            "schema": leadline_profile::SCHEMA,
            "device": {"name": "known", "cpus": 8, "rotational": self.rotational, "capacity_bytes": 1u64 << 40},
            "method": {}, "validity": {},
            "points": self.points(),
            "parameters": self.parameters(),
            "experiments": {
                "interleaving": {"points": self.interleaving()},
                "sustained": {"loads": [
                    self.load("sequential", 1 << 20, self.sustained),
                    self.load("random", 4096, self.sustained / 4.0),
                ]},
                "fsync": {"log": "file", "append_bytes": 2300, "sent_bytes": 2300, "points": [
                    self.commits(1), self.commits(16),
                ]},
                "sync-methods": {"block_bytes": 8192, "points": [
                    self.synced("fdatasync", 1.0), self.synced("o-dsync", 1.02), self.synced("fsync", 0.6),
                ]},
            },
        })
    }

    /// Requests per second.
    pub(crate) fn iops(&self, op: &str, pattern: &str, block_bytes: u32, k: u32) -> f64 {
        let us = if op == "read" { self.read_us } else { self.write_us };
        // In sequence nothing is sought.
        let us = if pattern == "sequential" { us.min(50.0) } else { us };
        let servers = if pattern == "sequential" { self.servers.max(8) } else { self.servers };
        let alone = us + f64::from(block_bytes.saturating_sub(8192)) / self.bandwidth * 1e6;
        (f64::from(k.min(servers)) / alone * 1e6).min(self.bandwidth / f64::from(block_bytes))
    }

    fn points(&self) -> Vec<Value> {
        let mut points = Vec::new();
        for (op, pattern, block_bytes) in workloads(&[4096, 8192]) {
            for k in KS {
                let iops = self.iops(op, pattern, block_bytes, k);
                let mean = f64::from(k) / iops * 1e6;
                points.push(json!({
                    "op": op, "pattern": pattern, "block_bytes": block_bytes, "concurrency": k,
                    "iops": iops, "iops_ci": [0.99 * iops, 1.01 * iops],
                    "bandwidth_bytes": iops * f64::from(block_bytes),
                    "latency_us": {"mean": mean, "p50": mean, "p99": 2.0 * mean},
                }));
            }
        }
        points
    }

    fn parameters(&self) -> Vec<Value> {
        let mut entries = Vec::new();
        for pattern in ["random", "sequential"] {
            for block_bytes in [4096, 8192] {
                let most = |op| self.iops(op, pattern, block_bytes, 1024);
                let k_90 =
                    |op| (1..).find(|&k| self.iops(op, pattern, block_bytes, k) >= 0.9 * most(op)).unwrap();
                let (reads, writes): (u32, u32) = (k_90("read"), k_90("write"));
                entries.push(json!({
                    "pattern": pattern, "block_bytes": block_bytes,
                    "alpha": null, "alpha_ci": null, "alpha_1": null, "alpha_1_ci": null, "alpha_durable": null,
                    "alpha_durable_ci": null, "alpha_1_durable": null, "alpha_1_durable_ci": null,
                    "k_r": reads + 1, "k_r_ci": [reads, reads + 2], "k_r_little": null, "k_r_knee": null,
                    "k_r_90": reads, "k_r_90_ci": [reads.max(2) - 1, reads + 1],
                    "k_w": writes + 1, "k_w_ci": [writes, writes + 2], "k_w_little": null, "k_w_knee": null,
                    "k_w_90": writes, "k_w_90_ci": [writes.max(2) - 1, writes + 1],
                    "max_read_iops": most("read"), "max_read_iops_ci": [0.98 * most("read"), 1.02 * most("read")],
                    "max_write_iops": most("write"),
                    "max_write_iops_ci": [0.98 * most("write"), 1.02 * most("write")],
                    "capped": "no", "censored": {"read": false, "write": false},
                }));
            }
        }
        entries
    }

    fn interleaving(&self) -> Vec<Value> {
        let mut points = Vec::new();
        for (op, pattern, block_bytes) in workloads(&[4096, 8192, 16384, 32768, 65536, 131_072, 262_144]) {
            for k in KS.into_iter().filter(|k| *k <= 256) {
                let bandwidth = self.iops(op, pattern, block_bytes, k) * f64::from(block_bytes);
                points.push(json!({
                    "op": op, "pattern": pattern, "block_bytes": block_bytes, "concurrency": k,
                    "bandwidth_bytes": bandwidth, "bandwidth_ci": [0.97 * bandwidth, 1.03 * bandwidth],
                }));
            }
        }
        points
    }

    fn load(&self, pattern: &str, block_bytes: u32, sustained: f64) -> Value {
        json!({
            "pattern": pattern, "block_bytes": block_bytes, "concurrency": 32, "rest_seconds": 1.0,
            "written_bytes": 1u64 << 35, "seconds": 30.0, "burst_bytes_per_second": 2.0 * sustained,
            "sustained_bytes_per_second": sustained, "sustained_ci": [0.95 * sustained, 1.05 * sustained],
            "ratio": 0.5, "settled": true, "cliffs": [], "samples": [],
        })
    }

    fn commits(&self, writers: u32) -> Value {
        let rate = 1e6 / self.flush_us * f64::from(writers.min(4));
        json!({
            "writers": writers, "commits": 1000, "seconds": 1000.0 / rate, "commits_per_second": rate,
            "commits_ci": [0.95 * rate, 1.05 * rate],
            "latency_us": {"mean": self.flush_us, "p50": self.flush_us, "p90": 1.5 * self.flush_us,
                "p99": 2.0 * self.flush_us},
        })
    }

    /// By a method so many times as fast as fdatasync.
    fn synced(&self, method: &str, times: f64) -> Value {
        let iops = times * 1e6 / self.flush_us;
        json!({
            "method": method, "file": "written", "ops": 1000, "seconds": 1000.0 / iops, "iops": iops,
            "iops_ci": [0.99 * iops, 1.01 * iops], "latency_us": {"mean": 1e6 / iops},
        })
    }
}

/// The profile in `document`.
pub(crate) fn parsed(document: &Value) -> DeviceProfile {
    DeviceProfile::parse(&document.to_string(), Path::new("known.json")).unwrap()
}

fn workloads(sizes: &[u32]) -> impl Iterator<Item = (&'static str, &'static str, u32)> {
    let kinds = [("read", "random"), ("write", "random"), ("read", "sequential"), ("write", "sequential")];
    kinds.into_iter().flat_map(move |(op, pattern)| sizes.iter().map(move |size| (op, pattern, *size)))
}
