//! Matrix Market, coordinate format (Boisvert, Pozo and Remington, NISTIR 5935, 1996): entry (i, j) is an
//! edge from i to j.

use super::chunks::Chunks;
use super::grammar::{Grammar, Nothing};
use super::number::{shown, whole};
use super::summary::InputSummary;
use super::text::{Opened, TextReader, first_edge, next_line};
use super::{Declared, EdgeReader, InputOptions};
use crate::GraphError;

const BANNER: &str = "%%MatrixMarket matrix coordinate pattern|integer|real general|symmetric";

pub(super) fn open(
    mut chunks: Chunks,
    options: &InputOptions,
    mut summary: InputSummary,
) -> Result<Box<dyn EdgeReader>, GraphError> {
    let mut lines = 0;
    let name = chunks.name().to_owned();
    let wrong = |line: u64, what: String| GraphError::malformed(format_args!("{name}: line {line}"), what);
    let Some(banner) = next_line(&mut chunks, &mut lines)? else {
        let opened = Opened {
            chunks,
            grammar: grammar(0, false, false),
            declared: Declared { weighted: options.weights, ..Declared::default() },
            lines,
            entries: None,
            strings: None,
            summary,
        };
        return Ok(Box::new(TextReader::new(opened, options)?));
    };
    let (valued, symmetric) = read_banner(&banner).map_err(|what| wrong(1, what))?;
    let weighted = options.weights && valued;
    if valued && !weighted {
        summary.notes.push("its values were not kept".to_owned());
    }
    let comments = grammar(0, valued, false);
    let skipped = &mut summary.lines_skipped;
    let count = |line: &[u8]| match comments.without_edge(line) {
        Some(Nothing::Comment) => skipped.comments += 1,
        _ => skipped.blank += 1,
    };
    let size = first_edge(&mut chunks, &comments, &mut lines, count)?.unwrap_or_default();
    // The banner and the size of the matrix.
    summary.lines_skipped.header = 2;
    let (vertices, entries) = read_size(&size).map_err(|what| wrong(lines, what))?;
    let opened = Opened {
        chunks,
        grammar: grammar(vertices, valued, weighted),
        declared: Declared {
            vertices: Some(vertices),
            first: 1,
            directed: false,
            undirected: symmetric && !options.directed,
            both_ways: false,
            weighted,
        },
        lines,
        entries: Some(entries),
        strings: None,
        summary,
    };
    Ok(Box::new(TextReader::new(opened, options)?))
}

fn grammar(vertices: u64, valued: bool, weighted: bool) -> Grammar {
    Grammar { ids: (1, vertices), ..Grammar::blanks(if valued { 3 } else { 2 }, weighted) }
}

/// Whether entries have values, and whether (i, j) stands for (j, i) too.
fn read_banner(line: &[u8]) -> Result<(bool, bool), String> {
    let text = String::from_utf8_lossy(line).to_lowercase();
    let words: Vec<&str> = text.split_whitespace().collect();
    let [banner, object, format, field, symmetry] = words[..] else {
        return Err(format!("expected {BANNER}, found {}", shown(line)));
    };
    let valued = match field {
        "pattern" => false,
        "integer" | "real" | "double" => true,
        _ => return Err(format!("expected {BANNER}, found values that are {}", shown(field.as_bytes()))),
    };
    let symmetric = match symmetry {
        "general" => false,
        "symmetric" => true,
        _ => return Err(format!("expected {BANNER}, found a matrix that is {}", shown(symmetry.as_bytes()))),
    };
    if (banner, object, format) != ("%%matrixmarket", "matrix", "coordinate") {
        return Err(format!("expected {BANNER}, found {}", shown(line)));
    }
    Ok((valued, symmetric))
}

/// Vertices and entries.
fn read_size(line: &[u8]) -> Result<(u64, u64), String> {
    let expected = || format!("expected the numbers of rows, columns and entries, found {}", shown(line));
    let fields: Vec<&[u8]> = line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty()).collect();
    let [rows, columns, entries] = fields[..] else { return Err(expected()) };
    let rows = whole(rows, "a number of rows")?;
    let columns = whole(columns, "a number of columns")?;
    if rows != columns {
        return Err(format!(
            "expected a square matrix, as those of graphs are, found {rows} rows and {columns} columns"
        ));
    }
    Ok((rows, whole(entries, "a number of entries")?))
}
