//! What goes wrong, in one line each, with the place and the remedy.

use std::io;
use std::path::PathBuf;

use leadline_emulate::EmulateError;
use leadline_files::FileError;
use leadline_trace::TraceError;

/// Why it could not be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TpchError {
    /// What the user named cannot be used as it is.
    #[error("{0}")]
    Input(String),
    /// Ctrl-C or the like.
    #[error("interrupted; the server was killed and nothing is mounted")]
    Interrupted,
    /// A program is not installed.
    #[error("{program} was not found; install it, on Debian: apt-get install {package}")]
    NoProgram {
        /// Its name.
        program: &'static str,
        /// The Debian package it comes in.
        package: &'static str,
    },
    /// The server ended, or was not ready in time.
    #[error("MariaDB {what}: {said}; its log is {}", log.display())]
    Server {
        /// What it did.
        what: String,
        /// The last lines of its log.
        said: String,
        /// The whole log.
        log: PathBuf,
    },
    /// A statement failed.
    #[error("MariaDB refused `{statement}`: {said}")]
    Statement {
        /// Its first words.
        statement: String,
        /// The server's reason.
        said: String,
    },
    /// A statement took longer than it may.
    #[error("`{statement}` took longer than the limit")]
    TimeLimit {
        /// Its first words.
        statement: String,
    },
    /// Rows could not be written.
    #[error("writing the rows to load: {source}; is the disk full?")]
    Data {
        /// The system's reason.
        source: io::Error,
    },
    /// A file or a folder.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A query's answer is not what it must be.
    #[error("{query}: {what}")]
    Answer {
        /// Which query, and its plan.
        query: String,
        /// What differs.
        what: String,
    },
    /// The emulated drive.
    #[error(transparent)]
    Emulate(#[from] EmulateError),
    /// The recording of a query's requests.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// A file of Leadline's.
    #[error(transparent)]
    File(#[from] FileError),
}

impl TpchError {
    /// Of a file or a folder.
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> TpchError {
        let path = path.into();
        move |source| TpchError::Io { path, source }
    }
}
