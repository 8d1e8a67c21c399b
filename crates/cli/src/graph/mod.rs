//! `leadline graph`: graphs that stay on the device.

mod algorithm;
mod common;
mod compact;
mod estimate;
mod export;
mod import;
mod info;
mod limits;
mod query;
mod reading;
mod report;
mod run;
mod update;
mod validate;
mod verify;

use leadline_figures::Text;
use leadline_graph_store::Progress as PassProgress;
use leadline_measure::Progress;

use algorithm::AlgorithmCommand;

use crate::failure::Failure;
use crate::progress::Display;
use crate::{output, printable};

pub use import::{block_bytes, check_store};

/// Store, query and analyse graphs that do not fit in memory
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  # Make a store from a file of edges
  leadline graph import edges.txt.gz web.store
  # The edges within two hops of vertex 17
  leadline graph ego web.store 17 --hops 2 -o around17.csv
  # PageRank in 1G of memory
  leadline graph pagerank web.store --memory 1G -o ranks.csv
  # Compare a result with a reference of LDBC Graphalytics
  leadline graph validate ranks.graphalytics web-PR --algorithm pr")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Import(import::Args),
    Export(export::Args),
    Update(update::Args),
    Compact(compact::Args),
    Info(info::Args),
    Verify(verify::Args),
    Validate(validate::Args),
    Neighbors(query::neighbors::Args),
    Ego(query::ego::Args),
    Subgraph(query::subgraph::Args),
    #[command(flatten)]
    Algorithm(AlgorithmCommand),
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    match args.command {
        Command::Import(args) => import::run(args),
        Command::Export(args) => export::run(args),
        Command::Update(args) => update::run(args),
        Command::Compact(args) => compact::run(args),
        Command::Info(args) => info::run(args),
        Command::Verify(args) => verify::run(args),
        Command::Validate(args) => validate::run(args),
        Command::Neighbors(args) => query::neighbors::run(&args),
        Command::Ego(args) => query::ego::run(&args),
        Command::Subgraph(args) => query::subgraph::run(&args),
        Command::Algorithm(command) => run::run(&command),
    }
}

/// Shows how far a pass over an input or a store is.
fn show(display: &mut Display, progress: PassProgress) {
    let PassProgress { phase, done, total } = progress;
    let (scale, unit) = match phase {
        "read" => (1e6, "MB"),
        "blocks" | "reverse blocks" => (1e3, "thousand blocks"),
        "ids" => (1e6, "million ids"),
        "vertices" => (1e6, "million vertices"),
        _ => (1e6, "million edges"),
    };
    let scaled = |number: u64| format!("{:.1}", number as f64 / scale);
    let (share, detail) = match total {
        Some(total) if total > 0 => {
            (done as f64 / total as f64, format!("{} of {} {unit}", scaled(done), scaled(total)))
        }
        _ => (0.0, format!("{} {unit}", scaled(done))),
    };
    display.show(&Progress { phase, done: share, detail });
}

/// Names and values, a line each.
pub(crate) fn rows(rows: &[(&str, String)]) -> Text {
    let widest = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let mut text = Text::new();
    for (name, value) in rows {
        text.set(format!("{name:<widest$}  {}", printable::line(value)), [2, widest + 4]);
    }
    text
}

/// `12.3 MB`.
pub(crate) fn bytes(number: u64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];
    let (mut scaled, mut unit) = (number as f64, 0);
    while scaled >= 999.5 && unit + 1 < units.len() {
        (scaled, unit) = (scaled / 1000.0, unit + 1);
    }
    if unit == 0 { format!("{number} B") } else { format!("{scaled:.1} {}", units[unit]) }
}

/// `12.3 s`, `0.012 s`, `1 h 02 min`.
pub(crate) fn seconds(seconds: f64) -> String {
    match seconds {
        s if s < 1.0 => format!("{s:.3} s"),
        s if s < 600.0 => format!("{s:.1} s"),
        s if s < 6000.0 => format!("{:.1} min", s / 60.0),
        s => format!("{:.0} h {:02.0} min", (s / 3600.0).floor(), (s % 3600.0 / 60.0).floor()),
    }
}

/// Prints one document.
fn print_json(document: &impl serde::Serialize) -> Result<(), Failure> {
    let text =
        serde_json::to_string_pretty(document).map_err(|error| Failure::Operation(error.to_string()))?;
    output::print(&format!("{text}\n"))
}
