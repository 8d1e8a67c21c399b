//! Environments for Python in the target folder, each with the packages of a list. pip keeps what it
//! downloaded, so that another one needs no network.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use crate::run::{find_programs, root, run, say, succeeds, target};

/// An environment that stays.
#[derive(Debug)]
pub(crate) struct Environment {
    /// In the target folder.
    folder: &'static str,
    /// Its packages, each with its version: a file from the top of the repository.
    list: &'static str,
    /// A module of one of them.
    module: &'static str,
}

/// Tests the package `leadline`, and has the checker of prose.
pub(crate) const TESTS: Environment =
    Environment { folder: "python", list: "python/requirements-test.txt", module: "pytest" };

/// Makes the wheel of the package.
pub(crate) const WHEELS: Environment =
    Environment { folder: "python-dist", list: "python/requirements-dist.txt", module: "auditwheel" };

impl Environment {
    /// Its interpreter.
    pub(crate) fn python(&self) -> PathBuf {
        self.program("python")
    }

    /// A program that its packages brought.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.programs().join(name)
    }

    /// The folder for PATH.
    pub(crate) fn programs(&self) -> PathBuf {
        self.place().join("bin")
    }

    /// Whether it is there, with what the list says now.
    pub(crate) fn is_ready(&self) -> anyhow::Result<bool> {
        let installed = fs::read_to_string(self.installed()).ok();
        // Had the system's Python been replaced by a later one, nothing would be found any more.
        let import = format!("import {}", self.module);
        Ok(installed == Some(self.wanted()?) && succeeds(Command::new(self.python()).args(["-c", &import])))
    }

    /// Makes it from nothing.
    pub(crate) fn make(&self) -> anyhow::Result<()> {
        let wanted = self.wanted()?;
        say(&format!("set-up: installing the packages of {} for Python", self.list));
        let python = environment(&self.place())?;
        let mut pip = pip(&python);
        // To compile all of their modules takes most of the time, and the tests use few of them.
        pip.args(["install", "--quiet", "--no-compile", "--only-binary=:all:"]);
        // Spark is Java's; its package has nothing to compile, and is published as sources only.
        pip.args(["--no-binary=pyspark", "-r"]).arg(root().join(self.list));
        run(&mut pip)?;
        fs::write(self.installed(), wanted).with_context(|| self.installed().display().to_string())
    }

    fn place(&self) -> PathBuf {
        target().join(self.folder)
    }

    /// The list that was installed: written last, so that what was interrupted begins anew.
    fn installed(&self) -> PathBuf {
        self.place().join("installed.txt")
    }

    fn wanted(&self) -> anyhow::Result<String> {
        fs::read_to_string(root().join(self.list)).with_context(|| self.list.to_owned())
    }
}

/// Succeeds where the packages of the lists exist, and environments can be made (Debian has that in a package
/// of its own).
const FITS: &str = "import ensurepip, sys, venv; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 13))";

/// The first interpreter on PATH that an environment can be made with.
pub(crate) fn interpreter() -> Option<PathBuf> {
    find_programs("python3").find(|python| succeeds(Command::new(python).args(["-c", FITS])))
}

/// Makes an environment without packages in `folder`, in place of what is there.
pub(crate) fn environment(folder: &Path) -> anyhow::Result<PathBuf> {
    let base = interpreter().context("no python3 of 3.10 to 3.13 with the module ensurepip on PATH")?;
    run(Command::new(base).args(["-m", "venv", "--clear"]).arg(folder))?;
    Ok(folder.join("bin/python"))
}

/// The pip of an environment.
pub(crate) fn pip(python: &Path) -> Command {
    let mut command = Command::new(python);
    command.args(["-m", "pip", "--disable-pip-version-check", "--no-input"]);
    command
}
