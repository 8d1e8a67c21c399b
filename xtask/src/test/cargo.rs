//! What cargo checks next to the tests. They wait for devices and clocks now and then; this fills the gaps.

use anyhow::Context;

use super::build::Built;
use super::for_tests;
use super::output::Format;
use super::queue::{Job, LONG_SILENCE};
use crate::run::{Workspace, cargo, root};

/// This program again, as a user runs it.
const PROSE: &[&str] = &["xtask", "prose"];
/// And once more. It links the program with the library that is named next, and makes the site with cargo.
const DIST: &[&str] = &["xtask", "dist", "--smoke"];
const LINTS: &[&str] = &["clippy", "--workspace", "--all-targets", "--locked"];
/// The examples in the documentation of all libraries.
const EXAMPLES: &[&str] = &["test", "--workspace", "--doc", "--locked", "--quiet", "--color=never"];
const DOCS: &[&str] = &["doc", "--workspace", "--no-deps", "--locked"];
/// Its list of files and its dependencies make each crate a package. It is built from that only in an
/// exhaustive run, since that takes as long as a first build. What is never published need not be complete:
/// the fuzzer reads samples of other crates.
const PACKAGE: &[&str] = &[
    "package",
    "--workspace",
    "--exclude=leadline-crash",
    "--exclude=leadline-fuzz",
    "--exclude=leadline-python",
    "--exclude=leadline-testing",
    "--exclude=xtask",
    "--locked",
    "--allow-dirty",
    "--quiet",
];

/// One after the other, because cargo locks what it builds; those that fail most often first.
pub(super) fn jobs(built: &Built, exhaustive: bool) -> anyhow::Result<Vec<Job>> {
    let job = |krate: &str, name: &str, arguments: &[&str], workspace: Workspace, format| {
        let mut command = for_tests(cargo(), exhaustive);
        command.args(arguments).args(workspace.arguments()).current_dir(root());
        let (krate, name) = (krate.to_owned(), name.to_owned());
        Job { krate, name, command, format, silence: LONG_SILENCE, inputs: None }
    };
    let lints = |name, workspace| {
        let mut lints = job("lints", name, LINTS, workspace, Format::None);
        lints.command.args(["--", "-D", "warnings"]);
        lints
    };
    let pages = |name, workspace| {
        let mut pages = job("documentation", name, DOCS, workspace, Format::None);
        pages.command.env("RUSTDOCFLAGS", "-D warnings");
        pages
    };
    let library = built.library.as_deref().context("cargo built no library from crates/cli")?;
    let mut installed = job("installed", "archive, .deb and .rpm", DIST, Workspace::Main, Format::None);
    installed.command.arg(library);
    let unverified: &[&str] = if exhaustive { &[] } else { &["--no-verify"] };
    let package = [PACKAGE, unverified].concat();
    Ok(vec![
        job("prose", "of pages, help, messages and documentation", PROSE, Workspace::Main, Format::None),
        installed,
        lints("clippy", Workspace::Main),
        lints("clippy on benchmarks and examples", Workspace::Examples),
        job("documentation", "examples", EXAMPLES, Workspace::Main, Format::Rust),
        pages("pages", Workspace::Main),
        pages("pages of benchmarks and examples", Workspace::Examples),
        job("packages", "of all published crates", &package, Workspace::Main, Format::None),
    ])
}
