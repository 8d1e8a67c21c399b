//! What is mounted where, and taking it away.

use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use leadline_device::guard::{Mount, parse_mounts};
use rustix::io::Errno;
use rustix::mount::UnmountFlags;

/// A server that has not answered after so long never will.
const PATIENCE: Duration = Duration::from_secs(5);

/// What is mounted at the path, last. The path is canonical; it is not looked at.
///
/// # Errors
/// The system's reason why `/proc/self/mountinfo` cannot be read.
pub fn mounted_at(path: &Path) -> io::Result<Option<Mount>> {
    let text = std::fs::read("/proc/self/mountinfo")?;
    Ok(parse_mounts(&text).into_iter().rfind(|mount| mount.point == path))
}

/// Whether a file system whose source begins with `kind` is mounted at the path, last.
///
/// # Errors
/// As [`mounted_at`].
pub fn is_mounted(path: &Path, kind: &str) -> io::Result<bool> {
    Ok(mounted_at(path)?.is_some_and(|mount| is_of(&mount, kind)))
}

pub(crate) fn is_of(mount: &Mount, kind: &str) -> bool {
    mount.fs_type == "fuse" && mount.source.as_os_str().as_bytes().starts_with(kind.as_bytes())
}

/// Whether some server of that very source answers, wherever it is mounted.
pub(crate) fn is_served(source: &Path) -> io::Result<bool> {
    let text = std::fs::read("/proc/self/mountinfo")?;
    for mount in parse_mounts(&text) {
        if mount.fs_type == "fuse" && mount.source == source && serves(&mount)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The number by which the kernel knows a mount: `st_dev` of its files.
pub fn device_number(mount: &Mount) -> u64 {
    rustix::fs::makedev(mount.device.major, mount.device.minor)
}

/// Whether a server answers for a mount.
///
/// It is asked for its space: what the kernel knows of a mount point itself, it may know for a while after
/// the server's death.
pub(crate) fn serves(mount: &Mount) -> io::Result<bool> {
    let (tell, told) = channel();
    let path = mount.point.clone();
    // A thread of its own: it may wait until the connection is ended.
    std::thread::spawn(move || {
        let asked = rustix::fs::statvfs(&path);
        let _ = tell.send(!matches!(asked, Err(Errno::NOTCONN | Errno::CONNABORTED)));
    });
    if !told.recv_timeout(PATIENCE).unwrap_or(false) {
        return Ok(false);
    }
    // Where it was taken away meanwhile, what lies below has answered.
    Ok(mounted_at(&mount.point)?.is_some_and(|now| now.device == mount.device))
}

/// Takes the mount away unless it is in use, which is false.
///
/// # Errors
/// The system's reason.
pub fn unmount(path: &Path) -> io::Result<bool> {
    match rustix::mount::unmount(path, UnmountFlags::empty()) {
        Ok(()) => Ok(true),
        Err(Errno::BUSY) => Ok(false),
        // A plain user; the program does not tell why it failed.
        Err(Errno::PERM) => fusermount(path, &["-u"]),
        Err(error) => Err(error.into()),
    }
}

/// Takes the mount away even if it is in use: who uses it keeps it, but nobody finds it any more.
///
/// # Errors
/// The system's reason.
pub fn detach(path: &Path) -> io::Result<()> {
    lazily(path, UnmountFlags::DETACH)
}

/// Takes away a mount whose server is gone. Who waits for an answer has it then.
pub(crate) fn take_away(mount: &Mount) -> io::Result<()> {
    // Where this folder is not mounted, root has the same by force, and a plain user does without.
    let abort = format!("/sys/fs/fuse/connections/{}/abort", device_number(mount));
    let _ = std::fs::write(abort, "1");
    lazily(&mount.point, UnmountFlags::DETACH | UnmountFlags::FORCE)
}

fn lazily(path: &Path, flags: UnmountFlags) -> io::Result<()> {
    match rustix::mount::unmount(path, flags) {
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
