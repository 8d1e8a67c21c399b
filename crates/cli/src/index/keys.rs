//! Keys and values as people write them, and as bytes.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::printable::drives;

/// What keys are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyType {
    /// The bytes of a text.
    Text,
    /// A number, as 8 bytes that sort as numbers do: the highest first.
    Integer,
    /// Bytes, each as two digits.
    Hex,
}

/// What values are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueType {
    Text,
    Hex,
}

/// How keys and values are written, where they are given and where they are printed.
#[derive(Debug, Clone, Copy, clap::Args)]
#[command(next_help_heading = "Keys and values")]
pub(super) struct TypeArgs {
    /// Keys are text, integer (0 to 18446744073709551615, which sort as numbers) or hex (bytes) [default:
    /// text, unless all keys given could be integers]
    #[arg(long, value_name = "text|integer|hex", value_parser = key_type)]
    key_type: Option<KeyType>,
    /// Values are text or hex (bytes)
    #[arg(long, value_name = "text|hex", value_parser = value_type, default_value = "text")]
    value_type: ValueType,
    /// A backslash in text begins an escape (\t \n \r \\ \xNN): yes or no [default: text with a backslash is
    /// refused]
    #[arg(long, value_name = "YES|NO", value_parser = crate::text_args::yes_or_no)]
    escapes: Option<bool>,
}

fn key_type(text: &str) -> Result<KeyType, String> {
    match text {
        "text" => Ok(KeyType::Text),
        "integer" => Ok(KeyType::Integer),
        "hex" => Ok(KeyType::Hex),
        _ => Err("must be text, integer or hex".to_owned()),
    }
}

fn value_type(text: &str) -> Result<ValueType, String> {
    match text {
        "text" => Ok(ValueType::Text),
        "hex" => Ok(ValueType::Hex),
        _ => Err("must be text or hex".to_owned()),
    }
}

impl TypeArgs {
    /// Of text in which backslashes begin escapes, as `scan` prints it.
    pub(super) fn as_scanned(self) -> TypeArgs {
        TypeArgs { escapes: self.escapes.or(Some(true)), ..self }
    }

    /// In words: `text`, `integers`, `hex`.
    pub(super) fn words(self) -> (&'static str, &'static str) {
        let keys = match self.key_type {
            None | Some(KeyType::Text) => "text",
            Some(KeyType::Integer) => "integer",
            Some(KeyType::Hex) => "hex",
        };
        (keys, if self.value_type == ValueType::Text { "text" } else { "hex" })
    }

    /// Refuses keys all of which could be integers as well as text, where nothing says what they are.
    pub(super) fn check_decided<'k>(self, keys: impl Iterator<Item = &'k [u8]>) -> Result<(), String> {
        let mut keys = keys.peekable();
        let first = match keys.peek() {
            Some(first) if self.key_type.is_none() => String::from_utf8_lossy(first).into_owned(),
            _ => return Ok(()),
        };
        match keys.all(is_integer) {
            true => Err(format!(
                "the key {first} may be text or an integer, which sort in different orders; say --key-type \
                 text or --key-type integer"
            )),
            false => Ok(()),
        }
    }

    /// The bytes of a key.
    pub(super) fn key(self, written: &[u8]) -> Result<Vec<u8>, String> {
        match self.key_type {
            Some(KeyType::Integer) => integer(written).map(|number| number.to_be_bytes().to_vec()),
            Some(KeyType::Hex) => bytes_of_hex(written),
            None | Some(KeyType::Text) => self.text(written),
        }
    }

    /// The bytes of a value.
    pub(super) fn value(self, written: &[u8]) -> Result<Vec<u8>, String> {
        match self.value_type {
            ValueType::Text => self.text(written),
            ValueType::Hex => bytes_of_hex(written),
        }
    }

    fn text(self, written: &[u8]) -> Result<Vec<u8>, String> {
        match self.escapes {
            _ if !written.contains(&b'\\') => Ok(written.to_vec()),
            Some(false) => Ok(written.to_vec()),
            Some(true) => unescaped(written),
            None => Err(format!(
                "the backslash in {} may stand for itself or begin an escape; say --escapes no or --escapes \
                 yes",
                leadline_text::shown(written)
            )),
        }
    }

    /// A line for an entry, as `load --scanned` reads it.
    pub(super) fn line(self, key: &[u8], value: &[u8], out: &mut String) -> Result<(), String> {
        match self.key_type {
            Some(KeyType::Integer) => {
                // Writing to a string does not fail.
                let _ = write!(out, "{}", integer_of(key)?);
            }
            Some(KeyType::Hex) => hex(key, out),
            None | Some(KeyType::Text) => escaped(key, out),
        }
        out.push('\t');
        match self.value_type {
            ValueType::Text => escaped(value, out),
            ValueType::Hex => hex(value, out),
        }
        out.push('\n');
        Ok(())
    }

    /// A key as one word of a message.
    pub(super) fn shown(self, key: &[u8]) -> String {
        let mut out = String::new();
        match self.key_type {
            Some(KeyType::Integer) => out = integer_of(key).map_or_else(|_| String::new(), |n| n.to_string()),
            Some(KeyType::Hex) => hex(key, &mut out),
            None | Some(KeyType::Text) => escaped(key, &mut out),
        }
        if out.is_empty() { "(the empty key)".to_owned() } else { out }
    }

    /// An entry as a JSON object: `key` and `value`, or `key_hex` and `value_hex` for bytes that are no text;
    /// no value where the key is not there.
    pub(super) fn object(self, key: &[u8], value: Option<&[u8]>) -> Result<Value, String> {
        let mut entry = Map::new();
        match self.key_type {
            Some(KeyType::Integer) => drop(entry.insert("key".to_owned(), integer_of(key)?.into())),
            how => put(&mut entry, "key", key, how == Some(KeyType::Hex)),
        }
        match value {
            Some(value) => put(&mut entry, "value", value, self.value_type == ValueType::Hex),
            None => drop(entry.insert("value".to_owned(), Value::Null)),
        }
        Ok(Value::Object(entry))
    }

    /// Whether keys are numbers, of which none is the beginning of another.
    pub(super) fn has_integer_keys(self) -> bool {
        self.key_type == Some(KeyType::Integer)
    }
}

/// Bytes as a text where they are one and nothing else is wanted.
fn put(entry: &mut Map<String, Value>, name: &str, bytes: &[u8], as_hex: bool) {
    match std::str::from_utf8(bytes) {
        Ok(text) if !as_hex => drop(entry.insert(name.to_owned(), text.into())),
        _ => {
            let mut digits = String::new();
            hex(bytes, &mut digits);
            entry.insert(format!("{name}_hex"), digits.into());
        }
    }
}

/// A number as it is printed: no sign, no zeros before it.
fn integer(written: &[u8]) -> Result<u64, String> {
    let is_plain = written.first().is_some_and(|first| *first != b'0' || written.len() == 1)
        && written.iter().all(u8::is_ascii_digit);
    let number = std::str::from_utf8(written).ok().filter(|_| is_plain).and_then(|text| text.parse().ok());
    number.ok_or_else(|| {
        let shown = leadline_text::shown(written);
        format!("the key {shown} is no integer from 0 to 18446744073709551615 (--key-type integer)")
    })
}

/// Whether a key may be meant as a number.
pub(super) fn is_integer(written: &[u8]) -> bool {
    integer(written).is_ok()
}

fn integer_of(key: &[u8]) -> Result<u64, String> {
    let bytes: [u8; 8] = key.try_into().map_err(|_| {
        let mut shown = String::new();
        escaped(key, &mut shown);
        format!("the key {shown} has {} bytes, and integers have 8; say --key-type text or hex", key.len())
    })?;
    Ok(u64::from_be_bytes(bytes))
}

fn bytes_of_hex(written: &[u8]) -> Result<Vec<u8>, String> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let pairs = written.chunks_exact(2);
    let is_odd = !pairs.remainder().is_empty();
    let bytes: Option<Vec<u8>> = pairs.map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?)).collect();
    bytes.filter(|_| !is_odd).ok_or_else(|| {
        let shown = leadline_text::shown(written);
        format!("{shown} is not hex: two digits (0 to 9, a to f) for each byte, without 0x")
    })
}

fn hex(bytes: &[u8], out: &mut String) {
    for byte in bytes {
        // Writing to a string does not fail.
        let _ = write!(out, "{byte:02x}");
    }
}

/// A text of one line without tabs: what is not, and what drives a terminal, as escapes.
fn escaped(bytes: &[u8], out: &mut String) {
    let escape_all = |bytes: &[u8], out: &mut String| {
        for byte in bytes {
            let _ = write!(out, "\\x{byte:02x}");
        }
    };
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\\' => out.push_str("\\\\"),
                '\t' => out.push_str("\\t"),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                c if drives(c) => escape_all(c.encode_utf8(&mut [0; 4]).as_bytes(), out),
                c => out.push(c),
            }
        }
        escape_all(chunk.invalid(), out);
    }
}

fn unescaped(written: &[u8]) -> Result<Vec<u8>, String> {
    let refused = |what: &str| {
        let shown = leadline_text::shown(written);
        format!("{what} in {shown}: escapes are \\t \\n \\r \\\\ and \\xNN (--escapes no if it is none)")
    };
    let mut bytes = Vec::with_capacity(written.len());
    let mut rest = written;
    while let Some(at) = rest.iter().position(|byte| *byte == b'\\') {
        bytes.extend_from_slice(&rest[..at]);
        let (byte, length) = match rest.get(at + 1) {
            Some(b't') => (b'\t', 2),
            Some(b'n') => (b'\n', 2),
            Some(b'r') => (b'\r', 2),
            Some(b'\\') => (b'\\', 2),
            Some(b'x') => {
                let digits = rest.get(at + 2..at + 4).ok_or_else(|| refused("\\x without two digits"))?;
                let byte = bytes_of_hex(digits).map_err(|_| refused("\\x without two digits"))?;
                (byte[0], 4)
            }
            _ => return Err(refused("a backslash that begins no escape")),
        };
        bytes.push(byte);
        rest = &rest[at + length..];
    }
    bytes.extend_from_slice(rest);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn types(key_type: Option<KeyType>, value_type: ValueType, escapes: Option<bool>) -> TypeArgs {
        TypeArgs { key_type, value_type, escapes }
    }

    #[test]
    fn every_entry_is_read_back_from_its_line() {
        let all: Vec<u8> = (0..=255).collect();
        let texts: [&[u8]; 6] = [b"", b" a ", &all, "\u{202e}\u{1f980}\\".as_bytes(), b"\\x41", b"a\tb\r\n"];
        for keys in [KeyType::Text, KeyType::Hex] {
            for values in [ValueType::Text, ValueType::Hex] {
                let types = types(Some(keys), values, None).as_scanned();
                for key in texts {
                    let mut line = String::new();
                    types.line(key, &all, &mut line).unwrap();
                    assert_eq!(line, crate::printable::lines(&line), "printed as it is");
                    let (written, value) = line.strip_suffix('\n').unwrap().split_once('\t').unwrap();
                    assert_eq!(types.key(written.as_bytes()).unwrap(), key);
                    assert_eq!(types.value(value.as_bytes()).unwrap(), all);
                }
            }
        }
        let types = types(Some(KeyType::Integer), ValueType::Text, None);
        for number in [0, 9, 10, u64::MAX] {
            let key = types.key(number.to_string().as_bytes()).unwrap();
            let mut line = String::new();
            types.line(&key, b"v", &mut line).unwrap();
            assert_eq!((key, line), (number.to_be_bytes().to_vec(), format!("{number}\tv\n")));
        }
    }

    #[test]
    fn what_can_be_read_in_two_ways_is_refused_with_the_options() {
        let open = types(None, ValueType::Text, None);
        let said = open.key(br"C:\new").unwrap_err();
        assert!(said.contains("--escapes no or --escapes yes"), "{said}");
        assert_eq!(types(None, ValueType::Text, Some(false)).key(br"C:\new").unwrap(), br"C:\new");
        assert_eq!(types(None, ValueType::Text, Some(true)).key(br"C:\new").unwrap(), b"C:\new");
        let said = open.check_decided([&b"7"[..], b"12"].into_iter()).unwrap_err();
        assert!(said.contains("--key-type text or --key-type integer"), "{said}");
        for decided in [&[&b"7"[..], b"x"][..], &[b"007"], &[b"-1"], &[b""], &[]] {
            open.check_decided(decided.iter().copied()).unwrap();
        }
    }

    #[test]
    fn what_is_no_key_is_refused() {
        let key = |how, text: &[u8]| types(Some(how), ValueType::Text, Some(true)).key(text).unwrap_err();
        for text in [&b"-1"[..], b"01", b"18446744073709551616", b"", b"1.5", b" 1"] {
            assert!(key(KeyType::Integer, text).contains("is no integer"), "{text:?}");
        }
        for text in [&b"0"[..], b"0x41", b"4g", b"4 "] {
            assert!(key(KeyType::Hex, text).contains("is not hex"), "{text:?}");
        }
        for text in [&br"\"[..], br"\q", br"\x4", br"\xgg"] {
            assert!(key(KeyType::Text, text).contains("escapes are"), "{text:?}");
        }
        let said = types(Some(KeyType::Integer), ValueType::Text, None).line(b"abc", b"", &mut String::new());
        assert!(said.unwrap_err().contains("3 bytes"));
    }
}
