//! Where the changes of a graph come from: lines of text, as they arrive, or any file that import reads.

mod edges;
mod lines;

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::time::Instant;

use edges::Edges;
use leadline_files::Decompressor;
use leadline_text::{BYTE_ORDER_MARK, Line, LineEnd, Sample, shown};
use lines::Lines;

use super::Change;
use crate::GraphError;
use crate::input::{EdgeColumns, Format, TextOptions, archive_of};

/// What a store takes as changes.
#[derive(Debug, Clone)]
pub struct ChangeOptions {
    /// How a file of edges in columns is read, as [`InputOptions`](crate::input::InputOptions) say it.
    pub text: TextOptions,
    /// Which of its columns.
    pub columns: EdgeColumns,
    /// Whether others may be left out although they look like weights.
    pub ignore_columns: bool,
    /// The store's ids are strings.
    pub strings: bool,
    /// Its edges have weights.
    pub weighted: bool,
    /// Its edges lead one way: one that a file says leads both ways is two.
    pub directed: bool,
    /// Edges of a file are to be deleted.
    pub delete: bool,
    /// Most memory, bytes; an eighth of it, and at least 16 MiB, may go to the names of the edges that are
    /// read at a time.
    pub memory: u64,
}

/// Changes in order.
pub struct ChangeSource(Source);

enum Source {
    Lines(Lines),
    Edges(Edges),
}

/// What comes next.
pub enum NextChanges {
    /// With the number of the line that says it, where there are lines.
    Some(Vec<(Option<u64>, Change)>),
    /// Nothing came until it was time.
    Waiting,
    /// There are no more.
    End,
}

impl ChangeSource {
    /// Opens a file, or standard input where it is `-`.
    ///
    /// # Errors
    /// [`GraphError::Path`], [`GraphError::Read`]; what [`input::open`](crate::input::open) gives, and
    /// [`GraphError::Malformed`] where edges lack the weights that the store's have.
    pub fn open(
        path: &Path,
        format: Option<Format>,
        options: ChangeOptions,
    ) -> Result<ChangeSource, GraphError> {
        let ChangeOptions { strings, delete, .. } = options.clone();
        if path == Path::new("-") {
            if format.is_some() || delete {
                let what = "standard input is read as changes, one per line; name a file of edges";
                return Err(GraphError::path(path, what));
            }
            let lines = Lines::start("standard input".to_owned(), io::stdin(), strings);
            return Ok(ChangeSource(Source::Lines(lines)));
        }
        let edges = format.is_some() || delete || path.is_dir();
        Ok(ChangeSource(match if edges { None } else { changes_of(path)? } {
            Some(text) => Source::Lines(Lines::start(path.display().to_string(), text, strings)),
            None => Source::Edges(Edges::open(path, format, options)?),
        }))
    }

    /// Some more changes, or none by the time that is given.
    ///
    /// # Errors
    /// [`GraphError::Malformed`] with the place, [`GraphError::Read`].
    pub fn next(&mut self, until: Option<Instant>) -> Result<NextChanges, GraphError> {
        match &mut self.0 {
            Source::Lines(lines) => lines.next(until),
            Source::Edges(edges) => edges.next(),
        }
    }

    /// The input, in messages.
    pub fn name(&self) -> &str {
        match &self.0 {
            Source::Lines(lines) => lines.name(),
            Source::Edges(edges) => edges.name(),
        }
    }

    /// How far the input was read, in bytes of it, and how many there are.
    pub fn progress(&self) -> Option<(u64, Option<u64>)> {
        match &self.0 {
            Source::Lines(_) => None,
            Source::Edges(edges) => Some(edges.progress()),
        }
    }
}

/// Bytes by whose lines changes are told from edges.
const LOOKED_AT: u64 = 64 << 10;

/// A file if it is a text of changes: all of its first lines are written so. Where only some are, they may be
/// edges of vertices that are called `+` and `-`, and nothing is done.
fn changes_of(path: &Path) -> Result<Option<impl Read + Send + 'static>, GraphError> {
    let file = File::open(path).map_err(|error| GraphError::opening(path, error))?;
    let failed = |error| GraphError::read(&path.display().to_string(), error);
    let text = match archive_of(&file, path)? {
        Some(archive) => archive.open(file),
        None => Decompressor::new(file),
    };
    let mut text = text.map_err(failed)?;
    let mut first = Vec::new();
    text.by_ref().take(LOOKED_AT).read_to_end(&mut first).map_err(failed)?;
    let cut_off = first.len() as u64 == LOOKED_AT;
    // What is no text is no text of changes.
    let Ok(sample) = Sample::new(&first, !cut_off) else { return Ok(None) };
    let written: Vec<(u64, bool)> = (sample.lines.iter())
        .filter_map(|line| Some((line.number, Change::is_written(&String::from_utf8_lossy(line.text))?)))
        .collect();
    let changes = written.iter().any(|(_, is_change)| *is_change);
    if changes && let Some((line, _)) = written.iter().find(|(_, is_change)| !*is_change) {
        let place = format_args!("{}: line {line}", path.display());
        let found =
            sample.lines.iter().find(|other| other.number == *line).map_or(&b""[..], |line| line.text);
        let what = format!(
            "{}, found {}; changes and edges do not go together in one file",
            Change::EXPECTED,
            shown(found)
        );
        return Err(GraphError::malformed(place, what));
    }
    let in_columns = |line: &&Line<'_>| Change::is_in_columns(&String::from_utf8_lossy(line.text));
    if !changes && let Some(line) = sample.lines.iter().find(in_columns) {
        let place = format_args!("{}: line {}", path.display(), line.number);
        let what = format!("{}, with blanks between, or edges, found a table of changes", Change::EXPECTED);
        return Err(GraphError::malformed(place, what));
    }
    if changes && sample.line_end == LineEnd::Cr {
        let what =
            "expected lines that end with LF or CRLF, found CR alone; convert it: tr '\\r' '\\n' < OLD > NEW";
        return Err(GraphError::malformed(path.display(), what));
    }
    let mark = if sample.byte_order_mark { BYTE_ORDER_MARK.len() } else { 0 };
    Ok(changes.then(|| io::Cursor::new(first.split_off(mark)).chain(text)))
}
