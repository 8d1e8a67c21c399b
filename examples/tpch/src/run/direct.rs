//! A server on the tables of a folder, without an emulated drive.

use std::fs::File;

use rustix::fs::FlockOperation;

use crate::database::{DATA, Folder, TEMPORARY};
use crate::server::{Server, Session, Settings};
use crate::{Interrupt, TpchError};

/// Runs statements on the tables, with the settings of a measurement but without a drive.
///
/// # Errors
/// [`TpchError::Input`] where the folder is in use; what the server and `work` say.
pub fn direct<T>(
    folder: &Folder,
    interrupt: &Interrupt,
    work: impl FnOnce(&mut Session) -> Result<T, TpchError>,
) -> Result<T, TpchError> {
    let drive = folder.drive();
    // As an emulated drive locks it.
    let lock = File::open(&drive).map_err(TpchError::io(&drive))?;
    if rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
        let named = folder.path().display();
        return Err(TpchError::Input(format!(
            "{named}: is in use by another run; copy it, or wait for its end"
        )));
    }
    let private = tempfile::Builder::new().prefix("tpch").tempdir();
    let private = private.map_err(TpchError::io(std::env::temp_dir()))?;
    let settings = Settings {
        data: drive.join(DATA),
        temporary: drive.join(TEMPORARY),
        private: private.path().to_owned(),
        log: folder.log(),
        pool: Some(folder.pool()?),
        further: Vec::new(),
    };
    let server = Server::start(settings, interrupt)?;
    let mut session = server.session()?;
    session.run("use tpch")?;
    let done = work(&mut session)?;
    drop(session);
    server.stop()?;
    let _ = std::fs::remove_file(folder.log());
    Ok(done)
}
