//! What is passed along edges from vertex to vertex until there is nothing new: within a block at once, to
//! others in the next sweep. So a chain costs a sweep for each block that it comes to and not for each
//! vertex.

use leadline_graph_store::format::{Block, Direction, Vertex};

use crate::{Engine, Frontier, GraphError, Which};

/// What a thread has at hand in a sweep.
#[derive(Default)]
pub(super) struct Spread {
    /// Vertices of the block that have something to pass on, by how much it is worth.
    stack: Vec<(u32, Vertex)>,
    edges: u64,
}

impl Spread {
    /// Most bytes that it takes for blocks of a size: two places for each vertex with a list, each of which
    /// takes 2 bytes of the block, in a vector that grows by doubling.
    pub(super) fn most_bytes(block_bytes: u32) -> u64 {
        u64::from(block_bytes) / 2 * 2 * 2 * size_of::<(u32, Vertex)>() as u64
    }
}

/// Passes something on from all of `now` in a direction. `reaches` says of an edge whether the other end has
/// something to pass on by it; what is worth most is passed on first. Both sets are empty in the end.
///
/// # Errors
/// As [`Engine::sweep`].
pub(super) fn spread(
    engine: &mut Engine<'_>,
    direction: Direction,
    now: &mut Frontier,
    next: &mut Frontier,
    worth: impl Fn(Vertex) -> u32 + Sync,
    reaches: impl Fn(Vertex, Vertex) -> bool + Sync,
) -> Result<(), GraphError> {
    next.clear();
    while !now.is_empty() {
        let (these, others) = (&*now, &*next);
        let visit = |Spread { stack, edges }: &mut Spread, block: &Block<'_>| {
            let here = block.vertices();
            // The worth of each as it is now: other threads may change it while it is sorted.
            stack.extend(these.iter(here.clone()).map(|vertex| (worth(vertex), vertex)));
            stack.sort_unstable();
            while let Some((_, vertex)) = stack.pop() {
                // The pieces of a hub are in other blocks too, which are found by its place in the set.
                if !block.is_piece(vertex) {
                    if !these.contains(vertex) {
                        continue;
                    }
                    these.remove(vertex);
                }
                *edges += block.scan(vertex, |other| {
                    if other == vertex || !reaches(vertex, other) {
                    } else if here.contains(&other) && !block.is_piece(other) && stack.len() < 2 * here.len()
                    {
                        these.insert(other);
                        stack.push((0, other));
                    } else {
                        others.insert(other);
                    }
                    true
                }) as u64;
            }
        };
        let workers = engine.sweep(direction, Which::Holding(these), Spread::default, visit)?;
        engine.add_scanned_edges(workers.iter().map(|worker| worker.edges).sum());
        now.clear();
        std::mem::swap(now, next);
    }
    // Those that were taken out left their traces.
    now.clear();
    Ok(())
}
