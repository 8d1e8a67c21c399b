//! Whether a folder can be mounted on, and mounts that an emulator left behind.

use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use leadline_device::guard::{Mount, parse_mounts};
use rustix::mount::UnmountFlags;

use crate::EmulateError;

/// What the source of our mounts begins with, in front of the backing folder: `mount` and `df` show it.
pub(crate) const SOURCE: &str = "leadline:";

/// The folder to mount on, checked: an empty directory with nothing mounted there. What a killed emulator
/// left there is unmounted first; true in that case.
pub(crate) fn prepare(mount: &Path) -> Result<(PathBuf, bool), EmulateError> {
    let cleaned = clean_up(mount)?;
    let path = folder(mount)?;
    if mounted_at(&path)?.is_some() {
        return Err(EmulateError::InUse { path: mount.to_owned() });
    }
    let io = |source| EmulateError::Io { path: mount.to_owned(), source };
    if std::fs::read_dir(&path).map_err(io)?.next().is_some() {
        return Err(EmulateError::NotEmpty { path: mount.to_owned() });
    }
    Ok((path, cleaned))
}

/// The canonical path of a directory.
pub(crate) fn folder(path: &Path) -> Result<PathBuf, EmulateError> {
    let canonical = std::fs::canonicalize(path).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => EmulateError::NotADirectory { path: path.to_owned() },
        _ => EmulateError::Io { path: path.to_owned(), source },
    })?;
    if !canonical.is_dir() {
        return Err(EmulateError::NotADirectory { path: path.to_owned() });
    }
    Ok(canonical)
}

/// Refuses folders of which one holds the other.
pub(crate) fn check_apart(one: &Path, other: &Path) -> Result<(), EmulateError> {
    let nested = |inner: &Path, outer: &Path| {
        Err(EmulateError::Nested { inner: inner.to_owned(), outer: outer.to_owned() })
    };
    if one.starts_with(other) {
        return nested(one, other);
    }
    if other.starts_with(one) {
        return nested(other, one);
    }
    Ok(())
}

/// Unmounts what an emulator that was killed has left at the path.
fn clean_up(path: &Path) -> Result<bool, EmulateError> {
    let dead = std::fs::metadata(path)
        .is_err_and(|error| error.raw_os_error() == Some(rustix::io::Errno::NOTCONN.raw_os_error()));
    if !dead {
        return Ok(false);
    }
    // The folder itself cannot be looked at: its parent can.
    let io = |source| EmulateError::Io { path: path.to_owned(), source };
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().ok_or_else(|| EmulateError::InUse { path: path.to_owned() })?;
    let path = std::fs::canonicalize(parent).map_err(io)?.join(name);
    match mounted_at(&path)? {
        Some(mount) if is_ours(&mount) => {
            detach(&path).map_err(|source| EmulateError::Io { path, source })?;
            Ok(true)
        }
        _ => Err(EmulateError::InUse { path }),
    }
}

fn is_ours(mount: &Mount) -> bool {
    mount.fs_type.starts_with("fuse") && mount.source.as_os_str().as_bytes().starts_with(SOURCE.as_bytes())
}

/// What is mounted at the path, last.
fn mounted_at(path: &Path) -> Result<Option<Mount>, EmulateError> {
    let file = Path::new("/proc/self/mountinfo");
    let text = std::fs::read(file).map_err(|source| EmulateError::Io { path: file.to_owned(), source })?;
    Ok(parse_mounts(&text).into_iter().rfind(|mount| mount.point == path))
}

/// Whether an emulated drive is mounted at the path.
pub(crate) fn is_mounted(path: &Path) -> Result<bool, EmulateError> {
    Ok(mounted_at(path)?.is_some_and(|mount| is_ours(&mount)))
}

/// The device number of an emulated drive's mount, which its control socket is named after.
pub(crate) fn device_number(path: &Path) -> Result<u64, EmulateError> {
    let not_mounted = || EmulateError::NotMounted { path: path.to_owned() };
    let canonical = std::fs::canonicalize(path).map_err(|_| not_mounted())?;
    match mounted_at(&canonical)? {
        // A dead mount cannot be looked at.
        Some(mount) if is_ours(&mount) => Ok(std::fs::metadata(&canonical).map_err(|_| not_mounted())?.dev()),
        _ => Err(not_mounted()),
    }
}

/// Takes a mount away, even one that is in use or dead: as root by the system call, else by fusermount3.
pub(crate) fn detach(path: &Path) -> io::Result<()> {
    match rustix::mount::unmount(path, UnmountFlags::DETACH) {
        Ok(()) => Ok(()),
        Err(rustix::io::Errno::PERM) => {
            let mut command = Command::new("fusermount3");
            command.args(["-u", "-z", "--"]).arg(path).stdout(Stdio::null()).stderr(Stdio::null());
            match command.status()?.success() {
                true => Ok(()),
                false => Err(io::Error::other("fusermount3 -u failed")),
            }
        }
        Err(error) => Err(error.into()),
    }
}
