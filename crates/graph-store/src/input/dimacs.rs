//! DIMACS: shortest paths (`p sp`, 9th challenge), maximum flow (`p max`, 1st), colouring and cliques
//! (`p edge`, `p col`, 2nd), and tree width (`p tw`, PACE).

use super::chunks::{Chunks, Wrong};
use super::number::{self, shown};
use super::records::{Ids, LineRecords, Lines, Out, RecordReader, nothing_behind, number_in, words};
use super::summary::InputSummary;
use super::{Declared, EdgeReader, InputOptions};
use crate::GraphError;

/// What the line `p` says.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Problem {
    /// The first letter of lines with an edge; nothing where none has one.
    letter: Option<u8>,
    weighted: bool,
    directed: bool,
    vertices: u64,
    edges: u64,
}

/// Kinds of problems: the letter of their edges, whether these have a weight, and whether they are directed.
const KINDS: [(&str, Option<u8>, bool, bool); 8] = [
    ("sp", Some(b'a'), true, true),
    ("max", Some(b'a'), true, true),
    ("edge", Some(b'e'), false, false),
    ("edges", Some(b'e'), false, false),
    ("col", Some(b'e'), false, false),
    ("tw", None, false, false),
    ("td", None, false, false),
    ("ds", None, false, false),
];

impl Problem {
    fn read(line: &[u8]) -> Result<Problem, Wrong> {
        let mut words = words(line).skip(1);
        let name = words.next().unwrap_or_default();
        let kind = KINDS.iter().find(|(kind, ..)| kind.as_bytes().eq_ignore_ascii_case(name));
        let Some(&(_, letter, weighted, directed)) = kind else {
            let names: Vec<&str> = KINDS.iter().map(|(kind, ..)| *kind).collect();
            let text = format!("expected p and one of {}, found {}", names.join(", "), shown(line));
            return Err(text.into());
        };
        let vertices = number_in(&mut words, "the number of vertices")?;
        let edges = number_in(&mut words, "the number of edges")?;
        nothing_behind(words, "these numbers")?;
        Ok(Problem { letter, weighted, directed, vertices, edges })
    }
}

/// Whether the first lines of a text are those of this format: comments, and a line `p`.
pub(super) fn is_dimacs<'l>(mut lines: impl Iterator<Item = &'l [u8]>) -> bool {
    let comment = |line: &[u8]| line.is_empty() || line == b"c" || line.starts_with(b"c ");
    lines
        .find(|line| !comment(line))
        .is_some_and(|line| line.starts_with(b"p ") && Problem::read(line).is_ok())
}

#[derive(Default)]
struct Dimacs {
    problem: Option<Problem>,
    weighted: bool,
    found: u64,
    comments: u64,
    /// Lines that describe vertices: sources and sinks.
    of_vertices: u64,
}

pub(super) fn open(
    chunks: Chunks,
    options: &InputOptions,
    mut summary: InputSummary,
) -> Result<Box<dyn EdgeReader>, GraphError> {
    let mut records = LineRecords::new(chunks, Dimacs { weighted: options.weights, ..Dimacs::default() });
    let meter = records.meter();
    let mut out = Out::new(options, options.weights);
    out.ids = Ids::numbers();
    records.ahead(&mut out, |dimacs, _| dimacs.problem.is_some())?;
    let Some(problem) = records.parser.problem else {
        return Ok(Box::new(RecordReader::new(records, out, Declared::default(), meter, summary)));
    };
    out.weights = options.weights && problem.weighted;
    records.parser.weighted = out.weights;
    if problem.weighted && !out.weights {
        summary.notes.push("its weights were not kept".to_owned());
    }
    summary.lines_skipped.header = 1;
    let undirected = !problem.directed && !options.directed;
    let declared = Declared { vertices: Some(problem.vertices), first: 1, undirected, ..Declared::default() };
    Ok(Box::new(RecordReader::new(records, out, declared, meter, summary)))
}

impl Dimacs {
    fn edge(&mut self, line: &[u8], problem: &Problem, out: &mut Out) -> Result<(), Wrong> {
        let mut words = words(line).skip(usize::from(problem.letter.is_some()));
        let mut end = |what: &str| {
            let id = number_in(&mut words, what)?;
            match (1..=problem.vertices).contains(&id) {
                true => Ok(id),
                false => {
                    Err(Wrong::from(format!("expected {what} from 1 to {}, found {id}", problem.vertices)))
                }
            }
        };
        let (source, target) = (end("a source id")?, end("a target id")?);
        let weight = match problem.weighted {
            true => number::weight(
                words.next().ok_or("expected a weight, found the end of the line".to_owned())?,
            )?,
            false => 0.0,
        };
        nothing_behind(words, "an edge")?;
        self.found += 1;
        if self.found > problem.edges {
            return Err(self.miscounted(problem, "more"));
        }
        out.edge(source, target, weight);
        Ok(())
    }

    fn miscounted(&self, problem: &Problem, found: &str) -> Wrong {
        format!(
            "expected {} edges, as the line p says, found {found}; it was cut off or the line is wrong",
            problem.edges
        )
        .into()
    }
}

impl Lines for Dimacs {
    fn line(&mut self, line: &[u8], out: &mut Out) -> Result<(), Wrong> {
        let letter = if line.get(1).is_none_or(u8::is_ascii_whitespace) { line[0] } else { 0 };
        match (letter, self.problem) {
            (b'c', _) => self.comments += 1,
            (b'p', None) => self.problem = Some(Problem::read(line)?),
            (_, None) => return Err(format!("expected a line p, found {}", shown(line)).into()),
            (b'n', Some(_)) => self.of_vertices += 1,
            (found, Some(problem)) if problem.letter.is_none_or(|expected| expected == found) => {
                self.edge(line, &problem, out)?;
            }
            (_, Some(problem)) => {
                let expected = char::from(problem.letter.unwrap_or(b' '));
                return Err(format!("expected a line {expected} with an edge, found {}", shown(line)).into());
            }
        }
        Ok(())
    }

    fn end(&mut self, _: &mut Out) -> Result<(), Wrong> {
        match self.problem {
            Some(problem) if self.found < problem.edges => {
                Err(self.miscounted(&problem, &self.found.to_string()))
            }
            _ => Ok(()),
        }
    }

    fn tell(&self, summary: &mut InputSummary) {
        summary.lines_skipped.comments += self.comments;
        if self.of_vertices > 0 {
            summary.notes.push(format!("{} lines n, of vertices, were not read", self.of_vertices));
        }
    }
}
