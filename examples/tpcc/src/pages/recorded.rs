//! Pages that count who touches them, and write it down: the page trace of a run.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::Pages;
use crate::StoreError;

/// Logical page accesses: what a buffer pool is asked for, hit or miss.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Counts {
    /// Guards for reading.
    pub reads: u64,
    /// Guards for writing, new pages among them.
    pub writes: u64,
}

impl Counts {
    /// All of them.
    pub fn total(self) -> u64 {
        self.reads + self.writes
    }

    /// Those since `earlier`.
    pub fn since(self, earlier: Counts) -> Counts {
        Counts { reads: self.reads - earlier.reads, writes: self.writes - earlier.writes }
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

/// One thread's view of `pages`: every guard is one access, however often the page is touched through it.
pub struct RecordingPages<'a, P> {
    pages: &'a P,
    counts: Cell<Counts>,
    trace: Option<&'a TraceFile>,
}

impl<'a, P: Pages> RecordingPages<'a, P> {
    /// Counts accesses, and appends them to `trace` if there is one.
    pub fn new(pages: &'a P, trace: Option<&'a TraceFile>) -> Self {
        RecordingPages { pages, counts: Cell::default(), trace }
    }

    /// Accesses so far.
    pub fn counts(&self) -> Counts {
        self.counts.get()
    }

    fn note(&self, page: u64, write: bool) {
        let mut counts = self.counts.get();
        counts += Counts { reads: u64::from(!write), writes: u64::from(write) };
        self.counts.set(counts);
        if let Some(trace) = self.trace {
            trace.append(page, write);
        }
    }
}

impl<P: Pages> Pages for RecordingPages<'_, P> {
    type Read<'a>
        = P::Read<'a>
    where
        Self: 'a;
    type Write<'a>
        = P::Write<'a>
    where
        Self: 'a;

    fn page_len(&self) -> usize {
        self.pages.page_len()
    }

    fn page_count(&self) -> u64 {
        self.pages.page_count()
    }

    fn pages_left(&self) -> u64 {
        self.pages.pages_left()
    }

    fn read(&self, page: u64) -> Result<Self::Read<'_>, StoreError> {
        let guard = self.pages.read(page)?;
        self.note(page, false);
        Ok(guard)
    }

    fn write(&self, page: u64) -> Result<Self::Write<'_>, StoreError> {
        let guard = self.pages.write(page)?;
        self.note(page, true);
        Ok(guard)
    }

    fn new_page(&self) -> Result<(u64, Self::Write<'_>), StoreError> {
        let (page, guard) = self.pages.new_page()?;
        self.note(page, true);
        Ok((page, guard))
    }
}

/// A page trace as text, one access a line: `R 15`, `W 17`. Threads append in the order in which they got the
/// page.
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

    fn append(&self, page: u64, write: bool) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.failed.is_none() {
            let kind = if write { 'W' } else { 'R' };
            state.failed = writeln!(state.file, "{kind} {page}").err();
        }
    }
}
