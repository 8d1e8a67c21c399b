//! The folder in which databases are made: marked, locked while it is used, and gone afterwards.

use std::fs::{self, File, TryLockError};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::process::geteuid;

use super::error::ValidateError;

const PREFIX: &str = ".leadline-lsm-";
const LOCK: &str = "lock";
const MARK: &str = "A scratch folder of Leadline: all in it is removed when nobody has this file locked.\n";

/// A folder of its own, removed when dropped.
#[derive(Debug)]
pub(super) struct Scratch {
    path: PathBuf,
    lock: File,
}

impl Scratch {
    /// Makes one in `folder`, after removing those that killed runs left there.
    ///
    /// # Errors
    /// [`ValidateError::NotFolder`], or the system's reasons.
    pub(super) fn create(folder: &Path) -> Result<Scratch, ValidateError> {
        if !folder.is_dir() {
            return Err(ValidateError::NotFolder { path: folder.into() });
        }
        sweep(folder)?;
        let made = tempfile::Builder::new().prefix(PREFIX).rand_bytes(8).tempdir_in(folder);
        let made =
            made.map_err(|source| ValidateError::io(folder, "making a scratch folder in it", source))?;
        // Until it is marked, whatever goes wrong takes the folder away again.
        let marked = || {
            let mut lock = File::create_new(made.path().join(LOCK))?;
            lock.try_lock()?;
            lock.write_all(MARK.as_bytes())?;
            Ok(lock)
        };
        let lock = marked().map_err(|source: std::io::Error| {
            ValidateError::io(folder, "marking a scratch folder in it", source)
        })?;
        Ok(Scratch { path: made.keep(), lock })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The file whose lock says that the folder is in use. A child that has it open keeps the lock.
    pub(super) fn lock(&self) -> &File {
        &self.lock
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing more can be done here; the next run in this folder finds what is left.
        let _ = remove(&self.path);
    }
}

/// Removes what killed runs left in `folder`: folders of our names, owner and mark that nobody has locked.
fn sweep(folder: &Path) -> Result<(), ValidateError> {
    let list = |source| ValidateError::io(folder, "listing it", source);
    for entry in fs::read_dir(folder).map_err(list)? {
        let entry = entry.map_err(list)?;
        let is_ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        let path = entry.path();
        if !is_ours || !is_leftover(&path) {
            continue;
        }
        remove(&path)
            .map_err(|source| ValidateError::io(&path, "removing what a killed run left", source))?;
    }
    Ok(())
}

/// Whatever is in doubt is not.
fn is_leftover(path: &Path) -> bool {
    let is_own_folder =
        fs::symlink_metadata(path).is_ok_and(|found| found.is_dir() && found.uid() == geteuid().as_raw());
    let Some(mut lock) = is_own_folder.then(|| File::open(path.join(LOCK)).ok()).flatten() else {
        return false;
    };
    let mut mark = String::new();
    let is_marked = (&mut lock).take(1 << 10).read_to_string(&mut mark).is_ok() && mark == MARK;
    is_marked && !matches!(lock.try_lock(), Err(TryLockError::WouldBlock | TryLockError::Error(_)))
}

/// Removes the folder, its mark last: if it is not removed whole, the rest is still found to be ours.
fn remove(path: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else if entry.file_name() != LOCK {
            fs::remove_file(entry.path())?;
        }
    }
    fs::remove_dir_all(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<PathBuf> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
    }

    #[test]
    fn a_scratch_folder_is_gone_with_all_in_it_when_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let scratch = Scratch::create(folder.path()).unwrap();
        fs::create_dir(scratch.path().join("db")).unwrap();
        fs::write(scratch.path().join("db/1.sst"), "x").unwrap();
        fs::write(scratch.path().join("OPTIONS"), "x").unwrap();
        assert_eq!(names(folder.path()), [scratch.path().to_path_buf()]);
        drop(scratch);
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn what_a_killed_run_left_is_removed_and_what_is_in_use_or_not_ours_stays() {
        let folder = tempfile::tempdir().unwrap();
        let left = |name: &str, mark: Option<&str>| {
            let path = folder.path().join(format!("{PREFIX}{name}"));
            fs::create_dir(&path).unwrap();
            fs::write(path.join("data"), "x").unwrap();
            if let Some(mark) = mark {
                fs::write(path.join(LOCK), mark).unwrap();
            }
            path
        };
        let (killed, unmarked, other) = (left("1", Some(MARK)), left("2", None), left("3", Some("mine\n")));
        let used = Scratch::create(folder.path()).unwrap();
        assert!(!killed.exists() && unmarked.exists() && other.exists());
        // A child that outlived its parent has the lock still.
        let orphan = used.lock().try_clone().unwrap();
        let path = used.path().to_path_buf();
        drop(Scratch::create(folder.path()).unwrap());
        assert!(path.exists());
        drop(orphan);
        drop(used);
        assert!(!path.exists());
    }

    #[test]
    fn only_a_folder_will_do() {
        let error = Scratch::create(Path::new("/dev/null")).unwrap_err();
        assert!(matches!(error, ValidateError::NotFolder { .. }) && error.is_input(), "{error}");
    }
}
