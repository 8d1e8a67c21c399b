//! The value of a setting.

use std::fmt;

use serde::{Serialize, Serializer};

/// What a key is set to. [`Display`](fmt::Display) is the plain form; each syntax writes sizes and times its
/// own way.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A number: a count, a rate, a ratio.
    Number(f64),
    /// A size.
    Bytes(u64),
    /// A time, seconds.
    Seconds(f64),
    /// A word: `fdatasync`, `on`.
    Word(String),
}

impl Value {
    /// A word.
    pub fn word(word: impl Into<String>) -> Self {
        Value::Word(word.into())
    }

    /// The number, in the value's unit: bytes, seconds, or none. `None` for words.
    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Number(number) | Value::Seconds(number) => Some(*number),
            Value::Bytes(bytes) => Some(*bytes as f64),
            Value::Word(_) => None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // The shortest that reads back as the same number: 32, 1.1.
            Value::Number(number) | Value::Seconds(number) => write!(f, "{number}"),
            Value::Bytes(bytes) => write!(f, "{bytes}"),
            Value::Word(word) => f.write_str(word),
        }
    }
}

/// Numbers as numbers, words as text.
impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Number(number) | Value::Seconds(number) if number.fract() != 0.0 => {
                serializer.serialize_f64(*number)
            }
            Value::Number(number) | Value::Seconds(number) => serializer.serialize_i64(*number as i64),
            Value::Bytes(bytes) => serializer.serialize_u64(*bytes),
            Value::Word(word) => serializer.serialize_str(word),
        }
    }
}
