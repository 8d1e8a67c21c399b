//! What lies around a vertex.

use super::lists::{Keep, Lists};
use super::members::Members;
use super::neighbors::check_vertices;
use super::room::Room;
use super::side::Side;
use super::subgraph::{Induced, Subgraph, SubgraphEdge};
use crate::format::{Direction, Vertex};
use crate::{Engine, Graph, GraphError};

impl Graph {
    /// The vertices that a path of at most `hops` edges leads to from a vertex (or from which one leads to
    /// it, or either way), by hops, then by id; and all edges among them. Each list that is needed is read
    /// once, and a block again for another hop where the cache has no room for it.
    ///
    /// # Errors
    /// As [`Graph::neighbors`].
    ///
    /// # Panics
    /// Where the vertex is none of the graph.
    pub fn ego(&self, vertex: Vertex, hops: u32, side: Side) -> Result<Subgraph, GraphError> {
        let what = "the neighborhood of a vertex".to_owned();
        let directions = side.directions(self, &what)?;
        check_vertices(self, &[vertex]);
        let (found, stats) = Room::run(self, what, 0, |engine, room| {
            let mut search = Search::from(vertex);
            for _ in 0..hops {
                search.hop(engine, directions, room)?;
                if search.frontier.is_empty() {
                    break;
                }
            }
            search.finish(engine, directions[0], room)
        })?;
        let Reached { vertices, hops, edges } = found;
        Ok(Subgraph { vertices, hops, edges, stats })
    }
}

/// What a search came to: vertices by hops, then by id.
struct Reached {
    vertices: Vec<Vertex>,
    hops: Vec<u32>,
    edges: Vec<SubgraphEdge>,
}

/// A search in the making.
struct Search {
    /// By hop, its vertices, ascending.
    levels: Vec<Vec<Vertex>>,
    /// Of levels before the last: their lists in the first direction.
    lists: Vec<Lists>,
    /// All vertices so far, ascending.
    reached: Vec<Vertex>,
    /// The last level.
    frontier: Vec<Vertex>,
}

impl Search {
    fn from(vertex: Vertex) -> Search {
        Search { levels: Vec::new(), lists: Vec::new(), reached: vec![vertex], frontier: vec![vertex] }
    }

    /// Goes on to the neighbours of the last level.
    fn hop(
        &mut self,
        engine: &mut Engine<'_>,
        directions: &[Direction],
        room: &mut Room,
    ) -> Result<(), GraphError> {
        let mut next = Vec::new();
        for (at, direction) in directions.iter().enumerate() {
            let lists = Lists::collect(engine, *direction, &self.frontier, Keep::All, room)?;
            // A copy, and all that are reached once more while they are put together.
            room.take((lists.entries() * 4 + self.reached.len() * 4) as u64)?;
            next.extend_from_slice(lists.neighbours());
            if at == 0 { self.lists.push(lists) } else { room.give_back(lists.bytes()) }
        }
        let copied = (next.len() + directions.len() * self.reached.len()) as u64 * 4;
        next.sort_unstable();
        next.dedup();
        next.retain(|vertex| self.reached.binary_search(vertex).is_err());
        next.shrink_to_fit();
        room.give_back(copied);
        // In its level, and among the reached ones.
        room.take(next.len() as u64 * 8)?;
        self.reached.extend_from_slice(&next);
        self.reached.sort_unstable();
        self.levels.push(std::mem::replace(&mut self.frontier, next));
        Ok(())
    }

    /// The vertices, their hops and the edges among them.
    fn finish(
        mut self,
        engine: &mut Engine<'_>,
        direction: Direction,
        room: &mut Room,
    ) -> Result<Reached, GraphError> {
        let graph = engine.graph();
        // What the last level leads to was not looked for; its edges are only those among all.
        let last = Lists::collect(engine, direction, &self.frontier, Keep::Among(&self.reached), room)?;
        self.lists.push(last);
        self.levels.push(self.frontier);
        room.take(Members::bytes(self.reached.len()) + self.reached.len() as u64 * 12)?;
        let (mut vertices, mut hops) = (Vec::new(), Vec::new());
        for (hop, level) in (0..).zip(&self.levels) {
            vertices.extend(by_id(graph, level)?);
            hops.resize(vertices.len(), hop);
        }
        let members = Members::new(&vertices);
        let mut induced = Induced::new(graph, &members, direction);
        for (level, lists) in self.levels.iter().zip(&self.lists) {
            induced.add(level, lists, room)?;
        }
        let edges = induced.edges();
        Ok(Reached { vertices, hops, edges })
    }
}

/// Vertices, which ascend, by their ids.
fn by_id(graph: &Graph, vertices: &[Vertex]) -> Result<Vec<Vertex>, GraphError> {
    if !graph.header().renumbered {
        return Ok(vertices.to_vec());
    }
    let ranks = graph.ids().ranks_of(vertices)?;
    let mut ranked: Vec<(u32, Vertex)> = ranks.into_iter().zip(vertices.iter().copied()).collect();
    ranked.sort_unstable();
    Ok(ranked.into_iter().map(|(_, vertex)| vertex).collect())
}
