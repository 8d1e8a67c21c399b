//! A sharded store: a directory for a graph of more vertices than 32 bits count (docs/graph-format.md).
//!
//! The vertices, in the order of their ids, are cut into *shards* of as many vertices each. The edges from
//! one shard to another are a *tile*: a file of lists like any store, in which both shards count their
//! vertices from 0. A manifest, written last, says which files there are.

mod ids;
mod manifest;
mod writer;

pub(crate) use ids::IdWriter;
pub use ids::{IdRun, ShardedIds};
pub use manifest::{Shards, TileEntry, is_sharded, not_on_shards, not_replaced, refuse_sharded};
pub(crate) use writer::{Finished, TilesWriter};
