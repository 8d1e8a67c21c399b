//! Edges in columns of text: SNAP, CSV, TSV and GAP. What the first lines say about the rest.

use leadline_text::{
    Column, Comment, Delimiter, Dialect, Hint, Kind, Sample, TextOption, TextOptions, Undecided,
};

use super::chunks::{Chunks, Wrong};
use super::columns::{Chosen, choose, name_of};
use super::doubts;
use super::grammar::{Grammar, Nothing, attribute};
use super::names::role;
use super::strings::Strings;
use super::summary::{InputSummary, SkippedLines, TextSummary};
use super::text::{Opened, TextReader, next_line};
use super::{Declared, EdgeColumns, EdgeReader, Format, IdMode, InputOptions};
use crate::{GraphError, InputOption};

/// How SNAP begins a file in which each undirected edge is listed once.
const UNDIRECTED: &[u8] = b"# Undirected graph";

pub(super) fn open(
    mut chunks: Chunks,
    format: Format,
    options: &InputOptions,
    mut summary: InputSummary,
) -> Result<Box<dyn EdgeReader>, GraphError> {
    let name = chunks.name().to_owned();
    let mut front = Front::default();
    let (dialect, attributes) = front.dialect(&mut chunks, format, options)?;
    let name_column =
        |at: usize| if attributes.is_some() && at == 2 { "weight".to_owned() } else { name_of(&dialect, at) };
    let chosen = match dialect.columns {
        // There is no edge, and nothing to choose from.
        0 => Chosen { source: 0, target: 1, weight: options.weights.then_some(2), ignored: Vec::new() },
        _ => choose_of(&dialect, format, attributes, options)
            .map_err(|wrong| wrong.at(&format!("{name}: line {}", front.lines + 1)))?,
    };
    let mut counts = None;
    if attributes.is_none() && dialect.columns > 0 {
        let (bytes, whole) = chunks.peek()?;
        let sample = Sample::of_rest(bytes, whole).map_err(|undecided| front.refused(&name, undecided))?;
        counts = doubts::check(&sample, front.comment.as_deref(), &dialect, &chosen, options)
            .map_err(|(line, wrong)| wrong.at(&format!("{name}: line {}", front.lines + line)))?;
    }
    let keys = [chosen.source, chosen.target];
    let is_text = |column: usize| {
        dialect.first.get(column).is_some_and(|field| Kind::of(field.as_bytes()) > Kind::Integer)
    };
    let strings = match options.ids {
        IdMode::Numbers => false,
        IdMode::Strings => true,
        IdMode::Auto => keys.into_iter().any(is_text),
    };
    let weighted = chosen.weight.is_some();
    summary.columns_read = keys.into_iter().chain(chosen.weight).map(name_column).collect();
    summary.columns_ignored = chosen.ignored.iter().map(|at| name_of(&dialect, *at)).collect();
    if dialect.columns == 0 {
        summary.columns_read.clear();
    }
    let header = (dialect.header.is_some(), dialect.header_evidence);
    summary.text =
        Some(TextSummary::new(dialect.delimiter, chunks.line_end(), chunks.had_byte_order_mark(), header));
    summary.lines_skipped = front.skipped;
    let grammar = Grammar {
        comment: dialect.comment,
        source: chosen.source,
        target: chosen.target,
        weight: chosen.weight,
        delimiter: dialect.delimiter,
        attributes: attributes.is_some(),
        ..Grammar::blanks(dialect.columns, false)
    };
    let undirected = front.undirected && !options.directed;
    let opened = Opened {
        chunks,
        grammar,
        declared: Declared { undirected, weighted, ..Declared::default() },
        lines: front.lines,
        entries: None,
        counts,
        strings: strings.then(|| Strings::new(options.memory).between(dialect.delimiter, options)),
        summary,
    };
    Ok(Box::new(TextReader::new(opened, options)?))
}

/// What was read before the first edge.
#[derive(Default)]
struct Front {
    lines: u64,
    skipped: SkippedLines,
    undirected: bool,
    /// The last comment.
    comment: Option<Vec<u8>>,
}

impl Front {
    /// What the text looks like, once all lines before its first edge are taken off it; and what stands
    /// behind source and target where it is a dictionary.
    fn dialect(
        &mut self,
        chunks: &mut Chunks,
        format: Format,
        options: &InputOptions,
    ) -> Result<(Dialect, Option<Attributes>), GraphError> {
        let mut text = options.text;
        let EdgeColumns { source, target, weight } = &options.columns;
        if [source, target, weight].into_iter().any(|column| matches!(column, Some(Column::Name(_)))) {
            // Columns have names then.
            text.header = text.header.or(Some(true));
        }
        loop {
            let name = chunks.name().to_owned();
            let (bytes, whole) = chunks.peek()?;
            let refused = |undecided| self.refused(&name, undecided);
            let sample = Sample::of_rest(bytes, whole).map_err(refused)?;
            let (cut, attributes) = without_attributes(&sample);
            if attributes.is_some() {
                // networkx writes no header.
                text.header = text.header.or(Some(false));
            }
            let hint = hint(format, &mut text);
            let dialect = Dialect::detect(&cut, &hint, &text).map_err(|mut undecided| {
                if undecided.is_ragged && !matches!(format, Format::El | Format::Wel) {
                    undecided.what +=
                        "; where each line lists the neighbours of its first vertex (graphchi: behind their number)";
                    let formats = [Format::Adjlist, Format::GraphChi].map(|format| format.to_string());
                    undecided.decided_by = Some((TextOption::Format, formats.to_vec()));
                }
                refused(undecided)
            })?;
            let (before, there) = (dialect.lines_before, dialect.looked_at > 0);
            let seen = if there { before } else { cut.lines.len() as u64 };
            let ended = whole && sample.whole;
            self.pass(chunks, seen, &dialect, &mut text)?;
            if there || ended || seen == 0 {
                return Ok((dialect, attributes));
            }
        }
    }

    /// Why a sample behind what was read is not understood.
    fn refused(&self, name: &str, undecided: Undecided) -> GraphError {
        let place = format!("{name}: line {}", self.lines + undecided.line);
        GraphError::Undecided { place, undecided: Box::new(undecided) }
    }

    /// Takes lines off the beginning that hold no edge.
    fn pass(
        &mut self,
        chunks: &mut Chunks,
        lines: u64,
        dialect: &Dialect,
        text: &mut TextOptions,
    ) -> Result<(), GraphError> {
        let grammar = Grammar { comment: dialect.comment, ..Grammar::blanks(dialect.columns, false) };
        for _ in 0..lines {
            let Some(line) = next_line(chunks, &mut self.lines)? else { return Ok(()) };
            self.undirected |= line.starts_with(UNDIRECTED);
            let skipped = &mut self.skipped;
            *match grammar.without_edge(&line) {
                _ if text.skip > 0 => {
                    text.skip -= 1;
                    &mut skipped.skipped
                }
                Some(Nothing::Blank) => &mut skipped.blank,
                Some(Nothing::Comment) => {
                    self.comment = Some(line);
                    &mut skipped.comments
                }
                None => &mut skipped.header,
            } += 1;
        }
        Ok(())
    }
}

/// What the format says of columns before they are looked at.
fn hint(format: Format, text: &mut TextOptions) -> Hint {
    let (delimiter, delimiter_is_certain) = match format {
        Format::Csv => (Delimiter::Byte(b','), true),
        Format::Tsv => (Delimiter::Byte(b'\t'), true),
        _ => (Delimiter::Blanks, false),
    };
    let is_gap = matches!(format, Format::El | Format::Wel | Format::Ncol);
    if is_gap && text.delimiter.is_none() {
        text.delimiter = Some(Delimiter::Blanks);
    }
    let known = |name: &str| role(name).is_some();
    Hint { delimiter, delimiter_is_certain, may_have_header: !is_gap, known, ..Hint::default() }
}

/// GAP's two formats say what their columns are, and how many; attributes have names of their own.
fn choose_of(
    dialect: &Dialect,
    format: Format,
    attributes: Option<Attributes>,
    options: &InputOptions,
) -> Result<Chosen, Wrong> {
    if let Some(attributes) = attributes {
        return of_attributes(attributes, options);
    }
    let gap = |columns: usize, weight: Option<usize>| {
        if dialect.columns > columns {
            let text = format!("expected {columns} columns, found {}", dialect.columns);
            return Err(text.into());
        }
        if weight.is_some() && dialect.columns < columns {
            return Err(
                format!("expected a weight as column {columns}, found {} columns", dialect.columns).into()
            );
        }
        let read = 2 + usize::from(weight.is_some());
        Ok(Chosen { source: 0, target: 1, weight, ignored: (read..dialect.columns).collect() })
    };
    match format {
        Format::El => gap(2, None),
        Format::Wel => gap(3, options.weights.then_some(2)),
        _ => choose(dialect, options),
    }
}

/// A dictionary behind source and target, as networkx writes it: `1 2 {'weight': 3.5}`.
#[derive(Debug, Clone, Copy)]
struct Attributes {
    /// One is called `weight`.
    weighted: bool,
}

fn of_attributes(attributes: Attributes, options: &InputOptions) -> Result<Chosen, Wrong> {
    if attributes.weighted && !options.weights && !options.ignore_columns {
        let text = "the attribute \"weight\" of its edges would be left out".to_owned();
        return Err(Wrong { text, option: Some(InputOption::IgnoredWeight) });
    }
    Ok(Chosen { source: 0, target: 1, weight: options.weights.then_some(2), ignored: Vec::new() })
}

/// The lines up to a dictionary of attributes, where each has one as networkx writes it: `1 2 {'weight': 3}`.
fn without_attributes<'b>(sample: &Sample<'b>) -> (Sample<'b>, Option<Attributes>) {
    let mut cut = sample.clone();
    let mut attributes = None;
    for line in &mut cut.lines {
        let text = line.text.trim_ascii();
        let comment = text.first().is_none_or(|first| Comment::USUAL.contains(first));
        if comment {
            continue;
        }
        let begin = text.windows(2).position(|pair| pair[1] == b'{' && b" \t,;|".contains(&pair[0]));
        match begin {
            Some(begin) if text.ends_with(b"}") && !text[..begin].trim_ascii().is_empty() => {
                let weighted = attribute(&text[begin..]).is_some();
                let before = attributes.is_some_and(|Attributes { weighted }| weighted);
                attributes = Some(Attributes { weighted: weighted || before });
                line.text = &text[..begin];
            }
            _ => return (sample.clone(), None),
        }
    }
    (cut, attributes)
}
