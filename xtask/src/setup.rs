//! `cargo xtask setup`: what the tests need and cargo does not bring.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::process::Command;

use anyhow::bail;

use crate::run::{Usage, cargo, find_program, run, say, succeeds};

/// A program that the tests start, and the Debian package it comes in.
struct Need {
    program: &'static str,
    package: &'static str,
}

/// Add a line here when a test starts another program.
const NEEDS: [Need; 6] = [
    Need { program: "chromium", package: "chromium" }, // opens the report
    Need { program: "fio", package: "fio" },           // checks the exported jobs, and the numbers
    Need { program: "losetup", package: "mount" },     // disks for the safety tests
    Need { program: "mkfs.ext4", package: "e2fsprogs" }, // file systems on them
    Need { program: "python3", package: "python3" },   // the example postgres-trace has tests in Python
    Need { program: "sfdisk", package: "fdisk" },      // partitions on them
];

const COMPONENTS: [(&str, &str); 2] = [("fmt", "rustfmt"), ("clippy", "clippy")];

/// Installs what is missing and says in one line what was done.
pub(crate) fn setup() -> anyhow::Result<()> {
    let packages = install_packages()?;
    let components = install_components()?;
    let done = [packages, components].concat();
    if done.is_empty() {
        let programs = NEEDS.map(|need| need.program).join(", ");
        say(&format!("set-up: nothing to do ({programs}, rustfmt and clippy are here)"));
    } else {
        say(&format!("set-up: installed {}", done.join(", ")));
    }
    Ok(())
}

fn missing() -> Vec<&'static Need> {
    NEEDS.iter().filter(|need| find_program(need.program).is_none()).collect()
}

/// The packages it installed.
fn install_packages() -> anyhow::Result<Vec<&'static str>> {
    let needs = missing();
    if needs.is_empty() {
        return Ok(Vec::new());
    }
    let packages: Vec<&str> = needs.iter().map(|need| need.package).collect();
    if find_program("apt-get").is_none() {
        return Err(Usage::error(format!(
            "missing programs: {}; this is not Debian (no apt-get), so install them your system's way and have \
             them on PATH",
            programs(&needs)
        )));
    }
    if !is_root()? {
        return Err(Usage::error(format!(
            "missing Debian packages: {}; install them with \
             `sudo apt-get update && sudo apt-get install -y --no-install-recommends {}`",
            packages.join(", "),
            packages.join(" ")
        )));
    }

    say(&format!("set-up: installing the Debian packages {}", packages.join(", ")));
    run(apt_get().arg("update"))?;
    run(apt_get().args(["install", "-y", "--no-install-recommends"]).args(&packages))?;

    let needs = missing();
    if !needs.is_empty() {
        bail!("installed {}, and yet not on PATH: {}", packages.join(", "), programs(&needs));
    }
    Ok(packages)
}

fn programs(needs: &[&Need]) -> String {
    needs.iter().map(|need| need.program).collect::<Vec<_>>().join(", ")
}

/// Asks nothing, and waits for another apt-get to finish.
fn apt_get() -> Command {
    let mut command = Command::new("apt-get");
    command.env("DEBIAN_FRONTEND", "noninteractive");
    command.args(["-q", "-o", "DPkg::Lock::Timeout=300"]);
    command
}

/// The owner of /proc/self is the effective user: no dependency, no unsafe.
fn is_root() -> anyhow::Result<bool> {
    Ok(fs::metadata("/proc/self")?.uid() == 0)
}

/// The toolchain components it installed.
fn install_components() -> anyhow::Result<Vec<&'static str>> {
    let absent = |&(subcommand, _): &(&str, &str)| !succeeds(cargo().args([subcommand, "--version"]));
    let missing: Vec<&str> = COMPONENTS.into_iter().filter(absent).map(|(_, component)| component).collect();
    if missing.is_empty() {
        return Ok(missing);
    }
    if find_program("rustup").is_none() {
        return Err(Usage::error(format!(
            "missing parts of the Rust toolchain: {}; without rustup, install them the way cargo was installed",
            missing.join(", ")
        )));
    }
    run(Command::new("rustup").args(["component", "add"]).args(&missing))?;
    Ok(missing)
}
