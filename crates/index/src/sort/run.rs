//! Sorted entries in a temporary file: chunks of whole entries, each with its length and its checksum.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::Path;
use std::sync::Arc;

use crate::error::IndexError;

/// Bytes from which on a chunk is written.
pub(super) const CHUNK_BYTES: usize = 256 << 10;

/// In front of a chunk: its length and its CRC-32. In front of an entry: the lengths of its key and value.
const HEAD_BYTES: usize = 8;

/// A run that is written, and not read yet.
pub(super) struct Run {
    file: File,
    folder: Arc<Path>,
}

pub(super) struct RunWriter {
    run: Run,
    chunk: Vec<u8>,
}

/// Reads a run, and stands at one of its entries.
pub(super) struct RunReader {
    run: Run,
    chunk: Vec<u8>,
    /// Where the entry's key begins in the chunk, and where it and the value end.
    key: usize,
    key_end: usize,
    value_end: usize,
}

/// Two numbers in front of something.
fn head(a: usize, b: u32) -> [u8; HEAD_BYTES] {
    let mut head = [0; HEAD_BYTES];
    head[..4].copy_from_slice(&(a as u32).to_le_bytes());
    head[4..].copy_from_slice(&b.to_le_bytes());
    head
}

fn numbers(head: [u8; HEAD_BYTES]) -> (usize, u32) {
    let [a, b, c, d, e, f, g, h] = head;
    (u32::from_le_bytes([a, b, c, d]) as usize, u32::from_le_bytes([e, f, g, h]))
}

impl Run {
    /// Writes the run that `feed` gives to the writer, in a file without a name.
    pub(super) fn write(
        folder: &Arc<Path>,
        feed: impl FnOnce(&mut RunWriter) -> Result<(), IndexError>,
    ) -> Result<Run, IndexError> {
        let file = tempfile::tempfile_in(folder);
        let file = file.map_err(IndexError::io("making a temporary file there, to sort entries,", folder))?;
        let run = Run { file, folder: Arc::clone(folder) };
        let mut writer = RunWriter { run, chunk: vec![0; HEAD_BYTES] };
        feed(&mut writer)?;
        writer.end_chunk()?;
        writer.run.file.rewind().map_err(writer.run.failed("reading a temporary file there"))?;
        Ok(writer.run)
    }

    fn failed(&self, doing: &'static str) -> impl FnOnce(io::Error) -> IndexError {
        IndexError::io(doing, &self.folder)
    }

    /// Its reader, at the first entry, if there is one.
    pub(super) fn read(self) -> Result<Option<RunReader>, IndexError> {
        let mut reader = RunReader { run: self, chunk: Vec::new(), key: 0, key_end: 0, value_end: 0 };
        Ok(if reader.advance()? { Some(reader) } else { None })
    }
}

impl RunWriter {
    /// Adds an entry, whose key is after all others.
    pub(super) fn add(&mut self, key: &[u8], value: &[u8]) -> Result<(), IndexError> {
        self.chunk.extend_from_slice(&head(key.len(), value.len() as u32));
        self.chunk.extend_from_slice(key);
        self.chunk.extend_from_slice(value);
        if self.chunk.len() < CHUNK_BYTES { Ok(()) } else { self.end_chunk() }
    }

    fn end_chunk(&mut self) -> Result<(), IndexError> {
        let entries = &self.chunk[HEAD_BYTES..];
        if entries.is_empty() {
            return Ok(());
        }
        let head = head(entries.len(), crc32fast::hash(entries));
        self.chunk[..HEAD_BYTES].copy_from_slice(&head);
        let written = self.run.file.write_all(&self.chunk);
        self.chunk.truncate(HEAD_BYTES);
        written.map_err(self.run.failed("writing a temporary file there, to sort entries,"))
    }
}

impl RunReader {
    pub(super) fn key(&self) -> &[u8] {
        &self.chunk[self.key..self.key_end]
    }

    pub(super) fn value(&self) -> &[u8] {
        &self.chunk[self.key_end..self.value_end]
    }

    /// Goes to the next entry; false: there is none.
    pub(super) fn advance(&mut self) -> Result<bool, IndexError> {
        if self.value_end == self.chunk.len() && !self.read_chunk()? {
            return Ok(false);
        }
        // The checksum was right: what was written is there.
        let (head, entry) = self.chunk[self.value_end..].split_at(HEAD_BYTES);
        let (key_bytes, value_bytes) = numbers(head.try_into().unwrap_or_default());
        debug_assert!(key_bytes + value_bytes as usize <= entry.len());
        self.key = self.value_end + HEAD_BYTES;
        self.key_end = self.key + key_bytes;
        self.value_end = self.key_end + value_bytes as usize;
        Ok(true)
    }

    fn read_chunk(&mut self) -> Result<bool, IndexError> {
        let (mut head, file) = ([0; HEAD_BYTES], &mut self.run.file);
        let mut read = || {
            if file.read(&mut head[..1])? == 0 {
                return Ok(None);
            }
            file.read_exact(&mut head[1..])?;
            let (bytes, checksum) = numbers(head);
            self.chunk.resize(bytes, 0);
            file.read_exact(&mut self.chunk)?;
            Ok(Some(checksum))
        };
        let checksum = read().map_err(self.run.failed("reading a temporary file there"))?;
        self.value_end = 0;
        match checksum {
            Some(checksum) if checksum != crc32fast::hash(&self.chunk) => {
                let error =
                    io::Error::new(io::ErrorKind::InvalidData, "what it holds is not what was written");
                Err(self.run.failed("reading a temporary file there")(error))
            }
            checksum => Ok(checksum.is_some()),
        }
    }
}
