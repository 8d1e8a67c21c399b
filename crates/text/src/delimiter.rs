//! What stands between two columns.

use std::fmt;
use std::str::FromStr;

/// What stands between two columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delimiter {
    /// Blanks and tabs, any number of them.
    Blanks,
    /// This one byte.
    Byte(u8),
}

impl Delimiter {
    /// The delimiters that are recognised, likeliest last.
    pub const KNOWN: [Delimiter; 5] = [
        Delimiter::Byte(b'\t'),
        Delimiter::Byte(b','),
        Delimiter::Byte(b';'),
        Delimiter::Byte(b'|'),
        Delimiter::Blanks,
    ];

    /// What an option must say to choose it.
    pub fn option_value(self) -> String {
        match self {
            Delimiter::Blanks => "blanks".to_owned(),
            Delimiter::Byte(b'\t') => "tab".to_owned(),
            Delimiter::Byte(b' ') => "space".to_owned(),
            Delimiter::Byte(byte) => format!("'{}'", char::from(byte)),
        }
    }
}

impl fmt::Display for Delimiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Delimiter::Blanks => f.pad("blanks"),
            Delimiter::Byte(b'\t') => f.pad("tab"),
            Delimiter::Byte(b' ') => f.pad("space"),
            Delimiter::Byte(b',') => f.pad("comma"),
            Delimiter::Byte(b';') => f.pad("semicolon"),
            Delimiter::Byte(b'|') => f.pad("bar"),
            Delimiter::Byte(byte) => f.pad(&char::from(*byte).to_string()),
        }
    }
}

impl FromStr for Delimiter {
    type Err = String;

    /// A name (`blanks`, `tab`, `space`, `comma`, `semicolon`, `bar`) or the character itself.
    fn from_str(text: &str) -> Result<Delimiter, String> {
        Ok(match text {
            "blanks" | "whitespace" => Delimiter::Blanks,
            "tab" | "\\t" => Delimiter::Byte(b'\t'),
            "space" => Delimiter::Byte(b' '),
            "comma" => Delimiter::Byte(b','),
            "semicolon" => Delimiter::Byte(b';'),
            "bar" | "pipe" => Delimiter::Byte(b'|'),
            _ => match text.as_bytes() {
                [byte @ (b' '..=b'~' | b'\t')] if !byte.is_ascii_alphanumeric() && *byte != b'"' => {
                    Delimiter::Byte(*byte)
                }
                _ => {
                    let names = "must be blanks, tab, space, comma, semicolon, bar or one character";
                    return Err(format!("{names} that is neither a letter, a digit nor a quote"));
                }
            },
        })
    }
}
