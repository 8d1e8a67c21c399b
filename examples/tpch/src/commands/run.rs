//! `tpch run`: queries on an emulated drive, each from a cold buffer pool.

use std::path::PathBuf;

use leadline_tpch::TpchError;
use leadline_tpch::data::Scale;
use leadline_tpch::database::Folder;
use leadline_tpch::queries::Plans;
use leadline_tpch::run::{Measured, RunOptions, run as run_queries};

use super::failure::say;
use super::shared::{QueryArgs, device_name, interrupt, print, scale};

/// Runs queries on the tables of a loaded folder, on an emulated drive, each from a cold buffer pool
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The loaded folder
    folder: PathBuf,
    /// The drive: a file (examples/tpch/devices/slow.toml), or sim:NAME
    #[arg(long, value_name = "DEVICE")]
    device: String,
    #[command(flatten)]
    queries: QueryArgs,
    /// How often the whole list
    #[arg(long, default_value_t = 1, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100))]
    repeats: u32,
    /// Seconds after which a query is ended
    #[arg(long, default_value_t = 120, value_name = "S")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=86_400))]
    limit: u32,
    /// The scale that the folder must have
    #[arg(long, value_name = "SCALE", value_parser = scale)]
    scale: Option<Scale>,
    /// MiB of the buffer pool [default: 4.5 % of the tables, at least 6]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(6..=1 << 20))]
    pool: Option<u64>,
    /// A further setting of the server, as NAME=VALUE
    #[arg(long = "set", value_name = "SETTING")]
    further: Vec<String>,
    /// Records the requests of each query in a folder, as q3-default-1.capture
    #[arg(long, value_name = "DIR")]
    traces: Option<PathBuf>,
    /// Writes everything to a JSON file
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<(), TpchError> {
    let folder = Folder::open(&args.folder, args.scale)?;
    let options = RunOptions {
        device: device_name(&args.device),
        queries: args.queries.queries(),
        plans: args.queries.plans,
        repeats: args.repeats,
        limit_s: args.limit,
        pool_bytes: args.pool.map(|mib| mib << 20),
        further: args.further.clone(),
        traces: args.traces.clone(),
    };
    if let Some(folder) = &args.traces {
        std::fs::create_dir_all(folder).map_err(|source| TpchError::Io { path: folder.clone(), source })?;
    }
    print(HEAD)?;
    let result = run_queries(&folder, &options, &interrupt()?, &mut |measured| {
        // Nobody reads: the run goes on, for its file.
        let _ = print(&line(measured));
    })?;
    for line in result.drive.iter().flat_map(|report| report.summary()) {
        say(&line);
    }
    match &args.out {
        Some(path) => Ok(leadline_files::replace(path, result.to_json())?),
        None => Ok(()),
    }
}

const HEAD: &str = "query plan     seconds  pages read  sequential   written  processors  late";

fn line(measured: &Measured) -> String {
    let plan = if measured.plans == Plans::Paper && measured.query.is_forced() { "paper" } else { "default" };
    format!(
        "{:<6}{:<9}{:>7.2}{:>12}{:>11.0}%{:>10}{:>12.2}{:>5.1}%{}",
        measured.query,
        plan,
        measured.seconds,
        measured.innodb.pages_read,
        100.0 * measured.innodb.sequential_share,
        measured.writes,
        measured.processors,
        100.0 * measured.late as f64 / measured.requests.max(1) as f64,
        if measured.finished { "" } else { "  did not finish" }
    )
}
