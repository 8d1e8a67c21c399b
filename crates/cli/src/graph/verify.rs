//! `leadline graph verify`: whether a store is whole.

use leadline_graph::output::grouped;
use leadline_graph_store::inspect::verify;

use super::{bytes, rows};
use crate::failure::Failure;
use crate::output;
use crate::paths::InputPath;
use crate::progress::Display;

/// Check every byte of a graph store
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  leadline graph verify web.store && echo sound")]
pub(crate) struct Args {
    /// The store
    #[arg(value_name = "STORE")]
    store: InputPath,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    let mut display = Display::new();
    let report = verify(&args.store, &mut |progress| super::show(&mut display, progress));
    display.finish();
    let report = report?;
    if args.json {
        return super::print_json(&report);
    }
    output::print_text(&rows(&[
        ("store", format!("{} is sound, {} read", args.store.display(), bytes(report.bytes))),
        ("vertices", grouped(report.vertices)),
        ("entries", grouped(report.entries)),
        ("blocks", grouped(report.blocks)),
    ]))
}
