//! What `sustained` found: burst and sustained write bandwidth, and reads during writes that can be
//! sustained.

use serde::{Deserialize, Serialize};

use super::Record;
use super::range::{
    AT_LEAST_ONE, BadField, Impossible, NOT_NEGATIVE, PAIR, POSITIVE, SHARE, ascending, bad_latency, check,
    first, impossible_procedure, named, not_negative, positive, share,
};
use crate::{Latency, Pattern, Procedure};

/// Burst against sustained writes, and the latency of reads during shares of the sustained rate.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Sustained {
    /// How it was measured; `epochs` are rounds of `latencies`.
    pub procedure: Procedure,
    /// Sequential writes, then random ones.
    pub loads: Vec<SustainedLoad>,
    /// Random reads of `read_block_bytes` one at a time, during random writes; ascending in `write_share`.
    pub latencies: Vec<UnderLoad>,
    /// Bytes per read of `latencies`.
    pub read_block_bytes: u32,
}

/// Sustained writes after a rest, with the most requests in flight.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SustainedLoad {
    /// Random or sequential.
    pub pattern: Pattern,
    /// Bytes per request.
    pub block_bytes: u32,
    /// Requests in flight.
    pub concurrency: u32,
    /// Rest before it, seconds.
    pub rest_seconds: f64,
    /// Bytes written.
    pub written_bytes: u64,
    /// Time it took.
    pub seconds: f64,
    /// Before the first cliff, or in the first tenth where there is none; bytes per second.
    pub burst_bytes_per_second: f64,
    /// Its 95 % interval.
    #[serde(default)]
    pub burst_ci: Option<[f64; 2]>,
    /// After the last cliff, or in the second half where there is none; bytes per second.
    pub sustained_bytes_per_second: f64,
    /// Its 95 % interval.
    #[serde(default)]
    pub sustained_ci: Option<[f64; 2]>,
    /// Sustained / burst.
    pub ratio: f64,
    /// Its 95 % interval.
    #[serde(default)]
    pub ratio_ci: Option<[f64; 2]>,
    /// Whether bandwidth stayed where it was in the part that is called sustained.
    pub settled: bool,
    /// Where bandwidth fell for good, in order.
    pub cliffs: Vec<SustainedCliff>,
    /// Bytes written by the end of a window, and bytes per second in it.
    pub samples: Vec<(f64, f64)>,
}

/// A fall of bandwidth that stayed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SustainedCliff {
    /// Bytes written since the rest until then: the size of a cache that is emptied only at rest.
    pub at_bytes: f64,
    /// Its 95 % interval.
    pub at_ci: [f64; 2],
    /// Of these, bytes beyond what the rate after the fall would have written: the size of a buffer that is
    /// emptied while it fills.
    pub beyond_bytes: f64,
    /// Its 95 % interval.
    pub beyond_ci: [f64; 2],
    /// From the cliff before, or the start, bytes per second.
    pub before_bytes_per_second: f64,
    /// To the next cliff, or the end, bytes per second.
    pub after_bytes_per_second: f64,
}

/// Reads one at a time during writes that arrive as a Poisson process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UnderLoad {
    /// Writes offered / what the drive sustains of random writes, 0 to 1.
    pub write_share: f64,
    /// Writes offered, bytes per second.
    pub offered_bytes_per_second: f64,
    /// Writes completed, bytes per second.
    pub bytes_per_second: f64,
    /// Reads timed.
    pub ops: u64,
    /// Their latency.
    pub latency_us: Latency,
    /// 95 % interval of the mean, bootstrap over epochs.
    #[serde(default)]
    pub mean_us_ci: Option<[f64; 2]>,
}

impl Sustained {
    /// The load of this pattern, if it was made.
    pub fn load(&self, pattern: Pattern) -> Option<&SustainedLoad> {
        self.loads.iter().find(|load| load.pattern == pattern)
    }
}

impl Record for Sustained {
    fn impossible(&self) -> Option<Impossible> {
        impossible_procedure(&self.procedure)
            .or_else(|| {
                first("loads", &self.loads, |load| {
                    named(load.bad()).or_else(|| first("cliffs", &load.cliffs, |cliff| named(cliff.bad())))
                })
            })
            .or_else(|| first("latencies", &self.latencies, |point| named(point.bad())))
    }
}

impl SustainedLoad {
    fn bad(&self) -> Option<BadField> {
        let Self { burst_bytes_per_second: burst, sustained_bytes_per_second: sustained, ratio, .. } = *self;
        check(self.block_bytes > 0, "block_bytes", AT_LEAST_ONE)
            .or_else(|| check(positive(self.seconds), "seconds", POSITIVE))
            .or_else(|| check(positive(burst), "burst_bytes_per_second", POSITIVE))
            .or_else(|| check(positive(sustained), "sustained_bytes_per_second", POSITIVE))
            .or_else(|| check(positive(ratio), "ratio", POSITIVE))
            .or_else(|| check(self.burst_ci.is_none_or(ascending), "burst_ci", PAIR))
            .or_else(|| check(self.sustained_ci.is_none_or(ascending), "sustained_ci", PAIR))
            .or_else(|| check(self.ratio_ci.is_none_or(ascending), "ratio_ci", PAIR))
            .or_else(|| {
                let fine = |&(at, rate): &(f64, f64)| positive(at) && not_negative(rate);
                check(self.samples.iter().all(fine), "samples", NOT_NEGATIVE)
            })
    }
}

impl SustainedCliff {
    fn bad(&self) -> Option<BadField> {
        check(positive(self.at_bytes), "at_bytes", POSITIVE)
            .or_else(|| check(ascending(self.at_ci), "at_ci", PAIR))
            .or_else(|| check(positive(self.beyond_bytes), "beyond_bytes", POSITIVE))
            .or_else(|| check(ascending(self.beyond_ci), "beyond_ci", PAIR))
            .or_else(|| check(positive(self.before_bytes_per_second), "before_bytes_per_second", POSITIVE))
            .or_else(|| {
                check(not_negative(self.after_bytes_per_second), "after_bytes_per_second", NOT_NEGATIVE)
            })
    }
}

impl UnderLoad {
    fn bad(&self) -> Option<BadField> {
        check(share(self.write_share), "write_share", SHARE)
            .or_else(|| {
                let fine = not_negative(self.offered_bytes_per_second);
                check(fine, "offered_bytes_per_second", NOT_NEGATIVE)
            })
            .or_else(|| check(not_negative(self.bytes_per_second), "bytes_per_second", NOT_NEGATIVE))
            .or_else(|| check(self.ops > 0, "ops", AT_LEAST_ONE))
            .or_else(|| bad_latency(&self.latency_us))
            .or_else(|| check(self.mean_us_ci.is_none_or(ascending), "mean_us_ci", PAIR))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::range::{assert_read_as_written, assert_refused};
    use super::*;
    use crate::{DeviceProfile, Experiments, SCHEMA};

    fn sample() -> DeviceProfile {
        let cliff = SustainedCliff {
            at_bytes: 1e9,
            at_ci: [0.9e9, 1.1e9],
            beyond_bytes: 0.5e9,
            beyond_ci: [0.4e9, 0.6e9],
            before_bytes_per_second: 2e9,
            after_bytes_per_second: 1e9,
        };
        let load = SustainedLoad {
            pattern: Pattern::Random,
            block_bytes: 4096,
            concurrency: 128,
            rest_seconds: 3.0,
            written_bytes: 4 << 30,
            seconds: 4.0,
            burst_bytes_per_second: 2e9,
            burst_ci: Some([1.9e9, 2.1e9]),
            sustained_bytes_per_second: 1e9,
            sustained_ci: Some([0.9e9, 1.1e9]),
            ratio: 0.5,
            ratio_ci: Some([0.45, 0.55]),
            settled: true,
            cliffs: vec![cliff],
            samples: vec![(1e8, 2e9), (4e9, 1e9)],
        };
        let point = UnderLoad {
            write_share: 0.5,
            offered_bytes_per_second: 5e8,
            bytes_per_second: 5e8,
            ops: 100,
            latency_us: Latency { mean: 100.0, p50: 90.0, max: 200.0, ..Latency::default() },
            mean_us_ci: Some([99.0, 101.0]),
        };
        let sustained = Sustained {
            loads: vec![load],
            latencies: vec![point],
            read_block_bytes: 4096,
            ..Sustained::default()
        };
        let experiments = Experiments { sustained: Some(sustained), ..Experiments::default() };
        DeviceProfile { schema: SCHEMA.to_owned(), experiments, ..DeviceProfile::default() }
    }

    #[test]
    fn what_is_possible_is_read_as_written() {
        assert_read_as_written(&sample());
    }

    #[test]
    fn impossible_values_are_refused_with_their_place() {
        assert_refused(
            &sample(),
            [
                ("sustained/loads/0/ratio", json!(0.0), "sustained.loads[0].ratio"),
                ("sustained/loads/0/burst_ci", json!([2.0, 1.0]), "sustained.loads[0].burst_ci"),
                ("sustained/loads/0/samples/1/1", json!(-1.0), "sustained.loads[0].samples"),
                ("sustained/loads/0/cliffs/0/at_ci", json!([2.0, 1.0]), "sustained.loads[0].cliffs[0].at_ci"),
                ("sustained/loads/0/cliffs/0/at_bytes", json!(0.0), "sustained.loads[0].cliffs[0].at_bytes"),
                ("sustained/latencies/0/write_share", json!(1.5), "sustained.latencies[0].write_share"),
                ("sustained/latencies/0/ops", json!(0), "sustained.latencies[0].ops"),
            ],
        );
    }
}
