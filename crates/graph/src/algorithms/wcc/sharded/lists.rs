//! Edges of the part in memory, as the lists of tiles have them: each is taken up by the part of its higher
//! end.

use std::ops::Range;

use leadline_graph_store::format::{Block, Direction, Vertex};

use super::pairs::Pairs;
use super::{NAME, Parts};
use crate::sharded::{Runs, Tile};
use crate::{GraphError, Which};

/// Blocks that are listed at a time.
const LISTED_BLOCKS: usize = 1 << 18;

/// Which end of an edge is the higher one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Higher {
    /// The vertex that has the list. Edges with another one are passed over.
    Owner,
    /// Its neighbour. Edges to vertices of other parts are passed over.
    Neighbour,
    /// Its neighbour. Edges to vertices below the part are left to the parts of these.
    AnyNeighbour,
}

impl Parts<'_> {
    /// Joins the vertices of the part with their lower neighbours.
    pub(super) fn join_lists(&mut self, runs: &mut Runs) -> Result<(), GraphError> {
        let graph = self.graph;
        let shard = (self.range.start / graph.shards().shard_vertices) as usize;
        let is_lower = |tile: &&Tile| tile.from == shard && tile.to <= shard;
        for tile in graph.tiles(Direction::Forward).iter().filter(is_lower) {
            self.join_rows(runs, tile)?;
        }
        if graph.shards().reverse {
            for tile in graph.tiles(Direction::Reverse).iter().filter(is_lower) {
                self.join_rows(runs, tile)?;
            }
        } else if graph.shards().directed {
            // What leads here from lower vertices is in their lists only.
            for tile in graph.tiles(Direction::Forward) {
                if tile.to == shard && tile.from <= shard {
                    self.join_turned(runs, tile)?;
                }
            }
        }
        Ok(())
    }

    /// Joins the vertices of the part with their lower neighbours in the lists that a tile has of them.
    fn join_rows(&self, runs: &mut Runs, tile: &Tile) -> Result<(), GraphError> {
        let base = tile.from as u64 * self.graph.shards().shard_vertices;
        self.join_lists_of(runs, tile, self.range.start - base..self.range.end - base, Higher::Owner)
    }

    /// Joins the vertices of the part with the lower ones that have them in lists of a tile. The highest part
    /// of a shard may leave it to the others what leads to them, so that the tile is not read again.
    fn join_turned(&mut self, runs: &mut Runs, tile: &Tile) -> Result<(), GraphError> {
        let shards = self.graph.shards();
        let (place, base) = ((tile.from, tile.to), tile.to as u64 * shards.shard_vertices);
        if self.read_once.contains(&place) {
            return Ok(());
        }
        let own = shards.vertices_of(tile.to as u32);
        let mut higher = Higher::Neighbour;
        if self.range.end == base + own && self.is_less_to_leave(tile) {
            higher = Higher::AnyNeighbour;
            self.read_once.push(place);
        }
        // In the shard itself, lower vertices are in front.
        let end =
            if tile.from == tile.to { self.range.end - base } else { shards.vertices_of(tile.from as u32) };
        self.join_lists_of(runs, tile, 0..end, higher)
    }

    /// Whether the pairs that the highest part of a shard leaves to the others take fewer bytes to write and
    /// read than a tile that is read for each of these.
    fn is_less_to_leave(&self, tile: &Tile) -> bool {
        let shards = self.graph.shards();
        let own = shards.vertices_of(tile.to as u32);
        let others = (own.div_ceil(self.part) - 1) as f64;
        // The last shard has no vertices behind its own, but bits for them.
        let apart = self.apart.sets[tile.to].count().saturating_sub(shards.shard_vertices - own);
        let header = tile.graph.header();
        let pairs = header.edges as f64 * apart as f64 / own as f64 * others / (others + 1.0);
        let blocks = f64::from(tile.graph.all_blocks()) * f64::from(header.block_bytes);
        // Of the shard's own tile about half, on average.
        let again = if tile.from == tile.to { 0.5 } else { 1.0 } * others * blocks;
        2.0 * Pairs::BYTES as f64 * pairs < again
    }

    /// Joins the ends of edges in the lists that a tile has of a range of its vertices.
    fn join_lists_of(
        &self,
        runs: &mut Runs,
        tile: &Tile,
        vertices: Range<u64>,
        higher: Higher,
    ) -> Result<(), GraphError> {
        let directory = tile.graph.directory(Direction::Forward);
        let [first, last] = [vertices.start, vertices.end - 1].map(|vertex| vertex as Vertex);
        let (mut next, end) = (directory.block_of(first), directory.last_block_of(last) + 1);
        if next == 0 && end == directory.blocks() {
            return self.join_blocks(runs, tile, Which::All, higher);
        }
        while next < end {
            let blocks: Vec<u32> = (next..end).take(LISTED_BLOCKS).collect();
            next += blocks.len() as u32;
            self.join_blocks(runs, tile, Which::Blocks(&blocks), higher)?;
        }
        Ok(())
    }

    /// Joins the ends of edges of which the higher one is in the part.
    fn join_blocks(
        &self,
        runs: &mut Runs,
        tile: &Tile,
        which: Which<'_>,
        higher: Higher,
    ) -> Result<(), GraphError> {
        let turned = higher != Higher::Owner;
        let each = self.graph.shards().shard_vertices;
        let (from, to) = (tile.from as u64 * each, tile.to as u64 * each);
        let (of_from, of_to) = (&self.apart.sets[tile.from], &self.apart.sets[tile.to]);
        let local = || (Vec::new(), 0, None);
        type Local = (Vec<(u64, u64)>, u64, Option<GraphError>);
        let visit = |(left, joined, failed): &mut Local, block: &Block<'_>| {
            for near in block.vertices() {
                let vertex = from + u64::from(near);
                if !turned && !self.range.contains(&vertex) {
                    continue;
                }
                *joined += block.scan(near, |far| {
                    let other = to + u64::from(far);
                    let (high, low) = if turned { (other, vertex) } else { (vertex, other) };
                    if low >= high {
                        // Lists ascend.
                        return turned;
                    }
                    if turned && !self.range.contains(&high) {
                        if higher == Higher::AnyNeighbour && high < self.range.start {
                            self.defer(high, low, left);
                        }
                        return other < self.range.end;
                    }
                    match (of_from.contains(near), of_to.contains(far)) {
                        (true, true) => self.join(high, low, left),
                        (true, false) => of_from.remove(near),
                        (false, true) => of_to.remove(far),
                        (false, false) => {}
                    }
                    true
                }) as u64;
            }
            if let Err(error) = self.pairs.put(left) {
                failed.get_or_insert(error);
            }
        };
        let locals = tile.sweep(runs, NAME, which, local, visit, |(_, joined, _)| *joined)?;
        locals.into_iter().find_map(|(.., failed)| failed).map_or(Ok(()), Err)
    }
}
