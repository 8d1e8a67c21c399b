//! Every test of this crate.

mod options;
