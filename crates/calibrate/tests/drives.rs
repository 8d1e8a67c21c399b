//! Drives with known parameters, and profiles of them.

use std::sync::atomic::AtomicBool;

use leadline_calibrate::{CalibrateError, Calibration, Fitted, Parameter};
use leadline_device::{Clock, Device as _, QueueShape};
use leadline_measure::load::{AddressStream, Lane, Limits, Recorder, Region, Spread, Workload, closed_loop};
use leadline_profile::{DeviceKind, DeviceProfile, Latency, OpKind, Pattern, Point, SCHEMA};
use leadline_sim::DeviceSpec;

/// Bytes of the drives here.
pub const CAPACITY: u64 = 4 << 30;

/// Of a drive with 16 dies: 4K reads are limited by them, large ones by the link, writes by their programs.
pub const SSD: &str = "
kind = \"flash\"
capacity = \"4G\"
over_provisioning = 0.1
state = \"filled\"
[geometry]
channels = 8
dies_per_channel = 2
planes = 2
page_bytes = \"16K\"
pages_per_block = 64
[timing]
read_us = 80
program_us = 1000
erase_us = 3000
bus_mb_per_s = 800
controller_us = 10
suspend_us = 20
[buffer]
write = \"1M\"
hit_us = 8
[link]
mb_per_s = 1500
request_us = 2
";

/// Of a disk behind a hypervisor: one thread of software does it all, and copies.
pub const VIRTUAL: &str = "
kind = \"flash\"
capacity = \"4G\"
over_provisioning = 0.1
state = \"filled\"
[geometry]
channels = 8
dies_per_channel = 4
planes = 4
page_bytes = \"16K\"
pages_per_block = 64
[timing]
read_us = 30
program_us = 100
erase_us = 3000
bus_mb_per_s = 8000
suspend_us = 20
[buffer]
write = \"8M\"
hit_us = 30
[link]
request_us = 6
per_kib_us = 0.6
";

pub fn spec(text: &str) -> DeviceSpec {
    DeviceSpec::parse(text, "test").unwrap()
}

/// Requests per second, their median and mean latency in microseconds, of one kind of request at each
/// concurrency.
pub fn measured(text: &str, workload: Workload, ks: &[u32], ops: u64) -> Vec<(f64, f64, f64)> {
    let depth = *ks.iter().max().unwrap();
    let queue = spec(text).device().queue_pair(QueueShape::new(depth, workload.block_bytes)).unwrap();
    let mut lane = Lane::new(queue, Clock::Virtual, 7);
    let mut recorder = Recorder::new();
    let mut stream = AddressStream::new(workload, Region { start: 0, len: CAPACITY / 4 }, 7);
    let mut loop_of = |k: u32| {
        let limits = Limits { min_ops: ops.max(4 * u64::from(k)), ..Limits::of(1) };
        let cancel = AtomicBool::new(false);
        let window = closed_loop(&mut lane, &mut stream, k, &limits, &mut recorder, &cancel).unwrap();
        let us = |ns: f64| ns / 1e3;
        let iops = window.ops as f64 * 1e9 / window.length as f64;
        (iops, us(recorder.quantile(0.5) as f64), us(recorder.mean()))
    };
    // What was in the buffer at first is not how fast it writes.
    loop_of(depth);
    ks.iter().map(|&k| loop_of(k)).collect()
}

pub fn random(read_share: f64, block_bytes: u32) -> Workload {
    Workload { read_share, block_bytes, random_fraction: 1.0, spread: Spread::Uniform, durable: false }
}

/// A profile of a drive: random requests of these sizes at these concurrencies.
pub fn profile(text: &str, ops: &[OpKind], sizes: &[u32], ks: &[u32]) -> DeviceProfile {
    let mut profile = DeviceProfile { schema: SCHEMA.to_owned(), ..DeviceProfile::default() };
    profile.device.name = "known".to_owned();
    profile.device.kind = DeviceKind::Simulated;
    profile.device.capacity_bytes = Some(CAPACITY);
    profile.method.footprint_bytes = CAPACITY / 4;
    profile.validity.complete = true;
    for &op in ops {
        let read_share = if op == OpKind::Read { 1.0 } else { 0.0 };
        for &size in sizes {
            let found = measured(text, random(read_share, size), ks, 1000);
            for (&k, (iops, p50, mean)) in ks.iter().zip(found) {
                profile.points.push(point(op, size, k, iops, p50, mean));
            }
        }
    }
    profile
}

pub fn point(op: OpKind, block_bytes: u32, concurrency: u32, iops: f64, p50: f64, mean: f64) -> Point {
    Point {
        op,
        pattern: Pattern::Random,
        block_bytes,
        concurrency,
        durable: false,
        iops,
        iops_ci: Some([0.98 * iops, 1.02 * iops]),
        bandwidth_bytes: iops * f64::from(block_bytes),
        latency_us: Latency { p50, mean, ..Latency::default() },
        cpu_bound: false,
        cpu_us_per_op: None,
        slices: Vec::new(),
        stretches: Vec::new(),
        histogram: Vec::new(),
        extra: Default::default(),
    }
}

pub fn calibrate(profile: &DeviceProfile) -> Result<Calibration, CalibrateError> {
    Calibration::of(profile, &AtomicBool::new(false), &mut |_| ())
}

pub fn fitted(calibration: &Calibration, parameter: Parameter) -> &Fitted {
    calibration.parameters.iter().find(|one| one.parameter == parameter).unwrap()
}
