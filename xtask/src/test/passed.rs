//! Which test programs passed, and of what: one that is as it was, with what it reads, would pass again.
//!
//! A program is byte by byte the same unless a crate that it is made of changed, so after a change in one
//! crate only what depends on it is run.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::Context;
use xxhash_rust::xxh3::Xxh3;

use super::queue::{Job, Ran};
use crate::run::{root, target};

/// What programs, by their labels, read outside of their crate's folder while they run: files and folders.
const READ_ELSEWHERE: [(&str, &[&str]); 2] = [
    ("crates/cli e2e", &["crates/catalogue/devices"]),
    ("crates/cli pages", &["README.md", "docs", "crates/catalogue/devices"]),
];

/// Its tests look at files everywhere.
const READS_ALL: &str = "xtask";

/// By programs' labels: what they were made of when they passed.
#[derive(Debug, Default)]
pub(super) struct Passed(BTreeMap<String, String>);

impl Passed {
    /// What earlier runs noted. What cannot be read is as good as nothing.
    pub(super) fn load() -> Passed {
        let text = fs::read_to_string(file()).unwrap_or_default();
        Passed(serde_json::from_str(&text).unwrap_or_default())
    }

    /// Takes those out of `jobs` that passed before, and returns their labels.
    pub(super) fn take_out(&self, jobs: &mut Vec<Job>) -> Vec<String> {
        let is_known =
            |job: &mut Job| job.inputs.is_some() && job.inputs.as_ref() == self.0.get(&job.label());
        jobs.extract_if(.., is_known).map(|job| job.label()).collect()
    }

    /// Notes what came of a program. One that could not test all that it has does not count: what it lacked
    /// may be there the next time.
    pub(super) fn note(&mut self, ran: &Ran) -> anyhow::Result<()> {
        let label = format!("{} {}", ran.krate, ran.name);
        match &ran.inputs {
            Some(inputs) if ran.counts.failed == 0 && !ran.skipped => {
                self.0.insert(label, inputs.clone());
            }
            _ => _ = self.0.remove(&label),
        }
        let file = file();
        fs::create_dir_all(file.parent().expect("it is in a folder"))?;
        fs::write(&file, serde_json::to_string_pretty(&self.0)?).with_context(|| file.display().to_string())
    }
}

fn file() -> PathBuf {
    target().join("xtask/passed.json")
}

/// What the outcome of the test program `label` depends on, in a few digits: itself and the other `programs`
/// of its crate, and the files in the crate's folder but for sources, of which the programs are made. `None`
/// if that is not all.
pub(super) fn inputs<'a>(
    label: &str,
    programs: impl IntoIterator<Item = &'a Path>,
    folder: &Path,
) -> anyhow::Result<Option<String>> {
    let krate = folder.strip_prefix(root()).unwrap_or(folder);
    if krate == Path::new(READS_ALL) {
        return Ok(None);
    }
    let mut hash = Xxh3::new();
    for program in programs {
        add_file(&mut hash, program).with_context(|| program.display().to_string())?;
    }
    add_folder(&mut hash, folder)?;
    let elsewhere = READ_ELSEWHERE.iter().filter(|(reader, _)| *reader == label);
    for place in elsewhere.flat_map(|(_, places)| *places) {
        let place = root().join(place);
        if place.is_dir() {
            add_folder(&mut hash, &place)?;
        } else {
            add_file(&mut hash, &place).with_context(|| place.display().to_string())?;
        }
    }
    Ok(Some(format!("{:032x}", hash.digest128())))
}

/// The names and contents of all files but Rust's.
fn add_folder(hash: &mut Xxh3, folder: &Path) -> anyhow::Result<()> {
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let mut entries = entries.with_context(|| folder.display().to_string())?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, kind) = (entry.path(), entry.file_type()?);
        let name = entry.file_name();
        if kind.is_dir() && name != "target" && name != "__pycache__" {
            add_folder(hash, &path)?;
        } else if kind.is_file() && path.extension().is_none_or(|extension| extension != "rs") {
            hash.update(path.as_os_str().as_encoded_bytes());
            add_file(hash, &path).with_context(|| path.display().to_string())?;
        }
    }
    Ok(())
}

fn add_file(hash: &mut Xxh3, path: &Path) -> io::Result<()> {
    let mut file = File::open(path)?;
    hash.update(&file.metadata()?.len().to_le_bytes());
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(()),
            count => hash.update(&buffer[..count]),
        }
    }
}
