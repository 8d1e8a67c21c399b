//! A B+-tree in pages of a buffer pool that knows its device.

mod node;
mod space;
mod versions;
