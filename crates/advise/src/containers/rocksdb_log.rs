//! The LOG of RocksDB, into which it writes its version and all of its options as it opens a database.

use super::found::Found;
use super::source::Source;
use crate::{AdviseError, System};

pub(super) fn find(source: &Source) -> Result<Option<Vec<Found>>, AdviseError> {
    let version = source.text.lines().find_map(|line| Some(line.split_once("RocksDB version: ")?.1.trim()));
    let options = source.text.lines().enumerate().filter_map(|(at, line)| Some((at + 1, option(line)?)));
    let options: Vec<(usize, (&str, &str))> = options.collect();
    let Some((first, _)) = options.first() else { return Ok(None) };
    let evidence = format!("{} lines with Options., e.g. line {first}", options.len());
    let mut found = Found::new(System::Rocksdb, source.path, evidence);
    found.config.version = version.map(str::to_owned);
    // A LOG goes on for as long as the database is open; the first of each is of this opening.
    for (line, (key, value)) in &options {
        if found.config.last(key).is_none() {
            found.put_in("DBOptions", key, value, *line);
        }
    }
    Ok(Some(vec![found]))
}

/// `…  Options.max_background_jobs: 2`.
fn option(line: &str) -> Option<(&str, &str)> {
    let (_, rest) = line.split_once(" Options.")?;
    let (key, value) = rest.split_once(':')?;
    let is_key = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_key.then_some((key, value.trim()))
}
