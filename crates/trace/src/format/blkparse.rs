//! `blkparse`: what blkparse prints by default of a trace that blktrace took.
//!
//! `8,0  3  1  0.000000000  697  Q  W 223490 + 8 [kjournald]`: device, CPU, sequence number, seconds,
//! process, action, kind (RWBS), first sector, `+`, sectors, the process's name. Source: blkparse(1),
//! "Default output".
//!
//! A request is traced several times on its way. Taken is its queueing (action `Q`): what programs asked for,
//! before the block layer merges and splits it. Reads and writes are requests, each device is a volume,
//! sectors are of 512 bytes; discards, flushes without data and the summary at the end are passed over.

use super::fields::{
    ElapsedTime, Volumes, expected, extent, number, parse_u64, seconds, sectors, shown, words,
};
use super::reader::LineFormat;
use crate::{Request, Unit};

#[derive(Default)]
pub(super) struct Parser {
    clock: ElapsedTime,
    volumes: Volumes,
    /// Within blkparse's summary, which is not part of the events.
    summary: bool,
    events: u64,
    queued: u64,
}

impl LineFormat for Parser {
    fn unit(&self) -> Unit {
        Unit::Byte
    }

    fn timed(&self) -> bool {
        true
    }

    fn request(&mut self, line: &[u8]) -> Result<Option<Request>, String> {
        let mut words = words(line);
        let Some(device) = words.next() else { return Ok(None) };
        if !is_device(device) {
            return self.other(device, line);
        }
        self.summary = false;
        number(words.next(), "CPU")?;
        number(words.next(), "sequence number")?;
        let time_ns = seconds(words.next(), "time")?;
        number(words.next(), "process")?;
        let action = words.next().ok_or_else(|| expected(None, "action", "a letter such as Q, D or C"))?;
        self.events += 1;
        if action != b"Q" {
            return Ok(None);
        }
        self.queued += 1;
        let kind = words.next().ok_or_else(|| expected(None, "RWBS", "the kind of request, such as WS"))?;
        let first = words.next();
        let Some(write) = writes(kind, first)? else { return Ok(None) };
        let first = number(first, "sector")?;
        match words.next() {
            Some(b"+") => {}
            other => return Err(expected(other, "behind the sector", "+ and the number of sectors")),
        }
        let count = number(words.next(), "number of sectors")?;
        if count == 0 && kind.contains(&b'F') {
            return Ok(None);
        }
        let (address, length) = extent(sectors(first, "sector")?, sectors(count, "number of sectors")?)?;
        let volume = self.volumes.number(device)?;
        let at_ns = self.clock.at(time_ns, 1)?;
        Ok(Some(Request { at_ns, volume, write, address, length }))
    }

    fn end(&mut self) -> Result<(), String> {
        if self.events > 0 && self.queued == 0 {
            return Err(format!(
                "found {} events but none of action Q, expected requests being queued; trace with blktrace -a queue",
                self.events
            ));
        }
        Ok(())
    }
}

impl Parser {
    /// A line that is not an event: part of the summary, or an error.
    fn other(&mut self, first: &[u8], line: &[u8]) -> Result<Option<Request>, String> {
        self.summary |= first.starts_with(b"CPU") || first == b"Total" || first == b"Input";
        if self.summary {
            return Ok(None);
        }
        Err(format!("found {}, expected an event of a device such as 8,0", shown(line.trim_ascii())))
    }
}

/// `MAJOR,MINOR`.
fn is_device(word: &[u8]) -> bool {
    let comma = word.iter().position(|&byte| byte == b',');
    comma.is_some_and(|at| parse_u64(&word[..at]).is_some() && parse_u64(&word[at + 1..]).is_some())
}

/// Whether a request of this kind writes; `None` for one that moves no data. `next` is the word behind it.
fn writes(kind: &[u8], next: Option<&[u8]>) -> Result<Option<bool>, String> {
    const LETTERS: &[u8] = b"RWDEFANSBMPUV";
    if !kind.iter().all(|letter| LETTERS.contains(letter)) {
        return Err(expected(Some(kind), "RWBS", "the kind of request, such as R, WS or RA"));
    }
    // A flush has no sector: its process follows, or nothing.
    let no_data = kind.contains(&b'F') && next.is_none_or(|word| word.starts_with(b"["));
    if kind.contains(&b'D') || no_data {
        return Ok(None);
    }
    Ok(if kind.contains(&b'W') {
        Some(true)
    } else if kind.contains(&b'R') {
        Some(false)
    } else {
        None
    })
}
