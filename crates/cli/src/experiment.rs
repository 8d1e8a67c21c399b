//! `leadline experiment`: what the I/O models need beyond a profile's points.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use leadline_device::{Clock, Engine, parse_size};
use leadline_measure::experiment::{self, Experiment, ExperimentPlan};
use leadline_measure::pressure::Pressure;
use leadline_measure::summary::Circumstances;
use leadline_measure::{Lanes, Stop};
use leadline_model::{DeviceFacts, DeviceProfile};
use leadline_report::render_experiment;

use crate::failure::Failure;
use crate::open::{self, OpenOptions, Opened};
use crate::output::{self, Places};
use crate::progress::Display;
use crate::signals;
use crate::thermometer::Thermometer;
use crate::values;

/// Measure what the I/O models need: accesses of many lengths, reads and writes mixed, latency over load, batching
#[derive(clap::Args)]
#[command(
    after_help = "Experiments:\n  r-by-k       random accesses from 4K to 4M at 1 to 128 requests in flight\n  \
                        mixed        reads and writes together, at seven shares of reads\n  \
                        ladder       latency over load, requests arriving whether the device keeps up or not\n  \
                        pio-classes  what batching reads, writes or both is worth to a program\n\n\
                        Examples:\n  leadline experiment r-by-k /mnt/nvme --into profile.json   add to a profile of that device\n  \
                        leadline experiment ladder sim:flash                       a profile of its own, and a page\n  \
                        leadline experiment pio-classes . --quick --read-share 80  half a minute, 80 % reads"
)]
pub(crate) struct Args {
    /// Which experiment
    #[arg(value_name = "NAME", value_parser = PossibleValuesParser::new(Experiment::ALL.map(Experiment::name))
        .map(|name| Experiment::named(&name).expect("one of the possible values")))]
    experiment: Experiment,
    /// A directory (a scratch file is made in it and removed), a file, a block device (reads only), or sim:NAME
    #[arg(default_value = ".")]
    target: String,
    /// Add the result to this profile of the same device, or make it
    #[arg(long, value_name = "PROFILE")]
    into: Option<PathBuf>,
    /// Print the profile as JSON on stdout, and make no folder
    #[arg(long)]
    json: bool,
    /// Measure for 30 s instead of 60 s
    #[arg(long)]
    quick: bool,
    /// Measure for this many seconds: for tests and scripts
    #[arg(long, value_name = "S", value_parser = values::seconds, conflicts_with = "quick", hide = true)]
    budget_seconds: Option<Duration>,
    /// Size of the scratch file, such as 4G [default: the smaller of 8G and a tenth of the free space; --quick 1G]
    #[arg(long, value_parser = parse_size)]
    size: Option<u64>,
    /// How requests reach the kernel [default: io_uring, or psync where that is not to be had]
    #[arg(long, value_parser = values::engine, value_name = "io_uring|psync")]
    engine: Option<Engine>,
    /// Share of reads of the programs of pio-classes, percent [default: 50]
    #[arg(long, value_name = "P", value_parser = values::percent)]
    read_share: Option<f64>,
    /// Never write more than this in all
    #[arg(long, value_parser = parse_size, value_name = "SIZE")]
    max_writes: Option<u64>,
    /// Overwrite TARGET, a block device that is not in use
    #[arg(long)]
    destructive: bool,
    /// Measure reads only (r-by-k and ladder)
    #[arg(long, conflicts_with = "destructive")]
    reads_only: bool,
    /// Keep the scratch file as leadline-scratch.dat, to be named as TARGET next time
    #[arg(long)]
    keep_scratch: bool,
    /// Seed of all random choices [default: the time; 1 for simulated devices]
    #[arg(long)]
    seed: Option<u64>,
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    check(&args)?;
    let into = args.into.as_deref().filter(|path| path.exists()).map(DeviceProfile::load).transpose()?;
    let options = open_options(&args);
    let found = open::find(&args.target)?;
    let bytes = open::bytes_to_lay_out(&found, &options)?;
    let writing = open::what_is_written(&found, &options, bytes, bytes, args.max_writes);
    output::say(&format!("{}: {writing}; measures for {} s", args.target, seconds(&args)));
    let cancel = signals::cancel_flag()?;
    let opened = open::open(&args.target, &found, bytes, &options)?;
    opened.notes.iter().for_each(|note| output::say(note));
    let plan = plan(&args, &opened)?;
    if let (Some(path), Some(profile)) = (&args.into, &into) {
        same_device(path, &profile.device, &opened.facts)?;
    }
    let places = Places::choose(args.into.clone(), None, args.json, &opened.facts.name)?;
    let measured = measure(&plan, opened, into, &cancel);
    let (profile, stop) = measured.inspect_err(|_| places.discard())?;
    finish(&args, &places, &profile, stop)
}

/// What the command line alone shows to be wrong.
fn check(args: &Args) -> Result<(), Failure> {
    let name = args.experiment.name();
    if args.read_share.is_some() && args.experiment != Experiment::PioClasses {
        return Err(Failure::Input(format!("--read-share: is for pio-classes; {name} has its own shares")));
    }
    if args.reads_only && args.experiment.needs_writes() {
        return Err(Failure::Input(format!(
            "--reads-only: {name} needs writes; leave it out, or choose r-by-k or ladder"
        )));
    }
    Ok(())
}

fn seconds(args: &Args) -> f64 {
    match (args.budget_seconds, args.quick) {
        (Some(length), _) => length.as_secs_f64(),
        (None, true) => 30.0,
        (None, false) => 60.0,
    }
}

/// Always past the page cache: the models are of the device.
fn open_options(args: &Args) -> OpenOptions {
    OpenOptions {
        engine: args.engine,
        buffered: false,
        iopoll: false,
        sqpoll: false,
        destructive: args.destructive,
        reads_only: args.reads_only,
        keep_scratch: args.keep_scratch,
        serial: false,
        size: args.size,
        quick: args.quick,
    }
}

fn plan(args: &Args, opened: &Opened) -> Result<ExperimentPlan, Failure> {
    let (geometry, clock) = (opened.device.geometry(), opened.device.clock());
    let mut plan = ExperimentPlan::new(args.experiment, geometry, clock);
    plan.seconds = seconds(args);
    plan.region = opened.region;
    plan.writes = opened.writes;
    plan.layout = opened.layout;
    plan.max_writes = args.max_writes;
    plan.read_share = args.read_share.unwrap_or(plan.read_share);
    if opened.engine == "psync" {
        plan.lanes = Lanes::OneRequestEach;
    }
    plan.seed = args.seed.unwrap_or_else(|| match clock {
        Clock::Virtual => 1,
        Clock::Wall => jiff::Timestamp::now().as_microsecond() as u64,
    });
    plan.check(&geometry)?;
    Ok(plan)
}

/// Numbers of two devices are not to be mixed. A device may be reached by several paths, a simulated one by one only; a
/// file and the directory it lies in are the same way to it, the raw device is another.
fn same_device(path: &Path, profile: &DeviceFacts, opened: &DeviceFacts) -> Result<(), Failure> {
    let way = |facts: &DeviceFacts| match facts.kind.as_str() {
        "file" | "directory" => "file system".to_owned(),
        "simulated" => facts.target.clone(),
        kind => kind.to_owned(),
    };
    let known = |a: Option<u64>, b: Option<u64>| a.is_none() || b.is_none() || a == b;
    let same = way(profile) == way(opened)
        && profile.name == opened.name
        && profile.model == opened.model
        && known(profile.capacity_bytes, opened.capacity_bytes);
    if same {
        return Ok(());
    }
    let described = |facts: &DeviceFacts| {
        let model = facts.model.as_ref().map(|model| format!(", {model}")).unwrap_or_default();
        format!("{} at {} ({}{model})", facts.name, facts.target, facts.kind)
    };
    Err(Failure::Input(format!(
        "--into {}: is of {}, not of {}; name a profile of this device, or a file that does not exist",
        path.display(),
        described(profile),
        described(opened)
    )))
}

/// Measures with a progress bar; the profile with the result in it.
fn measure(
    plan: &ExperimentPlan,
    opened: Opened,
    into: Option<DeviceProfile>,
    cancel: &Arc<AtomicBool>,
) -> Result<(DeviceProfile, Option<String>), Failure> {
    let wall = opened.device.clock() == Clock::Wall;
    let created = wall.then(|| jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string());
    let pressure = Pressure::start();
    let mut thermometer = Thermometer::new(opened.sysfs.as_deref());
    let mut display = Display::new();
    let result = experiment::run(opened.device.as_ref(), plan, cancel, &mut |progress| {
        thermometer.read();
        display.show(&progress);
    });
    display.finish();
    opened.device.notes().iter().for_each(|note| output::say(note));
    let ran = result?;
    let stop = match &ran.stopped_by {
        None | Some(Stop::WritesSpent) => None,
        Some(Stop::Cancelled) => Some("interrupted".to_owned()),
        Some(Stop::Failed(error)) => Some(error.to_string()),
    };
    let pressed = pressure.sample();
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
    Ok((experiment::profile(plan, ran, around, into), stop))
}

/// Writes and prints; a run cut short is kept, marked, and fails.
fn finish(
    args: &Args,
    places: &Places,
    profile: &DeviceProfile,
    stop: Option<String>,
) -> Result<(), Failure> {
    places.write(profile)?;
    if args.json {
        output::print(&profile.to_json())?;
    } else {
        let table = render_experiment(profile, args.experiment.name(), output::width());
        output::print(&table.unwrap_or_default())?;
    }
    for (what, path) in [("profile", &places.profile), ("report", &places.report)] {
        if let Some(path) = path {
            output::say(&format!("{what} in {}", path.display()));
        }
    }
    match stop {
        None => Ok(()),
        Some(reason) => {
            Err(Failure::Operation(format!("{reason}; what was measured is kept, in fewer rounds")))
        }
    }
}
