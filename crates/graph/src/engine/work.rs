//! Which blocks a sweep visits, and what of them is left to be taken by threads.

use std::sync::atomic::{AtomicU32, Ordering};

use leadline_graph_store::format::Directory;

use super::meter::Meter;
use crate::{Frontier, Graph};

/// Sweeps over no more blocks than this stay on the calling thread: waking others would cost more.
const INLINE_BLOCKS: u32 = 12;

/// Which blocks a sweep visits.
#[derive(Debug, Clone, Copy)]
pub enum Which<'a> {
    /// All.
    All,
    /// Those with a list, or a piece of one, of a vertex in the set.
    Holding(&'a Frontier),
    /// These, ascending, each once.
    Blocks(&'a [u32]),
}

impl Which<'_> {
    /// Whether all that it names is there, and nothing twice.
    pub(super) fn is_of(self, directory: &Directory) -> bool {
        match self {
            Which::All => true,
            Which::Holding(frontier) => frontier.vertices() == directory.vertices(),
            Which::Blocks(list) => {
                list.is_sorted_by(|block, next| block < next)
                    && list.last().is_none_or(|last| *last < directory.blocks())
            }
        }
    }
}

/// What is left of a sweep, shared by its threads.
pub(super) struct SweepWork<'a> {
    pub(super) which: Which<'a>,
    pub(super) directory: &'a Directory,
    pub(super) chunk: u32,
    /// The next block, or place in the list, that nobody has taken. Relaxed: whoever adds to it has what was
    /// added alone, and what blocks hold does not pass through it. It does not wrap around, since all threads
    /// together add no more behind the end than the most blocks of a store (`MOST_BLOCKS`) leave room for.
    pub(super) cursor: AtomicU32,
    pub(super) meter: &'a Meter,
}

/// The part of a sweep that a thread has taken: blocks, or places in the list.
#[derive(Debug, Default)]
pub(super) struct Claim {
    at: u32,
    end: u32,
}

impl SweepWork<'_> {
    /// The next block for a thread.
    #[inline]
    pub(super) fn next(&self, mine: &mut Claim, graph: &Graph) -> Option<u32> {
        loop {
            if mine.at < mine.end
                && let Some(block) = self.next_of(mine)
            {
                return Some(block);
            }
            let limit = self.limit();
            if self.cursor.load(Ordering::Relaxed) >= limit || graph.stopped() {
                return None;
            }
            let start = self.cursor.fetch_add(self.chunk, Ordering::Relaxed);
            self.meter.take(self.chunk);
            *mine = Claim { at: start.min(limit), end: start.saturating_add(self.chunk).min(limit) };
        }
    }

    /// How many there are to take.
    #[inline]
    pub(super) fn limit(&self) -> u32 {
        match self.which {
            Which::Blocks(list) => list.len() as u32,
            _ => self.directory.blocks(),
        }
    }

    /// Whether threads have taken all.
    pub(super) fn is_done(&self) -> bool {
        self.cursor.load(Ordering::Relaxed) >= self.limit()
    }

    /// The next wanted block of what the thread has taken.
    #[inline]
    fn next_of(&self, mine: &mut Claim) -> Option<u32> {
        let at = mine.at;
        mine.at += 1;
        match self.which {
            Which::All => Some(at),
            Which::Blocks(list) => Some(list[at as usize]),
            Which::Holding(frontier) => {
                let (first, last) = (self.directory.first_of(at), self.directory.last_of(mine.end - 1));
                let block = match frontier.next_within(first.into()..u64::from(last) + 1) {
                    // A hub's pieces: the vertex may lie in this block though the search would find its
                    // first.
                    Some(vertex) if vertex <= self.directory.last_of(at) => at,
                    Some(vertex) => self.directory.block_of(vertex).max(at),
                    None => u32::MAX,
                };
                mine.at = block.saturating_add(1).min(mine.end);
                (block < mine.end).then_some(block)
            }
        }
    }

    /// Whether so few blocks are wanted that one thread should do it all.
    pub(super) fn is_small(&self) -> bool {
        match self.which {
            Which::All => self.directory.blocks() <= INLINE_BLOCKS,
            Which::Blocks(list) => list.len() as u32 <= INLINE_BLOCKS,
            Which::Holding(frontier) => {
                let mut wanted = 0;
                let mut from = Some(0);
                while let Some(vertex) = from.and_then(|from| frontier.next(from)) {
                    let last = self.directory.last_block_of(vertex);
                    wanted += last - self.directory.block_of(vertex) + 1;
                    if wanted > INLINE_BLOCKS {
                        return false;
                    }
                    from = self.directory.last_of(last).checked_add(1);
                }
                true
            }
        }
    }
}
