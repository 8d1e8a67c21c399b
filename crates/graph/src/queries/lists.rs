//! The lists of some vertices, collected in one sweep over their blocks.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::room::Room;
use crate::algorithms::blocks_of;
use crate::format::{Block, Direction, List, Scratch, Vertex};
use crate::{Engine, GraphError, Which};

/// Lists, one behind the other.
#[derive(Debug, Clone, Default)]
pub(super) struct Lists {
    /// Where each list ends and the next begins.
    ends: Vec<usize>,
    neighbours: Vec<Vertex>,
    /// One per neighbour; empty where the graph has none.
    weights: Vec<f64>,
}

/// Which neighbours are kept.
#[derive(Debug, Clone, Copy)]
pub(super) enum Keep<'a> {
    All,
    /// Those among these, which ascend.
    Among(&'a [Vertex]),
}

impl Lists {
    /// Collects the lists of vertices, which ascend, each once.
    ///
    /// # Errors
    /// As [`Engine::sweep`]; [`GraphError::Memory`] where there is no room for them.
    pub(super) fn collect(
        engine: &mut Engine<'_>,
        direction: Direction,
        vertices: &[Vertex],
        keep: Keep<'_>,
        room: &mut Room,
    ) -> Result<Lists, GraphError> {
        let graph = engine.graph();
        let blocks = blocks_of(graph.directory(direction), vertices.iter().copied());
        // Beside what is found: the blocks' numbers, and where each list ends.
        let beside = blocks.len() as u64 * 4 + (vertices.len() * size_of::<usize>()) as u64;
        let weight_bytes = if graph.header().weights.bytes() > 0 { 8 } else { 0 };
        let size = Size::new(4 + weight_bytes);
        let most = room.left().saturating_sub(beside);
        let mut locals =
            engine.sweep(direction, Which::Blocks(&blocks), Local::default, |local: &mut Local, block| {
                local.visit(block, vertices, keep);
                size.add(local.unseen());
                if size.bytes() > most {
                    local.forget();
                }
            })?;
        engine.add_scanned_edges(size.values.load(Relaxed));
        // Also where there is no room, so that the refusal says how much it takes.
        room.take(size.bytes() + beside)?;
        let lists = Lists::put_together(&mut locals, vertices.len());
        // What was collected goes once it is put together.
        room.give_back(size.bytes() + beside);
        room.take(lists.bytes())?;
        Ok(lists)
    }

    /// Bytes in memory.
    pub(super) fn bytes(&self) -> u64 {
        (self.ends.len() * size_of::<usize>() + self.neighbours.len() * 4 + self.weights.len() * 8) as u64
    }

    /// Entries of all lists.
    pub(super) fn entries(&self) -> usize {
        self.neighbours.len()
    }

    /// All neighbours, list by list.
    pub(super) fn neighbours(&self) -> &[Vertex] {
        &self.neighbours
    }

    /// The list of the vertex at a place.
    pub(super) fn list(&self, place: usize) -> List<'_> {
        let range = self.range(place);
        let weights = if self.weights.is_empty() { &[] } else { &self.weights[range.clone()] };
        List { neighbours: &self.neighbours[range], weights }
    }

    fn range(&self, place: usize) -> Range<usize> {
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        start..self.ends[place]
    }

    fn put_together(locals: &mut [Local], vertices: usize) -> Lists {
        let mut pieces: Vec<(usize, Piece)> = Vec::new();
        for (at, local) in locals.iter_mut().enumerate() {
            pieces.extend(std::mem::take(&mut local.pieces).into_iter().map(|piece| (at, piece)));
        }
        // A hub's pieces in the order of their blocks.
        pieces.sort_unstable_by_key(|(_, piece)| (piece.place, piece.block));
        let weights = locals.iter().map(|local| local.weights.len()).sum();
        let mut lists = Lists {
            ends: Vec::with_capacity(vertices),
            neighbours: Vec::with_capacity(locals.iter().map(|local| local.neighbours.len()).sum()),
            weights: Vec::with_capacity(weights),
        };
        for (at, piece) in pieces {
            lists.ends.resize(piece.place as usize, lists.neighbours.len());
            let (local, range) = (&locals[at], piece.start..piece.start + piece.count as usize);
            lists.neighbours.extend_from_slice(&local.neighbours[range.clone()]);
            if weights > 0 {
                lists.weights.extend_from_slice(&local.weights[range]);
            }
        }
        lists.ends.resize(vertices, lists.neighbours.len());
        lists
    }
}

/// How much all threads have found.
struct Size {
    value_bytes: u64,
    values: AtomicU64,
    pieces: AtomicU64,
}

impl Size {
    fn new(value_bytes: u64) -> Size {
        Size { value_bytes, values: 0.into(), pieces: 0.into() }
    }

    fn add(&self, (values, pieces): (u64, u64)) {
        self.values.fetch_add(values, Relaxed);
        self.pieces.fetch_add(pieces, Relaxed);
    }

    /// Bytes of what was collected, and of what it is put together in.
    fn bytes(&self) -> u64 {
        let piece_bytes = 2 * size_of::<(usize, Piece)>() as u64;
        self.values.load(Relaxed) * self.value_bytes * 2 + self.pieces.load(Relaxed) * piece_bytes
    }
}

/// A list or a hub's piece of one.
#[derive(Debug, Clone, Copy)]
struct Piece {
    /// Of its vertex, among those that are wanted.
    place: u32,
    block: u32,
    count: u32,
    start: usize,
}

/// What a thread collects.
#[derive(Default)]
struct Local {
    scratch: Scratch,
    pieces: Vec<Piece>,
    neighbours: Vec<Vertex>,
    weights: Vec<f64>,
    /// Values and pieces of the last block.
    unseen: (u64, u64),
}

impl Local {
    fn visit(&mut self, block: &Block<'_>, vertices: &[Vertex], keep: Keep<'_>) {
        let range = block.vertices();
        let first = vertices.partition_point(|vertex| *vertex < range.start);
        for (place, vertex) in (first..).zip(&vertices[first..]).take_while(|(_, at)| **at < range.end) {
            let start = self.neighbours.len();
            let list = block.list(*vertex, &mut self.scratch);
            keep.each(list, |part| {
                self.neighbours.extend_from_slice(part.neighbours);
                self.weights.extend_from_slice(part.weights);
            });
            let count = (self.neighbours.len() - start) as u32;
            if count > 0 {
                self.pieces.push(Piece { place: place as u32, block: block.number(), count, start });
                self.unseen = (self.unseen.0 + u64::from(count), self.unseen.1 + 1);
            }
        }
    }

    /// Values and pieces since this was last asked.
    fn unseen(&mut self) -> (u64, u64) {
        std::mem::take(&mut self.unseen)
    }

    /// There is no room for the answer: from now on it is only counted.
    fn forget(&mut self) {
        (self.pieces, self.neighbours, self.weights) = (Vec::new(), Vec::new(), Vec::new());
    }
}

impl Keep<'_> {
    /// Calls `each` with the parts of a list that are kept.
    fn each(self, list: List<'_>, mut each: impl FnMut(List<'_>)) {
        let Keep::Among(mut rest) = self else { return each(list) };
        for (at, neighbour) in list.neighbours.iter().enumerate() {
            rest = &rest[smaller(rest, *neighbour)..];
            match rest.first() {
                Some(member) if member == neighbour => each(List {
                    neighbours: &list.neighbours[at..=at],
                    weights: if list.weights.is_empty() { &[] } else { &list.weights[at..=at] },
                }),
                Some(_) => {}
                None => return,
            }
        }
    }
}

/// How many of ascending vertices are smaller than one, which is not far from the first.
fn smaller(vertices: &[Vertex], than: Vertex) -> usize {
    let (mut low, mut high) = (0, 1);
    while high <= vertices.len() && vertices[high - 1] < than {
        (low, high) = (high, high * 2);
    }
    let end = high.min(vertices.len());
    low + vertices[low..end].partition_point(|vertex| *vertex < than)
}
