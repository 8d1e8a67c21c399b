//! Small questions to a graph: `leadline graph neighbors`, `ego` and `subgraph`.

mod answer;
pub(super) mod ego;
mod ids;
pub(super) mod neighbors;
pub(super) mod subgraph;
