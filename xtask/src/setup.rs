//! `cargo xtask setup`: what the tests need and cargo does not bring.

use std::path::PathBuf;
use std::process::Command;

use anyhow::bail;

use crate::run::{Usage, cargo, find_program, find_programs, is_root, run, say, succeeds};
use crate::{axe, python};

/// A program that the tests start, or a part of it, and the Debian package it comes in.
struct Need {
    program: &'static str,
    part: Part,
    package: &'static str,
    /// Whether the developer's loop needs it.
    in_loop: bool,
}

/// What a set-up is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Uses {
    /// `cargo xtask test`.
    Loop,
    /// `cargo xtask test --all`.
    Everything,
    /// `cargo xtask dist`, for this processor only.
    Dist,
    /// `cargo xtask dist`, also for aarch64.
    DistForAarch64,
}

/// What of a program is needed.
enum Part {
    Itself,
    /// A module of Python.
    Module(&'static str),
    /// What makes environments for Python.
    Environments,
}

/// Add a line here when a test starts another program; `in_loop` if `cargo xtask test` runs the test.
const NEEDS: [Need; 26] = [
    program("chromium", "chromium"),            // opens the report
    program("ceph-conf", "ceph-common"),        // says what is in a ceph.conf; it has no server
    program("db_bench", "rocksdb-tools"),       // loads the OPTIONS files that are written for RocksDB
    program("etcd", ETCD),                      // its syncs are compared with predicted ones
    program("fio", "fio"),                      // checks the exported jobs, and the numbers
    in_loop("fusermount3", "fuse3"),            // emulated drives are unmounted by it
    program("java", "default-jre-headless"),    // Spark runs on it
    in_loop("losetup", "mount"),                // disks for the safety tests
    program("mariadb", "mariadb-client-core"),  // the client of the next one
    program("mariadbd", "mariadb-server-core"), // TPC-H's queries run on it; the package starts no server
    in_loop("mkfs.ext4", "e2fsprogs"),          // file systems on them
    program("modprobe", "kmod"),                // reads the options that are written for ZFS
    program("npm", "npm"),                      // installs axe-core, which the browser checks pages with
    program("pg_ctlcluster", POSTGRES),         // power is cut under it; pg_ctlcluster is what it has on PATH
    program("python3", "python3"),              // the example postgres-trace has tests in Python
    module("networkx", "python3-networkx"),     // the graph algorithms are checked against it
    module("scipy", "python3-scipy"),           // and against it
    ENVIRONMENTS,                               // the package for Python is tested in one
    program("redis-check-rdb", "redis-tools"),  // the server by another name; the package starts none
    program("rpmbuild", "rpm"),                 // makes a package, to be tried
    in_loop("sfdisk", "fdisk"),                 // partitions on disks
    program("sqlite3", "sqlite3"),              // power is cut under it
    program("sysbench", "sysbench"),            // writes to MariaDB while its settings are compared
    program("sysctl", "procps"),                // knows the keys that are written for it
    program("systemd-hwdb", "udev"),            // reads the entries and rules for it
    program("unshare", "util-linux"),           // packages are tried in namespaces of their own
];

/// Programs that make, or try, what is installed.
const DIST_NEEDS: [Need; 5] = [
    program("dpkg", "dpkg"),             // packs, tries and unpacks Debian's packages
    program("mmdebstrap", "mmdebstrap"), // makes roots with releases of Debian
    ENVIRONMENTS,                        // the wheel is made and tried in them
    program("rpmbuild", "rpm"),          // packs, and tries, for systems with RPM
    program("unshare", "util-linux"),    // everything is tried in namespaces of its own
];

/// Programs that make, and run, programs for aarch64 where the processor is another.
const AARCH64_NEEDS: [Need; 2] = [
    program("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu"),
    program("qemu-aarch64-static", "qemu-user-static"),
];

/// Its installation makes and starts a server, unless [`CLUSTERS`] says not to.
const POSTGRES: &str = "postgresql";

/// Its installation starts a server, and makes the system start it, unless [`ETCD_UNIT`] is masked.
const ETCD: &str = "etcd-server";

/// etcd's own unit of systemd.
const ETCD_UNIT: &str = "etcd.service";

/// Settings of the package postgresql-common, on which postgresql depends.
const CLUSTERS: &str = "/etc/postgresql-common/createcluster.conf";

const ENVIRONMENTS: Need =
    Need { program: "python3", part: Part::Environments, package: "python3-venv", in_loop: false };

const fn program(program: &'static str, package: &'static str) -> Need {
    Need { program, part: Part::Itself, package, in_loop: false }
}

const fn in_loop(program: &'static str, package: &'static str) -> Need {
    Need { program, part: Part::Itself, package, in_loop: true }
}

const fn module(module: &'static str, package: &'static str) -> Need {
    Need { program: "python3", part: Part::Module(module), package, in_loop: false }
}

impl Need {
    fn name(&self) -> &'static str {
        match self.part {
            Part::Itself => self.program,
            Part::Module(module) => module,
            Part::Environments => "a venv of Python 3.10 to 3.13",
        }
    }

    fn module(&self) -> Option<&'static str> {
        if let Part::Module(module) = self.part { Some(module) } else { None }
    }

    /// Of modules: whether some Python on PATH has all of them, since one of them is to use them together.
    fn is_met(&self) -> bool {
        let modules: Vec<&str> = NEEDS.iter().filter_map(Need::module).collect();
        let import = format!("import {}", modules.join(", "));
        let has_all = |program: PathBuf| succeeds(Command::new(program).args(["-c", &import]));
        match self.part {
            Part::Itself => find_program(self.program).is_some(),
            Part::Module(_) => find_programs(self.program).any(has_all),
            Part::Environments => python::interpreter().is_some(),
        }
    }
}

const COMPONENTS: [(&str, &str); 2] = [("fmt", "rustfmt"), ("clippy", "clippy")];

/// What a set-up has to do.
pub(crate) struct Setup {
    /// The toolchain's parts that were missing; they are there now.
    components: Vec<&'static str>,
    needs: Vec<&'static Need>,
    uses: Uses,
}

/// Does all of it.
pub(crate) fn setup() -> anyhow::Result<()> {
    Setup::begin(Uses::Everything)?.finish()
}

impl Setup {
    /// Finds out what is missing, and installs what cargo itself needs. What only the user can install is an
    /// error.
    pub(crate) fn begin(uses: Uses) -> anyhow::Result<Setup> {
        let needs: Vec<_> = uses.needs().filter(|need| !need.is_met()).collect();
        check_installable(&needs)?;
        Ok(Setup { components: install_components()?, needs, uses })
    }

    /// Installs the rest, and says in one line what was done.
    pub(crate) fn finish(self) -> anyhow::Result<()> {
        let packages = install_packages(self.needs)?;
        let mut done = [self.components, packages].concat();
        if self.uses == Uses::Everything && !python::TESTS.is_ready()? {
            python::TESTS.make()?;
            done.push("the packages for Python");
        }
        if self.uses == Uses::Everything && !axe::is_ready()? {
            axe::make()?;
            done.push("axe-core");
        }
        if done.is_empty() {
            let here = programs(&self.uses.needs().collect::<Vec<_>>());
            say(&format!("set-up: nothing to do ({here}, rustfmt and clippy are here)"));
        } else {
            say(&format!("set-up: installed {}", done.join(", ")));
        }
        Ok(())
    }
}

impl Uses {
    fn needs(self) -> impl Iterator<Item = &'static Need> {
        let (some, more): (&[Need], &[Need]) = match self {
            Uses::Loop | Uses::Everything => (&NEEDS, &[]),
            Uses::Dist => (&DIST_NEEDS, &[]),
            Uses::DistForAarch64 => (&DIST_NEEDS, &AARCH64_NEEDS),
        };
        some.iter().chain(more).filter(move |need| self != Uses::Loop || need.in_loop)
    }
}

fn packages(needs: &[&Need]) -> Vec<&'static str> {
    needs.iter().map(|need| need.package).collect()
}

/// Fails if Debian's packages for `needs` cannot be installed from here.
fn check_installable(needs: &[&Need]) -> anyhow::Result<()> {
    if needs.is_empty() {
        return Ok(());
    }
    if find_program("apt-get").is_none() {
        return Err(Usage::error(format!(
            "missing programs: {}; this is not Debian (no apt-get), so install them your system's way \
             and have them on PATH",
            programs(needs)
        )));
    }
    if !is_root()? {
        let packages = packages(needs);
        return Err(Usage::error(format!(
            "missing Debian packages: {}; install them with \
             `sudo apt-get update && sudo apt-get install -y --no-install-recommends {}`",
            packages.join(", "),
            packages.join(" ")
        )));
    }
    Ok(())
}

/// The packages it installed.
fn install_packages(needs: Vec<&Need>) -> anyhow::Result<Vec<&'static str>> {
    let packages = packages(&needs);
    if packages.is_empty() {
        return Ok(packages);
    }
    say(&format!("set-up: installing the Debian packages {}", packages.join(", ")));
    run(apt_get().arg("update"))?;
    if packages.contains(&POSTGRES) {
        // The tests start servers of their own.
        run(install().arg("postgresql-common"))?;
        let no_server = "s/^#* *create_main_cluster.*/create_main_cluster = false/";
        run(Command::new("sed").args(["-i", no_server, CLUSTERS]))?;
    }
    if packages.contains(&ETCD) && find_program("systemctl").is_some() {
        run(Command::new("systemctl").args(["mask", ETCD_UNIT]))?;
    }
    run(install().args(&packages))?;

    let needs: Vec<&Need> = needs.into_iter().filter(|need| !need.is_met()).collect();
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
