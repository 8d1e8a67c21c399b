//! Lowering labels along edges until none can be lowered: the end of a breadth-first search, and shortest
//! paths.
//!
//! What counts is how often a block is read, so a block that is in memory is worked on until nothing within
//! it changes: its active vertices are taken in the order of their labels (Dijkstra's algorithm, confined to
//! a block), and what leads out of it makes other blocks wait. Rounds visit those with the lowest labels
//! first, as many as keep the device busy: the buckets of delta-stepping (Meyer, Sanders, "Δ-stepping: a
//! parallelizable shortest path algorithm", Journal of Algorithms 49, 2003), with blocks in them and not
//! vertices. Labels only fall and end at the least fixpoint, whatever the order.

pub(crate) mod in_parts;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use leadline_graph_store::format::{Block, Direction, Directory, Scratch, Vertex};

use crate::frontier::BitLevels;
use crate::word::Word;
use crate::{Engine, Frontier, Graph, GraphError, Which};

/// A round visits at least that many waiting blocks for each read that may be in flight.
const BLOCKS_PER_READ: usize = 4;

/// A round visits at least this share of the waiting blocks: 1 in this many. Bounds what choosing them costs.
const LEAST_SHARE: usize = 8;

/// Labels that edges lower. They are compared as numbers of 64 bits.
pub(crate) trait Labels: Sync {
    /// A vertex's label.
    fn get(&self, vertex: Vertex) -> u64;

    /// Makes a neighbour's label this low, as a vertex offers, if it is higher; whether it was.
    fn lower(&self, vertex: Vertex, neighbour: Vertex, label: u64) -> bool;
}

/// Makes a label this low, if it is higher; whether it was. Most are not, and are only looked at: a cache
/// line that is written belongs to one processor.
#[inline]
pub(crate) fn lower(place: &AtomicU64, label: u64) -> bool {
    label < place.load(Ordering::Relaxed) && label < place.fetch_min(label, Ordering::Relaxed)
}

/// Takes a vertex out of the active ones, before its label is read to be passed on. Whoever lowers the label
/// from now on puts the vertex in again, or what he wrote is read: the other fence is in [`put_in`].
#[inline]
fn take_out<W: Word<u64>>(active: &BitLevels<W>, vertex: Vertex) {
    active.remove(vertex);
    W::fence(Ordering::SeqCst);
}

/// Puts a vertex whose label was lowered in with the active ones; whether it was not among them.
#[inline]
fn put_in<W: Word<u64>>(active: &BitLevels<W>, vertex: Vertex) -> bool {
    W::fence(Ordering::SeqCst);
    active.insert(vertex)
}

/// What a vertex offers to its neighbours.
pub(crate) trait Rule: Sync {
    /// Labels below it are of one bucket with `lowest`; above `lowest`.
    fn bucket(&self, lowest: u64) -> u64;

    /// Calls `each` with the neighbours of a vertex that are in a block, and the label that each is
    /// offered where the vertex has this one; how many.
    ///
    /// # Errors
    /// A neighbour along whose edge labels may not be passed.
    fn offers(
        &self,
        label: u64,
        block: &Block<'_>,
        vertex: Vertex,
        scratch: &mut Scratch,
        each: impl FnMut(Vertex, u64),
    ) -> Result<u64, Vertex>;
}

/// Levels of a breadth-first search.
struct Levels<'a>(&'a [AtomicU32]);

impl Labels for Levels<'_> {
    #[inline]
    fn get(&self, vertex: Vertex) -> u64 {
        u64::from(self.0[vertex as usize].load(Ordering::Relaxed))
    }

    #[inline]
    fn lower(&self, _: Vertex, neighbour: Vertex, label: u64) -> bool {
        let place = &self.0[neighbour as usize];
        let label = label as u32;
        label < place.load(Ordering::Relaxed) && label < place.fetch_min(label, Ordering::Relaxed)
    }
}

/// Each edge is a level.
pub(crate) struct Hops;

impl Rule for Hops {
    fn bucket(&self, lowest: u64) -> u64 {
        lowest + 1
    }

    #[inline]
    fn offers(
        &self,
        label: u64,
        block: &Block<'_>,
        vertex: Vertex,
        _: &mut Scratch,
        mut each: impl FnMut(Vertex, u64),
    ) -> Result<u64, Vertex> {
        let mut edges = 0;
        block.scan(vertex, |neighbour| {
            edges += 1;
            each(neighbour, label + 1);
            true
        });
        Ok(edges)
    }
}

/// Ends a breadth-first search. `levels` are right, or too high, for what was reached and `u32::MAX`
/// elsewhere; `frontier` holds the vertices whose edges may still lower a level. Takes [`relax_bytes`] next
/// to both.
///
/// # Errors
/// What the device or a damaged store gives.
pub(crate) fn relax_levels(
    engine: &mut Engine<'_>,
    levels: &[AtomicU32],
    frontier: &Frontier,
) -> Result<(), GraphError> {
    // A level is never refused.
    relax(engine, &Levels(levels), &Hops, frontier, true).map(|_| ())
}

/// Bytes that [`relax`] takes in addition to the labels and the frontier.
pub(crate) fn relax_bytes(graph: &Graph) -> u64 {
    let blocks = u64::from(graph.directory(Direction::Forward).blocks());
    let block = graph.header().block_bytes;
    // A heap holds each vertex of a block at most once; an entry of the block takes at least 2 bytes.
    let heap = u64::from(block / 2) * size_of::<Reverse<(u64, Vertex)>>() as u64;
    let threads = graph.options().threads.max(1) as u64;
    // The lowest label; the lists of those that wait, of a round, and of hubs, which grow by doubling.
    blocks * (8 + 3 * 2 * 4) + threads * (heap + Scratch::most_bytes(block))
}

/// Lowers labels along the edges of the frontier, and of all vertices whose labels fall by it. Whenever a
/// block is read, its labels are passed on: if `greedy` all, which saves reads, else those of the bucket,
/// which saves work. The frontier is empty in the end. `Err` within: the edge that was refused.
///
/// # Errors
/// What the device or a damaged store gives.
pub(crate) fn relax<L: Labels, R: Rule>(
    engine: &mut Engine<'_>,
    labels: &L,
    rule: &R,
    frontier: &Frontier,
    greedy: bool,
) -> Result<Result<(), (Vertex, Vertex)>, GraphError> {
    let graph = engine.graph();
    let directory = graph.directory(Direction::Forward);
    let mut state = Relaxation {
        labels,
        rule,
        directory,
        active: frontier,
        lowest: (0..directory.blocks()).map(|_| AtomicU64::new(u64::MAX)).collect(),
        hubs: Vec::new(),
        limit: 0,
    };
    let mut waiting = Waiting::default();
    for vertex in state.active.iter(0..graph.vertices() as Vertex) {
        state.wait(vertex, labels.get(vertex), true, &mut waiting);
    }
    let least = BLOCKS_PER_READ * graph.options().depth as usize;
    while !waiting.blocks.is_empty() || !waiting.hubs.is_empty() {
        let round = state.choose(&mut waiting, least, greedy);
        let visit = |worker: &mut Worker, block: &Block<'_>| state.visit(worker, block);
        let workers = engine.sweep(Direction::Forward, Which::Blocks(&round), Worker::default, visit)?;
        for mut worker in workers {
            engine.add_scanned_edges(worker.edges);
            waiting.blocks.append(&mut worker.waiting.blocks);
            waiting.hubs.append(&mut worker.waiting.hubs);
            if let Some(edge) = worker.refused {
                return Ok(Err(edge));
            }
        }
    }
    Ok(Ok(()))
}

struct Relaxation<'a, L, R> {
    labels: &'a L,
    rule: &'a R,
    directory: &'a Directory,
    /// Vertices whose labels fell since they were passed on.
    active: &'a Frontier,
    /// By block: the lowest label that waits there to be passed on; none: `u64::MAX`. Hubs' are not counted.
    lowest: Vec<AtomicU64>,
    /// Hubs whose labels are passed on in this round, ascending: a hub takes part in a round in all its
    /// blocks or in none.
    hubs: Vec<Vertex>,
    /// Labels below it are passed on in this round.
    limit: u64,
}

/// What later rounds are for.
#[derive(Default)]
struct Waiting {
    /// Blocks with active vertices, each once.
    blocks: Vec<u32>,
    /// Active vertices whose lists run over several blocks, each once.
    hubs: Vec<Vertex>,
}

/// What a thread has at hand in a round.
#[derive(Default)]
struct Worker {
    /// Active vertices of the block, lowest label first.
    heap: BinaryHeap<Reverse<(u64, Vertex)>>,
    scratch: Scratch,
    waiting: Waiting,
    edges: u64,
    refused: Option<(Vertex, Vertex)>,
}

impl<L: Labels, R: Rule> Relaxation<'_, L, R> {
    /// The blocks of the next round, ascending: those with the lowest labels, and with them the hubs that are
    /// as low.
    fn choose(&mut self, waiting: &mut Waiting, least: usize, greedy: bool) -> Vec<u32> {
        let lowest = |block: &u32| self.lowest[*block as usize].load(Ordering::Relaxed);
        let hub = |hub: &Vertex| self.labels.get(*hub);
        let first = waiting.blocks.iter().map(lowest).chain(waiting.hubs.iter().map(hub)).min().unwrap_or(0);
        let count = least.max(waiting.blocks.len() / LEAST_SHARE);
        let mut end = self.rule.bucket(first);
        // With few blocks to visit, order saves less than rounds cost.
        let few = waiting.blocks.len() <= count;
        if few {
            end = u64::MAX;
        } else {
            waiting.blocks.select_nth_unstable_by_key(count, lowest);
            end = end.max(lowest(&waiting.blocks[count]));
        }
        let mut round: Vec<u32> = waiting.blocks.extract_if(.., |block| lowest(block) < end).collect();
        let mut hubs: Vec<Vertex> = waiting.hubs.extract_if(.., |vertex| hub(vertex) < end).collect();
        hubs.sort_unstable();
        for block in &round {
            self.lowest[*block as usize].store(u64::MAX, Ordering::Relaxed);
        }
        // Some began to wait while they were visited, and were served by that visit.
        round.retain(|block| {
            let range = self.directory.vertices_of(*block);
            self.active.iter(*range.start()..range.end() + 1).next().is_some()
        });
        for hub in &hubs {
            self.active.remove(*hub);
            round.extend(self.directory.block_of(*hub)..=self.directory.last_block_of(*hub));
        }
        round.sort_unstable();
        round.dedup();
        self.limit = if greedy || few { u64::MAX } else { end };
        self.hubs = hubs;
        round
    }

    /// Passes on the labels of a block until none below the limit is left.
    fn visit(&self, worker: &mut Worker, block: &Block<'_>) {
        for vertex in self.active.iter(block.vertices()).filter(|vertex| !block.is_piece(*vertex)) {
            worker.heap.push(Reverse((self.labels.get(vertex), vertex)));
        }
        let (first, last) = (block.first(), block.end() - 1);
        for vertex in [Some(first), (last != first).then_some(last)].into_iter().flatten() {
            if block.is_piece(vertex) && self.hubs.binary_search(&vertex).is_ok() {
                self.pass_on(worker, block, vertex);
            }
        }
        while let Some(Reverse((label, vertex))) = worker.heap.pop() {
            if label >= self.limit {
                self.wait(vertex, label, false, &mut worker.waiting);
                worker.heap.clear();
                return;
            }
            take_out(self.active.levels(), vertex);
            self.pass_on(worker, block, vertex);
        }
    }

    /// Offers a vertex's label to its neighbours.
    #[inline]
    fn pass_on(&self, worker: &mut Worker, block: &Block<'_>, vertex: Vertex) {
        let Worker { heap, scratch, waiting, edges, refused } = worker;
        let label = self.labels.get(vertex);
        let offered = self.rule.offers(label, block, vertex, scratch, |neighbour, label| {
            if !self.labels.lower(vertex, neighbour, label) {
                return;
            }
            let fresh = put_in(self.active.levels(), neighbour);
            if !block.vertices().contains(&neighbour) || block.is_piece(neighbour) {
                self.wait(neighbour, label, fresh, waiting);
            } else if fresh {
                heap.push(Reverse((label, neighbour)));
            }
        });
        match offered {
            Ok(count) => *edges += count,
            Err(neighbour) => {
                *refused = Some(refused.unwrap_or((vertex, neighbour)).min((vertex, neighbour)))
            }
        }
    }

    /// Has an active vertex wait for a later round; `fresh`: it was not active before.
    #[inline]
    fn wait(&self, vertex: Vertex, label: u64, fresh: bool, waiting: &mut Waiting) {
        let block = self.directory.block_of(vertex);
        let next = block + 1;
        let is_hub = next < self.directory.blocks()
            && self.directory.first_of(next) == vertex
            && self.directory.is_continued(next);
        if !is_hub {
            if self.lowest[block as usize].fetch_min(label, Ordering::Relaxed) == u64::MAX {
                waiting.blocks.push(block);
            }
        } else if fresh {
            waiting.hubs.push(vertex);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use crate::algorithms::{UNREACHED, numbers, plain};
    use leadline_graph_store::format::{Layout, StoreWriter, Weights};

    /// One thread lowers a vertex's label, another passes it on: the lower label is passed on, or the
    /// vertex is active.
    #[test]
    fn a_lower_label_is_passed_on_now_or_later() {
        use loom::sync::{Arc, atomic::AtomicU64};
        loom::model(|| {
            let shared = Arc::new((BitLevels::<AtomicU64>::new(70), AtomicU64::new(9)));
            shared.0.insert(65);
            let lowers = Arc::clone(&shared);
            let lowers = loom::thread::spawn(move || {
                let (active, label) = &*lowers;
                label.store(5, Ordering::Relaxed);
                put_in(active, 65);
            });
            let (active, label) = &*shared;
            take_out(active, 65);
            let passed_on = label.load(Ordering::Relaxed);
            lowers.join().unwrap();
            assert!(passed_on == 5 || active.next_within(0..70) == Some(65), "5 is never passed on");
        });
    }

    const SIDE: u32 = 200;

    fn grid(folder: &std::path::Path) -> Graph {
        let path = folder.join("grid");
        let vertices = u64::from(SIDE * SIDE);
        let layout = Layout {
            block_bytes: 4096,
            compressed: false,
            directed: false,
            weights: Weights::None,
            vertices,
        };
        let mut writer = StoreWriter::create(&path, layout).unwrap();
        for vertex in 0..SIDE * SIDE {
            let (x, y) = (vertex % SIDE, vertex / SIDE);
            let mut edge = |there: bool, other: u32| {
                if there {
                    writer.edge(vertex, other, 0.0).unwrap();
                }
            };
            edge(y > 0, vertex.wrapping_sub(SIDE));
            edge(x > 0, vertex.wrapping_sub(1));
            edge(x + 1 < SIDE, vertex + 1);
            edge(y + 1 < SIDE, vertex + SIDE);
        }
        writer.finish().unwrap();
        let options = Options { memory: 1 << 20, threads: 2, depth: 8, ..Options::default() };
        Graph::open(&path, options).unwrap()
    }

    #[test]
    fn levels_of_a_grid_take_few_reads_though_hardly_a_block_fits() {
        let folder = tempfile::tempdir().unwrap();
        let mut graph = grid(folder.path());
        let vertices = graph.vertices();
        let state = vertices * 4 + Frontier::bytes(vertices) + relax_bytes(&graph);
        graph.set_options(Options { memory: state + (220 << 10), ..graph.options().clone() });
        for source in [0, SIDE - 1, SIDE * SIDE - 1, SIDE * SIDE / 2 + 17] {
            let (levels, stats) = Engine::run(&graph, "levels", state, |engine| {
                assert!(!engine.holds_all());
                let levels = numbers(vertices, |vertex| if vertex == source { 0 } else { UNREACHED });
                let frontier = Frontier::new(vertices);
                frontier.insert(source);
                relax_levels(engine, &levels, &frontier)?;
                Ok(plain(levels))
            })
            .unwrap();
            for vertex in 0..SIDE * SIDE {
                let way = (vertex % SIDE).abs_diff(source % SIDE) + (vertex / SIDE).abs_diff(source / SIDE);
                assert_eq!(levels[vertex as usize], way, "vertex {vertex} from {source}");
            }
            let blocks = u64::from(graph.all_blocks()) * 4096;
            assert!(stats.bytes_read < 8 * blocks, "{} bytes of blocks, {} read", blocks, stats.bytes_read);
        }
    }
}
