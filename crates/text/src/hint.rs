//! What is known of a file before it is looked at.

use crate::Delimiter;

/// What is known of a file before it is looked at.
#[derive(Debug, Clone, Copy)]
pub struct Hint {
    /// What separates columns in files that are called so.
    pub delimiter: Delimiter,
    /// Whether the name says it clearly (`.csv`): it is taken wherever it fits and nothing reads better.
    pub delimiter_is_certain: bool,
    /// Whether the format has headers at all.
    pub may_have_header: bool,
    /// Columns that a file has at least.
    pub least_columns: usize,
    /// The first that many columns hold things of one kind, which is what the file is about: 2 of edges.
    pub keys: usize,
    /// Whether a name is one that columns of such files have.
    pub known: fn(&str) -> bool,
}

impl Default for Hint {
    /// Two columns at least, between commas perhaps, with or without a header.
    fn default() -> Hint {
        Hint {
            delimiter: Delimiter::Byte(b','),
            delimiter_is_certain: false,
            may_have_header: true,
            least_columns: 2,
            keys: 2,
            known: |_| false,
        }
    }
}
