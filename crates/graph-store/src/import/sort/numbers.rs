//! A long list of numbers, in a file.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::GraphError;

/// Numbers of 8 bytes in a file, written once in order and then read in order as often as one likes.
#[derive(Debug)]
pub(crate) struct Numbers {
    file: File,
    folder: PathBuf,
    buffer: Vec<u8>,
    buffer_bytes: usize,
    count: u64,
    written: u64,
}

impl Numbers {
    /// `buffer_bytes` are written and read at a time.
    pub(crate) fn new(folder: &Path, buffer_bytes: usize) -> Result<Numbers, GraphError> {
        let file = tempfile::tempfile_in(folder).map_err(|error| GraphError::write(folder, error))?;
        let folder = folder.to_owned();
        Ok(Numbers { file, folder, buffer: Vec::new(), buffer_bytes, count: 0, written: 0 })
    }

    pub(crate) fn push(&mut self, number: u64) -> Result<(), GraphError> {
        self.buffer.extend_from_slice(&number.to_le_bytes());
        self.count += 1;
        if self.buffer.len() >= self.buffer_bytes { self.flush() } else { Ok(()) }
    }

    /// After the last push.
    pub(crate) fn flush(&mut self) -> Result<(), GraphError> {
        let written = self.file.write_all_at(&self.buffer, self.written);
        written.map_err(|error| GraphError::write(&self.folder, error))?;
        self.written += self.buffer.len() as u64;
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
            let left = self.numbers.written - self.next;
            if left == 0 {
                return None;
            }
            self.buffer.resize(left.min(self.numbers.buffer_bytes.next_multiple_of(8) as u64) as usize, 0);
            if let Err(source) = self.numbers.file.read_exact_at(&mut self.buffer, self.next) {
                let name = format!("temporary file in {}", self.numbers.folder.display());
                return Some(Err(GraphError::Read { name, source }));
            }
            self.next += self.buffer.len() as u64;
            self.at = 0;
        }
        let Some(raw) = self.buffer[self.at..].first_chunk() else {
            unreachable!("whole numbers are written, and as many are read")
        };
        self.at += 8;
        Some(Ok(u64::from_le_bytes(*raw)))
    }
}
