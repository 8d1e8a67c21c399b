//! What can go wrong when a file is written.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A file that could not be written. Each message is one line that names the file as the caller named it.
#[derive(Debug)]
#[non_exhaustive]
pub enum FileError {
    /// The path is a directory.
    IsFolder {
        /// The path.
        path: PathBuf,
    },
    /// The path is neither free nor a regular file: a rename would put a file in the place of, say,
    /// `/dev/null`.
    NotRegular {
        /// The path.
        path: PathBuf,
    },
    /// The path is none that a directory can be made at, or put in the place of.
    NoFolder {
        /// The path.
        path: PathBuf,
        /// What it is instead.
        reason: &'static str,
    },
    /// The directory takes no new files.
    Folder {
        /// The file that was to be made.
        path: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
    /// The operating system refused to write, sync or rename.
    Write {
        /// The file.
        path: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
}

impl FileError {
    /// The file, as the caller named it.
    pub fn path(&self) -> &Path {
        match self {
            FileError::IsFolder { path }
            | FileError::NotRegular { path }
            | FileError::NoFolder { path, .. }
            | FileError::Folder { path, .. }
            | FileError::Write { path, .. } => path,
        }
    }

    /// Whether another path would do: nothing was written yet, and the place itself is at fault.
    pub fn is_bad_place(&self) -> bool {
        !matches!(self, FileError::Write { .. })
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path().display())?;
        match self {
            FileError::IsFolder { .. } => f.write_str("is a directory, not a file; name another place"),
            FileError::NotRegular { .. } => f.write_str("is not a regular file; name another place"),
            FileError::NoFolder { reason, .. } => write!(f, "{reason}; name another place"),
            FileError::Folder { source, .. } => {
                write!(f, "its directory cannot be written: {source}; name another place")
            }
            FileError::Write { source, .. } => write!(f, "cannot be written: {source}"),
        }
    }
}

impl Error for FileError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            FileError::IsFolder { .. } | FileError::NotRegular { .. } | FileError::NoFolder { .. } => None,
            FileError::Folder { source, .. } | FileError::Write { source, .. } => Some(source),
        }
    }
}
