//! All tests of the crate.

mod predictions;
mod program;
mod sessions;
mod study;
