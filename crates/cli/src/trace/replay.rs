//! `leadline trace replay`: a trace on a device.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use leadline_device::{Clock, Engine, format_size, parse_size};
use leadline_measure::replay::{Pace, ReplayPlan, Replayed, replay};
use leadline_measure::{Budget, MeasureError, Plan, Stop, prepare};
use leadline_model::{Replay, replace_file};
use leadline_report::{render_replay, render_replay_page};
use leadline_trace::{Format, Lenient, Trace};

use super::convert::format;
use crate::failure::Failure;
use crate::open::{self, Found, OpenOptions, Opened};
use crate::output::say;
use crate::progress::Display;
use crate::{output, signals, values};

/// Most threads of psync, which takes one a request in flight.
const PSYNC_DEPTH: u32 = 64;

/// Replay a trace on a device, real or simulated: latency as its users would have felt it, or throughput
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  leadline trace replay web_0.csv.gz /mnt/nvme               as recorded, on a scratch file\n  \
                        leadline trace replay web_0.csv.gz sim:flash --pace x100    a hundred times as fast, simulated\n  \
                        leadline trace replay gen:paper-ms . --pace closed:32       32 under way at any time\n  \
                        leadline trace replay web_0.csv.gz /dev/nvme0n1 -o web.html  reads only, and a page"
)]
pub(crate) struct Args {
    /// The trace: a file, - for standard input, or gen:NAME
    #[arg(value_name = "TRACE")]
    trace: String,
    /// A directory (a scratch file is made in it and removed), a file, a block device (reads only), or sim:NAME
    #[arg(value_name = "TARGET")]
    target: String,
    /// Format of TRACE [default: told by its ending, else by its content]
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    format: Option<Format>,
    /// When requests start: recorded, xN (N times as fast), or closed:K (K at any time) [default: recorded where the
    /// trace has times, else closed:1]
    #[arg(long, value_name = "PACE", value_parser = |text: &str| text.parse::<Pace>())]
    pace: Option<Pace>,
    /// Size of a page, where the trace counts pages
    #[arg(long, value_name = "SIZE", value_parser = values::block, default_value = "4K")]
    page_bytes: u32,
    /// End after this many requests of the trace
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Size of the scratch file or of the region used, such as 4G [default: the smaller of 1G and a tenth of the free
    /// space; all of a simulated device]
    #[arg(long, value_parser = parse_size)]
    size: Option<u64>,
    /// How requests reach the kernel [default: io_uring, or psync where that is not to be had]
    #[arg(long, value_parser = values::engine, value_name = "io_uring|psync")]
    engine: Option<Engine>,
    /// Go through the page cache: much of what is timed is memory
    #[arg(long)]
    buffered: bool,
    /// Overwrite TARGET, a block device that is not in use
    #[arg(long)]
    destructive: bool,
    /// Leave out the trace's writes
    #[arg(long, conflicts_with = "destructive")]
    reads_only: bool,
    /// Keep the scratch file as leadline-scratch.dat, to be named as TARGET next time
    #[arg(long)]
    keep_scratch: bool,
    /// End at the first line that is no request, instead of passing over it
    #[arg(long)]
    strict: bool,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// Write a page with the curves to this file (replaced if it exists)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    super::check_page(args.output.as_deref(), &args.trace)?;
    let mut trace = Lenient::new(super::open(&args.trace, args.format)?, args.strict);
    let pace = pace(&args, trace.timed())?;
    let options = open_options(&args);
    let found = open::find(&args.target)?;
    let bytes = match (&found, args.size) {
        (Found::Simulated(_), None) => u64::MAX,
        _ => open::bytes_to_lay_out(&found, &options)?,
    };
    let cancel = signals::cancel_flag()?;
    let opened = open::open(&args.target, &found, bytes, &options)?;
    opened.notes.iter().for_each(|note| say(note));
    announce(&args, &opened, pace);
    lay_out(&opened, &cancel)?;
    let mut plan = ReplayPlan::new(pace, opened.region, opened.writes);
    plan.page_bytes = args.page_bytes;
    plan.limit = args.limit.unwrap_or(u64::MAX);
    if opened.engine == "psync" && matches!(pace, Pace::Recorded(_)) {
        plan.depth = PSYNC_DEPTH;
    }
    let mut display = Display::new();
    let result =
        replay(opened.device.as_ref(), &mut trace, &plan, &cancel, &mut |progress| display.show(&progress));
    display.finish();
    opened.device.notes().iter().for_each(|note| say(note));
    let Replayed { replay, stopped_by } = result?;
    let replay = describe(replay, &args, &opened, &trace, &stopped_by);
    drop(opened); // the scratch file is gone before anything is printed
    finish(&args, &replay, stopped_by)
}

/// The pace asked for, else the one that the trace allows.
fn pace(args: &Args, timed: bool) -> Result<Pace, Failure> {
    match (args.pace, timed) {
        (Some(Pace::Recorded(_)), false) => Err(Failure::Input(format!(
            "--pace: {} has no times to be replayed at; use closed:K, such as closed:8",
            args.trace
        ))),
        (Some(pace), _) => Ok(pace),
        (None, true) => Ok(Pace::Recorded(1.0)),
        (None, false) => {
            say(&format!("{} has no times: one request after the other (--pace closed:1)", args.trace));
            Ok(Pace::Closed(1))
        }
    }
}

fn open_options(args: &Args) -> OpenOptions {
    OpenOptions {
        engine: args.engine,
        buffered: args.buffered,
        iopoll: false,
        sqpoll: false,
        destructive: args.destructive,
        reads_only: args.reads_only,
        keep_scratch: args.keep_scratch,
        serial: false,
        size: args.size,
        quick: true, // a scratch file of 1G where no size is given
    }
}

/// Says beforehand what will be written and where requests go.
fn announce(args: &Args, opened: &Opened, pace: Pace) {
    let region = format_size(opened.region.len);
    let real = opened.device.clock() == Clock::Wall;
    let writes = match (real, opened.layout, opened.writes) {
        (false, ..) => "writes nothing: the device is simulated".to_owned(),
        (_, true, true) => format!("writes {region} to lay out what is read, and what the trace writes"),
        (_, true, false) => {
            format!("writes {region} to lay out what is read; the trace's writes are left out")
        }
        (_, false, true) => "writes what the trace writes".to_owned(),
        (_, false, false) => {
            format!("reads only, the trace's writes are left out: {}", opened.no_writes_because)
        }
    };
    say(&format!(
        "{}: {writes}; replays {} at pace {pace} within {region}, addresses beyond that modulo {region}",
        args.target, args.trace
    ));
}

/// Writes the region whole where it was never written: the device would answer reads of it from memory.
fn lay_out(opened: &Opened, cancel: &AtomicBool) -> Result<(), Failure> {
    if !opened.layout || opened.device.clock() == Clock::Virtual {
        return Ok(());
    }
    let geometry = opened.device.geometry();
    let mut plan = Plan::new(Budget::Quick, geometry, opened.device.clock());
    plan.region = opened.region;
    plan.check(&geometry)?;
    let mut display = Display::new();
    let prepared =
        prepare(opened.device.as_ref(), &plan, false, cancel, &mut |progress| display.show(&progress));
    display.finish();
    prepared?;
    if cancel.load(Ordering::Relaxed) {
        return Err(Failure::Operation("interrupted before the replay began; nothing is kept".to_owned()));
    }
    Ok(())
}

/// What the procedure cannot know: names, and what was passed over.
fn describe(
    mut replay: Replay,
    args: &Args,
    opened: &Opened,
    trace: &Lenient<Box<dyn Trace>>,
    stopped_by: &Option<Stop>,
) -> Replay {
    replay.trace = args.trace.clone();
    replay.target = args.target.clone();
    replay.device = opened.facts.model.clone().unwrap_or_else(|| opened.facts.name.clone());
    replay.engine = opened.engine.clone();
    replay.direct = opened.direct;
    replay.bad_lines = trace.bad_lines().count;
    replay.first_bad_lines = trace.bad_lines().first.clone();
    replay.stopped_by = stopped_by.as_ref().map(reason);
    replay
}

fn reason(stop: &Stop) -> String {
    match stop {
        Stop::Failed(error) => error.to_string(),
        Stop::Cancelled | Stop::WritesSpent => "interrupted".to_owned(),
    }
}

/// Writes and prints; a replay cut short is shown as far as it came, and fails.
fn finish(args: &Args, replay: &Replay, stopped_by: Option<Stop>) -> Result<(), Failure> {
    if let Some(Stop::Failed(error @ MeasureError::Trace(_))) = stopped_by {
        return Err(error.into()); // the trace is at fault, not the device
    }
    let taken = replay.all.requests + replay.mapping.skipped_writes;
    super::say_bad_lines(replay.bad_lines, &replay.first_bad_lines, taken)?;
    if let Some(path) = &args.output {
        let page = render_replay_page(replay)?;
        replace_file(path, page.as_bytes()).map_err(|error| Failure::Operation(error.to_string()))?;
        say(&format!("page in {}", path.display()));
    }
    if args.json {
        super::print_json(replay)?;
    } else {
        output::print(&render_replay(replay, output::width()))?;
    }
    match stopped_by {
        None => Ok(()),
        Some(stop) => {
            let done = replay.all.requests;
            Err(Failure::Operation(format!("{}; {done} requests were replayed until then", reason(&stop))))
        }
    }
}
