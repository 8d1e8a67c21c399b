//! `leadline graph info`: what a store holds.

use leadline_graph_store::format::Direction;
use leadline_graph_store::inspect::{GraphInfo, degree_distribution, summarise};
use leadline_report::{render_figures, render_text};

use crate::failure::Failure;
use crate::output;
use crate::paths::{InputPath, OutputPath};
use crate::progress::Display;

/// Show what a graph store holds, and how its degrees are distributed
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  leadline graph info lj.store\n  leadline graph info lj.store --report lj.html    and a page with a plot\n  \
                        leadline graph info lj.store --json"
)]
pub(crate) struct Args {
    /// The store
    #[arg(value_name = "STORE")]
    store: InputPath,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// Write a page with a plot of the degrees to this file (replaced if it exists)
    #[arg(long, value_name = "FILE")]
    report: Option<OutputPath>,
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    if let Some(page) = &args.report {
        output::check_writable(page)?;
    }
    let summary = summarise(&args.store)?;
    let mut display = Display::new();
    let degrees = degree_distribution(&args.store, Direction::Forward, &mut |progress| {
        super::show(&mut display, progress)
    });
    display.finish();
    let info = GraphInfo::new(args.store.display().to_string(), &summary, &degrees?);
    if let Some(path) = &args.report {
        let page = render_figures(&info.page())?;
        output::write(path, &page)?;
        output::written("page", path);
    }
    match args.json {
        true => super::print_json(&info),
        false => output::print(&render_text(&info.text(), output::width())),
    }
}
