//! What a file of columns looks like.

use std::borrow::Cow;

use crate::header::{self, Header, column_kind};
use crate::reading::{Reading, choose};
use crate::row::{Row, split};
use crate::{
    Comment, Delimiter, Hint, Kind, Line, LineEnd, Sample, TextOption, TextOptions, Undecided, shown,
};

/// What a file of columns looks like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dialect {
    /// What ends lines.
    pub line_end: LineEnd,
    /// Whether the file begins with a byte order mark.
    pub byte_order_mark: bool,
    /// What separates columns.
    pub delimiter: Delimiter,
    /// Columns of each line; 0 where there is no line to tell them from.
    pub columns: usize,
    /// The names of columns, where the first line names them.
    pub header: Option<Vec<String>>,
    /// What shows that there is a header or none.
    pub header_evidence: &'static str,
    /// What comments begin with; where nothing was said, `#` and `%`.
    pub comment: Option<Comment>,
    /// Lines before the first that holds values: those skipped, comments, blank ones and the header.
    pub lines_before: u64,
    /// What the columns hold, as far as was looked.
    pub kinds: Vec<Kind>,
    /// Lines with values that were looked at.
    pub looked_at: usize,
    /// The fields of the first line with values.
    pub first: Vec<String>,
}

impl Dialect {
    /// Tells it from the first lines of a file and what its user says.
    ///
    /// # Errors
    /// Where there are two readings, or none.
    pub fn detect(sample: &Sample<'_>, hint: &Hint, options: &TextOptions) -> Result<Dialect, Undecided> {
        let skipped = |line: &&Line<'_>| line.number > options.skip && !is_blank(line.text);
        let lines: Vec<Line<'_>> = sample.lines.iter().filter(skipped).copied().collect();
        let (comments, values): (Vec<Line<'_>>, Vec<Line<'_>>) =
            lines.into_iter().partition(|line| is_comment(line.text, options.comment));
        let reading = choose(&values, hint, options)?;
        check_comments(&comments, &reading, hint, options)?;
        let header = match options.header {
            Some(there) => Header { there, evidence: "as was said" },
            None => header::detect(&reading.rows, hint, values.first().map_or(1, |line| line.number))?,
        };
        let there = header.there && !values.is_empty();
        if there && options.header.is_none() {
            check_below(&reading.rows, &values)?;
        }
        let rows = &reading.rows[usize::from(there)..];
        let before = match values.get(usize::from(there)) {
            Some(line) => line.number - 1,
            None => sample.lines.last().map_or(0, |line| line.number),
        };
        Ok(Dialect {
            line_end: sample.line_end,
            byte_order_mark: sample.byte_order_mark,
            delimiter: reading.delimiter,
            columns: reading.columns,
            header: there.then(|| texts(&reading.rows[0])),
            header_evidence: header.evidence,
            comment: options.comment,
            lines_before: before,
            kinds: (0..reading.columns).map(|column| column_kind(rows, column)).collect(),
            looked_at: rows.len(),
            first: rows.first().map(texts).unwrap_or_default(),
        })
    }

    /// The fields of each line of a sample that holds values, and the line's number. The sample begins behind
    /// the lines before the first of them.
    pub fn rows<'b>(&self, sample: &Sample<'b>) -> Vec<(u64, Vec<Cow<'b, [u8]>>)> {
        let values = |line: &&Line<'_>| !is_blank(line.text) && !self.is_comment(line.text);
        let fields = |line: &Line<'b>| Some((line.number, split(line.text, self.delimiter).ok()?));
        sample.lines.iter().filter(values).filter_map(fields).collect()
    }

    /// Whether a line is a comment.
    pub fn is_comment(&self, line: &[u8]) -> bool {
        is_comment(line, self.comment)
    }
}

fn texts(row: &Row<'_>) -> Vec<String> {
    row.iter().map(|field| String::from_utf8_lossy(field).into_owned()).collect()
}

fn is_blank(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
}

fn is_comment(line: &[u8], comment: Option<Comment>) -> bool {
    match (comment, line.first()) {
        (_, None) | (Some(Comment::None), _) => false,
        (Some(Comment::Byte(byte)), Some(first)) => *first == byte,
        (None, Some(first)) => Comment::USUAL.contains(first),
    }
}

/// What is below a header is a second one, or a line that was drawn, where it is unlike all that follow.
fn check_below(rows: &[Row<'_>], lines: &[Line<'_>]) -> Result<(), Undecided> {
    let [_, below, rest @ ..] = rows else { return Ok(()) };
    let is_drawn = |field: &Cow<'_, [u8]>| {
        field.len() > 1 && field.iter().all(|byte| matches!(byte, b'-' | b'=' | b'_' | b'+' | b':'))
    };
    let is_name_over_numbers = |column: usize| {
        Kind::of(&below[column]) == Kind::Text && rest.len() > 1 && column_kind(rest, column).is_numeric()
    };
    let what = if below.iter().all(is_drawn) {
        "is a line drawn under the names of columns"
    } else if (0..below.len()).any(is_name_over_numbers) {
        "has names where all lines below it have numbers, and comes after a header"
    } else {
        return Ok(());
    };
    let line = lines[1].number;
    let text = format!("{} {what}; pass over these lines (skip {line}, header no)", shown(lines[1].text));
    Err(Undecided::refused(line, text))
}

/// A line that begins as a comment and looks like all others may be one of them: a name may begin with `#`.
fn check_comments(
    comments: &[Line<'_>],
    reading: &Reading<'_>,
    hint: &Hint,
    options: &TextOptions,
) -> Result<(), Undecided> {
    // Where names are numbers, none begins so.
    let numbers = !reading.rows.is_empty() && reading.has_numbers(hint.keys);
    if options.comment.is_some() || numbers {
        return Ok(());
    }
    let delimiter = if reading.rows.is_empty() { hint.delimiter } else { reading.delimiter };
    let looks_like_values = |line: &&Line<'_>| {
        let fields = split(line.text, delimiter).unwrap_or_default();
        let columns =
            if reading.rows.is_empty() { fields.len().max(hint.least_columns) } else { reading.columns };
        let known = fields
            .iter()
            .filter(|name| (hint.known)(String::from_utf8_lossy(name).trim_start_matches(['#', '%'])))
            .count();
        fields.len() == columns && known < hint.keys.min(2) && could_be_a_name(line.text)
    };
    match comments.iter().find(looks_like_values) {
        None => Ok(()),
        Some(line) => {
            let first = char::from(line.text[0]);
            let what = format!("{} may be a comment, or a name that begins with {first}", shown(line.text));
            let values = vec!["none".to_owned(), format!("'{first}'")];
            Err(Undecided::between(line.number, what, TextOption::Comment, values))
        }
    }
}

/// Whether a line that begins with `#` or `%` may hold a name that begins so: no name goes on with a blank,
/// or with what begins scripts (`#!`) and titles (`##`).
pub fn could_be_a_name(line: &[u8]) -> bool {
    line.get(1).is_some_and(|second| !second.is_ascii_whitespace() && !b"#%!/=-*".contains(second))
}
