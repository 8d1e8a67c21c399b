//! How something new takes the name that something else has, so that at every moment, and after a crash at
//! any moment, one of the two is found under it.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FlockOperation, RenameFlags, flock, renameat_with};
use rustix::io::Errno;

use crate::left_behind::PREFIX;
use crate::new_file::{end_of_links, folder_of};

/// How a file or directory is called for the moment between its name and that of its successor.
const ASIDE: &str = ".aside";

/// The two ways to move names; tests let them fail.
pub(crate) trait Names {
    /// Both names change their owners, at once.
    fn exchange(&self, one: &Path, other: &Path) -> io::Result<()>;

    /// As rename(2).
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
}

/// Those of the system.
pub(crate) struct System;

impl Names for System {
    fn exchange(&self, one: &Path, other: &Path) -> io::Result<()> {
        Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }
}

/// Gives `new` the name `target`, in the same directory. Returns where what had that name is now, if anything
/// had.
///
/// Some file systems (NFS above all) cannot exchange two names. There the old owner first steps aside, and
/// for a moment nobody has the name; [`restore`] gives it back if the process ends in that moment.
///
/// # Errors
/// The system's. The name then has the owner that it had.
pub(crate) fn take(names: &impl Names, new: &Path, target: &Path) -> io::Result<Option<PathBuf>> {
    if !is_there(target) {
        return names.rename(new, target).map(|()| None);
    }
    match names.exchange(new, target) {
        Ok(()) => Ok(Some(new.to_owned())),
        Err(error) if cannot_exchange(&error) => step_aside(names, new, target).map(Some),
        Err(error) => Err(error),
    }
}

/// Undoes what [`take`] did, which returned `old`.
///
/// # Errors
/// The system's.
pub(crate) fn give_back(names: &impl Names, new: &Path, target: &Path, old: Option<&Path>) -> io::Result<()> {
    match old {
        Some(old) if old == new => names.exchange(new, target),
        Some(old) => names.rename(target, new).and_then(|()| names.rename(old, target)),
        None => names.rename(target, new),
    }
}

/// What file systems and kernels answer that cannot exchange names.
fn cannot_exchange(error: &io::Error) -> bool {
    let no = [Errno::INVAL, Errno::NOSYS, Errno::OPNOTSUPP];
    Errno::from_io_error(error).is_some_and(|error| no.contains(&error))
}

fn step_aside(names: &impl Names, new: &Path, target: &Path) -> io::Result<PathBuf> {
    let aside = aside_of(target);
    // Its successor is there: a process ended before it removed what it had replaced.
    remove(&aside)?;
    // Whoever finds nobody at the name waits for this lock, unless the caller's own lock is what it waits
    // for.
    let old = File::open(target)?;
    let _ = flock(&old, FlockOperation::NonBlockingLockExclusive);
    names.rename(target, &aside)?;
    match names.rename(new, target) {
        Ok(()) => Ok(aside),
        Err(error) => Err(match names.rename(&aside, target) {
            Ok(()) => error,
            Err(_) => io::Error::new(
                error.kind(),
                format!("{error}; what was there is in {} until Leadline next looks for it", aside.display()),
            ),
        }),
    }
}

/// Gives a file or directory its name back, if its successor did not come to take it. Whoever expects to find
/// something at a path, and does not, asks this first.
///
/// # Errors
/// The system's, of the renaming.
pub fn restore(path: &Path) -> io::Result<()> {
    let target = &end_of_links(path);
    let aside = aside_of(target);
    if is_there(target) || !is_there(&aside) {
        return Ok(());
    }
    // The process that is about to take the name holds the lock.
    let old = File::open(&aside)?;
    let _ = flock(&old, FlockOperation::LockExclusive);
    if is_there(target) || !is_there(&aside) {
        return Ok(());
    }
    fs::rename(&aside, target)?;
    File::open(folder_of(target))?.sync_all()
}

/// Waits until nobody else holds the lock of the place that a file has, and holds it until the handle is
/// dropped: for programs that read a file to replace it by one that says more. It is the lock of the
/// directory that the file is in. Where the file system has no such locks, nobody waits.
///
/// # Errors
/// The system's, where there is no such directory.
pub fn lock_place(path: &Path) -> io::Result<File> {
    let folder = File::open(folder_of(&end_of_links(path)))?;
    let _ = flock(&folder, FlockOperation::LockExclusive);
    Ok(folder)
}

/// Removes a file or a directory with all that it holds; nothing where nothing is there.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

fn aside_of(target: &Path) -> PathBuf {
    let mut name = OsString::from(PREFIX);
    name.push(target.file_name().unwrap_or(OsStr::new("")));
    name.push(ASIDE);
    folder_of(target).join(name)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// A file system without exchange, of whose calls one fails, and perhaps all after it: as if the process
    /// had ended.
    struct Faulty {
        can_exchange: bool,
        calls: Cell<u32>,
        fails: u32,
        ends: bool,
    }

    impl Faulty {
        fn call(&self, work: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
            self.calls.set(self.calls.get() + 1);
            let now = self.calls.get();
            if now == self.fails || (self.ends && now > self.fails) {
                return Err(io::Error::from(io::ErrorKind::StorageFull));
            }
            work()
        }
    }

    impl Names for Faulty {
        fn exchange(&self, one: &Path, other: &Path) -> io::Result<()> {
            if !self.can_exchange {
                return Err(Errno::INVAL.into());
            }
            self.call(|| System.exchange(one, other))
        }

        fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
            self.call(|| System.rename(from, to))
        }
    }

    /// What is found at a path: the text of a file, or of the file `text` in a directory.
    fn text(path: &Path) -> Option<String> {
        fs::read_to_string(path).or_else(|_| fs::read_to_string(path.join("text"))).ok()
    }

    fn put(path: &Path, text: &str, as_folder: bool) {
        if as_folder {
            fs::create_dir(path).unwrap();
        }
        fs::write(if as_folder { path.join("text") } else { path.to_owned() }, text).unwrap();
    }

    #[test]
    fn one_of_both_has_the_name_whichever_call_fails_or_is_the_last() {
        let kinds = [(false, true), (true, true)];
        for (can_exchange, ends) in [(false, false), (false, true), (true, false), (true, true)] {
            for (old_is_folder, new_is_folder) in kinds {
                for fails in 1..=4 {
                    let folder = tempfile::tempdir().unwrap();
                    let (new, target) = (folder.path().join("new"), folder.path().join("target"));
                    put(&new, "new", new_is_folder);
                    put(&target, "old", old_is_folder);
                    let names = Faulty { can_exchange, calls: Cell::new(0), fails, ends };
                    let taken = take(&names, &new, &target);
                    let case = format!("exchange {can_exchange}, call {fails} fails, ends {ends}: {taken:?}");
                    if !ends {
                        let expected = if taken.is_ok() { "new" } else { "old" };
                        assert_eq!(text(&target).as_deref(), Some(expected), "{case}");
                    }
                    // The next process.
                    restore(&target).unwrap();
                    let found = text(&target);
                    assert!(found.is_some(), "{case}: nothing is at the name");
                    assert_eq!(found.as_deref() == Some("new"), taken.is_ok(), "{case}");
                    if let Ok(old) = &taken {
                        assert_eq!(text(old.as_ref().unwrap()).as_deref(), Some("old"), "{case}");
                        remove(old.as_ref().unwrap()).unwrap();
                    }
                    let names = Faulty { fails: u32::MAX, ..names };
                    if taken.is_err() {
                        let old = take(&names, &new, &target).unwrap().unwrap();
                        remove(&old).unwrap();
                    }
                    assert_eq!(text(&target).as_deref(), Some("new"), "{case}: once more");
                    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "{case}");
                }
            }
        }
    }

    #[test]
    fn what_was_taken_can_be_given_back() {
        for can_exchange in [false, true] {
            for had_owner in [false, true] {
                let folder = tempfile::tempdir().unwrap();
                let (new, target) = (folder.path().join("new"), folder.path().join("target"));
                put(&new, "new", true);
                if had_owner {
                    put(&target, "old", false);
                }
                let names = Faulty { can_exchange, calls: Cell::new(0), fails: u32::MAX, ends: false };
                let old = take(&names, &new, &target).unwrap();
                assert_eq!((text(&target).as_deref(), old.is_some()), (Some("new"), had_owner));
                give_back(&names, &new, &target, old.as_deref()).unwrap();
                assert_eq!(text(&target).as_deref(), had_owner.then_some("old"));
                assert_eq!(text(&new).as_deref(), Some("new"));
            }
        }
    }

    #[test]
    fn what_a_process_that_ended_did_not_remove_is_not_put_back() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("target");
        put(&target, "new", true);
        put(&aside_of(&target), "old", false);
        restore(&target).unwrap();
        assert_eq!(text(&target).as_deref(), Some("new"));
    }
}
