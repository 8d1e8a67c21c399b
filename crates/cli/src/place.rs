//! `leadline place`: tables on a fast device, or the fast device as a block cache.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use leadline_device::parse_large_size;
use leadline_measure::Progress;
use leadline_placement::{Captured, Migration, Simulated, StudyOptions, study};
use leadline_report::{render_figures, render_text};

use crate::failure::Failure;
use crate::paths::{DeviceName, InputPath, OutputPath};
use crate::progress::Display;
use crate::{output, signals, values};

/// Decide if a small fast drive should hold tables or be a cache
#[derive(clap::Args)]
#[command(after_help = "\
Devices:
  sim:NAME, sim:FILE.toml   a simulated device; `leadline devices` lists them
  device:NAME               a device by its published numbers
  FILE.json                 a measured device: its profile

Examples:
  leadline place q*.capture.zst --fast sim:optane --slow sim:sata
  # Three sizes of the fast drive, and queries of different weight
  leadline place q3.capture q10.capture --fast nvme.json --slow sata.json \\
    --fast-size 64M,256M,1G --weights q3=10,q10=1 --report place.html

Each TRACE is a query, recorded by `leadline trace capture` or `leadline emulate --trace`. Everything \
is predicted in virtual time: see `leadline docs place`.")]
pub(crate) struct Args {
    /// Captures of queries, each named after its file
    #[arg(value_name = "TRACE", required = true)]
    traces: Vec<InputPath>,
    /// The small fast device
    #[arg(long, value_name = "DEVICE")]
    fast: DeviceName,
    /// The slow device, which holds everything else
    #[arg(long, value_name = "DEVICE")]
    slow: DeviceName,
    /// Sizes of the fast device, such as 64M,128M [default: eight sizes, up to the size of all files]
    #[arg(long, value_name = "SIZE,..", value_delimiter = ',', value_parser = parse_large_size)]
    fast_size: Vec<u64>,
    /// Runs of each query, 0 to 1e9, such as q3=10,q10=1 [default: 1]
    #[arg(long, value_name = "QUERY=N,..", value_delimiter = ',', value_parser = weight)]
    weights: Vec<(String, f64)>,
    /// When tables are copied to the fast device: once, or before each run of a query
    #[arg(long, value_name = "once|per-query", value_parser = migration, default_value = "once")]
    migration: Migration,
    /// Size of a cached block, a power of two from 512 to 16M
    #[arg(long, alias = "block", value_name = "SIZE", value_parser = block, default_value = "16K")]
    block_size: u32,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
    /// Write the page (HTML), with the curves, to this file, replacing it
    #[arg(long, alias = "output", short_alias = 'o', value_name = "FILE")]
    report: Option<OutputPath>,
}

fn weight(text: &str) -> Result<(String, f64), String> {
    let form = || "must be a query and how often it runs, such as q3=10".to_owned();
    let (name, weight) = text.rsplit_once('=').ok_or_else(form)?;
    let weight = weight.trim().parse().ok().filter(|weight| (0.0..=1e9).contains(weight));
    Ok((name.trim().to_owned(), weight.ok_or_else(|| format!("{}, from 0 to 1e9", form()))?))
}

fn migration(text: &str) -> Result<Migration, String> {
    match text {
        "once" => Ok(Migration::Once),
        "per-query" => Ok(Migration::PerQuery),
        _ => Err("must be once or per-query".to_owned()),
    }
}

fn block(text: &str) -> Result<u32, String> {
    let block = values::block(text)?;
    if block.is_power_of_two() { Ok(block) } else { Err("must be a power of two from 512 to 16M".to_owned()) }
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    if let Some(page) = &args.report {
        output::check_writable(page)?;
    }
    // What is wrong with the devices is said before gigabytes are read.
    let notes = |device: &DeviceName| Ok::<_, Failure>(leadline_tiers::open(device, None)?.notes);
    let notes = [notes(&args.fast)?, notes(&args.slow)?].concat();
    let cancel = signals::cancel_flag()?;
    let mut display = Display::new();
    let captures = load(&args.traces, &cancel, &mut display);
    display.finish();
    let mut times = Simulated::new(captures?, &args.fast, &args.slow, args.block_size)?;
    times.weigh(&args.weights)?;
    let options = StudyOptions {
        fast_bytes: times.fast_sizes(&args.fast_size)?,
        block_bytes: args.block_size,
        migration: args.migration,
        names: (args.fast.to_string(), args.slow.to_string()),
    };
    let display = Mutex::new(Display::new());
    let watch = |phase: &'static str, done: usize, count: usize| {
        let progress =
            Progress { phase, done: done as f64 / count.max(1) as f64, detail: format!("{done} of {count}") };
        if let Ok(mut display) = display.lock() {
            display.show(&progress);
        }
        !cancel.load(Ordering::Relaxed)
    };
    let studied = study(&times, &options, &watch);
    if let Ok(mut display) = display.lock() {
        display.finish();
    }
    let mut study = studied?;
    study.notes = notes;
    study.notes.dedup();
    if let Some(path) = &args.report {
        output::write(path, &render_figures(&study.page())?)?;
        output::written("page", path);
    }
    match args.json {
        true => output::print_json(&study),
        false => output::print(&render_text(&study.text(), output::width())),
    }
}

fn load(traces: &[InputPath], cancel: &AtomicBool, display: &mut Display) -> Result<Vec<Captured>, Failure> {
    let count = traces.len() as f64;
    let mut captures = Vec::new();
    for (number, path) in traces.iter().enumerate() {
        let captured = Captured::load(path, &mut |share| {
            let done = (number as f64 + share.unwrap_or(0.5)) / count;
            display.show(&Progress { phase: "traces", done, detail: path.display().to_string() });
            !cancel.load(Ordering::Relaxed)
        });
        captures.push(captured.map_err(leadline_placement::StudyError::from)?);
    }
    Ok(captures)
}
