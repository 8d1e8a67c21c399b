//! Who waits for which block: walkers sorted by the blocks they need, by counting.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;

use crate::format::Vertex;

/// The walkers that wait for each block, and for whose list.
#[derive(Debug)]
pub(super) struct Queues {
    /// Block by block: a vertex in the upper half, a walker in the lower one.
    tasks: Vec<AtomicU64>,
    /// By block: where its tasks end and those of the next begin.
    ends: Vec<u32>,
    /// By thread, then by block: where the next task goes that the thread finds.
    places: Vec<Vec<u32>>,
}

impl Queues {
    /// Bytes in memory per walker.
    pub(super) const BYTES_PER_WALKER: u64 = size_of::<AtomicU64>() as u64;

    /// Bytes in memory beside those of walkers.
    pub(super) fn fixed_bytes(blocks: u32, threads: u64) -> u64 {
        u64::from(blocks) * 4 * (threads + 1)
    }

    /// Empty ones, for so many walkers.
    pub(super) fn new(walkers: usize, blocks: u32, threads: usize) -> Queues {
        Queues {
            tasks: (0..walkers).map(|_| 0.into()).collect(),
            ends: vec![0; blocks as usize],
            places: vec![vec![0; blocks as usize]; threads],
        }
    }

    /// Fills them anew; `wanted` says for which block a walker waits and for whose list, if it does. It is
    /// asked twice.
    pub(super) fn fill(&mut self, wanted: impl Fn(u32) -> Option<(u32, Vertex)> + Sync) {
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
        for (block, block_end) in self.ends.iter_mut().enumerate() {
            for places in &mut self.places {
                let count = std::mem::replace(&mut places[block], end);
                end += count;
            }
            *block_end = end;
        }
        let tasks = &self.tasks;
        self.places.par_iter_mut().enumerate().for_each(|(thread, places)| {
            for walker in mine(thread) {
                if let Some((block, vertex)) = wanted(walker) {
                    let place = &mut places[block as usize];
                    tasks[*place as usize].store(u64::from(vertex) << 32 | u64::from(walker), Relaxed);
                    *place += 1;
                }
            }
        });
    }

    /// Blocks that somebody waits for, ascending.
    pub(super) fn blocks(&self) -> impl Iterator<Item = u32> {
        (0..self.ends.len() as u32).filter(|block| self.start(*block) < self.ends[*block as usize])
    }

    /// Vertices and walkers of a block.
    pub(super) fn of(&self, block: u32) -> impl Iterator<Item = (Vertex, u32)> {
        let tasks = &self.tasks[self.start(block) as usize..self.ends[block as usize] as usize];
        tasks.iter().map(|task| {
            let task = task.load(Relaxed);
            ((task >> 32) as Vertex, task as u32)
        })
    }

    fn start(&self, block: u32) -> u32 {
        if block == 0 { 0 } else { self.ends[block as usize - 1] }
    }
}
