//! What can go wrong with a mount.

use std::io;
use std::path::{Path, PathBuf};

use leadline_tiers::OpenError;
use leadline_trace::TraceError;

use crate::faults::ScheduleError;
use crate::scan::ScanError;
use crate::volume::Unsaved;

/// A drive that cannot be emulated. The message names what was asked for and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmulateError {
    /// The device's name, or what it names, makes no device.
    #[error(transparent)]
    Device(#[from] OpenError),
    /// The schedule of faults cannot be used.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
    /// A slowdown that cannot be.
    #[error("a slowdown of {slowdown}: must be from 1 to 1000000")]
    Slowdown {
        /// What was asked for.
        slowdown: f64,
    },
    /// A processor that cannot be set apart.
    #[error(
        "processor {processor}: cannot time answers alone; this program may use {usable:?}, and needs another \
         one for the rest"
    )]
    Processor {
        /// What was asked for.
        processor: usize,
        /// The processors that this program may use.
        usable: Vec<usize>,
    },
    /// A directory that is not there, or not a directory.
    #[error("{}: is not a directory; make it first", path.display())]
    NotADirectory {
        /// The path.
        path: PathBuf,
    },
    /// The mount point has files in it, which the mount would hide.
    #[error("{}: is not empty; choose an empty directory to mount on", path.display())]
    NotEmpty {
        /// The mount point.
        path: PathBuf,
    },
    /// Something is mounted there.
    #[error("{}: something is mounted there already; unmount it with `fusermount3 -u {}`, or choose another \
             directory", path.display(), path.display())]
    InUse {
        /// The mount point.
        path: PathBuf,
    },
    /// One directory lies within the other.
    #[error("{}: lies within {}; backing directory and mount point must be apart", inner.display(), outer.display())]
    Nested {
        /// The one within.
        inner: PathBuf,
        /// The one around it.
        outer: PathBuf,
    },
    /// Another emulator uses the backing directory.
    #[error("{}: another emulated drive uses this directory; end that one first", path.display())]
    BackingInUse {
        /// The backing directory.
        path: PathBuf,
    },
    /// What is in the backing directory is larger than the device.
    #[error("{}: holds more than the device's {capacity_bytes} bytes; choose a larger device or another directory",
            path.display())]
    TooLarge {
        /// The backing directory.
        path: PathBuf,
        /// Bytes of the device.
        capacity_bytes: u64,
    },
    /// The file system of the backing directory is full.
    #[error("{}: no space is left on its file system; make some, or choose another directory", path.display())]
    NoSpace {
        /// The backing directory.
        path: PathBuf,
    },
    /// This system has no FUSE, or this user may not use it.
    #[error(
        "/dev/fuse: {source}; load the kernel's module fuse, in a container pass /dev/fuse in, and let this \
         user open it (mode 0666 on most systems); simulated devices (sim:NAME) work without it"
    )]
    NoFuse {
        /// The operating system's reason.
        source: io::Error,
    },
    /// Mounting failed.
    #[error("{}: cannot mount: {source}; a plain user needs the program fusermount3 (Debian package fuse3)",
            path.display())]
    Mount {
        /// The mount point.
        path: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
    /// Nothing that Leadline emulates is mounted there.
    #[error("{}: no emulated drive is mounted there", path.display())]
    NotMounted {
        /// The path.
        path: PathBuf,
    },
    /// The emulator refused a request.
    #[error("{reason}")]
    Refused {
        /// Its reason.
        reason: String,
    },
    /// The emulator could not do what it was asked for, as on a full disk.
    #[error("{reason}")]
    NotDone {
        /// Its reason.
        reason: String,
    },
    /// Not everything could be made durable at the end.
    #[error("{}: {files} files and {names} changes to names could not be made durable: {source}{}",
            backing.display(), kept(.folder.as_deref()))]
    Unsaved {
        /// The backing directory.
        backing: PathBuf,
        /// Files of which not all bytes are there.
        files: usize,
        /// Changes to names and attributes that are not.
        names: usize,
        /// Where files lie that could not be given their names; `None` where there are none.
        folder: Option<PathBuf>,
        /// The first reason.
        source: io::Error,
    },
    /// A capture could not be written.
    #[error(transparent)]
    Capture(#[from] TraceError),
    /// Reading or writing a file failed.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
}

/// Where to look for what has no name.
fn kept(folder: Option<&Path>) -> String {
    folder.map_or(String::new(), |folder| format!("; files without a name are in {}", folder.display()))
}

impl EmulateError {
    pub(crate) fn unsaved(backing: &Path) -> impl FnOnce(Unsaved) -> EmulateError {
        move |Unsaved { files, names, folder, source }| EmulateError::Unsaved {
            backing: backing.to_owned(),
            files,
            names,
            folder,
            source,
        }
    }

    pub(crate) fn scan(path: &Path, capacity_bytes: u64) -> impl FnOnce(ScanError) -> EmulateError {
        move |error| match error {
            ScanError::Io(path, source) => EmulateError::Io { path, source },
            ScanError::TooLarge => EmulateError::TooLarge { path: path.to_owned(), capacity_bytes },
        }
    }

    /// Whether the user has to change what was asked for; else the operation failed.
    pub fn is_bad_input(&self) -> bool {
        match self {
            EmulateError::NoFuse { .. }
            | EmulateError::Mount { .. }
            | EmulateError::NoSpace { .. }
            | EmulateError::NotDone { .. }
            | EmulateError::Unsaved { .. }
            | EmulateError::Capture(TraceError::Io { .. })
            | EmulateError::Io { .. } => false,
            EmulateError::Capture(TraceError::Write(error)) => error.is_bad_place(),
            _ => true,
        }
    }
}
