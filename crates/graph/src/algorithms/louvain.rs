//! Communities by the Louvain method: Blondel, Guillaume, Lambiotte, Lefebvre, "Fast unfolding of communities
//! in large networks", Journal of Statistical Mechanics P10008 (2008).
//!
//! Every vertex moves to the neighbouring community where modularity gains most, until no move gains
//! anything; then communities become vertices, and all begins again. No bound on the number of passes is
//! known. A pass reads the lists of the vertices whose neighbours have moved since; a level takes one more
//! for degrees and one to aggregate. About 52 bytes per vertex, and the lists of 64 neighbouring vertices at
//! a time.

use super::modularity::{CommunityLevel, CommunityOptions, Hierarchy, LevelCommunities, Method, climb};
use crate::{Graph, GraphError, RunStats};

/// The communities of a graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Louvain {
    /// By vertex: its community, as the place in the order of ids of the community's first vertex.
    pub communities: Vec<u32>,
    /// Communities.
    pub count: u64,
    /// Their modularity.
    pub modularity: f64,
    /// Each level's communities, from the smallest ones to the largest.
    pub levels: Vec<CommunityLevel>,
    /// What it took.
    pub stats: RunStats,
}

impl Graph {
    /// Communities by the Louvain method, by weights if the graph has them. Directed edges are taken as
    /// undirected ones: an edge there and one back are two. `each_level` is called with each level's number,
    /// from 1 on, and a function that gives its communities.
    ///
    /// # Errors
    /// [`GraphError::NeedsReverse`] where the graph is directed and its incoming edges are not known;
    /// [`GraphError::Resolution`]; [`GraphError::Malformed`] where a weight is negative or not finite;
    /// [`GraphError::Memory`] below about 52 bytes per vertex and 12 MiB; what the device, temporary files, a
    /// damaged store or `each_level` gives.
    pub fn louvain(
        &self,
        options: &CommunityOptions,
        each_level: impl FnMut(u32, LevelCommunities<'_>) -> Result<(), GraphError>,
    ) -> Result<Louvain, GraphError> {
        let Hierarchy { communities, count, modularity, levels, stats } =
            climb(self, Method::Louvain, options, each_level)?;
        Ok(Louvain { communities, count, modularity, levels, stats })
    }
}
