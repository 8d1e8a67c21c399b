//! The bytes of a Parquet file, none of them beyond its end.
//!
//! Where the parquet crate skips fields that it does not know, it takes the end of the file for success: a
//! damaged page header that claims a list of 2^31 numbers kept it busy for minutes. It also reserves memory
//! for as many bytes as a header claims before it reads them.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use bytes::Bytes;
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};

/// A file whose end is an error.
pub(super) struct ParquetBytes {
    file: Arc<File>,
    bytes: u64,
}

/// Reads on from a place in the file.
pub(super) struct Onward {
    file: Arc<File>,
    at: u64,
}

impl ParquetBytes {
    /// `bytes` is the length of the file.
    pub(super) fn new(file: File, bytes: u64) -> ParquetBytes {
        ParquetBytes { file: Arc::new(file), bytes }
    }
}

impl Length for ParquetBytes {
    fn len(&self) -> u64 {
        self.bytes
    }
}

impl ChunkReader for ParquetBytes {
    type T = BufReader<Onward>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(BufReader::new(Onward { file: Arc::clone(&self.file), at: start }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let end = start.checked_add(length as u64);
        if end.is_none_or(|end| end > self.bytes) {
            let bytes = self.bytes;
            let what = format!("it claims {length} bytes at {start}, but ends at {bytes}");
            return Err(ParquetError::EOF(what));
        }
        let mut buffer = vec![0; length];
        self.file.read_exact_at(&mut buffer, start)?;
        Ok(buffer.into())
    }
}

impl Read for Onward {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.file.read_at(buffer, self.at)?;
        if got == 0 && !buffer.is_empty() {
            return Err(io::Error::new(ErrorKind::UnexpectedEof, "it ends within a header"));
        }
        self.at += got as u64;
        Ok(got)
    }
}
