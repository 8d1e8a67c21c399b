//! `leadline trace info`: what a trace is like.

use std::path::PathBuf;

use leadline_device::parse_size;
use leadline_measure::Progress;
use leadline_model::replace_file;
use leadline_report::{render_trace_info, render_trace_page};
use leadline_trace::info::{MOST_PAGES, info};
use leadline_trace::{Format, Info, InfoOptions};

use super::convert::format;
use crate::failure::Failure;
use crate::progress::Display;
use crate::{output, values};

/// Say what a trace is like: sizes, rates, footprint, reuse, hot pages, and what LRU caches would miss
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  leadline trace info web_0.csv.gz                     a summary in the terminal\n  \
                        leadline trace info web_0.csv.gz -o web_0.html       and a page with the curves\n  \
                        leadline trace info gen:paper-ms --json              one JSON document\n  \
                        zcat day*.csv.gz | leadline trace info - --format msr"
)]
pub(crate) struct Args {
    /// The trace: a file, - for standard input, or gen:NAME
    #[arg(value_name = "TRACE")]
    trace: String,
    /// Format of TRACE [default: told by its ending, else by its content]
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    format: Option<Format>,
    /// Size of a page: cuts a trace of bytes into pages, and says how large those of a trace of pages are
    #[arg(long, value_name = "SIZE", value_parser = values::block, default_value = "4K")]
    page_bytes: u32,
    /// Follow up to this many distinct pages exactly, and a sample of so many where there are more [default: 1M]
    #[arg(long, value_name = "N", value_parser = most_pages)]
    sample_pages: Option<usize>,
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
    let trace = super::open(&args.trace, args.format)?;
    let options = InfoOptions {
        page_bytes: args.page_bytes,
        most_pages: args.sample_pages.unwrap_or(MOST_PAGES),
        strict: args.strict,
    };
    let mut display = Display::new();
    let found = info(&args.trace, trace, &options, &mut |requests, share| {
        let detail = format!("{requests} requests");
        display.show(&Progress { phase: "read", done: share.unwrap_or(0.0), detail });
    });
    display.finish();
    let found = found?;
    super::say_bad_lines(found.bad_lines.count, &found.bad_lines.first, found.requests.count)?;
    if let Some(path) = &args.output {
        let page = render_trace_page(&found)?;
        replace_file(path, page.as_bytes()).map_err(|error| Failure::Operation(error.to_string()))?;
        output::say(&format!("page in {}", path.display()));
    }
    print(&found, args.json)
}

fn print(info: &Info, json: bool) -> Result<(), Failure> {
    if !json {
        return output::print(&render_trace_info(info, output::width()));
    }
    super::print_json(info)
}

/// Pages, such as 1M; few enough for memory.
fn most_pages(text: &str) -> Result<usize, String> {
    let pages = parse_size(text).ok().filter(|pages| (1..=1 << 28).contains(pages));
    pages.map(|pages| pages as usize).ok_or_else(|| "must be from 1 to 256M, such as 64K".to_owned())
}
