#![doc = include_str!("../README.md")]
//!
//! ## Where to look
//!
//! | file | concept |
//! | --- | --- |
//! | `index`, `options`, `entry`, `batch`, `range`, `snapshot` | what users see |
//! | `shared`, `kept`, `lookup` | who may be in the tree, checkpoints; what a snapshot keeps; reading |
//! | `tree` | the tree: descent, changes, many keys at once, ranges, loading |
//! | `node` | one node: its bytes, its changes, its division |
//! | `sort` | entries in any order, sorted before they are loaded |
//! | `space`, `versions` | pages in use; nodes as they were, for snapshots |
//! | `meta` | what is not in nodes, as of the last checkpoint |
//! | `recovered` | what is found when an index is opened |
//! | `unfinished` | a batch that was made halfway |
//! | `folder`, `holders` | the files; who has them locked |
//! | `log`, `change_record`, `redo` | the write-ahead log, what it records, and how that is made again |

mod batch;
mod change_record;
mod entry;
mod error;
mod folder;
mod holders;
mod index;
mod kept;
mod log;
mod lookup;
mod meta;
mod node;
mod options;
mod range;
mod recovered;
mod redo;
mod shared;
mod snapshot;
mod sort;
mod space;
mod tree;
mod unfinished;
mod versions;

pub use batch::Batch;
pub use entry::Entry;
pub use error::IndexError;
pub use index::{Index, IndexStats};
pub use log::Durability;
pub use options::Options;
pub use range::Range;
pub use snapshot::Snapshot;
pub use tree::{Problem, Verified};
