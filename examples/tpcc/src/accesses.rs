//! The pages that transactions ask the index's pool for: counted, and written down as the page trace of a
//! run.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use leadline_pool::Access;

/// Logical page accesses: what a buffer pool is asked for, hit or miss.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Counts {
    /// Guards for reading.
    pub reads: u64,
    /// Guards for writing, new pages among them.
    pub writes: u64,
}

impl Counts {
    /// Of these accesses.
    pub(crate) fn of(accesses: &[Access]) -> Counts {
        let writes = accesses.iter().filter(|access| access.is_write).count() as u64;
        Counts { reads: accesses.len() as u64 - writes, writes }
    }

    /// All of them.
    pub fn total(self) -> u64 {
        self.reads + self.writes
    }

    /// Writes among all, 0 to 1; 0 where there are none.
    pub fn write_share(self) -> f64 {
        if self.total() == 0 { 0.0 } else { self.writes as f64 / self.total() as f64 }
    }
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.reads += other.reads;
        self.writes += other.writes;
    }
}

/// A page trace as text, one access a line: `R 15`, `W 17`. Terminals append a transaction at a time, in the
/// order in which transactions end.
pub struct TraceFile {
    state: Mutex<TraceWriter>,
}

struct TraceWriter {
    file: BufWriter<File>,
    /// The first thing that went wrong; nothing is written after it.
    failed: Option<io::Error>,
}

impl TraceFile {
    /// A new file at `path`. An existing file is not written over.
    ///
    /// # Errors
    /// The system's reason.
    pub fn create(path: &Path) -> io::Result<TraceFile> {
        let file = BufWriter::with_capacity(1 << 20, File::create_new(path)?);
        Ok(TraceFile { state: Mutex::new(TraceWriter { file, failed: None }) })
    }

    /// Writes out what is buffered.
    ///
    /// # Errors
    /// The first write that failed: the file is cut off there.
    pub fn finish(self) -> io::Result<()> {
        let mut state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        match state.failed.take() {
            Some(error) => Err(error),
            None => state.file.flush(),
        }
    }

    pub(crate) fn append(&self, accesses: &[Access]) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let TraceWriter { file, failed } = &mut *state;
        if failed.is_none() {
            let line = |access: &Access| {
                writeln!(file, "{} {}", if access.is_write { 'W' } else { 'R' }, access.page)
            };
            *failed = accesses.iter().try_for_each(line).err();
        }
    }
}
