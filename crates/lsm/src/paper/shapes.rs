//! The trees of the paper's layouts, loaded in simulated time.

use super::tables::{Column, DATA, Workload, cells, flash_cells};
use crate::ProcessorCosts;
use crate::block::Blocks;
use crate::costs::DeviceCosts;
use crate::fill::{Fill, fill};
use crate::query::Shape;
use crate::tree::Run;

/// Times of the simulated machine, which decide only how far inserts run ahead of compactions: about those
/// that the fit to Table 4 gives. Other times change the results little (docs/lsm-models.md).
const TIMES: ProcessorCosts = ProcessorCosts {
    insert_us: 60.0,
    merge_pair_us: 45.0,
    point_us: 0.0,
    block_us: 0.0,
    cached_block_us: 0.0,
    seek_us: 0.0,
    seek_run_us: 0.0,
    pair_us: 0.0,
    read_mib_us: 0.0,
    flush_pair_us: 0.0,
    compaction_mib_us: 0.0,
    edit_file_us: 0.0,
};

/// More than there are threads: compactions wait only for each other.
const CORES: f64 = 1000.0;

/// What the simulation says about a layout.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SimulatedShape {
    /// Bytes that flushes and compactions write per byte inserted, W.
    pub write_amplification: f64,
    /// Data blocks that a point query for a key that is there looks at when all compactions are done, level 0
    /// taken as empty.
    pub blocks: f64,
}

/// The shapes of all layouts, each loaded with 1 to 32 compaction threads.
#[derive(Debug, Clone, PartialEq)]
pub struct SimulatedShapes {
    loads: Vec<(Column, u32, SimulatedShape)>,
}

impl SimulatedShapes {
    /// Loads every layout of Tables 3 to 5 at every concurrency: 42 loads of 132 GB in simulated time, which
    /// take seconds.
    pub fn simulate() -> Self {
        let all = cells(Workload::Point).into_iter().chain(flash_cells(Workload::Point));
        let mut wanted: Vec<(Column, u32)> = Vec::new();
        for cell in all {
            if !wanted.contains(&(cell.column, cell.k)) {
                wanted.push((cell.column, cell.k));
            }
        }
        let loads = wanted.into_iter().map(|(column, k)| (column, k, simulate(column, k))).collect();
        SimulatedShapes { loads }
    }

    /// Of a layout loaded with `k` compaction threads; `None` where it was not.
    pub fn loaded(&self, column: Column, k: u32) -> Option<&SimulatedShape> {
        self.loads.iter().find(|load| (load.0, load.1) == (column, k)).map(|(_, _, shape)| shape)
    }

    /// Data blocks that a point query looks at, [`SimulatedShape::blocks`], mean over the loads: the paper
    /// does not say with how many threads the trees were loaded that it queries. 0 for a layout that was not
    /// loaded.
    pub fn blocks(&self, column: Column) -> f64 {
        let blocks: Vec<f64> = self.loads.iter().filter(|l| l.0 == column).map(|l| l.2.blocks).collect();
        blocks.iter().sum::<f64>() / blocks.len().max(1) as f64
    }
}

fn simulate(column: Column, k: u32) -> SimulatedShape {
    let layout = column.layout(k);
    let device = DeviceCosts::free();
    let filled = fill(
        &DATA,
        &layout,
        &device,
        &TIMES,
        &Fill { replacing: 0.0, cores: CORES, draw: None, from_empty: true },
    );
    // Up to C - 1 files may remain in level 0 when all compactions are done. How many is chance; with the
    // means of these loads, Table 5 is predicted worse (docs/lsm-models.md).
    let runs: Vec<Run> = filled.load.tree.runs().into_iter().filter(|run| run.level > 0).collect();
    let blocks = Blocks::of(&DATA, &layout, device.unit_bytes());
    let shape = Shape { layout: &layout, blocks, runs: &runs, processor: &TIMES };
    SimulatedShape { write_amplification: filled.load.write_amplification, blocks: shape.point(true).blocks }
}
