//! All that a plan is about to use, do and write, to be said before it begins.

use std::path::PathBuf;

use serde::Serialize;

use crate::{Effort, Part};

/// What [`foresee`](crate::postgresql::foresee) says of a plan. Nothing was written for it, and nothing
/// started but programs that were asked for their version.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Foreseen {
    /// The directory on the device.
    pub target: PathBuf,
    /// Of the system.
    pub version: String,
    /// Programs that will be started, all of them found: nothing is installed.
    pub programs: Vec<PathBuf>,
    /// What comes before the first run.
    pub loading: Effort,
    /// The experiments.
    pub parts: Vec<Part>,
    /// The most that is on the device at a time, bytes.
    pub on_disk_bytes: u64,
}

impl Foreseen {
    /// Loading and all experiments together.
    pub fn effort(&self) -> Effort {
        let efforts = || self.parts.iter().map(|part| part.effort).chain([self.loading]);
        Effort {
            seconds: efforts().map(|effort| effort.seconds).sum(),
            written_bytes: efforts().fold(0, |sum: u64, effort| sum.saturating_add(effort.written_bytes)),
        }
    }
}
