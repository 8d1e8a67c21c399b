//! A record: a header, then the payload. Records follow one another without gaps.
//!
//! | bytes | header |
//! | --- | --- |
//! | 0–3 | CRC-32 of the session's number (8 bytes), then of the other bytes of the header |
//! | 4–7 | bytes of the payload |
//! | 8–15 | position of the record in the log |
//! | 16–19 | bytes in front of the record that were not durable when it was appended; `u32::MAX`: not known |
//! | 20–23 | CRC-32 of the payload |
//!
//! The position and the session's number keep bytes of an earlier use of a file from passing for a record.

use super::{LogError, Lsn};

/// Bytes in front of the payload.
pub(crate) const HEADER: usize = 24;

/// Most bytes of a payload.
const LIMIT: u64 = u32::MAX as u64;

/// A header that was read and is valid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Header {
    pub(crate) length: u32,
    /// Everything before was durable when the record was appended, as far as is known.
    pub(crate) durable: Lsn,
    sum: u32,
}

/// A payload in parts, with what takes long to compute.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Payload<'a> {
    parts: &'a [&'a [u8]],
    length: u32,
    sum: u32,
}

impl<'a> Payload<'a> {
    pub(crate) fn new(parts: &'a [&'a [u8]]) -> Result<Self, LogError> {
        let bytes = parts.iter().map(|part| part.len() as u64).sum();
        if bytes > LIMIT {
            return Err(LogError::TooLarge { bytes, limit: LIMIT });
        }
        let mut sum = crc32fast::Hasher::new();
        parts.iter().for_each(|part| sum.update(part));
        Ok(Payload { parts, length: bytes as u32, sum: sum.finalize() })
    }

    /// Appends the record to `bytes`, to stand at `at`.
    pub(crate) fn write(&self, session: u64, at: Lsn, durable: Lsn, bytes: &mut Vec<u8>) {
        let behind = u32::try_from(at.0 - durable.0).unwrap_or(u32::MAX);
        let mut header = [0; HEADER];
        header[4..8].copy_from_slice(&self.length.to_le_bytes());
        header[8..16].copy_from_slice(&at.0.to_le_bytes());
        header[16..20].copy_from_slice(&behind.to_le_bytes());
        header[20..].copy_from_slice(&self.sum.to_le_bytes());
        let sum = header_sum(session, &header);
        header[..4].copy_from_slice(&sum.to_le_bytes());
        bytes.extend_from_slice(&header);
        self.parts.iter().for_each(|part| bytes.extend_from_slice(part));
    }
}

impl Header {
    /// What the bytes at `at` say, if a record begins there.
    pub(crate) fn read(session: u64, at: Lsn, bytes: &[u8]) -> Option<Header> {
        let bytes: &[u8; HEADER] = bytes.first_chunk()?;
        let is_here = bytes[8..16] == at.0.to_le_bytes();
        if !is_here || bytes[..4] != header_sum(session, bytes).to_le_bytes() {
            return None;
        }
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let durable = match word(16) {
            u32::MAX => Lsn(0),
            behind => Lsn(at.0.saturating_sub(behind.into())),
        };
        Some(Header { length: word(4), durable, sum: word(20) })
    }

    /// Whether the payload is what was written.
    pub(crate) fn fits(&self, payload: &[u8]) -> bool {
        crc32fast::hash(payload) == self.sum
    }
}

fn header_sum(session: u64, header: &[u8; HEADER]) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    sum.update(&session.to_le_bytes());
    sum.update(&header[4..]);
    sum.finalize()
}
