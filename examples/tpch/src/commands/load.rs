//! `tpch load`: makes and fills the tables.

use std::path::PathBuf;

use leadline_tpch::TpchError;
use leadline_tpch::data::Scale;
use leadline_tpch::database::load;

use super::failure::say;
use super::shared::{interrupt, print, scale};

/// Loads TPC-H's tables into a new folder, for any number of runs
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// New or empty; on a file system in memory (/dev/shm) if runs are to measure the emulated drive alone
    folder: PathBuf,
    /// How large: scale 1 has six million lineitems, about 1.5 GB
    #[arg(long, default_value = "0.25", value_name = "SCALE", value_parser = scale)]
    scale: Scale,
}

pub(crate) fn run(args: &Args) -> Result<(), TpchError> {
    let folder =
        load(&args.folder, args.scale, &interrupt()?, &mut |table| say(&format!("{table} is loaded")))?;
    let tables = folder.tables()?;
    let bytes: u64 = tables.iter().map(|table| table.bytes).sum();
    for table in &tables {
        print(&format!("{:10}{:>10.1} MB", table.name, table.bytes as f64 / 1e6))?;
    }
    print(&format!(
        "{}: scale {}, {:.1} MB in {} tables; runs have a buffer pool of {:.1} MB",
        folder.path().display(),
        folder.scale(),
        bytes as f64 / 1e6,
        tables.len(),
        folder.pool()?.bytes as f64 / 1e6
    ))
}
