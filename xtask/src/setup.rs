//! `cargo xtask setup`: what the tests need and cargo does not bring.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::process::Command;

use anyhow::bail;

use crate::run::{Usage, cargo, find_program, find_programs, run, say, succeeds};

/// A program that the tests start, or a module of it, and the Debian package it comes in.
struct Need {
    program: &'static str,
    /// A Python module; none: the program itself.
    module: Option<&'static str>,
    package: &'static str,
}

/// Add a line here when a test starts another program.
const NEEDS: [Need; 14] = [
    program("chromium", "chromium"),            // opens the report
    program("db_bench", "rocksdb-tools"),       // loads the OPTIONS files that are written for RocksDB
    program("fio", "fio"),                      // checks the exported jobs, and the numbers
    program("fusermount3", "fuse3"),            // emulated drives are unmounted by it
    program("losetup", "mount"),                // disks for the safety tests
    program("mariadb", "mariadb-client-core"),  // the client of the next one
    program("mariadbd", "mariadb-server-core"), // TPC-H's queries run on it; the package starts no server
    program("mkfs.ext4", "e2fsprogs"),          // file systems on them
    program("pg_ctlcluster", POSTGRES),         // power is cut under it; pg_ctlcluster is what it has on PATH
    program("python3", "python3"),              // the example postgres-trace has tests in Python
    module("networkx", "python3-networkx"),     // the graph algorithms are checked against it
    module("scipy", "python3-scipy"),           // and against it
    program("sfdisk", "fdisk"),                 // partitions on disks
    program("sqlite3", "sqlite3"),              // power is cut under it
];

/// Its installation makes and starts a server, unless [`CLUSTERS`] says not to.
const POSTGRES: &str = "postgresql";

/// Settings of the package postgresql-common, on which postgresql depends.
const CLUSTERS: &str = "/etc/postgresql-common/createcluster.conf";

const fn program(program: &'static str, package: &'static str) -> Need {
    Need { program, module: None, package }
}

const fn module(module: &'static str, package: &'static str) -> Need {
    Need { program: "python3", module: Some(module), package }
}

impl Need {
    fn name(&self) -> &'static str {
        self.module.unwrap_or(self.program)
    }

    /// Of modules: whether some Python on PATH has all of them, since one of them is to use them together.
    fn is_met(&self) -> bool {
        let modules: Vec<&str> = NEEDS.iter().filter_map(|need| need.module).collect();
        let import = format!("import {}", modules.join(", "));
        let has_all = |program: PathBuf| succeeds(Command::new(program).args(["-c", &import]));
        match self.module {
            None => find_program(self.program).is_some(),
            Some(_) => find_programs(self.program).any(has_all),
        }
    }
}

const COMPONENTS: [(&str, &str); 2] = [("fmt", "rustfmt"), ("clippy", "clippy")];

/// Installs what is missing and says in one line what was done.
pub(crate) fn setup() -> anyhow::Result<()> {
    let packages = install_packages()?;
    let components = install_components()?;
    let done = [packages, components].concat();
    if done.is_empty() {
        let programs = NEEDS.map(|need| need.name()).join(", ");
        say(&format!("set-up: nothing to do ({programs}, rustfmt and clippy are here)"));
    } else {
        say(&format!("set-up: installed {}", done.join(", ")));
    }
    Ok(())
}

fn missing() -> Vec<&'static Need> {
    NEEDS.iter().filter(|need| !need.is_met()).collect()
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
            "missing programs: {}; this is not Debian (no apt-get), so install them your system's way \
             and have them on PATH",
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
    if packages.contains(&POSTGRES) {
        // The tests start servers of their own.
        run(install().arg("postgresql-common"))?;
        let no_server = "s/^#* *create_main_cluster.*/create_main_cluster = false/";
        run(Command::new("sed").args(["-i", no_server, CLUSTERS]))?;
    }
    run(install().args(&packages))?;

    let needs = missing();
    if !needs.is_empty() {
        bail!("installed {}, and yet not on PATH: {}", packages.join(", "), programs(&needs));
    }
    Ok(packages)
}

fn programs(needs: &[&Need]) -> String {
    needs.iter().map(|need| need.name()).collect::<Vec<_>>().join(", ")
}

/// Asks nothing, and waits for another apt-get to finish.
fn apt_get() -> Command {
    let mut command = Command::new("apt-get");
    command.env("DEBIAN_FRONTEND", "noninteractive");
    command.args(["-q", "-o", "DPkg::Lock::Timeout=300"]);
    command
}

fn install() -> Command {
    let mut command = apt_get();
    command.args(["install", "-y", "--no-install-recommends"]);
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
            "missing parts of the Rust toolchain: {}; without rustup, install them the way cargo was \
             installed",
            missing.join(", ")
        )));
    }
    run(Command::new("rustup").args(["component", "add"]).args(&missing))?;
    Ok(missing)
}
