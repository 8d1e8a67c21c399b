//! What processes that were killed leave of files and directories in the making: it has a name of ours, and
//! nobody holds its lock.

use std::fs::{self, File, Metadata};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use rustix::fs::{FlockOperation, OFlags, flock};

/// Names of unfinished files and directories, next to the final ones.
pub(crate) const PREFIX: &str = ".leadline-";
pub(crate) const FILE: &str = ".tmp";
pub(crate) const FOLDER: &str = ".folder";

/// Locks what has a name in the making for as long as `handle` is open. False where another process has taken
/// it for left behind meanwhile, and removed it: then another one is to be made.
pub(crate) fn lock(handle: &File, path: &Path) -> bool {
    // Where a file system has no locks, nobody takes it for left behind either.
    let _ = flock(handle, FlockOperation::LockExclusive);
    handle.metadata().is_ok_and(|ours| is_at(&ours, path))
}

/// Whether a file or directory is the one that has the name `path`.
pub(crate) fn is_at(found: &Metadata, path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|there| (there.dev(), there.ino()) == (found.dev(), found.ino()))
}

/// Removes what was left behind in a directory. What cannot be removed, because it is another user's, stays.
pub(crate) fn remove(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|name| name.starts_with(PREFIX)) else { continue };
        let Ok(kind) = entry.file_type() else { continue };
        let (is_file, is_folder) = (name.ends_with(FILE), name.ends_with(FOLDER));
        if !(is_file && kind.is_file() || is_folder && kind.is_dir()) {
            continue;
        }
        let path = entry.path();
        let handle =
            fs::OpenOptions::new().read(true).custom_flags(OFlags::NOFOLLOW.bits() as i32).open(&path);
        if let Ok(handle) = handle
            && flock(&handle, FlockOperation::NonBlockingLockExclusive).is_ok()
            // It was not finished and given its real name meanwhile.
            && handle.metadata().is_ok_and(|found| is_at(&found, &path))
        {
            let _ = if kind.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        }
    }
}
