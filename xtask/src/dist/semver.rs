//! `cargo xtask semver`: whether the libraries still have all that they had in the last release, or have a
//! version that says so. It is no part of `dist`: to install cargo-semver-checks and to document two versions
//! of every crate takes longer than everything that `dist` makes.

use std::ffi::OsString;
use std::process::Command;

use super::tools;
use crate::run::{Usage, output, root, run, say};

/// Compares the crates that are named, or all that are published, with the last tag.
pub(crate) fn semver(words: &[OsString]) -> anyhow::Result<()> {
    if let Some(word) = words.iter().find(|word| word.as_encoded_bytes().starts_with(b"-")) {
        let word = word.display();
        return Err(Usage::error(format!(
            "`semver` does not take `{word}`: it takes names of crates or nothing"
        )));
    }
    let Some(tag) = last_tag()? else {
        say("semver: no tag v* yet: nothing to compare with");
        return Ok(());
    };
    say(&format!("semver: comparing with {tag}"));
    let mut check = Command::new(tools::installed("cargo-semver-checks", "0.51.0")?);
    check.args(["semver-checks", "--baseline-rev", &tag]).current_dir(root());
    match words {
        [] => check.arg("--workspace"),
        crates => {
            check.args(crates.iter().flat_map(|name| [&OsString::from("--package"), name].map(Clone::clone)))
        }
    };
    run(&mut check)
}

/// The newest release before this commit. The tag of a release that is being made is the commit's own.
fn last_tag() -> anyhow::Result<Option<String>> {
    let mut git = Command::new("git");
    git.args([
        "tag",
        "--merged",
        "HEAD",
        "--no-contains",
        "HEAD",
        "--sort=-version:refname",
        "--list",
        "v[0-9]*",
    ]);
    Ok(output(git.current_dir(root()))?.lines().next().map(str::to_owned))
}
