//! `leadline graph validate`: whether a result is the benchmark's.

use std::path::Path;

use clap::ValueEnum;
use leadline_device::parse_large_size;
use leadline_figures::Text;
use leadline_graph::output::grouped;
use leadline_graph_store::graphalytics::{
    Benchmark, Difference, ValidateOptions, ValidationReport, validate,
};

use super::{bytes, rows};
use crate::failure::Failure;
use crate::paths::{InputPath, WorkFolder};
use crate::progress::Display;
use crate::{output, signals};

/// Compare a result with a reference by the rules of LDBC Graphalytics
#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  leadline graph pagerank g.graph --properties g.properties -o g.graphalytics\n  \
                        leadline graph validate g.graphalytics g-PR --algorithm pr\n\n\
                        Exit codes: 0 valid, 1 not valid, 2 a file that is malformed or cannot be read"
)]
pub(crate) struct Args {
    /// The result: a line \"id value\" per vertex, in any order
    #[arg(value_name = "OUT")]
    found: InputPath,
    /// The reference, of the same form
    #[arg(value_name = "REFERENCE")]
    reference: InputPath,
    /// The algorithm: it decides how values are compared
    #[arg(long, value_name = "NAME")]
    algorithm: Name,
    /// Most memory [default: 1G, or a quarter of the machine's]
    #[arg(long, value_name = "SIZE", value_parser = parse_large_size)]
    memory: Option<u64>,
    /// Folder of temporary files, for lines that --memory has no room for [default: the system's]
    #[arg(long, value_name = "FOLDER")]
    temp: Option<WorkFolder>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// The benchmark's names.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Name {
    Bfs,
    #[value(alias = "pagerank")]
    Pr,
    Wcc,
    Cdlp,
    Lcc,
    Sssp,
}

impl Name {
    fn benchmark(self) -> Benchmark {
        match self {
            Name::Bfs => Benchmark::Bfs,
            Name::Pr => Benchmark::Pr,
            Name::Wcc => Benchmark::Wcc,
            Name::Cdlp => Benchmark::Cdlp,
            Name::Lcc => Benchmark::Lcc,
            Name::Sssp => Benchmark::Sssp,
        }
    }
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    let usual = ValidateOptions::default();
    let options = ValidateOptions {
        memory: args.memory.unwrap_or(usual.memory),
        temp: args.temp.as_deref().map_or(usual.temp, Path::to_owned),
        stop: signals::cancel_flag()?,
        ..usual
    };
    let algorithm = args.algorithm.benchmark();
    let mut display = Display::new();
    let report = validate(&args.found, &args.reference, algorithm, &options, &mut |progress| {
        super::show(&mut display, progress);
    });
    display.finish();
    let report = report?;
    if args.json {
        super::print_json(&report)?
    } else {
        output::print_text(&words(&args, &report))?
    }
    if report.valid {
        return Ok(());
    }
    let ValidationReport { missing, extra, different, .. } = report;
    Err(Failure::Operation(format!(
        "{}: is not valid; vertices: {} different, {} missing, {} not in the reference",
        args.found.display(),
        grouped(different),
        grouped(missing),
        grouped(extra)
    )))
}

fn words(args: &Args, report: &ValidationReport) -> Text {
    let verdict = if report.valid { "valid" } else { "not valid" };
    let mut text = rows(&[
        ("result", format!("{} is {verdict}", args.found.display())),
        ("reference", format!("{}, {} vertices", args.reference.display(), grouped(report.vertices))),
        ("different", grouped(report.different)),
        ("missing", grouped(report.missing)),
        ("extra", grouped(report.extra)),
        ("temporary", bytes(report.bytes_spilled)),
    ]);
    let shown = |value: &Option<String>| value.clone().unwrap_or_else(|| "nothing".to_owned());
    for Difference { id, expected, found } in &report.differences {
        text.say(format!("vertex {id}: expected {}, found {}", shown(expected), shown(found)));
    }
    text
}
