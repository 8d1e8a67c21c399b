//! `fio`: the iolog of fio, versions 2 and 3.
//!
//! The first line is `fio version 2 iolog` or `fio version 3 iolog`. Then `FILE ACTION` (`add`, `open`,
//! `close`) or `FILE ACTION OFFSET LENGTH`, in bytes; in version 3 with microseconds since the start before
//! them. Source: fio's HOWTO, "Trace file format v2" and "v3", and its `iolog.c`.
//!
//! Reads and writes are requests, each file is a volume; `sync`, `datasync`, `trim` and `wait` are passed
//! over, so that a trace of version 2 has no times. Written as version 3, a file `volumeN` for each volume;
//! times are cut to microseconds.

use std::io::Write as _;

use super::fields::{ElapsedTime, Volumes, expected, extent, number, shown, words};
use super::reader::LineFormat;
use crate::write::Encode;
use crate::{Request, Unit};

const V2: &[u8] = b"fio version 2 iolog";
const V3: &[u8] = b"fio version 3 iolog";

/// Whether the first bytes of a file are of this format.
pub(super) fn accepts(head: &[u8]) -> bool {
    head.starts_with(V2) || head.starts_with(V3)
}

pub(super) struct Parser {
    /// Whether lines have times; `None` where the first line says no known version.
    timed: Option<bool>,
    started: bool,
    clock: ElapsedTime,
    volumes: Volumes,
}

impl Parser {
    /// The version is told by the first bytes.
    pub(super) fn new(head: &[u8]) -> Parser {
        let timed = accepts(head).then(|| head.starts_with(V3));
        Parser { timed, started: false, clock: ElapsedTime::default(), volumes: Volumes::default() }
    }
}

impl LineFormat for Parser {
    fn unit(&self) -> Unit {
        Unit::Byte
    }

    fn timed(&self) -> bool {
        self.timed == Some(true)
    }

    fn request(&mut self, line: &[u8]) -> Result<Option<Request>, String> {
        let version = "the first line \"fio version 2 iolog\" or \"fio version 3 iolog\"";
        let Some(timed) = self.timed else {
            self.started = true;
            return Err(format!("found {}, expected {version}", shown(line)));
        };
        if !std::mem::replace(&mut self.started, true) {
            // What follows the version on its line is not looked at by fio either.
            return Ok(None);
        }
        let mut words = words(line).peekable();
        if words.peek().is_none() {
            return Ok(None);
        }
        let time = if timed { number(words.next(), "timestamp")? } else { 0 };
        let file = words.next().ok_or_else(|| expected(None, "file", "the name of a file"))?;
        let action = words.next();
        let write = match action {
            Some(b"read") => false,
            Some(b"write") => true,
            Some(b"add" | b"open" | b"close" | b"sync" | b"datasync" | b"trim" | b"wait") => return Ok(None),
            _ => {
                let known = "read, write, sync, datasync, trim, wait, add, open or close";
                return Err(expected(action, "action", known));
            }
        };
        let offset = number(words.next(), "offset")?;
        let length = number(words.next(), "length")?;
        if let Some(more) = words.next() {
            return Err(expected(Some(more), "behind the length", "the end of the line"));
        }
        let (address, length) = extent(offset, length)?;
        let volume = self.volumes.number(file)?;
        let at_ns = self.clock.at(time, 1000)?;
        Ok(Some(Request { at_ns, volume, write, address, length }))
    }

    fn end(&mut self) -> Result<(), String> {
        if self.started {
            Ok(())
        } else {
            Err("found nothing, expected the line \"fio version 3 iolog\"".to_owned())
        }
    }
}

/// Volumes are added and opened when they first appear.
#[derive(Default)]
pub(super) struct Encoder {
    opened: std::collections::BTreeSet<u32>,
    at_us: u64,
}

impl Encode for Encoder {
    fn unit(&self) -> Unit {
        Unit::Byte
    }

    fn begin(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(V3);
        out.push(b'\n');
    }

    fn request(&mut self, request: &Request, out: &mut Vec<u8>) -> Result<(), String> {
        self.at_us = request.at_ns / 1000;
        let (at_us, volume) = (self.at_us, request.volume);
        // Writing to memory does not fail.
        if self.opened.insert(volume) {
            let _ = writeln!(out, "{at_us} volume{volume} add\n{at_us} volume{volume} open");
        }
        let action = if request.write { "write" } else { "read" };
        let _ = writeln!(out, "{at_us} volume{volume} {action} {} {}", request.address, request.length);
        Ok(())
    }

    fn end(&mut self, out: &mut Vec<u8>) {
        for volume in &self.opened {
            let _ = writeln!(out, "{} volume{volume} close", self.at_us);
        }
    }
}
