//! `blktrace`: the records that blktrace writes, one file per CPU (`sda.blktrace.0`, `sda.blktrace.1`, ..),
//! read by themselves or together, merged by time.
//!
//! [`blktrace_record`](super::blktrace_record) has the layout; what is taken of it is as in
//! [`block_event`](super::block_event).

use super::blktrace_record::{
    DISCARD, FLUSH, NOTIFY, Order, READ, RECORD_BYTES, Record, VERSION, WRITE, action,
};
use super::block_event::{Action, DISCARDS, FLUSHES, NO_DATA};
use super::fields::{ElapsedTime, Volumes, extent, sectors};
use super::reader::Holds;
use crate::input::{Buffered, Input, Meter};
use crate::{Recognition, Request, Skipped, Trace, TraceError, Unit};

/// The largest record: `pdu_len` is a u16.
const BUFFER_BYTES: usize = 256 << 10;

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

    /// Whether that many bytes are there, read on if need be.
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
