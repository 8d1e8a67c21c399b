//! `leadline profile`: measure a device, or import what other programs measured.

mod import;
mod screen;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use leadline_advise::System;
use leadline_device::parse_large_size;
use leadline_figures::Text;
use leadline_measure::experiment::Experiment;
use leadline_measure::target::{Access, OpenTarget};
use leadline_measure::{
    BlockSizes, Budget, Following, Plan, RunBounds, Settings, Stop, Surroundings, measure, summary,
};
use leadline_profile::{DeviceKind, DeviceProfile};
use serde_json::{Value, json};

use crate::advise::system_or_all;
use crate::experiment::{self, Options};
use crate::failure::{Failure, why_stopped};
use crate::messages;
use crate::output::{self, OutputPaths};
use crate::paths::{ContinuedPath, OutputPath, TargetName, is_stdout};
use crate::progress::Display;
use crate::signals;
use crate::target::{AccessArgs, Target};
use crate::values;
use screen::print_written;

pub(crate) use screen::print_named;

/// Measure a device: asymmetry, concurrency, latency, bandwidth
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
#[command(after_help = "\
Examples:
  # Measure the disk that holds this directory, in two minutes
  leadline profile .
  # Half a minute, with a scratch file of 1G
  leadline profile /mnt/nvme --quick
  # A raw device, reads only
  leadline profile /dev/nvme0n1
  # Everything that `leadline advise postgresql` needs
  leadline profile /data --for postgresql -o profile.json
  # A simulated device, in a second
  leadline profile sim:flash --json
  # Results of fio instead of a measurement
  leadline profile import sweep.json -o profile.json")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// What to measure: a directory (with a scratch file that is removed at the end), a file, a block device
    /// (reads only, unless --destructive is given), or sim:NAME
    #[arg(default_value = ".")]
    target: TargetName,
    /// Write the profile to this file, replacing it [default: a new directory, for the profile and the page]
    #[arg(short, long, value_name = "FILE")]
    output: Option<OutputPath>,
    /// Write the page (HTML) to this file, replacing it
    #[arg(long, value_name = "FILE")]
    report: Option<OutputPath>,
    /// Print the profile as one JSON document; make no new directory
    #[arg(long)]
    json: bool,
    /// Also print the tables, the plot, other definitions of k, every check and the experiments
    #[arg(long, conflicts_with = "json")]
    details: bool,
    /// Also run the experiments that `leadline advise SYSTEM` needs; `all` for every system
    #[arg(long = "for", value_name = "SYSTEM", value_parser = system_or_all())]
    system: Option<String>,
    /// Measure for 30 seconds instead of two minutes
    #[arg(long, conflicts_with = "full")]
    quick: bool,
    /// Test for steady state first, then measure until alpha and both plateaus are known to within 5 %, an
    /// hour at most
    #[arg(long)]
    full: bool,
    /// Measure for this many seconds: for tests and scripts
    #[arg(long, value_name = "S", value_parser = values::seconds)]
    #[arg(conflicts_with_all = ["quick", "full"], hide = true)]
    budget_seconds: Option<Duration>,
    #[command(flatten)]
    access: AccessArgs,
    /// Block sizes to measure, from 512 to 16M, separated by commas
    #[arg(long = "block-size", alias = "block-sizes", value_name = "SIZE,..", value_parser = values::block)]
    #[arg(value_delimiter = ',', default_value = "4K,8K")]
    block_sizes: Vec<u32>,
    /// Measure every power of two from the smallest block that TARGET takes to 256K
    #[arg(long, conflicts_with = "block_sizes")]
    granularity: bool,
    /// Pin one thread to each of these processors, such as 0-1 or 0,2 [default: one thread, not pinned]
    #[arg(long, value_name = "LIST", value_parser = values::cpus)]
    cpus: Option<values::Cpus>,
    /// Go through the page cache, which measures memory; the report warns about it
    #[arg(long)]
    buffered: bool,
    /// Poll for completions (io_uring only; the driver needs poll queues)
    #[arg(long)]
    iopoll: bool,
    /// Let a kernel thread poll for submissions (io_uring only)
    #[arg(long)]
    sqpoll: bool,
    /// Most requests in flight to try, 1 to 4096 [default: 1024, or 128 with psync]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=4096))]
    max_concurrency: Option<u32>,
    /// Overwrite the scratch file at random N times before measuring
    #[arg(long, value_name = "N", default_value_t = 0)]
    precondition: u32,
    /// Stop writing after this many bytes, the layout included [default: the larger of 4G and twice the
    /// scratch file, without the layout; no limit with --full or --precondition]
    #[arg(long, value_parser = parse_large_size, value_name = "SIZE")]
    max_writes: Option<u64>,
    /// Continue the interrupted run in this profile, with its settings
    #[arg(long, value_name = "PROFILE")]
    resume: Option<ContinuedPath>,
    /// Record the drive's serial number in the profile
    #[arg(long)]
    serial: bool,
    /// Seed of all random choices [default: the time of day, or 1 on simulated devices]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Print what would be measured and written, and do nothing
    #[arg(long)]
    dry_run: bool,
}

impl Args {
    /// The system whose settings are the next step.
    fn advised(&self) -> &str {
        self.system.as_deref().unwrap_or("postgresql")
    }
}

#[derive(clap::Subcommand)]
enum Command {
    Import(import::Args),
}

/// Measures TARGET, writes the profile and the page, and prints the summary.
pub(crate) fn run(mut args: Args) -> Result<(), Failure> {
    if let Some(Command::Import(args)) = args.command.take() {
        return import::run(args);
    }
    measured(args)
}

fn measured(args: Args) -> Result<(), Failure> {
    let earlier =
        args.resume.as_deref().map(|path| load_interrupted(path, &args.target.to_string())).transpose()?;
    let settings = settings(&args, earlier.as_ref())?;
    let more = needed(&args)?;
    let target = Target::find(&args.target)?;
    let following = Following {
        which: &more,
        access: args.access.access(args.quick),
        seconds: more.iter().map(|one| one.default_seconds(args.quick)).sum(),
    };
    let bounds = RunBounds::new(&settings, target.candidate(), &following)?;
    let announcement =
        format!("{}: {}", args.target, bounds.announcement(&settings, target.candidate(), &more));
    if args.dry_run {
        let document = document(&target, &args.target.to_string(), &settings, &bounds, &more);
        if !target.candidate().is_directory() {
            // What would be refused is refused now; nothing is written by opening.
            settings.plan(&target.open(bounds.layout_bytes, &settings.access)?)?;
        }
        return if args.json {
            output::print_json(&document)
        } else {
            output::print_text(&Text::of_lines([announcement]))
        };
    }
    let cancel = signals::cancel_flag()?;
    // What is refused is refused before anything is announced; opening writes nothing.
    let target = target.open(bounds.layout_bytes, &settings.access)?;
    let mut plan = settings.plan(&target)?;
    bounds.keep(&mut plan);
    let output = args.output.as_deref().or(args.resume.as_deref()).map(Path::to_owned);
    let report = args.report.as_deref().map(Path::to_owned);
    let mut paths = OutputPaths::choose(output, report, args.json, &target.facts.name)?;
    messages::note(&announcement);
    target.warnings.iter().for_each(|warning| messages::warning(warning));
    let measured = measure_watched(&plan, target, earlier.as_ref(), &cancel);
    let (profile, stop) = measured?;
    paths.write(&profile)?;
    let stopped = stopped(stop.as_ref(), &paths, &profile);
    let last = more.is_empty() || stopped.is_some();
    match (args.json, last) {
        (true, true) => output::print(&profile.to_json())?,
        // Whatever completes it prints it.
        (_, false) => {}
        (false, true) => print_written(&profile, &paths, args.details, Some(args.advised()))?,
    }
    if args.json {
        paths.say();
    }
    match stopped {
        Some(stopped) => Err(stopped),
        None if last => Ok(()),
        None => run_experiments(args, more, &paths, profile.validity.bytes_written),
    }
}

/// The experiments that --for asks for.
fn needed(args: &Args) -> Result<Vec<&'static dyn Experiment>, Failure> {
    let Some(name) = &args.system else { return Ok(Vec::new()) };
    let output = args.output.as_deref();
    if args.json && output.is_none() || output.is_some_and(is_stdout) {
        let text = "--for: name the file for the profile with -o: experiments are added to it";
        return Err(Failure::Input(text.to_owned()));
    }
    let systems = System::from_name(name).map_or_else(|| System::ALL.to_vec(), |system| vec![system]);
    let is_needed = |one: &&dyn Experiment| systems.iter().any(|system| system.needs().contains(&one.name()));
    Ok(leadline_measure::experiment::ALL.iter().copied().filter(is_needed).collect())
}

/// Measures these too, into the profile that was written, and writes the page anew.
/// Of --max-writes the profile has `written` so much.
fn run_experiments(
    args: Args,
    more: Vec<&'static dyn Experiment>,
    paths: &OutputPaths,
    written: u64,
) -> Result<(), Failure> {
    let Some(path) = paths.profile.as_deref() else { return Ok(()) };
    let Args { target, access, quick, max_writes, seed, json, details, system, .. } = args;
    let max_writes = max_writes.map(|max| max.saturating_sub(written));
    let done = experiment::run_several(more, target, path, Options { access, quick, max_writes, seed, json });
    // What was measured before a failure is in the profile as well.
    let profile = DeviceProfile::load(path)?;
    if let Some(page) = &paths.report {
        output::write(page, &leadline_report::render_page(std::slice::from_ref(&profile))?)?;
    }
    if !json {
        print_written(&profile, paths, details, system.as_deref())?;
    }
    done
}

/// The settings on the command line, or those of the run that is resumed.
fn settings(args: &Args, earlier: Option<&DeviceProfile>) -> Result<Settings, Failure> {
    let settings = Settings {
        access: Access {
            direct: !args.buffered,
            iopoll: args.iopoll,
            sqpoll: args.sqpoll,
            serial: args.serial,
            ..args.access.access(args.quick)
        },
        budget: match (args.budget_seconds, args.quick, args.full) {
            (Some(length), ..) => Budget::Custom(length),
            (None, true, _) => Budget::Quick,
            (None, _, true) => Budget::Full,
            _ => Budget::Default,
        },
        block_sizes: match args.granularity {
            true => BlockSizes::Granularity,
            false => BlockSizes::Listed(args.block_sizes.clone()),
        },
        patterns: None,
        cpus: args.cpus.as_ref().map_or(Vec::new(), |cpus| cpus.0.clone()),
        max_concurrency: args.max_concurrency,
        precondition: args.precondition,
        max_writes: args.max_writes,
        seed: args.seed,
    };
    match earlier {
        Some(earlier) => Ok(settings.resume(earlier)?),
        None => Ok(settings),
    }
}

/// The profile of a run that was cut short on the same target.
fn load_interrupted(path: &Path, target: &str) -> Result<DeviceProfile, Failure> {
    let profile = DeviceProfile::load(path)?;
    let refuse = |reason: String| Err(Failure::Input(format!("--resume {}: {reason}", path.display())));
    if profile.validity.complete {
        return refuse("this run is complete; start a new one without --resume".into());
    }
    if profile.device.target != target {
        return refuse(format!("it measured {}, not {target}; name that target", profile.device.target));
    }
    if profile.device.kind == DeviceKind::Simulated {
        return refuse("simulated runs are short and cannot be resumed; leave --resume out".into());
    }
    Ok(profile)
}

/// What --dry-run says for programs.
fn document(
    target: &Target,
    name: &str,
    settings: &Settings,
    bounds: &RunBounds,
    more: &[&'static dyn Experiment],
) -> Value {
    let candidate = target.candidate();
    let prepared = if candidate.simulated_capacity().is_none() { bounds.prepared(settings) } else { 0 };
    json!({
        "dry_run": true,
        "target": name,
        "writes_before_measuring_bytes": prepared,
        "max_writes_bytes": settings.max_writes,
        "write_budget_bytes": if settings.max_writes.is_some() { None } else { bounds.written() },
        "budget_seconds": bounds.profile_seconds,
        "seconds_at_most": bounds.seconds(),
        "block_sizes": settings.block_sizes.resolve(candidate.smallest_block(&settings.access)),
        "experiments": more.iter().map(|one| one.name()).collect::<Vec<_>>(),
    })
}

/// Measures with a progress bar, and puts what surrounds the measurement into the profile.
fn measure_watched(
    plan: &Plan,
    target: OpenTarget,
    earlier: Option<&DeviceProfile>,
    cancel: &Arc<AtomicBool>,
) -> Result<(DeviceProfile, Option<Stop>), Failure> {
    let mut surroundings = Surroundings::watch(&target, output::now());
    let mut display = Display::new();
    let resume = earlier.map(summary::earlier);
    let result = measure(target.device.as_ref(), plan, resume, cancel, &mut |progress| {
        surroundings.sample();
        display.show(&progress);
    });
    display.finish();
    target.device.warnings().iter().for_each(|warning| messages::warning(warning));
    let (prepared, outcome) = result?;
    let circumstances = surroundings.circumstances(env!("CARGO_PKG_VERSION"));
    let profile = summary::profile(plan, &prepared, &outcome, circumstances, earlier);
    Ok((profile, outcome.stopped_by))
}

/// Why a run failed that was cut short, and how to go on with what is kept of it.
fn stopped(stop: Option<&Stop>, paths: &OutputPaths, profile: &DeviceProfile) -> Option<Failure> {
    let reason = why_stopped(stop)?;
    let kept = match &paths.profile {
        Some(_) if profile.device.kind == DeviceKind::Simulated => "; what was measured is kept".to_owned(),
        Some(path) if is_stdout(path) => "; what was measured is printed".to_owned(),
        Some(path) => format!("; what was measured is kept, continue with --resume {}", path.display()),
        None => String::new(),
    };
    Some(Failure::Operation(format!("{reason}{kept}")))
}
