//! What was made: a table for the reader, and SHA256SUMS for who downloads it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
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

const SUMS: &str = "SHA256SUMS";

/// The names of all files in `folder`, each with the sum of its bytes.
pub(super) fn sums(folder: &Path) -> anyhow::Result<BTreeMap<String, String>> {
    let mut sums = BTreeMap::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let entry = entry?;
        if !entry.file_type()?.is_file() || entry.file_name() == SUMS {
            continue;
        }
        let name = entry.file_name().into_string().ok().context("the name of an artefact is text")?;
        let line = output(Command::new("sha256sum").arg("--").arg(&name).current_dir(folder))?;
        let sum = line.split_whitespace().next().context("sha256sum wrote nothing")?;
        sums.insert(name, sum.to_owned());
    }
    Ok(sums)
}

/// Writes the sums of all that stands in the folder, and prints what was made this time.
pub(super) fn write(dist: &Dist, made: &[Made]) -> anyhow::Result<()> {
    let lines = sums(&dist.into)?.into_iter().map(|(name, sum)| format!("{sum}  {name}\n"));
    fs::write(dist.into.join(SUMS), lines.collect::<String>()).with_context(|| SUMS)?;
    for Made { what, file, time } in made {
        let megabytes = fs::metadata(file)?.len() as f64 / 1e6;
        let seconds = time.as_secs_f64();
        say(&format!("{what:<14} {megabytes:>6.1} MB {seconds:>6.1} s  {}", file.display()));
    }
    Ok(())
}
