//! What can be wrong with a log.

use std::io;
use std::path::{Path, PathBuf};

use super::Lsn;

/// Why the log cannot go on.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LogError {
    /// The operating system refused.
    #[error("{path}: {doing} failed: {source}", path = path.display())]
    Io { doing: &'static str, path: PathBuf, source: io::Error },
    /// There is no room for more records. They stay in memory, and are written once there is.
    #[error("{path}: {doing} failed: {source}", path = path.display())]
    Full { doing: &'static str, path: PathBuf, source: io::Error },
    /// A write or sync failed earlier. Whether its bytes are durable is unknown, so nothing is acknowledged
    /// any more.
    #[error("the log stopped at an earlier error ({reason}); solve it and open the index again")]
    Stopped { reason: String },
    /// The first bytes of a file are not what the log wrote.
    #[error("{path}: {why}; restore the file from a backup", path = path.display())]
    Header { path: PathBuf, why: &'static str },
    /// A file is not there, but one behind it is.
    #[error("{path}: this file of the log is missing; restore it from a backup", path = path.display())]
    Missing { path: PathBuf },
    /// A record that was durable cannot be read.
    #[error(
        "{path}: the record at byte {byte} is damaged, and records behind it are whole; at least {lost} \
         acknowledged bytes are lost: restore the file from a backup",
        path = path.display()
    )]
    Damaged { path: PathBuf, byte: u64, lost: u64 },
    /// The log ends before the checkpoint, so the drive lost what it had acknowledged, or files are missing.
    #[error(
        "{path}: the log ends at {end} but the last checkpoint is at {from}: {lost} bytes that were \
         acknowledged are lost; restore the index from a backup",
        path = path.display(), end = end.0, from = from.0, lost = from.0 - end.0
    )]
    Lost { path: PathBuf, end: Lsn, from: Lsn },
    /// The log begins behind the checkpoint.
    #[error(
        "{path}: the log begins at {start} but the last checkpoint is at {from}; restore the missing files \
         from a backup",
        path = path.display(), start = start.0, from = from.0
    )]
    Begins { path: PathBuf, start: Lsn, from: Lsn },
    /// A record above the limit of the format.
    #[error("a record of {bytes} bytes is too large for the log; the limit is {limit}")]
    TooLarge { bytes: u64, limit: u64 },
}

/// Whether there was no room on the disk, or no more than its user may have.
pub(crate) fn is_no_room(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

impl LogError {
    /// Whether it is over as soon as there is room on the disk.
    pub(crate) fn is_full(&self) -> bool {
        matches!(self, LogError::Full { .. })
    }

    /// An error of a write that may be made again: its place holds nothing that is needed.
    pub(crate) fn or_full(self) -> LogError {
        match self {
            LogError::Io { doing, path, source } if is_no_room(&source) => {
                LogError::Full { doing, path, source }
            }
            other => other,
        }
    }

    /// For `map_err`.
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> LogError {
        move |source| LogError::Io { doing, path: path.to_owned(), source }
    }
}
