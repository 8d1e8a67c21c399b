//! What separates columns.

use crate::header::column_kind;
use crate::row::{Row, split};
use crate::{Delimiter, Hint, Kind, Line, TextOption, TextOptions, Undecided, shown};

/// The lines of a sample, split in one way.
#[derive(Debug, Clone)]
pub(crate) struct Reading<'b> {
    pub(crate) delimiter: Delimiter,
    /// Of each row.
    pub(crate) columns: usize,
    pub(crate) rows: Vec<Row<'b>>,
}

impl Reading<'_> {
    /// Whether what the file is about has whole numbers, the first line apart, which may be a header.
    pub(crate) fn has_numbers(&self, keys: usize) -> bool {
        let rows = if self.rows.len() > 1 { &self.rows[1..] } else { &self.rows[..] };
        (0..keys.min(self.columns)).all(|column| column_kind(rows, column) == Kind::Integer)
    }

    fn same_keys(&self, other: &Reading<'_>, keys: usize) -> bool {
        let keys = keys.min(self.columns).min(other.columns);
        self.rows.iter().zip(&other.rows).all(|(own, other)| own[..keys] == other[..keys])
    }

    /// Blanks separate columns that have delimiters of their own: `1, 2`.
    fn has_delimiters_left(&self) -> bool {
        let ends = |row: &Row<'_>| {
            row.first().is_some_and(|field| {
                field.len() > 1 && field.last().is_some_and(|last| b",;|".contains(last))
            })
        };
        self.delimiter == Delimiter::Blanks && !self.rows.is_empty() && self.rows.iter().all(ends)
    }
}

/// Why lines cannot be split in one way.
enum Unfit {
    /// Too few columns in a line.
    Few,
    /// Another number of columns than in the first line.
    Ragged { line: u64, columns: usize, found: usize },
    /// A quote without an end.
    Quote { line: u64, what: String },
}

/// The way to split the lines that fits.
///
/// # Errors
/// Where none fits or several do.
pub(crate) fn choose<'b>(
    lines: &[Line<'b>],
    hint: &Hint,
    options: &TextOptions,
) -> Result<Reading<'b>, Undecided> {
    if lines.is_empty() {
        let delimiter = options.delimiter.unwrap_or(hint.delimiter);
        return Ok(Reading { delimiter, columns: 0, rows: Vec::new() });
    }
    if let Some(delimiter) = options.delimiter {
        return read(lines, delimiter, hint.least_columns)
            .map_err(|unfit| refused(unfit, lines, (delimiter, true), hint));
    }
    let read_as = |delimiter| read(lines, delimiter, hint.least_columns.max(2));
    let fitting: Vec<Reading<'_>> = Delimiter::KNOWN
        .into_iter()
        .chain((!Delimiter::KNOWN.contains(&hint.delimiter)).then_some(hint.delimiter))
        .filter_map(|delimiter| read_as(delimiter).ok())
        .filter(|reading| !reading.has_delimiters_left())
        .collect();
    if fitting.is_empty() {
        // One column is enough for some, and no delimiter is needed then.
        return read(lines, hint.delimiter, hint.least_columns)
            .map_err(|unfit| refused(unfit, lines, (hint.delimiter, false), hint));
    }
    best(fitting, hint, lines[0].number)
}

fn best<'b>(fitting: Vec<Reading<'b>>, hint: &Hint, line: u64) -> Result<Reading<'b>, Undecided> {
    let with_numbers = |reading: &&Reading<'_>| reading.has_numbers(hint.keys);
    let usual = fitting.iter().find(|reading| reading.delimiter == hint.delimiter);
    let numbers: Vec<&Reading<'_>> = fitting.iter().filter(with_numbers).collect();
    let usual_is_good =
        usual.is_some_and(|usual| with_numbers(&usual) || numbers.is_empty() && hint.delimiter_is_certain);
    let candidates = if numbers.is_empty() { fitting.iter().collect() } else { numbers };
    let first = match usual {
        Some(usual) if usual_is_good || candidates.iter().any(|other| std::ptr::eq(*other, usual)) => usual,
        _ => candidates[0],
    };
    // A name that says commas clearly is right about lines with blanks in them, but says nothing about lines
    // that semicolons split as well: `ann;bob;0,5`.
    let is_rival = |other: &&&Reading<'_>| {
        let splits_as_well =
            other.delimiter != Delimiter::Blanks && first.delimiter != Delimiter::Byte(b'\t');
        !other.same_keys(first, hint.keys) && (!usual_is_good || splits_as_well && !with_numbers(&first))
    };
    if let Some(rival) = candidates.iter().find(is_rival) {
        let reading = |reading: &Reading<'_>| {
            let fields: Vec<String> = reading.rows[0].iter().take(4).map(|field| shown(field)).collect();
            format!("{} between {}", fields.join(" and "), reading.delimiter)
        };
        let what = format!("can be read as {}, or as {}", reading(first), reading(rival));
        let values = [first, rival].map(|reading| reading.delimiter.option_value()).to_vec();
        return Err(Undecided::between(line, what, TextOption::Delimiter, values));
    }
    // Of two that agree on what the file is about, tabs tell where the other columns are.
    let tabs = candidates.iter().find(|other| other.delimiter == Delimiter::Byte(b'\t'));
    let chosen = match tabs {
        Some(tabs) if first.delimiter == Delimiter::Blanks && tabs.columns != first.columns => tabs,
        _ => first,
    };
    Ok(chosen.clone())
}

fn read<'b>(lines: &[Line<'b>], delimiter: Delimiter, least: usize) -> Result<Reading<'b>, Unfit> {
    let mut rows: Vec<Row<'b>> = Vec::with_capacity(lines.len());
    let mut ragged = None;
    for line in lines {
        let row = split(line.text, delimiter).map_err(|what| Unfit::Quote { line: line.number, what })?;
        if row.len() < least {
            return Err(Unfit::Few);
        }
        let columns = rows.first().map_or(row.len(), Vec::len);
        if row.len() != columns && ragged.is_none() {
            ragged = Some(Unfit::Ragged { line: line.number, columns, found: row.len() });
        }
        rows.push(row);
    }
    match ragged {
        Some(ragged) => Err(ragged),
        None => Ok(Reading { delimiter, columns: rows.first().map_or(0, Vec::len), rows }),
    }
}

fn refused(
    unfit: Unfit,
    lines: &[Line<'_>],
    (delimiter, is_said): (Delimiter, bool),
    hint: &Hint,
) -> Undecided {
    match unfit {
        Unfit::Quote { line, what } => Undecided::refused(line, what),
        Unfit::Ragged { line, columns, found } => {
            let what = format!(
                "expected {columns} columns between {delimiter}, as in line {}, found {found}",
                lines[0].number
            );
            Undecided::ragged(line, what)
        }
        Unfit::Few => {
            let few = |line: &&Line<'_>| {
                split(line.text, delimiter).is_ok_and(|row| row.len() < hint.least_columns)
            };
            let line = lines.iter().find(few).unwrap_or(&lines[0]);
            let between = match is_said {
                true => delimiter.to_string(),
                false => "blanks, tabs, commas, semicolons or bars, the same number in each line".to_owned(),
            };
            let (least, found) = (hint.least_columns, shown(line.text));
            let what = format!("expected at least {least} columns between {between}, found {found}");
            Undecided::refused(line.number, what)
        }
    }
}
