//! Whether a folder can be captured, and mounts that a killed capture has left.

use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use leadline_device::guard::{Mount, parse_mounts};
use rustix::io::Errno;
use rustix::mount::UnmountFlags;

use crate::CaptureError;

/// What the source of our mounts begins with, in front of the folder: `mount` and `df` show it.
pub(crate) const SOURCE: &str = "leadline-capture:";

/// The folder to capture, by its canonical path. What a killed capture left there is unmounted first; true in
/// that case.
pub(crate) fn prepare(folder: &Path) -> Result<(PathBuf, bool), CaptureError> {
    let cleaned = clean_up(folder)?;
    let not_a_folder = || CaptureError::NotAFolder { path: folder.to_owned() };
    let path = std::fs::canonicalize(folder).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => not_a_folder(),
        _ => CaptureError::Io { path: folder.to_owned(), source },
    })?;
    if !path.is_dir() {
        return Err(not_a_folder());
    }
    if path == Path::new("/") {
        return Err(CaptureError::Root { path });
    }
    if mounted_at(&path)?.is_some_and(|mount| is_ours(&mount)) {
        return Err(CaptureError::Captured { path: folder.to_owned() });
    }
    Ok((path, cleaned))
}

/// Refuses a file that would lie in the captured folder.
pub(crate) fn check_outside(file: &Path, folder: &Path) -> Result<(), CaptureError> {
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match std::fs::canonicalize(parent) {
        Ok(parent) if parent.starts_with(folder) => {
            Err(CaptureError::Inside { file: file.to_owned(), folder: folder.to_owned() })
        }
        // A folder that does not exist is told when the file is made.
        _ => Ok(()),
    }
}

/// Unmounts what a capture that was killed has left at the path.
fn clean_up(path: &Path) -> Result<bool, CaptureError> {
    // Attributes the kernel may still know; the space it asks for each time.
    if !matches!(rustix::fs::statvfs(path), Err(Errno::NOTCONN)) {
        return Ok(false);
    }
    // The folder itself cannot be looked at: its parent can.
    let io = |source| CaptureError::Io { path: path.to_owned(), source };
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().ok_or_else(|| CaptureError::Dead { path: path.to_owned() })?;
    let path = std::fs::canonicalize(parent).map_err(io)?.join(name);
    match mounted_at(&path)? {
        Some(mount) if is_ours(&mount) => {
            detach(&path).map_err(|source| CaptureError::Io { path, source })?;
            Ok(true)
        }
        _ => Err(CaptureError::Dead { path }),
    }
}

fn is_ours(mount: &Mount) -> bool {
    mount.fs_type.starts_with("fuse") && mount.source.as_os_str().as_bytes().starts_with(SOURCE.as_bytes())
}

/// What is mounted at the path, last.
fn mounted_at(path: &Path) -> Result<Option<Mount>, CaptureError> {
    let file = Path::new("/proc/self/mountinfo");
    let text = std::fs::read(file).map_err(|source| CaptureError::Io { path: file.to_owned(), source })?;
    Ok(parse_mounts(&text).into_iter().rfind(|mount| mount.point == path))
}

/// Whether a capture is mounted at the path.
pub(crate) fn is_mounted(path: &Path) -> Result<bool, CaptureError> {
    Ok(mounted_at(path)?.is_some_and(|mount| is_ours(&mount)))
}

/// Takes the mount away unless it is in use, which is false.
pub(crate) fn unmount(path: &Path) -> io::Result<bool> {
    match rustix::mount::unmount(path, UnmountFlags::empty()) {
        Ok(()) => Ok(true),
        Err(Errno::BUSY) => Ok(false),
        // A plain user; the program does not tell why it failed.
        Err(Errno::PERM) => fusermount(path, &["-u"]),
        Err(error) => Err(error.into()),
    }
}

/// Takes the mount away even if it is in use or dead: who uses it keeps it, but nobody finds it any more.
pub(crate) fn detach(path: &Path) -> io::Result<()> {
    match rustix::mount::unmount(path, UnmountFlags::DETACH) {
        Ok(()) => Ok(()),
        Err(Errno::PERM) => match fusermount(path, &["-u", "-z"])? {
            true => Ok(()),
            false => Err(io::Error::other("fusermount3 -u -z failed")),
        },
        Err(error) => Err(error.into()),
    }
}

fn fusermount(path: &Path, arguments: &[&str]) -> io::Result<bool> {
    let mut command = Command::new("fusermount3");
    command.args(arguments).arg("--").arg(path).stdin(Stdio::null());
    Ok(command.stdout(Stdio::null()).stderr(Stdio::null()).status()?.success())
}
