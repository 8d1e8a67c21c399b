//! Matrix Market (Boisvert, Pozo and Remington, NISTIR 5935, 1996): entry (i, j) is an edge from i to j.

mod array;
mod banner;
mod triangle;

use self::array::Array;
use self::banner::{Banner, Symmetry};
use self::triangle::Triangle;
use super::bipartite::{Sets, between};
use super::chunks::Chunks;
use super::grammar::{Grammar, Nothing};
use super::number::{shown, whole};
use super::records::{Ids, LineRecords, Out, RecordReader, words};
use super::summary::InputSummary;
use super::text::{Opened, TextReader, first_edge, next_line};
use super::{Declared, EdgeReader, InputOptions};
use crate::{GraphError, InputOption};

pub(super) fn open(
    mut chunks: Chunks,
    options: &InputOptions,
    mut summary: InputSummary,
) -> Result<Box<dyn EdgeReader>, GraphError> {
    let mut lines = 0;
    let name = chunks.name().to_owned();
    let wrong = |line: u64, what: String| GraphError::malformed(format_args!("{name}: line {line}"), what);
    let Some(line) = next_line(&mut chunks, &mut lines)? else {
        return nothing(chunks, options, summary);
    };
    let banner = Banner::read(&line).map_err(|what| wrong(1, what))?;
    let comments = Grammar::blanks(2, false);
    let skipped = &mut summary.lines_skipped;
    let count = |line: &[u8]| match comments.without_edge(line) {
        Some(Nothing::Comment) => skipped.comments += 1,
        _ => skipped.blank += 1,
    };
    let line = first_edge(&mut chunks, &comments, &mut lines, count)?.unwrap_or_default();
    // The banner and the size of the matrix.
    summary.lines_skipped.header = 2;
    let size = Size::read(&line, banner.array).map_err(|what| wrong(lines, what))?;
    let sets = size.sets(banner, options).map_err(|wrong| wrong.at(&format!("{name}: line {lines}")))?;
    let weighted = options.weights && banner.values.count() > 0;
    summary.notes.extend(banner.notes(weighted));
    let matrix = Matrix { banner, size, weighted, lines };
    let mut reader = if banner.array {
        matrix.array(chunks, options, summary)
    } else {
        matrix.coordinates(chunks, options, summary)?
    };
    if banner.symmetry != Symmetry::General {
        let skew = banner.symmetry == Symmetry::Skew;
        let mirrored = skew && weighted && !options.directed;
        reader = Box::new(Triangle::of(reader, name.clone(), skew, mirrored));
    }
    match sets {
        Some(sets) => between(reader, name, sets),
        None => Ok(reader),
    }
}

/// A file without a line.
fn nothing(
    chunks: Chunks,
    options: &InputOptions,
    summary: InputSummary,
) -> Result<Box<dyn EdgeReader>, GraphError> {
    let grammar = Grammar::blanks(2, false);
    let declared = Declared { weighted: options.weights, ..Declared::default() };
    let opened =
        Opened { chunks, grammar, declared, lines: 0, entries: None, counts: None, strings: None, summary };
    Ok(Box::new(TextReader::new(opened, options)?))
}

/// The line behind the comments.
#[derive(Debug, Clone, Copy)]
struct Size {
    rows: u64,
    columns: u64,
    /// Those that are listed; of an array all are.
    entries: Option<u64>,
}

impl Size {
    fn read(line: &[u8], array: bool) -> Result<Size, String> {
        let fields: Vec<&[u8]> = words(line).collect();
        let (rows, columns, entries) = match fields[..] {
            [rows, columns] if array => (rows, columns, None),
            [rows, columns, entries] if !array => (rows, columns, Some(entries)),
            _ => {
                let expected = if array { "rows and columns" } else { "rows, columns and entries" };
                return Err(format!("expected the numbers of {expected}, found {}", shown(line)));
            }
        };
        Ok(Size {
            rows: whole(rows, "a number of rows")?,
            columns: whole(columns, "a number of columns")?,
            entries: entries.map(|entries| whole(entries, "a number of entries")).transpose()?,
        })
    }

    /// Rows and columns, where they are vertices apart.
    fn sets(self, banner: Banner, options: &InputOptions) -> Result<Option<Sets>, super::chunks::Wrong> {
        let Size { rows, columns, .. } = self;
        let wrong = |text: String| super::chunks::Wrong { text, option: Some(InputOption::Bipartite) };
        if rows != columns && (banner.symmetry != Symmetry::General || !options.bipartite) {
            return Err(wrong(format!(
                "expected a square matrix, as for graphs, found {rows} rows and {columns} columns; \
                 where rows and columns are vertices of two kinds, read it as bipartite"
            )));
        }
        if options.bipartite && banner.symmetry != Symmetry::General {
            let text = "the matrix is symmetric, so its rows and columns are the same vertices; do not read \
                        it as bipartite";
            return Err(wrong(text.to_owned()));
        }
        Ok(options.bipartite.then_some(Sets { sources: rows, targets: columns }))
    }
}

/// What is in front of the entries.
struct Matrix {
    banner: Banner,
    size: Size,
    weighted: bool,
    lines: u64,
}

impl Matrix {
    fn declared(&self, options: &InputOptions) -> Declared {
        let both_ways = match self.banner.symmetry {
            Symmetry::General => false,
            Symmetry::Symmetric | Symmetry::Hermitian => true,
            // With weights each way has its own.
            Symmetry::Skew => !self.weighted,
        };
        Declared {
            vertices: Some(self.size.rows.max(self.size.columns)),
            first: 1,
            undirected: both_ways && !options.directed,
            weighted: self.weighted,
            ..Declared::default()
        }
    }

    fn coordinates(
        self,
        chunks: Chunks,
        options: &InputOptions,
        summary: InputSummary,
    ) -> Result<Box<dyn EdgeReader>, GraphError> {
        let declared = self.declared(options);
        let columns = 2 + self.banner.values.count();
        let ids = (1, declared.vertices.unwrap_or(0));
        let grammar = Grammar { ids, ..Grammar::numbers(columns, self.weighted) };
        let (lines, entries) = (self.lines, self.size.entries);
        let opened =
            Opened { chunks, grammar, declared, lines, entries, counts: None, strings: None, summary };
        Ok(Box::new(TextReader::new(opened, options)?))
    }

    fn array(self, chunks: Chunks, options: &InputOptions, summary: InputSummary) -> Box<dyn EdgeReader> {
        let declared = self.declared(options);
        let Size { rows, columns, .. } = self.size;
        let mut records = LineRecords::new(chunks, Array::new(self.banner, rows, columns));
        records.lines = self.lines;
        let mut out = Out::new(options, self.weighted);
        out.ids = Ids::numbers();
        let meter = records.meter();
        Box::new(RecordReader::new(records, out, declared, meter, summary))
    }
}
