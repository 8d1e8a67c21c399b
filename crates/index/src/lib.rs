//! A B+-tree in pages of a buffer pool that knows its device.

mod batch;
mod change_record;
mod error;
mod folder;
#[allow(dead_code, reason = "the tree will append to it")]
mod log;
mod meta;
mod node;
mod options;
mod space;
mod tree;
mod versions;

pub use batch::Batch;
pub use error::IndexError;
pub use log::Durability;
pub use options::Options;
