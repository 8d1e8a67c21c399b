//! A loaded folder for a test, and drives to run on.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use leadline_files::Space;
use leadline_tpch::Interrupt;
use leadline_tpch::data::Scale;
use leadline_tpch::database::{Folder, load};
use leadline_tpch::queries::{Plans, Query};
use leadline_tpch::run::RunOptions;
use tempfile::TempDir;

/// Whether servers can run on drives here; says so where they cannot.
pub(crate) fn can_run() -> bool {
    let missing = if fs::File::options().read(true).write(true).open("/dev/fuse").is_err() {
        Some("/dev/fuse cannot be opened here")
    } else if !["/usr/sbin/mariadbd", "/usr/bin/mariadb"].iter().all(|program| Path::new(program).exists()) {
        Some("MariaDB is not installed; cargo xtask setup installs it")
    } else {
        None
    };
    if let Some(missing) = missing {
        eprintln!("SKIPPED tpch: {missing}");
    }
    missing.is_none()
}

/// In memory where there is room for the tables, as the disk is not what is tested.
pub(crate) fn temporary_folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    match Space::of(memory) {
        Ok(space) if space.available_bytes > 2 << 30 => tempfile::tempdir_in(memory).unwrap(),
        _ => tempfile::tempdir().unwrap(),
    }
}

/// Tables in a folder of their own, gone with the value.
pub(crate) struct Loaded {
    pub(crate) temporary: TempDir,
    pub(crate) folder: Folder,
}

impl Loaded {
    pub(crate) fn new(scale: f64) -> Loaded {
        let temporary = temporary_folder();
        let scale = Scale::new(scale).unwrap();
        let folder =
            load(&temporary.path().join("tables"), scale, &Interrupt::default(), &mut |_| {}).unwrap();
        Loaded { temporary, folder }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.temporary.path().join("tables")
    }

    /// A drive whose requests take so long, 64 at once.
    pub(crate) fn drive(&self, service_us: u32) -> String {
        let path = self.temporary.path().join(format!("drive-{service_us}.toml"));
        let text = format!(
            "kind = \"parametric\"\ncapacity = \"1G\"\n[read]\nservice_us = {service_us}\nservers = 64\n\
             [write]\nservice_us = 1\nservers = 64\n"
        );
        fs::write(&path, text).unwrap();
        format!("sim:{}", path.display())
    }

    /// Everything once, on a drive that takes no time worth mentioning.
    pub(crate) fn options(&self, plans: Plans) -> RunOptions {
        RunOptions {
            device: self.drive(1),
            queries: Query::all().collect(),
            plans,
            repeats: 1,
            limit_s: 120,
            pool_bytes: None,
            further: Vec::new(),
            traces: None,
        }
    }

    /// Whether nothing is mounted in the folder, and no process has a file of it on its command line.
    pub(crate) fn is_left_alone(&self) -> bool {
        let path = self.path().display().to_string();
        let mounts = fs::read_to_string("/proc/mounts").unwrap();
        !mounts.contains(&path) && !is_on_a_command_line(&path)
    }
}

/// Whether a server was started with a path.
pub(crate) fn is_on_a_command_line(path: &str) -> bool {
    fs::read_dir("/proc").unwrap().flatten().any(|process| {
        let line = fs::read(process.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line);
        line.contains("mariadbd") && line.contains(path)
    })
}

/// Exit code, stdout and stderr.
pub(crate) fn outcome(output: Output) -> (i32, String, String) {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

/// Runs the binary.
pub(crate) fn tpch(args: &[&str]) -> (i32, String, String) {
    outcome(assert_cmd::Command::cargo_bin("tpch").unwrap().args(args).output().unwrap())
}
