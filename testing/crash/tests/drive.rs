//! A drive that a program runs on until its power is cut.

use std::fs::{self, Permissions};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command as Program;

use leadline_emulate::{Answer, Command, EmulateOptions, EmulatedDevice, Emulator, PowerCut, Schedule, send};
use tempfile::TempDir;

/// Reads are quick. Writes take most of the time of a commit, so that a cut finds some of them under way.
const DEVICE: &str = "kind = \"parametric\"\ncapacity = \"4G\"\n[read]\nservice_us = 2\nservers = 16\n\
                      [write]\nservice_us = 2000\nservers = 4\n";

/// All syncs are acknowledged, and none makes anything durable.
pub(crate) const LIES: &str = "[[fault]]\nkind = \"flush-lies\"\ntimes = \"forever\"\n";

/// What becomes durable when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rules {
    /// As on ext4.
    Default,
    /// POSIX and nothing more.
    Strict,
    /// As on ext4, but no sync does what it says.
    Lying,
}

/// Why no drive can be mounted here, if none can.
pub(crate) fn obstacle() -> Option<&'static str> {
    let fuse = fs::File::options().read(true).write(true).open("/dev/fuse");
    fuse.is_err().then_some("/dev/fuse cannot be opened")
}

/// Says that a test cannot run, past the test harness, which keeps the output of tests that pass to itself.
pub(crate) fn skipped(reason: &str) {
    let test = std::thread::current().name().unwrap_or_default().to_owned();
    let _ = writeln!(std::io::stderr(), "SKIPPED {test}: {reason}");
}

/// A mounted drive with folders of its own; both go with the value.
pub(crate) struct Drive {
    // Unmounted before its folders go.
    _emulator: Emulator,
    folder: TempDir,
}

/// A folder that other users may enter: PostgreSQL does not run as root.
pub(crate) fn open_folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    folder
}

impl Drive {
    /// A drive with a copy of the files in `contents`, all of them durable.
    pub(crate) fn new(contents: &Path, rules: Rules) -> Drive {
        let folder = open_folder();
        let (backing, mount) = (folder.path().join("backing"), folder.path().join("mount"));
        fs::create_dir(&mount).unwrap();
        let copied = Program::new("cp").arg("-a").args([contents, &backing]).status().unwrap();
        assert!(copied.success());
        let device = folder.path().join("device.toml");
        fs::write(&device, DEVICE).unwrap();
        let device = EmulatedDevice::open(&format!("sim:{}", device.display()), None).unwrap();
        let mut options = EmulateOptions::new(backing, mount);
        options.strict = rules == Rules::Strict;
        if rules == Rules::Lying {
            options.faults = Schedule::parse(LIES, "schedule").unwrap();
        }
        Drive { _emulator: Emulator::mount(device, options).unwrap(), folder }
    }

    pub(crate) fn mount(&self) -> PathBuf {
        self.folder.path().join("mount")
    }

    /// Cuts the power; the seed chooses what survives of that which is not durable, nothing without one.
    pub(crate) fn cut_power(&self, seed: Option<u64>) -> PowerCut {
        match send(self.mount(), &Command::PowerCut { seed }).unwrap() {
            Answer::PowerCut(cut) => cut,
            other => panic!("{other:?} is not the answer to a power cut"),
        }
    }
}
