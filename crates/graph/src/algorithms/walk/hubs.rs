//! The lists that run over several blocks: which piece holds the neighbour that was candidates.

use leadline_graph_store::format::{Direction, Directory, List, Scratch, Vertex};

use super::law::runs;
use crate::{Engine, GraphError, Which};

/// A piece of a hub's list: a block's part of it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Piece {
    /// Its first neighbour.
    first: Vertex,
    /// Neighbours in the pieces before.
    pub(super) before: u64,
    /// The weight of the pieces before.
    pub(super) weight_before: f64,
    /// That part of it which leads to `first` as well.
    carried: f64,
}

impl Piece {
    /// What the edges to a neighbour that are in the pieces before weigh together, where it is in this
    /// piece.
    pub(super) fn carried(&self, neighbour: Vertex) -> f64 {
        if neighbour == self.first { self.carried } else { 0.0 }
    }
}

/// A piece on its own.
#[derive(Debug, Clone, Copy, Default)]
struct Measured {
    count: u64,
    weight: f64,
    /// Its first neighbour, its last one, and what the edges to each weigh together.
    first: (Vertex, f64),
    last: (Vertex, f64),
    /// The most that the edges to one neighbour weigh together.
    heaviest: f64,
}

/// Of a block: no hub's list ends in it.
const NONE: u32 = u32::MAX;

/// All hubs, ascending, and their pieces.
#[derive(Debug)]
pub(super) struct Hubs {
    hubs: Vec<Hub>,
    pieces: Vec<Piece>,
    /// By block: the place of the hub whose last piece it has.
    ends_in: Vec<u32>,
}

/// A vertex whose list runs over several blocks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hub {
    vertex: Vertex,
    /// Block of the first piece.
    block: u32,
    /// Place of the first piece, and number of pieces.
    start: u32,
    count: u32,
    /// All its neighbours.
    pub(super) degree: u64,
    /// The weight of all its edges, or their number.
    pub(super) weight: f64,
    /// The most that the edges to one neighbour weigh together, or how many they are.
    pub(super) heaviest: f64,
}

impl Hubs {
    /// Bytes in memory, those of finding them included.
    pub(super) fn bytes(directory: &Directory) -> u64 {
        let continued = (0..directory.blocks()).filter(|block| directory.is_continued(*block)).count() as u64;
        // A hub has a piece more than it has blocks that are continued.
        continued * (size_of::<Hub>() + 2 * size_of::<Piece>() + 3 * size_of::<(u32, Measured)>() + 8) as u64
            + u64::from(directory.blocks()) * 4
    }

    /// Reads the blocks of all hubs, once. What is not `weighted` is counted.
    pub(super) fn find(engine: &mut Engine<'_>, weighted: bool) -> Result<Hubs, GraphError> {
        let directory = engine.graph().directory(Direction::Forward);
        let (mut found, blocks) = Hubs::listed(directory);
        let hubs = &found;
        let local = || (Scratch::default(), Vec::new());
        let locals =
            engine.sweep(Direction::Forward, Which::Blocks(&blocks), local, |(scratch, known), block| {
                let ends = [block.first(), block.end() - 1];
                let ends = if ends[0] == ends[1] { &ends[..1] } else { &ends[..] };
                for vertex in ends.iter().filter(|vertex| block.is_piece(**vertex)) {
                    if let (_, Some(hub)) = hubs.locate(directory, *vertex) {
                        let place = hub.start + (block.number() - hub.block);
                        known.push((place, measure(&block.list(*vertex, scratch), weighted)));
                    }
                }
            })?;
        let mut measured = vec![Measured::default(); found.pieces.len()];
        for (place, piece) in locals.into_iter().flat_map(|(_, known)| known) {
            measured[place as usize] = piece;
        }
        found.add_up(&measured);
        Ok(found)
    }

    /// Hubs as the directory has them, with pieces of which nothing is known, and their blocks.
    fn listed(directory: &Directory) -> (Hubs, Vec<u32>) {
        let ends_in = vec![NONE; directory.blocks() as usize];
        let mut hubs = Hubs { hubs: Vec::new(), pieces: Vec::new(), ends_in };
        let mut blocks = Vec::new();
        for block in (0..directory.blocks()).filter(|block| directory.is_continued(*block)) {
            let vertex = directory.first_of(block);
            match hubs.hubs.last_mut().filter(|hub| hub.vertex == vertex) {
                Some(hub) => hub.count += 1,
                None => {
                    let start = hubs.pieces.len() as u32;
                    let block = block - 1;
                    hubs.hubs.push(Hub {
                        vertex,
                        block,
                        start,
                        count: 2,
                        degree: 0,
                        weight: 0.0,
                        heaviest: 0.0,
                    });
                    hubs.pieces.push(Piece::default());
                    blocks.push(block);
                }
            }
            hubs.pieces.push(Piece::default());
            blocks.push(block);
        }
        // The end of one hub and the beginning of the next share a block.
        blocks.dedup();
        for (place, hub) in (0..).zip(&hubs.hubs) {
            hubs.ends_in[(hub.block + hub.count - 1) as usize] = place;
        }
        (hubs, blocks)
    }

    fn add_up(&mut self, measured: &[Measured]) {
        for hub in &mut self.hubs {
            // The last neighbour so far, and the weight of its edges.
            let (mut last, mut carried) = (Vertex::MAX, 0.0);
            let places = hub.start as usize..(hub.start + hub.count) as usize;
            for (place, piece) in self.pieces[places.clone()].iter_mut().zip(&measured[places]) {
                if piece.first.0 != last {
                    carried = 0.0;
                }
                let (before, weight_before) = (hub.degree, hub.weight);
                *place = Piece { first: piece.first.0, before, weight_before, carried };
                hub.degree += piece.count;
                hub.weight += piece.weight;
                hub.heaviest = hub.heaviest.max(piece.heaviest).max(carried + piece.first.1);
                let all_one = piece.first.0 == piece.last.0;
                (last, carried) = (piece.last.0, piece.last.1 + if all_one { carried } else { 0.0 });
            }
        }
    }

    /// The block in which a vertex's list ends, and what is known of the vertex if it is a hub.
    #[inline]
    pub(super) fn locate(&self, directory: &Directory, vertex: Vertex) -> (u32, Option<&Hub>) {
        let last = directory.last_block_of(vertex);
        let hub = self.hubs.get(self.ends_in[last as usize] as usize);
        (last, hub.filter(|hub| hub.vertex == vertex))
    }

    /// The piece of a hub in a block.
    pub(super) fn piece(&self, hub: &Hub, block: u32) -> Piece {
        self.pieces[(hub.start + (block - hub.block)) as usize]
    }

    /// The block with the neighbour of this number.
    pub(super) fn block_of_number(&self, hub: &Hub, number: u64) -> u32 {
        self.last(hub, |piece| piece.before <= number)
    }

    /// The block in which the weights of all before add up to this.
    pub(super) fn block_of_weight(&self, hub: &Hub, weight: f64) -> u32 {
        self.last(hub, |piece| piece.weight_before <= weight)
    }

    /// The block that has a neighbour, if any has.
    pub(super) fn block_of_neighbour(&self, hub: &Hub, neighbour: Vertex) -> u32 {
        self.last(hub, |piece| piece.first <= neighbour)
    }

    /// The last block whose piece, like all before it, is as it should be; the first where none is.
    fn last(&self, hub: &Hub, holds: impl Fn(&Piece) -> bool) -> u32 {
        let pieces = &self.pieces[hub.start as usize..(hub.start + hub.count) as usize];
        hub.block + pieces.partition_point(holds).saturating_sub(1) as u32
    }
}

fn measure(list: &List<'_>, weighted: bool) -> Measured {
    let mut piece = Measured { count: list.neighbours.len() as u64, ..Measured::default() };
    for (i, run) in runs(list, weighted).enumerate() {
        if i == 0 {
            piece.first = run;
        }
        piece.last = run;
        piece.weight += run.1;
        piece.heaviest = piece.heaviest.max(run.1);
    }
    piece
}
