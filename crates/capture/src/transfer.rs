//! Bytes between programs and the files below.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use leadline_fuse::SysResult;
use rustix::fs::OFlags;
use rustix::io::Errno;

use crate::buffer;
use crate::handles::OpenFile;

/// Reads until `buffer` is full or the file ends; how many bytes that were.
pub(crate) fn read(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut done = 0;
    while done < buffer.len() {
        match file.read_at(&mut buffer[done..], offset + done as u64) {
            Ok(0) => break,
            // Past the end of a file in the middle of a block, O_DIRECT does not go on.
            Ok(got) if got % 512 != 0 => return Ok(done + got),
            Ok(got) => done += got,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) if done > 0 => break,
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}

/// Writes; how many bytes. `from_cache` says that the kernel writes back what a program changed in memory,
/// which need not end with a block.
pub(crate) fn write(open: &OpenFile, data: &[u8], offset: u64, from_cache: bool) -> SysResult<usize> {
    let is_direct = rustix::fs::fcntl_getfl(&open.file)?.contains(OFlags::DIRECT);
    if !is_direct {
        return write_all(&open.file, data, offset);
    }
    let written = buffer::with(data.len(), |aligned| {
        aligned.copy_from_slice(data);
        write_all(&open.file, aligned, offset)
    });
    match written {
        Err(Errno::INVAL) if from_cache => {
            let again = File::options().write(true).open(open.node.below()?.path()).map_err(|e| errno(&e))?;
            write_all(&again, data, offset)
        }
        written => written,
    }
}

fn write_all(file: &File, data: &[u8], offset: u64) -> SysResult<usize> {
    let mut done = 0;
    while done < data.len() {
        match file.write_at(&data[done..], offset + done as u64) {
            Ok(0) => break,
            Ok(written) => done += written,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) if done > 0 => break,
            Err(error) => return Err(errno(&error)),
        }
    }
    Ok(done)
}

/// The system's number of an error.
pub(crate) fn errno(error: &io::Error) -> Errno {
    error.raw_os_error().map_or(Errno::IO, Errno::from_raw_os_error)
}
