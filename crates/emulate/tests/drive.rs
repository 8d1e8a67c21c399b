//! A mounted drive for a test.

use std::fs;
use std::path::{Path, PathBuf};

use leadline_emulate::{
    Answer, Command, EmulateOptions, EmulatedDevice, Emulator, FaultKind, Schedule, send,
};
use rustix::fs::OFlags;
use tempfile::TempDir;

/// Past the kernel's page cache, and durable when written: flags to open a file with.
pub(crate) const O_DIRECT: i32 = OFlags::DIRECT.bits() as i32;
pub(crate) const O_DSYNC: i32 = 0o10_000; // not OFlags::DSYNC, which is O_SYNC

/// Whether drives can be mounted here; says so where they cannot.
pub(crate) fn can_mount() -> bool {
    let can = fs::File::options().read(true).write(true).open("/dev/fuse").is_ok();
    if !can {
        eprintln!("SKIPPED emulate: /dev/fuse cannot be opened here");
    }
    can
}

/// A drive that takes no time worth mentioning.
const QUICK: &str = "kind = \"parametric\"\ncapacity = \"1G\"\n[read]\nservice_us = 1\nservers = 64\n\
                     [write]\nservice_us = 1\nservers = 64\n";

/// A drive mounted on a folder of its own, gone with the value.
pub(crate) struct Drive {
    // Dropped in this order: unmounted before its folders go.
    emulator: Option<Emulator>,
    pub(crate) folder: TempDir,
}

impl Drive {
    /// Without faults.
    pub(crate) fn new() -> Drive {
        Drive::with(QUICK, |_| {})
    }

    /// With a schedule of faults.
    pub(crate) fn with_faults(schedule: &str) -> Drive {
        let faults = Schedule::parse(schedule, "schedule").unwrap();
        Drive::with(QUICK, |options| options.faults = faults)
    }

    /// With names that become durable with their directory only.
    pub(crate) fn strict() -> Drive {
        Drive::with(QUICK, |options| options.strict = true)
    }

    /// Of any device, mounted in any way.
    pub(crate) fn with(device: &str, change: impl FnOnce(&mut EmulateOptions)) -> Drive {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("backing")).unwrap();
        fs::create_dir(folder.path().join("mount")).unwrap();
        fs::write(folder.path().join("device.toml"), device).unwrap();
        let mut drive = Drive { emulator: None, folder };
        drive.mount(change);
        drive
    }

    fn mount(&mut self, change: impl FnOnce(&mut EmulateOptions)) {
        let device = format!("sim:{}", self.folder.path().join("device.toml").display());
        let mut options = EmulateOptions::new(self.backing(), self.folder.path().join("mount"));
        change(&mut options);
        let device = EmulatedDevice::open(&device, None).unwrap();
        self.emulator = Some(Emulator::mount(device, options).unwrap());
    }

    /// Unmounts it.
    pub(crate) fn unmount(&mut self) {
        self.emulator.take().unwrap().unmount().unwrap();
    }

    /// Unmounts it and mounts it again.
    pub(crate) fn remount(&mut self) {
        self.unmount();
        self.mount(|_| {});
    }

    pub(crate) fn backing(&self) -> PathBuf {
        self.folder.path().join("backing")
    }

    /// A path on the mount.
    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join("mount").join(name)
    }

    pub(crate) fn command(&self, command: &Command) -> Answer {
        send(self.path(""), command).unwrap()
    }

    /// Cuts the power.
    pub(crate) fn power_cut(&self, seed: Option<u64>) {
        assert!(matches!(self.command(&Command::PowerCut { seed }), Answer::PowerCut(_)));
    }

    /// Lets something go wrong, once.
    pub(crate) fn inject(&self, kind: FaultKind) {
        let command = Command::Inject { kind, operation: None, path: None, seconds: None, times: Some(1) };
        assert_eq!(self.command(&command), Answer::Done);
    }

    pub(crate) fn report(&self) -> leadline_emulate::Report {
        self.emulator.as_ref().unwrap().report()
    }
}
