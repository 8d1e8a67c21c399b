//! What was made is tried as a user would, in roots where nothing of this machine's is found.

mod archive;
mod checks;
mod container;
mod debian;
mod root;
mod rpm;

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context;

use super::{Dist, Target};
use crate::run::{is_root, say};

/// Releases of Debian on which the package is tried.
const RELEASES: [(u32, &str); 2] = [(12, "bookworm"), (13, "trixie")];

/// What was tried.
#[derive(Debug)]
pub(super) struct Tried {
    artefact: &'static str,
    place: String,
    /// From the file to the first profile; none if it could not be tried.
    time: Option<Duration>,
}

/// Tries the archive.
pub(super) fn of_archive(dist: &Dist, target: Target, archive: &Path) -> anyhow::Result<Vec<Tried>> {
    let mut trials = Trials::new("archive");
    trials.add(|| archive::alone(dist, target, archive))?;
    if !dist.quickly && target.is_ours() {
        trials.add(|| archive::on_musl(dist, target, archive))?;
    }
    Ok(trials.tried)
}

/// Tries the package for Debian.
pub(super) fn of_deb(dist: &Dist, target: Target, package: &Path) -> anyhow::Result<Vec<Tried>> {
    let mut trials = Trials::new(".deb");
    trials.add(|| debian::alone(dist, target, package))?;
    for release in RELEASES {
        if dist.quickly || !target.is_ours() {
            continue;
        }
        if is_root()? {
            trials.add(|| debian::on_release(dist, target, package, release))?;
        } else {
            trials.leave_out(format!("Debian {}: needs root", release.0));
        }
    }
    Ok(trials.tried)
}

/// Tries the package for systems with RPM.
pub(super) fn of_rpm(dist: &Dist, target: Target, package: &Path) -> anyhow::Result<Vec<Tried>> {
    let mut trials = Trials::new(".rpm");
    trials.add(|| rpm::alone(dist, target, package))?;
    Ok(trials.tried)
}

/// A line for each trial.
pub(super) fn print(tried: &[Tried]) {
    for Tried { artefact, place, time } in tried {
        match time {
            Some(time) => {
                let seconds = time.as_secs_f64();
                say(&format!(
                    "{artefact:<14} {seconds:>6.1} s from the file to the first profile, in {place}"
                ));
            }
            None => say(&format!("{artefact:<14} NOT TRIED in {place}")),
        }
    }
}

/// Trials of one artefact.
struct Trials {
    artefact: &'static str,
    tried: Vec<Tried>,
}

impl Trials {
    fn new(artefact: &'static str) -> Trials {
        Trials { artefact, tried: Vec::new() }
    }

    fn add(&mut self, trial: impl FnOnce() -> anyhow::Result<(String, Duration)>) -> anyhow::Result<()> {
        let start = Instant::now();
        let (place, time) = trial().with_context(|| format!("trial of the {}", self.artefact))?;
        let whole = start.elapsed().as_secs_f64();
        say(&format!("dist: tried the {} in {place}, {whole:.1} s", self.artefact));
        self.tried.push(Tried { artefact: self.artefact, place, time: Some(time) });
        Ok(())
    }

    fn leave_out(&mut self, place: String) {
        self.tried.push(Tried { artefact: self.artefact, place, time: None });
    }
}
