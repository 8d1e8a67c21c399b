//! Graphs that change: layers of changes over a store that stays as it is until it is compacted.

mod arrays;
mod begin;
mod change;
pub(crate) mod changes;
mod compact;
pub(crate) mod folder;
mod held;
mod id_index;
mod known;
mod log;
pub(crate) mod merge;
mod options;
mod pending;
pub(crate) mod pieces;
mod place;
mod resolve;
pub(crate) mod rows;
pub(crate) mod run;
pub(crate) mod snapshot;
mod source;
pub(crate) mod space;
mod update;
pub(crate) mod vertices;

pub use change::Change;
pub use compact::{CompactReport, compact};
pub use options::UpdateOptions;
pub(crate) use place::StorePlace;
pub use place::is_store_folder;
pub use source::{ChangeOptions, ChangeSource, NextChanges};
pub use space::Space;
pub use update::{CommitReport, GraphUpdate};
pub use vertices::Id as VertexId;
