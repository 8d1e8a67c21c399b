//! Captures: the requests that reached a mounted file system, with the files, the threads and both times of
//! each. `docs/capture-format.md` has the layout.
//!
//! [`Reader`] gives everything that a capture holds, event by event; [`open`](crate::open) gives its reads
//! and writes as an ordinary [`Trace`](crate::Trace), whose volumes are the files. [`Writer`] writes one,
//! [`Recorder`] one of requests as they happen.

mod code;
mod decode;
mod reader;
mod recorder;
mod writer;

pub use reader::Reader;
pub use recorder::{CaptureSummary, Recorder, Ticket};
pub use writer::Writer;

/// What a capture begins with, once decompressed; the digits are the version.
pub(crate) const MARK: &[u8; 19] = b"leadline capture 1\n";

/// Files that a capture may have.
pub const MOST_FILES: usize = 65_536;

/// Threads that a capture may have.
pub const MOST_THREADS: usize = 1 << 20;

/// What a program asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Operation {
    /// A read.
    Read,
    /// A write that may wait in a cache.
    Write,
    /// A write that is durable once it is answered (`O_SYNC`, `O_DSYNC`).
    DurableWrite,
    /// fsync or fdatasync, of a file or a directory.
    Sync,
    /// A change of the file's length, which is then `offset`.
    Truncate,
    /// Space is reserved (`fallocate`).
    Allocate,
    /// A range is given back, and reads as zeros (`fallocate` with `PUNCH_HOLE` or `ZERO_RANGE`).
    Discard,
    /// The file got the name that it has from here on.
    Rename,
    /// The file's name was removed.
    Remove,
}

impl Operation {
    /// All, by the number that stands for each in a file.
    pub const ALL: [Operation; 9] = [
        Operation::Read,
        Operation::Write,
        Operation::DurableWrite,
        Operation::Sync,
        Operation::Truncate,
        Operation::Allocate,
        Operation::Discard,
        Operation::Rename,
        Operation::Remove,
    ];

    /// Whether bytes go to the device.
    pub fn is_write(self) -> bool {
        matches!(self, Operation::Write | Operation::DurableWrite)
    }

    /// Whether it moves bytes.
    pub fn moves_bytes(self) -> bool {
        self == Operation::Read || self.is_write()
    }
}

/// One request. Times are nanoseconds since the capture began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// When it arrived; never before the previous event.
    pub issued_ns: u64,
    /// When it was answered, at or after `issued_ns`.
    pub completed_ns: u64,
    /// Whose it was: an index into [`Reader::threads`].
    pub thread: u32,
    /// To which file: an index into [`Reader::files`].
    pub file: u32,
    /// What was asked for.
    pub operation: Operation,
    /// First byte.
    pub offset: u64,
    /// Bytes; of a read or write the bytes moved, 0 where it failed or nothing was there.
    pub length: u64,
}

/// A thread that sent requests.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Thread {
    /// Its number as the kernel has it; 0 for the kernel itself.
    pub tid: u32,
    /// Its process; 0 where it was gone before anyone looked.
    pub pid: u32,
    /// Its name (`comm`), perhaps empty.
    pub name: String,
}
