//! The neighbours of some vertices.

use super::lists::{Keep, Lists};
use super::members::Members;
use super::naming::{Naming, Sizes};
use super::room::Room;
use super::side::Side;
use crate::format::{Direction, List, Vertex};
use crate::output::{RowColumn, RowValues, Rows, Texts, grouped};
use crate::{Graph, GraphError, RunStats};

/// Most bytes of a word that tells the direction.
const DIRECTION_BYTES: u64 = 8 + 3;

/// The edges of some vertices.
#[derive(Debug, Clone)]
pub struct Neighbors {
    /// As they were asked for.
    vertices: Vec<Vertex>,
    members: Members,
    /// Of each member, in each direction that was asked for.
    lists: Vec<(Direction, Lists)>,
    directed: bool,
    /// What it took.
    pub stats: RunStats,
}

impl Graph {
    /// The neighbours of vertices, in the order in which these are asked for; a vertex may be there several
    /// times. Each block that is needed is read once.
    ///
    /// # Errors
    /// [`GraphError::NeedsReverse`]; [`GraphError::Memory`] where half of the memory does not hold them; what
    /// the device or a damaged store gives.
    ///
    /// # Panics
    /// Where a vertex is none of the graph.
    pub fn neighbors(&self, vertices: &[Vertex], side: Side) -> Result<Neighbors, GraphError> {
        let what = named("the neighbours", vertices.len());
        let directions = side.directions(self, &what)?;
        check_vertices(self, vertices);
        let fixed = vertices.len() as u64 * 4 + Members::bytes(vertices.len());
        let (found, stats) = Room::run(self, what, fixed, |engine, room| {
            let members = Members::new(vertices);
            let mut lists = Vec::new();
            for direction in directions {
                let found = Lists::collect(engine, *direction, members.sorted(), Keep::All, room)?;
                lists.push((*direction, found));
            }
            Ok((members, lists))
        })?;
        let (members, lists) = found;
        let directed = self.header().directed;
        Ok(Neighbors { vertices: vertices.to_vec(), members, lists, directed, stats })
    }
}

/// `the neighbours of 3 vertices`.
pub(super) fn named(what: &str, vertices: usize) -> String {
    let plural = if vertices == 1 { "vertex" } else { "vertices" };
    format!("{what} of {} {plural}", grouped(vertices as u64))
}

/// # Panics
/// Where a vertex is none of the graph.
pub(super) fn check_vertices(graph: &Graph, vertices: &[Vertex]) {
    for vertex in vertices {
        assert!(u64::from(*vertex) < graph.vertices(), "{vertex}: no vertex of the graph");
    }
}

impl Neighbors {
    /// The vertices that were asked for.
    pub fn vertices(&self) -> &[Vertex] {
        &self.vertices
    }

    /// The list of the vertex at a place among the requested vertices: where its edges lead, or where they
    /// come from, which is the same in an undirected graph. Empty where that was not asked for.
    ///
    /// # Panics
    /// Where there are not as many vertices.
    pub fn list(&self, place: usize, direction: Direction) -> List<'_> {
        let wanted = if self.directed { direction } else { Direction::Forward };
        let found = self.lists.iter().find(|(known, _)| *known == wanted);
        found.map_or(List::default(), |(_, lists)| lists.list(self.member(place)))
    }

    fn member(&self, place: usize) -> usize {
        let found = self.members.sorted_place(self.vertices[place]);
        found.expect("every vertex that was asked for is a member")
    }

    /// Bytes in memory, with those of its lists' lengths while rows are made.
    fn bytes(&self) -> u64 {
        self.vertices.len() as u64 * (12 + 16 * self.lists.len() as u64)
            + self.lists.iter().map(|(_, lists)| lists.bytes()).sum::<u64>()
    }

    /// Edges of all vertices together: one whose ends were both asked for counts for each.
    pub fn count(&self) -> usize {
        (0..self.vertices.len())
            .map(|place| self.lists_of(place).map(|(_, list)| list.neighbours.len()).sum::<usize>())
            .sum()
    }

    /// The lists of the vertex at a place, in the order of rows.
    fn lists_of(&self, place: usize) -> impl Iterator<Item = (Direction, List<'_>)> {
        let member = self.member(place);
        self.lists.iter().map(move |(direction, lists)| (*direction, lists.list(member)))
    }

    /// A row for each edge, in the order in which its vertex was asked for, then by the id of the neighbour:
    /// `vertex`, `neighbor`, `direction` (`out` or `in`) where both were asked for, and `weight` where the
    /// graph has weights.
    ///
    /// # Errors
    /// [`GraphError::Memory`] where the memory does not hold them; [`GraphError::Damaged`] (the ids),
    /// [`GraphError::Interrupted`].
    pub fn rows(&self, graph: &Graph) -> Result<Rows, GraphError> {
        let count = self.count();
        let weighted = graph.header().weights.bytes() > 0;
        let tells_direction = self.lists.len() > 1;
        let sizes = Sizes {
            held: self.bytes(),
            names: self.vertices.len() + self.lists.iter().map(|(_, lists)| lists.entries()).sum::<usize>(),
            rows: count,
            ids: 2,
            others: if weighted { 8 } else { 0 } + if tells_direction { DIRECTION_BYTES } else { 0 },
        };
        let mut naming = Naming::begin(graph, &sizes)?;
        let all = self.lists.iter().flat_map(|(_, lists)| lists.neighbours());
        naming.read(self.vertices.iter().chain(all).copied())?;
        let mut vertices = Vec::with_capacity(count);
        let mut neighbors = Vec::with_capacity(count);
        let mut weights = Vec::with_capacity(if weighted { count } else { 0 });
        let mut outs = Vec::new();
        for (place, vertex) in self.vertices.iter().enumerate() {
            let rank = naming.rank(*vertex);
            for (direction, list) in self.lists_of(place) {
                naming.put_list(list, &mut neighbors, &mut weights);
                vertices.resize(neighbors.len(), rank);
                outs.push((direction, list.neighbours.len()));
            }
        }
        let mut columns = vec![naming.column("vertex", &vertices)?, naming.column("neighbor", &neighbors)?];
        if tells_direction {
            columns.push(RowColumn::full("direction", directions(&outs)));
        }
        if weighted {
            columns.push(RowColumn::full("weight", RowValues::Doubles(weights)));
        }
        Ok(Rows { columns })
    }
}

/// A word for each edge of lists.
fn directions(lists: &[(Direction, usize)]) -> RowValues {
    let mut texts = Texts { offsets: vec![0], bytes: Vec::new() };
    for (direction, count) in lists {
        let word = if *direction == Direction::Forward { "out" } else { "in" };
        for _ in 0..*count {
            texts.bytes.extend_from_slice(word.as_bytes());
            texts.offsets.push(texts.bytes.len() as i64);
        }
    }
    RowValues::Texts(texts)
}
