//! `cargo xtask site`: the pages of docs/ in HTML.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use crate::run::{Usage, Workspace, cargo, root, run, target};

/// Builds the site, into the directory that is named or else the target directory, and checks its links.
pub(crate) fn site(words: &[OsString]) -> anyhow::Result<()> {
    let into = match words {
        [] => target().join("site"),
        [word] if word.as_encoded_bytes().starts_with(b"-") => {
            return Err(Usage::error(format!(
                "`site` does not take `{}`: it takes a directory or nothing",
                word.display()
            )));
        }
        [directory] => env::current_dir()?.join(PathBuf::from(directory)),
        [_, word, ..] => {
            return Err(Usage::error(format!(
                "`site` takes one directory, but also `{}` was given: leave it out",
                word.display()
            )));
        }
    };
    let mut command = cargo();
    command.args(["run", "--quiet", "--locked", "-p", "leadline-site"]).args(Workspace::Examples.arguments());
    run(command.arg("--").arg(into).current_dir(root()))
}
