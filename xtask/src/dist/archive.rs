//! The archive for any Linux: unpacked under a prefix, or run where it is.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Context;

use super::{Dist, Tree};
use crate::run::run;

/// Packs the tree, with its folder's name before each name: `tar -C /usr/local --strip-components=1 -xzf`
/// installs it.
pub(super) fn make(dist: &Dist, tree: &Tree) -> anyhow::Result<PathBuf> {
    let name = tree.folder.file_name().context("the tree has a name")?;
    let mut file = name.to_owned();
    file.push(".tar.gz");
    let file = dist.into.join(file);
    let mut tar = Command::new("tar");
    tar.args(["--create", "--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--format=gnu"]);
    tar.arg(format!("--mtime=@{}", dist.epoch)).args(["--use-compress-program", "gzip -9n", "--file"]);
    tar.arg(&file).arg("-C").arg(tree.folder.parent().context("the tree stands in a folder")?).arg(name);
    run(&mut tar)?;
    Ok(file)
}
