//! A folder's tables on an emulated drive, and servers on them.

use std::fs;
use std::path::PathBuf;

use leadline_emulate::{EmulateOptions, EmulatedDevice, Emulator, Report};
use tempfile::TempDir;

use crate::database::{DATA, Folder, TEMPORARY};
use crate::server::{Pool, Server, Settings};
use crate::{Interrupt, TpchError};

/// The tables on a mounted drive. Unmounted with the value, so servers must be gone before it.
#[derive(Debug)]
pub struct Mounted {
    // Dropped in this order: unmounted before its folder goes.
    emulator: Emulator,
    private: TempDir,
    settings: Settings,
}

impl Mounted {
    /// Mounts the drive in a folder of its own.
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
        let mount = private.path().join("mount");
        fs::create_dir(&mount).map_err(TpchError::io(&mount))?;
        let emulator = Emulator::mount(device, EmulateOptions::new(folder.drive(), &mount))?;
        let settings = Settings {
            data: mount.join(DATA),
            temporary: mount.join(TEMPORARY),
            private: private.path().to_owned(),
            pool: Some(pool),
            further: further.to_vec(),
        };
        Ok(Mounted { emulator, private, settings })
    }

    /// Starts a server.
    ///
    /// # Errors
    /// As [`Server::start`]; the log it names is kept.
    pub fn start(&self, interrupt: &Interrupt) -> Result<Server, TpchError> {
        Server::start(self.settings.clone(), interrupt).map_err(|error| self.with_log_kept(error))
    }

    /// The drive.
    pub fn emulator(&self) -> &Emulator {
        &self.emulator
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
        let Mounted { emulator, private, .. } = self;
        let report = emulator.unmount()?;
        drop(private);
        Ok(report)
    }

    /// Copies a log that an error names to where it outlives the folder.
    fn with_log_kept(&self, error: TpchError) -> TpchError {
        match error {
            TpchError::Server { what, said, log } => {
                let kept = kept_log(&log).unwrap_or(log);
                TpchError::Server { what, said, log: kept }
            }
            other => other,
        }
    }
}

fn kept_log(log: &PathBuf) -> Option<PathBuf> {
    let text = fs::read(log).ok()?;
    let kept = tempfile::Builder::new().prefix("tpch-server").suffix(".log").tempfile().ok()?;
    fs::write(kept.path(), text).ok()?;
    kept.into_temp_path().keep().ok()
}
