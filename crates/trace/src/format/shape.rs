//! What the fields of a format lie within, to tell one format from another: that a line can be read is thin
//! evidence where all of it is numbers.

use super::fields::{commas, parse_u64, shown, words};

/// No request to a block device is larger, bytes.
pub(super) const BLOCK_MAX: u64 = 1 << 30;

/// Times that go back by less are those of clocks that differ and of requests that overtake each other.
const BACK_NS: f64 = 60e9;

/// What parts fields.
#[derive(Debug, Clone, Copy)]
pub(super) enum Separator {
    Commas,
    Spaces,
}

/// What one field lies within.
#[derive(Debug, Clone, Copy)]
pub(super) enum Field {
    /// Whatever the reader takes.
    Any,
    /// A whole number from the first to the second.
    Number(u64, u64),
    /// A multiple of 512.
    Sectors,
    /// A time in units of that many nanoseconds, with or without decimals, that does not go back by much.
    Time(u64),
    /// Whole seconds of a clock, from September 2001 on, that do not go back by much.
    UnixSeconds,
    /// One more than on the line before.
    CountsUp,
    /// That many hexadecimal digits.
    Hex(usize),
}

/// The fields of a line, from its beginning.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) separator: Separator,
    /// Their names and ranges.
    pub(super) fields: &'static [(&'static str, Field)],
    /// Whether nothing but numbers tells this format from others: then nearly every line has to fit.
    pub(super) numbers_only: bool,
}

/// Compares lines with a shape, one after the other.
pub(super) struct Comparison {
    shape: &'static Shape,
    latest_ns: f64,
    count: Option<u64>,
}

impl Comparison {
    pub(super) fn with(shape: &'static Shape) -> Comparison {
        Comparison { shape, latest_ns: 0.0, count: None }
    }

    /// What of this line lies outside.
    pub(super) fn line(&mut self, line: &[u8]) -> Result<(), String> {
        match self.shape.separator {
            Separator::Commas => self.fields(commas(line)),
            Separator::Spaces => self.fields(words(line)),
        }
    }

    /// Whether a time is not before the latest by much.
    fn goes_on(&mut self, ns: f64) -> bool {
        let goes_on = ns + BACK_NS >= self.latest_ns;
        self.latest_ns = self.latest_ns.max(ns);
        goes_on
    }

    fn fields<'a>(&mut self, mut found: impl Iterator<Item = &'a [u8]>) -> Result<(), String> {
        for &(name, field) in self.shape.fields {
            let text = found.next().unwrap_or_default();
            let outside = |expected: String| format!("{name}: found {}, expected {expected}", shown(text));
            match field {
                Field::Any => {}
                Field::Number(least, most) => match parse_u64(text) {
                    Some(value) if (least..=most).contains(&value) => {}
                    _ if least == most => return Err(outside(least.to_string())),
                    _ => return Err(outside(format!("a number from {least} to {most}"))),
                },
                Field::Sectors => match parse_u64(text) {
                    Some(value) if value.is_multiple_of(512) => {}
                    _ => return Err(outside("a multiple of 512".to_owned())),
                },
                Field::Time(unit_ns) => {
                    let time = std::str::from_utf8(text).ok().and_then(|text| text.parse::<f64>().ok());
                    if !self.goes_on(time.unwrap_or(0.0) * unit_ns as f64) {
                        return Err(outside("a time at most a minute before the latest".to_owned()));
                    }
                }
                Field::UnixSeconds => match parse_u64(text) {
                    Some(time @ 1_000_000_000..=4_294_967_295) if self.goes_on(time as f64 * 1e9) => {}
                    _ => return Err(outside("seconds since 1970 that do not go back".to_owned())),
                },
                Field::CountsUp => {
                    let value = parse_u64(text);
                    let before = std::mem::replace(&mut self.count, value);
                    if let Some(before) = before
                        && value != before.checked_add(1)
                    {
                        return Err(outside(format!("{}, one more than on the line above", before + 1)));
                    }
                }
                Field::Hex(digits) => {
                    if text.len() != digits || !text.iter().all(u8::is_ascii_hexdigit) {
                        return Err(outside(format!("{digits} hexadecimal digits")));
                    }
                }
            }
        }
        Ok(())
    }
}
