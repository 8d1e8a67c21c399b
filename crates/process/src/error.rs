//! What can go wrong with programs that are started, and with their directories.

use std::io;
use std::path::{Path, PathBuf};

/// Why a program could not be started, or did not do its work. Each message is one line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProcessError {
    /// The program is not installed.
    #[error("{program} is not installed; it is in the Debian package {package}")]
    NoProgram {
        /// Its name.
        program: String,
        /// The package that has it.
        package: String,
    },
    /// The program is there and cannot be started.
    #[error("{program}: cannot be started: {source}")]
    Start {
        /// The program.
        program: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A program ended early.
    #[error("{program}, {during}: {how}; the last that it said: {said}")]
    Died {
        /// Its name.
        program: String,
        /// What it was to do.
        during: String,
        /// Its exit code or signal, in words.
        how: String,
        /// Its last line.
        said: String,
    },
    /// A server ran, but was not ready in time.
    #[error("{server} was not ready after {seconds} s; the last that it said: {said}")]
    NotReady {
        /// Its name.
        server: String,
        /// How long was waited.
        seconds: u64,
        /// The last line of its log.
        said: String,
    },
    /// A server did not end when it was told to, and was killed.
    #[error("{server} had not ended {seconds} s after it was told to, and was killed; it said: {said}")]
    NotEnded {
        /// Its name.
        server: String,
        /// How long was waited.
        seconds: u64,
        /// The last line of its log.
        said: String,
    },
    /// We are root, the program refuses to run as root, and there is nobody else.
    #[error("there is neither a user {name} nor a user nobody to run it as, and it refuses to run as root")]
    NoAccount {
        /// The user that was looked for.
        name: String,
    },
    /// The other user may not go where the program is to work.
    #[error("{path}: the user {account} may not enter it; open it and the directories above it (chmod o+x)")]
    Closed {
        /// The directory.
        path: PathBuf,
        /// The user's name.
        account: String,
    },
    /// The place of the scratch directory is not a directory.
    #[error("{path}: is not a directory; name one on the device, in which a scratch directory can be made")]
    NotFolder {
        /// The place.
        path: PathBuf,
    },
    /// The file system has too little space.
    #[error(
        "{path}: up to {needed_mib} MiB are needed, and {fits_mib} MiB may be taken, which leaves \
         {reserve_mib} MiB free; take less data or another directory"
    )]
    Space {
        /// The scratch directory's place.
        path: PathBuf,
        /// What is needed at most, MiB.
        needed_mib: u64,
        /// What may be taken, MiB.
        fits_mib: u64,
        /// What stays free, MiB.
        reserve_mib: u64,
    },
    /// Another program listens there.
    #[error("port {port} of 127.0.0.1 is taken; choose another, or none to have a free one found")]
    PortTaken {
        /// The port.
        port: u16,
    },
    /// The system refused something.
    #[error("{path}: {doing}: {source}")]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What was tried.
        doing: &'static str,
        /// The system's reason.
        source: io::Error,
    },
    /// The caller asked for an early end.
    #[error("interrupted")]
    Cancelled,
}

impl ProcessError {
    /// Whether other input helps; otherwise the operation failed.
    pub fn is_input(&self) -> bool {
        use ProcessError::{Closed, NoAccount, NoProgram, NotFolder, PortTaken, Space, Start};
        matches!(
            self,
            NoProgram { .. }
                | Start { .. }
                | NoAccount { .. }
                | Closed { .. }
                | NotFolder { .. }
                | Space { .. }
                | PortTaken { .. }
        )
    }

    /// An error of the system.
    pub(crate) fn io(path: &Path, doing: &'static str, source: impl Into<io::Error>) -> Self {
        ProcessError::Io { path: path.into(), doing, source: source.into() }
    }
}
