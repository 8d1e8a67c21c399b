//! KONECT (Kunegis, WWW 2013): a first line `% sym|asym|bip WEIGHTS`, perhaps `% EDGES LEFT RIGHT`, then
//! columns source, target, weight and time.

use super::bipartite::{Sets, between};
use super::chunks::{Chunks, Wrong};
use super::grammar::{Grammar, Nothing};
use super::number::{shown, whole};
use super::records::words;
use super::summary::InputSummary;
use super::text::{Opened, TextReader, first_edge, next_line};
use super::{Declared, EdgeReader, InputOptions};
use crate::{GraphError, InputOption};

/// What weights are; all but the first have a third column, or may have one.
const WEIGHTS: [&str; 9] = [
    "unweighted",
    "positive",
    "posweighted",
    "signed",
    "multisigned",
    "weighted",
    "multiweighted",
    "multiposweighted",
    "dynamic",
];

/// Which vertices edges are between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Undirected,
    Directed,
    Bipartite,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    kind: Kind,
    weighted: bool,
}

impl Head {
    /// What the first line says, if it is one of this format.
    pub(super) fn read(line: &[u8]) -> Option<Head> {
        let text = std::str::from_utf8(line.strip_prefix(b"%")?).ok()?;
        let mut words = text.split_ascii_whitespace();
        let kind = match words.next()? {
            "sym" => Kind::Undirected,
            "asym" => Kind::Directed,
            "bip" => Kind::Bipartite,
            _ => return None,
        };
        let weights = words.next().filter(|word| WEIGHTS.contains(word))?;
        Some(Head { kind, weighted: weights != WEIGHTS[0] })
    }
}

/// What is in front of the edges.
struct Front {
    head: Head,
    /// The numbers of vertices on both sides, where they are said.
    sizes: Option<Sets>,
    /// Of the first edge.
    columns: usize,
    lines: u64,
}

pub(super) fn open(
    mut chunks: Chunks,
    options: &InputOptions,
    mut summary: InputSummary,
) -> Result<Box<dyn EdgeReader>, GraphError> {
    let name = chunks.name().to_owned();
    let Front { head, sizes, columns, lines } = front(&mut chunks, &mut summary)?;
    let sets = match head.kind {
        Kind::Bipartite => Some(sizes.ok_or_else(|| {
            let what = "expected % EDGES LEFT RIGHT, which says at which number the right side begins";
            GraphError::malformed(format_args!("{name}: line 2"), what)
        })?),
        _ if options.bipartite => {
            let text = format!("{name}: is not bipartite, as its first line says; leave this option out");
            return Err(GraphError::Option { text, option: InputOption::Bipartite });
        }
        _ => None,
    };
    let has_weights = head.weighted && columns > 2;
    let weighted = options.weights && (has_weights || columns == 0);
    tell(&mut summary, columns, has_weights, weighted);
    // The second line may count more than edges have.
    let most = sizes.map_or(u64::MAX, |Sets { sources, targets }| sources.max(targets));
    let grammar = Grammar { ids: (1, most), ..Grammar::numbers(columns.clamp(2, 4), weighted) };
    let vertices = sizes.filter(|_| sets.is_none()).map(|_| most);
    let undirected = head.kind != Kind::Directed && !options.directed;
    let declared = Declared { vertices, first: 1, undirected, weighted, ..Declared::default() };
    let opened =
        Opened { chunks, grammar, declared, lines, entries: None, counts: None, strings: None, summary };
    let reader = Box::new(TextReader::new(opened, options)?);
    match sets {
        Some(sets) => between(reader, name, sets),
        None => Ok(reader),
    }
}

fn tell(summary: &mut InputSummary, columns: usize, has_weights: bool, weighted: bool) {
    summary.columns_read = ["source", "target"].map(str::to_owned).to_vec();
    let weight = "weight".to_owned();
    match weighted {
        true => summary.columns_read.push(weight),
        false if columns > 2 => summary.columns_ignored.push(weight),
        false => {}
    }
    if has_weights && !weighted {
        summary.notes.push("its weights were not kept".to_owned());
    }
    if columns > 3 {
        summary.columns_ignored.push("time".to_owned());
    }
}

fn front(chunks: &mut Chunks, summary: &mut InputSummary) -> Result<Front, GraphError> {
    let name = chunks.name().to_owned();
    let at = |line: u64, what: Wrong| what.at(&format!("{name}: line {line}"));
    let mut lines = 0;
    let Some(first) = next_line(chunks, &mut lines)? else {
        let head = Head { kind: Kind::Directed, weighted: true };
        return Ok(Front { head, sizes: None, columns: 0, lines });
    };
    let head = Head::read(&first).ok_or_else(|| {
        let found = shown(&first);
        let text = format!("expected % sym, % asym or % bip and the kind of weights, found {found}");
        at(1, text.into())
    })?;
    let mut sizes = None;
    match next_line(chunks, &mut lines)? {
        Some(line) if line.starts_with(b"%") => {
            sizes = read_sizes(&line[1..]).map_err(|what| at(2, what.into()))?;
        }
        Some(line) => {
            chunks.put_back(&line);
            lines -= 1;
        }
        None => {}
    }
    summary.lines_skipped.header = lines;
    let skipped = &mut summary.lines_skipped;
    let comments = Grammar::blanks(2, false);
    let count = |line: &[u8]| match comments.without_edge(line) {
        Some(Nothing::Comment) => skipped.comments += 1,
        _ => skipped.blank += 1,
    };
    let edge = first_edge(chunks, &comments, &mut lines, count)?;
    let columns = edge.as_ref().map_or(0, |line| words(line).count());
    if let Some(line) = edge {
        chunks.put_back(&line);
        lines -= 1;
    }
    Ok(Front { head, sizes, columns, lines })
}

/// The numbers behind the second `%`: edges, then vertices on the left and on the right, as far as they are
/// there.
fn read_sizes(line: &[u8]) -> Result<Option<Sets>, String> {
    let numbers: Vec<u64> =
        words(line).map(|word| whole(word, "a number of edges or vertices")).collect::<Result<_, _>>()?;
    Ok(match numbers[..] {
        [_, sources, targets] => Some(Sets { sources, targets }),
        _ => None,
    })
}
