//! `cargo xtask dist --smoke RLIB`, which the complete run of the tests starts: packages are made as for
//! users and tried where there is nothing else, with a program that is linked from what the tests have built.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use super::{Dist, Target, Tree, archive, debian, rpm, trial};
use crate::run::{root, run, target as target_folder};

/// `library` is the compiled crate leadline-cli that the tests were built with.
pub(super) fn smoke(mut dist: Dist, library: &Path) -> anyhow::Result<()> {
    dist.into = target_folder().join("smoke");
    dist.quickly = true;
    fs::create_dir_all(&dist.into).with_context(|| dist.into.display().to_string())?;
    let target = Target::OURS;
    let program = link(&dist, library)?;
    let tree = Tree::lay_out(&dist, target, &program)?;
    let mut tried = trial::of_archive(&dist, target, &archive::make(&dist, &tree)?)?;
    tried.extend(trial::of_deb(&dist, target, &debian::make(&dist, &tree)?)?);
    tried.extend(trial::of_rpm(&dist, target, &rpm::make(&dist, &tree)?)?);
    trial::print(&tried);
    Ok(())
}

/// A static program, as users get it, but for what the compiler optimises.
fn link(dist: &Dist, library: &Path) -> anyhow::Result<PathBuf> {
    let dependencies = library.parent().context("a library lies in a folder")?;
    let program = dist.into.join("leadline");
    let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or_else(|| OsString::from("rustc")));
    rustc.args([
        "--edition=2024",
        "--crate-name=leadline",
        "-Ctarget-feature=+crt-static",
        "-Cstrip=symbols",
    ]);
    rustc.arg("--extern").arg(named("leadline_cli=", library));
    rustc.arg("-L").arg(named("dependency=", dependencies)).arg("-o").arg(&program);
    run(rustc.arg("crates/cli/src/main.rs").current_dir(root()))?;
    Ok(program)
}

fn named(name: &str, path: &Path) -> OsString {
    let mut word = OsString::from(name);
    word.push(path);
    word
}
