//! What is left, in memory: one depth-first search (Tarjan, "Depth-First Search and Linear Graph Algorithms",
//! SIAM Journal on Computing 1, 1972) in the form that needs one number per vertex where Tarjan's needs two
//! (Pearce, "A Space-Efficient Algorithm for Finding Strongly Connected Components", Information Processing
//! Letters 116, 2016).

use std::sync::atomic::{AtomicU32, Ordering};

use leadline_graph_store::format::{Block, Direction, Vertex};

use super::{Left, SETTLED, SccState};
use crate::algorithms::lists::{Gathering, Lists};
use crate::engine::Csr;
use crate::{Engine, Frontier, Graph, GraphError, Which};

/// Most entries: places among them have 32 bits.
pub(super) const MOST_ENTRIES: u64 = u32::MAX as u64;

/// Steps of the search after which it asks whether it should stop.
const STEPS: u64 = 1 << 20;

/// Bytes in memory: per vertex its number, where its list ends, and 13 bytes of the search.
pub(super) fn bytes(left: Left) -> u64 {
    left.vertices * 21 + left.entries * 4
}

/// Finds the components of all that is not settled, whose outgoing edges are counted in place of its colours.
pub(super) fn finish(
    engine: &mut Engine<'_>,
    state: &mut SccState,
    unsettled: &mut Frontier,
    left: Left,
) -> Result<(), GraphError> {
    let mut vertices = Vec::with_capacity(left.vertices as usize);
    vertices.extend((0..state.classes.len() as u32).filter(|vertex| state.class(*vertex) != SETTLED));
    unsettled.clear();
    vertices.iter().for_each(|vertex| {
        unsettled.insert(*vertex);
    });
    let mut lists = gather(engine, state, unsettled, &vertices)?;
    for (vertex, number) in vertices.iter().zip(0..) {
        state.classes[*vertex as usize].store(number, Ordering::Relaxed);
    }
    lists.for_each(|_, list| list.iter_mut().for_each(|other| *other = state.class(*other)));
    search(
        engine.graph(),
        vertices.len(),
        |vertex| lists.list(vertex),
        |of, component| {
            let component = vertices[component as usize];
            state.settle(vertices[of as usize], component);
        },
    )
}

/// Finds the components of a graph none of whose vertices is settled, by lists of outgoing edges.
pub(super) fn finish_all(engine: &mut Engine<'_>, state: &SccState, lists: &Csr) -> Result<(), GraphError> {
    engine.add_scanned_edges(lists.entries());
    let settle = |of, component| state.settle(of, component);
    search(engine.graph(), state.classes.len(), |vertex| lists.list(vertex), settle)
}

/// The lists of all that is left, of what is in the same class, by place among `vertices`.
fn gather(
    engine: &mut Engine<'_>,
    state: &SccState,
    unsettled: &Frontier,
    vertices: &[Vertex],
) -> Result<Lists, GraphError> {
    let counts: Vec<AtomicU32> =
        vertices.iter().map(|vertex| AtomicU32::new(state.colour(*vertex))).collect();
    let gathering = Gathering::new(0..vertices.len() as u32, &counts);
    drop(counts);
    let visit = |(edges, found): &mut (u64, Vec<u32>), block: &Block<'_>| {
        let first = vertices.partition_point(|vertex| *vertex < block.first()) as u32;
        for (vertex, number) in unsettled.iter(block.vertices()).zip(first..) {
            let class = state.class(vertex);
            found.clear();
            *edges += block.scan(vertex, |other| {
                if other != vertex && state.class(other) == class {
                    found.push(other);
                }
                true
            }) as u64;
            gathering.put(number, found);
        }
    };
    let counted = engine.sweep(Direction::Forward, Which::Holding(unsettled), Default::default, visit)?;
    engine.add_scanned_edges(counted.into_iter().map(|(edges, _)| edges).sum());
    Ok(gathering.end())
}

/// A search over the lists of that many vertices, numbered from 0 on. Calls `settle` with each vertex and one
/// of its component.
///
/// # Errors
/// [`GraphError::Interrupted`].
fn search<'l>(
    graph: &Graph,
    count: usize,
    list: impl Fn(u32) -> &'l [u32],
    mut settle: impl FnMut(u32, u32),
) -> Result<(), GraphError> {
    let mut search = Search {
        lowest: vec![UNSEEN; count],
        is_root: vec![true; count],
        next: vec![0; count],
        stack: vec![0; count],
        path: 0,
        closed: count,
    };
    let (mut begun, mut steps) = (0, 0);
    for start in 0..count as u32 {
        if search.lowest[start as usize] == UNSEEN {
            search.begin(start, &mut begun);
        }
        while search.path > 0 {
            steps += 1;
            if steps % STEPS == 0 {
                graph.check_stop()?;
            }
            let vertex = search.stack[search.path - 1];
            match list(vertex).get(search.next[vertex as usize] as usize) {
                // It is looked at once more when it is done: then it is no longer unseen.
                Some(other) if search.lowest[*other as usize] == UNSEEN => search.begin(*other, &mut begun),
                Some(other) => search.pass(vertex, *other),
                None => search.end(vertex, &mut settle),
            }
        }
    }
    Ok(())
}

/// Not yet come to.
const UNSEEN: u32 = 0;

/// Its component is known.
const DONE: u32 = u32::MAX;

struct Search {
    /// By vertex: when it was come to, or the earliest of those that it was seen to reach.
    lowest: Vec<u32>,
    /// By vertex: whether it was not yet seen to reach an earlier one.
    is_root: Vec<bool>,
    /// By vertex: the place in its list to look at next.
    next: Vec<u32>,
    /// At the front the way to where the search is, at the back those that it has left and whose component is
    /// not known. No vertex is in both.
    stack: Vec<u32>,
    /// How many there are at the front.
    path: usize,
    /// Where those at the back begin.
    closed: usize,
}

impl Search {
    fn begin(&mut self, vertex: u32, begun: &mut u32) {
        *begun += 1;
        self.lowest[vertex as usize] = *begun;
        self.stack[self.path] = vertex;
        self.path += 1;
    }

    /// What an edge to a vertex that was come to before says.
    fn pass(&mut self, vertex: u32, other: u32) {
        let lowest = self.lowest[other as usize];
        if lowest < self.lowest[vertex as usize] {
            self.lowest[vertex as usize] = lowest;
            self.is_root[vertex as usize] = false;
        }
        self.next[vertex as usize] += 1;
    }

    /// Leaves the last vertex of the way.
    fn end(&mut self, vertex: u32, settle: &mut impl FnMut(u32, u32)) {
        self.path -= 1;
        if !self.is_root[vertex as usize] {
            self.closed -= 1;
            self.stack[self.closed] = vertex;
            return;
        }
        while let Some(other) = self.stack.get(self.closed).copied()
            && self.lowest[vertex as usize] <= self.lowest[other as usize]
        {
            self.closed += 1;
            self.lowest[other as usize] = DONE;
            settle(other, vertex);
        }
        self.lowest[vertex as usize] = DONE;
        settle(vertex, vertex);
    }
}
