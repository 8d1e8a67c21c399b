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
use super::reader::LineFormat;
use super::scsi;
use crate::{Request, Unit};

#[derive(Debug, Clone, Copy, PartialEq)]
enum Layout {
    CloudPhysics,
    VscsiStats,
}

pub(super) struct Parser {
    layout: Layout,
    clock: ElapsedTime,
}

impl Parser {
    /// The layout is told by the first bytes.
    pub(super) fn new(head: &[u8]) -> Parser {
        let vscsi = head.split(|&byte| byte == b'\n').any(|line| line.starts_with(b"#Serial Number,"));
        let layout = if vscsi { Layout::VscsiStats } else { Layout::CloudPhysics };
        Parser { layout, clock: ElapsedTime::default() }
    }
}

impl LineFormat for Parser {
    fn unit(&self) -> Unit {
        Unit::Byte
    }

    fn timed(&self) -> bool {
        true
    }

    fn request(&mut self, line: &[u8]) -> Result<Option<Request>, String> {
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"#") || line.starts_with(b"version,") {
            return Ok(None);
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
        let Some(write) = write else { return Ok(None) };
        let (address, length) = extent(sectors(lbn, "lbn")?, size)?;
        let at_ns = self.clock.at(time, unit_ns)?;
        Ok(Some(Request { at_ns, volume: 0, write, address, length }))
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
