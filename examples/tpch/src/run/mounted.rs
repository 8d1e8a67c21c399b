//! A folder's tables on an emulated drive, and servers on them.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use leadline_emulate::{EmulateOptions, EmulatedDevice, Emulator, Report};
use tempfile::TempDir;

use super::processors::{self, OffTiming};
use crate::database::{DATA, Folder, TEMPORARY};
use crate::server::{Pool, Server, Settings};
use crate::{Interrupt, TpchError};

/// The tables on a mounted drive. Unmounted with the value, so servers must be gone before it.
#[derive(Debug)]
pub struct Mounted {
    // Dropped in this order: unmounted before the mount point goes.
    emulator: Emulator,
    point: MountPoint,
    private: TempDir,
    settings: Settings,
    /// While servers are started.
    off_timing: Option<OffTiming>,
}

impl Mounted {
    /// Mounts the drive on the folder's `mount`, which stays, empty, if this run is killed.
    ///
    /// # Errors
    /// [`TpchError::Emulate`] where it cannot be mounted.
    pub fn new(
        folder: &Folder,
        device: EmulatedDevice,
        pool: Pool,
        further: &[String],
    ) -> Result<Mounted, TpchError> {
        let private = tempfile::Builder::new().prefix("tpch").tempdir();
        let private = private.map_err(TpchError::io(std::env::temp_dir()))?;
        let mount = folder.path().join("mount");
        let point = MountPoint::create(&mount)?;
        let mut options = EmulateOptions::new(folder.drive(), &mount);
        options.timing_processor = processors::for_timing();
        let timing = options.timing_processor;
        let emulator = Emulator::mount(device, options)?;
        let settings = Settings {
            data: mount.join(DATA),
            temporary: mount.join(TEMPORARY),
            private: private.path().to_owned(),
            log: folder.log(),
            pool: Some(pool),
            further: further.to_vec(),
        };
        Ok(Mounted { emulator, point, private, settings, off_timing: timing.and_then(OffTiming::of) })
    }

    /// Starts a server.
    ///
    /// # Errors
    /// As [`Server::start`].
    pub fn start(&self, interrupt: &Interrupt) -> Result<Server, TpchError> {
        Server::start(self.settings.clone(), interrupt)
    }

    /// The drive.
    pub fn emulator(&self) -> &Emulator {
        &self.emulator
    }

    /// The processor that times the drive's answers, where the server is kept off one.
    pub fn timing_processor(&self) -> Option<usize> {
        self.off_timing.as_ref().map(OffTiming::timing)
    }

    /// The servers' settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Unmounts it.
    ///
    /// # Errors
    /// [`TpchError::Emulate`] where not everything could be made durable.
    pub fn unmount(self) -> Result<Report, TpchError> {
        let Mounted { emulator, point, private, settings, .. } = self;
        let report = emulator.unmount()?;
        drop((point, private));
        // Nothing was wrong that it would tell of.
        let _ = fs::remove_file(settings.log);
        Ok(report)
    }
}

/// A folder to mount on, removed with the value.
#[derive(Debug)]
struct MountPoint(PathBuf);

impl MountPoint {
    fn create(path: &Path) -> Result<MountPoint, TpchError> {
        match fs::create_dir(path) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(TpchError::io(path)(error)),
            _ => Ok(MountPoint(path.to_owned())),
        }
    }
}

impl Drop for MountPoint {
    fn drop(&mut self) {
        // Something is mounted there where another run has the folder; then it stays.
        let _ = fs::remove_dir(&self.0);
    }
}
