#![doc = include_str!("../README.md")]
//!
//! A trace is a stream: reading it takes constant memory, whatever its length. [`open`] takes a file of any
//! known format, compressed or not, or a generator such as `gen:paper-ms`; all are a [`Trace`], one request
//! after the other. [`copy()`] writes one in another [`Format`]. `docs/trace-formats.md` describes formats
//! and generators.

pub mod bins;
pub mod by_file;
pub mod capture;
mod copy;
mod cpus;
mod error;
mod format;
mod generate;
pub mod info;
mod input;
mod lenient;
mod memory;
mod open;
mod pages;
mod read_as;
mod recognition;
pub mod reuse;
mod skipped;
mod write;
mod zipf;

pub use copy::{CopyError, CopySummary, copy};
pub use error::TraceError;
pub use format::{Format, TimeUnit, TraceColumns};
pub use generate::{GENERATOR, GeneratorInfo, OptionInfo, generators};
pub use info::{Info, InfoOptions};
pub use leadline_text::TextOptions;
pub use lenient::{BadLines, Lenient};
pub use memory::MemoryTrace;
pub use open::{STDIN, open, open_as, read};
pub use pages::{Access, Pages};
pub use read_as::ReadAs;
pub use recognition::{Recognition, RecognizedBy};
pub use skipped::{Skipped, SkippedKind};
pub use write::{Output, Writer};
pub use zipf::{Scatter, Zipf};

/// What a trace counts addresses in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Pages of a size the trace does not know: traces of buffer pools and caches.
    Page,
    /// Bytes: traces of block devices.
    Byte,
}

/// One request of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// Nanoseconds since the first request of the trace; 0 throughout where the format has no time. Never
    /// less than the time of the previous request: a time that goes back in the file is taken for the latest
    /// one so far.
    pub at_ns: u64,
    /// Which device of several, counted from 0 in the order they appear; 0 where there is one.
    pub volume: u32,
    /// A write, else a read.
    pub write: bool,
    /// First page or byte, in the trace's [`Unit`].
    pub address: u64,
    /// Pages or bytes, at least 1; the last of them has an address below 2^64.
    pub length: u32,
}

/// A stream of requests.
pub trait Trace: Send {
    /// What addresses and lengths count.
    fn unit(&self) -> Unit;

    /// The next request, `None` at the end.
    ///
    /// # Errors
    /// [`TraceError`] names file, line (or record) and what was expected there. What follows may be read on;
    /// after [`TraceError::Io`] that is nothing.
    fn next(&mut self) -> Result<Option<Request>, TraceError>;

    /// Requests still to come, where that is known beforehand.
    fn remaining(&self) -> Option<u64> {
        None
    }

    /// Whether requests carry times.
    fn timed(&self) -> bool {
        false
    }

    /// Share of the trace that was read so far, 0 to 1, where its size is known.
    fn progress(&self) -> Option<f64> {
        None
    }

    /// The name of a volume that a request was given for, where the format has names.
    fn volume_name(&self, volume: u32) -> Option<&str> {
        let _ = volume;
        None
    }

    /// Bytes of the object that the request given last was for, where each page is an object of its own size:
    /// traces of caches.
    fn object_bytes(&self) -> Option<u32> {
        None
    }

    /// The format that the trace is read in and what told it; `None` where nothing is read.
    fn recognition(&self) -> Option<&Recognition> {
        None
    }

    /// What was passed over so far because it holds no request and is not wrong either: comments, events of
    /// another kind.
    fn skipped(&self) -> Option<&Skipped> {
        None
    }
}

impl<T: Trace + ?Sized> Trace for Box<T> {
    fn unit(&self) -> Unit {
        (**self).unit()
    }

    fn next(&mut self) -> Result<Option<Request>, TraceError> {
        (**self).next()
    }

    fn remaining(&self) -> Option<u64> {
        (**self).remaining()
    }

    fn timed(&self) -> bool {
        (**self).timed()
    }

    fn progress(&self) -> Option<f64> {
        (**self).progress()
    }

    fn volume_name(&self, volume: u32) -> Option<&str> {
        (**self).volume_name(volume)
    }

    fn object_bytes(&self) -> Option<u32> {
        (**self).object_bytes()
    }

    fn recognition(&self) -> Option<&Recognition> {
        (**self).recognition()
    }

    fn skipped(&self) -> Option<&Skipped> {
        (**self).skipped()
    }
}

impl<T: Trace + ?Sized> Trace for &mut T {
    fn unit(&self) -> Unit {
        (**self).unit()
    }

    fn next(&mut self) -> Result<Option<Request>, TraceError> {
        (**self).next()
    }

    fn remaining(&self) -> Option<u64> {
        (**self).remaining()
    }

    fn timed(&self) -> bool {
        (**self).timed()
    }

    fn progress(&self) -> Option<f64> {
        (**self).progress()
    }

    fn volume_name(&self, volume: u32) -> Option<&str> {
        (**self).volume_name(volume)
    }

    fn object_bytes(&self) -> Option<u32> {
        (**self).object_bytes()
    }

    fn recognition(&self) -> Option<&Recognition> {
        (**self).recognition()
    }

    fn skipped(&self) -> Option<&Skipped> {
        (**self).skipped()
    }
}
