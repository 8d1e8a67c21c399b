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

/// Compare a result with a reference of LDBC Graphalytics
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  leadline graph pagerank web.store --properties web.properties \\
    -o ranks.graphalytics
  leadline graph validate ranks.graphalytics web-PR --algorithm pr

Exit codes: 0 valid, 1 not valid, 2 a file that is malformed or cannot be read.")]
pub(crate) struct Args {
    /// The result: a line with id and value for each vertex, in any order
    #[arg(value_name = "RESULT")]
    found: InputPath,
    /// The reference, in the same format
    #[arg(value_name = "REFERENCE")]
    reference: InputPath,
    /// The algorithm, which decides how values are compared
    #[arg(long, value_name = "NAME")]
    algorithm: Name,
    /// Most memory to use, such as 4G [default: a quarter of the machine's, at most 1G]
    #[arg(long, value_name = "SIZE", value_parser = parse_large_size)]
    memory: Option<u64>,
    /// Directory of temporary files, for lines that do not fit into --memory [default: the system's]
    #[arg(long, value_name = "DIR")]
    temp: Option<WorkFolder>,
    /// Print the result as one JSON document
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
