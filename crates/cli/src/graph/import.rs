//! `leadline graph import`: from edges to a store.

use std::fs::File;
use std::path::Path;

use leadline_device::{format_size, parse_large_size, parse_size};
use leadline_figures::Text;
use leadline_graph::output::grouped;
use leadline_graph_store::GraphError;
use leadline_graph_store::format::Header;
use leadline_graph_store::import::{ImportOptions, ImportReport, Merge, default_memory, import_edges};
use leadline_graph_store::input::{self, Format, IdMode, InputOptions, Preview};
use leadline_graph_store::tiles::{is_sharded, not_replaced};

use super::reading::{self, ReadingArgs};
use super::{bytes, rows, seconds};
use crate::failure::Failure;
use crate::foreseen::{DryRun, Foreseen};
use crate::paths::{EdgesPath, InputPath, OutputPlace};
use crate::progress::Display;
use crate::{output, signals};

/// Make a graph store from a file of edges or Parquet files
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  leadline graph import soc-LiveJournal1.txt.gz lj.store --dedupe
  # How a file is read; nothing is written
  leadline graph import flights.csv --preview
  leadline graph import roads.wel roads.store --weights --undirected
  leadline graph import follows.parquet web.store --reverse --memory 4G
  # Every Parquet file in a directory
  leadline graph import from-spark/ web.store

Formats, and what counts as a vertex: see `leadline docs graph-import`.")]
pub(crate) struct Args {
    /// The edges: a file, also compressed (.gz, .bz2, .zst, .xz) or alone in an archive (.tar, .zip), or a
    /// directory of Parquet files
    #[arg(value_name = "EDGES")]
    edges: EdgesPath,
    /// The store to write, replacing an existing store once the new one is complete
    #[arg(value_name = "STORE", required_unless_present = "preview")]
    store: Option<OutputPlace>,
    /// Format of EDGES: snap, csv, tsv, ncol, el, wel, mtx, metis, graphml, gexf, gml, pajek, dimacs, konect,
    /// adjlist, multiline-adjlist, graphchi, graphalytics, u32, u64, parquet [default: recognized by the
    /// content and the ending]
    #[arg(long, value_name = "FORMAT", value_parser = |text: &str| text.parse::<Format>())]
    format: Option<Format>,
    /// Make every edge lead both ways [default: as EDGES declares, else one way]
    #[arg(long, conflicts_with = "directed")]
    undirected: bool,
    /// Make every edge lead one way, whatever EDGES declares
    #[arg(long)]
    directed: bool,
    /// Number the columns of a matrix after its rows: they are vertices of two kinds
    #[arg(long)]
    bipartite: bool,
    /// File of vertices, with or without edges: one per line, or in a column of a .csv or .tsv
    #[arg(long, value_name = "FILE")]
    vertices: Option<InputPath>,
    /// Merge parallel edges into one, with the min, max, sum or first of their weights [default: min]
    #[arg(long, value_name = "min|max|sum|first", value_parser = |text: &str| text.parse::<Merge>(),
        num_args = 0..=1, require_equals = true, default_missing_value = "min")]
    dedupe: Option<Merge>,
    /// Drop edges from a vertex to itself
    #[arg(long)]
    drop_self_loops: bool,
    /// Keep the weights of edges
    #[arg(long)]
    weights: bool,
    /// Also keep lists of incoming edges, which an undirected graph has anyway
    #[arg(long)]
    reverse: bool,
    /// Size of a block: 4K, 8K, 16K, 32K or 64K
    #[arg(long = "block-size", alias = "block", value_name = "SIZE", value_parser = block, default_value = "4K")]
    block: u32,
    /// Keep lists uncompressed
    #[arg(long)]
    plain: bool,
    /// Number vertices by falling degree, so that the most-read ones lie together (powers of two of the
    /// degree, then order of ids)
    #[arg(long)]
    renumber: bool,
    /// Kind of ids: auto (as in the first edge), numbers or strings
    #[arg(long, value_name = "KIND", value_parser = |text: &str| text.parse::<IdMode>(), default_value = "auto")]
    ids: IdMode,
    /// Most memory to use, such as 4G [default: a quarter of the machine's, at most 1G]
    #[arg(long, value_name = "SIZE", value_parser = parse_large_size)]
    memory: Option<u64>,
    /// Threads that parse text, 1 to 1024 [default: one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Replace STORE even if it is not a graph store
    #[arg(long)]
    force: bool,
    /// Most vertices of a store that is one file, and of each shard
    #[arg(long, value_name = "N", hide = true, value_parser = clap::value_parser!(u32).range(1..))]
    shard_vertices: Option<u32>,
    /// Show the first five edges and how EDGES is read; write nothing
    #[arg(long)]
    preview: bool,
    #[command(flatten)]
    dry: DryRun,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reading: ReadingArgs,
}

/// What was imported.
#[derive(serde::Serialize)]
struct Imported<'a> {
    edges_file: String,
    store: String,
    edges_per_second: f64,
    input_bytes_per_second: f64,
    #[serde(flatten)]
    report: &'a ImportReport,
}

/// Edges that a preview shows.
const PREVIEWED: usize = 5;

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    let memory = args.memory.unwrap_or_else(default_memory);
    let store = match &args.store {
        Some(store) if !args.preview => store,
        _ => return preview(&args, memory),
    };
    check_store(store, args.force)?;
    if args.dry.dry_run {
        return dry_run(&args, store, memory);
    }
    let reader = input::open(&args.edges, input_options(&args, memory))?;
    let options = ImportOptions { stop: signals::cancel_flag()?, ..import_options(&args, memory) };
    let mut display = Display::new();
    let report = import_edges(reader, store, &options, &mut |progress| super::show(&mut display, progress));
    display.finish();
    let report = report?;
    let rate = |amount: u64| if report.seconds > 0.0 { amount as f64 / report.seconds } else { 0.0 };
    let imported = Imported {
        edges_file: args.edges.display().to_string(),
        store: store.display().to_string(),
        edges_per_second: rate(report.edges_read),
        input_bytes_per_second: rate(report.input_bytes),
        report: &report,
    };
    if args.json { super::print_json(&imported) } else { output::print_text(&words(&imported)) }
}

/// Says what would be read and written; what cannot be read is refused.
fn dry_run(args: &Args, store: &Path, memory: u64) -> Result<(), Failure> {
    let reader = input::open(&args.edges, InputOptions { threads: 1, ..input_options(args, memory) })?;
    let preview = Preview::of(reader, 1)?;
    let folder = store.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let sorted = format!("edges that {} of memory has no room for, removed at the end", format_size(memory));
    Foreseen::until("when all edges were read, sorted and written")
        .reads_file(&args.edges, &format!("edges, read as {}", preview.input.format))
        .writes(folder.display(), &sorted, None)
        .writes(store.display(), "the store, which takes its name when it is whole", None)
        .print(args.json)
}

fn preview(args: &Args, memory: u64) -> Result<(), Failure> {
    let reader = input::open(&args.edges, InputOptions { threads: 1, ..input_options(args, memory) })?;
    let preview = Preview::of(reader, PREVIEWED)?;
    if args.json {
        return super::print_json(&preview);
    }
    let edges = preview.edges.iter().map(|edge| ("edge", edge.to_string()));
    let read = reading::rows(&preview.input).into_iter().filter(|(name, _)| *name != "first edge");
    output::print_text(&rows(&edges.chain(read).collect::<Vec<_>>()))
}

fn input_options(args: &Args, memory: u64) -> InputOptions {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    args.reading.of(InputOptions {
        format: args.format,
        weights: args.weights,
        ids: args.ids,
        directed: args.directed,
        bipartite: args.bipartite,
        vertices: args.vertices.as_deref().map(Path::to_owned),
        // The sorting takes the rest.
        memory: memory / 4,
        threads: args.threads.map_or(processors, usize::from),
        ..InputOptions::default()
    })
}

fn import_options(args: &Args, memory: u64) -> ImportOptions {
    let usual = ImportOptions::default();
    ImportOptions {
        memory,
        block_bytes: args.block,
        compressed: !args.plain,
        undirected: args.undirected,
        dedupe: args.dedupe,
        drop_self_loops: args.drop_self_loops,
        reverse: args.reverse,
        renumber: args.renumber,
        shard_vertices: args.shard_vertices.map_or(usual.shard_vertices, u64::from),
        ..usual
    }
}

/// Finds out before the work whether a store can be written in this place; with `force` also where another
/// file is.
///
/// # Errors
/// [`Failure::Input`] says what is in the way.
pub fn check_store(store: &Path, force: bool) -> Result<(), Failure> {
    if is_sharded(store) {
        return Err(not_replaced(store).into());
    }
    if leadline_graph_store::updates::is_store_folder(store) {
        // A store that was changed is replaced in its folder.
        return output::check_writable(&store.join("base"));
    }
    refuse_other(store, force)?;
    output::check_writable(store)
}

/// A file that somebody may still want is not replaced unasked; a store, whole or not, of whatever version,
/// is.
fn refuse_other(store: &Path, force: bool) -> Result<(), Failure> {
    let Ok(file) = File::open(store) else { return Ok(()) };
    if force || !file.metadata().is_ok_and(|found| found.is_file()) {
        return Ok(()); // what is not a file is refused in any case
    }
    match Header::read(&file, &store.display().to_string()) {
        Ok(_) | Err(GraphError::Version { .. } | GraphError::Damaged { .. }) => Ok(()),
        Err(_) => Err(Failure::Input(format!(
            "{}: exists and is not a graph store; name another file, or use --force to replace it",
            store.display()
        ))),
    }
}

fn words(imported: &Imported<'_>) -> Text {
    let report = imported.report;
    let kind = if report.sharded { ", a sharded store: a directory" } else { "" };
    let mut table = vec![
        ("store", format!("{}, {}{kind}", imported.store, bytes(report.store_bytes))),
        ("vertices", grouped(report.vertices)),
        ("edges", format!("{}, {:.2} bytes each", grouped(report.edges), report.bytes_per_edge)),
        ("read", format!("{} edges, {}", grouped(report.edges_read), bytes(report.input_bytes))),
    ];
    if report.duplicates_dropped + report.self_loops_dropped > 0 {
        let (parallel, loops) = (grouped(report.duplicates_dropped), grouped(report.self_loops_dropped));
        table.push(("left out", format!("{parallel} parallel edges, {loops} self-loops")));
    }
    table.extend(reading::rows(&report.input));
    table.push((
        "import time",
        format!(
            "{}, {:.2} million edges/s, {}/s of input",
            seconds(report.seconds),
            imported.edges_per_second / 1e6,
            bytes(imported.input_bytes_per_second as u64)
        ),
    ));
    let spilled = match report.bytes_spilled {
        0 => "nothing spilled".to_owned(),
        spilled => format!("{} spilled", bytes(spilled)),
    };
    table.push(("memory", format!("{} at most, {spilled}", bytes(report.peak_memory_bytes))));
    rows(&table)
}

fn block(text: &str) -> Result<u32, String> {
    block_bytes(parse_size(text)?)
}

/// A size that blocks may have, bytes.
///
/// # Errors
/// What it must be.
pub fn block_bytes(size: u64) -> Result<u32, String> {
    u32::try_from(size)
        .ok()
        .filter(|size| size.is_power_of_two() && (4096..=65536).contains(size))
        .ok_or_else(|| "must be 4K, 8K, 16K, 32K or 64K".to_owned())
}
