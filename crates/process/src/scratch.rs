//! A directory in which something is made: marked, locked while it is used, and gone afterwards.

use std::fs::{self, File, Permissions, TryLockError};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use leadline_files::Space;
use rustix::process::geteuid;

use crate::{Account, ProcessError};

const MIB: u64 = 1 << 20;
/// With less than this left, a disk is full.
const FULL_BYTES: u64 = 32 * MIB;
const LOCK: &str = "lock";
const MARK: &str = include_str!("scratch_mark.txt");

/// What a shell does that is to remove a directory when we are killed: it waits until nobody can write to its
/// standard input any more, then until those that we started have let go of the lock. The directory is its
/// first argument.
const REMOVE_AFTERWARDS: &str = "read -r _; exec flock \"$1/lock\" rm -rf -- \"$1\"";

/// A directory of its own, removed when dropped, and also if we are killed.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    lock: File,
    /// Removes it if we cannot. Where it could not be started, or was killed too, the next run in the
    /// directory does.
    afterwards: Option<Child>,
}

impl Scratch {
    /// Makes one in `folder`, named `.leadline-KIND-` and eight characters, after removing the ones of this
    /// kind that killed runs left there.
    ///
    /// # Errors
    /// [`ProcessError::NotFolder`], or the system's reasons.
    pub fn create(folder: &Path, kind: &str) -> Result<Scratch, ProcessError> {
        if !folder.is_dir() {
            return Err(ProcessError::NotFolder { path: folder.into() });
        }
        let prefix = format!(".leadline-{kind}-");
        let failed = |source| ProcessError::io(folder, "making a scratch directory in it", source);
        sweep(folder, &prefix)?;
        loop {
            let made = tempfile::Builder::new().prefix(&prefix).rand_bytes(8).tempdir_in(folder);
            let made = made.map_err(failed)?;
            // Until it is marked, whatever goes wrong takes the folder away again.
            match marked(made.path()).map_err(failed)? {
                Some(lock) => {
                    let path = made.keep();
                    let afterwards = remove_afterwards(&path);
                    return Ok(Scratch { path, lock, afterwards });
                }
                // Another process took it for one that a killed run had left.
                None => continue,
            }
        }
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Checks that `bytes` bytes can be written here, and as much stays free as always does.
    ///
    /// # Errors
    /// [`ProcessError::Space`], or the system's reason.
    pub fn check_space(&self, needed_bytes: u64) -> Result<(), ProcessError> {
        let folder = self.path.parent().unwrap_or(&self.path);
        let space = Space::of(folder)
            .map_err(|source| ProcessError::io(folder, "asking for its free space", source))?;
        if space.allows(needed_bytes) {
            return Ok(());
        }
        Err(ProcessError::Space {
            path: folder.into(),
            needed_mib: needed_bytes.div_ceil(MIB),
            fits_mib: space.fits_bytes() / MIB,
            reserve_mib: space.reserve_bytes() / MIB,
        })
    }

    /// Adds to an early end that the disk is full, if it is: programs do not always say that they died of it.
    pub fn explained(&self, error: ProcessError) -> ProcessError {
        let is_full = || Space::of(&self.path).is_ok_and(|space| space.available_bytes < FULL_BYTES);
        match error {
            ProcessError::Died { program, during, how, said } if is_full() => {
                let place = self.path.parent().unwrap_or(&self.path).display();
                ProcessError::Died { program, during, how: format!("{how}, and {place} is full"), said }
            }
            other => other,
        }
    }

    /// Makes a directory in it which is `account`'s alone, if there is one, else ours.
    ///
    /// # Errors
    /// The system's reasons, or [`ProcessError::Closed`] where the user may not enter it.
    pub fn subfolder(&self, name: &str, account: Option<&Account>) -> Result<PathBuf, ProcessError> {
        let path = self.path.join(name);
        let made =
            fs::create_dir(&path).and_then(|()| fs::set_permissions(&path, Permissions::from_mode(0o700)));
        made.map_err(|source| ProcessError::io(&path, "making a folder", source))?;
        if let Some(account) = account {
            // The folder above stays ours, or it would not be found to be; others may pass through it.
            fs::set_permissions(&self.path, Permissions::from_mode(0o711))
                .map_err(|source| ProcessError::io(&self.path, "opening it to another user", source))?;
            account.give(&path)?;
            if !account.may_enter(&path) {
                let folder = self.path.parent().unwrap_or(&self.path).into();
                return Err(ProcessError::Closed { path: folder, account: account.name().into() });
            }
        }
        Ok(path)
    }

    /// The file whose lock says that the directory is in use. A child that has it open keeps the lock.
    pub fn lock(&self) -> &File {
        &self.lock
    }
}

/// Marks and locks a directory that was just made; none where it is gone already.
fn marked(path: &Path) -> std::io::Result<Option<File>> {
    let marked = || -> std::io::Result<File> {
        let mut lock = File::create_new(path.join(LOCK))?;
        lock.try_lock()?;
        lock.write_all(MARK.as_bytes())?;
        Ok(lock)
    };
    match marked() {
        Ok(lock) if path.join(LOCK).exists() => Ok(Some(lock)),
        Err(error) if path.exists() && error.kind() != std::io::ErrorKind::WouldBlock => Err(error),
        _ => Ok(None),
    }
}

/// Starts what removes a directory when we are killed: a process of its own group, which a signal to ours
/// does not reach.
fn remove_afterwards(path: &Path) -> Option<Child> {
    let path = fs::canonicalize(path).ok()?;
    let mut command = Command::new("/bin/sh");
    command.args(["-c", REMOVE_AFTERWARDS, "leadline"]).arg(path).current_dir("/").process_group(0);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Some(afterwards) = &mut self.afterwards {
            let _ = afterwards.kill();
            let _ = afterwards.wait();
        }
        // Nothing more can be done here; the next run in this folder finds what is left.
        let _ = remove(&self.path);
    }
}

/// Removes what killed runs left in `folder`: directories of this name, our owner and mark that nobody has
/// locked.
fn sweep(folder: &Path, prefix: &str) -> Result<(), ProcessError> {
    let list = |source| ProcessError::io(folder, "listing it", source);
    for entry in fs::read_dir(folder).map_err(list)? {
        let entry = entry.map_err(list)?;
        let is_ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(prefix));
        let path = entry.path();
        if !is_ours || !is_leftover(&path) {
            continue;
        }
        remove(&path).map_err(|source| ProcessError::io(&path, "removing what a killed run left", source))?;
    }
    Ok(())
}

/// Whatever is in doubt is not. A run that was killed while it marked its directory left nothing else in it.
fn is_leftover(path: &Path) -> bool {
    let is_own_folder =
        fs::symlink_metadata(path).is_ok_and(|found| found.is_dir() && found.uid() == geteuid().as_raw());
    let entries = || fs::read_dir(path).map_or(usize::MAX, Iterator::count);
    if !is_own_folder {
        return false;
    }
    let Ok(mut lock) = File::open(path.join(LOCK)) else { return entries() == 0 };
    let mut mark = String::new();
    let is_text = (&mut lock).take(1 << 10).read_to_string(&mut mark).is_ok();
    let is_marked = is_text && (mark == MARK || (MARK.starts_with(&mark) && entries() == 1));
    is_marked && !matches!(lock.try_lock(), Err(TryLockError::WouldBlock | TryLockError::Error(_)))
}

/// Removes the directory, its mark last: if it is not removed whole, the rest is still found to be ours.
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
        let scratch = Scratch::create(folder.path(), "test").unwrap();
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
            let path = folder.path().join(format!(".leadline-test-{name}"));
            fs::create_dir(&path).unwrap();
            fs::write(path.join("data"), "x").unwrap();
            if let Some(mark) = mark {
                fs::write(path.join(LOCK), mark).unwrap();
            }
            path
        };
        let (killed, unmarked, other) = (left("1", Some(MARK)), left("2", None), left("3", Some("mine\n")));
        // Killed before it was marked, and while it was.
        let (early, earlier) =
            (folder.path().join(".leadline-test-4"), folder.path().join(".leadline-test-5"));
        fs::create_dir(&early).unwrap();
        fs::create_dir(&earlier).unwrap();
        fs::write(early.join(LOCK), &MARK[..9]).unwrap();
        let used = Scratch::create(folder.path(), "test").unwrap();
        assert!(!killed.exists() && unmarked.exists() && other.exists());
        assert!(!early.exists() && !earlier.exists());
        // A child that outlived its parent has the lock still.
        let orphan = used.lock().try_clone().unwrap();
        let path = used.path().to_path_buf();
        drop(Scratch::create(folder.path(), "test").unwrap());
        assert!(path.exists());
        drop(orphan);
        drop(used);
        assert!(!path.exists());
    }

    /// In the environment of a process of this test that is to be killed: the directory to make one in.
    const KILLED_IN: &str = "LEADLINE_TEST_SCRATCH_IN";

    #[test]
    fn a_scratch_folder_is_gone_after_its_process_was_killed() {
        if let Some(folder) = std::env::var_os(KILLED_IN) {
            let scratch = Scratch::create(Path::new(&folder), "test").unwrap();
            fs::write(scratch.path().join("data"), "x").unwrap();
            fs::rename(scratch.path().join("data"), scratch.path().join("ready")).unwrap();
            let _ = std::io::stdin().read_to_end(&mut Vec::new());
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let mut killed = Command::new(std::env::current_exe().unwrap());
        killed.args(["--exact", "scratch::tests::a_scratch_folder_is_gone_after_its_process_was_killed"]);
        killed.env(KILLED_IN, folder.path()).stdin(Stdio::piped()).stdout(Stdio::null());
        let mut killed = killed.spawn().unwrap();
        let began = std::time::Instant::now();
        let until = |done: &dyn Fn() -> bool| {
            while !done() {
                assert!(began.elapsed().as_secs() < 60, "waited too long");
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
        };
        until(&|| names(folder.path()).iter().any(|path| path.join("ready").exists()));
        killed.kill().unwrap();
        killed.wait().unwrap();
        until(&|| names(folder.path()).is_empty());
    }

    #[test]
    fn a_subfolder_is_its_users_alone_and_the_scratch_folder_still_ours() {
        let folder = tempfile::tempdir().unwrap();
        // Whom others' temporary folders are open to is not ours to assume.
        fs::set_permissions(folder.path(), Permissions::from_mode(0o711)).unwrap();
        let account = Account::instead_of_root("nobody").unwrap();
        let scratch = Scratch::create(folder.path(), "test").unwrap();
        let data = scratch.subfolder("data", account.as_ref()).unwrap();
        let found = fs::metadata(&data).unwrap();
        assert_eq!(found.mode() & 0o777, 0o700);
        assert_eq!(found.uid() == geteuid().as_raw(), account.is_none());
        assert_eq!(fs::metadata(scratch.path()).unwrap().uid(), geteuid().as_raw());
        drop(scratch);
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn more_than_can_be_written_is_refused_with_what_is_needed() {
        let folder = tempfile::tempdir().unwrap();
        let scratch = Scratch::create(folder.path(), "test").unwrap();
        let error = scratch.check_space(u64::MAX).unwrap_err();
        let needed = format!("up to {} MiB are needed", u64::MAX.div_ceil(MIB));
        assert!(error.is_input() && error.to_string().contains(&needed), "{error}");
    }

    #[test]
    fn only_a_folder_will_do() {
        let error = Scratch::create(Path::new("/dev/null"), "test").unwrap_err();
        assert!(matches!(error, ProcessError::NotFolder { .. }) && error.is_input(), "{error}");
    }
}
