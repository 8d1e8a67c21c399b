//! `alibaba`: the block traces of Alibaba Cloud, CSV without a header.
//!
//! `device_id,opcode,offset,length,timestamp`: a virtual disk (a volume), `R` or `W`, bytes, microseconds.
//! Source: the README of the traces (github.com/alibaba/block-traces); Li et al., "An In-Depth Analysis of
//! Cloud Block Storage Workloads in Large-Scale Production", IISWC 2020.

use super::fields::{ElapsedTime, Volumes, commas, expected, extent, number};
use super::reader::{EMPTY, HEADER, Holds, LineFormat};
use super::shape::{BLOCK_MAX, Field, Separator, Shape};
use crate::{Request, Unit};

pub(super) const SHAPE: Shape = Shape {
    separator: Separator::Commas,
    fields: &[
        ("device_id", Field::Number(0, u32::MAX as u64)),
        ("opcode", Field::Any),
        ("offset", Field::Sectors),
        ("length", Field::Number(1, BLOCK_MAX)),
        ("timestamp", Field::Time(1000)),
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
        if line.starts_with(b"device_id,") {
            return Ok(HEADER);
        }
        let mut fields = commas(line);
        let device = number(fields.next(), "device_id")?;
        let write = match fields.next() {
            Some(b"R" | b"r") => false,
            Some(b"W" | b"w") => true,
            other => return Err(expected(other, "opcode", "R or W")),
        };
        let offset = number(fields.next(), "offset")?;
        let length = number(fields.next(), "length")?;
        let time = number(fields.next(), "timestamp")?;
        if let Some(more) = fields.next() {
            return Err(expected(Some(more), "behind the timestamp", "the end of the line"));
        }
        let (address, length) = extent(offset, length)?;
        let volume = self.volumes.number(&device.to_le_bytes())?;
        let at_ns = self.clock.at(time, 1000)?;
        Ok(Holds::Request(Request { at_ns, volume, write, address, length }))
    }
}
