//! SNAP, CSV, TSV and GAP: what the first lines say about the rest.

use std::path::Path;

use super::chunks::{Chunks, Cut};
use super::grammar::{Grammar, Separator};
use super::number::{is_integer, shown};
use super::source::Source;
use super::strings::Strings;
use super::text::{Opened, TextReader, first_edge};
use super::{Declared, EdgeReader, Format, IdMode, InputOptions};
use crate::GraphError;

/// What a column of sources is called where columns have names.
const SOURCES: [&str; 12] = [
    "source",
    "src",
    "from",
    "u",
    "tail",
    "start",
    "node1",
    "fromnodeid",
    "source_id",
    "src_id",
    "from_id",
    "start_id",
];

/// What the column of targets beside it is called.
const TARGETS: [&str; 12] = [
    "target",
    "dst",
    "to",
    "v",
    "head",
    "end",
    "node2",
    "tonodeid",
    "target_id",
    "dst_id",
    "to_id",
    "end_id",
];

/// What a column of weights is called.
const WEIGHTS: [&str; 5] = ["weight", "w", "cost", "distance", "value"];

/// How SNAP begins a file in which each undirected edge is listed once.
const UNDIRECTED: &[u8] = b"# Undirected graph";

/// Whether a name is one of a column of sources, of targets, of weights.
pub(super) fn role(name: &[u8]) -> Option<Role> {
    let name = String::from_utf8_lossy(name).to_lowercase();
    // Neo4j writes :START_ID and :END_ID, Gephi and others a ~ in front.
    let name = name.trim_start_matches([':', '~']);
    if SOURCES.contains(&name) {
        Some(Role::Source)
    } else if TARGETS.contains(&name) {
        Some(Role::Target)
    } else {
        WEIGHTS.contains(&name).then_some(Role::Weight)
    }
}

/// What a column holds, as its name tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Source,
    Target,
    Weight,
}

fn grammar(format: Format) -> Grammar {
    let separator = match format {
        Format::Csv => Separator::Byte(b','),
        Format::Tsv => Separator::Byte(b'\t'),
        _ => Separator::Blanks,
    };
    let most_columns = match format {
        Format::El => Some(2),
        Format::Wel => Some(3),
        _ => None,
    };
    Grammar { separator, comments: true, weighted: false, most_columns, ids: (0, u64::MAX) }
}

pub(super) fn open(
    path: &Path,
    format: Format,
    options: &InputOptions,
) -> Result<Box<dyn EdgeReader>, GraphError> {
    let mut chunks = Chunks::new(Source::text(path)?, Cut::Lines);
    let mut grammar = grammar(format);
    let mut undirected = false;
    let mut lines = 0;
    let first =
        first_edge(&mut chunks, &grammar, &mut lines, |line| undirected |= line.starts_with(UNDIRECTED))?;
    let mut first = first.unwrap_or_default();
    let may_have_header = matches!(format, Format::Csv | Format::Tsv);
    let wrong = |what: String| GraphError::malformed(format_args!("{}: line {lines}", path.display()), what);
    if may_have_header && is_header(&mut chunks, &grammar, &first, options.ids).map_err(wrong)? {
        first = first_edge(&mut chunks, &grammar, &mut lines, |_| {})?.unwrap_or_default();
    }
    let fields = grammar.fields(&first);
    let strings = match options.ids {
        IdMode::Numbers => false,
        IdMode::Strings => true,
        IdMode::Auto => fields.iter().take(2).any(|field| !is_integer(field)),
    };
    let weighted = match format {
        Format::El => false,
        Format::Wel => true,
        _ => fields.len() > 2 || fields.is_empty(),
    };
    let weighted = options.weights && weighted;
    grammar.weighted = weighted;
    let undirected = undirected && format == Format::Snap && !options.directed;
    if !first.is_empty() {
        chunks.put_back(&first);
        lines -= 1;
    }
    let opened = Opened {
        chunks,
        grammar,
        declared: Declared { undirected, weighted, ..Declared::default() },
        lines,
        entries: None,
        strings: strings.then(|| Strings::new(options.memory)),
    };
    Ok(Box::new(TextReader::new(opened, options)?))
}

/// Whether the first line names the columns: known names do, and so does any text where numbers follow it.
fn is_header(chunks: &mut Chunks, grammar: &Grammar, first: &[u8], ids: IdMode) -> Result<bool, String> {
    let names = grammar.fields(first);
    if names.len() < 2 || names.iter().take(2).any(|name| is_integer(name)) {
        return Ok(false);
    }
    let place = |wanted| names.iter().position(|name| role(name) == Some(wanted));
    match (place(Role::Source), place(Role::Target)) {
        (Some(0), Some(1)) => return Ok(true),
        (Some(source), Some(target)) => {
            return Err(format!(
                "expected the source in column 1 and the target in column 2, found {} in column {} and {} in column {}; \
                 put them in front",
                shown(&names[source]),
                source + 1,
                shown(&names[target]),
                target + 1
            ));
        }
        _ => {}
    }
    if ids == IdMode::Strings {
        return Ok(false);
    }
    // The line behind it tells; it is put back and read again.
    let Ok(Some(second)) = chunks.line() else { return Ok(false) };
    let fields = grammar.fields(&second);
    let numbers = fields.len() > 1 && fields.iter().take(2).all(|field| is_integer(field));
    chunks.put_back(&second);
    Ok(numbers)
}
