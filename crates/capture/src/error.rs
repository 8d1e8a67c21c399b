//! What can be wrong with a capture of a directory.

use std::io;
use std::path::PathBuf;

use leadline_trace::TraceError;

/// A directory that cannot be captured, or a capture that could not be finished.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaptureError {
    /// The directory does not exist, or is none.
    #[error("{}: is not a directory; name the one that holds the program's files", path.display())]
    NotAFolder {
        /// What was named.
        path: PathBuf,
    },
    /// The root of all directories.
    #[error("{}: the root directory cannot be captured; name the one that holds the program's files",
            path.display())]
    Root {
        /// What was named.
        path: PathBuf,
    },
    /// Another capture of this directory runs.
    #[error("{}: is being captured already; wait until that ends, or end it", path.display())]
    Captured {
        /// The directory.
        path: PathBuf,
    },
    /// Something that is not a capture is mounted there and does not answer.
    #[error("{}: the file system mounted there does not answer; unmount it with umount -l", path.display())]
    Dead {
        /// The directory.
        path: PathBuf,
    },
    /// The capture would record itself.
    #[error("{}: is inside the directory that is captured, {}, and would record itself; write it elsewhere",
            file.display(), folder.display())]
    Inside {
        /// The capture's file.
        file: PathBuf,
        /// The directory.
        folder: PathBuf,
    },
    /// FUSE is not there, or not for this user.
    #[error(
        "/dev/fuse: {source}; load the kernel's module fuse, in a container pass /dev/fuse in, and let this \
         user open it (mode 0666 on most systems); traces of other programs are read without it"
    )]
    NoFuse {
        /// The system's reason.
        source: io::Error,
    },
    /// Mounting failed.
    #[error("{}: cannot mount: {source}; a plain user needs the program fusermount3 (Debian package fuse3) and \
             must own the directory", path.display())]
    Mount {
        /// The directory.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The system refuses something.
    #[error("{}: {source}", path.display())]
    Io {
        /// Where.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The capture cannot be written.
    #[error(transparent)]
    Trace(#[from] TraceError),
}

impl CaptureError {
    /// Whether another directory or file would do, rather than another state of the machine.
    pub fn is_bad_input(&self) -> bool {
        match self {
            CaptureError::NoFuse { .. }
            | CaptureError::Mount { .. }
            | CaptureError::Io { .. }
            | CaptureError::Trace(TraceError::Io { .. }) => false,
            CaptureError::Trace(TraceError::Write(error)) => error.is_bad_place(),
            _ => true,
        }
    }
}
