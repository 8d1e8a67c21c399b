//! Small questions to a graph: the neighbours and degrees of some vertices, what lies around one, the edges
//! among some, and all edges in batches.
//!
//! A question knows which blocks hold its lists before it reads the first. So each is read once, with as many
//! reads in flight as [`Options::depth`](crate::Options::depth) allows, however many vertices are asked
//! about; the answers come in the order in which they were asked for.
//!
//! Half of the memory that the engine leaves is for the answer. An answer that is larger is refused, with the
//! memory that it would need.

mod batches;
mod degrees;
mod ego;
mod lists;
mod members;
mod naming;
mod neighbors;
mod room;
mod side;
mod subgraph;

pub use batches::{EdgeBatch, EdgeCursor, Edges};
pub use degrees::Degrees;
pub use neighbors::Neighbors;
pub use side::Side;
pub use subgraph::{Subgraph, SubgraphEdge};

use crate::format::Vertex;
use crate::{Graph, GraphError};

impl Graph {
    /// The vertices of ids, in their order: many at once are looked up in one pass over the ids.
    ///
    /// # Errors
    /// [`GraphError::NoVertex`] with the first id that the graph does not have; [`GraphError::Damaged`].
    pub fn vertices_of(&self, ids: &[impl AsRef<str>]) -> Result<Vec<Vertex>, GraphError> {
        let found = self.ids().vertices_of(ids)?;
        // The one that is not there says what there is.
        found
            .iter()
            .zip(ids)
            .map(|(vertex, id)| vertex.map_or_else(|| self.vertex(id.as_ref()), Ok))
            .collect()
    }
}
