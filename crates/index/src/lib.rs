//! A B+-tree in pages of a buffer pool that knows its device.

mod error;
mod node;
mod space;
mod tree;
mod versions;

pub use error::IndexError;
