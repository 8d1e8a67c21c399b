//! A file of the log: a block with what the file is, then bytes of records, which may go on in the next file.
//!
//! | bytes | first block |
//! | --- | --- |
//! | 0–7 | `LEADWAL1` |
//! | 8–15 | number of the file, 1 more than the one before it |
//! | 16–23 | position of the first byte behind this block |
//! | 24–31 | number of the session: random, drawn when the log was opened |
//! | 32–35 | CRC-32 of the bytes before |
//!
//! Whole blocks are written, the last one filled with zeros: the kernel would first read a block of which it
//! gets only a part. A block that is written again begins with the bytes that it had.
//!
//! A new file grows by [`GROWTH`] bytes of zeros at a time, and a file that is no longer needed becomes the
//! next one. To write over bytes that are there changes nothing but data, so `fdatasync` does not wait for
//! the journal of the file system.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::folder::{Folder, Stored};
use super::{LogError, Lsn};

/// Bytes that are written together; also what stands in front of a file's records.
pub(crate) const BLOCK: u64 = 4096;

/// Zeros that are put behind the records of a file at a time.
const GROWTH: u64 = 1 << 20;

/// Positions are smaller, so that what is added to them does not overflow.
const POSITIONS: u64 = 1 << 62;

const MAGIC: [u8; 8] = *b"LEADWAL1";
const HEADER: usize = 36;

/// A file of the log.
#[derive(Debug, Clone)]
pub(crate) struct LogFile {
    pub(crate) number: u64,
    /// Position of the first byte of records.
    pub(crate) start: Lsn,
    pub(crate) session: u64,
    stored: Arc<dyn Stored>,
    /// Bytes of the file.
    length: u64,
    path: PathBuf,
}

/// `00000000000000000001.log`
pub(crate) fn name(number: u64) -> String {
    format!("{number:020}.log")
}

/// The number of the file that is called so.
pub(crate) fn number(name: &str) -> Option<u64> {
    name.strip_suffix(".log").filter(|digits| digits.len() == 20)?.parse().ok()
}

impl LogFile {
    /// Opens a file and reads what it is.
    pub(crate) fn open(folder: &dyn Folder, number: u64) -> Result<LogFile, LogError> {
        let path = folder.path().join(name(number));
        let stored = folder.open(&name(number)).map_err(LogError::io("opening it", &path))?;
        let length = stored.length().map_err(LogError::io("reading its length", &path))?;
        let mut header = [0; HEADER];
        if length < BLOCK {
            return Err(LogError::Header { path, why: "the file is too short for a file of the log" });
        }
        stored.read(&mut header, 0).map_err(LogError::io("reading", &path))?;
        let wrong = |why| LogError::Header { path: path.clone(), why };
        if header[..8] != MAGIC {
            return Err(wrong("this is not a file of the log, or it is of another version"));
        }
        if header[32..] != crc32fast::hash(&header[..32]).to_le_bytes() {
            return Err(wrong("its first block is damaged"));
        }
        let word =
            |at: usize| header[at..at + 8].iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        if word(8) != number {
            return Err(wrong("it is another file of the log, by this file's name"));
        }
        if word(16) >= POSITIONS {
            return Err(wrong("it begins at a position that no log reaches"));
        }
        Ok(LogFile { number, start: Lsn(word(16)), session: word(24), stored, length, path })
    }

    /// Makes `from`, new or no longer needed, the file `number`. It is durable, and so is its name.
    pub(crate) fn make(
        folder: &dyn Folder,
        from: &str,
        number: u64,
        start: Lsn,
        session: u64,
    ) -> Result<LogFile, LogError> {
        let path = folder.path().join(name(number));
        let failed = |doing| LogError::io(doing, &path);
        let stored = folder.open(from).map_err(failed("making it"))?;
        let mut block = Vec::from(MAGIC);
        block.extend([number, start.0, session].map(u64::to_le_bytes).as_flattened());
        block.extend(crc32fast::hash(&block).to_le_bytes());
        block.resize(BLOCK as usize, 0);
        stored.write(&block, 0).map_err(failed("writing"))?;
        stored.sync().map_err(failed("syncing"))?;
        folder.rename(from, &name(number)).map_err(failed("naming it"))?;
        folder.sync().map_err(failed("syncing its directory"))?;
        let length = stored.length().map_err(failed("reading its length"))?;
        Ok(LogFile { number, start, session, stored, length, path })
    }

    /// The position behind the last byte that the file has room for now.
    pub(crate) fn room_end(&self) -> Lsn {
        Lsn(self.start.0 + (self.length - BLOCK))
    }

    /// Where the byte at `at` is in the file.
    pub(crate) fn byte(&self, at: Lsn) -> u64 {
        BLOCK + (at.0 - self.start.0)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn read(&self, bytes: &mut [u8], at: Lsn) -> Result<(), LogError> {
        self.stored.read(bytes, self.byte(at)).map_err(LogError::io("reading", &self.path))
    }

    /// Writes whole blocks. Where they make the file longer, zeros follow, up to a length of `limit`. The
    /// bytes written.
    pub(crate) fn write(&mut self, blocks: &[u8], at: Lsn, limit: u64) -> Result<u64, LogError> {
        let first = self.byte(at);
        debug_assert!(first.is_multiple_of(BLOCK) && (blocks.len() as u64).is_multiple_of(BLOCK));
        let written = self.stored.write(blocks, first).map_err(LogError::io("writing", &self.path));
        written.map_err(LogError::or_full)?;
        let end = first + blocks.len() as u64;
        let mut written = blocks.len() as u64;
        if end > self.length {
            self.length = end;
            let zeros = GROWTH.min(limit.saturating_sub(end));
            // On a full disk the records may have a place all the same.
            if self.stored.write(&vec![0; zeros as usize], end).is_ok() {
                self.length += zeros;
                written += zeros;
            }
        }
        Ok(written)
    }

    pub(crate) fn sync(&self) -> Result<(), LogError> {
        self.stored.sync().map_err(LogError::io("syncing", &self.path))
    }
}
