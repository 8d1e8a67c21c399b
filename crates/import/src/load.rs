//! One load that a program kept on a device, and what came of it.

use leadline_figures::number::{block, count};
use leadline_profile::{Bin, Latency, OpKind, Pattern};

/// What a load is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Kind {
    pub(crate) pattern: Pattern,
    /// Bytes per request.
    pub(crate) block_bytes: u32,
    pub(crate) op: OpKind,
    /// Whether each write was durable when it completed.
    pub(crate) durable: bool,
}

/// A load at one concurrency.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Load {
    pub(crate) kind: Kind,
    /// Requests in flight.
    pub(crate) concurrency: u32,
    /// Requests.
    pub(crate) ops: f64,
    /// The time they took.
    pub(crate) seconds: f64,
    /// Standard error of requests per second, as a share; `None` where the file does not tell.
    pub(crate) spread: Option<f64>,
    /// Percentiles that are not known are 0.
    pub(crate) latency: Latency,
    /// Empty where the file has none.
    pub(crate) histogram: Vec<Bin>,
}

/// The most that a device does of a load, without how many in flight that takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Plateau {
    pub(crate) kind: Kind,
    /// Requests per second.
    pub(crate) iops: f64,
}

impl Kind {
    /// `random reads of 4K`, `durable sequential writes of 64K`.
    pub(crate) fn words(&self) -> String {
        let requests = leadline_profile::requests(self.op, self.pattern, self.durable);
        format!("{requests} of {}", block(self.block_bytes))
    }
}

impl Load {
    /// Requests per second.
    pub(crate) fn iops(&self) -> f64 {
        self.ops / self.seconds
    }

    /// `random reads of 4K, 32 in flight: 48.1k per second`.
    pub(crate) fn words(&self) -> String {
        format!("{}, {} in flight: {} per second", self.kind.words(), self.concurrency, count(self.iops()))
    }

    /// This and another run of the same load as one.
    pub(crate) fn with(&self, other: &Load) -> Load {
        let share = self.ops / (self.ops + other.ops);
        let between = |of: fn(&Latency) -> f64| mixed(of(&self.latency), of(&other.latency), share);
        let apart = (self.iops() / other.iops()).ln().abs() / 2.0;
        let noise = self.spread.zip(other.spread).map(|(one, two)| one.max(two));
        Load {
            ops: self.ops + other.ops,
            seconds: self.seconds + other.seconds,
            spread: noise.map(|noise| noise.hypot(apart)),
            latency: Latency {
                mean: between(|l| l.mean),
                p50: between(|l| l.p50),
                p90: between(|l| l.p90),
                p99: between(|l| l.p99),
                p99_5: between(|l| l.p99_5),
                p99_9: between(|l| l.p99_9),
                p99_95: between(|l| l.p99_95),
                p99_99: between(|l| l.p99_99),
                max: self.latency.max.max(other.latency.max),
            },
            histogram: Vec::new(),
            ..self.clone()
        }
    }
}

/// The mean of two, of which the first counts for `share`; 0, not known, where either is not known.
fn mixed(one: f64, two: f64, share: f64) -> f64 {
    if one > 0.0 && two > 0.0 { share * one + (1.0 - share) * two } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_runs_are_one_whose_spread_has_their_difference() {
        let kind = Kind { pattern: Pattern::Random, block_bytes: 4096, op: OpKind::Read, durable: false };
        let latency = Latency { mean: 100.0, p50: 90.0, max: 400.0, ..Latency::default() };
        let one = Load {
            kind,
            concurrency: 1,
            ops: 10_000.0,
            seconds: 1.0,
            spread: Some(0.0),
            latency,
            histogram: Vec::new(),
        };
        let latency = Latency { mean: 200.0, p99: 300.0, max: 300.0, ..Latency::default() };
        let two = Load { ops: 10_000.0, seconds: 2.0, latency, ..one.clone() };
        let both = one.with(&two);
        assert!((both.iops() - 20_000.0 / 3.0).abs() < 1e-9);
        assert!((both.spread.unwrap() - 2.0_f64.ln() / 2.0).abs() < 1e-9);
        assert_eq!(both.latency.mean, 150.0);
        assert_eq!((both.latency.p50, both.latency.p99), (0.0, 0.0), "one of the two is not known");
        assert_eq!(both.latency.max, 400.0);
        let unknown = one.with(&Load { spread: None, ..two });
        assert_eq!(unknown.spread, None);
    }
}
