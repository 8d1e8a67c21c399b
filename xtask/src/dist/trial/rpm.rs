//! The .rpm: by rpm of this machine, into a root that has nothing else.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use super::checks;
use super::root::{Root, unshare};
use crate::dist::{Dist, Target};
use crate::run::run;

/// Directories that Fedora's package `filesystem` has, and every system after it.
const FILESYSTEM: [&str; 4] = ["usr/bin", "usr/share/doc", "usr/share/licenses", "usr/share/man/man1"];

pub(super) fn alone(dist: &Dist, target: Target, package: &Path) -> anyhow::Result<(String, Duration)> {
    let root = Root::empty(&format!("rpm-{}", target.name()), "an empty root, by rpm", target)?;
    for directory in FILESYSTEM {
        std::fs::create_dir_all(root.folder.join(directory))?;
    }
    run(rpm(&root)?.arg("--initdb"))?;
    let before = root.names()?;
    let start = Instant::now();
    run(rpm(&root)?.args(["--install", "--ignorearch"]).arg(package))?;
    checks::first_profile(&root)?;
    let time = start.elapsed();
    checks::program(dist, &root)?;
    checks::files(&root, "usr", "share/zsh/site-functions/_leadline")?;
    run(rpm(&root)?.args(["--verify", "leadline"]))?;
    run(rpm(&root)?.args(["--erase", "leadline"]))?;
    root.has_only(&before, "the erased package")?;
    Ok((root.name, time))
}

fn rpm(root: &Root) -> anyhow::Result<Command> {
    let mut rpm = unshare()?;
    rpm.args(["rpm", "--dbpath", "/var/lib/rpm", "--root"]).arg(&root.folder);
    rpm.stdout(std::io::stderr());
    Ok(rpm)
}
