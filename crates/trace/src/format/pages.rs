//! `pages`: a line a request, `R` or `W` and the number of a page, such as `R 15`.
//!
//! The format of the traces of Papon and Athanassoulis, "ACEing the Bufferpool Management Paradigm for Modern
//! Storage Devices", ICDE 2023. Leadline adds a third number where a request is for several pages in a row
//! (`R 15 4`), empty lines and comments behind `#`.

use std::io::Write as _;

use super::fields::{expected, extent, number, parse_u64, shown, words};
use super::reader::{COMMENT, EMPTY, Holds, LineFormat};
use crate::write::Encode;
use crate::{Request, Unit};

pub(super) struct Parser;

impl LineFormat for Parser {
    fn unit(&self) -> Unit {
        Unit::Page
    }

    fn request(&mut self, line: &[u8]) -> Result<Holds, String> {
        // Nearly all lines are so, and there are hundreds of millions of them.
        if let [letter @ (b'R' | b'W'), b' ', digits @ ..] = line
            && let Some(address) = parse_u64(digits)
        {
            return Ok(Holds::Request(Request {
                at_ns: 0,
                volume: 0,
                write: *letter == b'W',
                address,
                length: 1,
            }));
        }
        let text = line.iter().position(|&byte| byte == b'#').map_or(line, |comment| &line[..comment]);
        let mut words = words(text);
        let write = match words.next() {
            None if line.trim_ascii().is_empty() => return Ok(EMPTY),
            None => return Ok(COMMENT),
            Some(b"R" | b"r") => false,
            Some(b"W" | b"w") => true,
            Some(other) => return Err(format!("found {}, expected R or W, such as R 15", shown(other))),
        };
        let page = number(words.next(), "page")?;
        let count = match words.next() {
            None => 1,
            Some(count) => number(Some(count), "number of pages")?,
        };
        if let Some(more) = words.next() {
            return Err(expected(Some(more), "behind the number of pages", "the end of the line"));
        }
        let (address, length) = extent(page, count)?;
        Ok(Holds::Request(Request { at_ns: 0, volume: 0, write, address, length }))
    }
}

pub(super) struct Encoder;

impl Encode for Encoder {
    fn unit(&self) -> Unit {
        Unit::Page
    }

    fn keeps_times(&self) -> bool {
        false
    }

    fn request(&mut self, request: &Request, out: &mut Vec<u8>) -> Result<(), String> {
        let letter = if request.write { 'W' } else { 'R' };
        // Writing to memory does not fail.
        let _ = match request.length {
            1 => writeln!(out, "{letter} {}", request.address),
            length => writeln!(out, "{letter} {} {length}", request.address),
        };
        Ok(())
    }
}
