//! The write-ahead log: records in the order in which they were appended, in files of fixed size.
//!
//! - `record`: what a record is; its checksums
//! - `buffer`: records in memory
//! - `folder`, `file`, `files`: where they are written to

mod buffer;
mod error;
mod file;
mod files;
mod folder;
mod record;

pub(crate) use self::error::LogError;

/// A position in the log: bytes of all records ever appended before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Lsn(pub(crate) u64);
