//! `leadline trace convert`: a trace in another format.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use leadline_measure::Progress;
use leadline_trace::{CopyError, CopySummary, Format, Output, STDIN, Trace, TraceError, Writer, copy};
use serde_json::json;

use crate::columns::ColumnArgs;
use crate::failure::Failure;
use crate::output;
use crate::paths::{TraceName, TraceOutput, is_stdout};
use crate::progress::{Display, spinner};
use crate::source::{open_trace, say_recognized, say_skipped};
use crate::{console, messages, signals, values};

/// As on the command line for input, so for output.
const STDOUT: &str = STDIN;

/// Shorter conversions are over before a bar is read.
const QUIET: Duration = Duration::from_secs(2);

/// So often a bar changes.
const TICK: Duration = Duration::from_millis(100);

/// Convert a trace to another format
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  # To the iolog of fio
  leadline trace convert web_0.csv.gz web_0.iolog
  # To compressed page numbers
  leadline trace convert usr_0.csv usr_0.pages.zst --page-size 8K --skip-bad
  zcat day*.csv.gz | leadline trace convert - week.spc --format msr")]
pub(crate) struct Args {
    /// The trace: a file, - for standard input, or gen:NAME
    #[arg(value_name = "IN")]
    trace: TraceName,
    /// The file to write, replacing it, or - for standard output; an ending .gz, .bz2, .zst or .xz compresses
    /// it
    #[arg(value_name = "OUT")]
    output: TraceOutput,
    #[arg(long, alias = "from", value_name = "FORMAT", value_parser = values::format, help = values::formats_of("IN"))]
    format: Option<Format>,
    /// Format of OUT: pages, msr, spc, oraclegeneral, fio [default: by its ending]
    #[arg(long, value_name = "FORMAT", value_parser = values::format)]
    to: Option<Format>,
    /// Size of a page, 512 to 16M, to convert between page numbers and bytes
    #[arg(long = "page-size", alias = "page-bytes", value_name = "SIZE", value_parser = values::block, default_value = "4K")]
    page_bytes: u32,
    /// Skip lines that are not requests, and count them [default: fail at the first]
    #[arg(long)]
    skip_bad: bool,
    /// Print a summary as one JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    columns: ColumnArgs,
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    let to = match args.to.or_else(|| Format::of_ending(&args.output.to_string_lossy())) {
        Some(format) => format,
        None => {
            let names = Format::WRITABLE.map(Format::name).join(", ");
            return Err(Failure::Input(format!(
                "{}: its ending does not tell the format; name it with --to: {names}",
                args.output
            )));
        }
    };
    let trace = open_trace(&args.trace, &args.columns.read_as(args.format)?)?;
    trace.recognition().into_iter().for_each(|told| say_recognized(&args.trace, told));
    let wanted = Wanted { format: to, page_bytes: args.page_bytes, skip_bad: args.skip_bad, json: args.json };
    transfer(&args.trace, trace, &args.output, &wanted)
}

/// What is to be made of a trace.
pub(super) struct Wanted {
    pub(super) format: Format,
    pub(super) page_bytes: u32,
    pub(super) skip_bad: bool,
    pub(super) json: bool,
}

/// Writes `trace` to `place`, whole or not at all, and says what came of it.
pub(super) fn transfer(
    input: &dyn std::fmt::Display,
    mut trace: Box<dyn Trace>,
    place: &OsStr,
    wanted: &Wanted,
) -> Result<(), Failure> {
    let &Wanted { format, page_bytes, skip_bad, json } = wanted;
    let cancel = signals::cancel_flag()?;
    if place == STDOUT && console::call().is_some() {
        return Err(Failure::Input(
            "--output: names no file; standard output is for the command line".into(),
        ));
    }
    if place == STDOUT && json {
        return Err(Failure::Input("--json: the trace goes to standard output; name a file for it".into()));
    }
    if format == Format::OracleGeneral && (place == STDOUT || is_stdout(Path::new(place))) {
        output::check_binary(format.name(), Path::new(leadline_files::STDOUT))?;
    }
    let output = if place == STDOUT { Output::stdout() } else { Output::file(Path::new(place))? };
    let name = output.name().to_owned();
    let mut writer = Writer::new(output, &name, format, trace.unit(), page_bytes)?;
    let mut monitor = Monitor::new(cancel);
    let copied = copy(&mut *trace, &mut writer, skip_bad, &mut |done, share| monitor.goes_on(done, share));
    monitor.finish();
    let (times_lost, writes_lost) = (trace.timed() && !writer.keeps_times(), writer.writes_lost());
    let copied = match copied {
        Ok(copied) => copied,
        Err(error) => return stopped(error, place),
    };
    if copied.requests == 0 {
        // Dropped without its end, the output leaves nothing.
        return Err(super::holds_nothing(input));
    }
    if let Err(error) = writer.finish().and_then(Output::finish) {
        return stopped(CopyError::Write(error), place);
    }
    trace.skipped().into_iter().for_each(say_skipped);
    summary(&copied, place, format, times_lost, writes_lost);
    if !json {
        return Ok(());
    }
    output::print_json(&json!({
        "output": place.to_string_lossy(),
        "format": format.name(),
        "requests": copied.requests,
        "skipped": copied.skipped,
        "times_lost": times_lost,
        "writes_lost": writes_lost,
    }))
}

/// What a copy that ended early is for the command: nothing of it is left.
fn stopped(error: CopyError, place: &OsStr) -> Result<(), Failure> {
    match error {
        CopyError::Write(TraceError::Io { source, .. })
            if place == STDOUT && source.kind() == ErrorKind::BrokenPipe =>
        {
            // A reader that went away is not a failure.
            Ok(())
        }
        CopyError::Write(error @ (TraceError::Io { .. } | TraceError::Write(_))) => {
            Err(Failure::Operation(error.to_string()))
        }
        CopyError::Read(error @ TraceError::Syntax { .. }) => {
            Err(Failure::Input(format!("{error}; --skip-bad skips such lines")))
        }
        CopyError::Read(error) | CopyError::Write(error) => Err(Failure::Input(error.to_string())),
        CopyError::Interrupted if place == STDOUT => {
            Err(Failure::Operation("interrupted; what was written is not the whole trace".to_owned()))
        }
        CopyError::Interrupted => Err(Failure::Operation("interrupted; nothing was written".to_owned())),
    }
}

fn summary(copied: &CopySummary, place: &OsStr, format: Format, times_lost: bool, writes_lost: u64) {
    let name = format.name();
    if let Some(first) = &copied.first_skipped {
        messages::note(&format!("bad lines skipped: {}; the first: {first}", copied.skipped));
    }
    if writes_lost > 0 {
        messages::warning(&format!(
            "{name} does not tell writes from reads: {writes_lost} writes became reads"
        ));
    }
    if times_lost {
        messages::warning(&format!("{name} has no times: they were left out"));
    }
    if place != STDOUT {
        messages::note(&format!("{} requests in {}", copied.requests, place.display()));
    }
}

/// Shows how far a conversion is, on a terminal and once it takes long; ends it at a signal.
struct Monitor {
    cancel: Arc<AtomicBool>,
    terminal: bool,
    started: Instant,
    shown: Instant,
    display: Display,
    /// Where it is not known how much is to come.
    spinner: Option<ProgressBar>,
}

impl Monitor {
    fn new(cancel: Arc<AtomicBool>) -> Monitor {
        let now = Instant::now();
        let terminal = messages::has_bar();
        Monitor { cancel, terminal, started: now, shown: now, display: Display::new(), spinner: None }
    }

    fn goes_on(&mut self, requests: u64, share: Option<f64>) -> bool {
        if self.terminal && self.started.elapsed() > QUIET && self.shown.elapsed() > TICK {
            self.shown = Instant::now();
            self.show(format!("{:.1} million requests", requests as f64 / 1e6), share);
        }
        !self.cancel.load(Ordering::Relaxed)
    }

    fn show(&mut self, detail: String, share: Option<f64>) {
        match share {
            Some(done) => self.display.show(&Progress { phase: "convert", done, detail }),
            None => self.spinner.get_or_insert_with(spinner).set_message(detail),
        }
    }

    fn finish(&mut self) {
        self.display.finish();
        if let Some(spinner) = self.spinner.take() {
            spinner.finish_and_clear();
        }
    }
}
