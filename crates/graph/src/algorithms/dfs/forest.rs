//! The forest as it grows, and the stack of what waits to be visited.
//!
//! A vertex that is found again is put on top again, and is then the child of whoever found it last. What is
//! left of it below is stale, as is all of a vertex that was visited. Once the stack is full what is stale is
//! thrown out, which leaves each vertex once at most: it does not grow with the edges, and throwing out costs
//! a step for each that is put on top.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use leadline_graph_store::format::{Block, Group, NO_VERTEX, Vertex};

use crate::Frontier;
use crate::algorithms::{numbers, plain};

/// What is known of each vertex. Threads may visit different vertices at a time; the rest is for one.
#[derive(Debug)]
pub(super) struct Forest {
    /// Where it was found from, the last time; [`NO_VERTEX`] for sources.
    parents: Vec<AtomicU32>,
    order: Vec<u32>,
    reached: u32,
    visited: Frontier,
    /// Found, visited or not.
    found: Frontier,
    stack: Vec<Vertex>,
    most: usize,
}

/// Parents, roots and order, as [`super::Dfs`] has them.
pub(super) struct Parts {
    pub(super) parents: Vec<Vertex>,
    pub(super) roots: Vec<Vertex>,
    pub(super) order: Vec<u32>,
    pub(super) reached: u32,
}

impl Forest {
    /// Bytes in memory with a stack of that many.
    pub(super) fn bytes(vertices: u64, most: u64) -> u64 {
        // The roots are made where the stack was.
        vertices * 8 + most * 4 + 2 * Frontier::bytes(vertices)
    }

    /// The smallest stack that does, stale vertices included. A larger one is less often full.
    pub(super) fn least_stack(vertices: u64) -> u64 {
        vertices + vertices / 2 + 1
    }

    /// Nothing is in it, and nothing waits. The stack has room for `most`.
    pub(super) fn new(vertices: u64, most: u64) -> Forest {
        let most = most.max(Forest::least_stack(vertices)) as usize;
        Forest {
            parents: numbers(vertices, |_| NO_VERTEX),
            order: vec![NO_VERTEX; vertices as usize],
            reached: 0,
            visited: Frontier::new(vertices),
            found: Frontier::new(vertices),
            stack: Vec::with_capacity(most),
            most,
        }
    }

    /// Whether a vertex was visited.
    #[inline]
    pub(super) fn is_visited(&self, vertex: Vertex) -> bool {
        self.visited.contains(vertex)
    }

    /// Visits a vertex that was found from `parent` the last time. Its place in the order is left open.
    #[inline]
    pub(super) fn visit(&self, vertex: Vertex, parent: Vertex) {
        self.visited.insert(vertex);
        self.parents[vertex as usize].store(parent, Relaxed);
    }

    /// Where a vertex was found from.
    #[inline]
    pub(super) fn parent(&self, vertex: Vertex) -> Vertex {
        self.parents[vertex as usize].load(Relaxed)
    }

    /// Gives a vertex that was visited the next place in the order. Its parent has one already.
    #[inline]
    pub(super) fn number(&mut self, vertex: Vertex) {
        self.order[vertex as usize] = self.reached;
        self.reached += 1;
    }

    /// The vertices of a range that wait, ascending.
    #[inline]
    pub(super) fn waiting(&self, range: Range<Vertex>) -> impl Iterator<Item = Vertex> + '_ {
        self.found.iter(range).filter(|vertex| !self.is_visited(*vertex))
    }

    /// Adds those of a vertex's neighbours in a block that were not visited to `unvisited`; how many there
    /// are in all.
    #[inline]
    pub(super) fn look(&self, block: &Block<'_>, vertex: Vertex, unvisited: &mut Vec<Vertex>) -> u64 {
        let (groups, before) = (block.groups(vertex), unvisited.len());
        // Each group writes four places, whatever it has and keeps.
        unvisited.resize(before + groups.values() + 4, NO_VERTEX);
        let visited = self.visited.bits();
        let (mut end, mut seen) = (before, 0);
        for Group { values, len } in groups {
            let Some(places) = unvisited[end..].first_chunk_mut::<4>() else {
                unreachable!("there is room for all values and one group more")
            };
            let mut kept = 0;
            for neighbour in values.into_iter().take(len) {
                // Without a branch on what nobody can foresee.
                places[kept & 3] = neighbour;
                kept += usize::from(!visited.contains(neighbour));
            }
            end += kept;
            seen += len as u64;
        }
        unvisited.truncate(end);
        seen
    }

    /// Puts a vertex that was not visited on top; it was found from `parent`.
    #[inline]
    pub(super) fn push(&mut self, vertex: Vertex, parent: Vertex) {
        *self.parents[vertex as usize].get_mut() = parent;
        self.found.insert(vertex);
        self.put(vertex);
    }

    /// Puts a vertex back on top.
    #[inline]
    pub(super) fn put(&mut self, vertex: Vertex) {
        if self.stack.len() == self.most {
            self.throw_out();
        }
        self.stack.push(vertex);
    }

    /// The vertex on top.
    #[inline]
    pub(super) fn top(&mut self) -> Option<Vertex> {
        while let Some(vertex) = self.stack.last().copied() {
            if !self.is_visited(vertex) {
                return Some(vertex);
            }
            self.stack.pop();
        }
        None
    }

    /// Takes the vertex on top.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<Vertex> {
        let top = self.top();
        self.stack.pop();
        top
    }

    /// Throws out what is stale.
    #[cold]
    fn throw_out(&mut self) {
        let mut kept = self.stack.len();
        for at in (0..self.stack.len()).rev() {
            let vertex = self.stack[at];
            // The topmost of each, which is met first, takes it out of the set until all were met.
            if self.found.contains(vertex) && !self.is_visited(vertex) {
                self.found.remove(vertex);
                kept -= 1;
                self.stack[kept] = vertex;
            }
        }
        self.stack.drain(..kept);
        for vertex in &self.stack {
            self.found.insert(*vertex);
        }
    }

    /// What was found.
    pub(super) fn into_parts(self) -> Parts {
        drop(self.stack);
        let parents = plain(self.parents);
        let mut roots = vec![NO_VERTEX; parents.len()];
        for vertex in self.visited.iter(0..parents.len() as Vertex) {
            let mut root = vertex;
            while roots[root as usize] == NO_VERTEX && parents[root as usize] != NO_VERTEX {
                root = parents[root as usize];
            }
            if parents[root as usize] != NO_VERTEX {
                root = roots[root as usize];
            }
            let mut at = vertex;
            while at != NO_VERTEX && roots[at as usize] == NO_VERTEX {
                roots[at as usize] = root;
                at = parents[at as usize];
            }
        }
        Parts { parents, roots, order: self.order, reached: self.reached }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_waits_is_a_stack_with_each_vertex_once(steps in prop::collection::vec((0..12u32, 0..9), 0..300)) {
            let mut forest = Forest::new(12, 0);
            let (mut model, mut visited): (Vec<Vertex>, Vec<Vertex>) = (Vec::new(), Vec::new());
            for (vertex, what) in steps {
                if visited.contains(&vertex) {
                    continue;
                }
                model.retain(|other| *other != vertex);
                if what > 0 {
                    forest.push(vertex, visited.last().copied().unwrap_or(NO_VERTEX));
                    model.push(vertex);
                } else {
                    forest.visit(vertex, visited.last().copied().unwrap_or(NO_VERTEX));
                    forest.number(vertex);
                    visited.push(vertex);
                }
                prop_assert_eq!(forest.top(), model.last().copied());
                prop_assert!(forest.stack.len() <= forest.most && forest.stack.capacity() <= forest.most.max(4));
                let mut sorted = model.clone();
                sorted.sort_unstable();
                prop_assert!(forest.waiting(0..12).eq(sorted));
            }
            while let Some(vertex) = forest.pop() {
                prop_assert_eq!(Some(vertex), model.pop());
                forest.visit(vertex, forest.parent(vertex));
                forest.number(vertex);
                visited.push(vertex);
            }
            prop_assert!(model.is_empty());
            let Parts { parents, roots, order, reached } = forest.into_parts();
            prop_assert_eq!(reached as usize, visited.len());
            for (place, vertex) in visited.iter().enumerate() {
                prop_assert_eq!(order[*vertex as usize] as usize, place);
                match parents[*vertex as usize] {
                    NO_VERTEX => prop_assert_eq!(roots[*vertex as usize], *vertex),
                    parent => prop_assert_eq!(roots[*vertex as usize], roots[parent as usize]),
                }
            }
        }
    }
}
