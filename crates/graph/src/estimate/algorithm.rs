//! What an algorithm needs: of the graph, and of memory.

use super::reads;
use super::spilled::{self, Spilled};
use crate::algorithms::modularity::Method;
use crate::algorithms::{
    Bfs, Cdlp, CommunityOptions, Dfs, KCore, Lcc, Leiden, Louvain, PageRank, PageRankOptions, Parents, Sssp,
    WalkOptions, Wcc, bfs, cdlp, dfs, kcore, lcc, modularity, pagerank, parents, sssp, walk, wcc,
};
use crate::engine::EnginePlan;
use crate::output::{Kind, Output, Rows, VertexTable, WalkOutput, WalkRows};
use crate::{Graph, GraphError};

/// An algorithm, and those of its arguments that decide what it costs.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Algorithm {
    /// [`Graph::bfs`], and [`Graph::parents`] where they are wanted.
    Bfs {
        /// Whether parents are wanted.
        parents: bool,
    },
    /// [`Graph::wcc`].
    Wcc,
    /// [`Graph::pagerank`].
    PageRank(PageRankOptions),
    /// [`Graph::sssp`].
    Sssp,
    /// [`Graph::cdlp`].
    Cdlp {
        /// Most iterations.
        iterations: u32,
    },
    /// [`Graph::lcc`].
    Lcc,
    /// [`Graph::louvain`].
    Louvain(CommunityOptions),
    /// [`Graph::leiden`].
    Leiden(CommunityOptions),
    /// [`Graph::kcore`].
    KCore,
    /// [`Graph::dfs`].
    Dfs,
    /// [`Graph::walks`].
    Walks(WalkOptions),
}

impl Algorithm {
    /// Whether the graph has what the algorithm cannot do without.
    ///
    /// # Errors
    /// [`GraphError::NeedsWeights`], [`GraphError::NeedsReverse`].
    pub(super) fn check(&self, graph: &Graph) -> Result<(), GraphError> {
        match self {
            Algorithm::Sssp => graph.need_weights("shortest paths"),
            Algorithm::Walks(options) if options.weighted => graph.need_weights("a weighted walk"),
            Algorithm::Cdlp { .. } => graph.need_reverse("label propagation"),
            Algorithm::Lcc => graph.need_reverse("local clustering"),
            Algorithm::Louvain(_) | Algorithm::Leiden(_) => graph.need_reverse("modularity"),
            Algorithm::KCore => graph.need_reverse("k-core"),
            _ => Ok(()),
        }
    }

    /// Whether most of what it reads is read in the order of the blocks, so that neighbours come in one
    /// request.
    pub(super) fn scans(&self) -> bool {
        let passes = matches!(self, Algorithm::Wcc | Algorithm::PageRank(_) | Algorithm::Lcc);
        passes || matches!(self, Algorithm::Cdlp { .. } | Algorithm::Louvain(_) | Algorithm::Leiden(_))
    }

    /// Bytes that the algorithm holds under a cap of `memory`.
    pub(super) fn state_bytes(&self, graph: &Graph, memory: u64) -> u64 {
        match self {
            Algorithm::Bfs { parents: false } => bfs::Room::new(graph, memory).bytes,
            Algorithm::Bfs { parents: true } => bfs::bfs_bytes(graph).max(parents::parents_bytes(graph)),
            Algorithm::Wcc => wcc::state_bytes(graph).held(graph, memory),
            Algorithm::PageRank(options) => pagerank::state_bytes(graph, options).held(graph, memory),
            Algorithm::Sssp => sssp::state_bytes(graph).held(graph, memory),
            Algorithm::Cdlp { .. } => cdlp::Room::new(graph, memory).bytes,
            Algorithm::Lcc => lcc::Room::of(graph, memory).1,
            Algorithm::Louvain(_) => modularity::Room::new(graph, Method::Louvain, memory).bytes,
            Algorithm::Leiden(_) => modularity::Room::new(graph, Method::Leiden, memory).bytes,
            Algorithm::KCore => kcore::kcore_bytes(graph),
            Algorithm::Dfs => dfs::Room::new(graph, memory).bytes,
            Algorithm::Walks(options) => walk::Room::new(graph, memory, options).bytes,
        }
    }

    /// The least caps, in whole KiB, with which it runs: alone, with its result in a file, and in memory.
    pub(super) fn least_memory(&self, graph: &Graph) -> [u64; 3] {
        // What is shared out by the cap is least under none.
        let least = |algorithm: &Algorithm| {
            let (header, options, blocks) = (graph.header(), graph.options(), graph.all_blocks());
            let state = algorithm.state_bytes(graph, 0);
            EnginePlan::least_memory(header, options, blocks, state).next_multiple_of(1 << 10)
        };
        let alone = match self {
            // State that does not fit goes to a temporary file.
            Algorithm::PageRank(options) => pagerank::state_bytes(graph, options).least_memory(graph),
            Algorithm::Sssp => sssp::state_bytes(graph).least_memory(graph),
            Algorithm::Wcc => wcc::state_bytes(graph).least_memory(graph),
            _ => least(self),
        };
        let Algorithm::Walks(options) = self else {
            let columns = self.columns();
            let file = Output::least_memory(graph, columns, self.spills());
            return [alone, alone.max(file), alone.max(Rows::least_memory(graph, columns))];
        };
        // Walks are written while they are made.
        let with = |sink_bytes: u64| least(&Algorithm::Walks(WalkOptions { sink_bytes, ..options.clone() }));
        [alone, with(WalkOutput::bytes(graph)), with(WalkRows::bytes(graph, options))]
    }

    /// What goes through a temporary file under a cap of `memory` that has no room for all vertex state.
    pub(super) fn spilled(&self, graph: &Graph, memory: u64, frames: u32) -> Option<Spilled> {
        match self {
            Algorithm::PageRank(options) => {
                let parts = pagerank::state_bytes(graph, options).room(graph, memory).ok()?.parts?;
                Some(spilled::pagerank(graph, options, &parts, frames.into()))
            }
            Algorithm::Bfs { parents: false } if bfs::Room::new(graph, memory).is_in_file => {
                // No level is left for later, to be finished block by block.
                let [least, most] = reads::blocks(graph, self, frames);
                Some(Spilled { blocks: [least, 2 * most], bytes: bfs::spilled_bytes(graph) })
            }
            Algorithm::Sssp => {
                let parts = sssp::state_bytes(graph).room(graph, memory).ok()?.parts?;
                Some(spilled::sssp(graph, &parts))
            }
            Algorithm::Wcc => {
                let parts = wcc::state_bytes(graph).room(graph, memory).ok()?.parts?;
                Some(spilled::wcc(graph, &parts))
            }
            Algorithm::Louvain(_) | Algorithm::Leiden(_) => {
                let method =
                    if matches!(self, Algorithm::Leiden(_)) { Method::Leiden } else { Method::Louvain };
                let room = modularity::Room::new(graph, method, memory);
                let read = || spilled::communities(graph, reads::blocks(graph, self, frames));
                (!room.all_sorted).then(read)
            }
            _ => None,
        }
    }

    /// Whether the result may be in a temporary file.
    fn spills(&self) -> bool {
        let searches = matches!(self, Algorithm::Bfs { parents: false } | Algorithm::Sssp);
        searches || matches!(self, Algorithm::PageRank(_) | Algorithm::Wcc)
    }

    /// The columns of the result, where it has a row per vertex.
    fn columns(&self) -> &'static [(&'static str, Kind)] {
        match self {
            Algorithm::Bfs { parents: false } => Bfs::COLUMNS,
            Algorithm::Bfs { parents: true } => <(Bfs, Parents)>::COLUMNS,
            Algorithm::Wcc => Wcc::COLUMNS,
            Algorithm::PageRank(_) => PageRank::COLUMNS,
            Algorithm::Sssp => Sssp::COLUMNS,
            Algorithm::Cdlp { .. } => Cdlp::COLUMNS,
            Algorithm::Lcc => Lcc::COLUMNS,
            Algorithm::Louvain(_) => Louvain::COLUMNS,
            Algorithm::Leiden(_) => Leiden::COLUMNS,
            Algorithm::KCore => KCore::COLUMNS,
            Algorithm::Dfs => Dfs::COLUMNS,
            Algorithm::Walks(_) => &[],
        }
    }
}
