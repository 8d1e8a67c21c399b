//! What comes of a request, as the kernel wants it.

use std::time::Duration;

use fuser::{Errno, FileAttr, ReplyAttr, ReplyEmpty, ReplyXattr};

/// What comes of a request.
pub type SysResult<T> = Result<T, rustix::io::Errno>;

/// An error as the kernel wants it.
pub fn errno(error: rustix::io::Errno) -> Errno {
    Errno::from_i32(error.raw_os_error())
}

/// Answers with success or the error.
pub fn done(result: SysResult<()>, reply: ReplyEmpty) {
    match result {
        Ok(()) => reply.ok(),
        Err(error) => reply.error(errno(error)),
    }
}

/// Answers with attributes, which the kernel may believe for so long.
pub fn give_attributes(found: SysResult<FileAttr>, valid: Duration, reply: ReplyAttr) {
    match found {
        Ok(attributes) => reply.attr(&valid, &attributes),
        Err(error) => reply.error(errno(error)),
    }
}

/// Answers who has room for `size` bytes with the first `length` of `value`, or with the length where no more
/// was asked for.
pub fn give_xattr(length: SysResult<usize>, value: &[u8], size: u32, reply: ReplyXattr) {
    match length {
        Ok(length) if size == 0 => reply.size(length as u32),
        Ok(length) if length > size as usize => reply.error(Errno::ERANGE),
        Ok(length) => reply.data(&value[..length]),
        Err(error) => reply.error(errno(error)),
    }
}

/// What `lseek` looks for in a file, from an offset on: what the kernel cannot answer itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeekTarget {
    /// Data.
    Data(u64),
    /// A hole.
    Hole(u64),
}

/// As Linux numbers them on every processor.
const SEEK_DATA: i32 = 3;
const SEEK_HOLE: i32 = 4;

impl SeekTarget {
    /// # Errors
    /// `EINVAL` for what the kernel does not know itself, and we do not know either.
    pub fn new(offset: i64, whence: i32) -> SysResult<SeekTarget> {
        match (u64::try_from(offset), whence) {
            (Ok(offset), SEEK_DATA) => Ok(SeekTarget::Data(offset)),
            (Ok(offset), SEEK_HOLE) => Ok(SeekTarget::Hole(offset)),
            _ => Err(rustix::io::Errno::INVAL),
        }
    }
}
