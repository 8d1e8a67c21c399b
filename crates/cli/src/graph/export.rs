//! `leadline graph export`: from a store to a file of edges.

use std::path::PathBuf;

use leadline_device::parse_size;
use leadline_graph::input::Format;
use leadline_graph::{ExportOptions, ExportReport, export};

use super::report::grouped;
use super::{bytes, rows, seconds};
use crate::failure::Failure;
use crate::progress::Display;
use crate::{output, signals};

/// Write the edges of a graph store to a file, an undirected edge once
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  leadline graph export lj.store lj.parquet\n  leadline graph export roads.store roads.tsv\n\
                        Vertices without edges are not in the file."
)]
pub(crate) struct Args {
    /// The store
    #[arg(value_name = "STORE")]
    store: PathBuf,
    /// The file to write, such as edges.csv, .tsv, .el, .wel or .parquet
    #[arg(value_name = "OUT")]
    out: PathBuf,
    /// Format of OUT: csv, tsv, snap, el, wel or parquet [default: from its ending]
    #[arg(long, value_name = "FORMAT", value_parser = |text: &str| text.parse::<Format>())]
    format: Option<Format>,
    /// Memory for ids; with less than they need, the export is slower
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "256M")]
    memory: u64,
    /// Replace OUT where it exists
    #[arg(long)]
    force: bool,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// What was exported.
#[derive(serde::Serialize)]
struct Exported {
    store: String,
    out: String,
    #[serde(flatten)]
    report: ExportReport,
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    super::refuse_same(&args.store, &args.out, "the store")?;
    if !args.force && args.out.exists() {
        let text = format!("{}: exists; name another file, or use --force to replace it", args.out.display());
        return Err(Failure::Input(text));
    }
    output::check_writable(&args.out)?;
    let options = ExportOptions { format: args.format, memory: args.memory, stop: signals::cancel_flag()? };
    let mut display = Display::new();
    let report =
        export(&args.store, &args.out, &options, &mut |progress| super::show(&mut display, progress));
    display.finish();
    let report = report?;
    if args.json {
        let (store, out) = (args.store.display().to_string(), args.out.display().to_string());
        return super::print_json(&Exported { store, out, report });
    }
    output::print(&rows(&[
        ("file", format!("{}, {}", args.out.display(), bytes(report.bytes))),
        ("edges", grouped(report.edges)),
        ("export time", seconds(report.seconds)),
    ]))
}
