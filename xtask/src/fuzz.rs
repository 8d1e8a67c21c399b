//! `cargo xtask fuzz`: mutated inputs for every reader; the program is in fuzz/.

use std::ffi::OsString;

use anyhow::{Context, bail};

use crate::run::{Usage, cargo, root, words};

/// Builds the fuzzer as tests are built, with checks of overflow, and hands it all that follows.
pub(crate) fn fuzz(arguments: &[OsString]) -> anyhow::Result<()> {
    let mut command = cargo();
    command.args(["run", "--quiet", "--locked", "-p", "leadline-fuzz"]);
    command.arg("--manifest-path").arg(root().join("Cargo.toml")).arg("--").args(arguments);
    let words = words(&command);
    let status = command.status().with_context(|| format!("cannot run `{words}`"))?;
    match status.code() {
        Some(0) => Ok(()),
        Some(2) => Err(Usage::error("fuzz: bad usage, as said above")),
        _ => bail!("`{words}` ended with {status}; docs/testing.md says what to do with what it found"),
    }
}
