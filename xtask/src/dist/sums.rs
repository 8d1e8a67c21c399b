//! What was made: a table for the reader, and SHA256SUMS for who downloads it.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::Context;

use super::Dist;
use crate::run::{output, say};

/// An artefact.
#[derive(Debug)]
pub(super) struct Made {
    what: &'static str,
    file: PathBuf,
    time: Duration,
}

impl Made {
    /// An artefact that was begun at `start` and is ready now.
    pub(super) fn new(what: &'static str, file: PathBuf, start: Instant) -> Made {
        Made { what, file, time: start.elapsed() }
    }
}

/// Writes the sums of all that stands in the folder, and prints what was made this time.
pub(super) fn write(dist: &Dist, made: &[Made]) -> anyhow::Result<()> {
    const SUMS: &str = "SHA256SUMS";
    let mut names = Vec::new();
    for entry in fs::read_dir(&dist.into)? {
        let entry = entry?;
        if entry.file_type()?.is_file() && entry.file_name() != SUMS {
            names.push(entry.file_name());
        }
    }
    names.sort();
    let sums = output(Command::new("sha256sum").arg("--").args(&names).current_dir(&dist.into))?;
    fs::write(dist.into.join(SUMS), sums).with_context(|| SUMS)?;
    for Made { what, file, time } in made {
        let megabytes = fs::metadata(file)?.len() as f64 / 1e6;
        let seconds = time.as_secs_f64();
        say(&format!("{what:<14} {megabytes:>6.1} MB {seconds:>6.1} s  {}", file.display()));
    }
    Ok(())
}
