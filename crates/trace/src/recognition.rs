//! How a trace's format was told, and by what.

use serde::Serialize;

/// What told the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RecognizedBy {
    /// The caller named it.
    Name,
    /// The ending of the file's name.
    Ending,
    /// A mark at the beginning of the file.
    Mark,
    /// The lines or records themselves.
    Content,
}

/// The format that a trace is read in, and the evidence for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Recognition {
    /// The name of the format.
    pub format: &'static str,
    /// What told it.
    pub by: RecognizedBy,
    /// Lines or records at the beginning of the file that were looked at; 0 where there was no need.
    pub looked_at: u64,
    /// Lines among them that fit this format.
    pub fitting: u64,
    /// What decided, in words.
    pub evidence: String,
}

impl Recognition {
    /// The format and what told it.
    pub fn words(&self) -> String {
        let Recognition { format, evidence, .. } = self;
        format!("{format}: {evidence}")
    }
}
