//! Fields of lines and records: numbers, times, volumes. None of them trusts what it reads.

use std::collections::HashMap;

use crate::reuse::place;

/// Bytes of a sector, in the formats that count in them.
pub(super) const SECTOR_BYTES: u64 = 512;

/// Most volumes of a trace, and the longest name of one: what is remembered of a trace is bounded.
const VOLUMES_MAX: usize = 1 << 16;
const VOLUME_NAME_MAX: usize = 256;

/// What was found, short enough for a message.
pub(super) fn shown(found: &[u8]) -> String {
    const MOST: usize = 40;
    match found.len() {
        0..=MOST => format!("\"{}\"", found.escape_ascii()),
        _ => format!("\"{}...\"", found[..MOST].escape_ascii()),
    }
}

/// The words of a line, parted by spaces and tabs.
pub(super) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// The fields of a CSV line without quotes, spaces round them taken off.
pub(super) fn commas(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|&byte| byte == b',').map(<[u8]>::trim_ascii)
}

/// A whole number in decimal, `None` for anything else and for 2^64 and beyond.
#[inline]
pub(super) fn parse_u64(field: &[u8]) -> Option<u64> {
    if field.is_empty() {
        return None;
    }
    // 19 digits fit whatever they are.
    if field.len() <= 19 {
        let mut value = 0;
        for &byte in field {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                return None;
            }
            value = value * 10 + u64::from(digit);
        }
        return Some(value);
    }
    field.iter().try_fold(0u64, |value, &byte| {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 { None } else { value.checked_mul(10)?.checked_add(u64::from(digit)) }
    })
}

/// [`parse_u64`] of the field called `what`.
#[inline]
pub(super) fn number(field: Option<&[u8]>, what: &str) -> Result<u64, String> {
    match field.and_then(parse_u64) {
        Some(value) => Ok(value),
        None => Err(no_number(field, what)),
    }
}

#[cold]
fn no_number(field: Option<&[u8]>, what: &str) -> String {
    expected(field, what, "a whole number from 0 to 18446744073709551615")
}

/// The message for a field called `what` that is missing or not what it ought to be.
#[cold]
pub(super) fn expected(field: Option<&[u8]>, what: &str, expected: &str) -> String {
    match field {
        Some(field) => format!("{what}: found {}, expected {expected}", shown(field)),
        None => format!("{what}: found the end of the line, expected {expected}"),
    }
}

/// Seconds with a decimal point, as nanoseconds; digits beyond the ninth are cut off. No sign, no exponent,
/// no NaN.
pub(super) fn seconds(field: Option<&[u8]>, what: &str) -> Result<u64, String> {
    let parse = || -> Option<u64> {
        let field = field?;
        let point = field.iter().position(|&byte| byte == b'.').unwrap_or(field.len());
        let whole = parse_u64(&field[..point])?;
        let decimals = field.get(point + 1..).unwrap_or(b"");
        if !decimals.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let nanos =
            (0..9).fold(0, |nanos, i| nanos * 10 + decimals.get(i).map_or(0, |&byte| u64::from(byte - b'0')));
        whole.checked_mul(1_000_000_000)?.checked_add(nanos)
    };
    parse().ok_or_else(|| expected(field, what, "seconds such as 12.345678, below 1.8e10"))
}

/// `count` sectors in bytes.
pub(super) fn sectors(count: u64, what: &str) -> Result<u64, String> {
    count
        .checked_mul(SECTOR_BYTES)
        .ok_or_else(|| format!("{what}: found sector {count}, expected one below 2^55 (2^64 bytes)"))
}

/// Checks a request's place: `length` from 1 to 2^32 - 1, its last page or byte below 2^64.
#[inline]
pub(super) fn extent(address: u64, length: u64) -> Result<(u64, u32), String> {
    match u32::try_from(length) {
        Ok(short) if short > 0 && address.checked_add(length - 1).is_some() => Ok((address, short)),
        _ => Err(bad_extent(address, length)),
    }
}

#[cold]
fn bad_extent(address: u64, length: u64) -> String {
    match length {
        0 => "size: found 0, expected at least 1".to_owned(),
        _ if length > u64::from(u32::MAX) => {
            format!("size: found {length}, expected at most {} per request", u32::MAX)
        }
        _ => format!("address: found {address} with a size of {length}, expected an end below 2^64"),
    }
}

/// The number of an object that is called `name`: a name that is a number as it would be written is that
/// number, any other is hashed, so that no table of names is kept. Among 10^8 names two share a number with a
/// probability of 3 in 10,000.
pub(super) fn object(name: &[u8]) -> u64 {
    let plain = name.first() != Some(&b'0') || name.len() == 1;
    match parse_u64(name).filter(|_| plain) {
        Some(number) => number,
        None => name.chunks(8).fold(place(name.len() as u64), |hash, chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            place(hash ^ u64::from_le_bytes(word))
        }),
    }
}

/// Bytes of an object.
pub(super) fn object_bytes(bytes: u64) -> Result<u32, String> {
    u32::try_from(bytes).map_err(|_| format!("size: found {bytes}, expected at most {} per object", u32::MAX))
}

/// Turns the file's times into nanoseconds since the first request.
#[derive(Debug, Default)]
pub(super) struct ElapsedTime {
    first: Option<u64>,
    last: u64,
}

impl ElapsedTime {
    /// Nanoseconds of `time`, in units of `unit_ns`, since the first one asked for. A time before the latest
    /// so far is taken for that one: traces are in the order of their requests, and their clocks were set
    /// back or several.
    #[inline]
    pub(super) fn at(&mut self, time: u64, unit_ns: u64) -> Result<u64, String> {
        let first = *self.first.get_or_insert(time);
        let since = time.saturating_sub(first);
        let at = since.checked_mul(unit_ns).ok_or_else(|| {
            format!("time: found {time}, expected one within 584 years of the first, {first}")
        })?;
        self.last = self.last.max(at);
        Ok(self.last)
    }
}

/// Numbers volumes in the order they appear.
#[derive(Debug, Default)]
pub(super) struct Volumes {
    numbers: HashMap<Box<[u8]>, u32>,
    /// The one asked for last, which is mostly the one asked for next.
    last_name: Vec<u8>,
    last: u32,
}

impl Volumes {
    pub(super) fn number(&mut self, name: &[u8]) -> Result<u32, String> {
        // No volume's name is empty.
        if !name.is_empty() && self.last_name == name {
            return Ok(self.last);
        }
        let number = match self.numbers.get(name) {
            Some(&number) => number,
            None => self.add(name)?,
        };
        self.last_name.clear();
        self.last_name.extend_from_slice(name);
        self.last = number;
        Ok(number)
    }

    fn add(&mut self, name: &[u8]) -> Result<u32, String> {
        if name.is_empty() || name.len() > VOLUME_NAME_MAX {
            return Err(format!(
                "volume: found {}, expected a name of 1 to {VOLUME_NAME_MAX} bytes",
                shown(name)
            ));
        }
        if self.numbers.len() >= VOLUMES_MAX {
            return Err(format!(
                "volume: found {} as volume {}, expected at most {VOLUMES_MAX} volumes",
                shown(name),
                VOLUMES_MAX + 1
            ));
        }
        let number = self.numbers.len() as u32;
        self.numbers.insert(name.into(), number);
        Ok(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_end_at_two_to_the_64() {
        assert_eq!(parse_u64(b"18446744073709551615"), Some(u64::MAX));
        assert_eq!(parse_u64(b"00000000000000000000000000000000000007"), Some(7));
        assert_eq!(parse_u64(b"9999999999999999999"), Some(9_999_999_999_999_999_999));
        for bad in [
            "",
            "18446744073709551616",
            "99999999999999999999999",
            "-1",
            "+1",
            "1.0",
            "1e3",
            "0x1",
            " 1",
            "\u{663}",
        ] {
            assert_eq!(parse_u64(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn seconds_are_exact_and_finite() {
        for (text, ns) in [
            ("0", 0),
            ("1.5", 1_500_000_000),
            ("0.026214", 26_214_000),
            ("0.1234567899", 123_456_789),
            ("5.", 5_000_000_000),
            ("18446744073.709551615", u64::MAX),
        ] {
            assert_eq!(seconds(Some(text.as_bytes()), "t"), Ok(ns), "{text}");
        }
        for bad in [
            "",
            ".5",
            "-1",
            "nan",
            "inf",
            "1e5",
            "1.2.3",
            "1.-2",
            "18446744073.709551616",
            "99999999999999999999",
        ] {
            assert!(seconds(Some(bad.as_bytes()), "t").is_err(), "{bad}");
        }
    }

    #[test]
    fn a_number_is_its_own_object_and_names_have_numbers_of_their_own() {
        assert_eq!([object(b"0"), object(b"17"), object(b"18446744073709551615")], [0, 17, u64::MAX]);
        let names = ["a", "b", "007", "7", "", "a\0", "aaaaaaaab", "aaaaaaaac", "baaaaaaaa"];
        let numbers: std::collections::HashSet<u64> = names.iter().map(|n| object(n.as_bytes())).collect();
        assert_eq!(numbers.len(), names.len());
    }

    #[test]
    fn requests_end_below_two_to_the_64() {
        assert_eq!(extent(u64::MAX, 1), Ok((u64::MAX, 1)));
        assert!(extent(u64::MAX, 2).is_err());
        assert!(extent(0, 0).is_err());
        assert_eq!(extent(0, u64::from(u32::MAX)), Ok((0, u32::MAX)));
        assert!(extent(0, 1 << 32).is_err());
        assert!(sectors(1 << 55, "s").is_err());
    }

    #[test]
    fn a_clock_that_goes_back_stands_still() {
        let mut clock = ElapsedTime::default();
        let times = [1000, 1005, 1002, 900, 1006].map(|time| clock.at(time, 100).unwrap());
        assert_eq!(times, [0, 500, 500, 500, 600]);
        assert!(clock.at(u64::MAX, 100).is_err());
        assert_eq!(clock.at(1007, 100), Ok(700), "one bad time does not move the clock");
    }

    #[test]
    fn volumes_are_numbered_as_they_appear_and_bounded() {
        let mut volumes = Volumes::default();
        let numbers = ["b", "a", "b", "c", "a"].map(|name| volumes.number(name.as_bytes()).unwrap());
        assert_eq!(numbers, [0, 1, 0, 2, 1]);
        assert!(volumes.number(&[b'x'; 300]).is_err());
        assert!(volumes.number(b"").is_err());
        for i in 3..VOLUMES_MAX as u32 {
            assert_eq!(volumes.number(&i.to_le_bytes()), Ok(i));
        }
        assert!(volumes.number(b"one more").is_err());
        assert_eq!(volumes.number(b"c"), Ok(2));
    }
}
