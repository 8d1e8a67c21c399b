//! Appends that a flush makes durable, one after the other.

use leadline_figures::number::{count, micros};
use leadline_profile::Latency;

/// What was found of them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Flush {
    /// Bytes of an append.
    pub(crate) append_bytes: u32,
    /// Appends that became durable.
    pub(crate) commits: u64,
    /// The time they took.
    pub(crate) seconds: f64,
    /// Standard error of the time of one, as a share; `None` where the file does not tell.
    pub(crate) spread: Option<f64>,
    /// Of the flush; percentiles that are not known are 0, but the 99th is known.
    pub(crate) latency: Latency,
    /// How it was measured, where that differs from `leadline experiment fsync`.
    pub(crate) notes: Vec<String>,
}

impl Flush {
    /// `appends of 2300 bytes, one at a time: 1.2k become durable per second, a flush takes 0.8 ms (99 % of
    /// them less than 2 ms)`.
    pub(crate) fn words(&self) -> String {
        format!(
            "appends of {} bytes, one at a time: {} become durable per second, a flush takes {} (99 % of them \
             at most {})",
            self.append_bytes,
            count(self.commits as f64 / self.seconds),
            micros(self.latency.mean),
            micros(self.latency.p99)
        )
    }
}
