//! The file that Leadline measures in: made, marked, and gone afterwards.
//!
//! Where the file system can, the file never has a name (O_TMPFILE), so that even `kill -9` leaves nothing.
//! Elsewhere it has one, `.leadline-scratch-` and eight hexadecimal digits, for the moment between making and
//! unlinking it; where an open file cannot be unlinked it keeps the name until it is dropped.
//! [`Scratch::sweep`] removes what killed runs left.

mod sweep;

use std::fmt;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FallocateFlags, Mode, OFlags, fallocate, open, unlinkat};
use rustix::io::Errno;

use crate::guard::header::Header;
use crate::guard::{
    GuardError, check_directory, check_space_after, io_error, lock, open_file_for_writing, set_direct,
};

/// First byte that a load may touch; below it lies the header.
pub const DATA_START: u64 = 1 << 20;

/// Name of a scratch file that is kept.
pub const KEPT_NAME: &str = "leadline-scratch.dat";

const TEMPORARY_PREFIX: &str = ".leadline-scratch-";
const LEAST_BYTES: u64 = 2 * DATA_START;
const NAMES_TRIED: u32 = 16;

/// How a scratch file is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScratchOptions {
    /// Open with O_DIRECT; an error where the file system refuses that.
    pub direct: bool,
    /// Name it [`KEPT_NAME`] and leave it there, for later runs to name as TARGET.
    pub keep: bool,
}

impl Default for ScratchOptions {
    fn default() -> Self {
        ScratchOptions { direct: true, keep: false }
    }
}

impl ScratchOptions {
    /// The default: direct, and removed afterwards.
    pub fn new() -> Self {
        ScratchOptions::default()
    }

    /// Sets [`ScratchOptions::direct`].
    #[must_use]
    pub fn direct(self, direct: bool) -> Self {
        ScratchOptions { direct, ..self }
    }

    /// Sets [`ScratchOptions::keep`].
    #[must_use]
    pub fn keep(self, keep: bool) -> Self {
        ScratchOptions { keep, ..self }
    }
}

/// A scratch file, open for reading and writing. It is removed when dropped, unless it is to be kept.
pub struct Scratch {
    file: File,
    path: PathBuf,
    size_bytes: u64,
    name: Name,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Name {
    /// It has none: nothing to clean up.
    None,
    /// Removed on drop.
    UntilDropped,
    /// Stays.
    Kept,
}

impl fmt::Debug for Scratch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scratch")
            .field("path", &self.path)
            .field("size_bytes", &self.size_bytes)
            .finish_non_exhaustive()
    }
}

impl Scratch {
    /// Makes a file of `bytes` (rounded down to 4096) in `dir` and takes the space for it, where the file
    /// system can do that ahead; the caller then writes it whole, from [`DATA_START`] on. With `keep`, a file
    /// that an earlier run kept there is taken over if it has the same size, else replaced.
    ///
    /// # Errors
    /// [`GuardError`] where `dir` cannot be written, has too little room ([`crate::guard::check_space`]),
    /// `bytes` is under 2 MiB, O_DIRECT is refused, or, with `keep`, the name is taken by a file that
    /// Leadline did not make.
    pub fn create(dir: impl AsRef<Path>, bytes: u64, options: ScratchOptions) -> Result<Scratch, GuardError> {
        let dir = dir.as_ref();
        check_directory(dir)?;
        let size_bytes = bytes / 4096 * 4096;
        if size_bytes < LEAST_BYTES {
            return Err(GuardError::TooSmall {
                dir: dir.into(),
                asked_bytes: bytes,
                least_bytes: LEAST_BYTES,
            });
        }
        let scratch = if options.keep {
            Scratch::kept(dir, size_bytes)?
        } else {
            check_space_after(dir, size_bytes, 0)?;
            Scratch::nameless(dir, size_bytes).or_else(|_| Scratch::named_for_a_moment(dir, size_bytes))?
        };
        // From here on an error drops `scratch`, and with it the file.
        if options.direct {
            set_direct(&scratch.file, dir)?;
        }
        scratch.take_space(dir)?;
        Ok(scratch.settled(options.keep))
    }

    /// Removes what killed runs left in `dir`, and returns what it removed: regular files named
    /// `.leadline-scratch-` and eight hexadecimal digits, of the same owner as this process, with Leadline's
    /// header, that no running Leadline has locked. Everything else stays.
    ///
    /// # Errors
    /// Where `dir` cannot be listed, or such a file cannot be removed.
    pub fn sweep(dir: impl AsRef<Path>) -> Result<Vec<PathBuf>, GuardError> {
        sweep::sweep(dir.as_ref())
    }

    /// The open file. It holds the lock, if it has a name.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// For messages: the file if it has a name, else its directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Size of the file in bytes. A load may touch [`DATA_START`] up to here.
    pub fn capacity_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// Whether it has no name any more, so that nothing can be left of it.
    pub fn is_unlinked(&self) -> bool {
        self.name == Name::None
    }

    fn nameless(dir: &Path, size_bytes: u64) -> Result<Scratch, GuardError> {
        // O_EXCL: it can never be given a name either.
        let flags = OFlags::TMPFILE | OFlags::EXCL | OFlags::RDWR | OFlags::CLOEXEC;
        let file = open(dir, flags, Mode::RUSR | Mode::WUSR)
            .map_err(|errno| io_error("making a nameless file in it", dir, errno))?;
        let scratch = Scratch { file: file.into(), path: dir.into(), size_bytes, name: Name::None };
        scratch.mark(dir)?;
        Ok(scratch)
    }

    fn named_for_a_moment(dir: &Path, size_bytes: u64) -> Result<Scratch, GuardError> {
        let mut scratch = Scratch::at_unused_name(dir, size_bytes)?;
        scratch.lock_fresh()?;
        scratch.mark(dir)?;
        scratch.unlink();
        Ok(scratch)
    }

    fn at_unused_name(dir: &Path, size_bytes: u64) -> Result<Scratch, GuardError> {
        for _ in 0..NAMES_TRIED {
            let path = dir.join(format!("{TEMPORARY_PREFIX}{:08x}", fastrand::u32(..)));
            match create_new(&path) {
                Ok(file) => return Ok(Scratch { file, path, size_bytes, name: Name::UntilDropped }),
                Err(Errno::EXIST) => {}
                Err(errno) => return Err(not_made(dir, errno)),
            }
        }
        Err(not_made(dir, Errno::EXIST))
    }

    fn kept(dir: &Path, size_bytes: u64) -> Result<Scratch, GuardError> {
        let path = dir.join(KEPT_NAME);
        let earlier = earlier_kept(&path)?;
        let (freed, same) = match &earlier {
            Some((_, metadata)) => (metadata.blocks() * 512, metadata.len() == size_bytes),
            None => (0, false),
        };
        check_space_after(dir, size_bytes, freed)?;
        if let Some((file, _)) = earlier {
            if same {
                return Ok(Scratch { file, path, size_bytes, name: Name::Kept });
            }
            // Ours, and locked by us: verified a moment ago.
            fs::remove_file(&path).map_err(|source| io_error("replacing it", &path, source))?;
        }
        let file = create_new(&path).map_err(|errno| match errno {
            Errno::EXIST => GuardError::Locked { path: path.clone() },
            other => not_made(dir, other),
        })?;
        let scratch = Scratch { file, path, size_bytes, name: Name::UntilDropped };
        scratch.lock_fresh()?;
        scratch.mark(dir)?;
        Ok(scratch)
    }

    /// Locks a file that we just made. A file system without locks is not a reason to stop.
    fn lock_fresh(&self) -> Result<(), GuardError> {
        match lock(&self.file, &self.path) {
            Err(GuardError::Io { source, .. }) if has_no_locks(&source) => Ok(()),
            other => other,
        }
    }

    /// Gives it its size and its header.
    fn mark(&self, dir: &Path) -> Result<(), GuardError> {
        assert!(self.size_bytes >= LEAST_BYTES, "loads begin behind the first MiB");
        assert!(self.size_bytes.is_multiple_of(4096), "direct requests end with a block");
        self.file
            .set_len(self.size_bytes)
            .map_err(|source| io_error("making a scratch file in it", dir, source))?;
        let header = Header::new(self.size_bytes);
        header.write(&self.file).map_err(|source| io_error("marking a scratch file in it", dir, source))
    }

    /// Has the file system set the space aside, so that a full one says so now.
    fn take_space(&self, dir: &Path) -> Result<(), GuardError> {
        match fallocate(&self.file, FallocateFlags::empty(), 0, self.size_bytes) {
            // A file system that cannot: the layout will find out.
            Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => Ok(()),
            Err(errno) => Err(io_error("taking space for a scratch file in it", dir, errno)),
        }
    }

    fn settled(mut self, keep: bool) -> Self {
        assert!(!keep || self.name != Name::None, "a file without a name cannot be kept");
        if keep {
            self.name = Name::Kept;
        }
        self
    }

    /// Whether the file that has its name now is it, and not one that somebody put there meanwhile.
    fn has_its_name(&self) -> bool {
        let number = |found: fs::Metadata| (found.dev(), found.ino());
        let there = fs::symlink_metadata(&self.path).ok().map(number);
        there.is_some() && there == self.file.metadata().ok().map(number)
    }

    fn unlink(&mut self) {
        match unlinkat(rustix::fs::CWD, &self.path, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {
                self.path.pop();
                self.name = Name::None;
            }
            // Not while it is open, says this file system: when it is dropped, then.
            Err(_) => {}
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if self.name == Name::UntilDropped && self.has_its_name() {
            // Nothing more can be done here; the next sweep finds it.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// The file that an earlier run kept, verified and locked; `None` where there is none.
fn earlier_kept(path: &Path) -> Result<Option<(File, fs::Metadata)>, GuardError> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(io_error("examining it", path, source)),
        Ok(metadata) if !metadata.is_file() => Err(GuardError::NotFile { path: path.into() }),
        Ok(_) => {
            let file = open_file_for_writing(path, false)?;
            let metadata = file.metadata().map_err(|source| io_error("examining it", path, source))?;
            Ok(Some((file, metadata)))
        }
    }
}

fn create_new(path: &Path) -> Result<File, Errno> {
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::RDWR | OFlags::CLOEXEC;
    Ok(open(path, flags, Mode::RUSR | Mode::WUSR)?.into())
}

fn not_made(dir: &Path, errno: Errno) -> GuardError {
    match errno {
        Errno::ACCESS | Errno::PERM | Errno::ROFS => {
            GuardError::DirectoryNotWritable { dir: dir.into(), source: errno.into() }
        }
        other => io_error("making a scratch file in it", dir, other),
    }
}

fn has_no_locks(source: &io::Error) -> bool {
    let errno = source.raw_os_error().map(Errno::from_raw_os_error);
    matches!(errno, Some(Errno::NOLCK | Errno::OPNOTSUPP | Errno::NOSYS))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: u64 = 4 << 20;

    fn names(dir: &Path) -> Vec<PathBuf> {
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect()
    }

    #[test]
    fn without_o_tmpfile_the_name_is_gone_while_the_file_is_open() {
        let dir = tempfile::tempdir().unwrap();
        let scratch = Scratch::named_for_a_moment(dir.path(), SIZE).unwrap();
        assert!(scratch.is_unlinked() && names(dir.path()).is_empty());
        assert_eq!(scratch.file().metadata().unwrap().len(), SIZE);
        assert_eq!(scratch.path(), dir.path());
    }

    #[test]
    fn a_name_that_could_not_be_removed_at_once_is_locked_and_removed_on_drop() {
        let dir = tempfile::tempdir().unwrap();
        let scratch = Scratch::at_unused_name(dir.path(), SIZE).unwrap();
        scratch.lock_fresh().unwrap();
        scratch.mark(dir.path()).unwrap();
        assert!(!scratch.is_unlinked());
        assert_eq!(names(dir.path()), [scratch.path().to_path_buf()]);
        // A second Leadline sees that it is in use.
        assert!(Scratch::sweep(dir.path()).unwrap().is_empty());
        assert!(matches!(open_file_for_writing(scratch.path(), false), Err(GuardError::Locked { .. })));
        drop(scratch);
        assert!(names(dir.path()).is_empty());
    }

    #[test]
    fn what_somebody_put_in_its_place_is_not_removed_with_it() {
        let dir = tempfile::tempdir().unwrap();
        let scratch = Scratch::at_unused_name(dir.path(), SIZE).unwrap();
        let path = scratch.path().to_path_buf();
        fs::remove_file(&path).unwrap();
        fs::write(&path, "a user's").unwrap();
        drop(scratch);
        assert_eq!(fs::read_to_string(&path).unwrap(), "a user's");
    }

    #[test]
    fn sweep_takes_the_name_that_a_killed_run_left() {
        let dir = tempfile::tempdir().unwrap();
        let mut scratch = Scratch::at_unused_name(dir.path(), SIZE).unwrap();
        scratch.mark(dir.path()).unwrap();
        scratch.name = Name::Kept; // as if it never came to drop
        let path = scratch.path().to_path_buf();
        drop(scratch);
        assert_eq!(Scratch::sweep(dir.path()).unwrap(), [path]);
        assert!(names(dir.path()).is_empty());
    }
}
