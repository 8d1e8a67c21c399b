//! The Python that tests the package `leadline`, and has the checker of prose: an environment in
//! target/python with the packages that python/requirements-test.txt lists. pip keeps what it downloaded, so
//! that another one needs no network.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use crate::run::{find_programs, root, run, say, succeeds, target};

/// What the tests of the package need, each with its version.
const LIST: &str = "python/requirements-test.txt";

/// Succeeds where the packages of the list exist, and environments can be made (Debian has that in a package
/// of its own).
const FITS: &str = "import ensurepip, sys, venv; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 13))";

/// The first interpreter on PATH that an environment can be made with.
pub(crate) fn interpreter() -> Option<PathBuf> {
    find_programs("python3").find(|python| succeeds(Command::new(python).args(["-c", FITS])))
}

/// The interpreter of the environment for tests.
pub(crate) fn python() -> PathBuf {
    interpreter_in(&folder())
}

/// Whether the environment is there, with what the list says now.
pub(crate) fn is_ready() -> anyhow::Result<bool> {
    let installed = fs::read_to_string(installed()).ok();
    // Had the system's Python been replaced by a later one, nothing would be found any more.
    Ok(installed == Some(wanted()?) && succeeds(Command::new(python()).args(["-c", "import pytest"])))
}

/// Makes the environment for tests from nothing.
pub(crate) fn make() -> anyhow::Result<()> {
    let wanted = wanted()?;
    say(&format!("set-up: installing the packages of {LIST} for Python"));
    let python = environment(&folder())?;
    let mut pip = pip(&python);
    // To compile all of their modules takes most of the time, and the tests use few of them.
    pip.args(["install", "--quiet", "--no-compile", "--only-binary=:all:"]);
    // Spark is Java's; its package has nothing to compile, and is published as sources only.
    pip.args(["--no-binary=pyspark", "-r"]).arg(root().join(LIST));
    run(&mut pip)?;
    fs::write(installed(), wanted).with_context(|| installed().display().to_string())
}

/// Makes an environment without packages in `folder`, in place of what is there.
pub(crate) fn environment(folder: &Path) -> anyhow::Result<PathBuf> {
    let base = interpreter().context("no python3 of 3.10 to 3.13 with the module ensurepip on PATH")?;
    run(Command::new(base).args(["-m", "venv", "--clear"]).arg(folder))?;
    Ok(interpreter_in(folder))
}

/// The pip of an environment.
pub(crate) fn pip(python: &Path) -> Command {
    let mut command = Command::new(python);
    command.args(["-m", "pip", "--disable-pip-version-check", "--no-input"]);
    command
}

fn folder() -> PathBuf {
    target().join("python")
}

fn interpreter_in(folder: &Path) -> PathBuf {
    folder.join("bin/python")
}

/// The list that was installed: written last, so that what was interrupted begins anew.
fn installed() -> PathBuf {
    folder().join("installed.txt")
}

fn wanted() -> anyhow::Result<String> {
    fs::read_to_string(root().join(LIST)).with_context(|| LIST.to_owned())
}
