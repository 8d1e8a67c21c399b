//! `blktrace`: the records that blktrace writes, one file per CPU (`sda.blktrace.0`, `sda.blktrace.1`, ..),
//! read by themselves or together, merged by time.
//!
//! A record is 48 bytes and `pdu_len` more, in the byte order of the machine that was traced:
//!
//! | bytes | field |
//! | --- | --- |
//! | 0 | u32 0x65617400, and the version, 7, in its lowest byte |
//! | 4 | u32 sequence number |
//! | 8 | u64 nanoseconds |
//! | 16 | u64 first sector of 512 bytes |
//! | 24 | u32 bytes |
//! | 28 | u32 action in the lower half, kind of request in the upper |
//! | 32 | u32 process, u32 device, u32 CPU |
//! | 44 | u16 error, u16 `pdu_len` |
//!
//! Source: the kernel's `include/uapi/linux/blktrace_api.h`. What is taken of it is as in
//! [`block_event`](super::block_event).

use super::block_event::{Action, DISCARDS, FLUSHES, NO_DATA};
use super::fields::{ElapsedTime, Volumes, extent, sectors};
use super::reader::Holds;
use crate::input::{Buffered, Input, Meter};
use crate::{Recognition, Request, Skipped, Trace, TraceError, Unit};

const RECORD_BYTES: usize = 48;

/// The largest record: `pdu_len` is a u16.
const BUFFER_BYTES: usize = 256 << 10;

/// Without the version.
const MAGIC: u32 = 0x6561_7400;

const VERSION: u32 = 7;

/// Kinds of requests, in the upper half of an action.
const READ: u32 = 1 << 16;
const WRITE: u32 = 1 << 17;
const FLUSH: u32 = 1 << 18;
const NOTIFY: u32 = 1 << 26;
const DISCARD: u32 = 1 << 29;

/// The byte order of the machine that was traced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Little,
    Big,
}

impl Order {
    /// Of the record that begins here.
    fn of(record: &[u8]) -> Option<Order> {
        let magic: [u8; 4] = record.get(..4)?.try_into().ok()?;
        match () {
            () if u32::from_le_bytes(magic) & !0xff == MAGIC => Some(Order::Little),
            () if u32::from_be_bytes(magic) & !0xff == MAGIC => Some(Order::Big),
            () => None,
        }
    }

    fn u16(self, record: &[u8], at: usize) -> u16 {
        let bytes = [record[at], record[at + 1]];
        if self == Order::Little { u16::from_le_bytes(bytes) } else { u16::from_be_bytes(bytes) }
    }

    fn u32(self, record: &[u8], at: usize) -> u32 {
        let bytes = std::array::from_fn(|i| record[at + i]);
        if self == Order::Little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) }
    }

    fn u64(self, record: &[u8], at: usize) -> u64 {
        let bytes = std::array::from_fn(|i| record[at + i]);
        if self == Order::Little { u64::from_le_bytes(bytes) } else { u64::from_be_bytes(bytes) }
    }
}

/// What is read of a record.
#[derive(Debug, Clone, Copy)]
struct Record {
    ns: u64,
    sector: u64,
    bytes: u32,
    action: u32,
    device: u32,
}

impl Record {
    /// `bytes` are at least [`RECORD_BYTES`].
    fn of(order: Order, bytes: &[u8]) -> Record {
        Record {
            ns: order.u64(bytes, 8),
            sector: order.u64(bytes, 16),
            bytes: order.u32(bytes, 24),
            action: order.u32(bytes, 28),
            device: order.u32(bytes, 36),
        }
    }

    /// The event, where it is one that a request may be taken from. Bit 8 says that a control group follows.
    fn event(&self) -> Option<Action> {
        match self.action & 0xff {
            _ if self.action & NOTIFY != 0 => None,
            1 => Some(Action::Queue),
            7 => Some(Action::Issue),
            8 => Some(Action::Complete),
            _ => None,
        }
    }
}

/// How many records are at the beginning of a file of this format; `None` where it is another.
pub(super) fn accepts(head: &[u8]) -> Option<u64> {
    Order::of(head)?;
    Some(records(head).count() as u64)
}

/// The whole records at the beginning of a file.
fn records(mut rest: &[u8]) -> impl Iterator<Item = Record> {
    std::iter::from_fn(move || {
        let order = Order::of(rest).filter(|_| rest.len() >= RECORD_BYTES)?;
        let record = Record::of(order, rest);
        let behind = RECORD_BYTES + usize::from(order.u16(rest, 46));
        rest = rest.get(behind..).unwrap_or_default();
        Some(record)
    })
}

/// Which action is taken of files that begin so.
fn action<'a>(heads: impl Iterator<Item = &'a [u8]>) -> Action {
    Action::chosen(heads.flat_map(records).filter_map(|record| record.event()))
}

/// One CPU's file.
struct Source {
    input: Buffered,
    meter: Meter,
    /// Records given so far.
    record: u64,
    /// The record that comes next, its number, and what is wrong instead.
    next: Option<Result<Record, String>>,
}

impl Source {
    /// Reads the next record; without one the source is at its end.
    fn advance(&mut self) -> Result<(), TraceError> {
        self.next = None;
        if !self.holds(RECORD_BYTES)? {
            if !self.input.bytes().is_empty() {
                self.record += 1;
                let found = self.input.bytes().len();
                self.input.end();
                self.next = Some(Err(cut_off(found)));
            }
            return Ok(());
        }
        self.record += 1;
        let Some(order) = Order::of(self.input.bytes()) else {
            self.seek_magic()?;
            let reason = "found no mark of a record, expected 0x65617407; bytes up to the next mark are lost";
            self.next = Some(Err(reason.to_owned()));
            return Ok(());
        };
        let bytes = self.input.bytes();
        let (record, version) = (Record::of(order, bytes), order.u32(bytes, 0) & 0xff);
        let whole = RECORD_BYTES + usize::from(order.u16(bytes, 46));
        if !self.holds(whole)? {
            let found = self.input.bytes().len();
            self.input.end();
            self.next = Some(Err(cut_off(found)));
            return Ok(());
        }
        self.input.unread.start += whole;
        self.next = Some(match version {
            VERSION => Ok(record),
            _ => Err(format!("version: found {version}, expected {VERSION}")),
        });
        Ok(())
    }

    /// Whether so many bytes are there, read on if need be.
    fn holds(&mut self, bytes: usize) -> Result<bool, TraceError> {
        while self.input.bytes().len() < bytes {
            if !self.input.fill()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Goes on to where a record may begin.
    fn seek_magic(&mut self) -> Result<(), TraceError> {
        loop {
            self.input.unread.start += 1;
            if !self.holds(4)? {
                self.input.end();
                return Ok(());
            }
            if Order::of(self.input.bytes()).is_some() {
                return Ok(());
            }
        }
    }
}

fn cut_off(found: usize) -> String {
    format!("found {found} bytes at the end, expected a whole record; the file was cut off")
}

/// The requests of one or several CPUs.
pub(super) struct Blktrace {
    sources: Vec<Source>,
    action: Action,
    clock: ElapsedTime,
    volumes: Volumes,
    recognition: Option<Recognition>,
    skipped: Skipped,
    started: bool,
    taken: u64,
    /// Events there were at all.
    events: u64,
}

impl Blktrace {
    /// The files of all CPUs; the first bytes of all tell which action is taken.
    pub(super) fn open(inputs: Vec<Input>) -> Blktrace {
        let action = action(inputs.iter().map(|input| &input.head[..]));
        let recognition = inputs.first().and_then(|input| input.recognition.clone());
        let recognition = recognition
            .map(|told| Recognition { evidence: format!("{}; {}", told.evidence, action.told()), ..told });
        let source = |input: Input| Source {
            input: Buffered::new(input.name, input.reader, BUFFER_BYTES),
            meter: input.meter,
            record: 0,
            next: None,
        };
        Blktrace {
            sources: inputs.into_iter().map(source).collect(),
            action,
            clock: ElapsedTime::default(),
            volumes: Volumes::default(),
            recognition,
            skipped: Skipped::default(),
            started: false,
            taken: 0,
            events: 0,
        }
    }

    /// The source whose next record is the earliest; what is wrong comes first.
    fn earliest(&self) -> Option<usize> {
        let time = |source: &Source| source.next.as_ref().map(|next| next.as_ref().map_or(0, |one| one.ns));
        let times = self.sources.iter().map(time).enumerate();
        times.filter_map(|(at, ns)| Some((ns?, at))).min().map(|(_, at)| at)
    }

    fn request(&mut self, record: &Record) -> Result<Holds, String> {
        self.events += 1;
        if record.action & NOTIFY != 0 {
            return Ok(Holds::Other("notes of processes, times and messages"));
        }
        if record.event() != Some(self.action) {
            return Ok(self.action.others());
        }
        self.taken += 1;
        let write = match record.action {
            action if action & DISCARD != 0 => return Ok(Holds::Other(DISCARDS)),
            action if action & FLUSH != 0 && record.bytes == 0 => return Ok(Holds::Other(FLUSHES)),
            action if record.bytes == 0 || action & (READ | WRITE) == 0 => {
                return Ok(Holds::Other(NO_DATA));
            }
            action => action & WRITE != 0,
        };
        let (address, length) = extent(sectors(record.sector, "sector")?, record.bytes.into())?;
        let volume = self.volumes.number(&record.device.to_le_bytes())?;
        let at_ns = self.clock.at(record.ns, 1)?;
        Ok(Holds::Request(Request { at_ns, volume, write, address, length }))
    }
}

impl Trace for Blktrace {
    fn unit(&self) -> Unit {
        Unit::Byte
    }

    fn timed(&self) -> bool {
        true
    }

    fn next(&mut self) -> Result<Option<Request>, TraceError> {
        if !std::mem::replace(&mut self.started, true) {
            self.sources.iter_mut().try_for_each(Source::advance)?;
        }
        while let Some(at) = self.earliest() {
            let next = self.sources[at].next.take();
            let line = self.sources[at].record;
            self.sources[at].advance()?;
            let held = match next {
                Some(Ok(record)) => self.request(&record),
                Some(Err(reason)) => Err(reason),
                None => continue,
            };
            match held {
                Ok(Holds::Request(request)) => return Ok(Some(request)),
                Ok(Holds::Other(what)) => self.skipped.add(what, line),
                Err(reason) => {
                    let path = self.sources[at].input.name.clone();
                    return Err(TraceError::Syntax { path, line, reason });
                }
            }
        }
        if std::mem::take(&mut self.events) > 0 && self.taken == 0 {
            let path = self.sources.first().map_or(String::new(), |source| source.input.name.clone());
            let reason = "found no event of action Q, D or C, expected requests being queued; trace with \
                          blktrace -a queue";
            return Err(TraceError::Syntax { path, line: 1, reason: reason.to_owned() });
        }
        Ok(None)
    }

    /// Of the file that is the furthest from its end.
    fn progress(&self) -> Option<f64> {
        self.sources
            .iter()
            .map(|source| source.meter.progress())
            .try_fold(1.0, |least: f64, one| Some(least.min(one?)))
    }

    fn recognition(&self) -> Option<&Recognition> {
        self.recognition.as_ref()
    }

    fn skipped(&self) -> Option<&Skipped> {
        Some(&self.skipped)
    }
}
