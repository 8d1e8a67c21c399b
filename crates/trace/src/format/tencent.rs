//! `tencent`: the traces of Tencent's cloud block storage (CBS), CSV without a header.
//!
//! `Timestamp,Offset,Size,IOType,VolumeID`: seconds since 1970, first sector of 512 bytes, sectors, 0 for a
//! read and 1 for a write, a virtual volume. Source: the README of the traces (SNIA IOTTA, trace 27917);
//! Zhang et al., "OSCA: An Online-Model Based Cache Allocation Scheme in Cloud Block Storage Systems", ATC
//! 2020.

use super::fields::{ElapsedTime, Volumes, commas, expected, extent, number, sectors};
use super::reader::{EMPTY, HEADER, Holds, LineFormat};
use super::shape::{BLOCK_MAX, Field, Separator, Shape};
use crate::{Request, Unit};

pub(super) const SHAPE: Shape = Shape {
    separator: Separator::Commas,
    fields: &[
        ("timestamp", Field::UnixSeconds),
        ("offset", Field::Number(0, 1 << 44)),
        ("size", Field::Number(1, BLOCK_MAX / 512)),
        ("IOType", Field::Number(0, 1)),
        ("VolumeID", Field::Number(0, u32::MAX as u64)),
    ],
    numbers_only: true,
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
        if line.starts_with(b"Timestamp,") {
            return Ok(HEADER);
        }
        let mut fields = commas(line);
        let time = number(fields.next(), "timestamp")?;
        let first = number(fields.next(), "offset")?;
        let count = number(fields.next(), "size")?;
        let write = match fields.next() {
            Some(b"0") => false,
            Some(b"1") => true,
            other => return Err(expected(other, "IOType", "0 for a read or 1 for a write")),
        };
        let volume = number(fields.next(), "VolumeID")?;
        if let Some(more) = fields.next() {
            return Err(expected(Some(more), "behind the VolumeID", "the end of the line"));
        }
        let (address, length) = extent(sectors(first, "offset")?, sectors(count, "size")?)?;
        let volume = self.volumes.number(&volume.to_le_bytes())?;
        let at_ns = self.clock.at(time, 1_000_000_000)?;
        Ok(Holds::Request(Request { at_ns, volume, write, address, length }))
    }
}
