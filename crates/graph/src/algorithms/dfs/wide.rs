//! Many blocks at a time, for graphs that do not fit in memory.
//!
//! Each round takes the blocks of the vertices on top of the stack, as many as keep the device busy. A block
//! that is read is worth more than the one vertex that asked for it, so all that waits in it is visited,
//! wherever it is on the stack, and, depth-first, what that leads to within the block. What is found outside
//! of it goes on the stack when the round is over, the find of the topmost block last.
//!
//! Threads share the blocks of a round. Within it a vertex can be visited in its own block only, and what it
//! leads to is put in order when all are done, so that neither threads nor the order of reads matter.

use std::sync::{Mutex, PoisonError};

use leadline_graph_store::format::{Block, Direction, NO_VERTEX, Vertex};

use super::forest::Forest;
use super::visit::{Log, Round};
use crate::{Engine, GraphError, Which};

/// A tree from each source that no tree before it reached, `at_once` blocks a round. After trees whose rounds
/// had no more than half as many, twice as many begin together: reads are then in flight for many small trees
/// as they are for a large one.
///
/// # Errors
/// What a source, the device or a damaged store gives.
pub(super) fn search(
    engine: &mut Engine<'_>,
    forest: &mut Forest,
    mut sources: impl Iterator<Item = Result<Vertex, GraphError>>,
    at_once: usize,
) -> Result<(), GraphError> {
    let mut wide = Wide { at_once, ..Wide::default() };
    let mut roots = Vec::new();
    let mut trees = 1;
    loop {
        roots.clear();
        for source in &mut sources {
            let source = source?;
            if !forest.is_visited(source) {
                roots.push(source);
                if roots.len() == trees {
                    break;
                }
            }
        }
        if roots.is_empty() {
            return Ok(());
        }
        for root in roots.iter().rev() {
            forest.push(*root, NO_VERTEX);
        }
        let blocks_per_round = wide.grow(engine, forest)?;
        trees = if 2 * blocks_per_round <= at_once { (2 * trees).min(at_once) } else { 1 };
    }
}

/// What is kept from round to round.
#[derive(Default)]
struct Wide {
    /// Blocks that are visited at once.
    at_once: usize,
    /// Blocks of the round, those of the topmost vertex first; ascending where it is a hub.
    blocks: Vec<u32>,
    /// The same, ascending.
    chosen: Vec<u32>,
    /// Hubs of the round, ascending.
    hubs: Vec<Vertex>,
    /// Empty ones.
    logs: Vec<Log>,
}

impl Wide {
    /// Visits all that waits and what it leads to; blocks of a round, on average.
    fn grow(&mut self, engine: &mut Engine<'_>, forest: &mut Forest) -> Result<usize, GraphError> {
        let (mut rounds, mut visited) = (0, 0);
        while forest.top().is_some() {
            self.choose(engine, forest);
            let blocks = std::mem::take(&mut self.blocks);
            // A hub may have more blocks than are visited at once: from its end, so that its beginning comes
            // on top.
            for blocks in blocks.rchunks(self.at_once) {
                self.visit(engine, forest, blocks)?;
            }
            rounds += 1;
            visited += blocks.len();
            self.blocks = blocks;
        }
        Ok(visited / rounds.max(1))
    }

    /// Chooses the blocks of a round, and its hubs, which are visited in this moment.
    fn choose(&mut self, engine: &Engine<'_>, forest: &mut Forest) {
        let directory = engine.graph().directory(Direction::Forward);
        self.blocks.clear();
        self.chosen.clear();
        self.hubs.clear();
        while let Some(vertex) = forest.pop() {
            let (first, last) = (directory.block_of(vertex), directory.last_block_of(vertex));
            if !self.blocks.is_empty() && self.blocks.len() + 1 + (last - first) as usize > self.at_once {
                forest.put(vertex);
                break;
            }
            for block in first..=last {
                if let Err(place) = self.chosen.binary_search(&block) {
                    self.chosen.insert(place, block);
                    self.blocks.push(block);
                }
            }
            if last > first {
                forest.visit(vertex, forest.parent(vertex));
                forest.number(vertex);
                self.hubs.push(vertex);
            }
        }
        self.hubs.sort_unstable();
    }

    /// Visits blocks of a round, the topmost first.
    fn visit(
        &mut self,
        engine: &mut Engine<'_>,
        forest: &mut Forest,
        blocks: &[u32],
    ) -> Result<(), GraphError> {
        let mut ascending: Vec<(u32, u32)> = blocks.iter().copied().zip(0..).collect();
        ascending.sort_unstable();
        let wanted: Vec<u32> = ascending.iter().map(|(block, _)| *block).collect();
        let empty = Mutex::new(std::mem::take(&mut self.logs));
        let log = || empty.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        let round = Round { forest, hubs: &self.hubs };
        let visit = |log: &mut Log, block: &Block<'_>| round.visit(log, block);
        let mut logs = engine.sweep(Direction::Forward, Which::Blocks(&wanted), log, visit)?;
        engine.add_scanned_edges(logs.iter().map(|log| log.edges).sum());
        // By block, the topmost first: its log, and its part there.
        let mut parts = vec![(0, 0); blocks.len()];
        for (i, log) in logs.iter().enumerate() {
            for (number, part) in log.parts.iter().enumerate() {
                let place = ascending.partition_point(|(block, _)| *block < part.block);
                parts[ascending[place].1 as usize] = (i, number);
            }
        }
        self.keep(forest, &logs, &parts);
        logs.iter_mut().for_each(Log::clear);
        logs.append(&mut empty.into_inner().unwrap_or_else(PoisonError::into_inner));
        self.logs = logs;
        Ok(())
    }

    /// Numbers what was visited, from the topmost block on, and puts what was found on the stack, that of the
    /// topmost last.
    fn keep(&self, forest: &mut Forest, logs: &[Log], parts: &[(usize, usize)]) {
        for (log, number) in parts {
            for visit in logs[*log].part(*number).0 {
                if self.hubs.binary_search(&visit.vertex).is_err() {
                    forest.number(visit.vertex);
                }
            }
        }
        for (log, number) in parts.iter().rev() {
            let (visits, mut start) = logs[*log].part(*number);
            for visit in visits {
                for neighbour in &logs[*log].found[start..visit.found_end as usize] {
                    if !forest.is_visited(*neighbour) {
                        forest.push(*neighbour, visit.vertex);
                    }
                }
                start = visit.found_end as usize;
            }
        }
    }
}
