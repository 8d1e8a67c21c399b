//! What the example promises, as one test program: linking many would take longer than running them.

mod cli;
mod runs;
mod transactions;
