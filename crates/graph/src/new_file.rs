//! A file that appears whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat};
use rustix::io::Errno;
use tempfile::TempPath;

use crate::GraphError;

/// A file that takes its place in [`NewFile::finish`]. Until then its bytes have no name, so that a process that is
/// killed leaves nothing behind; where the file system knows no such files, they have a temporary one.
#[derive(Debug)]
pub(crate) struct NewFile {
    out: BufWriter<File>,
    temporary: Option<TempPath>,
    /// As the user named it.
    path: PathBuf,
    /// The file to become: the end of `path` where that is a symbolic link.
    target: PathBuf,
}

impl NewFile {
    /// `buffer` are the bytes in memory in front of the file.
    ///
    /// # Errors
    /// [`GraphError::Input`] where no file can be made there, or something that is no regular file would be replaced.
    pub(crate) fn create(path: &Path, buffer: usize) -> Result<NewFile, GraphError> {
        let refuse =
            |reason: String| GraphError::Input(format!("{}: {reason}; name another place", path.display()));
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        match fs::metadata(&target) {
            Ok(found) if found.is_dir() => return Err(refuse("is a folder, not a file".into())),
            Ok(found) if !found.is_file() => return Err(refuse("is no regular file".into())),
            _ => {}
        }
        // The message may name a temporary file, which means nothing to the user.
        let (file, temporary) = make(folder(&target))
            .map_err(|error| refuse(format!("its folder cannot be written: {}", error.kind())))?;
        let out = BufWriter::with_capacity(buffer, file);
        Ok(NewFile { out, temporary, path: path.to_owned(), target })
    }

    /// The file itself, whose buffer is passed by.
    pub(crate) fn file(&self) -> &File {
        self.out.get_ref()
    }

    /// An error of the system, with the user's name for the file.
    pub(crate) fn failed(&self, error: io::Error) -> GraphError {
        GraphError::write(&self.path, error)
    }

    /// Brings what was written so far to the disk.
    pub(crate) fn sync(&mut self) -> Result<(), GraphError> {
        let synced = self.out.flush().and_then(|()| self.out.get_ref().sync_data());
        synced.map_err(|error| self.failed(error))
    }

    /// Brings all bytes to the disk and gives the file its name, in place of another's. Returns its size.
    pub(crate) fn finish(self) -> Result<u64, GraphError> {
        let NewFile { out, temporary, path, target } = self;
        let keep = || -> io::Result<u64> {
            let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.sync_all()?;
            let bytes = file.metadata()?.len();
            let temporary = match temporary {
                Some(temporary) => temporary,
                None => link(&file, folder(&target))?,
            };
            temporary.persist(&target).map_err(|error| error.error)?;
            File::open(folder(&target))?.sync_all()?;
            Ok(bytes)
        };
        keep().map_err(|error| GraphError::write(&path, error))
    }
}

impl Write for NewFile {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The folder a file is in.
pub(crate) fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// An ordinary file, which the user's mask takes rights from, without a name if that is to be had.
fn make(folder: &Path) -> io::Result<(File, Option<TempPath>)> {
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let mode = Mode::RUSR | Mode::WUSR | Mode::RGRP | Mode::WGRP | Mode::ROTH | Mode::WOTH;
    match rustix::fs::open(folder, flags, mode) {
        Ok(file) => Ok((File::from(file), None)),
        // What file systems (and kernels) say that know nothing of it.
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL) => named(folder),
        Err(error) => Err(error.into()),
    }
}

fn named(folder: &Path) -> io::Result<(File, Option<TempPath>)> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".leadline-").suffix(".tmp").permissions(fs::Permissions::from_mode(0o666));
    let (file, temporary) = builder.tempfile_in(folder)?.into_parts();
    Ok((file, Some(temporary)))
}

/// A name for a nameless file: a link cannot replace a file, but a rename can.
fn link(file: &File, folder: &Path) -> io::Result<TempPath> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let own = format!("/proc/self/fd/{}", file.as_raw_fd());
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let name = folder.join(format!(".leadline-{}-{number}.tmp", std::process::id()));
    // Of a process of this number that was killed between the two.
    let _ = fs::remove_file(&name);
    linkat(CWD, own.as_str(), CWD, &name, AtFlags::SYMLINK_FOLLOW)?;
    TempPath::try_from_path(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_file_is_there_whole_or_not_at_all_with_a_temporary_name_or_without() {
        for nameless in [true, false] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("result");
            let begin = || {
                let mut new = NewFile::create(&path, 16).unwrap();
                if !nameless {
                    let (file, temporary) = named(folder.path()).unwrap();
                    (new.out, new.temporary) = (BufWriter::new(file), temporary);
                }
                new.write_all(&[7; 100]).unwrap();
                new
            };
            drop(begin());
            assert!(names(folder.path()).is_empty());
            fs::write(&path, "old").unwrap();
            let new = begin();
            assert_eq!(fs::read(&path).unwrap(), b"old");
            assert_eq!(new.finish().unwrap(), 100);
            assert_eq!((fs::read(&path).unwrap(), names(folder.path()).len()), (vec![7; 100], 1));
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o600, 0o600);
        }
    }

    #[test]
    fn a_link_stays_a_link_and_no_folder_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (link, end) = (folder.path().join("link"), folder.path().join("end"));
        fs::write(&end, "old").unwrap();
        std::os::unix::fs::symlink(&end, &link).unwrap();
        NewFile::create(&link, 0).unwrap().finish().unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink() && fs::read(&end).unwrap().is_empty());
        for wrong in [folder.path(), Path::new("/dev/null")] {
            assert!(matches!(NewFile::create(wrong, 0), Err(GraphError::Input(_))));
        }
    }
}
