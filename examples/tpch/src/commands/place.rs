//! `tpch place`: placement against caching, predicted and measured.

use std::path::PathBuf;

use leadline_tpch::TpchError;
use leadline_tpch::data::Scale;
use leadline_tpch::database::Folder;
use leadline_tpch::place::{PlaceOptions, lines, place};

use super::failure::say;
use super::shared::{QueryArgs, device_name, interrupt, print, scale};

/// Uses a fast drive for tables and as a block cache of a slow one: predicts the best of each from a trace,
/// and measures both
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The loaded folder
    folder: PathBuf,
    /// The fast drive: a file (examples/tpch/devices/fast.toml), or sim:NAME
    #[arg(long, value_name = "DEVICE")]
    fast: String,
    /// The slow drive
    #[arg(long, value_name = "DEVICE")]
    slow: String,
    /// MiB of the fast drive, such as 16,64,256
    #[arg(long, value_name = "MIB,..", value_delimiter = ',', required = true)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    fast_size: Vec<u64>,
    #[command(flatten)]
    queries: QueryArgs,
    /// Runs of each
    #[arg(long, default_value_t = 3, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100))]
    repeats: u32,
    /// Seconds after which a query is ended
    #[arg(long, default_value_t = 120, value_name = "S")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=86_400))]
    limit: u32,
    /// The scale that the folder must have
    #[arg(long, value_name = "SCALE", value_parser = scale)]
    scale: Option<Scale>,
    /// Folder for traces and descriptions of drives
    #[arg(long, value_name = "DIR")]
    work: PathBuf,
    /// Writes everything to a JSON file
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<(), TpchError> {
    let folder = Folder::open(&args.folder, args.scale)?;
    std::fs::create_dir_all(&args.work)
        .map_err(|source| TpchError::Io { path: args.work.clone(), source })?;
    let options = PlaceOptions {
        fast: device_name(&args.fast),
        slow: device_name(&args.slow),
        fast_bytes: args.fast_size.iter().map(|mib| mib << 20).collect(),
        queries: args.queries.queries(),
        plans: args.queries.plans,
        repeats: args.repeats,
        limit_s: args.limit,
        folder: args.work.clone(),
    };
    let all = place(&folder, &options, &interrupt()?, &mut say)?;
    lines(&all).iter().try_for_each(|line| print(line))?;
    match &args.out {
        Some(path) => {
            let text =
                serde_json::to_string_pretty(&all).map_err(|error| TpchError::Input(error.to_string()))?;
            Ok(leadline_files::replace(path, text + "\n")?)
        }
        None => Ok(()),
    }
}
