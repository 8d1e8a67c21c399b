//! B-trees from the device up: what lookups, ranges, inserts and updates cost as a function of the node size.
//!
//! [`Shape`] is the tree for a node size, [`resident()`] which of its nodes are in memory, [`TreeAccesses`]
//! what each operation therefore asks of the device, [`NodeCost`] how long that takes by a model that was
//! fitted to the device, and [`Advice`] compares node sizes. The formulas and their sources are in
//! `docs/btree.md` of the repository.

mod accesses;
mod advice;
mod affine;
mod cost;
mod error;
mod mix;
mod resident;
mod shape;
mod words;

pub use accesses::{Accesses, TreeAccesses, Usage};
pub use advice::{Advice, AffineSizes, BestAtClients, BestByModel};
pub use affine::{best_lookup_pages, half_bandwidth_pages};
pub use cost::NodeCost;
pub use error::BTreeError;
pub use mix::{Mix, MixError, Operation};
pub use resident::resident;
pub use shape::{POINTER_BYTES, RANDOM_FILL, Shape};
pub use words::advice_json;
