//! The archive, unpacked where there is nothing else, and where the C library is musl.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use super::checks;
use super::container;
use super::root::{Root, User};
use crate::dist::{Dist, Target};
use crate::run::run;

/// In a root that has nothing else: no shell, no library.
pub(super) fn alone(dist: &Dist, target: Target, archive: &Path) -> anyhow::Result<(String, Duration)> {
    let root = Root::empty(&format!("archive-{}", target.name()), "an empty root", target)?;
    let prefix = root.folder.join("usr/local");
    std::fs::create_dir_all(&prefix)?;
    let start = Instant::now();
    run(Command::new("tar").arg("-C").arg(&prefix).args(["--strip-components=1", "-xzf"]).arg(archive))?;
    checks::first_profile(&root)?;
    let time = start.elapsed();
    checks::program(dist, &root)?;
    checks::files(&root, "usr/local", "share/zsh/site-functions/_leadline")?;
    container::examples(&root, &prefix)?;
    if !dist.quickly && target.is_ours() {
        checks::device(&root)?;
    }
    Ok((root.name, time))
}

/// In a root like Alpine's, made of Debian's packages: BusyBox and musl. Its tar unpacks.
pub(super) fn on_musl(dist: &Dist, target: Target, archive: &Path) -> anyhow::Result<(String, Duration)> {
    let root = Root::empty("musl", "BusyBox and musl", target)?;
    let packages = root.scratch.join("packages");
    std::fs::create_dir_all(&packages)?;
    run(Command::new("apt-get")
        .args(["-qq", "-o", "APT::Sandbox::User=root", "download", "busybox-static", "musl"])
        .current_dir(&packages))?;
    for package in std::fs::read_dir(&packages)? {
        run(Command::new("dpkg").arg("-x").arg(package?.path()).arg(&root.folder))?;
    }
    root.output(User::Root, &["/bin/busybox", "--install", "-s", "/bin"])?;
    std::fs::copy(archive, root.scratch.join("leadline.tar.gz"))?;
    root.output(User::Root, &["mkdir", "-p", "/usr/local"])?;
    let start = Instant::now();
    let unpack = ["tar", "-C", "/usr/local", "--strip-components=1", "-xzf", "/tmp/leadline.tar.gz"];
    root.output(User::Root, &unpack)?;
    checks::first_profile(&root)?;
    let time = start.elapsed();
    checks::program(dist, &root)?;
    checks::files(&root, "usr/local", "share/zsh/site-functions/_leadline")?;
    Ok((root.name, time))
}
