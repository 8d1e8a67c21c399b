//! The lists that run over several blocks: which piece holds the neighbour that was drawn.

use crate::format::{Block, Direction, Directory, Scratch, Vertex};
use crate::{Engine, GraphError, Which};

/// A piece of a hub's list: a block's part of it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Piece {
    /// Its first neighbour.
    first: Vertex,
    /// Neighbours in the pieces before; until all are known, those of this one.
    pub(super) before: u64,
    /// The weight of the pieces before; until all are known, that of this one.
    pub(super) weight_before: f64,
}

/// All hubs, ascending, and their pieces.
#[derive(Debug, Default)]
pub(super) struct Hubs {
    hubs: Vec<Hub>,
    pieces: Vec<Piece>,
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
    /// The weight of all its edges.
    pub(super) weight: f64,
}

impl Hubs {
    /// Bytes in memory, those of finding them included.
    pub(super) fn bytes(directory: &Directory) -> u64 {
        let continued = (0..directory.blocks()).filter(|block| directory.is_continued(*block)).count() as u64;
        // A hub has a piece more than it has blocks that are continued.
        continued * (size_of::<Hub>() + 2 * size_of::<Piece>() + 2 * size_of::<(u32, Piece)>() + 8) as u64
    }

    /// Reads the blocks of all hubs, once.
    pub(super) fn find(engine: &mut Engine<'_>) -> Result<Hubs, GraphError> {
        let directory = engine.graph().directory(Direction::Forward);
        let (mut found, blocks) = Hubs::listed(directory);
        let hubs = &found;
        let local = || (Scratch::default(), Vec::new());
        let locals =
            engine.sweep(Direction::Forward, Which::Blocks(&blocks), local, |(scratch, known), block| {
                let ends = [block.first(), block.end() - 1];
                let ends = if ends[0] == ends[1] { &ends[..1] } else { &ends[..] };
                for vertex in ends.iter().filter(|vertex| block.is_piece(**vertex)) {
                    if let Some(hub) = hubs.get(*vertex) {
                        known
                            .push((hub.start + (block.number() - hub.block), piece(block, *vertex, scratch)));
                    }
                }
            })?;
        for (place, piece) in locals.into_iter().flat_map(|(_, known)| known) {
            found.pieces[place as usize] = piece;
        }
        found.add_up();
        Ok(found)
    }

    /// Hubs as the directory has them, with pieces of which nothing is known, and their blocks.
    fn listed(directory: &Directory) -> (Hubs, Vec<u32>) {
        let (mut hubs, mut blocks) = (Hubs::default(), Vec::new());
        for block in (0..directory.blocks()).filter(|block| directory.is_continued(*block)) {
            let vertex = directory.first_of(block);
            match hubs.hubs.last_mut().filter(|hub| hub.vertex == vertex) {
                Some(hub) => hub.count += 1,
                None => {
                    let start = hubs.pieces.len() as u32;
                    let block = block - 1;
                    hubs.hubs.push(Hub { vertex, block, start, count: 2, degree: 0, weight: 0.0 });
                    hubs.pieces.push(Piece::default());
                    blocks.push(block);
                }
            }
            hubs.pieces.push(Piece::default());
            blocks.push(block);
        }
        // The end of one hub and the beginning of the next share a block.
        blocks.dedup();
        (hubs, blocks)
    }

    fn add_up(&mut self) {
        for hub in &mut self.hubs {
            for piece in &mut self.pieces[hub.start as usize..(hub.start + hub.count) as usize] {
                let (count, weight) = (piece.before, piece.weight_before);
                (piece.before, piece.weight_before) = (hub.degree, hub.weight);
                hub.degree += count;
                hub.weight += weight;
            }
        }
    }

    /// What is known of a vertex, if it is a hub.
    #[inline]
    pub(super) fn get(&self, vertex: Vertex) -> Option<&Hub> {
        let place = self.hubs.binary_search_by_key(&vertex, |hub| hub.vertex).ok()?;
        Some(&self.hubs[place])
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

/// What a block has of a hub's list.
fn piece(block: &Block<'_>, vertex: Vertex, scratch: &mut Scratch) -> Piece {
    let list = block.list(vertex, scratch);
    Piece {
        first: list.neighbours.first().copied().unwrap_or(0),
        before: list.neighbours.len() as u64,
        weight_before: list.weights.iter().map(|weight| weight.max(0.0)).sum(),
    }
}
