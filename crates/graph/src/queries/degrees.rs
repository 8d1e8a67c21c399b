//! The degrees of some vertices.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::members::Members;
use super::naming::{Naming, Sizes};
use super::neighbors::{check_vertices, named};
use super::room::Room;
use super::side::Side;
use crate::algorithms::blocks_of;
use crate::format::Vertex;
use crate::output::{RowColumn, RowValues, Rows};
use crate::{Graph, GraphError, RunStats, Which};

/// The degrees of some vertices.
#[derive(Debug, Clone)]
pub struct Degrees {
    /// As they were asked for.
    pub vertices: Vec<Vertex>,
    /// Of each: how many neighbours it has.
    pub degrees: Vec<u64>,
    /// What it took.
    pub stats: RunStats,
}

impl Graph {
    /// How many edges vertices have, in the order in which these are asked for: as many as
    /// [`Graph::neighbors`] gives. So parallel edges count each, and an edge from a vertex to itself once in
    /// each direction that is asked for.
    ///
    /// # Errors
    /// As [`Graph::neighbors`].
    ///
    /// # Panics
    /// Where a vertex is none of the graph.
    pub fn degree(&self, vertices: &[Vertex], side: Side) -> Result<Degrees, GraphError> {
        let what = named("the degrees", vertices.len());
        let directions = side.directions(self, &what)?;
        check_vertices(self, vertices);
        let fixed = vertices.len() as u64 * (4 + 8 + 8 + 4) + Members::bytes(vertices.len());
        let (degrees, stats) = Room::run(self, what, fixed, |engine, _| {
            let members = Members::new(vertices);
            let sorted = members.sorted();
            let degrees: Vec<AtomicU64> = sorted.iter().map(|_| AtomicU64::new(0)).collect();
            for direction in directions {
                let blocks = blocks_of(self.directory(*direction), sorted.iter().copied());
                engine.sweep(
                    *direction,
                    Which::Blocks(&blocks),
                    || (),
                    |(), block| {
                        let range = block.vertices();
                        let first = sorted.partition_point(|vertex| *vertex < range.start);
                        let here = sorted[first..].iter().take_while(|vertex| **vertex < range.end);
                        for (degree, vertex) in degrees[first..].iter().zip(here) {
                            degree.fetch_add(block.degree(*vertex) as u64, Relaxed);
                        }
                    },
                )?;
            }
            let of = |vertex: &Vertex| {
                members.sorted_place(*vertex).map_or(0, |member| degrees[member].load(Relaxed))
            };
            Ok(vertices.iter().map(of).collect())
        })?;
        Ok(Degrees { vertices: vertices.to_vec(), degrees, stats })
    }
}

impl Degrees {
    /// A row for each vertex, in the order in which they were asked for: `vertex` and `degree`.
    ///
    /// # Errors
    /// As [`Neighbors::rows`](super::Neighbors::rows).
    pub fn rows(&self, graph: &Graph) -> Result<Rows, GraphError> {
        let count = self.vertices.len();
        let sizes = Sizes { held: count as u64 * 12, names: count, rows: count, ids: 1, others: 8 };
        let mut naming = Naming::begin(graph, &sizes)?;
        naming.read(self.vertices.iter().copied())?;
        let ranks: Vec<u32> = self.vertices.iter().map(|vertex| naming.rank(*vertex)).collect();
        let degrees = self.degrees.iter().map(|degree| *degree as i64).collect();
        let vertex = naming.column("vertex", &ranks)?;
        Ok(Rows { columns: vec![vertex, RowColumn::full("degree", RowValues::Integers(degrees))] })
    }
}
