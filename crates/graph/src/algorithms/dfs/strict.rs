//! One vertex at a time: the depth-first search of the textbooks, for graphs that fit in memory.

use std::sync::{Mutex, PoisonError};

use leadline_graph_store::format::{Block, Direction, NO_VERTEX, Vertex};

use super::forest::Forest;
use crate::{Engine, GraphError, Which};

/// Once more than 1 in this many blocks were read, one after another as the search wanted them, the others
/// are read together.
const LOAD_SHARE: u64 = 16;

/// A search, and what it needs from vertex to vertex.
struct Strict<'a> {
    forest: &'a mut Forest,
    /// What a list leads to and was not visited.
    found: Vec<Vertex>,
    edges: u64,
    /// Bytes read after which the rest is loaded; none where it was, or would not fit.
    load_after: Option<u64>,
}

/// A tree from each source that no tree before it reached.
///
/// # Errors
/// What a source, the device or a damaged store gives.
pub(super) fn search(
    engine: &mut Engine<'_>,
    forest: &mut Forest,
    sources: impl Iterator<Item = Result<Vertex, GraphError>>,
) -> Result<(), GraphError> {
    let all_bytes = engine.graph().header().blocks(Direction::Forward).bytes;
    let load_after = engine.holds_all().then_some(all_bytes / LOAD_SHARE);
    let mut search = Strict { forest, found: Vec::new(), edges: 0, load_after };
    for source in sources {
        let source = source?;
        if !search.forest.is_visited(source) {
            search.forest.push(source, NO_VERTEX);
            search.tree(engine)?;
        }
    }
    engine.add_scanned_edges(search.edges);
    Ok(())
}

impl Strict<'_> {
    /// Visits all that waits and what it leads to, what was found last first.
    fn tree(&mut self, engine: &mut Engine<'_>) -> Result<(), GraphError> {
        let directory = engine.graph().directory(Direction::Forward);
        while let Some(vertex) = self.forest.top() {
            self.visit(vertex);
            // A hub's list from its end, so that its beginning comes on top.
            for block in (directory.block_of(vertex)..=directory.last_block_of(vertex)).rev() {
                let search = Mutex::new(&mut *self);
                engine.sweep(
                    Direction::Forward,
                    Which::Blocks(&[block]),
                    || (),
                    |_, block| {
                        let mut search = search.lock().unwrap_or_else(PoisonError::into_inner);
                        search.expand(block, vertex);
                        if !block.is_piece(vertex) {
                            search.go_on(block);
                        }
                    },
                )?;
            }
            if self.load_after.is_some_and(|bytes| engine.bytes_read() > bytes) {
                self.load_after = None;
                engine.sweep(Direction::Forward, Which::All, || (), |_, _| ())?;
            }
        }
        Ok(())
    }

    /// Takes the vertex on top.
    fn visit(&mut self, vertex: Vertex) {
        self.forest.pop();
        self.forest.visit(vertex, self.forest.parent(vertex));
        self.forest.number(vertex);
    }

    /// Puts where a vertex leads to on the stack, its first neighbour on top.
    fn expand(&mut self, block: &Block<'_>, vertex: Vertex) {
        self.found.clear();
        self.edges += self.forest.look(block, vertex, &mut self.found);
        for neighbour in self.found.iter().rev() {
            self.forest.push(*neighbour, vertex);
        }
    }

    /// Saves a sweep for each vertex on top that is in the same block.
    fn go_on(&mut self, block: &Block<'_>) {
        while let Some(vertex) = self.forest.top()
            && block.vertices().contains(&vertex)
            && !block.is_piece(vertex)
        {
            self.visit(vertex);
            self.expand(block, vertex);
        }
    }
}
