//! How many blocks an algorithm reads in a first run, when nothing is cached: at least, and at most.

use super::Algorithm;
use super::passes::Passes;
use crate::Graph;
use crate::algorithms::{
    PageRankOptions, Starts, UpwardRoom, WalkOptions, cdlp, lcc, scc, similarity, triangles, walk,
};
use crate::format::Direction;

/// Most passes where not all blocks fit: somewhat more than graphs of random edges and grids took with hardly
/// any cache (tests/estimate.rs: 4.7, 4.3, 2.9 and 14.6; strongly connected components 5.0). Grids whose ids
/// are at random take more.
const MOST_BFS: u64 = 6;
pub(super) const MOST_SSSP: u64 = 6;
const MOST_DFS: u64 = 4;
const MOST_KCORE: u64 = 16;
const MOST_SCC: u64 = 16;

/// Of communities, all levels together, the same way.
const MOST_COMMUNITIES: u64 = 100;

/// A graph's blocks, and the room for them.
struct Blocks<'g> {
    graph: &'g Graph,
    forward: u64,
    /// 0 where both directions have the same lists, or only one has any.
    reverse: u64,
    frames: u32,
}

/// The least and the most blocks, with so many frames in the cache. Sources are taken to lead to nearly all.
pub(super) fn blocks(graph: &Graph, algorithm: &Algorithm, frames: u32) -> [u64; 2] {
    let forward = u64::from(graph.directory(Direction::Forward).blocks());
    let blocks = Blocks { graph, forward, reverse: u64::from(graph.all_blocks()) - forward, frames };
    match algorithm {
        Algorithm::Bfs { parents } => blocks.bfs(*parents),
        Algorithm::Wcc => [forward; 2],
        Algorithm::PageRank(options) => blocks.pagerank(options),
        Algorithm::Sssp => [forward, blocks.again(forward, MOST_SSSP)],
        Algorithm::Cdlp { iterations } => blocks.cdlp(*iterations),
        Algorithm::Louvain(_) | Algorithm::Leiden(_) => blocks.communities(),
        Algorithm::Lcc => blocks.lists(lcc::room(graph, graph.options().memory).0),
        Algorithm::Triangles { per_vertex } => {
            blocks.lists(triangles::room(graph, graph.options().memory, *per_vertex).0)
        }
        Algorithm::KCore => blocks.kcore(),
        Algorithm::Scc => blocks.scc(),
        Algorithm::Similarities { pairs, sink_bytes } => blocks.similarities(*pairs, *sink_bytes),
        Algorithm::MostSimilar(_) => blocks.most_similar(),
        Algorithm::Dfs => [forward, blocks.again(forward, MOST_DFS)],
        Algorithm::Walks(options) => blocks.walks(options),
    }
}

impl Blocks<'_> {
    fn all(&self) -> u64 {
        self.forward + self.reverse
    }

    /// Reads of so many blocks that are visited so many times: once where all are cached.
    fn again(&self, blocks: u64, times: u64) -> u64 {
        if u64::from(self.frames) >= self.all() { blocks } else { blocks.saturating_mul(times) }
    }

    /// Of so many blocks, those that the cache has no room for.
    fn not_cached(&self, blocks: u64) -> u64 {
        blocks.saturating_sub(self.frames.into())
    }

    fn passes(&self) -> Passes {
        Passes::new(self.graph, self.frames)
    }

    /// Pushes read forward lists, pulls reverse ones; what is reached is read in one of both at least. If
    /// vertices are numbered by degree, a block has vertices of like degrees, which are reached on the same
    /// level, so that fewer than half of the blocks may be wanted (0.48 to 0.67 of those of R-MAT graphs).
    /// Parents are one more pass over forward lists.
    fn bfs(&self, parents: bool) -> [u64; 2] {
        let header = self.graph.header();
        let least = if self.reverse > 0 { self.forward.min(self.reverse) } else { self.forward };
        let least = if header.renumbered && header.has_reverse() { least * 2 / 5 } else { least };
        let most = self.again(self.all(), MOST_BFS);
        match parents && self.again(1, 2) > 1 {
            true => [least + self.not_cached(self.forward), most + self.forward],
            false => [least, most],
        }
    }

    /// A pass for degrees or for the sums of weights, then one per iteration. With a tolerance there may be
    /// a single one.
    fn pagerank(&self, options: &PageRankOptions) -> [u64; 2] {
        let side = match self.graph.header().has_reverse() {
            true => Direction::Reverse,
            false => Direction::Forward,
        };
        let read = |iterations: u32| {
            let mut passes = self.passes();
            passes.pass(Direction::Forward);
            passes.repeat(iterations, |passes| passes.pass(side));
            passes.read
        };
        let least = if options.tolerance > 0.0 { options.iterations.min(1) } else { options.iterations };
        [read(least), read(options.iterations)]
    }

    /// A pass for degrees, then one per iteration, if all are done.
    fn cdlp(&self, iterations: u32) -> [u64; 2] {
        let mut passes = self.passes();
        passes.pass_all();
        passes.repeat(iterations, Passes::pass_all);
        let at_once = cdlp::Room::new(self.graph, self.graph.options().memory).at_once;
        // One more for the blocks in which lists of two batches meet.
        [passes.read, self.at_most(passes.read, at_once, 2 + u64::from(iterations))]
    }

    /// The most reads of so many passes over all directions, of which the cache saves some if all goes well.
    /// It does where a pass is over all blocks and over one direction only; else blocks may go that would
    /// have been wanted again.
    fn at_most(&self, at_best: u64, whole: bool, passes: u64) -> u64 {
        if whole && self.reverse == 0 { at_best } else { self.again(self.all(), passes) }
    }

    /// Two passes for the sizes, one to load the lists, and one each time they are streamed past those held.
    fn lists(&self, room: UpwardRoom) -> [u64; 2] {
        let header = self.graph.header();
        let sides = if self.reverse > 0 { 2 } else { 1 };
        // Of an edge and its other direction one leads upwards.
        let entries = (header.edges - header.self_loops) * sides / 2;
        let mut passes = self.passes();
        passes.repeat(2, Passes::pass_all);
        if entries <= room.held {
            passes.pass_all();
            return [passes.read, self.at_most(passes.read, true, 3)];
        }
        let times = entries.div_ceil(room.held.max(1));
        let least = passes.read + (1 + times) * self.not_cached(self.all());
        // Lists are not cut, so that there may be more of them at a time than it seems.
        [least, self.again(self.all(), 3 + 2 * times)]
    }

    /// A pass for degrees, and one at least to move vertices; another one aggregates, if any moves.
    fn communities(&self) -> [u64; 2] {
        let mut passes = self.passes();
        passes.repeat(2, Passes::pass_all);
        [self.all().min(passes.read), self.again(self.all(), MOST_COMMUNITIES).max(passes.read)]
    }

    /// A pass for degrees, and one at least to take all vertices away.
    fn kcore(&self) -> [u64; 2] {
        let mut passes = self.passes();
        passes.repeat(2, Passes::pass_all);
        [passes.read, self.again(self.all(), MOST_KCORE).max(passes.read)]
    }

    /// Two passes over forward lists if everything is finished in memory at once, else one over each
    /// direction at least.
    fn scc(&self) -> [u64; 2] {
        let mut passes = self.passes();
        if scc::Room::new(self.graph, self.graph.options().memory).at_once {
            passes.repeat(2, |passes| passes.pass(Direction::Forward));
            return [passes.read; 2];
        }
        passes.pass_all();
        [passes.read, self.again(self.all(), MOST_SCC)]
    }

    /// The blocks of all pairs to measure lists, and for each batch those that are held and those that are
    /// streamed. Where the pairs are is not known.
    fn similarities(&self, pairs: u64, sink_bytes: u64) -> [u64; 2] {
        let memory = self.graph.options().memory;
        let room = similarity::PairsRoom::new(self.graph, memory, pairs, sink_bytes);
        // Lists are not cut: two batches that follow one another are more than there is room for.
        let batches = if room.held == room.all { 1 } else { 2 * room.all / room.held.max(1) + 1 };
        let most = if pairs == 0 { 0 } else { self.again(self.forward, 1 + 2 * batches) };
        [self.forward.min(pairs).min(1), most]
    }

    /// A pass over what leads to vertices and one over what leads from them; then for each batch what leads
    /// from its vertices, and what leads to their neighbours. How many batches there are depends on how many
    /// share neighbours; at most there is one for each vertex.
    fn most_similar(&self) -> [u64; 2] {
        let mut passes = self.passes();
        passes.pass(Direction::Reverse);
        passes.pass(Direction::Forward);
        [passes.read, self.again(self.all(), 2 + 2 * self.graph.vertices()).max(passes.read)]
    }

    /// A round for every step reads the blocks where walkers stand, after those of hubs.
    fn walks(&self, options: &WalkOptions) -> [u64; 2] {
        let walks = self.graph.walk_count(options);
        let at_once = walk::Room::new(self.graph, self.graph.options().memory, options).at_once.max(1);
        let least = match &options.starts {
            Starts::From(_) => self.forward.min(walks).min(1),
            // One in every second block or so, where there is one for each.
            _ => self.forward.min(walks) / 2,
        };
        if self.again(1, 2) == 1 {
            return [least, self.forward];
        }
        // Each try takes a round, and some a second one, in which the vertex before is asked.
        let asking = if options.tries() > 1.0 { 2.0 } else { 1.0 };
        let rounds = f64::from(options.length) * options.tries() * asking * walks.div_ceil(at_once) as f64;
        let most = self.forward as f64 + rounds * at_once.min(self.forward) as f64;
        [least, most as u64]
    }
}
