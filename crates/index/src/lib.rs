//! A B+-tree in pages of a buffer pool that knows its device.

mod error;
#[allow(dead_code, reason = "the tree will append to it")]
mod log;
mod meta;
mod node;
mod space;
mod tree;
mod versions;

pub use error::IndexError;
pub use log::Durability;
