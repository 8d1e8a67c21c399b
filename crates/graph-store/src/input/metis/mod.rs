//! METIS (Karypis, METIS 5.1 manual, section 4.1.1): line i lists the neighbours of vertex i, so each edge
//! stands twice, and is given once, from its lesser end.
//!
//! A line may be longer than memory: it is read word by word. Whether both lists of an edge have it shows at
//! the end; where it is, a second look at the file tells.

mod compare;
mod lists;

use std::path::{Path, PathBuf};

use self::compare::{Before, DISAGREE, Part, Seen, Sides};
use self::lists::{Entries, Entry, Head, Place};
use super::chunks::{CHUNK, Chunks, Cut, Failure, Wrong};
use super::grammar::Grammar;
use super::source::{Meter, Source};
use super::summary::InputSummary;
use super::text::first_edge;
use super::{Batch, Declared, EdgeReader, InputOptions};
use crate::{GraphError, InputOption};

struct Metis {
    path: PathBuf,
    name: String,
    head: Head,
    /// Lines up to the header's.
    lines_before: u64,
    chunks: Chunks,
    chunk: Vec<u8>,
    meter: Meter,
    place: Place,
    lists: Lists,
    memory: u64,
    summary: InputSummary,
    ended: bool,
}

/// What becomes of the neighbours.
struct Lists {
    batch: Batch,
    /// Weights are given.
    weights: bool,
    /// Each entry is an edge of its own, from its line's vertex; else both lists of an edge have it.
    directed: bool,
    sides: Sides,
    seen: Seen,
    /// The weight of an edge from this vertex to itself, and whether it was listed again.
    own: Option<(f64, bool)>,
    entries: u64,
    /// Of them, those of vertices in their own lists.
    own_entries: u64,
    /// Vertices with an edge to themselves.
    loops: u64,
}

pub(super) fn open(
    path: &Path,
    chunks: Chunks,
    options: &InputOptions,
    mut summary: InputSummary,
) -> Result<Box<dyn EdgeReader>, GraphError> {
    let mut chunks = chunks.cut(Cut::Words);
    let name = chunks.name().to_owned();
    let comments = Grammar::blanks(2, false);
    let mut lines = 0;
    let head = match first_edge(&mut chunks, &comments, &mut lines, |_| {})? {
        Some(line) => Head::read(&line)
            .map_err(|what| GraphError::malformed(format_args!("{name}: line {lines}"), what))?,
        None => Head::empty(options.weights),
    };
    let weights = options.weights && head.weighted;
    if head.weighted && !weights {
        summary.notes.push("its weights were not kept".to_owned());
    }
    let lists = Lists {
        batch: Batch::default(),
        weights,
        directed: options.directed,
        sides: Sides::new(weights),
        seen: Seen::new(head.vertices, options.memory / 2),
        own: None,
        entries: 0,
        own_entries: 0,
        loops: 0,
    };
    Ok(Box::new(Metis {
        path: path.to_owned(),
        name,
        head,
        lines_before: lines,
        meter: chunks.meter(),
        chunks,
        chunk: Vec::new(),
        place: Place::behind(head, lines),
        lists,
        memory: options.memory,
        summary,
        ended: false,
    }))
}

impl Entries for Lists {
    fn entry(&mut self, entry: Entry) -> Result<(), String> {
        let Entry { source, target, weight, .. } = entry;
        self.entries += 1;
        if source == target {
            return self.own(entry);
        }
        match self.seen.add(target) {
            Before::No => {}
            Before::Yes => return Err(format!("vertex {source} lists its neighbour {target} twice")),
            Before::Unknown => {
                return Err(format!(
                    "expected the neighbours of vertex {source} in ascending order, which a graph of this \
                     size needs with so little memory, found {target}; give more memory"
                ));
            }
        }
        if !self.directed {
            self.sides.add(&entry);
        }
        if self.directed || source < target {
            self.give(source, target, weight);
        }
        Ok(())
    }

    fn end_list(&mut self) {
        self.seen.clear();
        self.own = None;
    }
}

impl Lists {
    fn give(&mut self, source: u64, target: u64, weight: f64) {
        self.batch.pairs.push((source, target));
        if self.weights {
            self.batch.weights.push(weight);
        }
    }

    /// An edge from a vertex to itself, which METIS does not have and others list once or, as all other
    /// edges, twice.
    fn own(&mut self, entry: Entry) -> Result<(), String> {
        let Entry { source, target, weight, .. } = entry;
        self.own_entries += 1;
        match self.own {
            None => {
                self.own = Some((weight, false));
                self.loops += 1;
                self.give(source, target, weight);
                Ok(())
            }
            Some((before, false)) if !self.directed && (!self.weights || before == weight) => {
                self.own = Some((before, true));
                Ok(())
            }
            Some((before, false)) if !self.directed => {
                Err(format!("the edge from {source} to itself weighs {before} and {weight}"))
            }
            Some(_) => Err(format!("vertex {source} lists itself as a neighbour too often")),
        }
    }

    /// Whether the header's number of edges is that of the lists.
    fn check_edges(&self, edges: u64) -> Result<(), String> {
        let entries = self.entries;
        let between = (entries - self.own_entries) / 2;
        let fits = between + self.loops == edges || entries == edges.saturating_mul(2);
        if fits || self.directed && entries == edges {
            return Ok(());
        }
        Err(format!(
            "expected each of {edges} edges twice, as its header says, found {entries} neighbours in all; it \
             was cut off or its header is wrong"
        ))
    }
}

impl Metis {
    /// The text's end: is everything there?
    fn check(&self) -> Result<(), GraphError> {
        let (vertices, found) = (self.head.vertices, self.place.vertex);
        if found < vertices {
            let what = format!(
                "expected {vertices} lines of neighbours, as its header says, found {found}; it was cut off \
                 or its header is wrong"
            );
            return Err(GraphError::malformed(&self.name, what));
        }
        if let Some(part) = self.lists.sides.unequal() {
            return Err(self.disagreement(part));
        }
        let fits = self.lists.check_edges(self.head.edges);
        fits.map_err(|what| GraphError::malformed(&self.name, what))
    }

    /// Where the lists do not agree: a second look at the file, if there can be one.
    fn disagreement(&self, part: usize) -> GraphError {
        let wrong = |place: &str, text: String| Wrong { text, option: Some(InputOption::Directed) }.at(place);
        match self.second_look(part) {
            Some((line, text)) => wrong(&format!("{}: line {line}", self.name), text),
            None => wrong(&self.name, DISAGREE.to_owned()),
        }
    }

    fn second_look(&self, part: usize) -> Option<(u64, String)> {
        if !self.path.is_file() {
            return None;
        }
        let mut chunks = Chunks::new(Source::text(&self.path).ok()?, Cut::Words);
        for _ in 0..self.lines_before {
            chunks.line().ok()??;
        }
        let mut place = Place::behind(self.head, self.lines_before);
        let mut found = Part::new(part, &self.lists.sides, self.memory / 4);
        let mut chunk = Vec::new();
        while chunks.next(&mut chunk).ok()? {
            place.parse(&chunk, &mut found).ok()?;
        }
        found.first_wrong()
    }
}

impl EdgeReader for Metis {
    fn declared(&self) -> Declared {
        Declared {
            vertices: Some(self.head.vertices),
            first: 1,
            undirected: !self.lists.directed,
            weighted: self.lists.weights,
            ..Declared::default()
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
            self.check()?;
            return Ok(false);
        }
        std::mem::swap(batch, &mut self.lists.batch);
        let parsed = self.place.parse(&self.chunk, &mut self.lists);
        std::mem::swap(batch, &mut self.lists.batch);
        parsed.map_err(|what| {
            Failure::Line { before: 0, what: what.into() }.at(&self.name, self.place.lines)
        })?;
        self.ended = false;
        Ok(true)
    }

    fn summary(&self) -> InputSummary {
        let mut summary = self.summary.clone();
        if self.lists.loops > 0 {
            summary
                .notes
                .push(format!("{} vertices list themselves, which METIS does not allow", self.lists.loops));
        }
        summary
    }

    fn progress(&self) -> (u64, Option<u64>) {
        self.meter.progress()
    }

    fn memory_bytes(&self) -> u64 {
        2 * CHUNK as u64 + self.lists.sides.memory_bytes() + self.lists.seen.memory_bytes()
    }
}
