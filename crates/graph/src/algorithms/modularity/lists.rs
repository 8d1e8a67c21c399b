//! The lists that vertices are moved by, in memory: of all vertices, or of some that were read.

use std::ops::Range;

use leadline_graph_store::format::Vertex;

use super::batches::Batch;
use crate::prefetch::prefetch;
use crate::{Frontier, GraphError};

/// How many entries ahead what is known of a neighbour is asked for.
const AHEAD: usize = 12;

/// The neighbours of a vertex, each with the weight of an edge. An edge from the vertex to itself counts
/// twice, once for each of its ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct List<'a> {
    pub(super) vertex: Vertex,
    neighbours: &'a [Vertex],
    /// Of each neighbour; empty where every edge weighs 1.
    weights: &'a [f64],
    /// How often an edge to the vertex itself counts for each time that it is listed.
    loops: f64,
}

impl List<'_> {
    /// Entries.
    #[inline]
    pub(super) fn len(self) -> usize {
        self.neighbours.len()
    }

    /// All entries.
    #[inline]
    pub(super) fn each(self, mut each: impl FnMut(Vertex, f64)) {
        let times = |neighbour: Vertex| if neighbour == self.vertex { self.loops } else { 1.0 };
        if self.weights.is_empty() {
            self.neighbours.iter().for_each(|neighbour| each(*neighbour, times(*neighbour)));
            return;
        }
        for (neighbour, weight) in self.neighbours.iter().zip(self.weights) {
            each(*neighbour, times(*neighbour) * weight);
        }
    }

    /// All entries of other vertices, while what `of` has for neighbours further on is fetched from memory.
    #[inline]
    pub(super) fn each_other<T>(self, of: &[T], mut each: impl FnMut(Vertex, f64)) {
        let mut at = 0;
        self.each(|neighbour, weight| {
            if let Some(later) = self.neighbours.get(at + AHEAD) {
                prefetch(&of[*later as usize]);
            }
            at += 1;
            if neighbour != self.vertex {
                each(neighbour, weight);
            }
        });
    }
}

/// Lists in memory.
#[derive(Debug, Default)]
pub(super) struct MemoryLists {
    /// Where each list ends.
    pub(super) ends: Vec<u64>,
    pub(super) neighbours: Vec<Vertex>,
    /// Empty where every edge weighs 1.
    pub(super) weights: Vec<f64>,
    pub(super) loops: f64,
}

impl MemoryLists {
    /// Bytes of that many vertices and weighted entries, and of a part of them that is being added.
    pub(super) fn bytes(vertices: u64, entries: u64) -> u64 {
        vertices * 8 + entries * 16
    }

    /// The list at a place in a batch, and the vertex it belongs to.
    #[inline]
    pub(super) fn list(&self, place: usize, vertex: Vertex) -> List<'_> {
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        let range = start as usize..self.ends[place] as usize;
        let weights = if self.weights.is_empty() { &[] } else { &self.weights[range.clone()] };
        List { vertex, neighbours: &self.neighbours[range], weights, loops: self.loops }
    }
}

/// The lists of all vertices of a range, the first one's at place 0.
#[derive(Debug, Clone)]
pub(super) struct Stretch<'a> {
    pub(super) lists: &'a MemoryLists,
    pub(super) range: Range<Vertex>,
}

/// Some vertices, ascending, and where their lists are.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) lists: &'a MemoryLists,
    pub(super) vertices: &'a [Vertex],
    /// The place of the first one's list, where lists are in the order of `vertices`; none where they are by
    /// vertex.
    pub(super) first: Option<usize>,
}

impl<'a> View<'a> {
    /// The list of one of the vertices.
    #[inline]
    pub(super) fn list(self, at: usize) -> List<'a> {
        let vertex = self.vertices[at];
        let place = self.first.map_or(vertex as usize, |first| first + at);
        self.lists.list(place, vertex)
    }
}

/// What is done with lists of all vertices.
pub(super) type EachStretch<'w> = &'w mut (dyn FnMut(Stretch<'_>) -> Result<(), GraphError> + Send);

/// What is done with a batch.
pub(super) type EachBatch<'w> = &'w mut (dyn FnMut(View<'_>, &Batch) + Send);

/// A graph without directions.
pub(super) trait Lists: Send {
    /// Vertices.
    fn vertices(&self) -> u64;

    /// Whether entries have weights of their own.
    fn weighted(&self) -> bool;

    /// The lists of all vertices, ascending.
    fn each_stretch(&mut self, each: EachStretch<'_>) -> Result<(), GraphError>;

    /// The lists of a set, by batches of it, in their order. What is taken out of the set meanwhile comes all
    /// the same.
    fn each_batch(
        &mut self,
        wanted: &Frontier,
        batches: &[Batch],
        each: EachBatch<'_>,
    ) -> Result<(), GraphError>;

    /// All lists, if they are in memory.
    fn in_memory(&self) -> Option<&MemoryLists>;
}

/// Calls `each` with batches of lists that are by vertex.
pub(super) fn each_batch_of(
    lists: &MemoryLists,
    wanted: &Frontier,
    batches: &[Batch],
    mut each: impl FnMut(View<'_>, &Batch) -> Result<(), GraphError>,
) -> Result<(), GraphError> {
    let mut vertices = Vec::new();
    for batch in batches {
        vertices.clear();
        vertices.extend(wanted.iter(batch.range.clone()));
        each(View { lists, vertices: &vertices, first: None }, batch)?;
    }
    Ok(())
}

/// Of communities: with weights.
impl Lists for MemoryLists {
    fn vertices(&self) -> u64 {
        self.ends.len() as u64
    }

    fn weighted(&self) -> bool {
        true
    }

    fn each_stretch(&mut self, each: EachStretch<'_>) -> Result<(), GraphError> {
        each(Stretch { lists: self, range: 0..self.ends.len() as Vertex })
    }

    fn each_batch(
        &mut self,
        wanted: &Frontier,
        batches: &[Batch],
        each: EachBatch<'_>,
    ) -> Result<(), GraphError> {
        each_batch_of(self, wanted, batches, |view, batch| {
            each(view, batch);
            Ok(())
        })
    }

    fn in_memory(&self) -> Option<&MemoryLists> {
        Some(self)
    }
}
