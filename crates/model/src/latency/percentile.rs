//! The percentiles of latency that a profile holds.

/// A percentile of latency that the profile holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)] // the names are the percentiles
pub enum Percentile {
    P50,
    P90,
    P99,
    P99_5,
    P99_9,
    P99_95,
    P99_99,
}

impl Percentile {
    /// All, ascending.
    pub const ALL: [Percentile; 7] = [
        Percentile::P50,
        Percentile::P90,
        Percentile::P99,
        Percentile::P99_5,
        Percentile::P99_9,
        Percentile::P99_95,
        Percentile::P99_99,
    ];

    /// The usual spelling: `p99.9`.
    pub fn name(self) -> &'static str {
        match self {
            Percentile::P50 => "p50",
            Percentile::P90 => "p90",
            Percentile::P99 => "p99",
            Percentile::P99_5 => "p99.5",
            Percentile::P99_9 => "p99.9",
            Percentile::P99_95 => "p99.95",
            Percentile::P99_99 => "p99.99",
        }
    }

    /// The percentile with this [`Percentile::name`].
    pub fn parse(text: &str) -> Option<Percentile> {
        Percentile::ALL.into_iter().find(|p| p.name() == text)
    }

    /// Its value among measured latencies, microseconds.
    pub fn of(self, latency: &leadline_profile::Latency) -> f64 {
        match self {
            Percentile::P50 => latency.p50,
            Percentile::P90 => latency.p90,
            Percentile::P99 => latency.p99,
            Percentile::P99_5 => latency.p99_5,
            Percentile::P99_9 => latency.p99_9,
            Percentile::P99_95 => latency.p99_95,
            Percentile::P99_99 => latency.p99_99,
        }
    }
}
