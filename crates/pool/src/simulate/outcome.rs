//! What came of a simulation.

use hdrhistogram::Histogram;
use leadline_device::Wear;
use leadline_trace::{Recognition, Skipped};
use serde::Serialize;

use super::Config;
use super::object_outcome::ObjectOutcome;
use crate::ace::Cleaner;

/// Counts, and where there is a device, times.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Outcome {
    /// Replacement.
    pub policy: String,
    /// Write-back in the foreground: off, cow, cow-x, cow-e, cow-x-e.
    pub ace: String,
    /// Pages written at once; where that is adaptive, what it settled on.
    pub n: u32,
    /// Whether `n` was sought while running.
    pub adaptive: bool,
    /// Background cleaner: off, its depth, or auto.
    pub cleaner: String,
    /// Clients.
    pub clients: u32,
    /// Pages the pool holds; of a cache of that many bytes, the most objects that it held.
    pub frames: u32,
    /// Operations of the trace.
    pub operations: u64,
    /// Of them, writes.
    pub operations_writing: u64,
    /// Pages read because they were asked for.
    pub misses: u64,
    /// Pages written back, by clients and cleaner.
    pub writes: u64,
    /// Of them, by the cleaner.
    pub writes_by_cleaner: u64,
    /// Times that a client wrote back, one page or several at once.
    pub batches: u64,
    /// Pages read ahead.
    pub prefetches: u64,
    /// Of them, used before they were evicted.
    pub prefetches_used: u64,
    /// Virtual seconds from the first operation to the end of the last; `None` without a device.
    pub seconds: Option<f64>,
    /// Latency of the operations that had to wait; `None` without a device, or where none had to.
    pub latency_us: Option<LatencyUs>,
    /// The format that the trace was read in, and what told it; `None` where nothing was read. Not part of
    /// the document, which all pools of a sweep would repeat.
    #[serde(skip)]
    pub format: Option<Recognition>,
    /// Lines of the trace that hold no request and are not wrong, by kind; likewise.
    #[serde(skip)]
    pub skipped: Skipped,
    /// What the sizes of objects add; `None` where the trace has none.
    pub objects: Option<ObjectOutcome>,
    /// What the writes did to the device's medium; `None` where the device does not tell, or nothing was
    /// written.
    pub wear: Option<WearOutcome>,
}

/// What writes did to a device's medium.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct WearOutcome {
    /// Bytes written to the medium per byte written by the pool.
    pub write_amplification: f64,
    /// Bytes written to the medium.
    pub media_bytes: u64,
    /// Operations of the trace, at this rate of writes, until the medium is worn out; `None` where its life
    /// is not known.
    pub life_operations: Option<f64>,
    /// Years until then, with the pool busy all the time.
    pub life_years: Option<f64>,
}

impl WearOutcome {
    /// Of what was done to a medium in `operations` of a trace that took `seconds`.
    pub(crate) fn of(wear: &Wear, operations: u64, seconds: f64) -> Option<WearOutcome> {
        const SECONDS_PER_YEAR: f64 = 365.25 * 86_400.0;
        let life = wear.life_share().filter(|&share| share > 0.0);
        Some(WearOutcome {
            write_amplification: wear.write_amplification()?,
            media_bytes: wear.media_bytes,
            life_operations: life.map(|share| operations as f64 / share),
            life_years: life.map(|share| seconds / share / SECONDS_PER_YEAR),
        })
    }
}

/// Latency of operations, microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LatencyUs {
    /// Mean.
    pub mean: f64,
    /// Median.
    pub p50: f64,
    /// 99th percentile.
    pub p99: f64,
    /// 99.9th percentile.
    pub p999: f64,
    /// Worst.
    pub max: f64,
}

impl LatencyUs {
    /// Of a histogram in nanoseconds; `None` where it is empty.
    pub(crate) fn of(histogram: &Histogram<u64>) -> Option<LatencyUs> {
        let at = |quantile| histogram.value_at_quantile(quantile) as f64 / 1e3;
        (!histogram.is_empty()).then(|| LatencyUs {
            mean: histogram.mean() / 1e3,
            p50: at(0.5),
            p99: at(0.99),
            p999: at(0.999),
            max: histogram.max() as f64 / 1e3,
        })
    }
}

impl Outcome {
    /// All zero.
    pub(crate) fn new(config: &Config) -> Self {
        Outcome {
            policy: config.policy.name().to_owned(),
            ace: config.ace.name().to_owned(),
            n: config.batch(),
            adaptive: config.adaptive,
            cleaner: config.cleaner.to_string(),
            clients: config.clients,
            frames: config.frames,
            operations: 0,
            operations_writing: 0,
            misses: 0,
            writes: 0,
            writes_by_cleaner: 0,
            batches: 0,
            prefetches: 0,
            prefetches_used: 0,
            seconds: None,
            latency_us: None,
            format: None,
            skipped: Skipped::default(),
            objects: None,
            wear: None,
        }
    }
}

impl std::fmt::Display for Cleaner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Cleaner::Off => f.write_str("off"),
            Cleaner::Depth(depth) => write!(f, "{depth}"),
            Cleaner::Auto => f.write_str("auto"),
        }
    }
}
