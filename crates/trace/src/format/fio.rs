//! `fio`: the iolog of fio, versions 2 and 3.
//!
//! The first line is `fio version 2 iolog` or `fio version 3 iolog`. Then `FILE ACTION` (`add`, `open`,
//! `close`) or `FILE ACTION OFFSET LENGTH`, in bytes; in version 3 with microseconds since the start before
//! them. Source: fio's HOWTO, "Trace file format v2" and "v3", and its `iolog.c`.
//!
//! Reads and writes are requests, each file is a volume; `sync`, `datasync` and `trim` are passed over. In
//! version 2 `wait` lets time pass: its offset is microseconds since the `wait` before it. A trace of version
//! 2 that has none within its first bytes has no times, and ignores later ones. In version 3,
//! where lines have times, `wait` is ignored, as fio does. Written as version 3, a file `volumeN` for each
//! volume; times are cut to microseconds.

use std::io::Write as _;

use super::fields::{ElapsedTime, Volumes, expected, extent, number, shown, words};
use super::reader::{EMPTY, HEADER, Holds, LineFormat};
use crate::write::Encode;
use crate::{Request, Unit};

const V2: &[u8] = b"fio version 2 iolog";
const V3: &[u8] = b"fio version 3 iolog";

/// Whether the first bytes of a file are of this format.
pub(super) fn accepts(head: &[u8]) -> bool {
    head.starts_with(V2) || head.starts_with(V3)
}

/// Where a line's time comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Times {
    /// Version 3: each line has one.
    Stamps,
    /// Version 2: `wait` adds to it.
    Waits,
    /// Version 2 without `wait`.
    None,
}

pub(super) struct Parser {
    /// `None` where the first line says no known version.
    times: Option<Times>,
    started: bool,
    clock: ElapsedTime,
    /// Microseconds that the waits so far took.
    waited_us: u64,
    volumes: Volumes,
}

impl Parser {
    /// The version is told by the first bytes.
    pub(super) fn new(head: &[u8]) -> Parser {
        let waits = || {
            let mut lines = head.split(|&byte| byte == b'\n' || byte == b'\r');
            lines.any(|line| words(line).nth(1) == Some(b"wait"))
        };
        let times = accepts(head).then(|| match head.starts_with(V3) {
            true => Times::Stamps,
            false if waits() => Times::Waits,
            false => Times::None,
        });
        let (clock, volumes) = (ElapsedTime::default(), Volumes::default());
        Parser { times, started: false, clock, waited_us: 0, volumes }
    }
}

impl LineFormat for Parser {
    fn unit(&self) -> Unit {
        Unit::Byte
    }

    fn timed(&self) -> bool {
        matches!(self.times, Some(Times::Stamps | Times::Waits))
    }

    fn request(&mut self, line: &[u8]) -> Result<Holds, String> {
        let version = "the first line \"fio version 2 iolog\" or \"fio version 3 iolog\"";
        let Some(times) = self.times else {
            self.started = true;
            return Err(format!("found {}, expected {version}", shown(line)));
        };
        if !std::mem::replace(&mut self.started, true) {
            // What follows the version on its line is not looked at by fio either.
            return Ok(HEADER);
        }
        let mut words = words(line).peekable();
        if words.peek().is_none() {
            return Ok(EMPTY);
        }
        let time = match times {
            Times::Stamps => number(words.next(), "timestamp")?,
            Times::Waits | Times::None => self.waited_us,
        };
        let file = words.next().ok_or_else(|| expected(None, "file", "the name of a file"))?;
        let action = words.next();
        let write = match action {
            Some(b"read") => false,
            Some(b"write") => true,
            Some(b"add" | b"open" | b"close") => return Ok(Holds::Other("add, open and close")),
            Some(b"sync" | b"datasync" | b"trim") => return Ok(Holds::Other("sync, datasync and trim")),
            Some(b"wait") => return self.wait(times, words.next()),
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
        Ok(Holds::Request(Request { at_ns, volume, write, address, length }))
    }

    fn end(&mut self) -> Result<(), String> {
        if self.started {
            Ok(())
        } else {
            Err("found nothing, expected the line \"fio version 3 iolog\"".to_owned())
        }
    }
}

impl Parser {
    /// Lets time pass, where lines have no times of their own.
    fn wait(&mut self, times: Times, microseconds: Option<&[u8]>) -> Result<Holds, String> {
        match times {
            Times::Stamps => Ok(Holds::Other("wait, ignored because lines have times")),
            Times::None => Ok(Holds::Other("wait, ignored because the first 64 KiB have none")),
            Times::Waits => {
                let us = number(microseconds, "microseconds to wait")?;
                self.waited_us = self.waited_us.checked_add(us).ok_or_else(|| {
                    format!("microseconds to wait: found {us}, expected 584 years in all at most")
                })?;
                Ok(Holds::Other("wait, which adds to the time"))
            }
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
