//! Builds all tests at once and finds what cargo made of them.

use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use rustix::process::Pid;
use serde_json::Value;

use super::for_tests;
use super::output::Format;
use super::queue::{Job, silence};
use crate::children;
use crate::run::{cargo, root, say, words};

const BUILD: &[&str] =
    &["test", "--workspace", "--no-run", "--locked", "--message-format=json-render-diagnostics"];

/// The library of crates/python, which Python loads.
const EXTENSION: &str = "leadline_python";

/// What a build made.
#[derive(Debug, Default)]
pub(super) struct Built {
    pub(super) programs: Vec<Binary>,
    /// The library that Python loads.
    pub(super) extension: Option<PathBuf>,
}

/// A program made of tests.
#[derive(Debug, Clone)]
pub(super) struct Binary {
    /// The crate's folder from the top of the repository: "crates/pool".
    pub(super) krate: String,
    /// The file or folder in tests/ that it was made of; "src" for the tests within the crate.
    pub(super) name: String,
    pub(super) program: PathBuf,
    /// Where its tests expect to be run: the crate's folder.
    pub(super) folder: PathBuf,
}

impl Binary {
    /// One test after the other, so that each one's time is known; the programs beside it keep the processors
    /// busy.
    pub(super) fn job(&self, exhaustive: bool) -> Job {
        let mut command = for_tests(Command::new(&self.program), exhaustive);
        command.args(["--test-threads=1", "--color=never"]).current_dir(&self.folder);
        // As cargo sets it; ours would mislead them.
        command.env("CARGO_MANIFEST_DIR", &self.folder);
        let (krate, name) = (self.krate.clone(), self.name.clone());
        Job { krate, name, command, format: Format::Rust, silence: silence(exhaustive) }
    }
}

/// Builds the tests of all crates. Warnings and errors appear as cargo shows them.
pub(super) fn build() -> anyhow::Result<Built> {
    let mut command = cargo();
    command.args(BUILD).current_dir(root()).stdin(Stdio::null()).stdout(Stdio::piped());
    let words = words(&command);
    say(&format!("==> build: {words}"));
    let mut child = children::start(&mut command).with_context(|| format!("cannot run `{words}`"))?;
    let stdout = BufReader::new(child.stdout.take().context("stdout was not kept")?);
    let mut built = Built::default();
    for message in serde_json::Deserializer::from_reader(stdout).into_iter::<Value>() {
        let message = message.with_context(|| format!("what `{words}` wrote is not JSON"))?;
        built.programs.extend(binary(&message));
        built.extension = extension(&message).or(built.extension);
    }
    let status = child.wait()?;
    children::ended(Pid::from_child(&child));
    if !status.success() {
        bail!("`{words}` ended with {status}");
    }
    say(&format!("<== build: {} test programs", built.programs.len()));
    Ok(built)
}

/// The test program that one of cargo's messages tells of.
fn binary(message: &Value) -> Option<Binary> {
    if message["reason"] != "compiler-artifact" || message["profile"]["test"] != true {
        return None;
    }
    let program = PathBuf::from(message["executable"].as_str()?);
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?.to_owned();
    let krate = folder.strip_prefix(root()).unwrap_or(&folder).display().to_string();
    let target = &message["target"];
    let name = target["name"].as_str()?;
    let of_tests_folder = target["kind"].as_array()?.iter().any(|kind| kind == "test");
    let is_benchmark = target["src_path"].as_str()?.contains("/src/bin/");
    let name = if of_tests_folder || is_benchmark { name } else { "src" }.to_owned();
    Some(Binary { krate, name, program, folder })
}

/// The library for Python, if one of cargo's messages tells of it.
fn extension(message: &Value) -> Option<PathBuf> {
    if message["reason"] != "compiler-artifact" || message["target"]["name"] != EXTENSION {
        return None;
    }
    let files = message["filenames"].as_array()?.iter().filter_map(Value::as_str);
    files.map(PathBuf::from).find(|file| file.extension().is_some_and(|extension| extension == "so"))
}
