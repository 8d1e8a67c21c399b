//! Arrays, handed out a batch at a time.

use std::ops::Range;

use super::{ArrayEdges, ArrayIds};
use crate::GraphError;
use crate::input::InputSummary;
use crate::input::binary::PIECE;
use crate::input::chunks::Wrong;
use crate::input::strings::Strings;
use crate::input::{Batch, Declared, EdgeReader};

impl EdgeReader for ArrayEdges {
    fn declared(&self) -> Declared {
        self.declared
    }

    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool, GraphError> {
        // After an error nothing more is given out.
        let ended = std::mem::replace(&mut self.ended, true);
        let given = self.vertices_given == self.vertices.count() && self.edges_given == self.sources.count();
        if ended || given && !self.take_further()? {
            batch.clear();
            return Ok(false);
        }
        let vertices = self.vertices_given..self.vertices.count();
        let edges = self.edges_given..self.sources.count();
        match vertices.is_empty() {
            true => self.next_edges(edges, batch)?,
            false => self.next_vertices(vertices, batch)?,
        }
        self.ended = false;
        Ok(true)
    }

    fn progress(&self) -> (u64, Option<u64>) {
        // How long strings are shows when they are read, and how many batches there are when they end.
        let total = (self.strings.is_none() && self.further.is_none()).then(|| self.bytes());
        (self.bytes_read, total)
    }

    fn strings(&mut self) -> Option<Vec<String>> {
        self.strings.take().map(Strings::into_strings)
    }

    fn string(&self, number: u64) -> Option<&str> {
        self.strings.as_ref()?.string(number)
    }

    fn summary(&self) -> InputSummary {
        let ids = if self.strings.is_some() { "strings" } else { "numbers" };
        InputSummary {
            format: "arrays".to_owned(),
            format_told_by: "by the program that has them",
            ids,
            ..InputSummary::default()
        }
    }

    fn memory_bytes(&self) -> u64 {
        self.strings.as_ref().map_or(0, Strings::memory_bytes)
    }
}

impl ArrayEdges {
    /// Bytes of all arrays, where none is of strings.
    fn bytes(&self) -> u64 {
        (self.vertices.count() * self.vertices.width() + self.sources.count() * self.edge_bytes()) as u64
    }

    /// What errors call an edge.
    fn edge(&self, at: usize) -> String {
        format!("{}edges[{}]", self.place, self.first + at)
    }

    /// Bytes of an edge.
    fn edge_bytes(&self) -> usize {
        let weight = self.weights.as_ref().map_or(0, |weights| weights.width());
        self.sources.width() + self.targets.width() + weight
    }

    /// As many ids of `width` bytes as are read of a binary file at once, and no more than are left.
    fn some(left: Range<usize>, width: usize) -> Range<usize> {
        left.start..left.end.min(left.start + PIECE / width)
    }

    fn next_vertices(&mut self, left: Range<usize>, batch: &mut Batch) -> Result<(), GraphError> {
        batch.clear();
        let mut range = ArrayEdges::some(left, self.vertices.width());
        match &mut self.strings {
            None => {
                batch.vertices.resize(range.len(), 0);
                let copied = self.vertices.copy(range.start, batch.vertices.iter_mut());
                copied.map_err(|(at, id)| negative(format!("vertices[{at}]"), "id", id))?;
                self.bytes_read += (range.len() * self.vertices.width()) as u64;
            }
            Some(strings) => {
                range.end = range.end.min(range.start + STEP);
                let found = Numbered::of(strings, &self.vertices, range.clone(), "id");
                if let Some((at, wrong)) = found.wrong {
                    return Err(wrong.at(&format!("vertices[{at}]")));
                }
                batch.vertices.extend(found.numbers);
                self.bytes_read += found.bytes as u64;
            }
        }
        self.vertices_given = range.end;
        Ok(())
    }

    fn next_edges(&mut self, left: Range<usize>, batch: &mut Batch) -> Result<(), GraphError> {
        let mut range = ArrayEdges::some(left, self.sources.width() + self.targets.width());
        batch.vertices.clear();
        match &mut self.strings {
            None => {
                // Not emptied first: every place that is there is written to.
                batch.pairs.resize(range.len(), (0, 0));
                let sources = self.sources.copy(range.start, batch.pairs.iter_mut().map(|pair| &mut pair.0));
                let targets = self.targets.copy(range.start, batch.pairs.iter_mut().map(|pair| &mut pair.1));
                sources.map_err(|(at, id)| negative(self.edge(at), "source", id))?;
                targets.map_err(|(at, id)| negative(self.edge(at), "target", id))?;
            }
            Some(strings) => {
                batch.pairs.clear();
                // As many as are about as many bytes as are read of a file at once.
                let (mut at, mut bytes) = (range.start, 0);
                while at < range.end && bytes < PIECE {
                    let some = at..range.end.min(at + STEP);
                    at = some.end;
                    let sources = Numbered::of(strings, &self.sources, some.clone(), "source");
                    let targets = Numbered::of(strings, &self.targets, some, "target");
                    let wrong = [sources.wrong, targets.wrong].into_iter().flatten();
                    if let Some((at, wrong)) = wrong.min_by_key(|(at, _)| *at) {
                        let edge = format!("{}edges[{}]", self.place, self.first + at);
                        return Err(wrong.at(&edge));
                    }
                    batch.pairs.extend(sources.numbers.into_iter().zip(targets.numbers));
                    bytes += sources.bytes + targets.bytes;
                }
                range.end = at;
                self.bytes_read += bytes as u64;
            }
        }
        batch.weights.clear();
        if let Some(weights) = &self.weights {
            let copied = weights.copy(range.start, range.len(), &mut batch.weights);
            copied.map_err(|(at, found)| {
                GraphError::malformed(
                    self.edge(at),
                    format!("expected a finite number as weight, found {found}"),
                )
            })?;
        }
        if self.strings.is_none() {
            self.bytes_read += (range.len() * self.edge_bytes()) as u64;
        }
        self.edges_given = range.end;
        Ok(())
    }
}

/// Strings that are numbered at a time.
const STEP: usize = 1 << 10;

/// Numbers of the strings at some places, and what is wrong with one.
#[derive(Default)]
struct Numbered {
    numbers: Vec<u64>,
    bytes: usize,
    wrong: Option<(usize, Wrong)>,
}

impl Numbered {
    /// Numbers strings until one is wrong; `what` each is, for errors.
    fn of(strings: &mut Strings, ids: &ArrayIds, places: Range<usize>, what: &str) -> Numbered {
        let ArrayIds::Strings(all) = ids else {
            unreachable!("where ids are strings there are no numbers among them")
        };
        let (mut numbered, mut at) = (Numbered::default(), places.start);
        all.read(places, &mut |text| {
            if numbered.wrong.is_none() {
                let number = match text {
                    Ok(text) => {
                        numbered.bytes += text.len();
                        strings.number(text.as_bytes())
                    }
                    Err(wrong) => Err(format!("{what}: {wrong}").into()),
                };
                match number {
                    Ok(number) => numbered.numbers.push(number),
                    Err(wrong) => numbered.wrong = Some((at, wrong)),
                }
            }
            at += 1;
        });
        numbered
    }
}

fn negative(place: String, what: &str, id: i64) -> GraphError {
    GraphError::malformed(place, format!("{what} {id}; ids are from 0 to 2^64 - 1"))
}
