//! A file that appears whole or not at all.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::os::fd::{AsFd as _, AsRawFd as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FlockOperation, Mode, OFlags, flock, linkat};
use rustix::io::Errno;
use tempfile::TempPath;

use crate::{FileError, left_behind};

const BUFFER_BYTES: usize = 128 << 10;

/// What the user's umask takes rights from.
const MODE: u32 = 0o666;

/// As many symbolic links as Linux itself follows.
const MOST_LINKS: u32 = 40;

/// The file that is no file, but the standard output of the process.
pub const STDOUT: &str = "/dev/stdout";

/// Whether what is written to this path goes to the standard output.
pub fn is_stdout(path: &Path) -> bool {
    path == Path::new(STDOUT)
}

/// A file that takes its name in [`NewFile::finish`], when all of it is on the disk. Dropped before that, it
/// leaves what was there as it was.
///
/// Until then its bytes have no name (`O_TMPFILE`), so that even a process that is killed leaves nothing
/// behind. Where the file system does not support that, they have a temporary name in the same directory, and
/// what a killed process leaves there is removed when the next file is made next to it. Temporary names are
/// random, and one that is taken is another process's, on this machine or another. The file's permissions are
/// the ones that the umask leaves. A symbolic link stays a link, and the file it points to is replaced.
///
/// What is written to [`STDOUT`] goes to the standard output as it is written: nothing is replaced, and what
/// was written before an error stays written.
pub struct NewFile {
    out: BufWriter<File>,
    is_stdout: bool,
    temporary: Option<TempPath>,
    /// As the caller named it.
    path: PathBuf,
    /// The file to become: where `path` leads when it is a symbolic link.
    target: PathBuf,
}

type Made = (File, Option<TempPath>);

impl NewFile {
    /// Begins the file that is to be at `path`, with a buffer of 128 KiB in front of it.
    ///
    /// # Errors
    /// [`FileError`] where `path` is something other than a regular file, or its directory takes no files.
    pub fn create(path: impl AsRef<Path>) -> Result<NewFile, FileError> {
        NewFile::with_capacity(BUFFER_BYTES, path)
    }

    /// [`NewFile::create`] with a buffer of `bytes`; none with 0.
    ///
    /// # Errors
    /// As [`NewFile::create`].
    pub fn with_capacity(bytes: usize, path: impl AsRef<Path>) -> Result<NewFile, FileError> {
        NewFile::begin(bytes, path.as_ref(), make)
    }

    fn begin(
        capacity: usize,
        path: &Path,
        make: impl FnOnce(&Path) -> io::Result<Made>,
    ) -> Result<NewFile, FileError> {
        let owned = || path.to_owned();
        if is_stdout(path) {
            let own = io::stdout().as_fd().try_clone_to_owned();
            let file = File::from(own.map_err(|source| FileError::Write { path: owned(), source })?);
            let out = BufWriter::with_capacity(capacity, file);
            return Ok(NewFile { out, is_stdout: true, temporary: None, path: owned(), target: owned() });
        }
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => return Err(FileError::IsFolder { path: owned() }),
            Ok(found) if !found.is_file() => return Err(FileError::NotRegular { path: owned() }),
            _ => {}
        }
        let target = end_of_links(path);
        let folder = folder_of(&target);
        left_behind::remove(folder);
        let (file, temporary) = make(folder).map_err(|source| FileError::Folder { path: owned(), source })?;
        let out = BufWriter::with_capacity(capacity, file);
        Ok(NewFile { out, is_stdout: false, temporary, path: owned(), target })
    }

    /// The path as it was given to [`NewFile::create`].
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file itself. What is written to it passes the buffer by.
    pub fn file(&self) -> &File {
        self.out.get_ref()
    }

    /// Wraps an error of writing with the path.
    pub fn write_error(&self, source: io::Error) -> FileError {
        FileError::Write { path: self.path.clone(), source }
    }

    /// Brings what was written so far to the disk.
    ///
    /// # Errors
    /// [`FileError::Write`] with the system's reason.
    pub fn sync(&mut self) -> Result<(), FileError> {
        let written = self.out.flush();
        // A pipe and a terminal keep nothing that could be brought to a disk.
        let synced = written.and_then(|()| if self.is_stdout { Ok(()) } else { self.file().sync_data() });
        synced.map_err(|error| self.write_error(error))
    }

    /// Brings all bytes to the disk, gives the file its name in place of what had it, and syncs the
    /// directory. Returns the file's size in bytes; 0 for the standard output.
    ///
    /// # Errors
    /// [`FileError::Write`] with the system's reason. Unless it was the last step that failed, the sync of
    /// the directory, the old file is still there.
    pub fn finish(self) -> Result<u64, FileError> {
        let NewFile { out, is_stdout, temporary, path, target } = self;
        let keep = || -> io::Result<u64> {
            let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
            if is_stdout {
                return Ok(0);
            }
            file.sync_all()?;
            let bytes = file.metadata()?.len();
            let folder = folder_of(&target);
            // Whatever this needs is to be had before the file has its name.
            let opened = File::open(folder)?;
            let temporary = match temporary {
                Some(temporary) => temporary,
                None => link(&file, folder)?,
            };
            temporary.persist(&target).map_err(|error| error.error)?;
            opened.sync_all()?;
            Ok(bytes)
        };
        keep().map_err(|source| FileError::Write { path, source })
    }
}

impl Write for NewFile {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl fmt::Debug for NewFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewFile").field("path", &self.path).finish_non_exhaustive()
    }
}

/// Makes `bytes` the contents of the file at `path`, whole or not at all: [`NewFile`] in one call.
///
/// # Errors
/// As [`NewFile::create`] and [`NewFile::finish`].
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("notes.txt");
/// leadline_files::replace(&path, "first")?;
/// leadline_files::replace(&path, "second")?;
/// assert_eq!(std::fs::read_to_string(&path)?, "second");
/// # Ok(())
/// # }
/// ```
pub fn replace(path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> Result<(), FileError> {
    let mut file = NewFile::with_capacity(0, path)?;
    file.write_all(bytes.as_ref()).map_err(|error| file.write_error(error))?;
    file.finish().map(drop)
}

/// The directory that holds `path`: `.` for a bare name.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Where `path` leads, which need not exist.
pub(crate) fn end_of_links(path: &Path) -> PathBuf {
    if let Ok(end) = fs::canonicalize(path) {
        return end;
    }
    // Nothing is there yet: a link to it is followed by hand.
    let mut end = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(next) = fs::read_link(&end) else { break };
        end = folder_of(&end).join(next);
    }
    end
}

/// A file in `folder`, without a name where that can be had.
fn make(folder: &Path) -> io::Result<Made> {
    // Without /proc, a file without a name could never be given one.
    if !Path::new("/proc/self/fd").exists() {
        return make_named(folder);
    }
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    match rustix::fs::open(folder, flags, Mode::from_raw_mode(MODE)) {
        Ok(file) => {
            let file = File::from(file);
            // It has a name for a moment before it has its own.
            let _ = flock(&file, FlockOperation::LockExclusive);
            Ok((file, None))
        }
        // What file systems and kernels that do not support it answer.
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL) => make_named(folder),
        Err(error) => Err(error.into()),
    }
}

/// A file in `folder` with a temporary name, locked.
fn make_named(folder: &Path) -> io::Result<Made> {
    // Made by us: the error of a file that `tempfile` opens itself names the temporary path, which means
    // nothing to the user.
    let mut options = fs::OpenOptions::new();
    options.read(true).write(true).create_new(true).mode(MODE);
    loop {
        let made = temporary_name().make_in(folder, |path| options.open(path))?;
        let (file, temporary) = made.into_parts();
        if left_behind::lock(&file, &temporary) {
            return Ok((file, Some(temporary)));
        }
    }
}

/// Gives a file without a name a temporary one, because a link cannot replace another file and a rename can.
fn link(file: &File, folder: &Path) -> io::Result<TempPath> {
    let own = format!("/proc/self/fd/{}", file.as_raw_fd());
    let link = |path: &Path| Ok(linkat(CWD, own.as_str(), CWD, path, AtFlags::SYMLINK_FOLLOW)?);
    Ok(temporary_name().make_in(folder, link)?.into_temp_path())
}

/// Names are random. One that is taken is tried again with another: what has it is never touched.
fn temporary_name() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(left_behind::PREFIX).suffix(left_behind::FILE);
    builder
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::fs::symlink;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    /// Runs a test with files that have no name until they are whole, and with files that have a temporary
    /// one.
    fn both_ways(test: impl Fn(&Path, &(dyn Fn(&Path) -> Result<NewFile, FileError> + Sync))) {
        for make in [make, make_named] {
            let folder = tempfile::tempdir().unwrap();
            test(folder.path(), &|path| NewFile::begin(16, path, make));
        }
    }

    #[test]
    fn a_file_that_is_dropped_before_its_end_leaves_what_was_there() {
        both_ways(|folder, create| {
            let path = folder.join("result");
            let begin = || {
                let mut file = create(&path).unwrap();
                file.write_all(&[7; 100]).unwrap();
                file
            };
            drop(begin());
            assert!(names(folder).is_empty());
            fs::write(&path, "old").unwrap();
            drop(begin());
            assert_eq!(
                (fs::read(&path).unwrap(), names(folder)),
                (b"old".to_vec(), vec!["result".to_owned()])
            );
        });
    }

    #[test]
    fn the_old_file_stays_until_the_new_one_is_whole() {
        both_ways(|folder, create| {
            let path = folder.join("result");
            fs::write(&path, "old").unwrap();
            let mut file = create(&path).unwrap();
            file.write_all(&[7; 100]).unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"old");
            assert_eq!(file.finish().unwrap(), 100);
            assert_eq!((fs::read(&path).unwrap(), names(folder).len()), (vec![7; 100], 1));
        });
    }

    #[test]
    fn until_it_is_whole_a_file_has_no_name_where_the_file_system_can_do_without() {
        let folder = tempfile::tempdir().unwrap();
        let file = NewFile::create(folder.path().join("result")).unwrap();
        assert_eq!(names(folder.path()).len(), usize::from(file.temporary.is_some()));
    }

    #[test]
    fn another_process_of_the_same_number_keeps_its_file_in_the_making() {
        both_ways(|folder, create| {
            // Two containers that share a folder can have processes of one number.
            let other = |n| folder.join(format!(".leadline-{}-{n}.tmp", std::process::id()));
            let others: Vec<File> = (0..1000)
                .map(|n| {
                    fs::write(other(n), format!("other {n}")).unwrap();
                    let file = File::open(other(n)).unwrap();
                    flock(&file, FlockOperation::LockExclusive).unwrap();
                    file
                })
                .collect();
            let mut file = create(&folder.join("result")).unwrap();
            file.write_all(b"ours").unwrap();
            file.finish().unwrap();
            assert_eq!(fs::read(folder.join("result")).unwrap(), b"ours");
            for n in 0..others.len() {
                assert_eq!(fs::read_to_string(other(n)).unwrap(), format!("other {n}"));
            }
        });
    }

    #[test]
    fn many_files_at_once_in_one_folder_are_each_whole() {
        both_ways(|folder, create| {
            std::thread::scope(|scope| {
                for thread in 0..4 {
                    scope.spawn(move || {
                        for round in 0..50 {
                            let mut file = create(&folder.join(format!("result-{thread}"))).unwrap();
                            file.write_all(&[round; 100]).unwrap();
                            file.finish().unwrap();
                        }
                    });
                }
            });
            assert_eq!(names(folder).len(), 4);
            for thread in 0..4 {
                assert_eq!(fs::read(folder.join(format!("result-{thread}"))).unwrap(), [49; 100]);
            }
        });
    }

    #[test]
    fn what_a_killed_process_left_is_removed_and_what_is_in_the_making_is_not() {
        both_ways(|folder, create| {
            fs::write(folder.join(".leadline-killed.tmp"), "half").unwrap();
            fs::write(folder.join(".leadline-notes"), "a user's").unwrap();
            let path = folder.join("one");
            let one = NewFile::begin(16, &path, make_named).unwrap();
            create(&folder.join("two")).unwrap().finish().unwrap();
            one.finish().unwrap();
            let mut names = names(folder);
            names.sort();
            assert_eq!(names, [".leadline-notes", "one", "two"]);
        });
    }

    #[test]
    fn permissions_are_those_that_the_umask_leaves() {
        both_ways(|folder, create| {
            let path = folder.join("result");
            let before = rustix::process::umask(Mode::from_raw_mode(0o027));
            let finished = create(&path).unwrap().finish();
            rustix::process::umask(before);
            finished.unwrap();
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        });
    }

    #[test]
    fn a_link_stays_a_link_and_the_file_it_leads_to_is_replaced() {
        both_ways(|folder, create| {
            let (link, second, end) = (folder.join("link"), folder.join("second"), folder.join("sub/end"));
            fs::create_dir(folder.join("sub")).unwrap();
            symlink("second", &link).unwrap();
            symlink("sub/end", &second).unwrap();
            // First it leads to nothing, then to the file of the first round.
            for text in ["one", "two"] {
                let mut file = create(&link).unwrap();
                file.write_all(text.as_bytes()).unwrap();
                file.finish().unwrap();
                assert_eq!(fs::read_to_string(&end).unwrap(), text);
                for link in [&link, &second] {
                    assert!(fs::symlink_metadata(link).unwrap().is_symlink());
                }
            }
            assert_eq!(names(&folder.join("sub")).len(), 1);
        });
    }

    #[test]
    fn nothing_but_a_regular_file_is_replaced() {
        both_ways(|folder, create| {
            let link = folder.join("link");
            symlink("/dev/null", &link).unwrap();
            assert!(matches!(create(folder), Err(FileError::IsFolder { .. })));
            for path in [Path::new("/dev/null"), &link] {
                let error = create(path).unwrap_err();
                assert!(matches!(error, FileError::NotRegular { .. }) && error.is_bad_place(), "{error}");
            }
        });
    }

    #[test]
    fn a_folder_that_is_not_there_is_told_by_the_callers_name_for_the_file() {
        both_ways(|folder, create| {
            let path = folder.join("none/result");
            let error = create(&path).unwrap_err();
            let said = error.to_string();
            assert!(matches!(error, FileError::Folder { .. }));
            assert!(said.starts_with(&path.display().to_string()) && said.contains("No such file"), "{said}");
            assert!(!said.contains(".leadline-"), "{said}");
        });
    }
}
