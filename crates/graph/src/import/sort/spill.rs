//! Files without a name for what does not fit in memory: a process that is killed leaves none.

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::GraphError;

/// A nameless file that several threads write to and read.
#[derive(Debug)]
pub(crate) struct Spill {
    file: File,
    folder: PathBuf,
    end: AtomicU64,
    written: AtomicU64,
}

impl Spill {
    pub(crate) fn new(folder: &Path) -> Result<Spill, GraphError> {
        let file = tempfile::tempfile_in(folder).map_err(|error| GraphError::write(folder, error))?;
        Ok(Spill { file, folder: folder.to_owned(), end: AtomicU64::new(0), written: AtomicU64::new(0) })
    }

    /// A place for so many bytes. What of it is never written takes no room on the disk.
    pub(crate) fn reserve(&self, bytes: u64) -> u64 {
        self.end.fetch_add(bytes, Ordering::Relaxed)
    }

    /// Bytes written.
    pub(crate) fn written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    pub(crate) fn write(&self, bytes: &[u8], at: u64) -> Result<(), GraphError> {
        self.written.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        self.file.write_all_at(bytes, at).map_err(|error| GraphError::write(&self.folder, error))
    }

    pub(crate) fn read(&self, buffer: &mut [u8], at: u64) -> Result<(), GraphError> {
        self.file.read_exact_at(buffer, at).map_err(|error| {
            let name = format!("temporary file in {}", self.folder.display());
            GraphError::Read { name, source: error }
        })
    }

    /// Tells the kernel what is read next. It may not care, so neither do we.
    pub(crate) fn will_read(&self, range: Range<u64>) {
        if let Some(bytes) = std::num::NonZero::new(range.end - range.start) {
            let _ = rustix::fs::fadvise(&self.file, range.start, Some(bytes), rustix::fs::Advice::WillNeed);
        }
    }
}

/// Numbers of 8 bytes in a file, written once in order and then read in order as often as one likes.
#[derive(Debug)]
pub(crate) struct Numbers {
    spill: Spill,
    buffer: Vec<u8>,
    buffer_bytes: usize,
    count: u64,
}

impl Numbers {
    /// `buffer_bytes` are written and read at a time.
    pub(crate) fn new(folder: &Path, buffer_bytes: usize) -> Result<Numbers, GraphError> {
        Ok(Numbers { spill: Spill::new(folder)?, buffer: Vec::new(), buffer_bytes, count: 0 })
    }

    pub(crate) fn push(&mut self, number: u64) -> Result<(), GraphError> {
        self.buffer.extend_from_slice(&number.to_le_bytes());
        self.count += 1;
        if self.buffer.len() >= self.buffer_bytes { self.flush() } else { Ok(()) }
    }

    /// After the last push.
    pub(crate) fn flush(&mut self) -> Result<(), GraphError> {
        let at = self.spill.reserve(self.buffer.len() as u64);
        self.spill.write(&self.buffer, at)?;
        self.buffer.clear();
        Ok(())
    }

    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// From the first on.
    pub(crate) fn iter(&self) -> NumbersIter<'_> {
        NumbersIter { numbers: self, buffer: Vec::new(), at: 0, next: 0 }
    }
}

/// Reads [`Numbers`].
#[derive(Debug)]
pub(crate) struct NumbersIter<'a> {
    numbers: &'a Numbers,
    buffer: Vec<u8>,
    at: usize,
    next: u64,
}

impl Iterator for NumbersIter<'_> {
    type Item = Result<u64, GraphError>;

    #[inline]
    fn next(&mut self) -> Option<Result<u64, GraphError>> {
        if self.at == self.buffer.len() {
            let left = self.numbers.spill.written() - self.next;
            if left == 0 {
                return None;
            }
            self.buffer.resize(left.min(self.numbers.buffer_bytes.next_multiple_of(8) as u64) as usize, 0);
            if let Err(error) = self.numbers.spill.read(&mut self.buffer, self.next) {
                return Some(Err(error));
            }
            self.next += self.buffer.len() as u64;
            self.numbers.spill.will_read(self.next..self.next + self.buffer.len() as u64);
            self.at = 0;
        }
        let raw = self.buffer[self.at..].first_chunk().copied().unwrap_or_default();
        self.at += 8;
        Some(Ok(u64::from_le_bytes(raw)))
    }
}
