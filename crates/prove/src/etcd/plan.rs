//! What is to be compared with the prediction, and at what size.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::timeouts::Timeouts;
use crate::ProveError;

const MIB: u64 = 1 << 20;

/// Bytes of each append, as etcd's documentation has disks checked.
pub(super) const APPEND_BYTES: u64 = 2300;

/// etcd makes its log in segments of this size, in full, and the next one ahead.
pub(super) const SEGMENT_BYTES: u64 = 64 * MIB;

/// What a profile says of appends of 2300 bytes by one writer, each followed by fdatasync.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// The 99th percentile of fdatasync, milliseconds.
    pub p99_ms: f64,
    /// Its 95 % interval, where there is one.
    pub interval_ms: Option<[f64; 2]>,
}

/// What is run, where, and how much of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// A directory on the device.
    pub target: PathBuf,
    /// The directory with etcd; `None` for PATH.
    pub bin: Option<PathBuf>,
    /// The profile's, `None` to compare etcd with fio alone.
    pub predicted: Option<Prediction>,
    /// etcd's settings: `heartbeat-interval` and `election-timeout`, milliseconds.
    pub advice: Vec<(String, String)>,
    /// Rounds: in each, fio and etcd run once, in random order.
    pub rounds: u32,
    /// What fio and etcd append in each round. 22 MiB are some 10000 appends.
    pub append_bytes: u64,
    /// Each of them ends after that many seconds, whatever is left to append.
    pub seconds: f64,
    /// etcd's ports of 127.0.0.1, for clients and for members; `None` for free ones.
    pub ports: Option<[u16; 2]>,
    /// Of all orders and intervals.
    pub seed: u64,
}

impl Plan {
    /// What takes up to seven minutes, less on a fast device.
    pub fn new(target: PathBuf, predicted: Option<Prediction>, advice: Vec<(String, String)>) -> Plan {
        Plan {
            target,
            bin: None,
            predicted,
            advice,
            rounds: 6,
            append_bytes: 22 * MIB,
            seconds: 30.0,
            ports: None,
            seed: 1,
        }
    }

    /// The same in about a fourth of the time.
    pub fn quick(mut self) -> Plan {
        self.rounds = 3;
        self.seconds = 15.0;
        self
    }

    /// Appends of each run.
    pub(super) fn appends(&self) -> u64 {
        self.append_bytes / APPEND_BYTES
    }

    /// The most that is on disk at a time, bytes.
    pub(super) fn space_bytes(&self) -> u64 {
        // etcd has everything twice, in the log and in its database, which is half empty at worst.
        3 * SEGMENT_BYTES + 4 * self.append_bytes
    }

    /// Checks that it makes sense, and returns the timeouts of the advice.
    ///
    /// # Errors
    /// [`ProveError::Plan`].
    pub(super) fn check(&self) -> Result<Option<Timeouts>, ProveError> {
        let wrong = |what, problem: &str| Err(ProveError::Plan { what, problem: problem.into() });
        if self.rounds == 0 {
            return wrong("the number of rounds", "it must be 1 at least");
        }
        // etcd takes 2 GiB at most by default.
        if self.append_bytes < APPEND_BYTES || self.append_bytes > 512 * MIB {
            return wrong("the appended bytes", "they must be 2300 to 512 MiB");
        }
        if !(self.seconds > 0.0 && self.seconds <= 86_400.0) {
            return wrong("the seconds of a run", "they must be above 0, and a day at most");
        }
        if let Some([client, member]) = self.ports
            && (client == member || client == 0 || member == 0)
        {
            return wrong("the ports", "they must be two, and not 0");
        }
        if let Some(Prediction { p99_ms, interval_ms }) = self.predicted {
            let [low, high] = interval_ms.unwrap_or([p99_ms; 2]);
            if !(0.0 < low && low <= p99_ms && p99_ms <= high && high.is_finite()) {
                return wrong("the predicted p99", "it must be above 0 and in its interval");
            }
        }
        Timeouts::advised(&self.advice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_that_make_no_sense_are_refused() {
        let predicted = Prediction { p99_ms: 5.0, interval_ms: Some([4.0, 6.0]) };
        let plan = Plan::new("/".into(), Some(predicted), Vec::new());
        plan.check().unwrap();
        plan.clone().quick().check().unwrap();
        assert_eq!(plan.appends(), 10_029);
        let refused = |change: &dyn Fn(&mut Plan)| {
            let mut plan = plan.clone();
            change(&mut plan);
            let error = plan.check().unwrap_err();
            assert!(error.is_input(), "{error}");
        };
        refused(&|plan| plan.rounds = 0);
        refused(&|plan| plan.append_bytes = 2299);
        refused(&|plan| plan.append_bytes = 1 << 30);
        refused(&|plan| plan.seconds = f64::NAN);
        refused(&|plan| plan.seconds = 0.0);
        refused(&|plan| plan.ports = Some([2379, 2379]));
        refused(&|plan| plan.ports = Some([0, 2379]));
        refused(&|plan| plan.predicted = Some(Prediction { p99_ms: 0.0, interval_ms: None }));
        refused(&|plan| plan.predicted = Some(Prediction { p99_ms: f64::NAN, ..predicted }));
        refused(&|plan| plan.predicted = Some(Prediction { p99_ms: 7.0, ..predicted }));
        refused(&|plan| plan.advice = vec![("heartbeat-interval".into(), "fast".into())]);
    }
}
