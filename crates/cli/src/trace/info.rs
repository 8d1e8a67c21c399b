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

/// Describe a trace: sizes, rates, reuse, hot pages, miss ratios
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  leadline trace info web_0.csv.gz
  # With the curves on a page
  leadline trace info web_0.csv.gz --report web_0.html
  # What a query asked of each table
  leadline trace info q9.capture --by file
  # Text in no known format
  leadline trace info log.csv --columns time:us,op,offset:sectors,size:sectors
  zcat day*.csv.gz | leadline trace info - --format msr")]
pub(crate) struct Args {
    /// The trace: a file, - for standard input, or gen:NAME
    #[arg(value_name = "TRACE")]
    trace: TraceName,
    #[arg(long, value_name = "FORMAT", value_parser = values::format, help = values::formats_of("TRACE"))]
    format: Option<Format>,
    /// With `file`: describe each file, or each volume where the trace has no file names [default: the whole
    /// trace]
    #[arg(long, value_name = "file", value_enum, hide_possible_values = true)]
    by: Option<By>,
    /// Size of a page, 512 to 16M: unit of page numbers, and of the requests' footprint [default: 4K, or 16K
    /// with --by file]
    #[arg(long = "page-size", alias = "page-bytes", value_name = "SIZE", value_parser = values::block)]
    page_bytes: Option<u32>,
    /// With --by file: length of a sequential run, at least four pages, such as what the database reads ahead
    #[arg(long, value_name = "SIZE", value_parser = values::length, default_value = "1M", requires = "by")]
    extent: u64,
    /// Distinct pages whose reuse is tracked, 1 to 256M; of more pages, a sample of N [default: 1M]
    #[arg(long, value_name = "N", value_parser = most_pages, conflicts_with = "by")]
    sample_pages: Option<usize>,
    /// Fail at the first line that is not a request [default: skip it]
    #[arg(long)]
    strict: bool,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
    /// Write the page (HTML), with the curves, to this file, replacing it
    #[arg(long, alias = "output", short_alias = 'o', value_name = "FILE")]
    report: Option<OutputPath>,
    #[command(flatten)]
    columns: ColumnArgs,
}

/// What a trace is divided by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum By {
    File,
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    args.report.as_deref().map_or(Ok(()), output::check_writable)?;
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
    if let Some(path) = &args.report {
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
    if let Some(path) = &args.report {
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
