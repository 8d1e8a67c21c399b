//! `leadline graph info`: what a store holds.

use leadline_graph_store::format::Direction;
use leadline_graph_store::inspect::{GraphInfo, ShardedInfo, degree_distribution, summarise};
use leadline_graph_store::tiles::is_sharded;
use leadline_report::{render_figures, render_text};

use crate::failure::Failure;
use crate::output;
use crate::paths::{InputPath, OutputPath};
use crate::progress::Display;

/// Show what a graph store holds, and the distribution of degrees
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  leadline graph info web.store
  # With a plot on a page
  leadline graph info web.store --report web.html")]
pub(crate) struct Args {
    /// The store
    #[arg(value_name = "STORE")]
    store: InputPath,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
    /// Write the page (HTML), with a plot of the degrees, to this file, replacing it
    #[arg(long, value_name = "FILE")]
    report: Option<OutputPath>,
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    if let Some(page) = &args.report {
        output::check_writable(page)?;
    }
    if is_sharded(&args.store) {
        return of_shards(&args);
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

/// The same of a sharded store, whose degrees are not counted.
fn of_shards(args: &Args) -> Result<(), Failure> {
    if args.report.is_some() {
        let what = "is a sharded graph store, of which there is no page; leave out --report";
        return Err(Failure::Input(format!("{}: {what}", args.store.display())));
    }
    let info = ShardedInfo::of(&args.store)?;
    match args.json {
        true => super::print_json(&info),
        false => output::print(&render_text(&info.text(), output::width())),
    }
}
