//! Queries on an emulated drive, each from a cold buffer pool.

mod access;
mod counters;
mod direct;
mod mounted;
mod one;
mod processor;
mod processors;
mod result;

use std::path::PathBuf;

use leadline_emulate::EmulatedDevice;

pub use access::{Access, TableAccess};
pub use counters::Counters;
pub use direct::direct;
pub use mounted::Mounted;
pub use result::{Measured, RunResult};

use crate::database::Folder;
use crate::queries::{Plans, Query};
use crate::{Interrupt, TpchError};

/// What is run.
#[derive(Debug, Clone)]
pub struct RunOptions {
    /// The drive, `sim:FILE.toml`.
    pub device: String,
    /// Which queries, in this order.
    pub queries: Vec<Query>,
    /// With which plans.
    pub plans: Plans,
    /// How often the whole list.
    pub repeats: u32,
    /// Seconds after which a query is ended.
    pub limit_s: u32,
    /// Bytes of the buffer pool; none: in the paper's ratio.
    pub pool_bytes: Option<u64>,
    /// Further settings of the server, as on its command line but without `--`.
    pub further: Vec<String>,
    /// An existing folder, in which the requests of each query are recorded: `q3-default-1.capture`.
    pub traces: Option<PathBuf>,
}

/// Runs the queries on the tables of a folder, which lie on the drive. `said` is called with each query's
/// result.
///
/// # Errors
/// [`TpchError`]; nothing is left running or mounted then. A query that takes longer than it may is no error.
pub fn run(
    folder: &Folder,
    options: &RunOptions,
    interrupt: &Interrupt,
    said: &mut dyn FnMut(&Measured),
) -> Result<RunResult, TpchError> {
    let device = EmulatedDevice::open(&options.device, None)?;
    let mut pool = folder.pool()?;
    pool.bytes = options.pool_bytes.unwrap_or(pool.bytes);
    let mounted = Mounted::new(folder, device, pool, &options.further)?;
    let mut result = RunResult::new(folder, options, &mounted)?;
    for repeat in 1..=options.repeats {
        for query in &options.queries {
            interrupt.check()?;
            let measured = one::measure(&mounted, *query, options, repeat, folder.scale(), interrupt)?;
            result.check_answer(&measured)?;
            said(&measured);
            result.queries.push(measured);
        }
    }
    result.drive = Some(mounted.unmount()?);
    Ok(result)
}
