//! `spc`: the trace format of the Storage Performance Council, in which the UMass repository has its OLTP and
//! search engine traces.
//!
//! `ASU,LBA,Size,Opcode,Timestamp`: application-specific unit (a volume), first sector on it, bytes, `R` or
//! `W`, seconds since the start; further fields may follow and are not used. Source: SPC, "Trace File Format
//! Specification", revision 1.0.1, 2002. Sectors are of 512 bytes.

use std::io::Write as _;

use super::fields::{ElapsedTime, SECTOR_BYTES, Volumes, commas, expected, extent, number, seconds, sectors};
use super::reader::{EMPTY, Holds, LineFormat};
use super::shape::{BLOCK_MAX, Field, Separator, Shape};
use crate::write::Encode;
use crate::{Request, Unit};

pub(super) const SHAPE: Shape = Shape {
    separator: Separator::Commas,
    fields: &[
        ("ASU", Field::Number(0, 1 << 16)),
        ("LBA", Field::Number(0, 1 << 44)),
        ("size", Field::Number(1, BLOCK_MAX)),
        ("opcode", Field::Any),
        ("timestamp", Field::Time(1_000_000_000)),
    ],
    numbers_only: false,
};

#[derive(Default)]
pub(super) struct Parser {
    clock: ElapsedTime,
    volumes: Volumes,
}

impl LineFormat for Parser {
    fn unit(&self) -> Unit {
        Unit::Byte
    }

    fn timed(&self) -> bool {
        true
    }

    fn request(&mut self, line: &[u8]) -> Result<Holds, String> {
        let line = line.trim_ascii();
        if line.is_empty() {
            return Ok(EMPTY);
        }
        let mut fields = commas(line);
        let asu = number(fields.next(), "ASU")?;
        let lba = number(fields.next(), "LBA")?;
        let size = number(fields.next(), "size")?;
        let write = match fields.next() {
            Some(b"R" | b"r") => false,
            Some(b"W" | b"w") => true,
            other => return Err(expected(other, "opcode", "R or W")),
        };
        let time_ns = seconds(fields.next(), "timestamp")?;
        let (address, length) = extent(sectors(lba, "LBA")?, size)?;
        let volume = self.volumes.number(&asu.to_le_bytes())?;
        let at_ns = self.clock.at(time_ns, 1)?;
        Ok(Holds::Request(Request { at_ns, volume, write, address, length }))
    }
}

pub(super) struct Encoder;

impl Encode for Encoder {
    fn unit(&self) -> Unit {
        Unit::Byte
    }

    fn request(&mut self, request: &Request, out: &mut Vec<u8>) -> Result<(), String> {
        if !request.address.is_multiple_of(SECTOR_BYTES) {
            return Err(format!(
                "address {}: spc counts in sectors of 512 bytes, expected a multiple of them; write msr or fio",
                request.address
            ));
        }
        let sector = request.address / SECTOR_BYTES;
        let opcode = if request.write { 'W' } else { 'R' };
        let (seconds, nanos) = (request.at_ns / 1_000_000_000, request.at_ns % 1_000_000_000);
        // Writing to memory does not fail.
        let _ = writeln!(out, "{},{sector},{},{opcode},{seconds}.{nanos:09}", request.volume, request.length);
        Ok(())
    }
}
