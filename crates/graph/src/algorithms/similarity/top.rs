//! The most similar ones of each vertex. For a batch of vertices, their neighbours are collected, then the
//! lists of what leads to these are read: each vertex in such a list shares that neighbour. What is found for
//! a vertex is a list of all such vertices, sorted in the end, or, where that would be longer than a number
//! for each vertex of the graph, these numbers.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use leadline_graph_store::format::{Block, Direction, Vertex};
use rayon::prelude::*;

use super::{Measure, Worker, ends};
use crate::algorithms::lists::{directions, distinct, ends_bytes, most_values, spare};
use crate::algorithms::{numbers, plain};
use crate::output::ranks;
use crate::{Engine, Frontier, Graph, GraphError, RunStats, Which};

/// Which vertices are looked for.
#[derive(Debug, Clone, PartialEq)]
pub struct TopOptions {
    /// How similarity is measured.
    pub measure: Measure,
    /// Most for each vertex, at least 1.
    pub most: u32,
    /// Vertices: one that edges from more others than this lead to counts as nobody's neighbour.
    pub skip_above: Option<u32>,
    /// Bytes that the caller holds meanwhile.
    pub sink_bytes: u64,
}

impl TopOptions {
    /// Most pairs that may be found in a graph.
    pub fn most_pairs(&self, graph: &Graph) -> u64 {
        let others = graph.vertices().saturating_sub(1);
        graph.vertices().saturating_mul(others.min(self.most.into()))
    }
}

/// What came of looking for the most similar ones.
#[derive(Debug, Clone, PartialEq)]
pub struct MostSimilar {
    /// Vertices that share a neighbour with another.
    pub vertices: u64,
    /// How many similar ones were given for them together.
    pub pairs: u64,
    /// In how many batches of vertices.
    pub batches: u64,
    /// What it took.
    pub stats: RunStats,
}

/// Bytes of results that wait to be taken, or those of a vertex for each thread if that is more.
const WAITING_BYTES: u64 = 1 << 20;

/// Bytes of one similar vertex.
const FOUND_BYTES: u64 = size_of::<(Vertex, f64)>() as u64;

/// Bytes of a batch for each vertex of it, for each neighbour of these, and for each vertex found.
const MEMBER_BYTES: u64 = 32;
const NEIGHBOUR_BYTES: u64 = 8;
const SLOT_BYTES: u64 = 4;

/// How memory is shared out.
pub(super) struct MemoryPlan {
    /// Bytes of a batch.
    batch: u64,
    /// Vertices whose results wait together.
    waiting: usize,
    /// Bytes of all.
    pub(super) bytes: u64,
}

impl MemoryPlan {
    /// Under a cap of `memory` bytes.
    pub(super) fn new(graph: &Graph, memory: u64, options: &TopOptions) -> MemoryPlan {
        let vertices = graph.vertices();
        let threads = graph.options().threads.max(1) as u64;
        let most = u64::from(options.most).min(vertices).max(1);
        let waiting = (WAITING_BYTES / (most * FOUND_BYTES)).max(threads);
        let ranks = if graph.header().renumbered { 4 } else { 0 };
        let fixed = vertices * (12 + ranks)
            + 2 * Frontier::bytes(vertices)
            + ends_bytes(graph)
            + threads * (most_values(graph) * 4 * 2 + 2 * most * FOUND_BYTES)
            + waiting * (most * FOUND_BYTES + 24)
            + options.sink_bytes;
        let longest = graph.header().max_degree.min(vertices);
        let least = MEMBER_BYTES + longest * NEIGHBOUR_BYTES + vertices * SLOT_BYTES;
        // Half of what is left keeps blocks.
        let batch = (spare(graph, memory, fixed) / 2).max(least);
        let most_at_all = vertices * MEMBER_BYTES
            + graph.header().edges * NEIGHBOUR_BYTES
            + vertices.saturating_mul(vertices).min(1 << 60) * SLOT_BYTES;
        let batch = batch.min(most_at_all.max(least));
        MemoryPlan { batch, waiting: waiting as usize, bytes: fixed + batch }
    }
}

struct TopState<'a> {
    options: &'a TopOptions,
    /// By vertex: edges that lead to it from others.
    incoming: Vec<AtomicU32>,
    /// By vertex: its neighbours that count.
    sizes: Vec<AtomicU32>,
    /// By vertex: places for those that share a neighbour with it.
    slots: Vec<AtomicU32>,
    /// By vertex, its place in the order of ids; empty where that is the vertex.
    ranks: Vec<u32>,
}

/// Vertices with similar ones, similar ones, and batches.
pub(super) fn find(
    engine: &mut Engine<'_>,
    options: &TopOptions,
    plan: &MemoryPlan,
    mut each: impl FnMut(Vertex, &[(Vertex, f64)]) -> Result<(), GraphError>,
) -> Result<(u64, u64, u64), GraphError> {
    let graph = engine.graph();
    let count = graph.vertices();
    let mut state = TopState {
        options,
        incoming: numbers(count, |_| 0),
        sizes: numbers(count, |_| 0),
        slots: numbers(count, |_| 0),
        ranks: ranks(graph)?,
    };
    engine.expect(0.0..0.0);
    state.measure(engine)?;
    let mut sets = [(); 2].map(|()| Frontier::new(count));
    let mut ids = graph.ids();
    let (mut vertices, mut pairs, mut batches) = (0, 0, 0);
    let mut rank = 0;
    while rank < count {
        // A vertex that shares a neighbour with none has nothing to be found.
        let mut batch = Batch { first: rank, ..Batch::default() };
        let mut bytes = 0;
        while rank < count {
            let vertex = ids.vertex(rank)?;
            let (size, slots) = (get(&state.sizes, vertex), get(&state.slots, vertex));
            bytes += MEMBER_BYTES + u64::from(size) * NEIGHBOUR_BYTES + u64::from(slots) * SLOT_BYTES;
            if bytes > plan.batch && !batch.members.is_empty() {
                break;
            }
            batch.members.push(vertex);
            batch.ends.push(batch.ends.last().copied().unwrap_or(0) + slots as usize);
            batch.neighbours += size as usize;
            rank += 1;
        }
        engine.expect(batch.first as f64 / count as f64..rank as f64 / count as f64);
        let values = state.collect(engine, &batch, &mut sets)?;
        let found = state.give(&batch, values, plan.waiting, &mut each)?;
        (vertices, pairs, batches) = (vertices + found.0, pairs + found.1, batches + 1);
        graph.check_stop()?;
    }
    Ok((vertices, pairs, batches))
}

/// Vertices whose ids follow one another.
#[derive(Default)]
struct Batch {
    /// The rank of the first.
    first: u64,
    members: Vec<Vertex>,
    /// By member: where its places end, and those of the next begin.
    ends: Vec<usize>,
    /// Neighbours of all.
    neighbours: usize,
}

impl Batch {
    fn places(&self, member: usize) -> Range<usize> {
        let start = if member == 0 { 0 } else { self.ends[member - 1] };
        start..self.ends[member]
    }
}

#[inline]
fn get(numbers: &[AtomicU32], vertex: Vertex) -> u32 {
    numbers[vertex as usize].load(Ordering::Relaxed)
}

impl TopState<'_> {
    fn rank(&self, vertex: Vertex) -> u32 {
        self.ranks.get(vertex as usize).copied().unwrap_or(vertex)
    }

    /// Whether a vertex counts as a neighbour.
    #[inline]
    fn counts(&self, neighbour: Vertex) -> bool {
        self.options.skip_above.is_none_or(|most| get(&self.incoming, neighbour) <= most)
    }

    /// Whether there is a number for each vertex of the graph, and not a list.
    #[inline]
    fn is_dense(&self, vertex: Vertex) -> bool {
        get(&self.slots, vertex) as usize == self.slots.len()
    }

    /// How many edges lead to each vertex, then how many neighbours each has and how many share them.
    fn measure(&mut self, engine: &mut Engine<'_>) -> Result<(), GraphError> {
        let side = *directions(engine.graph()).last().unwrap_or(&Direction::Forward);
        let incoming = &self.incoming;
        let visit = |Worker { ends, edges, .. }: &mut Worker, block: &Block<'_>| {
            for vertex in block.vertices() {
                let mut count = 0;
                distinct(block, vertex, ends, |_| count += 1);
                incoming[vertex as usize].fetch_add(count, Ordering::Relaxed);
                *edges += u64::from(count);
            }
        };
        let workers = engine.sweep(side, Which::All, Worker::default, visit)?;
        for (vertex, _) in ends(engine, workers) {
            incoming[vertex as usize].fetch_add(1, Ordering::Relaxed);
        }
        let most = self.slots.len() as u64;
        let this = &*self;
        let add = |vertex: Vertex, neighbour: Vertex| {
            if this.counts(neighbour) {
                this.sizes[vertex as usize].fetch_add(1, Ordering::Relaxed);
                let slots = &this.slots[vertex as usize];
                let more = u64::from(get(&this.incoming, neighbour));
                let sum = |now: u32| Some((u64::from(now) + more).min(most) as u32);
                // It never fails, since there always is a sum.
                let _ = slots.fetch_update(Ordering::Relaxed, Ordering::Relaxed, sum);
            }
        };
        let visit = |Worker { ends, edges, .. }: &mut Worker, block: &Block<'_>| {
            for vertex in block.vertices() {
                distinct(block, vertex, ends, |neighbour| {
                    *edges += 1;
                    add(vertex, neighbour);
                });
            }
        };
        let workers = engine.sweep(Direction::Forward, Which::All, Worker::default, visit)?;
        ends(engine, workers).into_iter().for_each(|(vertex, neighbour)| add(vertex, neighbour));
        Ok(())
    }

    /// What shares a neighbour with each member of a batch, at its places: once for each such neighbour, or
    /// how often by vertex.
    fn collect(
        &self,
        engine: &mut Engine<'_>,
        batch: &Batch,
        sets: &mut [Frontier; 2],
    ) -> Result<Vec<u32>, GraphError> {
        sets.iter_mut().for_each(Frontier::clear);
        let [members, between] = &*sets;
        batch.members.iter().for_each(|vertex| {
            members.insert(*vertex);
        });
        // Neighbour, and member whose neighbour it is.
        let edges: Vec<AtomicU64> = (0..batch.neighbours).map(|_| AtomicU64::new(0)).collect();
        let next = AtomicUsize::new(0);
        let put = |vertex: Vertex, neighbour: Vertex| {
            if self.counts(neighbour) {
                between.insert(neighbour);
                let member = u64::from(self.rank(vertex)) - batch.first;
                let at = next.fetch_add(1, Ordering::Relaxed);
                edges[at].store(u64::from(neighbour) << 32 | member, Ordering::Relaxed);
            }
        };
        let visit = |Worker { ends, edges, .. }: &mut Worker, block: &Block<'_>| {
            for vertex in members.iter(block.vertices()) {
                distinct(block, vertex, ends, |neighbour| {
                    *edges += 1;
                    put(vertex, neighbour);
                });
            }
        };
        let workers = engine.sweep(Direction::Forward, Which::Holding(members), Worker::default, visit)?;
        ends(engine, workers).into_iter().for_each(|(vertex, neighbour)| put(vertex, neighbour));
        let mut edges: Vec<u64> = edges.into_iter().map(AtomicU64::into_inner).collect();
        edges.par_sort_unstable();
        self.meet(engine, batch, &edges, between)
    }

    /// Reads what leads to the neighbours of the members.
    fn meet(
        &self,
        engine: &mut Engine<'_>,
        batch: &Batch,
        edges: &[u64],
        between: &Frontier,
    ) -> Result<Vec<u32>, GraphError> {
        let side = *directions(engine.graph()).last().unwrap_or(&Direction::Forward);
        let values = numbers(batch.ends.last().copied().unwrap_or(0) as u64, |_| 0);
        let next: Vec<AtomicU32> = batch.members.iter().map(|_| AtomicU32::new(0)).collect();
        let add = |neighbour: Vertex, others: &[Vertex]| {
            let start = edges.partition_point(|edge| edge >> 32 < u64::from(neighbour));
            let of_it = edges[start..].iter().take_while(|edge| *edge >> 32 == u64::from(neighbour));
            for member in of_it.map(|edge| (edge & u64::from(u32::MAX)) as usize) {
                let places = &values[batch.places(member)];
                if self.is_dense(batch.members[member]) {
                    for other in others {
                        places[*other as usize].fetch_add(1, Ordering::Relaxed);
                    }
                } else {
                    let at = next[member].fetch_add(others.len() as u32, Ordering::Relaxed) as usize;
                    for (place, other) in places[at..at + others.len()].iter().zip(others) {
                        place.store(*other, Ordering::Relaxed);
                    }
                }
            }
        };
        let visit = |Worker { values, ends, edges }: &mut Worker, block: &Block<'_>| {
            for neighbour in between.iter(block.vertices()) {
                values.clear();
                distinct(block, neighbour, ends, |other| values.push(other));
                *edges += values.len() as u64;
                add(neighbour, values);
            }
        };
        let workers = engine.sweep(side, Which::Holding(between), Worker::default, visit)?;
        // Ends of pieces of hubs that are no neighbours are not among them.
        ends(engine, workers).into_iter().for_each(|(neighbour, other)| add(neighbour, &[other]));
        Ok(plain(values))
    }

    /// Chooses the most similar ones of each member and gives them to `each`, in the order of ids. Vertices
    /// that had some, and how many.
    fn give(
        &self,
        batch: &Batch,
        mut values: Vec<u32>,
        waiting: usize,
        each: &mut impl FnMut(Vertex, &[(Vertex, f64)]) -> Result<(), GraphError>,
    ) -> Result<(u64, u64), GraphError> {
        let (mut vertices, mut pairs) = (0, 0);
        let (mut rest, mut from) = (values.as_mut_slice(), 0);
        for some in batch.members.chunks(waiting) {
            let mut lists = Vec::with_capacity(some.len());
            for member in from..from + some.len() {
                let (own, others) = rest.split_at_mut(batch.places(member).len());
                lists.push(own);
                rest = others;
            }
            from += some.len();
            let chosen: Vec<Vec<(Vertex, f64)>> = (some.par_iter().zip(lists).with_max_len(1))
                .map(|(vertex, list)| self.choose(*vertex, list))
                .collect();
            for (vertex, similar) in some.iter().zip(&chosen).filter(|(_, similar)| !similar.is_empty()) {
                vertices += 1;
                pairs += similar.len() as u64;
                each(*vertex, similar)?;
            }
        }
        Ok((vertices, pairs))
    }

    /// The most similar ones of a vertex.
    fn choose(&self, vertex: Vertex, values: &mut [u32]) -> Vec<(Vertex, f64)> {
        let most = (self.options.most as usize).clamp(1, self.sizes.len());
        let mut best = Best { state: self, most, found: Vec::new() };
        let own = get(&self.sizes, vertex);
        let mut offer = |other: Vertex, common: u32| {
            if other != vertex && common > 0 {
                let value = self.options.measure.of(common, [own, get(&self.sizes, other)]);
                best.offer(other, value);
            }
        };
        if self.is_dense(vertex) {
            values.iter().zip(0..).for_each(|(common, other)| offer(other, *common));
        } else {
            values.sort_unstable();
            values.chunk_by(|a, b| a == b).for_each(|run| offer(run[0], run.len() as u32));
        }
        best.end()
    }
}

/// The best of those that were offered.
struct Best<'a> {
    state: &'a TopState<'a>,
    most: usize,
    /// Twice as many at most, of which half are let go then.
    found: Vec<(Vertex, f64)>,
}

impl Best<'_> {
    fn offer(&mut self, other: Vertex, value: f64) {
        self.found.push((other, value));
        if self.found.len() == 2 * self.most {
            self.shorten();
        }
    }

    fn shorten(&mut self) {
        let state = self.state;
        self.found.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(state.rank(a.0).cmp(&state.rank(b.0))));
        self.found.truncate(self.most);
    }

    fn end(mut self) -> Vec<(Vertex, f64)> {
        self.shorten();
        self.found.shrink_to_fit();
        self.found
    }
}
