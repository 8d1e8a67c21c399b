//! `msr`: the block traces of Microsoft Research Cambridge, CSV without a header.
//!
//! `Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime`: the time in Windows filetime (100 ns), Type
//! `Read` or `Write`, offset and size in bytes. Source: the README of the traces (SNIA IOTTA, trace 388);
//! Narayanan, Donnelly and Rowstron, "Write Off-Loading", FAST 2008. The response time is not used and may be
//! missing, a header is passed over.

use std::io::Write as _;

use super::fields::{ElapsedTime, Volumes, commas, expected, extent, number};
use super::reader::{EMPTY, HEADER, Holds, LineFormat};
use super::shape::{BLOCK_MAX, Field, Separator, Shape};
use crate::write::Encode;
use crate::{Request, Unit};

/// Nanoseconds of a tick of Windows filetime.
const TICK_NS: u64 = 100;

/// The Unix epoch in Windows filetime, the time of the first request of what we write.
const UNIX_EPOCH_TICKS: u64 = 116_444_736_000_000_000;

pub(super) const SHAPE: Shape = Shape {
    separator: Separator::Commas,
    fields: &[
        ("timestamp", Field::Time(TICK_NS)),
        ("host", Field::Any),
        ("disk", Field::Number(0, 1 << 16)),
        ("type", Field::Any),
        ("offset", Field::Sectors),
        ("size", Field::Number(1, BLOCK_MAX)),
    ],
    numbers_only: false,
};

#[derive(Default)]
pub(super) struct Parser {
    clock: ElapsedTime,
    volumes: Volumes,
    name: Vec<u8>,
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
        if line.starts_with(b"Timestamp,") {
            return Ok(HEADER);
        }
        let mut fields = commas(line);
        let ticks = number(fields.next(), "timestamp")?;
        let host = fields.next().ok_or_else(|| expected(None, "host", "the name of a server"))?;
        let disk = fields.next().ok_or_else(|| expected(None, "disk", "the number of a disk"))?;
        let write = match fields.next() {
            Some(kind) if kind.eq_ignore_ascii_case(b"read") => false,
            Some(kind) if kind.eq_ignore_ascii_case(b"write") => true,
            other => return Err(expected(other, "type", "Read or Write")),
        };
        let offset = number(fields.next(), "offset")?;
        let size = number(fields.next(), "size")?;
        if let Some(more) = fields.nth(1) {
            return Err(expected(Some(more), "behind the response time", "the end of the line"));
        }
        let (address, length) = extent(offset, size)?;
        self.name.clear();
        self.name.extend_from_slice(host);
        self.name.push(b',');
        self.name.extend_from_slice(disk);
        let volume = self.volumes.number(&self.name)?;
        let at_ns = self.clock.at(ticks, TICK_NS)?;
        Ok(Holds::Request(Request { at_ns, volume, write, address, length }))
    }
}

pub(super) struct Encoder;

impl Encode for Encoder {
    fn unit(&self) -> Unit {
        Unit::Byte
    }

    fn request(&mut self, request: &Request, out: &mut Vec<u8>) -> Result<(), String> {
        let ticks = UNIX_EPOCH_TICKS + request.at_ns / TICK_NS;
        let kind = if request.write { "Write" } else { "Read" };
        // Writing to memory does not fail.
        let _ = writeln!(
            out,
            "{ticks},leadline,{},{kind},{},{},0",
            request.volume, request.address, request.length
        );
        Ok(())
    }
}
