//! Where the changes of a graph come from: lines of text, as they arrive, or any file that import reads.

mod edges;
mod lines;

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::time::Instant;

use edges::Edges;
use leadline_files::Decompressor;
use lines::Lines;

use super::Change;
use crate::GraphError;
use crate::input::Format;

/// What a store takes as changes.
#[derive(Debug, Clone, Copy)]
pub struct ChangeOptions {
    /// The store's ids are strings.
    pub strings: bool,
    /// Its edges have weights.
    pub weighted: bool,
    /// Edges of a file are to be deleted.
    pub delete: bool,
    /// Most memory, bytes; a quarter of it goes to reading edges.
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
        let ChangeOptions { strings, delete, .. } = options;
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

/// A file if it is a text of changes.
fn changes_of(path: &Path) -> Result<Option<impl Read + Send + 'static>, GraphError> {
    let file = File::open(path).map_err(|error| GraphError::opening(path, error))?;
    let failed = |error| GraphError::read(&path.display().to_string(), error);
    let mut text = Decompressor::new(file).map_err(failed)?;
    let mut first = Vec::new();
    text.by_ref().take(4096).read_to_end(&mut first).map_err(failed)?;
    let begins = Change::begins(&String::from_utf8_lossy(&first));
    Ok(begins.then(|| io::Cursor::new(first).chain(text)))
}
