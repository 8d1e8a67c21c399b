//! What a file system takes to make files durable.

use serde::{Deserialize, Serialize};

/// Time to make files durable, in addition to writing their bytes and the processor's time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileCosts {
    /// To make a file durable that has grown by a few bytes, microseconds.
    pub sync_us: f64,
    /// Per file that is created, made durable and removed again, by 1, 2, 4, 8 and 16 threads at a time,
    /// microseconds: the inverse is how many files all of them make per second. File systems do most of this
    /// one file after the other, however many threads ask for it.
    pub file_us: [f64; 5],
}

/// Syncs whose time a file takes, where that was not measured: on ext4 on a virtual disk, a sync took 180 to
/// 270 us, and a file 540 us alone and 400 us among others.
const SYNCS_PER_FILE: f64 = 2.0;

impl FileCosts {
    /// Of a file system whose syncs alone are known.
    pub fn of_sync(sync_us: f64) -> Self {
        FileCosts { sync_us, file_us: [SYNCS_PER_FILE * sync_us; 5] }
    }

    /// Seconds per job that makes that many `files` and syncs others that many times, while `in_flight` jobs
    /// do such things: their inverse is the jobs per second. Both wait for the same journal of the file
    /// system.
    pub(crate) fn seconds(&self, files: f64, syncs: f64, in_flight: f64) -> f64 {
        let x = in_flight.max(1.0).log2().min((self.file_us.len() - 1) as f64);
        let i = (x as usize).min(self.file_us.len() - 2);
        let u = x - i as f64;
        let file_us = self.file_us[i] * (1.0 - u) + self.file_us[i + 1] * u;
        let [alone, ..] = self.file_us;
        let faster = if alone > 0.0 { (file_us / alone).min(1.0) } else { 1.0 };
        (files * file_us + syncs * faster * self.sync_us) * 1e-6
    }

    /// Each number with its name.
    pub(crate) fn named(&self) -> impl Iterator<Item = (&'static str, f64)> {
        std::iter::once(("sync_us", self.sync_us)).chain(self.file_us.map(|us| ("file_us", us)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_threads_are_as_fast_as_the_file_system_is_with_several() {
        let costs = FileCosts { sync_us: 200.0, file_us: [500.0, 400.0, 300.0, 300.0, 300.0] };
        let near = |found: f64, wanted: f64| assert!((found - wanted).abs() < 1e-12, "{found}, {wanted}");
        near(costs.seconds(2.0, 1.0, 1.0), 1200e-6);
        near(costs.seconds(2.0, 1.0, 2.0), 960e-6);
        near(costs.seconds(1.0, 0.0, 2.0 * 2f64.sqrt()), 350e-6);
        near(costs.seconds(1.0, 5.0, 64.0), 900e-6);
    }
}
