//! `leadline emulate`: a modelled drive as a mounted directory.

mod ctl;

use std::path::Path;
use std::time::Duration;

use leadline_device::{format_size, parse_large_size};
use leadline_emulate::{EmulateError, EmulateOptions, EmulatedDevice, Emulator, MOST_CPU, Report, Schedule};
use leadline_figures::Text;

use crate::console;
use crate::failure::Failure;
use crate::foreseen::{DryRun, Foreseen};
use crate::messages;
use crate::output;
use crate::paths::{ChangedPath, DeviceName, InputPath, OutputPath, OutputPlace};
use crate::signals;
use crate::values;

/// How often it is looked whether the drive was unmounted, or is to end.
const LOOK: Duration = Duration::from_millis(50);

/// Emulate a drive in a directory, with faults and power cuts
#[derive(clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "\
Devices:
  sim:NAME, sim:FILE.toml   a simulated device; `leadline devices` lists them
  device:NAME               a device by its published numbers
  FILE.json                 a measured device: its profile

A FILE.toml may also describe a device made of two, a block cache or tables on a fast device: see \
`leadline docs tiers`.

Examples:
  leadline emulate sim:flash --backing /srv/data --mount /mnt/flash
  # With faults, and a file that says what happened
  leadline emulate device:s4610 --backing data --mount mnt --faults torn.toml \\
    -o run.json
  # With a trace of every request
  leadline emulate sim:flash --backing data --mount mnt --trace run.capture
  # Cut the power of a mounted drive
  leadline emulate ctl mnt power-cut

The drive is mounted until Ctrl-C, SIGTERM or `fusermount3 -u`, which leaves all data in the backing \
directory. It needs FUSE (Debian: fuse3)."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// The device: sim:NAME, sim:FILE.toml, device:NAME or the file of a profile
    #[arg(required = true)]
    device: Option<DeviceName>,
    /// Directory that holds the data: what a power cut would leave
    #[arg(long, value_name = "DIR", required = true)]
    backing: Option<ChangedPath>,
    /// Empty directory to mount the drive on
    #[arg(long, value_name = "DIR", required = true)]
    mount: Option<ChangedPath>,
    /// Make the device slower by this factor, 1 to 1000000, if the machine cannot keep up with it
    #[arg(long, value_name = "S", value_parser = values::slowdown, default_value = "1")]
    slowdown: f64,
    /// Schedule of faults (TOML): see `leadline docs emulate` [default: no faults]
    #[arg(long, value_name = "FILE")]
    faults: Option<InputPath>,
    /// Make names durable only when their directory is synced, as in POSIX [default: with any later sync]
    #[arg(long)]
    strict: bool,
    /// Size of the write cache, such as 64M: data that waits to become durable
    #[arg(long = "cache-size", alias = "cache", value_name = "SIZE", value_parser = parse_large_size, default_value = "256M")]
    cache: u64,
    /// Time the answers on this processor, from 0, and serve requests elsewhere, for latencies closer to
    /// the device's. As root, idle processors are kept awake; keep programs off this one with taskset
    /// [default: none]
    #[arg(long = "timing-cpu", alias = "timing-processor", value_name = "CPU")]
    timing_processor: Option<usize>,
    /// Capacity of device:NAME, such as 1T [default: the capacity of the backing file system]
    #[arg(long, value_name = "SIZE", value_parser = parse_large_size)]
    capacity: Option<u64>,
    /// Write counts of requests and the delay of answers (JSON) to this file, replacing it
    #[arg(long, short, alias = "report", value_name = "FILE")]
    output: Option<OutputPath>,
    /// Record every request in this file, replacing it, for `leadline trace`
    #[arg(long, value_name = "FILE")]
    trace: Option<OutputPlace>,
    #[command(flatten)]
    dry: DryRun,
    /// Exit with 0 even if the machine could not keep up with the device
    #[arg(long)]
    lenient: bool,
}

#[derive(clap::Subcommand)]
enum Command {
    Ctl(ctl::Args),
}

/// Mounts the drive and waits for its end, or commands one that is mounted.
pub(crate) fn run(args: Args) -> Result<(), Failure> {
    if let Some(Command::Ctl(args)) = args.command {
        return ctl::run(args);
    }
    let (Some(name), Some(backing), Some(mount)) = (&args.device, &args.backing, &args.mount) else {
        return Err(Failure::Input(
            "a device, --backing and --mount are needed; see leadline emulate --help".into(),
        ));
    };
    if let Some(report) = &args.output {
        output::check_writable(report)?;
    }
    let capacity = args.capacity.or_else(|| Some(leadline_files::Space::of(backing).ok()?.total_bytes));
    let device = EmulatedDevice::open(name.text()?, capacity)?;
    device.notes.iter().for_each(|note| messages::note(note));
    let mut options = EmulateOptions::new(backing, mount);
    options.slowdown = args.slowdown;
    options.strict = args.strict;
    options.cache_bytes = args.cache;
    options.timing_processor = args.timing_processor;
    if let Some(path) = &args.faults {
        options.faults = Schedule::load(path).map_err(leadline_emulate::EmulateError::from)?;
    }
    let capacity = device.capacity_bytes();
    if args.dry.dry_run {
        return dry_run(&args, backing, mount, capacity);
    }
    let cancel = signals::cancel_flag()?;
    let emulator = Emulator::mount(device, options)?;
    if let Some(path) = &args.trace {
        emulator.start_trace(path)?;
    }
    if emulator.cleaned_up() {
        messages::note(&format!(
            "{}: an emulator was killed here; its mount was taken away",
            mount.display()
        ));
    }
    messages::note(&format!(
        "{name}, {}, is mounted on {}; Ctrl-C or `fusermount3 -u {}` ends it",
        format_size(capacity),
        emulator.mount_point().display(),
        mount.display()
    ));
    console::mounted();
    let mut warned = false;
    while !cancel.load(std::sync::atomic::Ordering::Relaxed) && !emulator.is_unmounted() {
        if emulator.has_trace_failed() && !warned {
            messages::warning_of_loss(
                "the trace cannot be written any further; the drive goes on without it",
            );
            warned = true;
        }
        std::thread::sleep(LOOK);
    }
    let (report, ended) = emulator.finish();
    finish(&args, &report, ended)
}

/// Says what would be mounted and written.
fn dry_run(args: &Args, backing: &Path, mount: &Path, capacity: u64) -> Result<(), Failure> {
    for folder in [backing, mount] {
        if !folder.is_dir() {
            return Err(Failure::Input(format!("{}: is not a directory; make it first", folder.display())));
        }
    }
    if std::fs::read_dir(mount).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(Failure::Input(format!("{}: is not empty; name an empty directory", mount.display())));
    }
    let cache = format!(
        "what programs write to {}, of which {} may wait to become durable",
        mount.display(),
        format_size(args.cache)
    );
    let mut foreseen = Foreseen::until("at Ctrl-C, SIGTERM or when it is unmounted")
        .writes(backing.display(), &cache, None)
        .mounts(format!("a drive of {} on {}", format_size(capacity), mount.display()));
    for (path, what) in [(args.output.as_deref(), "the report"), (args.trace.as_deref(), "every request")] {
        if let Some(path) = path {
            foreseen = foreseen.writes(path.display(), what, None);
        }
    }
    foreseen.print(false)
}

/// Reports, also what did not end well; a machine that could not keep up is a failure.
fn finish(args: &Args, report: &Report, ended: Result<(), EmulateError>) -> Result<(), Failure> {
    let saved = args.output.as_ref().map_or(Ok(()), |path| report.save(path));
    output::print_text(&Text::of_lines(report.summary()))?;
    if args.slowdown > 1.0 && report.cpu_share.is_some_and(|share| share > MOST_CPU) {
        messages::warning("programs used more than 10 % of a processor, which a slowdown does not stretch");
    }
    ended?;
    saved?;
    if report.kept_up || args.lenient {
        return Ok(());
    }
    Err(Failure::Operation(
        "this machine could not keep up with the device; slow it down with --slowdown, or accept it with --lenient"
            .into(),
    ))
}
