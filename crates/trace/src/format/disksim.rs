//! `disksim` and `mqsim`: the ASCII traces of the simulators DiskSim and MQSim, five fields parted by spaces.
//!
//! `ARRIVAL DEVICE SECTOR SECTORS TYPE`: DiskSim has milliseconds with decimals and flags in hexadecimal
//! whose lowest bit says that it reads; MQSim has whole nanoseconds, 0 for a write and 1 for a read. Sectors
//! are of 512 bytes. Sources: Bucy et al., "The DiskSim Simulation Environment Version 4.0 Reference Manual",
//! section 8.3.2 (ASCII); Tavakkol et al., "MQSim", FAST 2018, and its README. Where all arrivals are whole
//! numbers, nothing tells one from the other.

use super::fields::{ElapsedTime, Volumes, expected, extent, number, seconds, sectors, words};
use super::reader::{EMPTY, Holds, LineFormat};
use super::shape::{BLOCK_MAX, Field, Separator, Shape};
use crate::{Request, Unit};

/// Of both; only the parser of DiskSim takes decimals.
pub(super) const SHAPE: Shape = Shape {
    separator: Separator::Spaces,
    fields: &[
        ("arrival", Field::Time(1)),
        ("device", Field::Number(0, 1 << 16)),
        ("sector", Field::Number(0, 1 << 44)),
        ("sectors", Field::Number(1, BLOCK_MAX / 512)),
        ("type", Field::Number(0, 15)),
    ],
    numbers_only: true,
};

/// Whose trace it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Simulator {
    DiskSim,
    MqSim,
}

pub(super) struct Parser {
    simulator: Simulator,
    clock: ElapsedTime,
    volumes: Volumes,
}

impl Parser {
    pub(super) fn of(simulator: Simulator) -> Parser {
        Parser { simulator, clock: ElapsedTime::default(), volumes: Volumes::default() }
    }
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
        let arrival_ns = match self.simulator {
            // Milliseconds read as seconds are a thousand times too long.
            Simulator::DiskSim => seconds(words.next(), "arrival")? / 1000,
            Simulator::MqSim => number(words.next(), "arrival")?,
        };
        let device = number(words.next(), "device")?;
        let first = number(words.next(), "sector")?;
        let count = number(words.next(), "sectors")?;
        let kind = words.next();
        let write = match (self.simulator, kind) {
            (Simulator::MqSim, Some(b"0")) => true,
            (Simulator::MqSim, Some(b"1")) => false,
            (Simulator::MqSim, _) => return Err(expected(kind, "type", "0 for a write or 1 for a read")),
            (Simulator::DiskSim, _) => !reads(kind)?,
        };
        if let Some(more) = words.next() {
            return Err(expected(Some(more), "behind the type", "the end of the line"));
        }
        let (address, length) = extent(sectors(first, "sector")?, sectors(count, "sectors")?)?;
        let volume = self.volumes.number(&device.to_le_bytes())?;
        let at_ns = self.clock.at(arrival_ns, 1)?;
        Ok(Holds::Request(Request { at_ns, volume, write, address, length }))
    }
}

/// Whether these flags of DiskSim are those of a read.
fn reads(flags: Option<&[u8]>) -> Result<bool, String> {
    let text =
        flags.filter(|flags| (1..=8).contains(&flags.len()) && flags.iter().all(u8::is_ascii_hexdigit));
    match text.and_then(|text| text.last()) {
        Some(last) => Ok(char::from(*last).to_digit(16).is_some_and(|digit| digit & 1 == 1)),
        None => Err(expected(flags, "flags", "up to 8 hexadecimal digits")),
    }
}
