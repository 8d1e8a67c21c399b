//! What a profile has to say: curves of throughput and median latency over requests in flight, each number
//! with its error.

use std::collections::BTreeMap;

use leadline_profile::{Capped, DeviceKind, DeviceProfile, DeviceState, OpKind, Pattern, Point};

use crate::CalibrateError;

/// Concurrencies of random reads of one size, fewest.
const FEWEST: usize = 3;

/// Reads that are slower than this alone, and no more than [`DISK_SPEEDUP`] times as many a second together,
/// are those of a head: no flash takes so long.
const DISK_US: f64 = 2000.0;
const DISK_SPEEDUP: f64 = 6.0;

/// Beyond this, more in flight only wait longer: requests, and bytes.
const MOST_IN_FLIGHT: u32 = 256;
const MOST_BYTES_IN_FLIGHT: u64 = 16 << 20;

/// How far any two measurements of one device are apart: no interval of one run shows less. Standard
/// deviation of the logarithm.
const LEAST_ERROR: f64 = 0.05;

/// Where a run has no interval, or measured a point too few times for one that means anything.
const UNKNOWN_ERROR: f64 = 0.2;

/// Slices of a point below which its interval means nothing.
const FEW_SLICES: usize = 3;

/// Half of a 95 % interval in standard deviations.
const NORMAL_95: f64 = 1.96;

/// What a curve is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CurveKind {
    /// Random or sequential.
    pub pattern: Pattern,
    /// Read or write.
    pub op: OpKind,
    /// Whether each write was durable on completion.
    pub durable: bool,
    /// Bytes per request.
    pub block_bytes: u32,
}

/// One measured point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Target {
    pub(crate) concurrency: u32,
    pub(crate) iops: f64,
    /// Median latency, microseconds; `None` where it was not measured.
    pub(crate) median_us: Option<f64>,
    /// Standard error of the logarithm of `iops`.
    pub(crate) error: f64,
    /// Points of one octave of concurrency count as one together: a search looks often near the knee.
    pub(crate) weight: f64,
}

/// Points that differ in concurrency only, ascending.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Curve {
    pub(crate) kind: CurveKind,
    pub(crate) targets: Vec<Target>,
}

/// A profile, as far as a calibration needs it.
#[derive(Debug, Clone)]
pub(crate) struct Measured {
    pub(crate) curves: Vec<Curve>,
    pub(crate) name: String,
    pub(crate) capacity: u64,
    /// Bytes that were touched.
    pub(crate) footprint: u64,
    /// What the way to the device carries, bytes per second, where the kernel tells.
    pub(crate) link: Option<f64>,
    /// Requests per second at which a limit set in software holds, where the profile shows one.
    pub(crate) cap_iops: Option<f64>,
    /// Whether the drive had been written for so long that writing had become as slow as it gets.
    pub(crate) steady: bool,
    /// What to keep in mind.
    pub(crate) notes: Vec<String>,
}

impl Measured {
    pub(crate) fn of(profile: &DeviceProfile) -> Result<Measured, CalibrateError> {
        if profile.device.kind == DeviceKind::Published {
            return Err(CalibrateError::Published);
        }
        if profile.points.is_empty() {
            return Err(CalibrateError::NoPoints);
        }
        let simulated = profile.device.kind == DeviceKind::Simulated;
        if !profile.method.direct && !simulated {
            return Err(CalibrateError::Buffered);
        }
        let curves = curves(&profile.points);
        let measured = Measured {
            name: profile.device.model.clone().unwrap_or_else(|| profile.device.name.clone()),
            capacity: capacity(profile),
            footprint: profile.method.footprint_bytes.max(1 << 20),
            link: profile.device.link.as_ref().and_then(|link| link.bandwidth_bytes),
            cap_iops: cap_iops(profile),
            steady: profile.validity.state == DeviceState::Steady,
            notes: notes(profile),
            curves,
        };
        measured.check()?;
        Ok(measured)
    }

    /// Random reads with a knee, and not those of a disk's head.
    fn check(&self) -> Result<(), CalibrateError> {
        let concurrencies = self.random_reads().map(|curve| curve.targets.len()).max().unwrap_or(0);
        if concurrencies < FEWEST {
            return Err(CalibrateError::TooFewReads { concurrencies, needed: FEWEST });
        }
        let Some(smallest) = self.random_reads().next() else { return Ok(()) };
        let first = smallest.targets[0];
        let alone = first.iops / f64::from(first.concurrency);
        let best = smallest.fastest();
        let speedup = best.iops / alone;
        if 1e6 / alone > DISK_US && speedup < DISK_SPEEDUP {
            return Err(CalibrateError::HardDisk {
                block_bytes: smallest.kind.block_bytes,
                latency_ms: 1e3 / alone,
                speedup,
                concurrency: best.concurrency,
            });
        }
        Ok(())
    }

    /// Random reads, by size.
    pub(crate) fn random_reads(&self) -> impl Iterator<Item = &Curve> {
        self.random(OpKind::Read)
    }

    /// Plain random requests of one kind, by size.
    pub(crate) fn random(&self, op: OpKind) -> impl Iterator<Item = &Curve> {
        self.curves.iter().filter(move |curve| {
            let kind = curve.kind;
            kind.op == op && kind.pattern == Pattern::Random && !kind.durable
        })
    }

    /// The most bytes per second of all curves that `keep` holds for; 0 without any.
    pub(crate) fn bandwidth(&self, keep: impl Fn(&CurveKind) -> bool) -> f64 {
        let of = |curve: &Curve| curve.fastest().iops * f64::from(curve.kind.block_bytes);
        self.curves.iter().filter(|curve| keep(&curve.kind)).map(of).fold(0.0, f64::max)
    }

    /// Whether anything was written.
    pub(crate) fn has_writes(&self) -> bool {
        self.curves.iter().any(|curve| curve.kind.op == OpKind::Write)
    }
}

impl Curve {
    /// The point with the most requests per second.
    pub(crate) fn fastest(&self) -> Target {
        let fastest = self.targets.iter().max_by(|a, b| a.iops.total_cmp(&b.iops));
        *fastest.expect("a curve has a point")
    }

    /// Half widths of the 95 % intervals of its throughputs, percent.
    pub(crate) fn half_widths_percent(&self) -> Vec<f64> {
        self.targets.iter().map(|target| 100.0 * NORMAL_95 * target.error).collect()
    }
}

fn capacity(profile: &DeviceProfile) -> u64 {
    // As many units as the simulator can number, and no more.
    const MOST: u64 = 8 << 40;
    let bytes = profile.device.capacity_bytes.unwrap_or(0).max(profile.method.footprint_bytes);
    bytes.clamp(1 << 20, MOST) / 4096 * 4096
}

fn curves(points: &[Point]) -> Vec<Curve> {
    let mut all: BTreeMap<CurveKind, Vec<Target>> = BTreeMap::new();
    let in_reach = |point: &&Point| {
        let bytes = u64::from(point.concurrency) * u64::from(point.block_bytes);
        point.concurrency <= MOST_IN_FLIGHT && (bytes <= MOST_BYTES_IN_FLIGHT || point.concurrency <= 4)
    };
    for point in points.iter().filter(in_reach).filter(|point| point.iops > 0.0) {
        let kind = CurveKind {
            pattern: point.pattern,
            op: point.op,
            durable: point.durable,
            block_bytes: point.block_bytes,
        };
        all.entry(kind).or_default().push(Target {
            concurrency: point.concurrency,
            iops: point.iops,
            median_us: Some(point.latency_us.p50).filter(|&median| median > 0.0),
            error: error(point).hypot(LEAST_ERROR),
            weight: 1.0,
        });
    }
    let curve = |(kind, mut targets): (CurveKind, Vec<Target>)| {
        targets.sort_by_key(|target| target.concurrency);
        let octaves: Vec<u32> = targets.iter().map(|target| target.concurrency.ilog2()).collect();
        for (target, octave) in targets.iter_mut().zip(&octaves) {
            target.weight = 1.0 / octaves.iter().filter(|other| *other == octave).count() as f64;
        }
        Curve { kind, targets }
    };
    all.into_iter().map(curve).collect()
}

/// Standard error of the logarithm of a throughput.
fn error(point: &Point) -> f64 {
    let of_interval = match point.iops_ci {
        Some([low, high]) if low > 0.0 && high >= low => (high / low).ln() / (2.0 * NORMAL_95),
        _ => return UNKNOWN_ERROR,
    };
    // Virtual time has no accidents.
    let is_real = point.slices.iter().any(|slice| slice.cpu_share.is_some());
    if is_real && point.slices.len() < FEW_SLICES { of_interval.max(UNKNOWN_ERROR) } else { of_interval }
}

/// The lowest plateau of those that a limit in software makes: it holds reads and writes alike.
fn cap_iops(profile: &DeviceProfile) -> Option<f64> {
    let capped = profile.parameters.iter().filter(|entry| entry.capped == Capped::Yes);
    capped.filter_map(|entry| entry.max_read_iops).min_by(f64::total_cmp)
}

fn notes(profile: &DeviceProfile) -> Vec<String> {
    let mut notes = Vec::new();
    if !profile.validity.complete {
        notes.push("the profile is of a run that was cut short".to_owned());
    }
    let random = || profile.parameters.iter().filter(|entry| entry.pattern == Pattern::Random);
    if random().any(|entry| entry.censored.read || entry.censored.write) {
        notes.push(
            "throughput still grew at the most requests in flight that were tried: what the drive does at \
             once is a lower bound"
                .to_owned(),
        );
    }
    notes
}
