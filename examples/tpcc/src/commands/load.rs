//! `tpcc load`: makes a database.

use std::path::PathBuf;
use std::sync::Arc;

use leadline_device::{format_size, parse_size};
use leadline_index::Durability;
use leadline_tpcc::{bytes_needed, load, place};

use super::failure::{Failure, say};
use super::shared::{IndexArgs, ScaleArgs, print};

/// Makes a database in a directory and loads it
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Where the database is made
    #[arg(long)]
    dir: PathBuf,
    #[command(flatten)]
    scale: ScaleArgs,
    /// Bytes of a node, 4K to 64K
    #[arg(long, default_value = "4K", value_name = "SIZE", value_parser = node)]
    node: u32,
    /// Seed of all that is random
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Replaces a database that is there already
    #[arg(long)]
    replace: bool,
    #[command(flatten)]
    index: IndexArgs,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let scale = args.scale.scale()?;
    // It is durable when it is loaded to its end, and not before.
    let options = args.index.options().node_bytes(args.node).durability(Durability::Never);
    let index =
        place::create(&args.dir, bytes_needed(scale), args.replace, &options).map_err(Failure::Input)?;
    let index = Arc::new(index);
    let loaded = load(index.clone(), scale, args.seed, |warehouses| {
        say(&format!("loaded {warehouses} of {} warehouses", scale.warehouses));
    });
    if let Err(error) = loaded {
        // What is half loaded is of no use to anybody; --replace takes it away where this fails.
        drop(index);
        let _ = place::remove(&args.dir);
        return Err(error.into());
    }
    let stats = index.stats();
    print(&format!(
        "{}: {} warehouses in {} pages ({})",
        place::path(&args.dir).display(),
        scale.warehouses,
        stats.pages,
        format_size(stats.pages * u64::from(stats.node_bytes))
    ))
}

fn node(text: &str) -> Result<u32, String> {
    match parse_size(text)? {
        size @ 4096..=65_536 if size.is_power_of_two() => Ok(size as u32),
        _ => Err("must be a power of two from 4K to 64K".to_owned()),
    }
}
