//! What algorithms read, and what goes through a temporary file, where they work on parts of the vertices: at
//! least, and at most.

use std::ops::Range;

use crate::Graph;
use crate::algorithms::{Alike, PageRankOptions, Parts, pagerank, wcc};
use crate::engine::StateFile;
use crate::format::{Direction, Vertex};

/// How often a part is worked on at most: somewhat more than a graph of random edges in ten parts took
/// (tests/spilled.rs: about 7).
const MOST_VISITS: u64 = 12;

/// Most bytes that an entry moves to temporary files over all levels: 16 for the sort, written and read, and
/// as many in the store of each of some levels.
const MOST_ENTRY_BYTES: u64 = 128;

/// What parts cost.
pub(super) struct Spilled {
    /// Blocks read.
    pub(super) blocks: [u64; 2],
    /// Bytes of vertex state written and read.
    pub(super) bytes: [u64; 2],
}

/// A pass for degrees; then, in each iteration, a pass for each part of neighbours. Where lists are read for
/// sums of their own, those of one part are read again and again, and may stay in the cache meanwhile.
pub(super) fn pagerank(graph: &Graph, options: &PageRankOptions, parts: &Parts, frames: u64) -> Spilled {
    let forward = u64::from(graph.directory(Direction::Forward).blocks());
    let has_reverse = graph.header().has_reverse();
    let side = if has_reverse { Direction::Reverse } else { Direction::Forward };
    let directory = graph.directory(side);
    let blocks_of = |range: &Range<Vertex>| {
        u64::from(directory.last_block_of(range.end - 1) - directory.block_of(range.start) + 1)
    };
    // Two parts may have lists in the same block, which is read for both.
    let all: u64 = parts.lists.iter().map(blocks_of).sum();
    let times = parts.neighbours.len() as u64;
    let (least, most) = if has_reverse {
        let again: u64 = parts.lists.iter().map(|range| blocks_of(range).saturating_sub(frames)).sum();
        let stay = parts.lists.iter().all(|range| blocks_of(range) <= frames);
        // What the part before left in the cache goes only when it was not used twice.
        (all.saturating_sub(frames).max(times * again), if stay { times.min(3) * all } else { times * all })
    } else {
        (times * all.saturating_sub(frames), times * all)
    };
    let fewest =
        u64::from(if options.tolerance > 0.0 { options.iterations.min(1) } else { options.iterations });
    let iterations = u64::from(options.iterations);
    let [begin, fixed, again] = pagerank::spilled_bytes(graph, options, parts);
    Spilled {
        blocks: [
            forward + fewest * least.saturating_sub(parts.lists.len() as u64),
            (forward + all).saturating_add(iterations.saturating_mul(most)),
        ],
        bytes: [begin + fewest * fixed, begin.saturating_add(iterations.saturating_mul(fixed + again))],
    }
}

/// Every part is worked on several times, and each time meets the others, if ids are in no order.
pub(super) fn sssp(graph: &Graph, parts: &Alike) -> Spilled {
    let forward = u64::from(graph.directory(Direction::Forward).blocks());
    let count = parts.ranges.len() as u64;
    let column = StateFile::column_bytes::<f64>(graph.vertices());
    Spilled {
        blocks: [forward, (MOST_VISITS * count).saturating_mul(forward + count)],
        bytes: [3 * column, (2 * MOST_VISITS * (1 + count)).saturating_mul(column)],
    }
}

/// The sort that aggregates may write every entry once, and one level after the other may be a store.
pub(super) fn communities(graph: &Graph, blocks: [u64; 2]) -> Spilled {
    let header = graph.header();
    let entries = header.edges.saturating_mul(if header.directed { 2 } else { 1 });
    Spilled { blocks, bytes: [0, entries.saturating_mul(MOST_ENTRY_BYTES)] }
}

/// One pass; two parts may have lists in the same block, which is read for both.
pub(super) fn wcc(graph: &Graph, parts: &Alike) -> Spilled {
    let forward = u64::from(graph.directory(Direction::Forward).blocks());
    let more = (parts.ranges.len() as u64).saturating_sub(1);
    Spilled { blocks: [forward, forward + more], bytes: wcc::spilled_bytes(graph, parts) }
}
