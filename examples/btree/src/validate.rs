//! The whole comparison: processor times, forecasts, trees on the device, slices in alternation.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use leadline_device::guard::{check_directory, check_space};
use leadline_device::scratch::{DATA_START, Scratch, ScratchOptions};
use leadline_device::{DeviceError, FileDevice, FileOptions, IoEngine, direct_alignment, format_size};
use leadline_lsm::btree::Operation;
use leadline_model::Predict;

use crate::forecast::Forecaster;
use crate::{
    Forecast, Grown, Measured, ProcessorTimes, Slice, ValidateError, measure, pairs_of, range_pairs,
};

/// The node sizes compared, bytes: all that an index's node may have.
pub const NODE_BYTES: [u32; 5] = [4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10];

/// The operations compared.
const OPERATIONS: [Operation; 2] = [Operation::Point, Operation::Range];

/// Nodes that a client holds at once, and some to spare.
const FRAMES_PER_CLIENT: u64 = 2;

/// Fewest pairs of a tree: several levels with every node size.
const LEAST_PAIRS: u32 = 100_000;

/// What is to be compared, where and for how long.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Where the trees are made, in files without a name.
    pub directory: PathBuf,
    /// Keys and values in each tree, bytes.
    pub data_bytes: u64,
    /// Memory of each tree's pool, bytes.
    pub memory_bytes: u64,
    /// Keys and values that a range reads, bytes.
    pub range_bytes: u64,
    /// Numbers of clients.
    pub clients: Vec<u32>,
    /// Slices of each cell, at least 2 for an interval.
    pub repeats: u32,
    /// Time counted in a slice; a quarter of it goes before.
    pub slice: Duration,
    /// Smallest and largest request measured in the profile, bytes.
    pub measured: [u32; 2],
}

/// One operation on one node size by so many clients: forecast and measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// What was done.
    pub operation: Operation,
    /// By how many clients.
    pub clients: u32,
    /// Bytes of a node.
    pub node_bytes: u32,
    /// What the model said beforehand.
    pub forecast: Forecast,
    /// Operations per second, one per repeat.
    pub measured: Vec<f64>,
    /// Nodes read from the device per operation, one per repeat.
    pub reads: Vec<f64>,
}

/// What a validation came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Validation {
    /// Pairs in each tree.
    pub pairs: u32,
    /// How full the leaves are, 0 to 1, by node size.
    pub fill: Vec<f64>,
    /// Levels, the root and the leaves included, by node size.
    pub height: Vec<u64>,
    /// Processor times, by node size.
    pub processor: Vec<ProcessorTimes>,
    /// By operation, clients and node size.
    pub cells: Vec<Cell>,
    /// What had to be done without, in plain words.
    pub notes: Vec<String>,
}

impl Plan {
    /// Pairs in each tree.
    ///
    /// # Errors
    /// [`ValidateError`]: the data, the memory or the request sizes measured do not allow the comparison.
    pub fn check(&self) -> Result<u32, ValidateError> {
        let pairs = pairs_of(self.data_bytes).pairs;
        if !(f64::from(LEAST_PAIRS)..=f64::from(u32::MAX)).contains(&pairs) {
            return Err(ValidateError::Size { bytes: self.data_bytes, pairs, least: LEAST_PAIRS });
        }
        let ([low, high], [least, .., most]) = (self.measured, NODE_BYTES);
        if low > least || high < most {
            return Err(ValidateError::NotMeasured { low, high, least, most });
        }
        let clients = u64::from(self.clients.iter().copied().max().unwrap_or(1));
        let needed = u64::from(Grown::LEAST_FRAMES) + clients * FRAMES_PER_CLIENT;
        let (memory_bytes, frames) = (self.memory_bytes, self.memory_bytes / u64::from(most));
        if frames < needed {
            return Err(ValidateError::FewFrames { memory_bytes, node_bytes: most, frames, least: needed });
        }
        Ok(pairs as u32)
    }
}

/// Forecasts every cell, then loads a tree per node size and measures the cells: each repeat measures all of
/// them once, in random order. `say` hears what is going on. Nothing is left in the directory, whatever
/// happens: the files never have a name.
///
/// # Errors
/// [`ValidateError`].
pub fn validate(
    plan: &Plan,
    model: &dyn Predict,
    cancel: &AtomicBool,
    say: &dyn Fn(&str),
) -> Result<Validation, ValidateError> {
    let pairs = plan.check()?;
    check_directory(&plan.directory)?;
    check_space(&plan.directory, NODE_BYTES.iter().map(|&node| file_bytes(pairs, node)).sum())?;
    let range = range_pairs(plan.range_bytes).min(pairs);
    let mut processor = Vec::new();
    for node_bytes in NODE_BYTES {
        say(&format!("processor time with nodes of {}", format_size(node_bytes.into())));
        processor.push(ProcessorTimes::measure(node_bytes, range, cancel)?);
    }
    let mut cells = forecasts(plan, model, &processor)?;
    let mut notes = Vec::new();
    let mut trees = Vec::new();
    for node_bytes in NODE_BYTES {
        let (tree, note) = load(plan, node_bytes, pairs, cancel, say)?;
        notes.extend(note);
        trees.push(tree);
    }
    notes.dedup();
    let mut random = fastrand::Rng::with_seed(1);
    for repeat in 0..plan.repeats {
        let mut order: Vec<usize> = (0..cells.len()).collect();
        random.shuffle(&mut order);
        say(&format!("repeat {} of {}: {} slices", repeat + 1, plan.repeats, order.len()));
        for (at, &cell) in order.iter().enumerate() {
            let cell = &mut cells[cell];
            let Some(tree) = trees.iter().find(|tree| tree.node_bytes == cell.node_bytes) else { continue };
            let slice = Slice {
                operation: cell.operation,
                range_pairs: range,
                clients: cell.clients,
                ramp: plan.slice / 4,
                counted: plan.slice,
                seed: random.u64(..),
            };
            let Measured { per_second, reads } = measure(tree, &slice, cancel)?;
            cell.measured.push(per_second);
            cell.reads.push(reads);
            if (at + 1) % 10 == 0 {
                say(&format!("repeat {}: {} of {} slices", repeat + 1, at + 1, order.len()));
            }
        }
    }
    let fill = trees.iter().map(Grown::fill).collect();
    let height = trees.iter().map(Grown::height).collect();
    Ok(Validation { pairs, fill, height, processor, cells, notes })
}

fn forecasts(
    plan: &Plan,
    model: &dyn Predict,
    processor: &[ProcessorTimes],
) -> Result<Vec<Cell>, ValidateError> {
    let forecaster = Forecaster {
        model,
        data: pairs_of(plan.data_bytes),
        range_bytes: plan.range_bytes,
        memory_bytes: plan.memory_bytes,
        processors: std::thread::available_parallelism().map_or(1, |n| n.get() as u32),
    };
    let mut cells = Vec::new();
    for operation in OPERATIONS {
        for &clients in &plan.clients {
            for times in processor {
                let forecast = forecaster.forecast(times, operation, clients)?;
                let (node_bytes, measured, reads) = (times.node_bytes, Vec::new(), Vec::new());
                cells.push(Cell { operation, clients, node_bytes, forecast, measured, reads });
            }
        }
    }
    Ok(cells)
}

/// Size of the file of a tree.
fn file_bytes(pairs: u32, node_bytes: u32) -> u64 {
    Grown::device_bytes(pairs, node_bytes).next_multiple_of(1 << 20)
}

/// A tree in a file without a name, past the page cache; and what had to be done without.
fn load(
    plan: &Plan,
    node_bytes: u32,
    pairs: u32,
    cancel: &AtomicBool,
    say: &dyn Fn(&str),
) -> Result<(Grown, Option<String>), ValidateError> {
    let scratch = Scratch::create(&plan.directory, file_bytes(pairs, node_bytes), ScratchOptions::new())?;
    let cannot = |what: &str, error| {
        DeviceError::io(format!("{what} the file in {}", plan.directory.display()), error)
    };
    let file = scratch.file().try_clone().map_err(|error| cannot("opening", error))?;
    let block = direct_alignment(&file).map_err(|error| cannot("the direct alignment of", error))?;
    clear(&file).map_err(|error| cannot("writing", error))?;
    let (engine, note) = IoEngine::best();
    let device = FileDevice::new(file, scratch.capacity_bytes(), FileOptions::new(engine, block))?;
    let frames = (plan.memory_bytes / u64::from(node_bytes)).min(u64::from(u32::MAX)) as u32;
    let node = format_size(node_bytes.into());
    let mut tenths = 0;
    let tree = Grown::load(Arc::new(device), node_bytes, frames, pairs, cancel, |share| {
        let now = (share * 10.0) as u32;
        if now > tenths || share <= 0.0 {
            say(&format!("loading the tree with nodes of {node}: {} %", 10 * now));
            tenths = now;
        }
    })?;
    // The index's device keeps the file open; `scratch` would only remove a name, which it never had.
    drop(scratch);
    Ok((tree, note))
}

/// Writes over what a scratch file says of itself: an index is made on a device of zeros only.
fn clear(file: &File) -> io::Result<()> {
    let bytes = DATA_START as usize;
    // Direct I/O wants memory that is aligned.
    let zeros = vec![0; 2 * bytes];
    let at = zeros.as_ptr().align_offset(bytes);
    file.write_all_at(&zeros[at..at + bytes], 0)
}
