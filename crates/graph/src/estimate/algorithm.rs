//! What an algorithm needs: of the graph, and of memory.

use super::reads;
use super::spilled::{self, Spilled};
use crate::algorithms::modularity::Method;
use crate::algorithms::{
    Bfs, Cdlp, CommunityOptions, Dfs, KCore, Lcc, Leiden, Louvain, PageRank, PageRankOptions, Parents, Scc,
    Sssp, TopOptions, Triangles, WalkOptions, Wcc, bfs, cdlp, dfs, kcore, lcc, modularity, pagerank, parents,
    scc, similarity, sssp, triangles, walk, wcc,
};
use crate::engine::EnginePlan;
use crate::output::{Kind, Output, PairOutput, PairRows, Rows, VertexTable, WalkOutput, WalkRows};
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
    /// [`Graph::scc`].
    Scc,
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
    /// [`Graph::triangles`].
    Triangles {
        /// Whether those of each vertex are wanted.
        per_vertex: bool,
    },
    /// [`Graph::kcore`].
    KCore,
    /// [`Graph::similarities`].
    Similarities {
        /// How many.
        pairs: u64,
        /// Bytes that the caller holds meanwhile.
        sink_bytes: u64,
    },
    /// [`Graph::most_similar`].
    MostSimilar(TopOptions),
    /// [`Graph::dfs`].
    Dfs,
    /// [`Graph::walks`].
    Walks(WalkOptions),
}

impl Algorithm {
    /// The algorithm that runs on a graph: another one for some of those that are undirected.
    pub(super) fn on<'a>(&'a self, graph: &Graph) -> &'a Algorithm {
        match self {
            Algorithm::Scc if !graph.header().directed => &Algorithm::Wcc,
            _ => self,
        }
    }

    /// Whether the graph has what the algorithm cannot do without.
    ///
    /// # Errors
    /// [`GraphError::NeedsWeights`], [`GraphError::NeedsReverse`].
    pub(super) fn check(&self, graph: &Graph) -> Result<(), GraphError> {
        match self {
            Algorithm::PageRank(options) if options.weighted => graph.need_weights(pagerank::WHAT_WEIGHTED),
            Algorithm::Sssp => graph.need_weights("shortest paths"),
            Algorithm::Walks(options) if options.weighted => graph.need_weights("a weighted walk"),
            Algorithm::Cdlp { .. } => graph.need_reverse("label propagation"),
            Algorithm::Lcc => graph.need_reverse("local clustering"),
            Algorithm::Louvain(_) | Algorithm::Leiden(_) => graph.need_reverse("modularity"),
            Algorithm::Triangles { .. } => graph.need_reverse("counting triangles"),
            Algorithm::KCore => graph.need_reverse("k-core"),
            Algorithm::MostSimilar(_) => graph.need_reverse("similarity"),
            Algorithm::Scc => graph.need_reverse("strongly connected components"),
            _ => Ok(()),
        }
    }

    /// Whether most of what it reads is read in the order of the blocks, so that neighbours come in one
    /// request.
    pub(super) fn scans(&self) -> bool {
        let passes = matches!(self, Algorithm::Wcc | Algorithm::PageRank(_) | Algorithm::Lcc);
        passes
            || matches!(self, Algorithm::Cdlp { .. } | Algorithm::Triangles { .. })
            || matches!(self, Algorithm::Louvain(_) | Algorithm::Leiden(_))
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
            Algorithm::Louvain(_) => modularity::Room::new(graph, Method::Louvain, memory).bytes,
            Algorithm::Leiden(_) => modularity::Room::new(graph, Method::Leiden, memory).bytes,
            Algorithm::Lcc => lcc::room(graph, memory).1,
            Algorithm::Triangles { per_vertex } => triangles::room(graph, memory, *per_vertex).1,
            Algorithm::KCore => kcore::kcore_bytes(graph),
            Algorithm::Similarities { pairs, sink_bytes } => {
                similarity::PairsRoom::new(graph, memory, *pairs, *sink_bytes).bytes
            }
            Algorithm::MostSimilar(options) => similarity::TopRoom::new(graph, memory, options).bytes,
            Algorithm::Scc => scc::Room::new(graph, memory).bytes,
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
        // Pairs and walks are written while or after they are made, within the same memory.
        let with = match self {
            Algorithm::Walks(options) => {
                let with = |sink_bytes| Algorithm::Walks(WalkOptions { sink_bytes, ..options.clone() });
                [WalkOutput::bytes(graph), WalkRows::bytes(graph, options)].map(with)
            }
            Algorithm::Similarities { pairs, .. } => {
                let with = |sink_bytes| Algorithm::Similarities { pairs: *pairs, sink_bytes };
                [PairOutput::bytes(graph), PairRows::bytes(graph, *pairs)].map(with)
            }
            Algorithm::MostSimilar(options) => {
                let with = |sink_bytes| Algorithm::MostSimilar(TopOptions { sink_bytes, ..options.clone() });
                [PairOutput::bytes(graph), PairRows::bytes(graph, options.most_pairs(graph))].map(with)
            }
            _ => {
                let columns = self.columns();
                let file = Output::least_memory(graph, columns, self.spills());
                // A table needs what is counted for each vertex.
                let with_table = match self {
                    Algorithm::Triangles { .. } => least(&Algorithm::Triangles { per_vertex: true }),
                    _ => alone,
                };
                return [alone, with_table.max(file), with_table.max(Rows::least_memory(graph, columns))];
            }
        };
        let [file, rows] = with.map(|algorithm| least(&algorithm));
        [alone, file, rows]
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
        searches || matches!(self, Algorithm::PageRank(_) | Algorithm::Wcc | Algorithm::Scc)
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
            Algorithm::Triangles { .. } => Triangles::COLUMNS,
            Algorithm::KCore => KCore::COLUMNS,
            Algorithm::Scc => Scc::COLUMNS,
            Algorithm::Dfs => Dfs::COLUMNS,
            Algorithm::Walks(_) | Algorithm::Similarities { .. } | Algorithm::MostSimilar(_) => &[],
        }
    }
}
