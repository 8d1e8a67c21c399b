//! The MQSSD paper's measurements of RocksDB, its equations for them, and the simulated shapes for
//! comparison.
//!
//! Ransom, Lim and Mitzenmacher, "Multi-Queue SSD I/O Modeling & Its Implications for Data Structure Design",
//! sections 5.1 to 5.3: point queries, scans and compaction of RocksDB 8.6.7 with five fanouts and a single
//! level at 1 to 32 threads. The equations stay available for comparison; [`Model`] has the terms of both,
//! and [`held_out`] judges either on cells that it was not fitted to (docs/lsm-models.md).

mod equations;
mod fit;
mod held_out;
mod model;
mod shapes;
mod tables;

pub use equations::{AccessCosts, insert_us, point_us, scan_us};
pub use held_out::{HeldOut, held_out, mean_error};
pub use model::Model;
pub use shapes::{SimulatedShape, SimulatedShapes};
pub use tables::{Cell, Column, DATA, SCAN_PAIRS, Workload, access_costs, cells, flash_cells};
