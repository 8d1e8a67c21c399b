//! What the example promises, as one test program: linking many would take longer than running them.

mod cli;
mod crash;
mod heap;
mod runs;
mod transactions;
mod tree;
