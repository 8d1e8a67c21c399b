//! What cargo checks beside the tests. They wait for devices and clocks now and then; this fills the gaps.

use super::for_tests;
use super::output::Format;
use super::queue::{Job, LONG_SILENCE};
use crate::run::{cargo, root};

const LINTS: &[&str] = &["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"];
/// The examples in the documentation of all libraries.
const EXAMPLES: &[&str] = &["test", "--workspace", "--doc", "--locked", "--quiet", "--color=never"];
const DOCS: &[&str] = &["doc", "--workspace", "--no-deps", "--locked"];
/// Its list of files and its dependencies make each crate a package. It is built from that only in an
/// exhaustive run, since that takes as long as a first build. What is never published need not be complete:
/// the fuzzer reads samples of other crates.
const PACKAGE: &[&str] = &[
    "package",
    "--workspace",
    "--exclude=leadline-benches",
    "--exclude=leadline-btree",
    "--exclude=leadline-crash",
    "--exclude=leadline-fuzz",
    "--exclude=leadline-python",
    "--exclude=leadline-testing",
    "--exclude=leadline-tpcc",
    "--exclude=leadline-tpch",
    "--exclude=xtask",
    "--locked",
    "--allow-dirty",
    "--quiet",
];

/// One after the other, because cargo locks what it builds; those that fail most often first.
pub(super) fn jobs(exhaustive: bool) -> Vec<Job> {
    let job = |krate: &str, name: &str, arguments: &[&str], format| {
        let mut command = for_tests(cargo(), exhaustive);
        command.args(arguments).current_dir(root());
        let (krate, name) = (krate.to_owned(), name.to_owned());
        Job { krate, name, command, format, silence: LONG_SILENCE, inputs: None }
    };
    let mut docs = job("documentation", "pages", DOCS, Format::None);
    docs.command.env("RUSTDOCFLAGS", "-D warnings");
    let unverified: &[&str] = if exhaustive { &[] } else { &["--no-verify"] };
    vec![
        job("lints", "clippy", LINTS, Format::None),
        job("documentation", "examples", EXAMPLES, Format::Rust),
        docs,
        job("packages", "of all published crates", &[PACKAGE, unverified].concat(), Format::None),
    ]
}
