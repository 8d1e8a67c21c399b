//! `leadline graph info`: what a store holds.

use leadline_graph::format::{Direction, Weights};
use leadline_graph::{DegreeDistribution, Summary, degree_distribution, summarise};
use leadline_report::{DegreeBin, GraphInfo, GraphSpace, render_graph, render_graph_page};

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
    let info = describe(args.store.display().to_string(), &summary, &degrees?);
    if let Some(path) = &args.report {
        let page = render_graph_page(&info)?;
        output::write(path, &page)?;
        output::say(&format!("page in {}", path.display()));
    }
    if args.json { super::print_json(&info) } else { output::print(&render_graph(&info, output::width())) }
}

fn describe(store: String, summary: &Summary, degrees: &DegreeDistribution) -> GraphInfo {
    let header = &summary.header;
    let isolated = DegreeBin { from: 0, to: 0, vertices: degrees.isolated };
    let buckets = degrees.buckets.iter();
    let bins =
        buckets.map(|bucket| DegreeBin { from: bucket.least, to: bucket.most, vertices: bucket.vertices });
    GraphInfo {
        store,
        version: summary.version,
        file_bytes: summary.file_bytes,
        space: summary.space.map(|space| GraphSpace {
            base_bytes: space.base_bytes,
            runs: space.runs,
            run_bytes: space.run_bytes,
            log_bytes: space.log_bytes,
            amplification: space.amplification(),
        }),
        vertices: header.vertices,
        edges: summary.edges,
        self_loops: header.self_loops,
        directed: header.directed,
        reverse: header.has_reverse(),
        compressed: header.compressed,
        weights: match header.weights {
            Weights::None => "none",
            Weights::F32 => "f32",
            Weights::F64 => "f64",
        },
        ids: summary.ids,
        renumbered: header.renumbered,
        block_bytes: header.block_bytes,
        blocks: summary.blocks,
        block_fill: summary.fill,
        bytes_per_edge: (summary.edges > 0).then(|| summary.file_bytes as f64 / summary.edges as f64),
        median_degree: degrees.median,
        max_degree: header.max_degree,
        import_seconds: header.import_time().map(|time| time.as_secs_f64()),
        degrees: [isolated].into_iter().chain(bins).filter(|bin| bin.vertices > 0).collect(),
    }
}
