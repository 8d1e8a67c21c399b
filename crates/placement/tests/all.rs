//! All tests of the crate.

mod predictions;
mod program;
mod study;
