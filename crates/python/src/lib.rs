//! The extension module of the Python package `leadline` (directory `python/`).
//!
//! It has no logic of its own: it calls the commands of the command line, the graph engine and the pool,
//! gives Python what they found as Arrow tables, and their failures as exceptions. What users see is written
//! in Python around it.

mod background;
mod call;
mod cells;
mod errors;
mod graph;
mod index;
mod models;
mod profile;
mod size;
mod spoken;
mod table;
mod trace;
mod values;

use pyo3::prelude::*;

/// The functions and classes on which the package is built; not for use from outside it.
#[pymodule]
mod _leadline {
    /// The name of a trace that is in memory.
    #[pymodule_export]
    const MEMORY: &str = leadline_cli::MEMORY;

    #[pymodule_export]
    use super::call::{call, commands, in_python, main, serve};
    #[pymodule_export]
    use super::graph::run_algorithm;
    #[pymodule_export]
    use super::graph::{ArrowBatches, ArrowColumn, import_edges};
    #[pymodule_export]
    use super::graph::{EdgeReader, Store, StoreUpdate, algorithms, compact_store};
    #[pymodule_export]
    use super::graph::{cdlp_iterations, pagerank_options};
    #[pymodule_export]
    use super::graph::{degrees, ego, neighbors, subgraph};
    #[pymodule_export]
    use super::index::{IndexRange, IndexStore, IndexView};
    #[pymodule_export]
    use super::models::Models;
    #[pymodule_export]
    use super::profile::{DeviceProfile, comparison, fleet_page, page};
    #[pymodule_export]
    use super::size::parse_large_size;
    #[pymodule_export]
    use super::size::parse_size;
    #[pymodule_export]
    use super::table::Columns;
    #[pymodule_export]
    use super::trace::TraceReader;
}
