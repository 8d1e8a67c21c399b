//! `systor`: the traces of an enterprise's virtual desktops that were published at SYSTOR '17, CSV.
//!
//! `Timestamp,Response,IOType,LUN,Offset,Size`, which the header says: seconds since 1970 with a fraction,
//! seconds of response (not used, may be missing), `R` or `W`, a volume, bytes. Lines whose IOType is blank
//! are passed over. Source: the README of the traces (SNIA IOTTA, trace 4964); Lee et al., "Understanding
//! Storage Traffic Characteristics on Enterprise Virtual Desktop Infrastructure", SYSTOR 2017.

use super::fields::{ElapsedTime, Volumes, commas, expected, extent, number, seconds};
use super::reader::{EMPTY, HEADER, Holds, LineFormat};
use super::shape::{BLOCK_MAX, Field, Separator, Shape};
use crate::{Request, Unit};

pub(super) const SHAPE: Shape = Shape {
    separator: Separator::Commas,
    fields: &[
        ("timestamp", Field::Time(1_000_000_000)),
        ("response", Field::Any),
        ("IOType", Field::Any),
        ("LUN", Field::Number(0, 1 << 16)),
        ("offset", Field::Sectors),
        ("size", Field::Number(1, BLOCK_MAX)),
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
        if line.starts_with(b"Timestamp,") {
            return Ok(HEADER);
        }
        let mut fields = commas(line);
        let time_ns = seconds(fields.next(), "timestamp")?;
        match fields.next() {
            Some(b"") => {}
            response => _ = seconds(response, "response")?,
        }
        let write = match fields.next() {
            Some(b"R") => false,
            Some(b"W") => true,
            Some(b"") => return Ok(Holds::Other("lines without IOType")),
            other => return Err(expected(other, "IOType", "R or W")),
        };
        let lun = number(fields.next(), "LUN")?;
        let offset = number(fields.next(), "offset")?;
        let size = number(fields.next(), "size")?;
        if let Some(more) = fields.next() {
            return Err(expected(Some(more), "behind the size", "the end of the line"));
        }
        let (address, length) = extent(offset, size)?;
        let volume = self.volumes.number(&lun.to_le_bytes())?;
        let at_ns = self.clock.at(time_ns, 1)?;
        Ok(Holds::Request(Request { at_ns, volume, write, address, length }))
    }
}
