//! `leadline profile`: measure a device.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use leadline_device::scratch::DATA_START;
use leadline_device::{Clock, Engine, parse_size};
use leadline_measure::pressure::Pressure;
use leadline_measure::summary::{self, Circumstances};
use leadline_measure::{Budget, Lanes, Plan, Stop, measure};
use leadline_model::DeviceProfile;

use crate::failure::Failure;
use crate::open::{self, Found, OpenOptions, Opened};
use crate::output::{self, Places};
use crate::progress::Display;
use crate::signals;
use crate::thermometer::Thermometer;
use crate::values;

/// Measure a device: asymmetry (alpha), read and write concurrency (k_r, k_w), latencies, and what they are worth
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  leadline profile                       the device under this directory, two minutes\n  \
                        leadline profile /mnt/nvme --quick     half a minute, 1G scratch file\n  \
                        leadline profile /dev/nvme0n1          the raw device, reads only\n  \
                        leadline profile sim:flash --json      a simulated device, profile to stdout"
)]
pub(crate) struct Args {
    /// A directory (a scratch file is made in it and removed), a file, a block device (reads only), or sim:NAME
    #[arg(default_value = ".")]
    target: String,
    /// Write the profile to this file (replaced if it exists)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write the page to this file
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Print the profile as JSON on stdout, and make no folder
    #[arg(long)]
    json: bool,
    /// Measure for 30 s
    #[arg(long, conflicts_with = "full")]
    quick: bool,
    /// Measure until alpha and both plateaus are known to 5 %, after a steady-state test
    #[arg(long)]
    full: bool,
    /// Measure for this many seconds: for tests and scripts
    #[arg(long, value_name = "S", value_parser = values::seconds, conflicts_with_all = ["quick", "full"], hide = true)]
    budget_seconds: Option<Duration>,
    /// Size of the scratch file, such as 4G [default: the smaller of 8G and a tenth of the free space; --quick 1G]
    #[arg(long, value_parser = parse_size)]
    size: Option<u64>,
    /// Block sizes to measure
    #[arg(long, value_delimiter = ',', value_parser = values::block, default_value = "4K,8K")]
    block_sizes: Vec<u32>,
    /// Sweep all block sizes from the smallest that the target transfers to 256K
    #[arg(long, conflicts_with = "block_sizes")]
    granularity: bool,
    /// Run one pinned thread on each of these processors, such as 0-1 or 0,2
    #[arg(long, value_name = "LIST", value_parser = values::cpus)]
    cpus: Option<values::Cpus>,
    /// How requests reach the kernel [default: io_uring, or psync where that is not to be had]
    #[arg(long, value_parser = values::engine, value_name = "io_uring|psync")]
    engine: Option<Engine>,
    /// Go through the page cache: measures memory, and the report says so in red
    #[arg(long)]
    buffered: bool,
    /// Poll for completions (the device needs poll queues)
    #[arg(long)]
    iopoll: bool,
    /// Let a kernel thread poll for submissions
    #[arg(long)]
    sqpoll: bool,
    /// Highest concurrency to try [default: 1024; psync 128]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=4096))]
    max_concurrency: Option<u32>,
    /// Passes of random writes over the scratch file before measuring
    #[arg(long, value_name = "N", default_value_t = 0)]
    precondition: u32,
    /// Never write more than this in all
    #[arg(long, value_parser = parse_size, value_name = "SIZE")]
    max_writes: Option<u64>,
    /// Overwrite TARGET, a block device that is not in use
    #[arg(long)]
    destructive: bool,
    /// Measure reads only
    #[arg(long, conflicts_with = "destructive")]
    reads_only: bool,
    /// Keep the scratch file as leadline-scratch.dat, to be named as TARGET next time
    #[arg(long)]
    keep_scratch: bool,
    /// Go on with an interrupted run; it keeps its own settings
    #[arg(long, value_name = "PROFILE")]
    resume: Option<PathBuf>,
    /// Put the drive's serial number into the profile
    #[arg(long)]
    serial: bool,
    /// Seed of all random choices [default: the time; 1 for simulated devices]
    #[arg(long)]
    seed: Option<u64>,
    /// Say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    let earlier = args.resume.as_deref().map(|path| load_interrupted(path, &args.target)).transpose()?;
    let options = open_options(&args, earlier.as_ref())?;
    let found = open::find(&args.target)?;
    let bytes = open::bytes_to_lay_out(&found, &options)?;
    let budget = budget(&args, earlier.as_ref());
    let blocks = block_sizes(&args, earlier.as_ref(), open::smallest_block(&found, &options)?);
    if args.dry_run && !found.is_directory() {
        // What would be refused is refused now; nothing is written by opening.
        plan(&args, &open::open(&args.target, &found, bytes, &options)?, budget, earlier.as_ref())?;
    }
    announce(&args, &found, &options, bytes, budget, &blocks)?;
    if args.dry_run {
        return Ok(());
    }
    let cancel = signals::cancel_flag()?;
    let opened = open::open(&args.target, &found, bytes, &options)?;
    opened.notes.iter().for_each(|note| output::say(note));
    let plan = plan(&args, &opened, budget, earlier.as_ref())?;
    let output = args.output.clone().or_else(|| args.resume.clone());
    let places = Places::choose(output, args.report.clone(), args.json, &opened.facts.name)?;
    let measured = measure_it(&plan, opened, earlier.as_ref(), &cancel);
    let (profile, stop) = measured.inspect_err(|_| places.discard())?;
    finish(&args, &places, &profile, stop)
}

/// Measures with a progress bar, and puts what surrounds the measurement into the profile.
fn measure_it(
    plan: &Plan,
    opened: Opened,
    earlier: Option<&DeviceProfile>,
    cancel: &Arc<AtomicBool>,
) -> Result<(DeviceProfile, Option<Stop>), Failure> {
    let created = (opened.device.clock() == Clock::Wall)
        .then(|| jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string());
    let pressure = Pressure::start();
    let mut thermometer = Thermometer::new(opened.sysfs.as_deref());
    let mut display = Display::new();
    let resume = earlier.map(summary::earlier);
    let result = measure(opened.device.as_ref(), plan, resume, cancel, &mut |progress| {
        thermometer.read();
        display.show(&progress);
    });
    display.finish();
    opened.device.notes().iter().for_each(|note| output::say(note));
    let (prepared, outcome) = result?;
    let pressed = pressure.sample();
    let wall = opened.device.clock() == Clock::Wall;
    let around = Circumstances {
        facts: opened.facts,
        clock: opened.device.clock(),
        engine: opened.engine,
        direct: opened.direct,
        created,
        no_writes_because: opened.no_writes_because,
        temperature: thermometer.seen,
        cpu_pressure: pressed.cpu_pressure.filter(|_| wall),
        cpu_steal: pressed.cpu_steal.filter(|_| wall),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    let profile = summary::profile(plan, &prepared, &outcome, around, earlier);
    Ok((profile, outcome.stopped_by))
}

/// Writes and prints; a run cut short is kept, marked, and fails.
fn finish(args: &Args, places: &Places, profile: &DeviceProfile, stop: Option<Stop>) -> Result<(), Failure> {
    places.write(profile)?;
    if args.json {
        output::print(&profile.to_json())?;
    } else {
        output::print_summary(profile)?;
    }
    for (what, path) in [("profile", &places.profile), ("report", &places.report)] {
        if let Some(path) = path {
            output::say(&format!("{what} in {}", path.display()));
        }
    }
    let reason = match stop {
        None | Some(Stop::WritesSpent) => return Ok(()),
        Some(Stop::Cancelled) => "interrupted".to_owned(),
        Some(Stop::Failed(error)) => error.to_string(),
    };
    let kept = match &places.profile {
        Some(path) => format!("; what was measured is kept, go on with --resume {}", path.display()),
        None => String::new(),
    };
    Err(Failure::Operation(format!("{reason}{kept}")))
}

/// Says beforehand what will be done, and how much will be written: drives wear.
fn announce(
    args: &Args,
    found: &Found,
    options: &OpenOptions,
    bytes: u64,
    budget: Budget,
    blocks: &[u32],
) -> Result<(), Failure> {
    let measuring = match budget.seconds(blocks.len()) {
        Some(seconds) => format!("measures for {seconds:.0} s"),
        None => "measures until the numbers have settled (an hour at most)".to_owned(),
    };
    let prepared = bytes.saturating_mul(u64::from(args.precondition) + 1);
    let writing = open::what_is_written(found, options, bytes, prepared, args.max_writes);
    let text = format!("{}: {writing}; {measuring}", args.target);
    if args.dry_run && args.json {
        let plan = serde_json::json!({
            "dry_run": true, "target": args.target, "writes_before_measuring_bytes": if matches!(found, Found::Real(_)) { prepared } else { 0 },
            "max_writes_bytes": args.max_writes, "budget_seconds": budget.seconds(blocks.len()),
            "block_sizes": blocks,
        });
        return output::print(&format!("{plan:#}\n"));
    }
    if args.dry_run {
        return output::print(&format!("{text}\n"));
    }
    output::say(&text);
    Ok(())
}

fn budget(args: &Args, earlier: Option<&DeviceProfile>) -> Budget {
    let Some(method) = earlier.map(|profile| &profile.method) else {
        return match (args.budget_seconds, args.quick, args.full) {
            (Some(length), ..) => Budget::Custom(length),
            (None, true, _) => Budget::Quick,
            (None, _, true) => Budget::Full,
            _ => Budget::Default,
        };
    };
    let length = method.budget_seconds.and_then(|s| Duration::try_from_secs_f64(s).ok());
    match (method.budget.as_str(), length) {
        ("quick", _) => Budget::Quick,
        ("full", _) => Budget::Full,
        ("custom", Some(length)) => Budget::Custom(length),
        _ => Budget::Default,
    }
}

/// A resumed run keeps its own settings: numbers of two ways to measure are not to be mixed.
fn open_options(args: &Args, earlier: Option<&DeviceProfile>) -> Result<OpenOptions, Failure> {
    let mut options = OpenOptions {
        engine: args.engine,
        buffered: args.buffered,
        iopoll: args.iopoll,
        sqpoll: args.sqpoll,
        destructive: args.destructive,
        reads_only: args.reads_only,
        keep_scratch: args.keep_scratch,
        serial: args.serial,
        size: args.size,
        quick: args.quick,
    };
    if let Some(DeviceProfile { method, device, .. }) = earlier {
        let header = if device.kind == "directory" { DATA_START } else { 0 };
        options.size = Some(method.footprint_bytes + header);
        options.engine = Some(values::engine(&method.engine).map_err(Failure::Input)?);
        options.buffered = !method.direct;
        options.reads_only = method.writes != "measured";
        if device.kind == "block" && !options.reads_only && !options.destructive {
            let text =
                format!("{}: its run also wrote; give --destructive again to overwrite it", device.target);
            return Err(Failure::Input(text));
        }
    }
    Ok(options)
}

fn plan(
    args: &Args,
    opened: &Opened,
    budget: Budget,
    earlier: Option<&DeviceProfile>,
) -> Result<Plan, Failure> {
    let geometry = opened.device.geometry();
    let mut plan = Plan::new(budget, geometry, opened.device.clock());
    plan.region = opened.region;
    plan.writes = opened.writes;
    plan.layout = opened.layout;
    plan.precondition = args.precondition;
    plan.max_writes = args.max_writes;
    plan.block_sizes = block_sizes(args, earlier, geometry.block_bytes);
    if let Some(values::Cpus(list)) = &args.cpus {
        plan.cpus = list.clone();
    }
    if opened.engine == "psync" {
        plan.lanes = Lanes::OneRequestEach;
        plan.max_concurrency = 128;
    }
    plan.max_concurrency = args.max_concurrency.unwrap_or_else(|| plan.affordable_concurrency());
    plan.seed = args.seed.unwrap_or_else(|| match opened.device.clock() {
        Clock::Virtual => 1,
        Clock::Wall => jiff::Timestamp::now().as_microsecond() as u64,
    });
    if let Some(DeviceProfile { method, .. }) = earlier {
        plan.patterns = method.patterns.clone();
        plan.max_concurrency = method.max_concurrency;
        plan.precondition = method.precondition_passes;
        plan.cpus = method.cpus.clone();
    }
    if plan.lanes != Lanes::OneRequestEach && !plan.cpus.is_empty() {
        plan.lanes = Lanes::Threads(plan.cpus.len() as u32);
    }
    plan.check(&geometry)?;
    Ok(plan)
}

/// The profile of a run that was cut short on the same target.
fn load_interrupted(path: &Path, target: &str) -> Result<DeviceProfile, Failure> {
    let profile = DeviceProfile::load(path)?;
    let refuse = |reason: String| Err(Failure::Input(format!("--resume {}: {reason}", path.display())));
    if profile.validity.complete {
        return refuse("this run is complete; measure anew without --resume".into());
    }
    if profile.device.target != target {
        return refuse(format!("it measured {}, not {target}; name that target", profile.device.target));
    }
    if profile.device.kind == "simulated" {
        return refuse("simulated runs are short and start anew; leave --resume out".into());
    }
    Ok(profile)
}

/// What will be measured, ascending, where `smallest` is the least that the target transfers.
fn block_sizes(args: &Args, earlier: Option<&DeviceProfile>, smallest: u32) -> Vec<u32> {
    if let Some(profile) = earlier {
        return profile.method.block_sizes.clone();
    }
    let mut blocks = if args.granularity { granularity(smallest) } else { args.block_sizes.clone() };
    blocks.sort_unstable();
    blocks.dedup();
    blocks
}

/// Powers of two from the smallest transfer to 256K.
fn granularity(smallest: u32) -> Vec<u32> {
    (9..=18).map(|shift| 1 << shift).filter(|&size| size >= smallest).collect()
}
