//! Every test of this crate.

mod postgresql;
