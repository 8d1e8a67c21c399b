//! Pairs that are given. The shorter list of each is held in memory, as many as there is room for, while the
//! rest are streamed past them: two sweeps over the blocks of these for each time.

use std::sync::atomic::{AtomicU32, Ordering};

use leadline_graph_store::format::{Block, Direction, Vertex};

use super::{Measure, Worker, ends};
use crate::algorithms::lists::{Gathering, Lists, blocks_of, distinct, ends_bytes, most_values, spare};
use crate::algorithms::{numbers, plain};
use crate::{Engine, Graph, GraphError, Which};

/// A list that many times as long as the other is searched and not walked.
const SEARCH_ABOVE: usize = 16;

/// Bytes per pair: its vertices as given and in order, the length and number of neighbours of each, which is
/// held, its place in the order of work, what is common, the list that is held, and its similarity.
const PAIR_BYTES: u64 = 80;

/// How memory is shared out.
pub(super) struct MemoryPlan {
    /// Entries of lists that are held at a time.
    pub(super) held: u64,
    /// Most that all lists together may have.
    pub(super) all: u64,
    /// Bytes of all.
    pub(super) bytes: u64,
}

impl MemoryPlan {
    /// Under a cap of `memory` bytes.
    pub(super) fn new(graph: &Graph, memory: u64, pairs: u64, sink_bytes: u64) -> MemoryPlan {
        let threads = graph.options().threads.max(1) as u64;
        let fixed = pairs.saturating_mul(PAIR_BYTES).min(1 << 62)
            + ends_bytes(graph)
            + u64::from(graph.all_blocks()) * 8
            + threads * most_values(graph) * 4 * 2
            + sink_bytes;
        let longest = graph.header().max_degree;
        let all = graph.header().edges.min(pairs.saturating_mul(longest));
        // Half of what is left keeps blocks.
        let held = (spare(graph, memory, fixed) / 2 / 4).min(all).max(longest.min(all));
        MemoryPlan { held, all, bytes: fixed + 4 * held }
    }
}

/// The vertices of all pairs.
struct Members {
    /// Ascending, each once.
    vertices: Vec<Vertex>,
    /// Entries of their lists.
    lengths: Vec<AtomicU32>,
    /// Their neighbours.
    sizes: Vec<AtomicU32>,
}

/// By pair, how similar it is.
pub(super) fn compare(
    engine: &mut Engine<'_>,
    pairs: &[(Vertex, Vertex)],
    measure: Measure,
    plan: &MemoryPlan,
) -> Result<Vec<f64>, GraphError> {
    let members = Members::measure(engine, pairs)?;
    let length = |member: u32| members.lengths[member as usize].load(Ordering::Relaxed);
    // Of each pair, whose list is held and whose is streamed.
    let sides = |&(a, b): &(Vertex, Vertex)| {
        let (a, b) = (members.number(a), members.number(b));
        if (length(a), a) <= (length(b), b) { (a, b) } else { (b, a) }
    };
    let sides: Vec<(u32, u32)> = pairs.iter().map(sides).collect();
    let mut order: Vec<u32> = (0..pairs.len() as u32).collect();
    order.sort_unstable_by_key(|pair| sides[*pair as usize]);
    let common = numbers(pairs.len() as u64, |_| 0);
    let mut rest = order.as_mut_slice();
    while !rest.is_empty() {
        let mut held: Vec<u32> = Vec::new();
        let (mut count, mut entries) = (0, 0);
        for pair in rest.iter() {
            let member = sides[*pair as usize].0;
            if held.last() != Some(&member) {
                entries += u64::from(length(member));
                if entries > plan.held && !held.is_empty() {
                    break;
                }
                held.push(member);
            }
            count += 1;
        }
        let (batch, others) = rest.split_at_mut(count);
        batch.sort_unstable_by_key(|pair| sides[*pair as usize].1);
        let lists = members.gather(engine, &held)?;
        members.stream(engine, batch, &sides, &held, &lists, &common)?;
        rest = others;
    }
    let size = |member: u32| members.sizes[member as usize].load(Ordering::Relaxed);
    let value = |(common, (a, b)): (u32, &(u32, u32))| measure.of(common, [size(*a), size(*b)]);
    Ok(plain(common).into_iter().zip(&sides).map(value).collect())
}

impl Members {
    fn measure(engine: &mut Engine<'_>, pairs: &[(Vertex, Vertex)]) -> Result<Members, GraphError> {
        let mut vertices: Vec<Vertex> = Vec::with_capacity(2 * pairs.len());
        vertices.extend(pairs.iter().flat_map(|(a, b)| [a, b]));
        vertices.sort_unstable();
        vertices.dedup();
        let count = vertices.len() as u64;
        let members = Members { lengths: numbers(count, |_| 0), sizes: numbers(count, |_| 0), vertices };
        let blocks =
            blocks_of(engine.graph().directory(Direction::Forward), members.vertices.iter().copied());
        let visit = |Worker { ends, edges, .. }: &mut Worker, block: &Block<'_>| {
            for (member, vertex) in members.within(block) {
                let mut count = 0;
                distinct(block, vertex, ends, |_| count += 1);
                let length = block.degree(vertex) as u32;
                members.lengths[member as usize].fetch_add(length, Ordering::Relaxed);
                members.sizes[member as usize].fetch_add(count, Ordering::Relaxed);
                *edges += u64::from(length);
            }
        };
        let workers = engine.sweep(Direction::Forward, Which::Blocks(&blocks), Worker::default, visit)?;
        for (vertex, _) in ends(engine, workers) {
            members.sizes[members.number(vertex) as usize].fetch_add(1, Ordering::Relaxed);
        }
        Ok(members)
    }

    /// The place of a vertex that is one of them.
    fn number(&self, vertex: Vertex) -> u32 {
        self.vertices.partition_point(|other| *other < vertex) as u32
    }

    /// Those with a list in a block, and their places.
    fn within(&self, block: &Block<'_>) -> impl Iterator<Item = (u32, Vertex)> {
        let (start, end) = (self.number(block.first()), block.end());
        let from = self.vertices[start as usize..].iter().copied();
        (start..).zip(from.take_while(move |vertex| *vertex < end))
    }

    /// The lists of some of them, ascending, each neighbour once; by place among these.
    fn gather(&self, engine: &mut Engine<'_>, held: &[u32]) -> Result<Lists, GraphError> {
        let length = |member: &u32| self.lengths[*member as usize].load(Ordering::Relaxed);
        let counts: Vec<AtomicU32> = held.iter().map(|member| AtomicU32::new(length(member))).collect();
        let gathering = Gathering::new(0..held.len() as u32, &counts);
        drop(counts);
        let vertices = held.iter().map(|member| self.vertices[*member as usize]);
        let blocks = blocks_of(engine.graph().directory(Direction::Forward), vertices);
        let visit = |Worker { values, edges, .. }: &mut Worker, block: &Block<'_>| {
            for (member, vertex) in self.within(block) {
                let Ok(place) = held.binary_search(&member) else { continue };
                values.clear();
                *edges += block.scan(vertex, |neighbour| {
                    values.push(neighbour);
                    true
                }) as u64;
                gathering.put(place as u32, values);
            }
        };
        let workers = engine.sweep(Direction::Forward, Which::Blocks(&blocks), Worker::default, visit)?;
        ends(engine, workers);
        let mut lists = gathering.end();
        lists.for_each(|_, list| list.sort_unstable());
        lists.squeeze(|a, b| a == b, |run| run[0]);
        Ok(lists)
    }

    /// Adds to what is common the neighbours that the second of each pair of a batch shares with the first.
    /// The batch is in the order of the seconds.
    fn stream(
        &self,
        engine: &mut Engine<'_>,
        batch: &[u32],
        sides: &[(u32, u32)],
        held: &[u32],
        lists: &Lists,
        common: &[AtomicU32],
    ) -> Result<(), GraphError> {
        let of_second = |member: u32| {
            let start = batch.partition_point(|pair| sides[*pair as usize].1 < member);
            batch[start..].iter().copied().take_while(move |pair| sides[*pair as usize].1 == member)
        };
        // Only sorted neighbours of the second come here, which it is not itself; nor is the first one of its
        // own, whatever its list says.
        let add = |pair: u32, values: &[Vertex]| {
            let first = sides[pair as usize].0;
            let Ok(place) = held.binary_search(&first) else { return };
            let own = self.vertices[first as usize];
            let shared = shared(lists.list(place as u32), values, own);
            common[pair as usize].fetch_add(shared, Ordering::Relaxed);
        };
        let seconds = batch.chunk_by(|a, b| sides[*a as usize].1 == sides[*b as usize].1);
        let vertices = seconds.map(|pairs| self.vertices[sides[pairs[0] as usize].1 as usize]);
        let blocks = blocks_of(engine.graph().directory(Direction::Forward), vertices);
        let visit = |Worker { values, ends, edges }: &mut Worker, block: &Block<'_>| {
            for (member, vertex) in self.within(block) {
                let mut pairs = of_second(member).peekable();
                if pairs.peek().is_none() {
                    continue;
                }
                values.clear();
                distinct(block, vertex, ends, |neighbour| values.push(neighbour));
                *edges += values.len() as u64;
                pairs.for_each(|pair| add(pair, values));
            }
        };
        let workers = engine.sweep(Direction::Forward, Which::Blocks(&blocks), Worker::default, visit)?;
        for (vertex, neighbour) in ends(engine, workers) {
            of_second(self.number(vertex)).for_each(|pair| add(pair, &[neighbour]));
        }
        Ok(())
    }
}

/// How many values are in both of two ascending lists, except for one.
fn shared(a: &[u32], b: &[u32], but: u32) -> u32 {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let mut count = 0;
    if long.len() > short.len() * SEARCH_ABOVE {
        for value in short {
            count += u32::from(*value != but && long.binary_search(value).is_ok());
        }
        return count;
    }
    let mut at = 0;
    for value in short {
        while at < long.len() && long[at] < *value {
            at += 1;
        }
        count += u32::from(*value != but && long.get(at) == Some(value));
    }
    count
}
