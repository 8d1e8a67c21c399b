//! `leadline trace info`: what a trace is like.

use leadline_device::parse_size;
use leadline_measure::Progress;
use leadline_report::{render_figures, render_text};
use leadline_trace::by_file::{ByFileOptions, by_file};
use leadline_trace::info::{MOST_PAGES, info};
use leadline_trace::{Format, Info, InfoOptions};

use crate::columns::ColumnArgs;
use crate::failure::Failure;
use crate::paths::{OutputPath, TraceName};
use crate::progress::Display;
use crate::source::open_trace;
use crate::{messages, output, values};

/// Describe a trace: sizes, rates, footprint, reuse, hot pages, and the miss ratio of LRU caches
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
        leadline trace info web_0.csv.gz                     a summary in the terminal\n  \
        leadline trace info web_0.csv.gz -o web_0.html       and a page with the curves\n  \
        leadline trace info gen:paper-ms --json              one JSON document\n  \
        leadline trace info q9.capture --by file             what a query asked of each table\n  \
        leadline trace info log.csv --columns time:us,op,offset:sectors,size:sectors\n  \
        zcat day*.csv.gz | leadline trace info - --format msr")]
pub(crate) struct Args {
    /// The trace: a file, - for standard input, or gen:NAME
    #[arg(value_name = "TRACE")]
    trace: TraceName,
    #[arg(long, value_name = "FORMAT", value_parser = values::format, help = values::formats_of("TRACE"))]
    format: Option<Format>,
    /// Tell files apart: what was asked of each, in sequence or at random, how often again, for how long
    #[arg(long, value_name = "WHAT", value_enum)]
    by: Option<By>,
    /// Size of a page: requests in bytes are cut into pages of this size, page numbers count pages of this
    /// size [default: 4K, with --by file 16K]
    #[arg(long, value_name = "SIZE", value_parser = values::block)]
    page_bytes: Option<u32>,
    /// With --by file: what the database reads ahead at once, at least four pages; a run of this length is
    /// sequential
    #[arg(long, value_name = "SIZE", value_parser = values::length, default_value = "1M", requires = "by")]
    extent: u64,
    /// Track reuse of up to N distinct pages exactly; of more pages, track a sample of N [default: 1M]
    #[arg(long, value_name = "N", value_parser = most_pages, conflicts_with = "by")]
    sample_pages: Option<usize>,
    /// Fail at the first line that is not a request, instead of skipping it
    #[arg(long)]
    strict: bool,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// Write a page (HTML) with the curves to this file, which is replaced if it exists
    #[arg(short, long, value_name = "FILE")]
    output: Option<OutputPath>,
    #[command(flatten)]
    columns: ColumnArgs,
}

/// What a trace is divided by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum By {
    /// By file; by volume where a trace has no names
    File,
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    args.output.as_deref().map_or(Ok(()), output::check_writable)?;
    match args.by {
        Some(By::File) => run_by_file(&args),
        None => run_whole(&args),
    }
}

fn run_whole(args: &Args) -> Result<(), Failure> {
    let trace = open_trace(&args.trace, &args.columns.read_as(args.format)?)?;
    let options = InfoOptions {
        page_bytes: args.page_bytes.unwrap_or(InfoOptions::default().page_bytes),
        most_pages: args.sample_pages.unwrap_or(MOST_PAGES),
        strict: args.strict,
    };
    let mut display = Display::new();
    let found = info(&args.trace.to_string(), trace, &options, &mut |requests, share| {
        let detail = format!("{requests} requests");
        display.show(&Progress { phase: "read", done: share.unwrap_or(0.0), detail });
    });
    display.finish();
    let found = found?;
    super::say_bad_lines(&args.trace, found.bad_lines.count, &found.bad_lines.first, found.requests.count)?;
    if let Some(path) = &args.output {
        let page = render_figures(&found.page())?;
        output::write(path, &page)?;
        output::written("page", path);
    }
    print(&found, args.json)
}

fn run_by_file(args: &Args) -> Result<(), Failure> {
    let page_bytes = args.page_bytes.unwrap_or(ByFileOptions::default().page_bytes);
    let options = ByFileOptions {
        page_bytes,
        extent_bytes: args.extent,
        strict: args.strict,
        ..ByFileOptions::default()
    };
    if options.extent_bytes < 4 * u64::from(page_bytes) {
        return Err(Failure::Input(format!(
            "--extent {}: is less than four pages of {page_bytes} bytes; give a longer one, such as --extent {}",
            args.extent,
            64 * u64::from(page_bytes)
        )));
    }
    let mut display = Display::new();
    let read_as = args.columns.read_as(args.format)?;
    let found = by_file(&args.trace, &read_as, &options, &mut |requests, share| {
        let detail = format!("{requests} requests");
        display.show(&Progress { phase: "read", done: share.unwrap_or(0.0), detail });
    });
    display.finish();
    let found = found?;
    // A capture may hold syncs and changes of names alone.
    let all = found.all.requests + found.all.syncs + found.all.other_operations;
    super::say_bad_lines(&args.trace, found.bad_lines.count, &found.bad_lines.first, all)?;
    if !found.named {
        messages::note("the trace has no names of files: each volume stands for a file");
    }
    if let Some(path) = &args.output {
        output::write(path, &render_figures(&found.page())?)?;
        output::written("page", path);
    }
    match args.json {
        true => output::print_json(&found),
        false => output::print(&render_text(&found.text(), output::width())),
    }
}

fn print(info: &Info, json: bool) -> Result<(), Failure> {
    if !json {
        return output::print(&render_text(&info.text(), output::width()));
    }
    output::print_json(info)
}

/// Pages, such as 1M; few enough for memory.
fn most_pages(text: &str) -> Result<usize, String> {
    let pages = parse_size(text).ok().filter(|pages| (1..=1 << 28).contains(pages));
    pages.map(|pages| pages as usize).ok_or_else(|| "must be from 1 to 256M, such as 64K".to_owned())
}
