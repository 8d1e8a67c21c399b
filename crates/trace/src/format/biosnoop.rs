//! `biosnoop`: what the tool of this name prints, of bcc and of libbpf-tools.
//!
//! `TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)`, which the header says: seconds, the program, its process,
//! a disk (a volume), the kind (`R`, `W`, or RWBS), first sector of 512 bytes, bytes, and columns that are
//! not used. Times are completion times. Source: biosnoop(8) of bcc.

use super::block_event::{DISCARDS, NO_DATA};
use super::fields::{ElapsedTime, Volumes, expected, extent, number, seconds, sectors, shown, words};
use super::reader::{EMPTY, HEADER, Holds, LineFormat};
use crate::{Request, Unit};

/// Most words of a line that are looked at; a program's name has a few at most.
const WORDS_MAX: usize = 32;

/// Columns counted from the end of the line, because a program's name may have spaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Columns {
    disk: usize,
    kind: usize,
    sector: usize,
    bytes: usize,
    /// Those behind the program's name.
    behind_name: usize,
}

/// Of a file without a header.
const WITHOUT_HEADER: Columns = Columns { disk: 5, kind: 4, sector: 3, bytes: 2, behind_name: 6 };

impl Columns {
    /// As this header says; `None` where it is none.
    fn of(line: &[u8]) -> Option<Columns> {
        let mut columns = words(line).take(WORDS_MAX).collect::<Vec<_>>();
        columns.reverse();
        let place = |name: &[u8]| columns.iter().position(|column| *column == name).map(|at| at + 1);
        columns.last().filter(|first| **first == b"TIME(s)")?;
        Some(Columns {
            disk: place(b"DISK")?,
            kind: place(b"T")?,
            sector: place(b"SECTOR")?,
            bytes: place(b"BYTES")?,
            behind_name: place(b"COMM")? - 1,
        })
    }
}

/// Whether a header of this format is among the first lines.
pub(super) fn accepts(head: &[u8]) -> bool {
    header(head).is_some()
}

fn header(head: &[u8]) -> Option<Columns> {
    head.split(|&byte| byte == b'\n' || byte == b'\r').take(10).find_map(Columns::of)
}

pub(super) struct Parser {
    /// Whether a header is still to come.
    before_header: bool,
    columns: Columns,
    clock: ElapsedTime,
    volumes: Volumes,
}

impl Parser {
    /// The header is among the first bytes.
    pub(super) fn new(head: &[u8]) -> Parser {
        let columns = header(head);
        Parser {
            before_header: columns.is_some(),
            columns: columns.unwrap_or(WITHOUT_HEADER),
            clock: ElapsedTime::default(),
            volumes: Volumes::default(),
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
        if line.trim_ascii().is_empty() {
            return Ok(EMPTY);
        }
        if Columns::of(line).is_some() {
            self.before_header = false;
            return Ok(HEADER);
        }
        if self.before_header {
            return Ok(Holds::Other("lines before the header"));
        }
        let mut found: [&[u8]; WORDS_MAX] = [b""; WORDS_MAX];
        let mut count = 0;
        for (place, word) in found.iter_mut().zip(words(line)) {
            *place = word;
            count += 1;
        }
        let Columns { disk, kind, sector, bytes, behind_name } = self.columns;
        if count < behind_name + 1 {
            let line = shown(line.trim_ascii());
            return Err(format!("found {line}, expected {} columns as in the header", behind_name + 2));
        }
        let column = |from_end: usize| found[count - from_end];
        let time_ns = seconds(Some(found[0]), "TIME(s)")?;
        let length = number(Some(column(bytes)), "BYTES")?;
        let kind = column(kind);
        let write = match kind {
            _ if kind.is_empty() || !kind.iter().all(u8::is_ascii_uppercase) => {
                return Err(expected(Some(kind), "T", "the kind of request, such as R or W"));
            }
            _ if kind.contains(&b'D') => return Ok(Holds::Other(DISCARDS)),
            _ if length == 0 || !kind.iter().any(|letter| b"RW".contains(letter)) => {
                return Ok(Holds::Other(NO_DATA));
            }
            _ => kind.contains(&b'W'),
        };
        let first = number(Some(column(sector)), "SECTOR")?;
        let (address, length) = extent(sectors(first, "SECTOR")?, length)?;
        let volume = self.volumes.number(column(disk))?;
        let at_ns = self.clock.at(time_ns, 1)?;
        Ok(Holds::Request(Request { at_ns, volume, write, address, length }))
    }
}
