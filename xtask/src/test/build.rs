//! Builds all tests at once and finds the programs that cargo made of them.

use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, bail};
use serde_json::Value;

use crate::children;
use crate::run::{cargo, root, say, words};

const BUILD: &[&str] =
    &["test", "--workspace", "--no-run", "--locked", "--message-format=json-render-diagnostics"];

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

/// Builds the tests of all crates. Warnings and errors appear as cargo shows them.
pub(super) fn build() -> anyhow::Result<Vec<Binary>> {
    let mut command = cargo();
    command.args(BUILD).current_dir(root()).stdin(Stdio::null()).stdout(Stdio::piped());
    let words = words(&command);
    say(&format!("==> build: {words}"));
    let mut child = children::start(&mut command).with_context(|| format!("cannot run `{words}`"))?;
    let stdout = BufReader::new(child.stdout.take().context("stdout was not kept")?);
    let mut binaries = Vec::new();
    for message in serde_json::Deserializer::from_reader(stdout).into_iter::<Value>() {
        let message = message.with_context(|| format!("what `{words}` wrote is not JSON"))?;
        binaries.extend(binary(&message));
    }
    let status = child.wait()?;
    children::ended(&child);
    if !status.success() {
        bail!("`{words}` ended with {status}");
    }
    say(&format!("<== build: {} test programs", binaries.len()));
    Ok(binaries)
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
