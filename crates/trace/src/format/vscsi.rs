//! `vscsi`: command traces of VMware's vscsiStats, binary records of version 1 or 2, little-endian.
//!
//! | version | fields |
//! | --- | --- |
//! | 1, 32 bytes | u32 serial number, u32 bytes, u32 scatter-gather entries, u16 command, u16 version, u64 sector, u64 µs |
//! | 2, 40 bytes | u16 command, u16 version, u32 serial number, u32 bytes, u32 scatter-gather entries, u64 sector, u64 µs, u64 response time |
//!
//! The version is the upper byte of its field. Source: libCacheSim, `traceReader/customizedReader/vscsi.h`
//! (Yang et al.), which reads the traces of CloudPhysics so. Sectors are of 512 bytes, the command is a SCSI
//! command; other commands are skipped.

use super::fields::{ElapsedTime, extent, sectors};
use super::reader::{Holds, RecordFormat};
use super::scsi;
use crate::{Request, Unit};

/// No command moves more.
const LARGEST_BYTES: u32 = 1 << 30;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Version {
    V1,
    V2,
}

impl Version {
    fn record_bytes(self) -> usize {
        match self {
            Version::V1 => 32,
            Version::V2 => 40,
        }
    }

    /// Whether the record says that it is of this version.
    fn is_of(self, record: &[u8]) -> bool {
        match self {
            Version::V1 => record[15] == 1,
            Version::V2 => record[3] == 2,
        }
    }

    /// Whether all records at the beginning are of this version, and those that move data of a size there
    /// is.
    fn fits(self, head: &[u8]) -> bool {
        let mut records = head.chunks_exact(self.record_bytes()).peekable();
        records.peek().is_some()
            && records.all(|record| self.is_of(record) && self.fields(record).1 <= LARGEST_BYTES)
    }

    /// Command, bytes, first sector and microseconds.
    fn fields(self, record: &[u8]) -> (u16, u32, u64, u64) {
        let u16_at = |at: usize| u16::from_le_bytes([record[at], record[at + 1]]);
        let u32_at = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| record[at + i]));
        let u64_at = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| record[at + i]));
        match self {
            Version::V1 => (u16_at(12), u32_at(4), u64_at(16), u64_at(24)),
            Version::V2 => (u16_at(0), u32_at(8), u64_at(16), u64_at(24)),
        }
    }

    fn told_by(head: &[u8]) -> Option<Version> {
        [Version::V2, Version::V1].into_iter().find(|version| version.fits(head))
    }
}

/// How many records at the beginning of a file are of this format; `None` where it is another.
pub(super) fn accepts(head: &[u8]) -> Option<u64> {
    let version = Version::told_by(head)?;
    head.contains(&0).then(|| (head.len() / version.record_bytes()) as u64)
}

pub(super) struct Parser {
    version: Version,
    clock: ElapsedTime,
}

impl Parser {
    /// The version is told by the first records; where they tell none, each will be refused.
    pub(super) fn new(head: &[u8]) -> Parser {
        Parser { version: Version::told_by(head).unwrap_or(Version::V1), clock: ElapsedTime::default() }
    }
}

impl RecordFormat for Parser {
    fn unit(&self) -> Unit {
        Unit::Byte
    }

    fn timed(&self) -> bool {
        true
    }

    fn record_bytes(&self) -> usize {
        self.version.record_bytes()
    }

    fn all_are_requests(&self) -> bool {
        false
    }

    fn request(&mut self, record: &[u8]) -> Result<Holds, String> {
        if !self.version.is_of(record) {
            let (found, number) = match self.version {
                Version::V1 => (record[15], 1),
                Version::V2 => (record[3], 2),
            };
            return Err(format!("version: found {found}, expected {number} as before (1 and 2 are known)"));
        }
        let (command, size, lbn, us) = self.version.fields(record);
        let Some(write) = scsi::writes(command.into()) else { return Ok(scsi::OTHER_COMMAND) };
        let (address, length) = extent(sectors(lbn, "sector")?, size.into())?;
        let at_ns = self.clock.at(us, 1000)?;
        Ok(Holds::Request(Request { at_ns, volume: 0, write, address, length }))
    }
}
