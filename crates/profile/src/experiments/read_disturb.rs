//! What `read-disturb` found: whether every that many reads of a page one is slow.

use serde::{Deserialize, Serialize};

use super::Record;
use super::range::{
    AT_LEAST_ONE, Impossible, NOT_NEGATIVE, PAIR, SHARE, ascending, bad_latency, check, first,
    impossible_procedure, named, not_negative, positive, share, under,
};
use crate::{Latency, Procedure};

const POSITIVE_OR_NULL: &str = "must be a positive number or null";
const SHARE_OR_NULL: &str = "must be from 0 to 1 or null";
const CORRELATION: &str = "must be from -1 to 1";

/// One page read again and again, with and without other reads between.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ReadDisturb {
    /// How it was measured.
    pub procedure: Procedure,
    /// Bytes per read of the page.
    pub block_bytes: u32,
    /// Read buffer that the drive is known to have, by the experiment `buffer`; 0: none, `null`: not known.
    pub buffer_bytes: Option<u64>,
    /// Bytes of other places read between two reads of the page in `evicting`.
    pub evicted_bytes: u64,
    /// Bytes per request of those.
    pub evicted_block_bytes: u32,
    /// Probability of a period being found in a series that has none.
    pub false_alarm_rate: f64,
    /// Nothing between two reads of the page.
    pub repeating: DisturbSeries,
    /// Other reads between, that push the page out of the drive's buffer; `null` where there was time for too
    /// few.
    pub evicting: Option<DisturbSeries>,
}

/// Reads of one page, in order, and what they say.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DisturbSeries {
    /// Reads of the page.
    pub reads: u64,
    /// Time that they and the reads between took.
    pub seconds: f64,
    /// Latency of the page.
    pub latency_us: Latency,
    /// Whether a period was found.
    pub detected: bool,
    /// Probability of as much periodicity in the same latencies in random order.
    pub p_value: f64,
    /// Reads from one slow read to the next; `null` where no period was found.
    pub period_reads: Option<f64>,
    /// Its 95 % interval.
    pub period_ci: Option<[f64; 2]>,
    /// Total time by which the slow reads of a period are slower than the rest.
    pub penalty_us: Option<f64>,
    /// Its 95 % interval.
    pub penalty_ci: Option<[f64; 2]>,
    /// Share of series with this noise, period and penalty in which a period is found.
    pub detection_probability: Option<f64>,
    /// The smallest penalty that would have been found 19 times of 20, by period.
    pub detectable: Vec<Detectable>,
    /// Reads in one entry of `stretches`; the last may have fewer.
    pub stretch_reads: u32,
    /// Mean and longest latency of that many reads each: `[mean, longest]`, microseconds.
    pub stretches: Vec<(f64, f64)>,
    /// Number of the first read of `excerpt_us`, from 0.
    pub excerpt_first: u64,
    /// Latencies of single reads, one after the other.
    pub excerpt_us: Vec<f64>,
    /// Reads between two entries of `correlation`.
    pub lag_reads: u32,
    /// Autocorrelation of the ranks of the latencies, from a lag of `lag_reads` on.
    pub correlation: Vec<f64>,
}

/// A penalty that would have been found.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Detectable {
    /// Reads.
    pub period_reads: f64,
    /// The smallest penalty that is found 19 times of 20 with this period.
    pub penalty_us: f64,
}

impl ReadDisturb {
    /// The series that has a period: that without other reads, if both do.
    pub fn found(&self) -> Option<&DisturbSeries> {
        [Some(&self.repeating), self.evicting.as_ref()].into_iter().flatten().find(|series| series.detected)
    }
}

impl Record for ReadDisturb {
    fn impossible(&self) -> Option<Impossible> {
        let bad = check(self.block_bytes > 0, "block_bytes", AT_LEAST_ONE)
            .or_else(|| check(share(self.false_alarm_rate), "false_alarm_rate", SHARE));
        impossible_procedure(&self.procedure)
            .or_else(|| named(bad))
            .or_else(|| under("repeating", self.repeating.impossible()))
            .or_else(|| under("evicting", self.evicting.as_ref()?.impossible()))
    }
}

impl DisturbSeries {
    fn impossible(&self) -> Option<Impossible> {
        let optional = |value: Option<f64>, name| check(value.is_none_or(positive), name, POSITIVE_OR_NULL);
        let interval = |ends: Option<[f64; 2]>, name| check(ends.is_none_or(ascending), name, PAIR);
        let probability = self.detection_probability;
        let bad = check(self.reads > 0, "reads", AT_LEAST_ONE)
            .or_else(|| check(not_negative(self.seconds), "seconds", NOT_NEGATIVE))
            .or_else(|| bad_latency(&self.latency_us))
            .or_else(|| check(share(self.p_value), "p_value", SHARE))
            .or_else(|| optional(self.period_reads, "period_reads"))
            .or_else(|| interval(self.period_ci, "period_ci"))
            .or_else(|| optional(self.penalty_us, "penalty_us"))
            .or_else(|| interval(self.penalty_ci, "penalty_ci"))
            .or_else(|| check(probability.is_none_or(share), "detection_probability", SHARE_OR_NULL))
            .or_else(|| check(self.stretch_reads > 0, "stretch_reads", AT_LEAST_ONE))
            .or_else(|| check(self.lag_reads > 0, "lag_reads", AT_LEAST_ONE));
        let one = |fine: bool, reason| (!fine).then(|| (String::new(), reason));
        let detectable = |one: &Detectable| {
            named(
                check(positive(one.period_reads), "period_reads", "must be a positive number")
                    .or_else(|| check(not_negative(one.penalty_us), "penalty_us", NOT_NEGATIVE)),
            )
        };
        named(bad)
            .or_else(|| first("detectable", &self.detectable, detectable))
            .or_else(|| {
                let fine = |&(mean, longest): &(f64, f64)| not_negative(mean) && not_negative(longest);
                entry("stretches", &self.stretches, |stretch| one(fine(stretch), NOT_NEGATIVE))
            })
            .or_else(|| entry("excerpt_us", &self.excerpt_us, |&us| one(not_negative(us), NOT_NEGATIVE)))
            .or_else(|| {
                entry("correlation", &self.correlation, |r| one((-1.001..=1.001).contains(r), CORRELATION))
            })
    }
}

/// The first impossible entry of a list of plain values.
fn entry<T>(name: &str, list: &[T], bad: impl Fn(&T) -> Option<Impossible>) -> Option<Impossible> {
    list.iter()
        .enumerate()
        .find_map(|(i, value)| bad(value).map(|(_, reason)| (format!("{name}[{i}]"), reason)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::range::{assert_read_as_written, assert_refused};
    use super::*;
    use crate::{DeviceProfile, Experiments, SCHEMA};

    fn sample() -> DeviceProfile {
        let series = DisturbSeries {
            reads: 50_000,
            seconds: 5.0,
            latency_us: Latency { mean: 100.0, p50: 99.0, max: 400.0, ..Latency::default() },
            detected: true,
            p_value: 0.01,
            period_reads: Some(30.0),
            period_ci: Some([29.8, 30.2]),
            penalty_us: Some(20.0),
            penalty_ci: Some([19.0, 21.0]),
            detection_probability: Some(1.0),
            detectable: vec![Detectable { period_reads: 30.0, penalty_us: 4.0 }; 2],
            stretch_reads: 50,
            stretches: vec![(100.0, 120.0), (101.0, 400.0)],
            excerpt_first: 100,
            excerpt_us: vec![99.0, 100.0],
            lag_reads: 1,
            correlation: vec![0.01, -0.02],
        };
        let found = ReadDisturb {
            block_bytes: 4096,
            buffer_bytes: Some(0),
            evicted_bytes: 20 << 20,
            evicted_block_bytes: 65536,
            false_alarm_rate: 0.02,
            repeating: DisturbSeries { detected: false, ..series.clone() },
            evicting: Some(series),
            ..ReadDisturb::default()
        };
        let experiments = Experiments { read_disturb: Some(found), ..Experiments::default() };
        DeviceProfile { schema: SCHEMA.to_owned(), experiments, ..DeviceProfile::default() }
    }

    #[test]
    fn what_is_possible_is_read_as_it_was_written() {
        assert_read_as_written(&sample());
    }

    #[test]
    fn the_series_without_other_reads_goes_before_the_other() {
        let mut found = sample().experiments.read_disturb.unwrap();
        assert_eq!(found.found(), found.evicting.as_ref());
        found.repeating.detected = true;
        assert_eq!(found.found(), Some(&found.repeating));
        (found.repeating.detected, found.evicting) = (false, None);
        assert_eq!(found.found(), None);
    }

    #[test]
    fn impossible_values_are_refused_with_their_place() {
        let cases = [
            ("read-disturb/block_bytes", json!(0), "read-disturb.block_bytes"),
            ("read-disturb/false_alarm_rate", json!(1.5), "read-disturb.false_alarm_rate"),
            ("read-disturb/repeating/reads", json!(0), "read-disturb.repeating.reads"),
            ("read-disturb/repeating/seconds", json!(-1.0), "read-disturb.repeating.seconds"),
            ("read-disturb/repeating/latency_us/p50", json!(-1.0), "read-disturb.repeating.latency_us.p50"),
            ("read-disturb/evicting/p_value", json!(2.0), "read-disturb.evicting.p_value"),
            ("read-disturb/evicting/period_reads", json!(0.0), "read-disturb.evicting.period_reads"),
            ("read-disturb/evicting/period_ci", json!([2.0, 1.0]), "read-disturb.evicting.period_ci"),
            ("read-disturb/evicting/penalty_us", json!(-1.0), "read-disturb.evicting.penalty_us"),
            ("read-disturb/evicting/penalty_ci", json!([0.0, 1.0]), "read-disturb.evicting.penalty_ci"),
            (
                "read-disturb/evicting/detection_probability",
                json!(1.1),
                "read-disturb.evicting.detection_probability",
            ),
            (
                "read-disturb/evicting/detectable/1/penalty_us",
                json!(-1.0),
                "read-disturb.evicting.detectable[1].penalty_us",
            ),
            ("read-disturb/evicting/stretch_reads", json!(0), "read-disturb.evicting.stretch_reads"),
            ("read-disturb/evicting/stretches/1", json!([1.0, -1.0]), "read-disturb.evicting.stretches[1]"),
            ("read-disturb/evicting/excerpt_us/1", json!(-1.0), "read-disturb.evicting.excerpt_us[1]"),
            ("read-disturb/evicting/lag_reads", json!(0), "read-disturb.evicting.lag_reads"),
            ("read-disturb/evicting/correlation/1", json!(1.5), "read-disturb.evicting.correlation[1]"),
            (
                "read-disturb/procedure/measured_seconds",
                json!(-1.0),
                "read-disturb.procedure.measured_seconds",
            ),
        ];
        assert_refused(&sample(), cases);
    }
}
