//! What the text of a value means (src/backend/utils/misc/guc.c: `parse_int`, `parse_real`).

use super::PAGE;
use crate::{Setting, Value};

/// Units of memory and of time (section "Parameter Names and Values"), the largest first; they are
/// case-sensitive.
const BYTES: [(&str, f64); 5] =
    [("TB", 1099511627776.0), ("GB", 1073741824.0), ("MB", 1048576.0), ("kB", 1024.0), ("B", 1.0)];
const SECONDS: [(&str, f64); 6] =
    [("d", 86400.0), ("h", 3600.0), ("min", 60.0), ("s", 1.0), ("ms", 1e-3), ("us", 1e-6)];

/// Numbers that may have a fraction; all others are rounded.
const REALS: [&str; 4] =
    ["random_page_cost", "seq_page_cost", "checkpoint_completion_target", "bgwriter_lru_multiplier"];

/// What a value means: plain numbers are in the unit of the key.
pub(super) fn value(setting: &Setting, text: &str) -> Option<Value> {
    match setting.value {
        Value::Number(_) if REALS.contains(&setting.key) => real(text).map(Value::Number),
        Value::Number(_) => integer(text, 1.0, &[]).map(Value::Number),
        Value::Bytes(_) => {
            let unit = if setting.key == "max_wal_size" { 1048576.0 } else { f64::from(PAGE) };
            bytes(text, unit).filter(|bytes| *bytes >= 0.0).map(|bytes| Value::Bytes(bytes as u64))
        }
        Value::Seconds(_) => {
            let unit = if setting.key == "checkpoint_timeout" { 1.0 } else { 1e-3 };
            integer(text, unit, &SECONDS).filter(|seconds| *seconds >= 0.0).map(Value::Seconds)
        }
        Value::Word(_) => Some(Value::word(text)),
    }
}

/// Bytes of a size, in whole units of that many.
pub(super) fn bytes(text: &str, unit: f64) -> Option<f64> {
    integer(text, unit, &BYTES)
}

/// An integer, in whole units of a key; `units` are the names that may follow it, the largest first.
fn integer(text: &str, unit: f64, units: &[(&str, f64)]) -> Option<f64> {
    let text = text.trim_start_matches(is_space);
    let (number, rest) =
        whole(text).filter(|(_, rest)| !rest.starts_with(['.', 'e', 'E'])).or_else(|| decimal(text))?;
    let name = rest.trim_matches(is_space);
    let number = match name {
        "" => number,
        _ => {
            let at = units.iter().position(|(known, _)| *known == name)?;
            let scaled = number * units[at].1 / unit;
            // A fraction counts in whole units of the next smaller kind.
            match units.get(at + 1) {
                Some((_, smaller)) => (scaled / (smaller / unit)).round_ties_even() * (smaller / unit),
                None => scaled,
            }
        }
    };
    let rounded = number.round_ties_even();
    let fits = (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&rounded);
    fits.then_some(rounded * unit)
}

/// A number that may have a fraction.
fn real(text: &str) -> Option<f64> {
    let text = text.trim_start_matches(is_space);
    let (number, rest) = decimal(text)?;
    rest.trim_matches(is_space).is_empty().then_some(number)
}

/// As C's `isspace`.
fn is_space(c: char) -> bool {
    c.is_ascii_whitespace() || c == '\u{b}'
}

/// The integer at the beginning, hexadecimal after 0x and octal after 0, and what follows it.
fn whole(text: &str) -> Option<(f64, &str)> {
    let (sign, unsigned) = signed(text);
    let hex = unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X"));
    let hex = hex.filter(|digits| digits.starts_with(|c: char| c.is_ascii_hexdigit()));
    let (radix, digits) = match (hex, unsigned.starts_with('0')) {
        (Some(digits), _) => (16, digits),
        (None, true) => (8, unsigned),
        (None, false) => (10, unsigned),
    };
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let number = i64::from_str_radix(&digits[..end], radix).ok()?;
    Some((sign * number as f64, &digits[end..]))
}

/// The number at the beginning, as C's `strtod` takes it, and what follows it.
fn decimal(text: &str) -> Option<(f64, &str)> {
    let (sign, unsigned) = signed(text);
    if unsigned.starts_with("0x") || unsigned.starts_with("0X") {
        return whole(text);
    }
    let digits = |from: usize| unsigned[from..].bytes().take_while(u8::is_ascii_digit).count();
    let mut end = digits(0);
    if unsigned[end..].starts_with('.') {
        end += 1 + digits(end + 1);
    }
    if unsigned[end..].starts_with(['e', 'E']) {
        let from = end + 1 + usize::from(unsigned[end + 1..].starts_with(['+', '-']));
        end = if digits(from) > 0 { from + digits(from) } else { end };
    }
    let number: f64 = unsigned[..end].parse().ok()?;
    number.is_finite().then_some((sign * number, &unsigned[end..]))
}

fn signed(text: &str) -> (f64, &str) {
    match (text.strip_prefix('-'), text.strip_prefix('+')) {
        (Some(rest), _) => (-1.0, rest),
        (_, Some(rest)) => (1.0, rest),
        _ => (1.0, text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_hexadecimal_octal_and_rounded() {
        let number = |text| integer(text, 1.0, &[]);
        for (text, value) in [
            ("0x80", 128.0),
            ("010", 8.0),
            ("1.5", 2.0),
            ("2.5", 2.0),
            ("-5", -5.0),
            (" 7 ", 7.0),
            ("1e3", 1000.0),
        ] {
            assert_eq!(number(text), Some(value), "{text}");
        }
        for text in ["", "09", "nan", "inf", "3000000000", "1kB", "x", "0x", "1e", "--1"] {
            assert_eq!(number(text), None, "{text}");
        }
    }

    #[test]
    fn sizes_are_in_whole_units_of_the_key() {
        let pages = |text| bytes(text, 8192.0).map(|bytes| bytes / 8192.0);
        for (text, value) in [
            ("16", 16.0),
            ("128kB", 16.0),
            ("100kB", 12.0),
            ("1.5GB", 196_608.0),
            ("1 MB", 128.0),
            ("0x10MB", 2048.0),
            ("30.1GB", 3_945_216.0),
            ("8192B", 1.0),
        ] {
            assert_eq!(pages(text), Some(value), "{text}");
        }
        for text in ["1KB", "1mb", "1 M", "1MB x", "MB"] {
            assert_eq!(pages(text), None, "{text}");
        }
        assert_eq!(integer("5min", 1.0, &SECONDS), Some(300.0));
        assert_eq!(integer("200", 1e-3, &SECONDS), Some(0.2));
        assert_eq!(integer("0.5d", 1.0, &SECONDS), Some(43_200.0));
    }

    #[test]
    fn reals_are_decimal() {
        assert_eq!(real("010"), Some(10.0));
        assert_eq!(real("1.1"), Some(1.1));
        assert_eq!(real("1e-1"), Some(0.1));
        assert_eq!(real("nan"), None);
        assert_eq!(real("1 page"), None);
    }
}
