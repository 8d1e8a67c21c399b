//! axe-core, which checks pages in a browser, in target/axe: the version that the lock file in
//! crates/report/tests/axe names. npm keeps what it downloaded, so that another one needs no network.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Context;

use crate::run::{root, run, say, target};

const SOURCE: &str = "crates/report/tests/axe";

/// Whether it is there, in the version that the lock file names now.
pub(crate) fn is_ready() -> anyhow::Result<bool> {
    // npm writes this file last.
    let is_there = folder().join("node_modules/.package-lock.json").is_file();
    Ok(is_there
        && fs::read_to_string(folder().join("package-lock.json")).ok() == Some(source("package-lock.json")?))
}

/// Installs it.
pub(crate) fn make() -> anyhow::Result<()> {
    say(&format!("set-up: installing the package of {SOURCE} for the browser"));
    let folder = folder();
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    for file in ["package.json", "package-lock.json"] {
        let to = folder.join(file);
        fs::write(&to, source(file)?).with_context(|| to.display().to_string())?;
    }
    let mut npm = Command::new("npm");
    npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]);
    run(npm.current_dir(folder))
}

fn folder() -> PathBuf {
    target().join("axe")
}

fn source(file: &str) -> anyhow::Result<String> {
    let file = root().join(SOURCE).join(file);
    fs::read_to_string(&file).with_context(|| file.display().to_string())
}
