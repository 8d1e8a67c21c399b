//! Every test of this crate.

mod cli;
mod forecasts;
mod trees;
