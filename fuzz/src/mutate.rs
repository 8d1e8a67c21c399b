//! What becomes of an input: some edits, chosen by proptest, which also finds the fewest of them that still
//! fail.

use std::ops::Range;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Numbers at which readers go wrong, as text.
const NUMBERS: &[&str] = &[
    "0",
    "-1",
    "1",
    "255",
    "65536",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "0.1",
    "-0",
    "1e-320",
    "1e308",
    "1e999",
    "NaN",
    "inf",
    "999999999999999999999999999999",
];

/// The same in binary.
const BINARY: &[u64] = &[
    0,
    1,
    2,
    0x7f,
    0x80,
    0xff,
    0xffff,
    0x1_0000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    u64::MAX - 4095,
    u64::MAX,
];

/// No input grows beyond this, however often parts of it are repeated.
const MOST_BYTES: usize = 1 << 20;

/// Parts of this size begin with what tells most of them; edits of binary inputs prefer their first bytes.
const PAGE: usize = 4096;

/// One change.
#[derive(Debug, Clone)]
pub(crate) enum Edit {
    Flip {
        at: Index,
        bit: u8,
    },
    Set {
        at: Index,
        value: u8,
    },
    Insert {
        at: Index,
        bytes: Vec<u8>,
    },
    Remove {
        at: Index,
        bytes: usize,
    },
    Repeat {
        from: Index,
        bytes: usize,
        times: usize,
    },
    Truncate {
        at: Index,
    },
    /// The text of a number near `at`, replaced.
    Number {
        at: Index,
        number: &'static str,
    },
    /// One of the target's words, inserted.
    Word {
        at: Index,
        word: Index,
    },
    /// One of the target's words in place of a value.
    Replace {
        value: Index,
        word: Index,
    },
    /// A value in place of another of its kind: the input stays well-formed, but means something else.
    Copy {
        from: Index,
        to: Index,
    },
    /// A line taken away, and put elsewhere some times.
    Line {
        from: Index,
        to: Index,
        times: usize,
    },
    /// A little-endian number in the first bytes of a page.
    Binary {
        page: Index,
        offset: usize,
        width: usize,
        value: u64,
    },
    /// A little-endian number made larger or smaller by a little.
    Nudge {
        page: Index,
        offset: usize,
        by: i8,
    },
}

/// An input: which seed, and what becomes of it.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    seed: Index,
    edits: Vec<Edit>,
}

/// Plans for inputs of text or of binary numbers.
pub(crate) fn plans(binary: bool) -> impl Strategy<Value = Plan> {
    let any_index = any::<Index>;
    let (of_text, of_binary) = if binary { (1, 8) } else { (6, 1) };
    let value = prop_oneof![select(BINARY), any::<u64>()];
    let edit = prop_oneof![
        2 => (any_index(), 0..8u8).prop_map(|(at, bit)| Edit::Flip { at, bit }),
        1 => (any_index(), any::<u8>()).prop_map(|(at, value)| Edit::Set { at, value }),
        1 => (any_index(), vec(any::<u8>(), 1..9)).prop_map(|(at, bytes)| Edit::Insert { at, bytes }),
        1 => (any_index(), 1..64usize).prop_map(|(at, bytes)| Edit::Remove { at, bytes }),
        1 => (any_index(), 1..64usize, 1..40usize)
            .prop_map(|(from, bytes, times)| Edit::Repeat { from, bytes, times }),
        1 => any_index().prop_map(|at| Edit::Truncate { at }),
        of_text => (any_index(), select(NUMBERS)).prop_map(|(at, number)| Edit::Number { at, number }),
        of_text => (any_index(), any_index()).prop_map(|(at, word)| Edit::Word { at, word }),
        of_text => (any_index(), any_index()).prop_map(|(value, word)| Edit::Replace { value, word }),
        2 * of_text => (any_index(), any_index()).prop_map(|(from, to)| Edit::Copy { from, to }),
        of_text => (any_index(), any_index(), 0..3usize)
            .prop_map(|(from, to, times)| Edit::Line { from, to, times }),
        of_binary => (any_index(), 0..192usize, select(&[1usize, 2, 4, 8][..]), value)
            .prop_map(|(page, offset, width, value)| Edit::Binary { page, offset, width, value }),
        of_binary => (any_index(), 0..512usize, -4..=4i8)
            .prop_map(|(page, offset, by)| Edit::Nudge { page, offset, by }),
    ];
    // Most have one edit: few inputs of a strict format survive several.
    let edits = prop_oneof![2 => vec(edit.clone(), 1), 1 => vec(edit, 2..5)];
    (any_index(), edits).prop_map(|(seed, edits)| Plan { seed, edits })
}

impl Plan {
    /// The mutated input.
    pub(crate) fn apply(&self, seeds: &[Vec<u8>], words: &[&str]) -> Vec<u8> {
        let mut input = self.seed.get(seeds).clone();
        for edit in &self.edits {
            edit.apply(&mut input, words);
            input.truncate(MOST_BYTES);
        }
        input
    }
}

impl Edit {
    fn apply(&self, input: &mut Vec<u8>, words: &[&str]) {
        let length = input.len();
        if length == 0 {
            return;
        }
        match self {
            Edit::Flip { at, bit } => input[at.index(length)] ^= 1 << bit,
            Edit::Set { at, value } => input[at.index(length)] = *value,
            Edit::Insert { at, bytes } => put(input, at.index(length), 0, bytes),
            Edit::Remove { at, bytes } => put(input, at.index(length), *bytes, &[]),
            Edit::Repeat { from, bytes, times } => {
                let from = from.index(length);
                let part = input[from..(from + bytes).min(length)].repeat(*times);
                put(input, from, 0, &part);
            }
            Edit::Truncate { at } => input.truncate(at.index(length)),
            Edit::Number { at, number } => {
                let (at, bytes) = number_near(input, at.index(length));
                put(input, at, bytes, number.as_bytes());
            }
            Edit::Word { at, word } => {
                if !words.is_empty() {
                    put(input, at.index(length), 0, word.get(words).as_bytes());
                }
            }
            Edit::Replace { value, word } => {
                let values = values(input);
                if !values.is_empty() && !words.is_empty() {
                    let value = value.get(&values);
                    put(input, value.start, value.len(), word.get(words).as_bytes());
                }
            }
            Edit::Copy { from, to } => copy(input, from, to),
            Edit::Line { from, to, times } => {
                let from = line_start(input, from.index(length));
                let bytes =
                    input[from..].iter().position(|&b| b == b'\n').map_or(length - from, |end| end + 1);
                let line: Vec<u8> = input.drain(from..from + bytes).collect();
                let to = if input.is_empty() { 0 } else { line_start(input, to.index(input.len())) };
                put(input, to, 0, &line.repeat(*times));
            }
            Edit::Binary { page, offset, width, value } => {
                let at = place(page, *offset, length);
                let end = (at + width).min(length);
                input[at..end].copy_from_slice(&value.to_le_bytes()[..end - at]);
            }
            Edit::Nudge { page, offset, by } => {
                let at = place(page, *offset, length);
                input[at] = input[at].wrapping_add_signed(*by);
            }
        }
    }
}

/// Replaces some bytes from `at` on.
fn put(input: &mut Vec<u8>, at: usize, remove: usize, bytes: &[u8]) {
    let end = (at + remove).min(input.len());
    input.splice(at..end, bytes.iter().copied());
}

/// Puts a value in place of another one of its kind: a number, a quoted text or a word.
fn copy(input: &mut Vec<u8>, from: &Index, to: &Index) {
    let mut values = values(input);
    if values.is_empty() {
        return;
    }
    let kind = |value: &Range<usize>| match input[value.start] {
        b'"' | b'\'' => 0,
        b'0'..=b'9' | b'+' | b'-' | b'.' => 1,
        _ => 2,
    };
    let to = to.get(&values).clone();
    values.retain(|value| kind(value) == kind(&to));
    let value = input[from.get(&values).clone()].to_vec();
    put(input, to.start, to.len(), &value);
}

/// Where the values of a text are: what is quoted, and what stands between blanks and punctuation.
fn values(input: &[u8]) -> Vec<Range<usize>> {
    let mut values = Vec::new();
    let mut at = 0;
    while let Some(&byte) = input.get(at) {
        let rest = &input[at + 1..];
        let length = match byte {
            b'"' | b'\'' => 1 + rest.iter().position(|b| *b == byte).map_or(rest.len(), |end| end + 1),
            _ if between(byte) => 0,
            _ => 1 + rest.iter().position(|b| between(*b)).unwrap_or(rest.len()),
        };
        if length > 0 {
            values.push(at..at + length);
        }
        at += length.max(1);
    }
    values
}

fn between(byte: u8) -> bool {
    byte.is_ascii_whitespace() || b",:;=[]{}".contains(&byte)
}

/// Where a page begins that is chosen by chance, and `offset` more.
fn place(page: &Index, offset: usize, length: usize) -> usize {
    (page.index(length.div_ceil(PAGE)) * PAGE + offset) % length
}

/// The first run of digits from `at` on, or before where there is none: its place and length.
fn number_near(input: &[u8], at: usize) -> (usize, usize) {
    let digit = |b: &u8| b.is_ascii_digit();
    let found = input[at..].iter().position(digit).map(|i| at + i);
    let Some(mut start) = found.or_else(|| input[..at].iter().rposition(digit)) else { return (at, 0) };
    while start > 0 && digit(&input[start - 1]) {
        start -= 1;
    }
    (start, input[start..].iter().take_while(|b| digit(b)).count())
}

/// The first byte of the line that `at` is in.
fn line_start(input: &[u8], at: usize) -> usize {
    input[..at].iter().rposition(|&b| b == b'\n').map_or(0, |end| end + 1)
}
