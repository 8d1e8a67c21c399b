//! How an input was understood, for its user to check.

use std::fmt;

use leadline_text::{Delimiter, LineEnd};
use serde::Serialize;

use super::{Batch, EdgeReader, Format};

/// How an input was understood. Nothing of it changes how edges are read; it says what was decided, and why.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct InputSummary {
    /// The format, as the option for it has it.
    pub format: String,
    /// What told the format: the file's name, what is in it, or who reads it.
    pub format_told_by: &'static str,
    /// Of text in columns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<TextSummary>,
    /// `numbers` or `strings`.
    pub ids: &'static str,
    /// Lines that hold no edge.
    pub lines_skipped: SkippedLines,
    /// The columns that were read, by name or, from 1, by number; none where the format has none.
    pub columns_read: Vec<String>,
    /// The columns that were not read.
    pub columns_ignored: Vec<String>,
    /// The first edge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_edge: Option<FirstEdge>,
    /// What else its user should know.
    pub notes: Vec<String>,
}

impl InputSummary {
    pub(super) fn of(format: Format, format_told_by: &'static str) -> InputSummary {
        InputSummary { format: format.to_string(), format_told_by, ids: "numbers", ..InputSummary::default() }
    }

    /// The same, told by something else.
    pub(super) fn told(self, format_told_by: &'static str) -> InputSummary {
        InputSummary { format_told_by, ..self }
    }
}

/// What a text in columns looks like.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TextSummary {
    /// What separates columns.
    pub delimiter: String,
    /// What ends lines: LF, CRLF or CR.
    pub line_ends: String,
    /// Whether it begins with a byte order mark.
    pub byte_order_mark: bool,
    /// Whether its first line names the columns.
    pub header: bool,
    /// What shows it.
    pub header_evidence: &'static str,
}

impl TextSummary {
    pub(super) fn new(
        delimiter: Delimiter,
        line_end: LineEnd,
        byte_order_mark: bool,
        header: (bool, &'static str),
    ) -> TextSummary {
        TextSummary {
            delimiter: delimiter.to_string(),
            line_ends: line_end.to_string(),
            byte_order_mark,
            header: header.0,
            header_evidence: header.1,
        }
    }
}

/// Lines that hold no edge, by why.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct SkippedLines {
    /// At the beginning, since an option says so.
    pub skipped: u64,
    /// With nothing in them.
    pub blank: u64,
    /// That are comments.
    pub comments: u64,
    /// That name the columns.
    pub header: u64,
}

impl fmt::Display for SkippedLines {
    /// `none`, or how many of each.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = [
            (self.skipped, "passed over as asked"),
            (self.blank, "blank"),
            (self.comments, if self.comments == 1 { "comment" } else { "comments" }),
            (self.header, "header"),
        ];
        let some: Vec<String> = all
            .iter()
            .filter(|(lines, _)| *lines > 0)
            .map(|(lines, what)| format!("{lines} {what}"))
            .collect();
        f.write_str(&if some.is_empty() { "none".to_owned() } else { some.join(", ") })
    }
}

/// An edge in its user's ids.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FirstEdge {
    /// Where it begins.
    pub source: String,
    /// Where it ends.
    pub target: String,
    /// Its weight, where weights are read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
}

impl FirstEdge {
    /// One edge of a batch that `reader` gave.
    pub(crate) fn of(reader: &dyn EdgeReader, batch: &Batch, at: usize) -> Option<FirstEdge> {
        let (source, target) = *batch.pairs.get(at)?;
        let id = |number: u64| reader.string(number).map_or_else(|| number.to_string(), str::to_owned);
        Some(FirstEdge { source: id(source), target: id(target), weight: batch.weights.get(at).copied() })
    }
}

impl fmt::Display for FirstEdge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} -> {}", self.source, self.target)?;
        match self.weight {
            Some(weight) => write!(f, ", weight {weight}"),
            None => Ok(()),
        }
    }
}
