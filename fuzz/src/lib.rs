//! Mutated inputs for everything that Leadline reads: profiles, tables, device descriptions, traces, edges,
//! graph stores.
//!
//! A [`Target`] has valid inputs and a reader. [`run`] mutates the inputs by chance (a seed makes it
//! repeatable), seals their checksums anew, so that most get past the header, and hands them to the reader,
//! which may refuse them but not panic. The bytes of each input are kept in a file while they are read, so
//! that an input that ends the process, by running out of memory or out of time, is still there. See
//! `docs/testing.md`.

mod drive;
mod mutate;
mod seal;
mod target;
mod targets;

pub use drive::{Budget, Failure, Report, run};
pub use target::Target;
pub use targets::all;
