//! What the commands' arguments have in common.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use leadline_device::parse_size;
use leadline_index::{Durability, Index, Options};
use leadline_tpcc::database::Database;
use leadline_tpcc::{Scale, place};

use super::failure::Failure;

/// How the index is opened.
#[derive(Debug, Args)]
pub(crate) struct IndexArgs {
    /// Memory for the index's nodes
    #[arg(long, default_value = "64M", value_name = "SIZE", value_parser = parse_size)]
    cache: u64,
    /// Reads in flight from one terminal
    #[arg(long, default_value_t = 64, value_name = "K")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1024))]
    reads: u32,
    /// Nodes written at once
    #[arg(long, default_value_t = 32, value_name = "K")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1024))]
    writes: u32,
    /// Log after which a checkpoint is made
    #[arg(long, default_value = "256M", value_name = "SIZE", value_parser = parse_size)]
    checkpoint: u64,
}

impl IndexArgs {
    pub(crate) fn options(&self) -> Options {
        let mut options = Options::default().cache_bytes(self.cache).checkpoint_bytes(self.checkpoint);
        (options.reads, options.writes) = (self.reads, self.writes);
        options
    }
}

/// How many rows there are.
#[derive(Debug, Args)]
pub(crate) struct ScaleArgs {
    /// Warehouses, about 80 MB each
    #[arg(long, value_name = "W")]
    pub(crate) warehouses: Option<u32>,
    /// Multiplies customers, orders and items; anything but 1 is for tests
    #[arg(long, default_value_t = 1.0, value_name = "FACTOR")]
    scale: f64,
}

impl ScaleArgs {
    pub(crate) fn scale(&self) -> Result<Scale, Failure> {
        let Some(warehouses) = self.warehouses else {
            return Err(Failure::Input("--warehouses is missing; give 1 or more".into()));
        };
        Scale::reduced(warehouses, self.scale).map_err(Failure::Input)
    }
}

/// Opens the database in `dir`, and the index that it is in.
pub(crate) fn open(dir: &Path, options: &Options) -> Result<(Database, Arc<Index>), Failure> {
    let index = Arc::new(place::open(dir, options).map_err(Failure::Input)?);
    let db = Database::open(index.clone()).map_err(|error| match Failure::from(error) {
        Failure::Input(text) => Failure::Input(format!("{}: {text}", place::path(dir).display())),
        other => other,
    })?;
    Ok((db, index))
}

/// Results.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    leadline_examples::print(text)
        .map_err(|error| Failure::Operation(format!("writing the results: {error}")))
}

pub(crate) fn json(value: &serde_json::Value) -> Result<(), Failure> {
    print(&format!("{value:#}"))
}

/// `every-commit`, `never`, or a number of milliseconds.
pub(crate) fn durability(text: &str) -> Result<Durability, String> {
    match text {
        "every-commit" => Ok(Durability::EveryCommit),
        "never" => Ok(Durability::Never),
        ms => match ms.parse() {
            Ok(ms @ 1..=60_000) => Ok(Durability::Every(Duration::from_millis(ms))),
            _ => Err("must be every-commit, never, or milliseconds from 1 to 60000".to_owned()),
        },
    }
}
