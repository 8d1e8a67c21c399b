//! The tests of the package for Python: pytest, the examples in its documentation, its types. What the build
//! made of crates/python is not built again.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use serde_json::Value;

use super::build::{Built, library};
use super::for_tests;
use super::output::Format;
use super::queue::{Job, silence};
use crate::dist::{Packages, wheel, wheel_trial};
use crate::python::TESTS;
use crate::run::{root, say, target};

/// What `import leadline._leadline` loads.
const EXTENSION: &str = "_leadline.abi3.so";

/// The tests of the package that `built` has the extension of.
pub(super) fn jobs(built: &Built, exhaustive: bool) -> anyhow::Result<Vec<Job>> {
    let place = place(&library(extension(built)?).context("cargo built no library from crates/python")?)?;
    let job = |name: &str, words: &[&str], format| {
        let mut command = for_tests(Command::new(TESTS.python()), exhaustive);
        command.arg("-m").args(words).current_dir(source());
        command.env("PYTHONPATH", &place);
        // What they keep is kept out of the sources.
        command.env("PYTHONPYCACHEPREFIX", target().join("python/cache"));
        command.env("HYPOTHESIS_STORAGE_DIRECTORY", target().join("hypothesis"));
        command.env("MYPY_CACHE_DIR", target().join("mypy").join(name));
        let (krate, name) = ("python".to_owned(), name.to_owned());
        Job { krate, name, command, format, silence: silence(exhaustive), inputs: None }
    };
    let pytest = ["pytest", "-p", "no:cacheprovider", "--verbose", "--color=no", "-c", "pyproject.toml"];
    let mut examples = job("examples", &pytest, Format::Pytest);
    examples.command.args(["--doctest-modules", "--doctest-glob=*.md", "--rootdir"]);
    examples.command.arg(&place).arg(place.join("leadline")).arg("README.md");
    Ok(vec![
        job("tests", &[&pytest[..], &["tests"]].concat(), Format::Pytest),
        examples,
        job("types", &["mypy"], Format::None),
        job(
            "stubs",
            &["mypy.stubtest", "leadline._leadline", "--mypy-config-file", "pyproject.toml"],
            Format::None,
        ),
    ])
}

/// A wheel of what the build made, used as users do.
pub(super) fn wheel(built: &Built) -> anyhow::Result<()> {
    say("==> wheel: of the library that was built for the tests, in an environment of its own");
    let wheel = wheel::of_library(extension(built)?)?;
    wheel_trial::use_once(&wheel, Packages::Of(&TESTS))
}

fn extension(built: &Built) -> anyhow::Result<&Value> {
    built.extension.as_ref().context("cargo built no extension from crates/python")
}

fn source() -> PathBuf {
    root().join("python")
}

/// A folder from which `import leadline` finds the sources, the extension, and what pip would say of the
/// package. Links lead to all of it: a change of a source needs no other run of this, and a traceback leads
/// to the source.
fn place(extension: &Path) -> anyhow::Result<PathBuf> {
    let place = target().join("python-package");
    let package = place.join("leadline");
    if place.exists() {
        fs::remove_dir_all(&place)?;
    }
    fs::create_dir_all(&package)?;
    let sources = source().join("src/leadline");
    for entry in fs::read_dir(&sources).with_context(|| sources.display().to_string())? {
        let entry = entry?;
        // Another build may have left its extension beside them.
        if entry.path().extension().is_none_or(|extension| extension != "so") {
            symlink(entry.path(), package.join(entry.file_name()))?;
        }
    }
    symlink(extension, package.join(EXTENSION))?;
    describe(&place)?;
    Ok(place)
}

/// Writes what is written beside an installed package: its version, and the entry points by which networkx
/// finds it.
fn describe(place: &Path) -> anyhow::Result<()> {
    let mut command = Command::new(TESTS.python());
    command.args(["-m", "maturin", "pep517", "write-dist-info", "--metadata-directory"]).arg(place);
    command.arg("--interpreter").arg(TESTS.python()).current_dir(source());
    let output = command.output().context("cannot run maturin")?;
    if !output.status.success() {
        bail!("maturin refuses python/pyproject.toml: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}
