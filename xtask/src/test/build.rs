//! Builds all tests at once and finds what cargo made of them.

use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use rustix::process::Pid;
use serde_json::Value;

use super::output::Format;
use super::queue::{Job, silence};
use super::{for_tests, parts, passed};
use crate::children;
use crate::run::{Workspace, cargo, root, say, words};

const BUILD: &[&str] =
    &["test", "--workspace", "--no-run", "--locked", "--message-format=json-render-diagnostics"];

/// The library of crates/python, which Python loads.
const EXTENSION: &str = "leadline_python";

/// The library of crates/cli, which is all of the program.
const LIBRARY: &str = "leadline_cli";

/// What a build made.
#[derive(Debug, Default)]
pub(super) struct Built {
    pub(super) programs: Vec<Binary>,
    /// What tests run as users do.
    pub(super) commands: Vec<Binary>,
    /// What cargo told of the library that Python loads.
    pub(super) extension: Option<Value>,
    /// The library that the program is linked with.
    pub(super) library: Option<PathBuf>,
}

/// A program: its tests, if it is made of them.
#[derive(Debug, Clone, Default)]
pub(super) struct Binary {
    /// The crate's folder from the top of the repository: "crates/pool".
    pub(super) krate: String,
    /// The file or folder in tests/ that it was made of; "src" for the tests within the crate.
    pub(super) name: String,
    pub(super) program: PathBuf,
    /// Where its tests expect to be run: the crate's folder.
    pub(super) folder: PathBuf,
    /// Tests that are left out: those with one of these in their names.
    pub(super) without: Vec<String>,
}

impl Binary {
    pub(super) fn label(&self) -> String {
        format!("{} {}", self.krate, self.name)
    }

    /// One for most programs, several for those in [`parts`].
    pub(super) fn jobs(&self, exhaustive: bool, built: &Built) -> anyhow::Result<Vec<Job>> {
        let whole = self.job(exhaustive, built)?;
        match parts::of(&self.label()) {
            None => Ok(vec![whole]),
            Some(parts) => parts::split(&whole, &|| self.command(exhaustive), parts),
        }
    }

    fn job(&self, exhaustive: bool, built: &Built) -> anyhow::Result<Job> {
        let command = self.command(exhaustive);
        let (krate, name) = (self.krate.clone(), self.name.clone());
        let beside = built.commands.iter().filter(|command| command.folder == self.folder);
        let programs = std::iter::once(self).chain(beside).map(|binary| binary.program.as_path());
        let inputs = passed::inputs(&self.label(), programs, &self.folder)?;
        Ok(Job { krate, name, command, format: Format::Rust, silence: silence(exhaustive), inputs })
    }

    /// One test after the other, so that each one's time is known; the programs beside it keep the processors
    /// busy.
    fn command(&self, exhaustive: bool) -> Command {
        let mut command = for_tests(Command::new(&self.program), exhaustive);
        command.args(["--test-threads=1", "--color=never"]).current_dir(&self.folder);
        command.args(self.without.iter().map(|name| format!("--skip={name}")));
        // As cargo sets it; ours would mislead them.
        command.env("CARGO_MANIFEST_DIR", &self.folder);
        command
    }
}

/// Builds the tests of all crates of a workspace. Warnings and errors appear as cargo shows them.
pub(super) fn build(workspace: Workspace) -> anyhow::Result<Built> {
    let mut built = Built::default();
    let mut command = cargo();
    command.args(BUILD).args(workspace.arguments()).current_dir(root());
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let words = words(&command);
    say(&format!("==> build: {words}"));
    let mut child = children::start(&mut command).with_context(|| format!("cannot run `{words}`"))?;
    let stdout = BufReader::new(child.stdout.take().context("stdout was not kept")?);
    for message in serde_json::Deserializer::from_reader(stdout).into_iter::<Value>() {
        let message = message.with_context(|| format!("what `{words}` wrote is not JSON"))?;
        if let Some(binary) = binary(&message) {
            let is_test = message["profile"]["test"] == true;
            if is_test { built.programs.push(binary) } else { built.commands.push(binary) }
        }
        built.library = made_of(LIBRARY, "rlib", &message).or(built.library);
        if library(&message).is_some() {
            built.extension = Some(message);
        }
    }
    let status = child.wait()?;
    children::ended(Pid::from_child(&child));
    if !status.success() {
        bail!("`{words}` ended with {status}");
    }
    say(&format!("<== build: {} test programs", built.programs.len()));
    Ok(built)
}

/// The program that one of cargo's messages tells of.
fn binary(message: &Value) -> Option<Binary> {
    if message["reason"] != "compiler-artifact" {
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
    Some(Binary { krate, name, program, folder, without: Vec::new() })
}

/// The library for Python, if one of cargo's messages tells of it.
pub(super) fn library(message: &Value) -> Option<PathBuf> {
    made_of(EXTENSION, "so", message)
}

/// The file with this ending that was made of the library `name`, if one of cargo's messages tells of it.
fn made_of(name: &str, ending: &str, message: &Value) -> Option<PathBuf> {
    let of_library = message["reason"] == "compiler-artifact" && message["target"]["name"] == name;
    if !of_library || message["profile"]["test"] == true {
        return None;
    }
    let files = message["filenames"].as_array()?.iter().filter_map(Value::as_str);
    files.map(PathBuf::from).find(|file| file.extension().is_some_and(|extension| extension == ending))
}
