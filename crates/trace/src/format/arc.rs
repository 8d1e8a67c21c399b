//! `arc`: the traces of the ARC paper, files ending in `.lis`.
//!
//! Four numbers per line: first block, number of blocks, a field that is not used, number of the request.
//! Blocks count as pages, requests as reads; there is no time. Source: Megiddo and Modha, "ARC: A
//! Self-Tuning, Low Overhead Replacement Cache", FAST 2003, and the README of its traces.

use super::fields::{expected, extent, number, words};
use super::reader::LineFormat;
use crate::{Request, Unit};

pub(super) struct Parser;

impl LineFormat for Parser {
    fn unit(&self) -> Unit {
        Unit::Page
    }

    fn request(&mut self, line: &[u8]) -> Result<Option<Request>, String> {
        let mut words = words(line);
        let Some(first) = words.next() else { return Ok(None) };
        let first = number(Some(first), "first block")?;
        let count = number(words.next(), "number of blocks")?;
        number(words.next(), "third field")?;
        number(words.next(), "number of the request")?;
        if let Some(more) = words.next() {
            return Err(expected(Some(more), "behind the number of the request", "the end of the line"));
        }
        let (address, length) = extent(first, count)?;
        Ok(Some(Request { at_ns: 0, volume: 0, write: false, address, length }))
    }
}
