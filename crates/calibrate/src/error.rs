//! Why a profile cannot be calibrated to.

use leadline_device::format_size;
use leadline_measure::MeasureError;

/// What is missing in a profile, or speaks against a flash drive. The caller names the profile.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CalibrateError {
    /// There is nothing to fit to.
    #[error("holds no measured point")]
    NoPoints,
    /// A publication has latencies of one request at a time and a number of requests in flight, no curve.
    #[error("holds published numbers, not a measured device")]
    Published,
    /// The knee of the curve says how much is done at once: without it nothing is known but latencies.
    #[error("holds random reads at {concurrencies} numbers in flight only, of at least {needed}")]
    TooFewReads {
        /// The most of any block size.
        concurrencies: usize,
        /// How many are needed.
        needed: usize,
    },
    /// Memory, not the device.
    #[error("was measured through the page cache: it shows memory, not the device")]
    Buffered,
    /// A head that moves, and no flash.
    #[error(
        "is of a hard disk: a random read of {} takes {:.1} ms, {} in flight are {:.1} times as fast",
        format_size((*.block_bytes).into()), .latency_ms, .concurrency, .speedup
    )]
    HardDisk {
        /// Bytes of the read.
        block_bytes: u32,
        /// What it takes alone, milliseconds.
        latency_ms: f64,
        /// The highest throughput over the throughput of one at a time.
        speedup: f64,
        /// Reads in flight there.
        concurrency: u32,
    },
    /// What is to be compared with was not measured.
    #[error("has none of the experiments that can be checked: mixed, r-by-k, ladder")]
    NoExperiments,
    /// No description in reach could be simulated: a device far from any flash drive.
    #[error("no flash drive comes near it: {reason}")]
    NoDrive {
        /// What the simulator has to say.
        reason: String,
    },
    /// The simulation failed.
    #[error(transparent)]
    Measure(#[from] MeasureError),
    /// Ended by the user.
    #[error("interrupted")]
    Interrupted,
}
