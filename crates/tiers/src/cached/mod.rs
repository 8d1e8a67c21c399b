//! A fast device as the block cache of a slow one.

mod admission;
mod blocks;
mod fills;
mod model;

pub use admission::Admission;
pub use model::{CacheOptions, CachedModel};
