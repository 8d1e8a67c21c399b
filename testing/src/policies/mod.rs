//! Every replacement policy once more, said plainly: the crates that use policies compare with these.

mod plain;

pub use plain::{Plain, build, next_to_go};
