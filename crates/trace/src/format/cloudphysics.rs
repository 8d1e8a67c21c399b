//! `cloudphysics`: block traces of virtual machines as CSV, in either of two layouts.
//!
//! - `version,time,op,size,lbn`, as in libCacheSim's `cloudPhysicsIO.csv`: seconds, the SCSI command in
//!   hexadecimal, bytes, and the first sector. The header may be missing. The traces are described by
//!   Waldspurger et al., "Efficient MRC Construction with SHARDS", FAST 2015.
//! - `Serial Number,IO Data Length,Num SG Entries,Command Type,LBN,Time Stamp (microseconds)`, as VMware's
//!   vscsiStats prints its command traces: `read` or `write` (or a SCSI command), microseconds. Its header,
//!   `#Serial Number,...`, says which of the two it is.
//!
//! Sectors are of 512 bytes. Commands that neither read nor write are passed over.

use super::fields::{ElapsedTime, commas, expected, extent, number, seconds, sectors};
use super::reader::{COMMENT, EMPTY, HEADER, Holds, LineFormat};
use super::scsi;
use super::shape::{BLOCK_MAX, Field, Separator, Shape};
use crate::{Request, Unit};

#[derive(Debug, Clone, Copy, PartialEq)]
enum Layout {
    CloudPhysics,
    VscsiStats,
}

/// Of the layout of libCacheSim. Commands are numbers, too, unless one has a letter, and those that neither
/// read nor write have no size.
const CLOUD_PHYSICS: Shape = Shape {
    separator: Separator::Commas,
    fields: &[
        ("version", Field::Number(1, 2)),
        ("time", Field::Time(1_000_000_000)),
        ("command", Field::Any),
        ("size", Field::Number(0, BLOCK_MAX)),
        ("lbn", Field::Number(0, 1 << 44)),
    ],
    numbers_only: true,
};

/// Of the layout of vscsiStats, which has a header.
const VSCSI_STATS: Shape = Shape {
    separator: Separator::Commas,
    fields: &[
        ("serial number", Field::Any),
        ("data length", Field::Number(0, BLOCK_MAX)),
        ("number of SG entries", Field::Any),
        ("command", Field::Any),
        ("LBN", Field::Number(0, 1 << 44)),
        ("time stamp", Field::Time(1000)),
    ],
    numbers_only: false,
};

pub(super) struct Parser {
    layout: Layout,
    clock: ElapsedTime,
}

impl Parser {
    /// The layout is told by the first bytes.
    pub(super) fn new(head: &[u8]) -> Parser {
        let mut lines = head.split(|&byte| byte == b'\n' || byte == b'\r');
        let vscsi = lines.any(|line| line.starts_with(b"#Serial Number,"));
        let layout = if vscsi { Layout::VscsiStats } else { Layout::CloudPhysics };
        Parser { layout, clock: ElapsedTime::default() }
    }

    /// What the fields of this layout lie within.
    pub(super) fn shape(&self) -> &'static Shape {
        match self.layout {
            Layout::CloudPhysics => &CLOUD_PHYSICS,
            Layout::VscsiStats => &VSCSI_STATS,
        }
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
        let line = line.trim_ascii();
        match line {
            b"" => return Ok(EMPTY),
            [b'#', ..] => return Ok(COMMENT),
            _ if line.starts_with(b"version,") => return Ok(HEADER),
            _ => {}
        }
        let mut fields = commas(line);
        let (write, size, lbn, (time, unit_ns)) = match self.layout {
            Layout::CloudPhysics => {
                number(fields.next(), "version")?;
                let time = seconds(fields.next(), "time")?;
                let write = command(fields.next())?;
                let size = number(fields.next(), "size")?;
                (write, size, number(fields.next(), "lbn")?, (time, 1))
            }
            Layout::VscsiStats => {
                number(fields.next(), "serial number")?;
                let size = number(fields.next(), "data length")?;
                number(fields.next(), "number of SG entries")?;
                let write = command(fields.next())?;
                let lbn = number(fields.next(), "LBN")?;
                (write, size, lbn, (number(fields.next(), "time stamp")?, 1000))
            }
        };
        if let Some(more) = fields.next() {
            return Err(expected(Some(more), "behind the last field", "the end of the line"));
        }
        let Some(write) = write else { return Ok(scsi::OTHER_COMMAND) };
        let (address, length) = extent(sectors(lbn, "lbn")?, size)?;
        let at_ns = self.clock.at(time, unit_ns)?;
        Ok(Holds::Request(Request { at_ns, volume: 0, write, address, length }))
    }
}

/// Whether the command writes; `None` where it neither reads nor writes.
fn command(field: Option<&[u8]>) -> Result<Option<bool>, String> {
    let bad = || expected(field, "command", "a SCSI command in hexadecimal such as 2a, or read or write");
    let text = field.and_then(|field| std::str::from_utf8(field).ok()).ok_or_else(bad)?;
    match text.to_ascii_lowercase().as_str() {
        "read" => Ok(Some(false)),
        "write" => Ok(Some(true)),
        // from_str_radix would take a sign.
        hex if hex.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            u16::from_str_radix(hex, 16).map(|code| scsi::writes(code.into())).map_err(|_| bad())
        }
        _ => Err(bad()),
    }
}
