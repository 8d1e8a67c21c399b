//! Communities by the Leiden algorithm: Traag, Waltman, van Eck, "From Louvain to Leiden: guaranteeing
//! well-connected communities", Scientific Reports 9:5233 (2019).
//!
//! As Louvain, but before communities become vertices, each is refined: taken apart into its vertices, which
//! merge again only along edges and only if they are tied well to the rest of the community. The parts become
//! the vertices of the next level, which begins in the communities. It ends when each community is one
//! vertex, so every community is connected. Two passes more for each level than Louvain, and 28 bytes per
//! vertex more.

use super::modularity::{CommunityLevel, CommunityOptions, Hierarchy, LevelCommunities, Method, climb};
use crate::{Graph, GraphError, RunStats};

/// The communities of a graph, each of them connected.
#[derive(Debug, Clone, PartialEq)]
pub struct Leiden {
    /// By vertex: its community, as the place in the order of ids of the community's first vertex.
    pub communities: Vec<u32>,
    /// Communities.
    pub count: u64,
    /// Their modularity.
    pub modularity: f64,
    /// Each level's parts, from the smallest ones to the largest, all connected.
    pub levels: Vec<CommunityLevel>,
    /// What it took.
    pub stats: RunStats,
}

impl Graph {
    /// Communities by the Leiden algorithm, with the graph and `each_level` taken as by [`Graph::louvain`].
    ///
    /// # Errors
    /// As there, with [`GraphError::Memory`] below about 80 bytes per vertex and 12 MiB.
    pub fn leiden(
        &self,
        options: &CommunityOptions,
        each_level: impl FnMut(u32, LevelCommunities<'_>) -> Result<(), GraphError>,
    ) -> Result<Leiden, GraphError> {
        let Hierarchy { communities, count, modularity, levels, stats } =
            climb(self, Method::Leiden, options, each_level)?;
        Ok(Leiden { communities, count, modularity, levels, stats })
    }
}
