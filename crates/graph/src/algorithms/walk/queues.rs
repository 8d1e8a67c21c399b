//! Who waits for which block: walkers sorted by the blocks they need.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use leadline_graph_store::format::Vertex;
use rayon::prelude::*;

/// With fewer walkers than blocks by this factor they are sorted by comparing, which costs nothing for each
/// block that nobody waits for; else by counting.
const FEW: usize = 16;

/// The walkers that wait for each block, and for whose list.
#[derive(Debug)]
pub(super) struct Queues {
    /// Block by block: a vertex in the upper half, a walker in the lower one.
    tasks: Vec<AtomicU64>,
    /// Blocks that somebody waits for, ascending.
    blocks: Vec<u32>,
    /// Where the tasks of each of these end and those of the next begin.
    ends: Vec<u32>,
    /// By thread, then by block of the graph: where the next task goes that the thread finds.
    places: Vec<Vec<u32>>,
}

impl Queues {
    /// Bytes in memory per walker.
    pub(super) const BYTES_PER_WALKER: u64 = size_of::<AtomicU64>() as u64;

    /// Bytes in memory in addition to the walkers, in a graph of that many blocks.
    pub(super) fn fixed_bytes(blocks: u32, threads: u64) -> u64 {
        // A few tasks are a sixteenth of the blocks, of 16 bytes.
        u64::from(blocks) * (4 * threads + 8 + 1)
    }

    /// Empty ones, for that many walkers and blocks.
    pub(super) fn new(walkers: usize, blocks: u32, threads: usize) -> Queues {
        let blocks = blocks as usize;
        Queues {
            tasks: (0..walkers).map(|_| 0.into()).collect(),
            blocks: Vec::with_capacity(blocks),
            ends: Vec::with_capacity(blocks),
            places: vec![vec![0; blocks]; threads],
        }
    }

    /// Fills them again with the `waiting` walkers; `wanted` says for which block a walker waits
    /// and for whose list, if it does. It is asked once or twice.
    pub(super) fn fill(&mut self, waiting: usize, wanted: impl Fn(u32) -> Option<(u32, Vertex)> + Sync) {
        self.blocks.clear();
        self.ends.clear();
        match waiting < self.places[0].len() / FEW {
            true => self.sort(wanted),
            false => self.count(wanted),
        }
    }

    /// Fills empty ones by comparing.
    fn sort(&mut self, wanted: impl Fn(u32) -> Option<(u32, Vertex)>) {
        let walkers = 0..self.tasks.len() as u32;
        let wait = |walker| wanted(walker).map(|(block, vertex)| (block, task(vertex, walker)));
        let mut waiting: Vec<(u32, u64)> = walkers.filter_map(wait).collect();
        waiting.sort_unstable();
        for of_block in waiting.chunk_by(|one, next| one.0 == next.0) {
            let start = self.ends.last().copied().unwrap_or(0);
            for ((_, task), place) in of_block.iter().zip(&self.tasks[start as usize..]) {
                place.store(*task, Relaxed);
            }
            self.blocks.push(of_block[0].0);
            self.ends.push(start + of_block.len() as u32);
        }
    }

    /// Fills empty ones by counting.
    fn count(&mut self, wanted: impl Fn(u32) -> Option<(u32, Vertex)> + Sync) {
        let walkers = self.tasks.len();
        let share = walkers.div_ceil(self.places.len()).max(1);
        let mine = |thread: usize| {
            let of = (thread * share).min(walkers)..((thread + 1) * share).min(walkers);
            of.start as u32..of.end as u32
        };
        self.places.par_iter_mut().enumerate().for_each(|(thread, counts)| {
            counts.fill(0);
            for (block, _) in mine(thread).filter_map(&wanted) {
                counts[block as usize] += 1;
            }
        });
        let mut end = 0;
        for block in 0..self.places[0].len() {
            let start = end;
            for places in &mut self.places {
                let count = std::mem::replace(&mut places[block], end);
                end += count;
            }
            if end > start {
                self.blocks.push(block as u32);
                self.ends.push(end);
            }
        }
        let tasks = &self.tasks;
        self.places.par_iter_mut().enumerate().for_each(|(thread, places)| {
            for walker in mine(thread) {
                if let Some((block, vertex)) = wanted(walker) {
                    let place = &mut places[block as usize];
                    tasks[*place as usize].store(task(vertex, walker), Relaxed);
                    *place += 1;
                }
            }
        });
    }

    /// Blocks that somebody waits for, ascending.
    pub(super) fn blocks(&self) -> &[u32] {
        &self.blocks
    }

    /// Vertices and walkers of a block, if anybody waits for it.
    pub(super) fn of(&self, block: u32) -> impl Iterator<Item = (Vertex, u32)> {
        let tasks = match self.blocks.binary_search(&block) {
            Ok(0) => 0..self.ends[0],
            Ok(place) => self.ends[place - 1]..self.ends[place],
            Err(_) => 0..0,
        };
        self.tasks[tasks.start as usize..tasks.end as usize].iter().map(|task| {
            let task = task.load(Relaxed);
            ((task >> 32) as Vertex, task as u32)
        })
    }
}

fn task(vertex: Vertex, walker: u32) -> u64 {
    u64::from(vertex) << 32 | u64::from(walker)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_walker_that_waits_is_in_its_blocks_queue(
            wanted in prop::collection::vec(prop::option::weighted(0.8, (0..100u32, any::<u32>())), 0..40),
            threads in 1..4usize,
        ) {
            // The same blocks among few others and among many: by counting and by comparing.
            for blocks in [100, 10_000] {
                let mut queues = Queues::new(wanted.len(), blocks, threads);
                for _ in 0..2 {
                    queues.fill(wanted.iter().flatten().count(), |walker| wanted[walker as usize]);
                    let mut right: Vec<(u32, Vertex, u32)> = (0..).zip(&wanted)
                        .filter_map(|(walker, wanted)| wanted.map(|(block, vertex)| (block, vertex, walker)))
                        .collect();
                    right.sort_unstable();
                    let mut found: Vec<(u32, Vertex, u32)> = queues.blocks().iter()
                        .flat_map(|block| queues.of(*block).map(|(vertex, walker)| (*block, vertex, walker)))
                        .collect();
                    found.sort_unstable();
                    prop_assert_eq!(found, right);
                    prop_assert!(queues.blocks().is_sorted_by(|one, next| one < next));
                }
            }
        }
    }
}
