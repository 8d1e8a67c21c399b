//! Lists with their changes as the new blocks will have them: what a thread makes of some blocks.

use crate::format::{Block, Layout, Scratch, Vertex, list_code};

/// Lists of vertices that ascend.
#[derive(Debug, Default)]
pub(super) struct Coded {
    lists: Vec<CodedList>,
    bytes: Vec<u8>,
    neighbours: Vec<Vertex>,
    weights: Vec<f64>,
    /// Neighbours in all lists.
    pub(super) entries: u64,
}

/// One of them, behind the one before.
#[derive(Debug, Clone, Copy)]
enum CodedList {
    /// Whole, in the code of a block.
    Whole { vertex: Vertex, degree: u32, bytes: u32 },
    /// A hub's, or a piece of it, to be cut where the new blocks end.
    Cut { vertex: Vertex, degree: u32 },
}

/// A list that is seen.
#[derive(Debug, Clone, Copy)]
pub(super) enum Seen<'a> {
    Whole { vertex: Vertex, degree: u64, code: &'a [u8] },
    Cut { vertex: Vertex, neighbours: &'a [Vertex], weights: &'a [f64] },
}

impl Coded {
    pub(super) fn clear(&mut self) {
        let Coded { lists, bytes, neighbours, weights, entries } = self;
        lists.clear();
        bytes.clear();
        neighbours.clear();
        weights.clear();
        *entries = 0;
    }

    /// Calls `see` with all lists, in order.
    pub(super) fn each<E>(&self, mut see: impl FnMut(Seen<'_>) -> Result<(), E>) -> Result<(), E> {
        let Coded { bytes, neighbours, weights, .. } = self;
        let (mut bytes, mut neighbours, mut weights) = (&bytes[..], &neighbours[..], &weights[..]);
        for list in &self.lists {
            match *list {
                CodedList::Whole { vertex, degree, bytes: length } => {
                    let (code, rest) = bytes.split_at(length as usize);
                    bytes = rest;
                    see(Seen::Whole { vertex, degree: degree.into(), code })?;
                }
                CodedList::Cut { vertex, degree } => {
                    let (own, rest) = neighbours.split_at(degree as usize);
                    neighbours = rest;
                    let (of_own, rest) = weights.split_at(weights.len().min(degree as usize));
                    weights = rest;
                    see(Seen::Cut { vertex, neighbours: own, weights: of_own })?;
                }
            }
        }
        Ok(())
    }
}

/// Codes lists for a layout.
#[derive(Debug)]
pub(super) struct Coder {
    layout: Layout,
    scratch: Scratch,
}

impl Coder {
    pub(super) fn new(layout: Layout) -> Coder {
        Coder { layout, scratch: Scratch::default() }
    }

    /// Adds the lists of a block, from a vertex on.
    pub(super) fn block(&mut self, block: &Block<'_>, from: Vertex, coded: &mut Coded) {
        let most = list_code::most_bytes(&self.layout);
        let is_same = block.weights() == self.layout.weights;
        for (vertex, place) in block.places().filter(|(vertex, _)| *vertex >= from) {
            let is_piece = block.is_piece(vertex);
            // A list that did not change is copied as it is.
            let code = block.coded_at(place).filter(|code| is_same && !is_piece && code.len() <= most);
            if let Some(code) = code {
                if !code.is_empty() {
                    coded.bytes.extend_from_slice(code);
                    coded.end_whole(vertex, block.degree_at(place), code.len());
                }
                continue;
            }
            let list = block.list(vertex, &mut self.scratch);
            if list.neighbours.is_empty() {
                continue;
            }
            let start = coded.bytes.len();
            // A neighbour takes a byte and a control at least.
            if !is_piece && list.neighbours.len() <= most {
                let (neighbours, weights) = (list.neighbours.iter().copied(), list.weights.iter().copied());
                list_code::encode(&self.layout, vertex, neighbours, weights, &mut coded.bytes);
                let length = coded.bytes.len() - start;
                if length <= most {
                    coded.end_whole(vertex, list.neighbours.len(), length);
                    continue;
                }
                coded.bytes.truncate(start);
            }
            coded.neighbours.extend_from_slice(list.neighbours);
            coded.weights.extend_from_slice(list.weights);
            let degree = list.neighbours.len();
            coded.lists.push(CodedList::Cut { vertex, degree: degree as u32 });
            coded.entries += degree as u64;
        }
    }
}

impl Coded {
    fn end_whole(&mut self, vertex: Vertex, degree: usize, bytes: usize) {
        self.lists.push(CodedList::Whole { vertex, degree: degree as u32, bytes: bytes as u32 });
        self.entries += degree as u64;
    }
}
