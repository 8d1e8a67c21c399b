//! What a user says about a file of columns.

use std::fmt;
use std::str::FromStr;

use crate::Delimiter;

/// What a user says about a file; all that is not said is told from the file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TextOptions {
    /// What separates columns.
    pub delimiter: Option<Delimiter>,
    /// Whether the first line (behind those skipped and comments) names the columns.
    pub header: Option<bool>,
    /// Lines at the beginning that are passed over, whatever they hold.
    pub skip: u64,
    /// What a comment begins with.
    pub comment: Option<Comment>,
}

/// Which lines are comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comment {
    /// None.
    None,
    /// Lines that begin with this byte.
    Byte(u8),
}

impl Comment {
    /// What begins comments where nothing is said.
    pub const USUAL: [u8; 2] = [b'#', b'%'];
}

impl fmt::Display for Comment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Comment::None => f.pad("none"),
            Comment::Byte(byte) => f.pad(&char::from(*byte).to_string()),
        }
    }
}

impl FromStr for Comment {
    type Err = String;

    fn from_str(text: &str) -> Result<Comment, String> {
        match text.as_bytes() {
            b"none" => Ok(Comment::None),
            [byte @ b'!'..=b'~'] if !byte.is_ascii_digit() => Ok(Comment::Byte(*byte)),
            _ => Err("must be none or one character that is not a digit".to_owned()),
        }
    }
}
