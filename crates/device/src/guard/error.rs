//! Why a target was refused, and what to do about it: one line each.

use std::io;
use std::path::{Path, PathBuf};

use super::shown;
use crate::format_size;

/// A target that is not written to, or cannot be opened the way it was asked for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // `path` and `dir` are the target as the user named it; the rest is in the messages
pub enum GuardError {
    /// The device, a partition of it, or the disk it is a partition of holds a mounted file system.
    #[error("{}: {what} is mounted on {}; `umount {}` first, or measure that directory instead",
        shown(.path), shown(.point), shown(.point))]
    Mounted { path: PathBuf, what: String, point: PathBuf },
    /// It is swap space in use.
    #[error("{}: {what} is used as swap; `swapoff {}` first", shown(.path), shown(.swap))]
    Swap { path: PathBuf, what: String, swap: PathBuf },
    /// Device mapper, MD or bcache is on it.
    #[error("{}: {what} is held by {holder}; {remedy} first", shown(.path))]
    Held { path: PathBuf, what: String, holder: String, remedy: String },
    /// It has partitions, or a partition table that the kernel does not read.
    #[error("{}: is partitioned ({partitions}); name one partition, or remove the table with `wipefs -a {}` first",
        shown(.path), shown(.device))]
    Partitioned { path: PathBuf, partitions: String, device: PathBuf },
    /// A loop device is on it.
    #[error("{}: {what} backs the loop device /dev/{holder}; `losetup -d /dev/{holder}` first", shown(.path))]
    BacksLoop { path: PathBuf, what: String, holder: String },
    /// Somebody has it open exclusively.
    #[error("{}: is in use (another program holds it exclusively); find it with `fuser -v {}` and end it first",
        shown(.path), shown(.path))]
    Busy { path: PathBuf },
    /// It is set read-only.
    #[error("{}: is read-only; `blockdev --setrw {}` if that is not on purpose, or measure reads only",
        shown(.path), shown(.path))]
    ReadOnly { path: PathBuf },
    /// Its zones take writes in sequence only.
    #[error("{}: {what} is a zoned device ({model}), whose zones take writes in sequence only: a measurement \
        would fail halfway; measure reads only, without --destructive, or a directory of a file system on it \
        that knows zones (btrfs, f2fs)", shown(.path))]
    Zoned { path: PathBuf, what: String, model: String },
    /// Whether it is in use cannot be told, so it is taken to be.
    #[error("{}: cannot tell whether it is in use ({what}: {source}); see that /proc and /sys are mounted",
        shown(.path))]
    CannotTell { path: PathBuf, what: String, source: io::Error },
    /// The path was moved to another device in between.
    #[error("{}: became another device while it was examined; run again", shown(.path))]
    Changed { path: PathBuf },
    /// Not a block device.
    #[error("{}: is not a block device; name one, such as /dev/nvme0n1, or a directory", shown(.path))]
    NotBlock { path: PathBuf },
    /// Not a regular file.
    #[error("{}: is not a regular file; name a file that Leadline made, or a directory", shown(.path))]
    NotFile { path: PathBuf },
    /// A file that Leadline did not make.
    #[error("{}: was not made by Leadline ({reason}) and will not be written to; \
        name its directory instead, or measure reads only", shown(.path))]
    Foreign { path: PathBuf, reason: &'static str },
    /// A file that another Leadline works on.
    #[error("{}: is in use by another Leadline; wait for it to end, or name another target", shown(.path))]
    Locked { path: PathBuf },
    /// Not a directory.
    #[error("{}: is not a directory; name one that exists", shown(.dir))]
    NotDirectory { dir: PathBuf },
    /// A directory in which nothing can be made.
    #[error("{}: cannot be written to ({source}); name a directory you may write to", shown(.dir))]
    DirectoryNotWritable { dir: PathBuf, source: io::Error },
    /// Too little room.
    #[error("{}: {} free, and {} more would leave less than {}; {}", shown(.dir), format_size(*.available_bytes),
        format_size(*.asked_bytes), format_size(*.reserve_bytes), remedy_for_space(*.fits_bytes))]
    Space { dir: PathBuf, asked_bytes: u64, available_bytes: u64, reserve_bytes: u64, fits_bytes: u64 },
    /// A scratch file must hold more than its header's room.
    #[error("{}: a scratch file of {asked_bytes} bytes is too small; it needs at least {}", shown(.dir),
        format_size(*.least_bytes))]
    TooSmall { dir: PathBuf, asked_bytes: u64, least_bytes: u64 },
    /// The file system does not know O_DIRECT.
    #[error("{}: its file system refuses direct I/O (O_DIRECT); name a directory on a disk", shown(.path))]
    DirectRefused { path: PathBuf },
    /// No permission.
    #[error("{}: permission denied; run as root or as a user who may (block devices: group disk)", shown(.path))]
    Denied { path: PathBuf },
    /// The operating system's reason.
    #[error("{}: {what} failed: {source}; check the path and the device behind it", shown(.path))]
    Io { path: PathBuf, what: String, source: io::Error },
}

fn remedy_for_space(fits_bytes: u64) -> String {
    // Not `format_size`, which rounds: what is printed here must fit.
    match fits_bytes >> 20 {
        0..2 => "free some space or name another directory".to_owned(),
        mib => format!("at most {mib}M would fit"),
    }
}

/// Wraps the operating system's reason with what was attempted.
pub(crate) fn io_error(what: &str, path: &Path, source: impl Into<io::Error>) -> GuardError {
    let (path, source) = (path.to_path_buf(), source.into());
    match source.kind() {
        io::ErrorKind::PermissionDenied => GuardError::Denied { path },
        io::ErrorKind::ReadOnlyFilesystem => GuardError::ReadOnly { path },
        _ => GuardError::Io { path, what: what.to_owned(), source },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_is_one_line_that_names_the_input() {
        let path = PathBuf::from("/dev/strange\nname");
        let errors = [
            GuardError::Mounted { path: path.clone(), what: "it".into(), point: "/mnt/a\nb".into() },
            GuardError::Foreign { path: path.clone(), reason: "it has no Leadline header" },
            GuardError::Space {
                dir: path.clone(),
                asked_bytes: 8 << 30,
                available_bytes: 3 << 29,
                reserve_bytes: 1 << 30,
                fits_bytes: 5 << 20,
            },
            GuardError::DirectRefused { path },
        ];
        for error in errors {
            let line = error.to_string();
            assert!(line.starts_with("/dev/strange\\nname: "), "{line}");
            assert!(!line.contains('\n') && !line.contains("  "), "{line}");
        }
    }

    #[test]
    fn what_would_fit_is_said_and_fits() {
        assert_eq!(remedy_for_space((5 << 30) - 1), "at most 5119M would fit");
        assert!(remedy_for_space(1 << 20).starts_with("free some space"));
    }
}
