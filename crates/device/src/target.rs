//! What the user pointed at: a directory, a regular file or a block device.

use std::fmt;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::{SeekFrom, seek};

use crate::guard::shown;

/// A kernel device number, shown as `major:minor`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeviceNumber {
    /// Which driver.
    pub major: u32,
    /// Which of the driver's devices.
    pub minor: u32,
}

impl DeviceNumber {
    /// Splits a raw `dev_t`, as `st_dev` and `st_rdev` have it.
    pub fn from_raw(dev: u64) -> Self {
        DeviceNumber { major: rustix::fs::major(dev), minor: rustix::fs::minor(dev) }
    }

    /// Reads `254:0`.
    pub fn parse(text: &str) -> Option<Self> {
        let (major, minor) = text.trim().split_once(':')?;
        Some(DeviceNumber { major: major.parse().ok()?, minor: minor.parse().ok()? })
    }

    /// The block device at `path`, `None` where there is none. Follows symbolic links.
    pub fn of_block(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        metadata.file_type().is_block_device().then(|| Self::from_raw(metadata.rdev()))
    }

    /// Whether no single block device is behind it (btrfs, overlay, tmpfs, network file systems).
    pub fn is_anonymous(self) -> bool {
        self.major == 0
    }
}

impl fmt::Display for DeviceNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.major, self.minor)
    }
}

/// What a [`Target`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TargetKind {
    /// A scratch file is made in it and removed.
    Directory,
    /// Read as it is; written only if Leadline made it.
    File,
    /// Read raw; written only on request and while nothing else uses it.
    Block,
}

impl TargetKind {
    /// The word of the profile: `directory`, `file` or `block`.
    pub fn as_str(self) -> &'static str {
        match self {
            TargetKind::Directory => "directory",
            TargetKind::File => "file",
            TargetKind::Block => "block",
        }
    }
}

impl fmt::Display for TargetKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Something that can be measured, as it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Directory, file or block device.
    pub kind: TargetKind,
    /// As the user named it.
    pub path: PathBuf,
    /// Bytes of the file or block device; 0 for a directory.
    pub size_bytes: u64,
    /// The block device itself, or the one the file or directory is on. [`DeviceNumber::is_anonymous`]
    /// where the file system has no single one.
    pub device: DeviceNumber,
}

/// A path that cannot be measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TargetError {
    /// Nothing is there.
    #[error("{}: no such file or directory; name a directory, a file or a block device that exists", shown(.path))]
    Missing {
        /// As the user named it.
        path: PathBuf,
    },
    /// A character device, a socket, a pipe.
    #[error(
        "{}: is a {what}, which cannot be measured; name a directory, a regular file or a block device",
        shown(.path)
    )]
    WrongKind {
        /// As the user named it.
        path: PathBuf,
        /// What it is instead.
        what: &'static str,
    },
    /// It is there and may not be looked at.
    #[error("{}: permission denied; run as a user who may read it (block devices: root or group disk)", shown(.path))]
    Denied {
        /// As the user named it.
        path: PathBuf,
    },
    /// The operating system's reason.
    #[error("{}: cannot be examined: {source}; check the path and the device behind it", shown(.path))]
    Io {
        /// As the user named it.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
}

impl Target {
    /// Finds out what `path` is. Symbolic links are followed. Nothing is written, and only a block device is
    /// opened (for its size).
    ///
    /// # Errors
    /// [`TargetError`] for a path that is missing, may not be looked at, or is none of the three kinds.
    pub fn resolve(path: impl AsRef<Path>) -> Result<Target, TargetError> {
        let path = path.as_ref();
        let metadata = fs::metadata(path).map_err(|source| TargetError::new(path, source))?;
        let file_type = metadata.file_type();
        let (kind, size_bytes, raw) = if file_type.is_dir() {
            (TargetKind::Directory, 0, metadata.dev())
        } else if file_type.is_file() {
            (TargetKind::File, metadata.len(), metadata.dev())
        } else if file_type.is_block_device() {
            let size = block_size_bytes(path).map_err(|source| TargetError::new(path, source))?;
            (TargetKind::Block, size, metadata.rdev())
        } else {
            return Err(TargetError::WrongKind { path: path.into(), what: kind_in_words(file_type) });
        };
        Ok(Target { kind, path: path.into(), size_bytes, device: DeviceNumber::from_raw(raw) })
    }
}

impl TargetError {
    fn new(path: &Path, source: io::Error) -> Self {
        let path = path.to_path_buf();
        match source.kind() {
            io::ErrorKind::NotFound => TargetError::Missing { path },
            io::ErrorKind::PermissionDenied => TargetError::Denied { path },
            _ => TargetError::Io { path, source },
        }
    }
}

/// Bytes of the block device at `path`: the offset of its end.
fn block_size_bytes(path: &Path) -> io::Result<u64> {
    let device = File::open(path)?;
    Ok(seek(&device, SeekFrom::End(0))?)
}

fn kind_in_words(file_type: fs::FileType) -> &'static str {
    if file_type.is_char_device() {
        "character device"
    } else if file_type.is_fifo() {
        "pipe"
    } else if file_type.is_socket() {
        "socket"
    } else {
        "special file"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_numbers_read_what_they_write() {
        let number = DeviceNumber { major: 259, minor: 7 };
        assert_eq!(DeviceNumber::parse(&number.to_string()), Some(number));
        for garbage in ["", ":", "1", "1:", "a:b", "-1:0", "1:2:3"] {
            assert_eq!(DeviceNumber::parse(garbage), None, "{garbage:?}");
        }
    }

    #[test]
    fn directories_and_files_resolve() {
        let dir = tempfile::tempdir().unwrap();
        let target = Target::resolve(dir.path()).unwrap();
        assert_eq!((target.kind, target.size_bytes), (TargetKind::Directory, 0));
        let file = dir.path().join("file");
        fs::write(&file, [7; 1234]).unwrap();
        let on_file = Target::resolve(&file).unwrap();
        assert_eq!((on_file.kind, on_file.size_bytes), (TargetKind::File, 1234));
        assert_eq!(on_file.device, target.device);
    }

    #[test]
    fn everything_else_is_refused_in_one_line_that_names_it() {
        let dir = tempfile::tempdir().unwrap();
        let missing = Target::resolve(dir.path().join("nothing\nhere")).unwrap_err();
        assert!(matches!(missing, TargetError::Missing { .. }));
        let null = Target::resolve(Path::new("/dev/null")).unwrap_err();
        assert!(matches!(null, TargetError::WrongKind { what: "character device", .. }));
        for (error, name) in [(missing, "nothing\\nhere"), (null, "/dev/null")] {
            let line = error.to_string();
            assert!(
                line.contains(name) && !line.contains('\n') && line.contains("name a directory"),
                "{line}"
            );
        }
    }
}
