//! METIS (Karypis, METIS 5.1 manual, section 4.1.1): line i lists the neighbours of vertex i, so each edge
//! stands twice.
//!
//! A line may be longer than memory: it is read word by word.

use memchr::memchr;

use super::chunks::{CHUNK, Chunks, Cut, Failure};
use super::grammar::Grammar;
use super::number::{shown, weight, whole};
use super::source::Meter;
use super::summary::InputSummary;
use super::text::first_edge;
use super::{Batch, Declared, EdgeReader, InputOptions};
use crate::GraphError;

/// The first line.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Head {
    vertices: u64,
    edges: u64,
    /// Numbers in front of each line's neighbours: the vertex's size and weights.
    in_front: u64,
    weighted: bool,
}

struct Metis {
    name: String,
    head: Head,
    wanted: bool,
    directed: bool,
    chunks: Chunks,
    chunk: Vec<u8>,
    meter: Meter,
    place: Place,
    summary: InputSummary,
    ended: bool,
}

/// Where in the file the next word stands.
#[derive(Debug, Default)]
struct Place {
    /// Lines that ended.
    lines: u64,
    /// Vertices whose line ended.
    vertex: u64,
    /// Numbers of this line in front of its neighbours, so far.
    in_front: u64,
    /// A neighbour whose weight is still to come.
    waiting: Option<u64>,
    comment: bool,
    /// Nothing was read on this line.
    fresh: bool,
    /// Neighbours so far.
    entries: u64,
}

pub(super) fn open(
    chunks: Chunks,
    options: &InputOptions,
    summary: InputSummary,
) -> Result<Box<dyn EdgeReader>, GraphError> {
    let mut chunks = chunks.cut(Cut::Words);
    let name = chunks.name().to_owned();
    let comments = Grammar::blanks(2, false);
    let mut lines = 0;
    let head = match first_edge(&mut chunks, &comments, &mut lines, |_| {})? {
        Some(line) => read_head(&line)
            .map_err(|what| GraphError::malformed(format_args!("{name}: line {lines}"), what))?,
        None => Head { weighted: options.weights, ..Head::default() },
    };
    let meter = chunks.meter();
    let place = Place { lines, fresh: true, ..Place::default() };
    let wanted = options.weights && head.weighted;
    let directed = options.directed;
    Ok(Box::new(Metis {
        name,
        head,
        wanted,
        directed,
        chunks,
        chunk: Vec::new(),
        meter,
        place,
        summary: InputSummary { ids: "numbers", ..summary },
        ended: false,
    }))
}

fn read_head(line: &[u8]) -> Result<Head, String> {
    let fields: Vec<&[u8]> = line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty()).collect();
    if !(2..=4).contains(&fields.len()) {
        let found = shown(line);
        return Err(format!(
            "expected the numbers of vertices and edges, then format and constraints, found {found}"
        ));
    }
    let format = fields.get(2).copied().unwrap_or(b"0");
    if format.len() > 3 || format.iter().any(|digit| !matches!(digit, b'0' | b'1')) {
        return Err(format!("expected a format of up to three digits 0 or 1, found {}", shown(format)));
    }
    let set = |place: usize| format.len() > place && format[format.len() - 1 - place] == b'1';
    let constraints = match fields.get(3) {
        Some(field) => whole(field, "a number of vertex weights")?,
        None => 1,
    };
    Ok(Head {
        vertices: whole(fields[0], "a number of vertices")?,
        edges: whole(fields[1], "a number of edges")?,
        in_front: u64::from(set(2)) + if set(1) { constraints } else { 0 },
        weighted: set(0),
    })
}

impl Metis {
    fn parse(&mut self, batch: &mut Batch) -> Result<(), String> {
        let mut at = 0;
        while let Some(&byte) = self.chunk.get(at) {
            if self.place.comment {
                let Some(length) = memchr(b'\n', &self.chunk[at..]) else { return Ok(()) };
                at += length + 1;
                self.place.comment = false;
                self.place.lines += 1;
                continue;
            }
            match byte {
                b'\n' => self.place.end_line(&self.head)?,
                b' ' | b'\t' | b'\r' => {}
                b'%' if self.place.fresh => self.place.comment = true,
                _ => {
                    let rest = &self.chunk[at..];
                    let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
                    self.place.word(&rest[..length], &self.head, self.wanted, batch)?;
                    at += length.max(1);
                    continue;
                }
            }
            at += 1;
        }
        Ok(())
    }

    /// The text's end: is everything there?
    fn check(&self) -> Result<(), String> {
        let (Head { vertices, edges, .. }, found) = (self.head, self.place.vertex);
        if found < vertices {
            return Err(format!(
                "expected {vertices} lines of neighbours, as its header says, found {found}; it was cut off or its header \
                 is wrong"
            ));
        }
        let entries = self.place.entries;
        if entries != edges.saturating_mul(2) {
            return Err(format!(
                "expected each of {edges} edges twice, as its header says, found {entries} neighbours in all; it was cut \
                 off or its header is wrong"
            ));
        }
        Ok(())
    }
}

impl Place {
    fn word(&mut self, word: &[u8], head: &Head, wanted: bool, batch: &mut Batch) -> Result<(), String> {
        self.fresh = false;
        if self.vertex >= head.vertices {
            let (vertices, found) = (head.vertices, shown(word));
            return Err(format!("expected the end after the lines of {vertices} vertices, found {found}"));
        }
        if self.in_front < head.in_front {
            self.in_front += 1;
            return whole(word, "the vertex's size or weight").map(drop);
        }
        let source = self.vertex + 1;
        if let Some(target) = self.waiting.take() {
            let weight = weight(word)?;
            batch.pairs.push((source, target));
            if wanted {
                batch.weights.push(weight);
            }
            return Ok(());
        }
        let target = whole(word, "a neighbour")?;
        if !(1..=head.vertices).contains(&target) {
            return Err(format!("expected a neighbour from 1 to {}, found {target}", head.vertices));
        }
        self.entries += 1;
        if head.weighted {
            self.waiting = Some(target);
        } else {
            batch.pairs.push((source, target));
        }
        Ok(())
    }

    fn end_line(&mut self, head: &Head) -> Result<(), String> {
        if let Some(neighbour) = self.waiting {
            return Err(format!("expected a weight after neighbour {neighbour}, found the end of the line"));
        }
        if self.vertex < head.vertices {
            if self.in_front < head.in_front {
                let (expected, found) = (head.in_front, self.in_front);
                return Err(format!(
                    "expected {expected} numbers of the vertex before its neighbours, found {found}"
                ));
            }
            self.vertex += 1;
        }
        self.lines += 1;
        self.in_front = 0;
        self.fresh = true;
        Ok(())
    }
}

impl EdgeReader for Metis {
    fn declared(&self) -> Declared {
        Declared {
            vertices: Some(self.head.vertices),
            first: 1,
            directed: false,
            undirected: false,
            both_ways: !self.directed,
            weighted: self.wanted,
        }
    }

    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool, GraphError> {
        batch.clear();
        if self.ended {
            return Ok(false);
        }
        // What goes wrong below is the end; only a good batch takes this back.
        self.ended = true;
        let name = &self.name;
        let more = self.chunks.next(&mut self.chunk).map_err(|failure| failure.at(name, self.place.lines))?;
        if !more {
            self.check().map_err(|what| GraphError::malformed(&self.name, what))?;
            return Ok(false);
        }
        self.parse(batch).map_err(|what| {
            Failure::Line { before: 0, what: what.into() }.at(&self.name, self.place.lines)
        })?;
        self.ended = false;
        Ok(true)
    }

    fn summary(&self) -> InputSummary {
        self.summary.clone()
    }

    fn progress(&self) -> (u64, Option<u64>) {
        self.meter.progress()
    }

    fn memory_bytes(&self) -> u64 {
        2 * CHUNK as u64
    }
}
