//! Lists of the neighbours above each vertex, assembled in memory, and the triangles found by intersecting
//! them: what local clustering and the count of triangles have in common.
//!
//! Each edge belongs to its end with the shorter list, so that no vertex has more of them than the square
//! root of all entries (Chiba, Nishizeki, "Arboricity and Subgraph Listing Algorithms", SIAM Journal on
//! Computing 14, 1985). These lists are half as long as those in the store, and all are held in memory where
//! they fit. Where they do not, as many as fit are held at a time, and all are streamed past them (Hu, Tao,
//! Chung, "Massive Graph Triangulation", SIGMOD 2013).

mod close;

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use leadline_graph_store::format::{Block, Vertex};

pub(super) use close::Count;
use close::close;

use super::decoded::Decoded;
use super::lists::{Gathering, Lists, batches, directions, most_values, spare, sweep_range};
use super::numbers;
use super::table::Table;
use crate::algorithm::Algorithm;
use crate::estimate::{Blocks, Cost, Passes, Size};
use crate::{Engine, Graph, GraphError, Which, engine};

/// Most vertices: an entry of a list in memory holds a vertex and a bit.
const MOST_VERTICES: u64 = (1 << 31) - 1;

/// Nanoseconds of one thread for local clustering of rmat20 with all blocks cached (benches/RESULTS.md, "The
/// other algorithms"), by the number of entries to the power of 1.5: that many steps bound it.
const STEP: f64 = 0.065;

/// An entry is looked at once at least; what that takes is known from PageRank.
const LEAST: Cost = super::pagerank::COST;

/// The share of a step that it takes to gather lists, as a guess for whoever watches; triangles are found in
/// the rest.
const GATHERED: f64 = 0.25;

/// Bytes per vertex of what is here: lengths and counts, and where the held and the streamed lists end.
const BYTES_PER_VERTEX: u64 = 16;

/// Whether a graph is of those whose triangles can be found, which `algorithm` does.
///
/// # Errors
/// [`GraphError::NeedsReverse`], [`GraphError::TooManyVertices`].
pub(super) fn check(graph: &Graph, algorithm: &dyn Algorithm) -> Result<(), GraphError> {
    algorithm.check(graph)?;
    let vertices = graph.vertices();
    if vertices > MOST_VERTICES {
        let what = format!("{} of {} takes", algorithm.what(), graph.name());
        return Err(GraphError::TooManyVertices { found: vertices, what, most: MOST_VERTICES });
    }
    Ok(())
}

/// Two passes for the sizes, one to load the lists, and one each time they are streamed past those held.
pub(super) fn reads(blocks: &Blocks<'_>, plan: MemoryPlan) -> [u64; 2] {
    let header = blocks.graph.header();
    let sides = if blocks.reverse > 0 { 2 } else { 1 };
    // Of an edge and its other direction one leads upwards.
    let entries = (header.edges - header.self_loops) * sides / 2;
    let mut passes = blocks.passes();
    passes.repeat(2, Passes::pass_all);
    if entries <= plan.held {
        passes.pass_all();
        return [passes.read, blocks.at_most(passes.read, true, 3)];
    }
    let times = entries.div_ceil(plan.held.max(1));
    let least = passes.read + (1 + times) * blocks.not_cached(blocks.all());
    // Lists are not cut, so that there may be more of them at a time than it seems.
    [least, blocks.again(blocks.all(), 3 + 2 * times)]
}

/// What it takes to find all triangles, at least and at most.
pub(super) fn computing(size: &Size) -> [f64; 2] {
    let least = size.pass(LEAST, size.both);
    [least, least.max(STEP * size.both * size.both.sqrt())]
}

/// Entries of lists that there is room for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MemoryPlan {
    pub(crate) held: u64,
    /// 0 where all are held.
    pub(crate) streamed: u64,
}

impl MemoryPlan {
    /// Under a cap of `memory` bytes, and the bytes of all state, room included. An algorithm has
    /// `per_vertex` more bytes per vertex than are for the lists.
    pub(crate) fn of(graph: &Graph, memory: u64, per_vertex: u64) -> (MemoryPlan, u64) {
        let listed = graph.header().edges * directions(graph).len() as u64;
        let blocks = u64::from(graph.all_blocks());
        let threads = graph.options().threads.max(1) as u64;
        let fixed = graph.vertices() * (BYTES_PER_VERTEX + per_vertex)
            + blocks * 4
            + threads * (Table::bytes(most_above(listed)) + most_values(graph) * 4 * 2);
        let plan = MemoryPlan::new(listed, blocks, spare(graph, memory, fixed) / 4);
        (plan, fixed + 4 * (plan.held + plan.streamed))
    }

    /// Of `spare` entries, for a graph with that many listed in that many blocks.
    fn new(listed: u64, blocks: u64, spare: u64) -> MemoryPlan {
        // Half of the listed ones lead upwards. Pieces of one list may each have the value where they meet.
        let all = listed / 2 + blocks;
        // From either direction.
        let longest = 2 * most_above(listed) + blocks;
        // Half of what is left keeps blocks.
        let room = (spare / 2).max(2 * longest);
        match room {
            room if room >= all => MemoryPlan { held: all, streamed: 0 },
            room => {
                let streamed = (room / 4).max(longest);
                MemoryPlan { held: room - streamed, streamed }
            }
        }
    }
}

/// Most neighbours above a vertex: each of them has at least as long a list as it has itself.
fn most_above(listed: u64) -> u64 {
    listed.isqrt() + 1
}

/// Which neighbours are above which vertices.
pub(super) struct Upward {
    /// Entries of a vertex's lists; longer lists, and of equal ones higher vertices, are above.
    lengths: Vec<AtomicU32>,
    /// Of these, entries that are above the vertex.
    counts: Vec<AtomicU32>,
    directed: bool,
    /// None where lists are read from blocks.
    decoded: Option<Decoded>,
}

impl Upward {
    /// How long all lists are, then how many entries of each are above their vertex.
    pub(super) fn measure(engine: &mut Engine<'_>) -> Result<Upward, GraphError> {
        let graph = engine.graph();
        let vertices = graph.vertices();
        let directed = graph.header().directed;
        // Little of the run, most of which is to come.
        engine.expect(0.0..0.0);
        // Lists are read three times, but blocks that are cached are decoded sooner than lists are made of
        // them.
        let Some(decoded) = Decoded::of(engine, engine::Passes::One, 0)? else {
            let (lengths, counts) = (numbers(vertices, |_| 0), numbers(vertices, |_| 0));
            let upward = Upward { lengths, counts, directed, decoded: None };
            upward.measure_blocks(engine)?;
            return Ok(upward);
        };
        engine.begin_pass(0)?;
        let lengths = numbers(vertices, |vertex| decoded.degree(vertex));
        let mut upward = Upward { lengths, counts: Vec::new(), directed, decoded: None };
        engine.begin_pass(0)?;
        upward.counts = numbers(vertices, |vertex| upward.above(&decoded, vertex).count() as u32);
        Ok(Upward { decoded: Some(decoded), ..upward })
    }

    /// The lists in memory that triangles are found in; none where they are read from blocks.
    pub(super) fn decoded(&self) -> Option<&Decoded> {
        self.decoded.as_ref()
    }

    /// As [`Upward::measure`], of lists in blocks.
    fn measure_blocks(&self, engine: &mut Engine<'_>) -> Result<(), GraphError> {
        for direction in directions(engine.graph()) {
            engine.sweep(
                *direction,
                Which::All,
                || (),
                |(), block| {
                    for vertex in block.vertices() {
                        self.lengths[vertex as usize]
                            .fetch_add(block.degree(vertex) as u32, Ordering::Relaxed);
                    }
                },
            )?;
        }
        for direction in directions(engine.graph()) {
            engine.sweep(
                *direction,
                Which::All,
                || (),
                |(), block| {
                    for vertex in block.vertices() {
                        let mut count = 0;
                        self.above_in_block(block, vertex, |_| count += 1);
                        self.counts[vertex as usize].fetch_add(count, Ordering::Relaxed);
                    }
                },
            )?;
        }
        Ok(())
    }

    /// Calls `held` with the lists of every vertex, once, as many at a time as there is room for, and finds
    /// all triangles. How many there are, and how often the lists were streamed past those held.
    pub(super) fn close_all<C: Count>(
        &self,
        engine: &mut Engine<'_>,
        plan: MemoryPlan,
        count: &C,
        each_held: impl Fn(&Lists),
    ) -> Result<(u64, u64), GraphError> {
        let held = batches(&self.counts, plan.held);
        let streamed = if held.len() > 1 { batches(&self.counts, plan.streamed) } else { Vec::new() };
        let mut triangles = 0;
        let all = (held.len() * (1 + streamed.len())) as f64;
        // What part of a step is done before it, and after it.
        let share = |step: usize, [from, to]: [f64; 2]| (step as f64 + from) / all..(step as f64 + to) / all;
        let gather = |engine: &mut Engine<'_>, range, step| {
            engine.expect(share(step, [0.0, GATHERED]));
            self.gather(engine, range)
        };
        let close = |engine: &Engine<'_>, lists: &Lists, held: &Lists, step| {
            engine.expect(share(step, [GATHERED, 1.0]));
            close(engine, lists, held, count)
        };
        for (step, range) in (0..).step_by(1 + streamed.len()).zip(&held) {
            let lists = gather(engine, range, step)?;
            each_held(&lists);
            if streamed.is_empty() {
                triangles += close(engine, &lists, &lists, step)?;
            }
            for (after, range) in (1..).zip(&streamed) {
                let others = gather(engine, range, step + after)?;
                triangles += close(engine, &others, &lists, step + after)?;
            }
        }
        Ok((triangles, held.len() as u64))
    }

    /// Says of the neighbours in one of a vertex's lists, in their order, which are above it; of one that is
    /// repeated, the first time.
    #[inline]
    fn is_above(&self, vertex: Vertex) -> impl FnMut(Vertex) -> bool {
        let place = |vertex: Vertex| (self.lengths[vertex as usize].load(Ordering::Relaxed), vertex);
        let own = place(vertex);
        let mut before = vertex;
        move |neighbour| {
            let is_above = neighbour != before && place(neighbour) > own;
            before = neighbour;
            is_above
        }
    }

    /// Calls `each` with the neighbours in a block that are above a vertex.
    #[inline]
    fn above_in_block(&self, block: &Block<'_>, vertex: Vertex, mut each: impl FnMut(Vertex)) {
        let mut is_above = self.is_above(vertex);
        block.scan(vertex, |neighbour| {
            if is_above(neighbour) {
                each(neighbour);
            }
            true
        });
    }

    /// The neighbours above a vertex, as entries of lists in memory are: doubled, the lowest bit set where
    /// the edge leads to it from there.
    #[inline]
    fn above(&self, decoded: &Decoded, vertex: Vertex) -> impl Iterator<Item = u32> {
        decoded.lists(vertex).zip(self.first_side()..).flat_map(move |(list, side)| {
            let mut is_above = self.is_above(vertex);
            let above = list.iter().filter(move |neighbour| is_above(**neighbour));
            above.map(move |neighbour| neighbour << 1 | side)
        })
    }

    /// The lowest bit of entries from lists of outgoing edges; the one of incoming edges is set.
    fn first_side(&self) -> u32 {
        u32::from(!self.directed)
    }

    /// The neighbours above each vertex of a range, ascending, doubled; the lowest bit is set where edges
    /// lead both ways.
    fn gather(&self, engine: &mut Engine<'_>, range: &Range<Vertex>) -> Result<Lists, GraphError> {
        let mut lists = match &self.decoded {
            Some(decoded) => {
                engine.begin_pass(0)?;
                let mut lists = Lists::of_lengths(range.clone(), &self.counts);
                lists.for_each(|vertex, list| {
                    list.iter_mut()
                        .zip(self.above(decoded, vertex))
                        .for_each(|(place, entry)| *place = entry);
                });
                engine.add_scanned_edges(lists.entries());
                if !self.directed {
                    // They are ascending, and nothing is in two of them.
                    return Ok(lists);
                }
                lists
            }
            None => self.gather_blocks(engine, range)?,
        };
        lists.for_each(|_, list| list.sort_unstable());
        lists.squeeze(
            |a, b| a >> 1 == b >> 1,
            |run| match run {
                [first, .., last] if first != last => first | 1,
                [first, ..] if self.directed => first & !1,
                _ => run[0],
            },
        );
        Ok(lists)
    }

    /// What blocks have of these lists, in any order; pieces of one list may each have the value where they
    /// meet.
    fn gather_blocks(&self, engine: &mut Engine<'_>, range: &Range<Vertex>) -> Result<Lists, GraphError> {
        let gathering = Gathering::new(range.clone(), &self.counts);
        for (direction, side) in directions(engine.graph()).iter().zip(self.first_side()..) {
            let visit = |(edges, found): &mut (u64, Vec<u32>), block: &Block<'_>| {
                for vertex in block.vertices().filter(|vertex| range.contains(vertex)) {
                    found.clear();
                    self.above_in_block(block, vertex, |neighbour| found.push(neighbour << 1 | side));
                    *edges += found.len() as u64;
                    gathering.put(vertex, found);
                }
            };
            let counted = sweep_range(engine, *direction, range, Default::default, visit)?;
            engine.add_scanned_edges(counted.into_iter().map(|(edges, _)| edges).sum());
        }
        Ok(gathering.end())
    }
}
