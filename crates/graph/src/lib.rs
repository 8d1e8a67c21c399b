//! Graphs that do not fit in memory: the edges stay on the device, and as many reads are kept in flight as it
//! serves.
//!
//! [`import`](import::import) makes a store, one file, of a list of edges. [`Graph::open`] opens it, and each
//! algorithm is a method of [`Graph`] (see [`algorithms`]), as is each small question ([`Graph::neighbors`]).
//! [`Options`] has the cap on memory and the number of reads in flight. Algorithms of your own are sweeps of
//! an [`Engine`].
//!
//! ```
//! use leadline_graph::import::{ImportOptions, import};
//! use leadline_graph::input::InputOptions;
//! use leadline_graph::{Graph, Options};
//!
//! let folder = tempfile::tempdir()?;
//! let (edges, store) = (folder.path().join("roads.el"), folder.path().join("roads.graph"));
//! std::fs::write(&edges, "1 2\n2 3\n7 8\n")?;
//! let options = ImportOptions::default().with_undirected(true);
//! import(&edges, InputOptions::default(), &store, &options, &mut |_| {})?;
//!
//! let graph = Graph::open(&store, Options::default().with_memory(64 << 20).with_depth(32))?;
//! let search = graph.bfs(&[graph.vertex("1")?])?;
//! assert_eq!((search.reached, search.depth), (3, 2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! After CAVE (Papon, ICDE PhD symposium 2024, section IV): lists in aligned blocks, a cache of blocks shared
//! by threads, and algorithms that know the blocks of a whole frontier before they read the first.

pub mod algorithm;
pub mod algorithms;
mod engine;
pub mod estimate;
mod frontier;
mod graph;
mod numbers;
pub mod output;
mod per_vertex;
mod prefetch;
mod queries;
pub mod sharded;
mod updates;
mod word;

pub use leadline_graph_store::export::{
    ExportOptions, ExportReport, FolderOptions, FolderReport, export, export_folder,
};
#[cfg(feature = "figures")]
pub use leadline_graph_store::inspect::{DegreeBin, GraphInfo, GraphSpace, ShardedInfo};
pub use leadline_graph_store::inspect::{
    DegreeBucket, DegreeDistribution, Summary, VerifyReport, degree_distribution, summarise, verify,
};
pub use leadline_graph_store::updates::{
    Change, ChangeOptions, ChangeSource, CommitReport, CompactReport, LeftFile, Leftovers, NextChanges,
    Space, UpdateOptions, VertexId, is_store_folder,
};
pub use leadline_graph_store::{
    DeviceLimit, GraphError, InputOption, Options, Progress, format, graphalytics, import, input,
};

pub use algorithm::Algorithm;
pub use engine::{Engine, Meter, MeterReading, RunStats, Which};
pub use estimate::{Estimate, ReadSpeed};
pub use frontier::Frontier;
pub use graph::Graph;
pub use per_vertex::{FileValues, PerVertex, VertexValue};
pub use queries::{Degrees, EdgeBatch, EdgeCursor, Edges, Neighbors, Side, Subgraph, SubgraphEdge};
pub use updates::{EngineLists, GraphUpdate, compact};
