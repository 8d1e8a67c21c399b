//! What `write-amplification` found: bytes that a drive writes to its medium per byte that it is given.

use serde::{Deserialize, Serialize};

use super::Record;
use super::range::{
    BadField, Impossible, NOT_NEGATIVE, PAIR, ascending, check, first, impossible_procedure, named,
    not_negative, positive,
};
use crate::{Procedure, WritePattern};

/// The write amplification of a drive under one pattern, and what was found under others before.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct WriteAmplification {
    /// How the latest was measured; `epochs` are windows.
    pub procedure: Procedure,
    /// The latest.
    #[serde(flatten)]
    pub latest: WriteAmplificationRun,
    /// Earlier ones, of other patterns or fill levels; oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<WriteAmplificationRun>,
}

/// The write amplification under one pattern at one fill level.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct WriteAmplificationRun {
    /// Which pages were written.
    pub pattern: WritePattern,
    /// Share of the region that was written to, above 0 and at most 1.
    pub fill: f64,
    /// Bytes of that part.
    pub part_bytes: u64,
    /// Bytes per request.
    pub block_bytes: u32,
    /// Requests in flight.
    pub concurrency: u32,
    /// Bytes written to the medium per byte written, over the last `used_windows`.
    pub write_amplification: f64,
    /// Its 95 % interval; `null` with fewer than two windows.
    pub write_amplification_ci: Option<[f64; 2]>,
    /// Whether successive windows agreed; if not, the number is of the last windows before the limit.
    pub settled: bool,
    /// Bytes that the host wrote, in all windows together.
    pub host_bytes: u64,
    /// Bytes that the drive wrote to its medium meanwhile.
    pub media_bytes: u64,
    /// Windows that the number is of: the last ones.
    pub used_windows: u32,
    /// In the order in which they were written.
    pub windows: Vec<WearWindow>,
}

/// What a drive did to its medium during one window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WearWindow {
    /// Bytes that the host wrote.
    pub host_bytes: u64,
    /// Bytes that the drive wrote to its medium.
    pub media_bytes: u64,
    /// Blocks that it erased; 0 where its medium is not erased.
    #[serde(default)]
    pub erases: u64,
}

impl WearWindow {
    /// Bytes written to the medium per byte that the host wrote.
    pub fn write_amplification(&self) -> f64 {
        self.media_bytes as f64 / self.host_bytes as f64
    }
}

impl WriteAmplification {
    /// All of them, the latest last.
    pub fn runs(&self) -> impl Iterator<Item = &WriteAmplificationRun> {
        self.others.iter().chain([&self.latest])
    }
}

impl Record for WriteAmplification {
    fn impossible(&self) -> Option<Impossible> {
        impossible_procedure(&self.procedure)
            .or_else(|| self.latest.impossible())
            .or_else(|| first("others", &self.others, WriteAmplificationRun::impossible))
    }

    fn keep(&mut self, earlier: WriteAmplification) {
        let same = |run: &WriteAmplificationRun| {
            (run.pattern, run.fill, run.part_bytes)
                == (self.latest.pattern, self.latest.fill, self.latest.part_bytes)
        };
        self.others = earlier.others;
        self.others.push(earlier.latest);
        self.others.retain(|run| !same(run));
    }
}

impl WriteAmplificationRun {
    /// The spare area, as a share of the part written, with which greedy collection under uniform random
    /// writes comes to this write amplification: the closed form WA = a / (a + W0(-a e^-a)), a = 1 + share
    /// (Xiang and Kurkoski, arXiv 1110.4245), solved for a. `None` under another pattern, and where nothing
    /// is amplified.
    pub fn greedy_spare_share(&self) -> Option<f64> {
        let amplification = self.write_amplification;
        let amplified = self.pattern == WritePattern::Uniform && amplification > 1.0;
        amplified.then(|| -amplification * (1.0 - 1.0 / amplification).ln() - 1.0)
    }

    fn impossible(&self) -> Option<Impossible> {
        named(self.bad()).or_else(|| {
            first("windows", &self.windows, |window| {
                named(check(window.host_bytes > 0, "host_bytes", "must be at least 1"))
            })
        })
    }

    fn bad(&self) -> Option<BadField> {
        check(positive(self.fill) && self.fill <= 1.0, "fill", "must be above 0 and at most 1")
            .or_else(|| check(not_negative(self.write_amplification), "write_amplification", NOT_NEGATIVE))
            .or_else(|| {
                check(self.write_amplification_ci.is_none_or(ascending), "write_amplification_ci", PAIR)
            })
            .or_else(|| {
                let fits = (1..=self.windows.len()).contains(&(self.used_windows as usize));
                check(fits, "used_windows", "must be at least 1 and no more than there are windows")
            })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::range::{assert_read_as_written, assert_refused};
    use super::*;
    use crate::{DeviceProfile, Experiments, SCHEMA};

    fn run(pattern: WritePattern, fill: f64) -> WriteAmplificationRun {
        let window = WearWindow { host_bytes: 1 << 20, media_bytes: 3 << 20, erases: 7 };
        WriteAmplificationRun {
            pattern,
            fill,
            part_bytes: 4 << 20,
            block_bytes: 4096,
            concurrency: 32,
            write_amplification: 3.0,
            write_amplification_ci: Some([2.9, 3.1]),
            settled: true,
            host_bytes: 2 << 20,
            media_bytes: 6 << 20,
            used_windows: 2,
            windows: vec![window; 2],
        }
    }

    fn sample() -> DeviceProfile {
        let zones = WritePattern::Zones { pages: 0.1, writes: 0.9 };
        let experiments = Experiments {
            write_amplification: Some(WriteAmplification {
                latest: run(WritePattern::Uniform, 1.0),
                others: vec![run(zones, 1.0), run(WritePattern::Zipf(0.99), 0.5)],
                ..WriteAmplification::default()
            }),
            ..Experiments::default()
        };
        DeviceProfile { schema: SCHEMA.to_owned(), experiments, ..DeviceProfile::default() }
    }

    #[test]
    fn the_latest_stands_beside_its_procedure_and_is_read_as_written() {
        let profile = sample();
        assert_read_as_written(&profile);
        let json: serde_json::Value = serde_json::from_str(&profile.to_json()).unwrap();
        let found = &json["experiments"]["write-amplification"];
        assert_eq!(found["write_amplification"], json!(3.0));
        assert_eq!(found["pattern"], json!("uniform"));
        assert_eq!(found["others"][0]["pattern"], json!("zones:10/90"));
    }

    #[test]
    fn impossible_values_are_refused_with_their_place() {
        assert_refused(
            &sample(),
            [
                (
                    "write-amplification/write_amplification",
                    json!(-1.0),
                    "write-amplification.write_amplification",
                ),
                (
                    "write-amplification/write_amplification_ci",
                    json!([2.0, 1.0]),
                    "write-amplification.write_amplification_ci",
                ),
                ("write-amplification/fill", json!(1.5), "write-amplification.fill"),
                ("write-amplification/used_windows", json!(3), "write-amplification.used_windows"),
                (
                    "write-amplification/windows/1/host_bytes",
                    json!(0),
                    "write-amplification.windows[1].host_bytes",
                ),
                ("write-amplification/others/1/fill", json!(0.0), "write-amplification.others[1].fill"),
            ],
        );
    }

    #[test]
    fn a_run_takes_the_place_of_its_like_and_leaves_the_others() {
        let again = || WriteAmplification {
            latest: run(WritePattern::Uniform, 1.0),
            ..WriteAmplification::default()
        };
        let mut kept = again();
        kept.keep(sample().experiments.write_amplification.unwrap());
        let patterns: Vec<String> = kept.runs().map(|run| run.pattern.to_string()).collect();
        assert_eq!(patterns, ["zones:10/90", "zipf:0.99", "uniform"]);
        let mut half = WriteAmplification { latest: run(WritePattern::Uniform, 0.5), ..again() };
        half.keep(kept);
        assert_eq!(half.runs().count(), 4);
    }

    #[test]
    fn the_spare_area_of_greedy_collection_is_that_of_the_closed_form() {
        for (amplification, spare) in [(7.82, 0.07), (5.68, 0.10), (4.18, 0.143), (3.19, 0.20), (2.36, 0.30)]
        {
            let run = WriteAmplificationRun {
                write_amplification: amplification,
                ..run(WritePattern::Uniform, 1.0)
            };
            let found = run.greedy_spare_share().unwrap();
            assert!((found / spare - 1.0).abs() < 0.01, "{amplification}: {found}");
        }
        assert_eq!(run(WritePattern::Zipf(0.99), 1.0).greedy_spare_share(), None);
        let none = WriteAmplificationRun { write_amplification: 1.0, ..run(WritePattern::Uniform, 1.0) };
        assert_eq!(none.greedy_spare_share(), None);
    }
}
