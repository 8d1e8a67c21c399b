//! `arc`: the traces of the ARC paper, files ending in `.lis`.
//!
//! Four numbers per line: first block, number of blocks, a field that is not used, number of the request.
//! Blocks count as pages, requests as reads; there is no time. Source: Megiddo and Modha, "ARC: A
//! Self-Tuning, Low Overhead Replacement Cache", FAST 2003, and the README of its traces.

use super::fields::{expected, extent, number, words};
use super::reader::{EMPTY, Holds, LineFormat};
use super::shape::{Field, Separator, Shape};
use crate::{Request, Unit};

/// The third field is 0 and the fourth counts the lines, which sets these numbers apart from others.
pub(super) const SHAPE: Shape = Shape {
    separator: Separator::Spaces,
    fields: &[
        ("first block", Field::Number(0, 1 << 48)),
        ("number of blocks", Field::Number(1, 1 << 20)),
        ("third field", Field::Number(0, 0)),
        ("number of the request", Field::CountsUp),
    ],
    numbers_only: true,
};

pub(super) struct Parser;

impl LineFormat for Parser {
    fn unit(&self) -> Unit {
        Unit::Page
    }

    fn request(&mut self, line: &[u8]) -> Result<Holds, String> {
        let mut words = words(line);
        let Some(first) = words.next() else { return Ok(EMPTY) };
        let first = number(Some(first), "first block")?;
        let count = number(words.next(), "number of blocks")?;
        number(words.next(), "third field")?;
        number(words.next(), "number of the request")?;
        if let Some(more) = words.next() {
            return Err(expected(Some(more), "behind the number of the request", "the end of the line"));
        }
        let (address, length) = extent(first, count)?;
        Ok(Holds::Request(Request { at_ns: 0, volume: 0, write: false, address, length }))
    }
}
