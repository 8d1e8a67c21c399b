//! Passes over all blocks of a direction, and what the cache keeps of them for the next: the rule of
//! `engine/cache.rs`, in numbers of blocks.

use leadline_graph_store::format::Direction;

use crate::Graph;

/// Passes so far.
#[derive(Debug, Clone)]
pub(crate) struct Passes {
    /// Blocks read.
    pub(crate) read: u64,
    /// By direction; an undirected graph has forward ones only.
    sides: [Side; 2],
    directed: bool,
    /// Frames that nothing was in.
    unused: u64,
    passes: u32,
}

#[derive(Debug, Clone, Copy)]
struct Side {
    blocks: u64,
    cached: u64,
    /// The last pass over this side.
    pass: u32,
}

impl Passes {
    /// None yet, and nothing cached.
    pub(super) fn new(graph: &Graph, frames: u32) -> Passes {
        let directed = graph.header().directed;
        let forward = u64::from(graph.directory(Direction::Forward).blocks());
        let reverse = u64::from(graph.all_blocks()) - forward;
        let side = |blocks| Side { blocks, cached: 0, pass: 0 };
        let sides = [side(forward), side(reverse)];
        Passes { read: 0, sides, directed, unused: frames.into(), passes: 0 }
    }

    /// A pass over a direction: what is cached is not read. What is read goes to frames that nothing was in,
    /// or that neither this pass nor the one before used.
    pub(crate) fn pass(&mut self, direction: Direction) {
        self.passes += 1;
        let side = usize::from(self.directed && direction == Direction::Reverse);
        let missed = self.sides[side].blocks - self.sides[side].cached;
        let fresh = missed.min(self.unused);
        let other = &mut self.sides[1 - side];
        let old = if other.pass + 1 < self.passes { other.cached } else { 0 };
        let freed = (missed - fresh).min(old);
        other.cached -= freed;
        self.unused -= fresh;
        let own = &mut self.sides[side];
        own.cached += fresh + freed;
        own.pass = self.passes;
        self.read += missed;
    }

    /// The same passes that many times.
    pub(crate) fn repeat(&mut self, times: u32, each: impl Fn(&mut Passes)) {
        // What the cache keeps no longer changes after a few.
        let few = times.min(8);
        let mut before = self.read;
        for _ in 0..few {
            before = self.read;
            each(self);
        }
        self.read += u64::from(times - few) * (self.read - before);
    }

    /// Passes over all directions that have lists of their own.
    pub(crate) fn pass_all(&mut self) {
        self.pass(Direction::Forward);
        if self.directed {
            self.pass(Direction::Reverse);
        }
    }
}
