//! What requests cost on a measured device, as a table that a simulation can look up quickly.

use leadline_model::{ModelComparison, Observations, Predict, PredictError, Workload};
use leadline_profile::{DeviceProfile, OpKind, PAGE_BYTES, Pattern};

use crate::residuals::Residuals;
use crate::{FileCosts, LsmError};

/// Sizes of requests in the table: powers of two from 512 bytes to 16 MiB.
const SIZES: [u32; 2] = [9, 24];

/// Writes to the device that making a file durable takes: its data or its size, the commit of the file
/// system's journal, and a flush of each.
const WRITES_PER_SYNC: f64 = 2.0;

/// Which end of the intervals of all costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The estimate.
    Middle,
    /// All costs at the lower end.
    Low,
    /// All costs at the upper end.
    High,
}

/// Seconds per request of every size at every concurrency: from the models that describe the device about as
/// well as the best one, each corrected by what was measured of like requests.
#[derive(Debug, Clone)]
pub struct DeviceCosts {
    /// The model's name.
    model: &'static str,
    /// `[read, write][size][concurrency]`, seconds per request.
    seconds: [Vec<Vec<f64>>; 2],
    /// The same, half of the 95 % interval in logarithms.
    spread: [Vec<Vec<f64>>; 2],
    files: FileCosts,
    /// Smallest unit that the device transfers, bytes.
    unit_bytes: u32,
    /// Largest request measured, bytes.
    largest_bytes: u32,
    /// Most requests at a time that were measured.
    most_measured: u32,
    /// 99th percentile of a read over its mean, at each concurrency of the table.
    read_p99: Vec<f64>,
    /// Of the machine on which it was measured.
    processors: Option<u32>,
    end: End,
}

impl DeviceCosts {
    /// Concurrencies in the table are powers of two up to this. More at a time are served as fast as these.
    pub(crate) const MOST_IN_FLIGHT: u32 = 256;

    /// Fits the models to `profile`, and weighs the models that describe it about as well as the best one.
    ///
    /// # Errors
    /// [`LsmError::Profile`]: no model can be fitted, or reads or writes were not measured.
    pub fn from_profile(profile: &DeviceProfile) -> Result<Self, LsmError> {
        Self::from_profiles(&[profile])
    }

    /// The same from several profiles of one device, all their measurements together; what is asked of the
    /// device itself is taken from the first.
    ///
    /// # Errors
    /// As [`DeviceCosts::from_profile`].
    pub fn from_profiles(profiles: &[&DeviceProfile]) -> Result<Self, LsmError> {
        let needs = || LsmError::Profile("reads and writes at four concurrencies or more".to_owned());
        let profile = *profiles.first().ok_or_else(needs)?;
        let mut observations = Observations::from_profile(profile);
        for other in &profiles[1..] {
            observations.all.extend(Observations::from_profile(other).all);
        }
        let largest_bytes =
            observations.all.iter().map(|o| o.workload.block_bytes).max().unwrap_or(PAGE_BYTES);
        let most_measured =
            observations.all.iter().map(leadline_model::Observation::concurrency).max().unwrap_or(1);
        let comparison = ModelComparison::new(observations.clone());
        // Alone: the residuals below are what the measurements add to it.
        let model = comparison.best().ok_or_else(needs)?;
        let models = comparison.weighed();
        let mut seconds = [Vec::new(), Vec::new()];
        let mut spread = [Vec::new(), Vec::new()];
        for (side, op) in [OpKind::Read, OpKind::Write].into_iter().enumerate() {
            let of_model =
                |(weight, model): &(f64, &dyn Predict)| Ok((*weight, corrected(*model, &observations, op)?));
            let tables = models.iter().map(of_model).collect::<Result<Vec<_>, LsmError>>()?;
            [seconds[side], spread[side]] = mean(&tables);
        }
        Ok(DeviceCosts {
            model: model.name(),
            files: FileCosts::of_sync(
                1e6 * sync_seconds(profile).unwrap_or(WRITES_PER_SYNC * seconds[1][3][0]),
            ),
            seconds,
            spread,
            unit_bytes: profile.device.logical_block_bytes.unwrap_or(512).clamp(512, PAGE_BYTES),
            largest_bytes,
            most_measured,
            read_p99: read_p99(profile),
            processors: profile.device.cpus,
            end: End::Middle,
        })
    }

    /// A device that takes next to no time: of a load, what remains is the processor's time, and what
    /// compactions wait for among themselves.
    pub(crate) fn free() -> Self {
        // Not 0: the table is interpolated in logarithms.
        let next_to_none = || {
            vec![vec![1e-12; Self::MOST_IN_FLIGHT.ilog2() as usize + 1]; (SIZES[1] - SIZES[0] + 1) as usize]
        };
        DeviceCosts {
            model: "none",
            seconds: [next_to_none(), next_to_none()],
            spread: [next_to_none(), next_to_none()],
            files: FileCosts::of_sync(0.0),
            unit_bytes: PAGE_BYTES,
            largest_bytes: 1 << SIZES[1],
            most_measured: Self::MOST_IN_FLIGHT,
            read_p99: vec![1.0; Self::MOST_IN_FLIGHT.ilog2() as usize + 1],
            processors: None,
            end: End::Middle,
        }
    }

    /// Name of the model that describes the device best.
    pub fn model(&self) -> &'static str {
        self.model
    }

    /// Largest request that was measured, bytes: what compactions read and write beyond it is extrapolated.
    pub fn largest_bytes(&self) -> u32 {
        self.largest_bytes
    }

    /// Processors of the machine on which the profile was measured, where it says so.
    pub fn processors(&self) -> Option<u32> {
        self.processors
    }

    /// What making files durable takes.
    pub fn files(&self) -> &FileCosts {
        &self.files
    }

    /// The same costs with others of making files durable.
    #[must_use]
    pub fn with_files(mut self, files: FileCosts) -> Self {
        self.files = files;
        self
    }

    pub(crate) fn unit_bytes(&self) -> u32 {
        self.unit_bytes
    }

    /// The same device, all costs at this end of their intervals.
    pub(crate) fn at(&self, end: End) -> Self {
        DeviceCosts { end, ..self.clone() }
    }

    /// Seconds per request of `bytes`, `in_flight` of them at a time: their inverse is the throughput.
    pub(crate) fn request(&self, op: OpKind, bytes: f64, in_flight: f64) -> f64 {
        let side = usize::from(op == OpKind::Write);
        let x = bytes.max(1.0).log2() - f64::from(SIZES[0]);
        let y = in_flight.max(1.0).log2();
        let (sizes, ks) = (self.seconds[side].len(), self.seconds[side][0].len());
        let (i, u) = place(x, sizes);
        let (j, v) = place(y.min((ks - 1) as f64), ks);
        let blend = |table: &[Vec<f64>], map: fn(f64) -> f64| {
            let at = |i: usize, j: usize| map(table[i][j]);
            let low = at(i, j) * (1.0 - v) + at(i, j + 1) * v;
            let high = at(i + 1, j) * (1.0 - v) + at(i + 1, j + 1) * v;
            low * (1.0 - u) + high * u
        };
        let middle = blend(&self.seconds[side], f64::ln).exp();
        // Beyond the largest of the table, the cost grows in proportion to the bytes; below the smallest, it
        // stays.
        let middle = middle * (bytes / f64::from(1u32 << SIZES[1])).max(1.0);
        match self.end {
            End::Middle => middle,
            End::Low => middle * (-blend(&self.spread[side], |s| s)).exp(),
            End::High => middle * blend(&self.spread[side], |s| s).exp(),
        }
    }

    /// The same with as many at a time, of the numbers that were measured, as serve the device best.
    pub(crate) fn request_at_best(&self, op: OpKind, bytes: f64) -> f64 {
        let doublings = self.most_measured.clamp(1, Self::MOST_IN_FLIGHT).ilog2();
        (0..=doublings).map(|k| self.request(op, bytes, f64::from(1 << k))).fold(f64::INFINITY, f64::min)
    }

    /// 99th percentile of a read's time over its mean, `in_flight` at a time.
    pub(crate) fn read_p99_over_mean(&self, in_flight: f64) -> f64 {
        let (j, v) =
            place(in_flight.max(1.0).log2().min((self.read_p99.len() - 1) as f64), self.read_p99.len());
        self.read_p99[j] * (1.0 - v) + self.read_p99[j + 1] * v
    }
}

/// `[seconds, half of the 95 % interval in logarithms][size][concurrency]`.
type Tables = [Vec<Vec<f64>>; 2];

/// What a model says of every request of the table, corrected by what was measured of like requests.
fn corrected(model: &dyn Predict, observations: &Observations, op: OpKind) -> Result<Tables, LsmError> {
    let residuals = Residuals::of(model, observations, op);
    let mut tables = [Vec::new(), Vec::new()];
    for size in SIZES[0]..=SIZES[1] {
        let most = residuals.most_in_flight(f64::from(size));
        let (mut row, mut spreads) = (Vec::new(), Vec::new());
        for k in 0..=DeviceCosts::MOST_IN_FLIGHT.ilog2() {
            // A profile measures until more in flight do no more: beyond that they are served as fast.
            let k = most.map_or(f64::from(k), |most| f64::from(k).min(most));
            let workload = Workload::pure(op, 1e6, 1 << size, 1.0, k.exp2().round() as u32);
            let found = model.predict(&workload).map_err(|error| match error {
                PredictError::NotMeasured { op, .. } => LsmError::Profile(match op {
                    OpKind::Read => "reads".to_owned(),
                    OpKind::Write => "writes".to_owned(),
                }),
                other => LsmError::Profile(other.to_string()),
            })?;
            // Twice as many in flight are at most twice as fast, whatever the fit says: no request
            // takes less time because others are there.
            let least = row.last().map_or(0.0, |half: &f64| half / 2.0);
            let of_model = (found.seconds_ci[1] / found.seconds).ln();
            let near = residuals.near(f64::from(size), k, of_model);
            row.push((found.seconds / 1e6 * near.shift.exp()).max(least));
            spreads.push(near.spread);
        }
        tables[0].push(row);
        tables[1].push(spreads);
    }
    Ok(tables)
}

/// The mean of the logarithms of what several models say.
fn mean(tables: &[(f64, Tables)]) -> Tables {
    let all: f64 = tables.iter().map(|(weight, _)| weight).sum();
    let mean = |of: &dyn Fn(&Tables) -> f64| {
        tables.iter().map(|(weight, table)| weight * of(table)).sum::<f64>() / all
    };
    let cells = |cell: &dyn Fn(usize, usize) -> f64| {
        let [seconds, _] = &tables[0].1;
        let row = |(i, row): (usize, &Vec<f64>)| (0..row.len()).map(|j| cell(i, j)).collect();
        seconds.iter().enumerate().map(row).collect()
    };
    [
        cells(&|i, j| mean(&|[seconds, _]| seconds[i][j].ln()).exp()),
        cells(&|i, j| mean(&|[_, spread]| spread[i][j])),
    ]
}

/// Index and fraction between it and the next, within `0..len`.
fn place(x: f64, len: usize) -> (usize, f64) {
    let x = x.clamp(0.0, (len - 1) as f64);
    let i = (x as usize).min(len - 2);
    (i, x - i as f64)
}

/// From durable writes of a page, one at a time, where they were measured.
fn sync_seconds(profile: &DeviceProfile) -> Option<f64> {
    let durable = |pattern| {
        let found = profile.points.iter().find(|p| {
            p.op == OpKind::Write
                && p.durable
                && p.concurrency == 1
                && p.pattern == pattern
                && p.block_bytes == PAGE_BYTES
        });
        found.map(|p| 1.0 / p.iops)
    };
    durable(Pattern::Sequential).or_else(|| durable(Pattern::Random)).map(|s| WRITES_PER_SYNC * s)
}

/// Of the random reads of the smallest block measured; where none was measured at a concurrency, that of the
/// concurrency before. A profile without percentiles (published numbers) gets 1.
fn read_p99(profile: &DeviceProfile) -> Vec<f64> {
    let reads = || profile.points.iter().filter(|p| p.op == OpKind::Read && p.pattern == Pattern::Random);
    let smallest = reads().map(|p| p.block_bytes).min();
    let mut ratio = 1.0;
    (0..=DeviceCosts::MOST_IN_FLIGHT.ilog2())
        .map(|k| {
            let point = reads().find(|p| Some(p.block_bytes) == smallest && p.concurrency == 1 << k);
            if let Some(latency) = point.map(|p| p.latency_us).filter(|l| l.mean > 0.0 && l.p99 > 0.0) {
                ratio = (latency.p99 / latency.mean).max(1.0);
            }
            ratio
        })
        .collect()
}
