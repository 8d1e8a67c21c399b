//! Existing files and directories: what may be opened, and how.

use std::fs::{self, File};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use rustix::fs::{
    Access, FlockOperation, Mode, OFlags, SeekFrom, access, fcntl_getfl, fcntl_setfl, flock, open, seek,
};
use rustix::io::Errno;

use super::header::Header;
use super::{GuardError, io_error};

/// Opens a file or block device for reading only, with O_DIRECT if `direct`.
///
/// # Errors
/// [`GuardError::DirectRefused`] where the file system has no direct I/O, [`GuardError::NotFile`] for
/// anything but a regular file or a block device, else the system's reason.
pub fn open_for_reading(path: impl AsRef<Path>, direct: bool) -> Result<File, GuardError> {
    let path = path.as_ref();
    let kind = fs::metadata(path).map_err(|source| io_error("examining it", path, source))?.file_type();
    if !kind.is_file() && !kind.is_block_device() {
        return Err(GuardError::NotFile { path: path.into() });
    }
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let file =
        File::from(open(path, flags, Mode::empty()).map_err(|errno| io_error("opening it", path, errno))?);
    if direct {
        set_direct(&file, path)?;
    }
    Ok(file)
}

/// Opens an existing file for reading and writing, with O_DIRECT if `direct`, if Leadline made it: if its
/// first 4096 bytes are the header with its checksum, and its size is the one in there. Symbolic links are
/// followed; it is the file at the end that must have the header. The file is locked (flock) until it is
/// closed.
///
/// # Errors
/// [`GuardError::Foreign`] for any other file, [`GuardError::Locked`] where another Leadline works on it,
/// [`GuardError::DirectRefused`], or the system's reason. The file is as it was then.
pub fn open_file_for_writing(path: impl AsRef<Path>, direct: bool) -> Result<File, GuardError> {
    let path = path.as_ref();
    let kind = fs::metadata(path).map_err(|source| io_error("examining it", path, source))?.file_type();
    if !kind.is_file() {
        return Err(GuardError::NotFile { path: path.into() });
    }
    // A file that is somebody's is not opened for writing even to find that out: it may be one that may only
    // be read, or a program that runs.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let file = open(path, flags, Mode::empty()).map_err(|errno| io_error("opening it", path, errno))?;
    verify(&File::from(file), path)?;
    let flags = OFlags::RDWR | OFlags::CLOEXEC;
    let file = File::from(
        open(path, flags, Mode::empty()).map_err(|errno| io_error("opening it for writing", path, errno))?,
    );
    verify(&file, path)?;
    lock(&file, path)?;
    // Again under the lock: whoever had it before may have changed it.
    verify(&file, path)?;
    if direct {
        set_direct(&file, path)?;
    }
    Ok(file)
}

/// Whether something can be made in `dir`, as far as that can be told without making it.
///
/// # Errors
/// [`GuardError::NotDirectory`] or [`GuardError::DirectoryNotWritable`] with the system's reason.
pub fn check_directory(dir: impl AsRef<Path>) -> Result<(), GuardError> {
    let dir = dir.as_ref();
    if !fs::metadata(dir).map_err(|source| io_error("examining it", dir, source))?.is_dir() {
        return Err(GuardError::NotDirectory { dir: dir.into() });
    }
    access(dir, Access::WRITE_OK | Access::EXEC_OK)
        .map_err(|errno| GuardError::DirectoryNotWritable { dir: dir.into(), source: errno.into() })
}

/// Bytes of `file` that were never written: the kernel answers reads of them with zeros from memory, so a
/// measurement of them says nothing of the device. `None` where the file system (or a block device) cannot
/// tell.
pub fn unwritten_bytes(file: &File) -> Option<u64> {
    let len = file.metadata().ok().filter(fs::Metadata::is_file)?.len();
    let position = seek(file, SeekFrom::Current(0)).ok()?;
    let unwritten = count_holes(file, len);
    seek(file, SeekFrom::Start(position)).ok()?;
    unwritten
}

fn count_holes(file: &File, len: u64) -> Option<u64> {
    let (mut unwritten, mut at) = (0, 0);
    while at < len {
        let hole = seek(file, SeekFrom::Hole(at)).ok()?;
        if hole >= len {
            break;
        }
        at = match seek(file, SeekFrom::Data(hole)) {
            Ok(data) => data.min(len),
            Err(Errno::NXIO) => len, // no data up to the end
            Err(_) => return None,
        };
        unwritten += at - hole;
    }
    Some(unwritten)
}

/// Refuses unless `file` is regular, has our header, and the size that the header says.
pub(crate) fn verify(file: &File, path: &Path) -> Result<Header, GuardError> {
    let metadata = file.metadata().map_err(|source| io_error("examining it", path, source))?;
    if !metadata.is_file() {
        return Err(GuardError::NotFile { path: path.into() });
    }
    Header::read(file, metadata.len())
        .map_err(|source| io_error("reading its header", path, source))?
        .map_err(|reason| GuardError::Foreign { path: path.into(), reason })
}

/// Locks `file` exclusively, or refuses at once.
pub(crate) fn lock(file: &File, path: &Path) -> Result<(), GuardError> {
    flock(file, FlockOperation::NonBlockingLockExclusive).map_err(|errno| match errno {
        Errno::WOULDBLOCK => GuardError::Locked { path: path.into() },
        other => io_error("locking it", path, other),
    })
}

/// Sets O_DIRECT on an open file: headers are read and written before, without aligned buffers.
pub(crate) fn set_direct(file: &File, path: &Path) -> Result<(), GuardError> {
    let flags = fcntl_getfl(file).map_err(|errno| io_error("asking its flags", path, errno))?;
    fcntl_setfl(file, flags | OFlags::DIRECT).map_err(|errno| match errno {
        Errno::INVAL => GuardError::DirectRefused { path: path.into() },
        other => io_error("setting O_DIRECT", path, other),
    })
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_file_of_somebody_elses_is_never_opened_for_writing() {
        let dir = tempfile::tempdir().unwrap();
        // The kernel refuses to open a program for writing while it runs.
        let program = dir.path().join("program");
        fs::copy("/bin/cat", &program).unwrap();
        let mut running = Command::new(&program).stdin(Stdio::piped()).spawn().unwrap();
        let opened = open_file_for_writing(&program, false);
        drop(running.stdin.take());
        assert!(running.wait().unwrap().success());
        assert!(matches!(opened, Err(GuardError::Foreign { .. })), "{opened:?}");
    }
}
