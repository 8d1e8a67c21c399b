//! What is to be compared with the rates, and at what size.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{Mix, Rates};
use crate::ProveError;

const GIB: u64 = 1 << 30;
const MIB: u64 = 1 << 20;

/// What is run, where, and how much of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// A directory on the device.
    pub target: PathBuf,
    /// The four rates, by their names in io_properties.yaml.
    pub advice: Vec<(String, String)>,
    /// What is run.
    pub mixes: Vec<Mix>,
    /// Requests in flight: enough for the device to be busy with any of the mixes.
    pub concurrency: u32,
    /// fio's engine. Seastar itself uses `libaio`.
    pub engine: String,
    /// Past the page cache, as Seastar does.
    pub direct: bool,
    /// Size of the file, which is written whole before.
    pub file_bytes: u64,
    /// How long each mix runs before anything is counted, seconds.
    pub warm_up_seconds: u32,
    /// How long each mix is counted, seconds.
    pub seconds: u32,
    /// Rounds: each mix runs once in each of them, in random order.
    pub rounds: u32,
    /// How far off a mix may be.
    pub tolerance: f64,
    /// Of all orders, addresses and intervals.
    pub seed: u64,
}

impl Plan {
    /// What takes five minutes.
    pub fn new(target: PathBuf, advice: Vec<(String, String)>) -> Plan {
        Plan {
            target,
            advice,
            mixes: Mix::ten(),
            concurrency: 128,
            engine: "libaio".into(),
            direct: true,
            file_bytes: 2 * GIB,
            warm_up_seconds: 1,
            seconds: 6,
            rounds: 4,
            tolerance: 0.15,
            seed: 1,
        }
    }

    /// The same in about a third of the time.
    pub fn quick(mut self) -> Plan {
        self.file_bytes = GIB;
        self.seconds = 3;
        self.rounds = 3;
        self
    }

    /// Checks that it makes sense, and returns its rates.
    ///
    /// # Errors
    /// [`ProveError::Plan`].
    pub(super) fn check(&self) -> Result<Rates, ProveError> {
        let wrong = |what, problem: &str| Err(ProveError::Plan { what, problem: problem.into() });
        let is_mix = |mix: &Mix| {
            mix.bytes >= 512 && mix.bytes.is_power_of_two() && u64::from(mix.bytes) <= self.file_bytes
        };
        if self.mixes.is_empty() || !self.mixes.iter().all(is_mix) {
            return wrong(
                "the mixes",
                "there must be one at least, of a power of two from 512 to the file's size",
            );
        }
        if self.mixes.iter().any(|mix| mix.read_percent > 100) {
            return wrong("the share of reads", "it must be 0 to 100 %");
        }
        if self.concurrency == 0 || self.concurrency > 4096 {
            return wrong("the concurrency", "it must be 1 to 4096");
        }
        if !["libaio", "io_uring", "psync"].contains(&self.engine.as_str()) {
            return wrong("fio's engine", "it must be libaio, io_uring or psync");
        }
        if self.file_bytes < MIB || self.file_bytes > 1 << 42 {
            return wrong("the size of the file", "it must be 1 MiB to 4 TiB");
        }
        if self.seconds == 0 || self.rounds == 0 {
            return wrong("the number of seconds and rounds", "it must be 1 at least");
        }
        if !(self.tolerance > 0.0 && self.tolerance.is_finite()) {
            return wrong("the tolerance", "it must be above 0");
        }
        Rates::of(&self.advice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_that_make_no_sense_are_refused() {
        let advice = ["read_iops", "read_bandwidth", "write_iops", "write_bandwidth"];
        let advice = advice.map(|key| (key.to_owned(), "1000".to_owned())).to_vec();
        let plan = Plan::new("/".into(), advice);
        plan.check().unwrap();
        plan.clone().quick().check().unwrap();
        let refused = |change: &dyn Fn(&mut Plan)| {
            let mut plan = plan.clone();
            change(&mut plan);
            let error = plan.check().unwrap_err();
            assert!(error.is_input(), "{error}");
        };
        refused(&|plan| plan.mixes.clear());
        refused(&|plan| plan.mixes[3].bytes = 5000);
        refused(&|plan| (plan.mixes[3].bytes, plan.file_bytes) = (2 << 20, MIB));
        refused(&|plan| plan.mixes[3].read_percent = 101);
        refused(&|plan| plan.concurrency = 0);
        refused(&|plan| plan.engine = "exec".into());
        refused(&|plan| plan.file_bytes = 0);
        refused(&|plan| plan.seconds = 0);
        refused(&|plan| plan.tolerance = f64::NAN);
        refused(&|plan| plan.advice.truncate(3));
    }
}
