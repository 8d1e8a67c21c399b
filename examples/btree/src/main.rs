//! `btree`: whether Leadline's index behaves as `leadline btree` predicts.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::{Parser, Subcommand};
use leadline_btree::{Plan, ValidateError, json, text, validate};
use leadline_device::parse_size;
use leadline_examples::Terminal;
use leadline_model::{ModelComparison, Observations};
use leadline_profile::DeviceProfile;

const TERMINAL: Terminal = Terminal("btree");

/// Bad usage or bad input.
const INPUT: u8 = 2;

/// The operation failed, or was interrupted.
const FAILED: u8 = 1;

/// Leadline's index with five node sizes, against what leadline btree predicts for it
#[derive(Parser)]
#[command(name = "btree", version, about)]
#[command(after_help = "Example: btree validate profile.json /mnt/nvme --size 1G --clients 1,4,16")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Validate(Args),
}

/// Forecasts lookups and ranges on trees with nodes of 4K to 64K, then measures them
#[derive(clap::Args)]
#[command(after_help = "Example: btree validate profile.json /mnt/nvme --size 1G --clients 1,4,16\n\n\
    The profile needs requests of 4K to 64K: leadline experiment r-by-k DIR --into PROFILE.\n\
    Five trees take five times --size on the disk; they are files without a name, and nothing is left\n\
    behind.")]
struct Args {
    /// A profile of the device under DIR
    #[arg(value_name = "PROFILE")]
    profile: PathBuf,
    /// Where the trees are made
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Keys and values in each tree
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "1G")]
    size: u64,
    /// Memory for each tree's nodes [default: a sixteenth of --size, at least 8M]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    memory: Option<u64>,
    /// Keys and values that a range reads
    #[arg(long, value_name = "SIZE", value_parser = range, default_value = "64K")]
    range_bytes: u64,
    /// Numbers of clients, each with one operation at a time
    #[arg(long, value_name = "K,..", value_delimiter = ',', default_value = "1,4,16")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=64))]
    clients: Vec<u32>,
    /// Slices of each cell
    #[arg(long, value_name = "N", default_value_t = 3)]
    #[arg(value_parser = clap::value_parser!(u32).range(2..=100))]
    repeats: u32,
    /// Time counted in a slice, seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "2")]
    seconds: Duration,
    /// Forecast with this model [default: the one that `leadline models` chooses]
    #[arg(long, value_name = "NAME", value_parser = ["dam", "pdam", "affine", "pio", "mqssd", "shared"])]
    model: Option<String>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    let Command::Validate(args) = match Cli::try_parse() {
        Ok(cli) => cli.command,
        Err(error) => return TERMINAL.usage(&error, "btree validate --help"),
    };
    let cancel = match leadline_examples::interrupted() {
        Ok(cancel) => cancel,
        Err(error) => return TERMINAL.fail(&format!("signal handler: {error}"), FAILED),
    };
    match run(&args, &cancel) {
        Ok(document) => match leadline_examples::print(&document) {
            Err(error) => TERMINAL.fail(&format!("stdout: {error}"), FAILED),
            Ok(()) => ExitCode::SUCCESS,
        },
        Err((line, code)) => TERMINAL.fail(&line, code),
    }
}

fn run(args: &Args, cancel: &AtomicBool) -> Result<String, (String, u8)> {
    let input = |text: String| (text, INPUT);
    let name = args.profile.display();
    let profile = DeviceProfile::load(&args.profile).map_err(|error| input(error.to_string()))?;
    let comparison = ModelComparison::new(Observations::from_profile(&profile));
    let model =
        comparison.choose(args.model.as_deref()).map_err(|error| input(format!("{name}: {error}")))?;
    let reads = || comparison.observations.all.iter().filter(|o| o.workload.reads > 0.0);
    let blocks = || reads().map(|o| o.workload.block_bytes);
    let mut clients = args.clients.clone();
    clients.sort_unstable();
    clients.dedup();
    let (most, asked) = (reads().map(|o| o.concurrency()).max(), clients.last());
    if let (Some(most), Some(asked)) = (most, asked)
        && asked > &most
    {
        TERMINAL.say(&format!(
            "{name}: reads with up to {most} in flight were measured; {asked} clients go beyond that"
        ));
    }
    let plan = Plan {
        directory: args.directory.clone(),
        data_bytes: args.size,
        memory_bytes: args.memory.unwrap_or((args.size / 16).max(8 << 20)),
        range_bytes: args.range_bytes,
        clients,
        repeats: args.repeats,
        slice: args.seconds,
        measured: [blocks().min().unwrap_or(0), blocks().max().unwrap_or(0)],
    };
    let found = validate(&plan, model, cancel, &|line| TERMINAL.say(line)).map_err(|error| {
        let code = if error.is_bad_input() { INPUT } else { FAILED };
        let line = match error {
            ValidateError::Size { .. } => format!("{error} (--size)"),
            ValidateError::FewFrames { .. } => format!("{error}; give more --memory or fewer --clients"),
            ValidateError::NotMeasured { .. } => {
                format!("{name}: {error}; measure them with leadline experiment r-by-k DIR --into {name}")
            }
            ValidateError::Model(_) => format!("{name}: {error}"),
            _ => error.to_string(),
        };
        (line, code)
    })?;
    found.notes.iter().for_each(|note| TERMINAL.say(note));
    if args.json {
        return Ok(format!("{:#}", json(&plan, model.name(), &found)));
    }
    Ok(text(&plan, model.name(), &found).trim_end().to_owned())
}

fn range(text: &str) -> Result<u64, String> {
    match parse_size(text)? {
        size @ 48..=0x400_0000 => Ok(size),
        _ => Err("must be from 48 bytes, one pair, to 64M".to_owned()),
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|s| (0.05..=600.0).contains(s));
    seconds.map(Duration::from_secs_f64).ok_or_else(|| "must be from 0.05 to 600 seconds".to_owned())
}
