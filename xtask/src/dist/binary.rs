//! The program: one static file, stripped, the same bytes from the same commit.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, bail};

use super::{Dist, Target, debian_rust};
use crate::run::{cargo, root, run, target as target_folder};

/// The profile in the workspace's Cargo.toml.
pub(super) const PROFILE: &str = "packaged";

/// What a program may have at most, in bytes.
const LIMIT: u64 = 30_000_000;

/// Builds it.
pub(super) fn build(dist: &Dist, target: Target) -> anyhow::Result<PathBuf> {
    let mut command = cargo();
    command.args(["build", "--locked", "-p", "leadline-cli", "--bin", "leadline"]);
    command.args(["--profile", PROFILE, "--target", target.triple()]).current_dir(root());
    let mut flags = vec!["-Ctarget-feature=+crt-static".to_owned()];
    if !target.is_ours() {
        // As Debian calls the compilers for other processors. What C there is finds its own by the name.
        flags.push(format!("-Clinker={}-linux-gnu-gcc", target.name()));
        if let Some(compiler) = debian_rust::compiler(target)? {
            command.env("RUSTC", compiler);
        }
    }
    reproducible(&mut command, dist, flags)?;
    run(&mut command)?;
    let program = target_folder().join(target.triple()).join(PROFILE).join("leadline");
    let size = fs::metadata(&program).with_context(|| program.display().to_string())?.len();
    if size > LIMIT {
        bail!("{} has {size} bytes, more than {LIMIT}", program.display());
    }
    Ok(program)
}

/// Makes `command` build the same bytes wherever the repository and cargo's own folder are.
pub(super) fn reproducible(command: &mut Command, dist: &Dist, mut flags: Vec<String>) -> anyhow::Result<()> {
    let mut for_c = Vec::new();
    for (folder, name) in renamed()? {
        flags.push(format!("--remap-path-prefix={}={name}", folder.display()));
        for_c.push(format!("'-ffile-prefix-map={}={name}'", folder.display()));
    }
    // Between two flags stands the byte 0x1f, so that a folder's name may have spaces.
    command.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"));
    command.env("CFLAGS", for_c.join(" ")).env("CC_SHELL_ESCAPED_FLAGS", "1");
    command.env("SOURCE_DATE_EPOCH", dist.epoch.to_string()).env("CARGO_INCREMENTAL", "0");
    Ok(())
}

/// Folders whose names a compiler would write into the program, and what stands there instead.
fn renamed() -> anyhow::Result<Vec<(PathBuf, &'static str)>> {
    // The last one that fits counts.
    let mut renamed = vec![(root().to_owned(), "/leadline"), (target_folder(), "/leadline/target")];
    // Its name has a hash of the registry's address. It may not be there yet.
    let sources = cargo_home()?.join("registry/src");
    for registry in fs::read_dir(sources).into_iter().flatten() {
        renamed.push((registry?.path(), "/crates"));
    }
    Ok(renamed)
}

fn cargo_home() -> anyhow::Result<PathBuf> {
    if let Some(home) = env::var_os("CARGO_HOME") {
        return Ok(PathBuf::from(home));
    }
    Ok(PathBuf::from(env::var_os("HOME").context("neither CARGO_HOME nor HOME is set")?).join(".cargo"))
}
