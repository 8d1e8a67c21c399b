//! `fiu`: the block traces of Florida International University, fields parted by spaces.
//!
//! `TS PID PROCESS LBA SIZE OP MAJOR MINOR MD5`: nanoseconds, the process (not used), first sector of 512
//! bytes, sectors, `R` or `W`, the device (a volume), and the MD5 of what was moved (not used, may be
//! missing). Source: the README of the traces (SNIA IOTTA, trace 390); Koller and Rangaswami, "I/O
//! Deduplication", FAST 2010.

use super::fields::{ElapsedTime, Volumes, expected, extent, number, sectors, words};
use super::reader::{EMPTY, Holds, LineFormat};
use super::shape::{BLOCK_MAX, Field, Separator, Shape};
use crate::{Request, Unit};

pub(super) const SHAPE: Shape = Shape {
    separator: Separator::Spaces,
    fields: &[
        ("ts", Field::Time(1)),
        ("pid", Field::Number(0, u32::MAX as u64)),
        ("process", Field::Any),
        ("lba", Field::Number(0, 1 << 44)),
        ("size", Field::Number(1, BLOCK_MAX / 512)),
        ("op", Field::Any),
        ("major", Field::Number(0, 1 << 12)),
        ("minor", Field::Number(0, 1 << 20)),
        ("MD5", Field::Hex(32)),
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
        let mut words = words(line).peekable();
        if words.peek().is_none() {
            return Ok(EMPTY);
        }
        let time_ns = number(words.next(), "ts")?;
        number(words.next(), "pid")?;
        words.next().ok_or_else(|| expected(None, "process", "the name of a program"))?;
        let first = number(words.next(), "lba")?;
        let count = number(words.next(), "size")?;
        let write = match words.next() {
            Some(b"R" | b"r") => false,
            Some(b"W" | b"w") => true,
            other => return Err(expected(other, "op", "R or W")),
        };
        let major = number(words.next(), "major")?;
        let minor = number(words.next(), "minor")?;
        if let Some(more) = words.nth(1) {
            return Err(expected(Some(more), "behind the MD5", "the end of the line"));
        }
        let (address, length) = extent(sectors(first, "lba")?, sectors(count, "size")?)?;
        let mut device = [0; 16];
        device[..8].copy_from_slice(&major.to_le_bytes());
        device[8..].copy_from_slice(&minor.to_le_bytes());
        let volume = self.volumes.number(&device)?;
        let at_ns = self.clock.at(time_ns, 1)?;
        Ok(Holds::Request(Request { at_ns, volume, write, address, length }))
    }
}
