//! `blkparse`: what blkparse prints by default of a trace that blktrace took.
//!
//! `8,0  3  1  0.000000000  697  Q  W 223490 + 8 [kjournald]`: device, CPU, sequence number, seconds,
//! process, action, kind (RWBS), first sector, `+`, sectors, the process's name. Source: blkparse(1),
//! "Default output", and the kernel's `blk_fill_rwbs`.
//!
//! Reads and writes of one [`Action`] are requests, each device is a volume, sectors are of 512 bytes.
//! Discards, flushes without data, zone management and the summary at the end are passed over.

use super::block_event::{Action, DISCARDS, FLUSHES, NO_DATA, ZONES};
use super::fields::{
    ElapsedTime, Volumes, expected, extent, number, parse_u64, seconds, sectors, shown, words,
};
use super::reader::{EMPTY, Holds, LineFormat};
use crate::{Request, Unit};

const SUMMARY: Holds = Holds::Other("lines of blkparse's summary");

/// A command that a program sent to the device by itself, with its bytes in hexadecimal.
const COMMAND: Holds = Holds::Other("SCSI commands sent by programs");

pub(super) struct Parser {
    clock: ElapsedTime,
    volumes: Volumes,
    action: Action,
    /// Within blkparse's summary, which is not part of the events.
    summary: bool,
    events: u64,
    taken: u64,
}

impl Parser {
    /// The first bytes tell which action is taken.
    pub(super) fn new(head: &[u8]) -> Parser {
        let lines = head.split(|&byte| byte == b'\n' || byte == b'\r');
        let actions = lines.filter_map(|line| {
            let mut words = words(line);
            words.next().filter(|device| is_device(device))?;
            Action::of_letter(words.nth(4)?)
        });
        Parser {
            clock: ElapsedTime::default(),
            volumes: Volumes::default(),
            action: Action::chosen(actions),
            summary: false,
            events: 0,
            taken: 0,
        }
    }

    pub(super) fn action(&self) -> Action {
        self.action
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
        let mut words = words(line);
        let Some(device) = words.next() else { return Ok(EMPTY) };
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
        if Action::of_letter(action) != Some(self.action) {
            return Ok(self.action.others());
        }
        self.taken += 1;
        let kind = words.next().ok_or_else(|| expected(None, "RWBS", "the kind of request, such as WS"))?;
        let first = words.next();
        let write = match writes(kind, first, self.action)? {
            Ok(write) => write,
            Err(what) => return Ok(Holds::Other(what)),
        };
        let first = number(first, "sector")?;
        match words.next() {
            Some(b"+") => {}
            Some(bytes) if bytes.starts_with(b"(") => return Ok(COMMAND),
            other => return Err(expected(other, "behind the sector", "+ and the number of sectors")),
        }
        let count = number(words.next(), "number of sectors")?;
        if count == 0 && kind.contains(&b'F') {
            return Ok(Holds::Other(FLUSHES));
        }
        let (address, length) = extent(sectors(first, "sector")?, sectors(count, "number of sectors")?)?;
        let volume = self.volumes.number(device)?;
        let at_ns = self.clock.at(time_ns, 1)?;
        Ok(Holds::Request(Request { at_ns, volume, write, address, length }))
    }

    fn end(&mut self) -> Result<(), String> {
        if self.events > 0 && self.taken == 0 {
            return Err(format!(
                "found {} events but none of action Q, D or C, expected requests being queued; trace with \
                 blktrace -a queue",
                self.events
            ));
        }
        Ok(())
    }
}

impl Parser {
    /// A line that is not an event: part of the summary, or an error.
    fn other(&mut self, first: &[u8], line: &[u8]) -> Result<Holds, String> {
        self.summary |= first.starts_with(b"CPU") || first == b"Total" || first == b"Input";
        if self.summary {
            return Ok(SUMMARY);
        }
        Err(format!("found {}, expected an event of a device such as 8,0", shown(line.trim_ascii())))
    }
}

/// `MAJOR,MINOR`.
fn is_device(word: &[u8]) -> bool {
    let comma = word.iter().position(|&byte| byte == b',');
    comma.is_some_and(|at| parse_u64(&word[..at]).is_some() && parse_u64(&word[at + 1..]).is_some())
}

/// Whether a request of this kind writes, or else what it is. `next` is the word behind it.
fn writes(kind: &[u8], next: Option<&[u8]>, action: Action) -> Result<Result<bool, &'static str>, String> {
    const LETTERS: &[u8] = b"RWDEFANSBMPUVT";
    // Operations on zones: append, then reset, open, close and finish, each followed by flags.
    let letters = match kind {
        [b'Z', b'A', rest @ ..] => return checked(kind, rest, LETTERS).map(|()| action.zone_append()),
        [b'Z', b'R' | b'O' | b'C' | b'F', rest @ ..] => {
            return checked(kind, rest, LETTERS).map(|()| Err(ZONES));
        }
        letters => letters,
    };
    checked(kind, letters, LETTERS)?;
    // A flush has no sector: its process follows, or nothing.
    let no_data = kind.contains(&b'F') && next.is_none_or(|word| word.starts_with(b"["));
    Ok(match () {
        () if kind.contains(&b'D') => Err(DISCARDS),
        () if no_data => Err(FLUSHES),
        () if kind.contains(&b'W') => Ok(true),
        () if kind.contains(&b'R') => Ok(false),
        () => Err(NO_DATA),
    })
}

fn checked(kind: &[u8], letters: &[u8], known: &[u8]) -> Result<(), String> {
    match letters.iter().all(|letter| known.contains(letter)) {
        true => Ok(()),
        false => Err(expected(Some(kind), "RWBS", "the kind of request, such as R, WS or RA")),
    }
}
