//! What can go wrong with a proof.

use std::io;
use std::path::{Path, PathBuf};

use leadline_lsm::validate::ValidateError;
use leadline_process::ProcessError;

/// Why a proof cannot begin, or ended early; nothing runs then, and nothing is left. Each message is one
/// line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProveError {
    /// A program or a scratch directory.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// db_bench, or what it left.
    #[error(transparent)]
    RocksDb(#[from] ValidateError),
    /// A program that no package of Debian has is not installed.
    #[error("{program} is not installed; {remedy}")]
    Missing {
        /// The program.
        program: PathBuf,
        /// How to install it.
        remedy: &'static str,
    },
    /// A setting of the plan makes no sense.
    #[error("{what}: {problem}")]
    Plan {
        /// The setting, in words.
        what: &'static str,
        /// What is wrong with it, and what it may be.
        problem: String,
    },
    /// The system does not take the settings of a variant.
    #[error("{system} does not take the settings of the variant {variant}: {said}")]
    Settings {
        /// The system and its version.
        system: String,
        /// The variant.
        variant: String,
        /// What it said.
        said: String,
    },
    /// A program is of another kind or version.
    #[error("{path}: asked for its version, it says {said:?}; {needed} is needed")]
    Version {
        /// The program.
        path: PathBuf,
        /// Its answer.
        said: String,
        /// What it should be.
        needed: &'static str,
    },
    /// A program printed something else than expected.
    #[error("{program}, {during}: {problem}; it printed {said:?}")]
    Unexpected {
        /// The program.
        program: &'static str,
        /// What it was to do.
        during: String,
        /// What is wrong.
        problem: &'static str,
        /// The beginning of what it printed.
        said: String,
    },
    /// A measurement of the caller, in addition to the system.
    #[error("measuring {folder}: {source}")]
    Measurement {
        /// Where.
        folder: PathBuf,
        /// Its error.
        source: Box<dyn std::error::Error + Send + Sync>,
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
}

/// How much of an unexpected answer is shown, characters.
const SHOWN: usize = 80;

impl ProveError {
    /// Whether other input helps; otherwise the operation failed.
    pub fn is_input(&self) -> bool {
        match self {
            ProveError::Process(error) => error.is_input(),
            ProveError::RocksDb(error) => error.is_input(),
            ProveError::Missing { .. }
            | ProveError::Plan { .. }
            | ProveError::Settings { .. }
            | ProveError::Version { .. } => true,
            _ => false,
        }
    }

    /// An error of the system.
    pub(crate) fn io(path: &Path, doing: &'static str, source: impl Into<io::Error>) -> Self {
        ProveError::Io { path: path.into(), doing, source: source.into() }
    }

    /// An answer that cannot be read.
    pub(crate) fn unexpected(program: &'static str, during: &str, problem: &'static str, said: &str) -> Self {
        let said = said.trim().chars().take(SHOWN).collect();
        ProveError::Unexpected { program, during: during.into(), problem, said }
    }
}
