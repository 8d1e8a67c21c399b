//! What can go wrong when real databases are measured.

use std::io;
use std::path::{Path, PathBuf};

use leadline_process::ProcessError;

use crate::LsmError;
use crate::options::Release;

/// Why a validation cannot begin, or ended early. Each message is one line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ValidateError {
    /// The device could not be measured.
    #[error("measuring the device: {0}")]
    Device(String),
    /// The data or a layout is out of range.
    #[error(transparent)]
    OutOfRange(#[from] LsmError),
    /// A setting of the plan makes no sense.
    #[error("{what}: {problem}")]
    Plan {
        /// The setting, in words.
        what: &'static str,
        /// What is wrong with it, and what it may be.
        problem: String,
    },
    /// There is no db_bench.
    #[error(
        "{path}: cannot be started ({source}); db_bench comes with RocksDB, on Debian in the package \
         rocksdb-tools"
    )]
    NoDbBench {
        /// The program that was tried.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The program is something else.
    #[error("{path}: is not RocksDB's db_bench: asked for its version, it says {said:?}")]
    NotDbBench {
        /// The program.
        path: PathBuf,
        /// Its first line.
        said: String,
    },
    /// The program is older than what Leadline writes OPTIONS files for.
    #[error("{path}: is of RocksDB {release}; 7.8 or later is needed")]
    OldDbBench {
        /// The program.
        path: PathBuf,
        /// Its release.
        release: Release,
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
    /// db_bench ended early, or there is no directory to work in.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// db_bench or RocksDB left something out.
    #[error("db_bench, {during}: {missing}; is its version one that Leadline knows (7.8 to 10)?")]
    Missing {
        /// What it was to do.
        during: String,
        /// What is missing, in words.
        missing: String,
    },
    /// The journal is of another run.
    #[error(
        "{path}: was begun with another {setting}; go on with the same arguments, or remove it to begin again"
    )]
    OtherRun {
        /// The journal.
        path: PathBuf,
        /// The first setting that differs.
        setting: String,
    },
    /// The journal cannot be read.
    #[error("{path}: line {line} is not a line of a journal ({problem}); remove the file to begin again")]
    Journal {
        /// The journal.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// Another run uses the journal.
    #[error("{path}: another run is writing it; wait for its end, or name another file")]
    InUse {
        /// The journal.
        path: PathBuf,
    },
}

impl ValidateError {
    /// Whether other input helps; otherwise the operation failed.
    pub fn is_input(&self) -> bool {
        match self {
            ValidateError::Process(error) => error.is_input(),
            ValidateError::Io { .. } | ValidateError::Missing { .. } | ValidateError::Device(_) => false,
            _ => true,
        }
    }

    /// An error of the system.
    pub(super) fn io(path: &Path, doing: &'static str, source: impl Into<io::Error>) -> Self {
        ValidateError::Io { path: path.into(), doing, source: source.into() }
    }
}
