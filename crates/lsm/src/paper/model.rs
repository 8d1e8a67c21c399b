//! What each cell's time is made of: by the simulated shapes, and by the paper's equations.

use super::equations::{insert_us, point_us, scan_us};
use super::shapes::SimulatedShapes;
use super::tables::{Cell, DATA, SCAN_PAIRS, Workload, access_costs};

/// A model of the tables: terms whose constants are fitted.
#[derive(Debug, Clone, Copy)]
pub enum Model<'a> {
    /// Ours. With k threads, the data blocks b that a query looks at and the write amplification W,
    ///
    /// - a point query takes b l / k + b g + c / k: a block's latency, which threads share, its part that
    ///   does not scale, and what a query costs besides blocks;
    /// - a scan takes b l / k + c / k + g: each run with a file around the first key takes some reads, the
    ///   rest is the same for all layouts, as they return the same pairs, and their transfer does not scale;
    /// - a load takes `W w / k + c`: compaction, which threads share, and inserts, which they do not.
    Shapes(&'a SimulatedShapes),
    /// The paper's: equations 9 to 12 with Table 2's costs, and one constant.
    Equations,
}

impl Model<'_> {
    /// The terms of a cell, each 0 or more. All 0 for a layout or concurrency that is in none of the tables.
    pub fn terms(&self, workload: Workload, cell: &Cell) -> Vec<f64> {
        match self {
            Model::Shapes(shapes) => shape_terms(shapes, workload, cell),
            Model::Equations => vec![equation_us(workload, cell)],
        }
    }
}

fn shape_terms(shapes: &SimulatedShapes, workload: Workload, cell: &Cell) -> Vec<f64> {
    let (k, blocks) = (f64::from(cell.k), shapes.blocks(cell.column));
    match workload {
        Workload::Point => vec![blocks / k, blocks, 1.0 / k],
        Workload::Scan => vec![blocks / k, 1.0 / k, 1.0],
        Workload::Compaction => {
            let shape = shapes.loaded(cell.column, cell.k);
            vec![shape.map_or(0.0, |shape| shape.write_amplification) / k, 1.0]
        }
    }
}

fn equation_us(workload: Workload, cell: &Cell) -> f64 {
    let layout = cell.column.layout(cell.k);
    access_costs(cell.k).map_or(0.0, |costs| match workload {
        Workload::Point => point_us(&DATA, &layout, &costs),
        Workload::Scan => scan_us(&DATA, &layout, &costs, SCAN_PAIRS * DATA.pair_bytes()),
        Workload::Compaction => insert_us(&DATA, &layout, &costs),
    })
}
