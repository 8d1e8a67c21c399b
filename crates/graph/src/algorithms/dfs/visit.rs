//! A block's visit: what waits in it is visited, and depth-first whatever that leads to within the block.

use leadline_graph_store::format::{Block, Vertex};

use super::forest::Forest;

/// A vertex that was visited, or a hub's piece.
#[derive(Debug, Clone, Copy)]
pub(super) struct Visit {
    pub(super) vertex: Vertex,
    /// Where what it leads to ends in [`Log::found`].
    pub(super) found_end: u32,
}

/// The visits of a block.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    pub(super) block: u32,
    /// Of its first visit, in [`Log::visits`]; and of what that leads to, in [`Log::found`].
    pub(super) first_visit: u32,
    pub(super) first_found: u32,
}

/// What a thread did in a round.
#[derive(Debug, Default)]
pub(super) struct Log {
    pub(super) parts: Vec<Part>,
    /// In the order in which they came.
    pub(super) visits: Vec<Visit>,
    /// Vertices outside of the block that were not visited when they were found; each list from its end.
    pub(super) found: Vec<Vertex>,
    /// Vertices of the block that are to be visited, and where they were found from, the next one last.
    stack: Vec<(Vertex, Vertex)>,
    /// Of one list.
    unvisited: Vec<Vertex>,
    pub(super) edges: u64,
}

/// What a round works on.
pub(super) struct Round<'a> {
    pub(super) forest: &'a Forest,
    /// Hubs, ascending: they are visited already, and their lists are read, in all their blocks.
    pub(super) hubs: &'a [Vertex],
}

impl Log {
    /// Most bytes of what all threads' logs say, for each byte of the blocks of a round: a visit takes 8
    /// bytes here and at least 2 in the block, what is found 4 here and at least 5/4 in the block; vectors
    /// grow by doubling.
    pub(super) const BYTES_PER_BYTE: u64 = 8;

    /// Most bytes that a thread takes in addition, for each byte of a block: 8 and 4 for a value.
    pub(super) const BYTES_PER_BYTE_PER_THREAD: u64 = 20;

    /// Nothing was done yet; what the memory is for stays.
    pub(super) fn clear(&mut self) {
        self.parts.clear();
        self.visits.clear();
        self.found.clear();
        self.edges = 0;
    }

    /// The visits of a part, and where in [`Log::found`] what they lead to begins.
    pub(super) fn part(&self, number: usize) -> (&[Visit], usize) {
        let end = self.parts.get(number + 1).map_or(self.visits.len(), |next| next.first_visit as usize);
        let part = self.parts[number];
        (&self.visits[part.first_visit as usize..end], part.first_found as usize)
    }
}

impl Round<'_> {
    /// Visits a block.
    pub(super) fn visit(&self, log: &mut Log, block: &Block<'_>) {
        log.parts.push(Part {
            block: block.number(),
            first_visit: log.visits.len() as u32,
            first_found: log.found.len() as u32,
        });
        let (first, last) = (block.first(), block.end() - 1);
        for vertex in [Some(first), (last != first).then_some(last)].into_iter().flatten() {
            if block.is_piece(vertex) && self.hubs.binary_search(&vertex).is_ok() {
                self.expand(log, block, vertex);
            }
        }
        let all = self.forest.waiting(block.vertices()).filter(|vertex| !block.is_piece(*vertex));
        log.stack.extend(all.map(|vertex| (vertex, self.forest.parent(vertex))));
        log.stack.reverse();
        while let Some((vertex, parent)) = log.stack.pop() {
            if !self.forest.is_visited(vertex) {
                self.forest.visit(vertex, parent);
                self.expand(log, block, vertex);
            }
        }
    }

    /// Looks where a vertex leads to. What is found first is to come first, and so stands last.
    fn expand(&self, log: &mut Log, block: &Block<'_>, vertex: Vertex) {
        log.unvisited.clear();
        log.edges += self.forest.look(block, vertex, &mut log.unvisited);
        for neighbour in log.unvisited.iter().rev() {
            match block.vertices().contains(neighbour) && !block.is_piece(*neighbour) {
                true => log.stack.push((*neighbour, vertex)),
                false => log.found.push(*neighbour),
            }
        }
        log.visits.push(Visit { vertex, found_end: log.found.len() as u32 });
    }
}
