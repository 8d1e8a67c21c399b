//! `leadline trace replay`: a trace on a device.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use leadline_device::{Clock, format_size};
use leadline_measure::load::Region;
use leadline_measure::replay::{
    self, FastPart, Pace, ReplayPlan, Replayed, replay, replay_page, replay_text,
};
use leadline_measure::target::{Access, OpenTarget};
use leadline_measure::{MeasureError, Stop};
use leadline_profile::Replay;
use leadline_report::{render_figures, render_text};
use leadline_trace::{Format, Lenient, Trace};

use crate::columns::ColumnArgs;
use crate::failure::{Failure, why_stopped};
use crate::foreseen::{DryRun, Foreseen};
use crate::paths::{OutputPath, TargetName, TraceName};
use crate::progress::Display;
use crate::source::{open_trace, say_recognized, say_skipped};
use crate::target::{AccessArgs, Target};
use crate::{messages, output, signals, values};

/// Replay a trace on a device, at its own pace or as fast as possible
#[derive(clap::Args)]
#[command(
    mut_arg("size", |arg| arg.help(
        "Size of the scratch file or of the region used, such as 4G [default: a tenth of the free space, at \
         most 1G, or all of a simulated device]"
    )),
    mut_arg("reads_only", |arg| arg.help("Replay reads only")),
    after_help = "\
Examples:
  # As recorded, on a scratch file
  leadline trace replay web_0.csv.gz /mnt/nvme
  # A hundred times as fast, on a simulated device
  leadline trace replay web_0.csv.gz sim:flash --pace x100
  # With 32 requests always in flight
  leadline trace replay gen:paper-ms . --pace closed:32
  # Reads only, on a raw device, with a page
  leadline trace replay web_0.csv.gz /dev/nvme0n1 --report web.html"
)]
pub(crate) struct Args {
    /// The trace: a file, - for standard input, or gen:NAME
    #[arg(value_name = "TRACE")]
    trace: TraceName,
    /// Where to replay it: a directory (with a scratch file that is removed at the end), a file, a block
    /// device (reads only, unless --destructive is given), or sim:NAME
    #[arg(value_name = "TARGET")]
    target: TargetName,
    #[arg(long, value_name = "FORMAT", value_parser = values::format, help = values::formats_of("TRACE"))]
    format: Option<Format>,
    /// When requests start: recorded (as in the trace), xN (N times as fast), or closed:K (with K always in
    /// flight) [default: recorded, or closed:1 where the trace has no times]
    #[arg(long, value_name = "PACE", value_parser = |text: &str| text.parse::<Pace>())]
    pace: Option<Pace>,
    /// Size of a page, 512 to 16M, for traces of page numbers
    #[arg(long = "page-size", alias = "page-bytes", value_name = "SIZE", value_parser = values::block, default_value = "4K")]
    page_bytes: u32,
    /// Stop after N requests of the trace
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    #[command(flatten)]
    access: AccessArgs,
    /// Go through the page cache, so that much of the time is memory's
    #[arg(long)]
    buffered: bool,
    /// Fail at the first line that is not a request [default: skip it]
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    dry: DryRun,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
    /// Write the page (HTML), with the curves, to this file, replacing it
    #[arg(long, alias = "output", short_alias = 'o', value_name = "FILE")]
    report: Option<OutputPath>,
    #[command(flatten)]
    columns: ColumnArgs,
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    args.report.as_deref().map_or(Ok(()), output::check_writable)?;
    let mut trace = Lenient::new(open_trace(&args.trace, &args.columns.read_as(args.format)?)?, args.strict);
    trace.recognition().into_iter().for_each(|told| say_recognized(&args.trace, told));
    let pace = pace(&args, trace.timed())?;
    // A scratch file of 1G where no size is given.
    let access = Access { direct: !args.buffered, ..args.access.access(true) };
    let target = Target::find(&args.target)?;
    let bytes = match (&target, args.access.size) {
        (Target::Simulated { .. }, None) => u64::MAX,
        _ => target.candidate().layout_bytes(&access)?,
    };
    let fast = target.placement().map(|placement| FastPart {
        region: Region { start: placement.border_bytes, len: placement.fast_bytes },
        files: placement.fast_files.clone(),
    });
    if args.dry.dry_run {
        return dry_run(&args, target, pace, bytes, &access);
    }
    let cancel = signals::cancel_flag()?;
    let target = target.open(bytes, &access)?;
    target.warnings.iter().for_each(|warning| messages::warning(warning));
    announce(&args, &target, pace);
    lay_out(&target, &cancel)?;
    let mut plan = ReplayPlan::for_target(pace, &target);
    plan.page_bytes = args.page_bytes;
    plan.limit = args.limit.unwrap_or(u64::MAX);
    if let Some(fast) = fast {
        plan.region.len = plan.region.len.min(fast.region.start);
        plan.fast = Some(fast);
    }
    let mut display = Display::new();
    let result =
        replay(target.device.as_ref(), &mut trace, &plan, &cancel, &mut |progress| display.show(&progress));
    display.finish();
    target.device.warnings().iter().for_each(|warning| messages::warning(warning));
    let Replayed { replay, stopped_by } = result?;
    if plan.fast.is_some() && replay.mapping.fast + replay.mapping.spilled == 0 {
        messages::warning(&format!(
            "{}: no file of the trace has a name of fast_files; all went to the slow device",
            args.trace
        ));
    }
    let replay = describe(replay, &args, &target, &trace, &stopped_by);
    trace.skipped().into_iter().for_each(say_skipped);
    drop(target); // the scratch file is gone before anything is printed
    finish(&args, &replay, stopped_by)
}

/// Says what would be read and written; what can be refused without writing anything is refused.
fn dry_run(args: &Args, target: Target, pace: Pace, bytes: u64, access: &Access) -> Result<(), Failure> {
    let ends = match pace {
        Pace::Recorded(1.0) => "after as long a time as the trace was recorded".to_owned(),
        Pace::Recorded(factor) => {
            format!("after the time in which the trace was recorded, divided by {factor}")
        }
        Pace::Closed(_) => "when the device has answered all requests".to_owned(),
    };
    let foreseen = Foreseen::until(ends).reads_file(Path::new(&*args.trace), "the trace");
    let name = &args.target;
    let foreseen = match (&target, target.candidate().is_directory()) {
        (Target::Simulated { .. }, _) => foreseen,
        (Target::Real(_), true) => {
            let written = if access.reads_only { "" } else { ", then what the trace writes" };
            let what = format!("a scratch file, laid out and removed at the end{written}");
            foreseen.writes(name, &what, Some(bytes))
        }
        (Target::Real(_), false) => {
            let opened = target.open(bytes, access)?;
            let laid_out = opened.layout.then_some(opened.region.len);
            return match (laid_out, opened.writes) {
                (Some(bytes), _) => foreseen.writes(name, "what is read, laid out first", Some(bytes)),
                (None, true) => foreseen.writes(name, "what the trace writes", None),
                (None, false) => foreseen,
            }
            .print(args.json);
        }
    };
    foreseen.print(args.json)
}

/// The pace asked for, else the one that the trace allows.
fn pace(args: &Args, timed: bool) -> Result<Pace, Failure> {
    match (args.pace, timed) {
        (Some(Pace::Recorded(_)), false) => Err(Failure::Input(format!(
            "--pace: {} has no times; use closed:K, such as closed:8",
            args.trace
        ))),
        (Some(pace), _) => Ok(pace),
        (None, true) => Ok(Pace::Recorded(1.0)),
        (None, false) => {
            messages::note(&format!(
                "{} has no times: replayed one request at a time (--pace closed:1)",
                args.trace
            ));
            Ok(Pace::Closed(1))
        }
    }
}

/// Says beforehand what will be written and where requests go.
fn announce(args: &Args, target: &OpenTarget, pace: Pace) {
    let region = format_size(target.region.len);
    let real = target.device.clock() == Clock::Wall;
    let writes = match (real, target.layout, target.writes) {
        (false, ..) => "writes nothing: the device is simulated".to_owned(),
        (_, true, true) => format!("writes {region} to lay out what is read, and what the trace writes"),
        (_, true, false) => {
            format!("writes {region} to lay out what is read; the trace's writes are left out")
        }
        (_, false, true) => "writes what the trace writes".to_owned(),
        (_, false, false) => {
            format!("reads only, the trace's writes are left out: {}", target.no_writes_because)
        }
    };
    messages::note(&format!(
        "{}: {writes}; replays {} at pace {pace} within {region}, addresses beyond that modulo {region}",
        args.target, args.trace
    ));
}

fn lay_out(target: &OpenTarget, cancel: &AtomicBool) -> Result<(), Failure> {
    let mut display = Display::new();
    let done = replay::lay_out(target, cancel, &mut |progress| display.show(&progress));
    display.finish();
    done?;
    if cancel.load(Ordering::Relaxed) {
        return Err(Failure::Operation("interrupted before the replay began; nothing is kept".to_owned()));
    }
    Ok(())
}

/// What the procedure cannot know: names, and what was passed over.
fn describe(
    mut replay: Replay,
    args: &Args,
    target: &OpenTarget,
    trace: &Lenient<Box<dyn Trace>>,
    stopped_by: &Option<Stop>,
) -> Replay {
    replay.trace = args.trace.to_string();
    replay.target = args.target.to_string();
    replay.device = target.facts.model.clone().unwrap_or_else(|| target.facts.name.clone());
    replay.engine = target.engine.clone();
    replay.direct = target.direct;
    replay.bad_lines = trace.bad_lines().count;
    replay.first_bad_lines = trace.bad_lines().first.clone();
    replay.stopped_by = why_stopped(stopped_by.as_ref());
    replay
}

/// Writes and prints; a replay cut short is shown as far as it came, and fails.
fn finish(args: &Args, replay: &Replay, stopped_by: Option<Stop>) -> Result<(), Failure> {
    if let Some(Stop::Failed(error @ MeasureError::Trace(_))) = stopped_by {
        return Err(error.into()); // the trace is at fault, not the device
    }
    let taken = replay.all.requests + replay.mapping.skipped_writes;
    // What was ended before its first request has not been read.
    if taken > 0 || replay.bad_lines > 0 || stopped_by.is_none() {
        super::say_bad_lines(&args.trace, replay.bad_lines, &replay.first_bad_lines, taken)?;
    }
    if let Some(path) = &args.report {
        let page = render_figures(&replay_page(replay))?;
        output::write(path, &page)?;
        output::written("page", path);
    }
    if args.json {
        output::print_json(replay)?;
    } else {
        output::print(&render_text(&replay_text(replay), output::width()))?;
    }
    match why_stopped(stopped_by.as_ref()) {
        None => Ok(()),
        Some(reason) => {
            let done = replay.all.requests;
            Err(Failure::Operation(format!("{reason}; {done} requests were replayed until then")))
        }
    }
}
