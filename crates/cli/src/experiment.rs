//! `leadline experiment`: what the I/O models need beyond a profile's points.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use leadline_device::{format_size, parse_size};
use leadline_measure::Surroundings;
use leadline_measure::experiment::{self, Experiment, ExperimentPlan};
use leadline_measure::target::{Access, OpenTarget};
use leadline_profile::{DeviceFacts, DeviceProfile};
use leadline_report::render_experiment;

use crate::failure::{Failure, why_stopped};
use crate::output::{self, Places};
use crate::progress::Display;
use crate::signals;
use crate::target::{AccessArgs, Target};
use crate::values;

/// Measure what a profile leaves open: accesses of many sizes, reads mixed with writes, latency under load,
/// batching, tail latency, unaligned writes
#[derive(clap::Args)]
#[command(
    mut_arg("reads_only", |arg| arg.help("Measure reads only (not mixed, pio-classes or unaligned)")),
    after_help = "Experiments:\n  \
        r-by-k       random accesses from 4K to 4M at 1 to 128 requests in flight\n  \
        mixed        reads and writes together, from reads only to writes only in seven steps\n  \
        ladder       latency under load: requests arrive on schedule, whether or not the device keeps up\n  \
        pio-classes  what a program gains by batching its reads, its writes or both\n  \
        latency      distributions of one 4K request at a time, and how much of that is software\n  \
        interleaving bandwidth of requests from 4K to 256K, 1 to 256 in flight\n  \
        pressure     latency of one 4K request at a time beside 50 to 1500 MB/s of background load\n  \
        tail         percentiles of random 4K reads to p99.99, at rest and beside background load\n  \
        unaligned    sequential writes from 1K to 64K in steps of 1K\n\n\
        Examples:\n  \
        leadline experiment r-by-k /mnt/nvme --into profile.json   adds to a profile of that device\n  \
        leadline experiment ladder sim:flash                       a new profile, and a page\n  \
        leadline experiment pio-classes . --quick --read-share 80  half a minute, 80 % reads\n  \
        leadline experiment interleaving . --into profile.json     measures what the profile does not have"
)]
pub(crate) struct Args {
    /// The experiment
    #[arg(value_name = "NAME", value_parser = PossibleValuesParser::new(Experiment::ALL.map(Experiment::name))
        .map(|name| Experiment::named(&name).expect("one of the possible values")))]
    experiment: Experiment,
    /// What to measure: a directory (a scratch file is made in it and removed), a file, a block device (only
    /// read unless --destructive is given), or sim:NAME
    #[arg(default_value = ".")]
    target: String,
    /// Add the result to this profile of the same device; a file that does not exist is created
    #[arg(long, value_name = "PROFILE")]
    into: Option<PathBuf>,
    /// Print the profile as JSON on stdout, and make no folder
    #[arg(long)]
    json: bool,
    /// Measure for 30 s instead of 60 s (latency: instead of 720 s at most)
    #[arg(long)]
    quick: bool,
    /// Measure for this many seconds: for tests and scripts
    #[arg(long, value_name = "S", value_parser = values::seconds, conflicts_with = "quick", hide = true)]
    budget_seconds: Option<Duration>,
    #[command(flatten)]
    access: AccessArgs,
    /// Reads of the program that pio-classes imitates, percent of its requests [default: 50]
    #[arg(long, value_name = "P", value_parser = values::percent)]
    read_share: Option<f64>,
    /// Write no more than this in all, layout included; reads go on
    #[arg(long, value_parser = parse_size, value_name = "SIZE")]
    max_writes: Option<u64>,
    /// Seed of all random choices [default: the time of day, 1 on simulated devices]
    #[arg(long)]
    seed: Option<u64>,
}

/// Runs the experiment on TARGET, writes the profile with its result, and prints that.
pub(crate) fn run(args: Args) -> Result<(), Failure> {
    check(&args)?;
    let into = args.into.as_deref().filter(|path| path.exists()).map(DeviceProfile::load).transpose()?;
    let access = args.access.access(args.quick);
    let target = Target::find(&args.target)?;
    let bytes = target.layout_bytes(&access)?;
    let written = target.what_is_written(&access, bytes, bytes, args.max_writes, during(args.experiment));
    let at_most = if args.experiment == Experiment::Latency { "at most " } else { "" };
    output::say(&format!("{}: {written}; measures for {at_most}{} s", args.target, seconds(&args)));
    let cancel = signals::cancel_flag()?;
    let target = open(target, &args, bytes, access)?;
    target.warnings.iter().for_each(|warning| output::say(warning));
    let plan = plan(&args, &target, into.as_ref())?;
    if let (Some(path), Some(profile)) = (&args.into, &into) {
        refuse_another_device(path, &profile.device, &target.facts)?;
    }
    let places = Places::choose(args.into.clone(), None, args.json, &target.facts.name)?;
    let measured = measure_watched(&plan, target, into, &cancel);
    let (profile, stopped) = measured.inspect_err(|_| places.discard())?;
    finish(&args, &places, &profile, stopped)
}

/// How long it writes.
fn during(experiment: Experiment) -> &'static str {
    match experiment {
        Experiment::Latency => "about two thirds of",
        Experiment::Unaligned => "all of",
        _ => "about half of",
    }
}

/// Opens the target, through the page cache where only that takes requests as small as the experiment's.
fn open(target: Target, args: &Args, bytes: u64, access: Access) -> Result<OpenTarget, Failure> {
    let block = target.smallest_block(&access);
    if block <= args.experiment.largest_block() || !target.is_directory() {
        return target.open(bytes, &access);
    }
    output::say(&format!(
        "{}: transfers {} at least directly; the file is written through the page cache instead, and every \
         write is durable",
        args.target,
        format_size(block.into())
    ));
    target.open(bytes, &Access { direct: false, ..access })
}

/// What the command line alone shows to be wrong.
fn check(args: &Args) -> Result<(), Failure> {
    let name = args.experiment.name();
    if args.read_share.is_some() && args.experiment != Experiment::PioClasses {
        return Err(Failure::Input(format!(
            "--read-share: is for pio-classes; {name} has shares of its own"
        )));
    }
    if args.access.reads_only && args.experiment.needs_writes() {
        return Err(Failure::Input(format!(
            "--reads-only: {name} needs writes; leave it out, or choose r-by-k, ladder, latency, \
             interleaving, pressure or tail"
        )));
    }
    Ok(())
}

fn seconds(args: &Args) -> f64 {
    match (args.budget_seconds, args.quick) {
        (Some(length), _) => length.as_secs_f64(),
        (None, true) => ExperimentPlan::QUICK_SECONDS,
        (None, false) => args.experiment.seconds(),
    }
}

fn plan(args: &Args, target: &OpenTarget, into: Option<&DeviceProfile>) -> Result<ExperimentPlan, Failure> {
    let mut plan = ExperimentPlan::for_target(args.experiment, target);
    plan.seconds = seconds(args);
    plan.max_writes = args.max_writes;
    plan.read_share = args.read_share.unwrap_or(plan.read_share);
    plan.seed = args.seed.unwrap_or(plan.seed);
    // Bandwidth through the page cache says nothing about the device.
    if let Some(into) = into.filter(|into| into.method.direct && args.experiment == Experiment::Interleaving)
    {
        plan.known.clone_from(&into.points);
    }
    plan.check(&target.device.geometry())?;
    Ok(plan)
}

/// Numbers of two devices are not to be mixed.
fn refuse_another_device(path: &Path, profile: &DeviceFacts, target: &DeviceFacts) -> Result<(), Failure> {
    if profile.is_same_device(target) {
        return Ok(());
    }
    let described = |facts: &DeviceFacts| {
        let model = facts.model.as_ref().map(|model| format!(", {model}")).unwrap_or_default();
        format!("{} at {} ({}{model})", facts.name, facts.target, facts.kind)
    };
    Err(Failure::Input(format!(
        "--into {}: is a profile of {}, not of {}; name a profile of this device, or a file that does not \
         exist",
        path.display(),
        described(profile),
        described(target)
    )))
}

/// Measures with a progress bar; the profile with the result in it, and why it ended early.
fn measure_watched(
    plan: &ExperimentPlan,
    target: OpenTarget,
    into: Option<DeviceProfile>,
    cancel: &Arc<AtomicBool>,
) -> Result<(DeviceProfile, Option<String>), Failure> {
    let mut surroundings = Surroundings::watch(&target, output::now());
    let mut display = Display::new();
    let result = experiment::run(target.device.as_ref(), plan, cancel, &mut |progress| {
        surroundings.look();
        display.show(&progress);
    });
    display.finish();
    target.device.warnings().iter().for_each(|note| output::say(note));
    let ran = result?;
    let stopped = why_stopped(ran.stopped_by.as_ref());
    let circumstances = surroundings.circumstances(env!("CARGO_PKG_VERSION"));
    Ok((experiment::profile(plan, ran, circumstances, into), stopped))
}

/// Writes and prints; a run cut short is kept, marked, and fails.
fn finish(
    args: &Args,
    places: &Places,
    profile: &DeviceProfile,
    stopped: Option<String>,
) -> Result<(), Failure> {
    places.write(profile)?;
    if args.json {
        output::print(&profile.to_json())?;
    } else {
        let table = render_experiment(profile, args.experiment.name(), output::width());
        output::print(&table.unwrap_or_default())?;
    }
    places.say();
    match stopped {
        None => Ok(()),
        Some(reason) => {
            Err(Failure::Operation(format!("{reason}; what was measured is kept, in fewer rounds")))
        }
    }
}
