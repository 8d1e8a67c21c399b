//! Whether two builds of one commit make the same bytes: the second is made in a clone with another name,
//! with nothing that the first has compiled.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail};

use super::Dist;
use super::sums::sums;
use crate::run::{cargo, output, root, run, say, target as target_folder};

/// Makes the parts `names` again, and compares every file that both builds have made.
pub(super) fn compare(dist: &Dist, names: &[&str]) -> anyhow::Result<()> {
    let mut changes = Command::new("git");
    let changes = output(changes.args(["status", "--porcelain"]).current_dir(root()))?;
    if let Some(first) = changes.lines().next() {
        bail!("not committed: `{first}`; the second build would be another program");
    }
    // What was built before belongs to another commit, perhaps.
    make(root(), names)?;
    let clone = target_folder().join("again").join("a clone elsewhere");
    if clone.exists() {
        fs::remove_dir_all(&clone).with_context(|| clone.display().to_string())?;
    }
    run(Command::new("git").args(["clone", "--quiet"]).arg(root()).arg(&clone))?;
    make(&clone, names)?;
    let (first, second) = (sums(&dist.into)?, sums(&clone.join("target/dist"))?);
    if second.is_empty() {
        bail!("the second build has made nothing");
    }
    let differ: Vec<&str> = second
        .iter()
        .filter(|(name, sum)| first.get(*name) != Some(sum))
        .map(|(name, _)| name.as_str())
        .collect();
    if !differ.is_empty() {
        bail!(
            "made again, these have other bytes: {} (the second ones are in {})",
            differ.join(", "),
            clone.display()
        );
    }
    say(&format!("dist: {} files have the same bytes in both builds", second.len()));
    fs::remove_dir_all(&clone).with_context(|| clone.display().to_string())
}

fn make(checkout: &Path, names: &[&str]) -> anyhow::Result<()> {
    let mut dist = cargo();
    dist.args(["xtask", "dist"]).args(names).current_dir(checkout);
    // The clone has a target folder of its own.
    if checkout != root() {
        dist.env_remove("CARGO_TARGET_DIR");
    }
    run(&mut dist)
}
