//! Every test of this crate.
