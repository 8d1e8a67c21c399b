//! The edges among some vertices.

use super::lists::{Keep, Lists};
use super::members::Members;
use super::naming::{Naming, Sizes};
use super::neighbors::{check_vertices, named};
use super::room::Room;
use crate::format::{Direction, Vertex};
use crate::output::{RowColumn, RowValues, Rows};
use crate::{Graph, GraphError, RunStats};

/// Some vertices and all edges among them.
#[derive(Debug, Clone)]
pub struct Subgraph {
    /// The vertices, each once, in the order of the answer.
    pub vertices: Vec<Vertex>,
    /// Of a neighbourhood: how many edges lead from its centre to each vertex. Empty otherwise.
    pub hops: Vec<u32>,
    /// By the place of the source, then of the target. An undirected edge is there once, from the end that
    /// comes first.
    pub edges: Vec<SubgraphEdge>,
    /// What it took.
    pub stats: RunStats,
}

/// An edge of a [`Subgraph`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SubgraphEdge {
    /// The place of the vertex that it leads from, among the vertices.
    pub source: u32,
    /// The place of the vertex that it leads to.
    pub target: u32,
    /// 0 where the graph has no weights.
    pub weight: f64,
}

impl Graph {
    /// The edges among vertices, of which one that is given several times counts where it is first. Each
    /// block that is needed is read once.
    ///
    /// # Errors
    /// As [`Graph::neighbors`].
    ///
    /// # Panics
    /// Where a vertex is none of the graph.
    pub fn subgraph(&self, vertices: &[Vertex]) -> Result<Subgraph, GraphError> {
        let what = named("the subgraph", vertices.len());
        check_vertices(self, vertices);
        let fixed = vertices.len() as u64 * 4 + Members::bytes(vertices.len());
        let (found, stats) = Room::run(self, what, fixed, |engine, room| {
            let members = Members::new(vertices);
            let kept = Keep::Among(members.sorted());
            let lists = Lists::collect(engine, Direction::Forward, members.sorted(), kept, room)?;
            let mut induced = Induced::new(self, &members, Direction::Forward);
            induced.add(members.sorted(), &lists, room)?;
            Ok((induced.edges(), in_order(vertices, &members)))
        })?;
        let (edges, (vertices, places)) = found;
        // Places count those once that were given several times.
        let place = |given: u32| places[given as usize];
        let edge = |edge: SubgraphEdge| SubgraphEdge {
            source: place(edge.source),
            target: place(edge.target),
            ..edge
        };
        let edges = edges.into_iter().map(edge).collect();
        Ok(Subgraph { vertices, hops: Vec::new(), edges, stats })
    }
}

/// The vertices, each once, and by the place where each was given its place among these.
fn in_order(given: &[Vertex], members: &Members) -> (Vec<Vertex>, Vec<u32>) {
    let (mut vertices, mut places) =
        (Vec::with_capacity(members.sorted().len()), Vec::with_capacity(given.len()));
    for (at, vertex) in (0..).zip(given) {
        places.push(vertices.len() as u32);
        if members.place(*vertex) == Some(at) {
            vertices.push(*vertex);
        }
    }
    (vertices, places)
}

/// The edges among members, in the making.
pub(super) struct Induced<'a> {
    members: &'a Members,
    /// Of the lists.
    direction: Direction,
    directed: bool,
    edges: Vec<SubgraphEdge>,
}

impl<'a> Induced<'a> {
    pub(super) fn new(graph: &Graph, members: &'a Members, direction: Direction) -> Induced<'a> {
        Induced { members, direction, directed: graph.header().directed, edges: Vec::new() }
    }

    /// Adds the edges in the lists of some members, whose neighbours are all members.
    ///
    /// # Errors
    /// [`GraphError::Memory`].
    pub(super) fn add(
        &mut self,
        owners: &[Vertex],
        lists: &Lists,
        room: &mut Room,
    ) -> Result<(), GraphError> {
        room.take((lists.entries() * size_of::<SubgraphEdge>()) as u64)?;
        self.edges.reserve_exact(lists.entries());
        for (at, owner) in owners.iter().enumerate() {
            let Some(owner) = self.members.place(*owner) else { continue };
            let list = lists.list(at);
            for (i, neighbour) in list.neighbours.iter().enumerate() {
                let Some(other) = self.members.place(*neighbour) else { continue };
                let weight = list.weights.get(i).copied().unwrap_or(0.0);
                match self.direction {
                    // Its other end has it, too.
                    Direction::Forward if !self.directed && other < owner => {}
                    Direction::Forward => {
                        self.edges.push(SubgraphEdge { source: owner, target: other, weight });
                    }
                    Direction::Reverse => {
                        self.edges.push(SubgraphEdge { source: other, target: owner, weight });
                    }
                }
            }
        }
        Ok(())
    }

    /// All, in order.
    pub(super) fn edges(self) -> Vec<SubgraphEdge> {
        let mut edges = self.edges;
        edges.sort_unstable_by(|a, b| {
            (a.source, a.target).cmp(&(b.source, b.target)).then(a.weight.total_cmp(&b.weight))
        });
        edges
    }
}

impl Subgraph {
    /// A row for each vertex, in their order: `vertex`, and of a neighbourhood `hops`.
    ///
    /// # Errors
    /// As [`Neighbors::rows`](super::Neighbors::rows).
    pub fn vertex_rows(&self, graph: &Graph) -> Result<Rows, GraphError> {
        let mut naming =
            self.naming(graph, self.vertices.len(), 1, if self.hops.is_empty() { 0 } else { 8 })?;
        let ranks = self.ranks(&naming);
        let mut columns = vec![naming.column("vertex", &ranks)?];
        if !self.hops.is_empty() {
            let hops = self.hops.iter().map(|hops| i64::from(*hops)).collect();
            columns.push(RowColumn::full("hops", RowValues::Integers(hops)));
        }
        Ok(Rows { columns })
    }

    /// A row for each edge, in their order: `source`, `target`, and `weight` where the graph has weights.
    ///
    /// # Errors
    /// As [`Neighbors::rows`](super::Neighbors::rows).
    pub fn edge_rows(&self, graph: &Graph) -> Result<Rows, GraphError> {
        let weighted = graph.header().weights.bytes() > 0;
        let mut naming = self.naming(graph, self.edges.len(), 2, if weighted { 8 } else { 0 })?;
        let ranks = self.ranks(&naming);
        let mut column = |name, end: fn(&SubgraphEdge) -> u32| {
            let ends: Vec<u32> = self.edges.iter().map(|edge| ranks[end(edge) as usize]).collect();
            naming.column(name, &ends)
        };
        let mut columns = vec![column("source", |edge| edge.source)?, column("target", |edge| edge.target)?];
        if weighted {
            let weights = self.edges.iter().map(|edge| edge.weight).collect();
            columns.push(RowColumn::full("weight", RowValues::Doubles(weights)));
        }
        Ok(Rows { columns })
    }

    /// For that many rows with that many columns of ids, and bytes of others.
    fn naming<'g>(
        &self,
        graph: &'g Graph,
        rows: usize,
        ids: u64,
        others: u64,
    ) -> Result<Naming<'g>, GraphError> {
        // Vertices with their hops and ranks.
        let held = (self.vertices.len() * 12 + self.edges.len() * size_of::<SubgraphEdge>()) as u64;
        let sizes = Sizes { held, names: self.vertices.len(), rows, ids, others };
        let mut naming = Naming::begin(graph, &sizes)?;
        naming.read(self.vertices.iter().copied())?;
        Ok(naming)
    }

    fn ranks(&self, naming: &Naming<'_>) -> Vec<u32> {
        self.vertices.iter().map(|vertex| naming.rank(*vertex)).collect()
    }
}
