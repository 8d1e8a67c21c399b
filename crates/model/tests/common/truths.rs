//! Devices of the imagination that follow one model each, and measurements of them with known noise.

use leadline_model::{CostFunction, InFlight, Observation, Observations, Workload};
use leadline_profile::OpKind;

/// Noise of the logarithm of a measured time.
pub const NOISE: f64 = 0.03;

/// Largest concurrency measured.
const LARGEST: f64 = 256.0;

/// A device that follows a model exactly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Truth {
    Dam,
    Pdam,
    Affine,
    Pio,
    Mqssd,
    Shared,
}

/// How it is measured.
#[derive(Clone, Copy, Debug)]
pub struct Design {
    /// Concurrencies per curve.
    pub points: usize,
    /// Measurements of each workload.
    pub rows: usize,
    /// Whether the error of a measurement is known.
    pub error_known: bool,
}

const BOTH: [OpKind; 2] = [OpKind::Read, OpKind::Write];

fn sigmoid(a: f64, b: f64, k0: f64, g: f64) -> CostFunction {
    CostFunction::Sigmoid { a: a * 1e-6, b: b * 1e-6, k0, g }
}

/// Setup and transfer of a device that follows MQSSD.
pub fn costs(op: OpKind) -> [CostFunction; 2] {
    match op {
        OpKind::Read => [sigmoid(4.0, 90.0, 6.0, 1.4), sigmoid(0.6, 3.0, 3.0, 1.2)],
        OpKind::Write => [sigmoid(7.0, 50.0, 4.0, 1.5), sigmoid(1.2, 2.5, 6.0, 1.3)],
    }
}

/// What a sequential request costs beyond its transfer, on the device that follows Leadline's own model.
pub fn follow(op: OpKind) -> CostFunction {
    if op == OpKind::Read { sigmoid(2.0, 20.0, 5.0, 1.4) } else { sigmoid(3.0, 15.0, 4.0, 1.5) }
}

/// The exponent of that device.
pub const EXPONENT: f64 = 3.0;

impl Truth {
    pub const ALL: [Truth; 6] =
        [Truth::Dam, Truth::Pdam, Truth::Affine, Truth::Pio, Truth::Mqssd, Truth::Shared];

    /// Seconds per request of one kind.
    fn cost(self, op: OpKind, w: &Workload, k: u32) -> f64 {
        let (pages, k) = (w.pages_per_request(), f64::from(k));
        let read = op == OpKind::Read;
        let by_page = |us: [f64; 2], at_once: [f64; 2]| {
            let i = usize::from(!read);
            us[i] * 1e-6 * pages / k.min(at_once[i])
        };
        match self {
            Truth::Dam => by_page([90.0, 120.0], [1.0; 2]),
            Truth::Pdam => by_page([90.0, 120.0], [12.0; 2]),
            Truth::Pio => by_page([90.0, 30.0], [40.0, 6.0]),
            Truth::Affine if read => (80.0 * w.random_fraction + 2.0 * pages) * 1e-6,
            Truth::Affine => (200.0 * w.random_fraction + 3.0 * pages) * 1e-6,
            Truth::Mqssd | Truth::Shared => {
                let [setup, transfer] = costs(op);
                let follows = if self == Truth::Shared { follow(op).at(k) } else { 0.0 };
                w.random_fraction * setup.at(k) + pages * transfer.at(k) + (1.0 - w.random_fraction) * follows
            }
        }
    }

    /// Seconds of a workload.
    pub fn seconds(self, w: &Workload) -> f64 {
        let alone = |k: Option<u32>| {
            BOTH.map(|op| match w.requests_of(op) {
                0.0 => 0.0,
                n => n * self.cost(op, w, k.unwrap_or(w.in_flight.of(op))),
            })
        };
        let [a, b] = alone(None);
        if self != Truth::Shared || a * b == 0.0 {
            return a + b;
        }
        let saturation = alone(Some(1 << 20)).iter().sum::<f64>() / (a + b);
        let q = 1.0 + (EXPONENT - 1.0) * saturation.clamp(0.0, 1.0);
        (a.powf(q) + b.powf(q)).powf(1.0 / q)
    }

    /// The true value of a parameter of the model, in the parameter's unit; `None` for one that the device
    /// has not.
    pub fn parameter(self, name: &str) -> Option<f64> {
        let simple: &[(&str, f64)] = match self {
            Truth::Dam => &[("page_read", 90.0), ("page_write", 120.0)],
            Truth::Pdam => &[("page_read", 90.0), ("page_write", 120.0), ("p", 12.0)],
            Truth::Affine => &[
                ("setup_read", 80.0),
                ("transfer_read", 2.0),
                ("setup_write", 200.0),
                ("transfer_write", 3.0),
            ],
            Truth::Pio => &[
                ("page_read", 90.0),
                ("alpha_1", 1.0 / 3.0),
                ("k_r", 40.0),
                ("k_w", 6.0),
                ("alpha", 40.0 / 18.0),
            ],
            Truth::Mqssd => &[],
            Truth::Shared => &[("p", EXPONENT)],
        };
        if let Some((_, value)) = simple.iter().find(|(n, _)| *n == name) {
            return Some(*value);
        }
        let (family, k) = name.strip_suffix(')')?.split_once('(')?;
        let (cost, op) = family.split_once('_')?;
        let op = if op == "read" { OpKind::Read } else { OpKind::Write };
        let function = match cost {
            "setup" => costs(op)[0].clone(),
            "transfer" => costs(op)[1].clone(),
            _ => follow(op),
        };
        let value = if k == "inf" { function.asymptote() } else { function.at(k.parse().ok()?) };
        Some(value * 1e6)
    }

    /// The workloads that are measured at one concurrency.
    fn workloads(self, k: u32) -> Vec<Workload> {
        let blocks: &[u32] = match self {
            Truth::Dam | Truth::Pdam | Truth::Pio => &[4096],
            _ => &[4096, 65536, 1 << 20],
        };
        let mut all = Vec::new();
        for op in BOTH {
            all.extend(blocks.iter().map(|&block| Workload::pure(op, 1000.0, block, 1.0, k)));
            if self == Truth::Shared {
                all.push(Workload::pure(op, 1000.0, 4096, 0.0, k));
            }
        }
        if self == Truth::Shared {
            all.extend([300.0, 500.0, 700.0].map(|reads| mixed(reads, k)));
        }
        all
    }

    /// The device measured, times off by lognormal noise.
    pub fn measured(self, design: Design, seed: u64) -> Observations {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut all = Vec::new();
        for k in concurrencies(design.points) {
            for workload in self.workloads(k) {
                for _ in 0..design.rows {
                    let seconds = self.seconds(&workload) * (NOISE * normal(&mut random)).exp();
                    let relative_error = if design.error_known { NOISE } else { 0.0 };
                    all.push(Observation { workload, seconds, relative_error, weight: 1.0 });
                }
            }
        }
        Observations { all, ..Observations::default() }
    }
}

/// A thousand requests of 4 KiB, this many of them reads.
pub fn mixed(reads: f64, k: u32) -> Workload {
    let in_flight = InFlight::Together(k);
    Workload { reads, writes: 1000.0 - reads, block_bytes: 4096, random_fraction: 1.0, in_flight }
}

/// So many different concurrencies, as evenly spaced in their logarithms as whole numbers can be.
pub fn concurrencies(count: usize) -> Vec<u32> {
    let mut ks: Vec<u32> = Vec::new();
    for i in 0..count {
        let share = i as f64 / (count - 1) as f64;
        let k = LARGEST.powf(share).round() as u32;
        ks.push(k.max(ks.last().map_or(1, |last| last + 1)));
    }
    ks
}

/// A standard normal variate.
pub fn normal(random: &mut fastrand::Rng) -> f64 {
    let radius = (-2.0 * (1.0 - random.f64()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.f64()).cos()
}
