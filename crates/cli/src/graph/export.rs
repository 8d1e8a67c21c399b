//! `leadline graph export`: from a store to a file of edges, or to a directory with the whole graph.

use leadline_device::parse_large_size;
use leadline_graph::output::grouped;
use leadline_graph_store::export::{ExportOptions, FolderOptions, export, export_folder};
use leadline_graph_store::input::Format;
use leadline_graph_store::inspect::summarise;
use serde::Serialize;

use super::{bytes, rows, seconds};
use crate::failure::Failure;
use crate::foreseen::{DryRun, Foreseen};
use crate::paths::{InputPath, OutputPath, is_stdout};
use crate::progress::Display;
use crate::{output, signals};

/// Write a graph store to a file of edges or Parquet files
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  leadline graph export web.store web.parquet
  leadline graph export roads.store roads.tsv
  # A directory for Spark, Dask and others
  leadline graph export web.store web/ --partitions 64

An undirected edge is written once. A file has no vertices without edges; a directory has all vertices, and \
keeps the kind of the graph: see `leadline docs graph-export`.")]
pub(crate) struct Args {
    /// The store
    #[arg(value_name = "STORE")]
    store: InputPath,
    /// The file to write, such as edges.csv, .tsv, .el, .wel or .parquet, or a directory: an existing one, a
    /// name that ends in /, or a name without an ending
    #[arg(value_name = "OUT")]
    out: OutputPath,
    /// Format of the file: csv, tsv, snap, el, wel, parquet [default: by its ending]
    #[arg(long, value_name = "FORMAT", value_parser = |text: &str| text.parse::<Format>(), conflicts_with = "partitions")]
    format: Option<Format>,
    /// Parts of equal numbers of edges in a directory, 1 to 100000 [default: parts of 128 MiB before
    /// compression]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    partitions: Option<u32>,
    /// Most memory to use; the export is slower if the ids do not fit
    #[arg(long, value_name = "SIZE", value_parser = parse_large_size, default_value = "256M")]
    memory: u64,
    /// Replace OUT if it is another file; a directory is replaced only if it is an export
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    dry: DryRun,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
}

/// What was exported.
#[derive(Serialize)]
struct Exported<R> {
    store: String,
    out: String,
    #[serde(flatten)]
    report: R,
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    if args.dry.dry_run {
        return args.dry_run();
    }
    if args.wants_folder() { args.to_folder() } else { args.to_file() }
}

impl Args {
    fn wants_folder(&self) -> bool {
        if is_stdout(&self.out) {
            return false;
        }
        let ends_so = self.out.as_os_str().as_encoded_bytes().ends_with(b"/");
        let named_so = ends_so || self.out.extension().is_none();
        self.format.is_none() && (named_so || self.partitions.is_some() || self.out.is_dir())
    }

    /// Says what would be read and written.
    fn dry_run(&self) -> Result<(), Failure> {
        let found = summarise(&self.store)?;
        let edges = grouped(found.edges);
        let what = match self.wants_folder() {
            true => format!("a directory of Parquet files with {edges} edges"),
            false => {
                self.check_free()?;
                format!("{edges} edges")
            }
        };
        Foreseen::until("when all edges are written")
            .reads(self.store.display(), "the store", Some(found.file_bytes))
            .writes(self.out.display(), &what, None)
            .print(self.json)
    }

    /// Refuses to replace another file unasked.
    fn check_free(&self) -> Result<(), Failure> {
        if !self.force && !is_stdout(&self.out) && self.out.exists() {
            let text =
                format!("{}: exists; name another file, or use --force to replace it", self.out.display());
            return Err(Failure::Input(text));
        }
        output::check_writable(&self.out)
    }

    fn to_folder(&self) -> Result<(), Failure> {
        let options =
            FolderOptions { partitions: self.partitions, memory: self.memory, stop: signals::cancel_flag()? };
        let mut display = Display::new();
        let mut show = |progress| super::show(&mut display, progress);
        let report = export_folder(&self.store, &self.out, &options, &mut show);
        display.finish();
        let report = report?;
        if self.json {
            return self.print_json(report);
        }
        output::print_text(&rows(&[
            ("folder", format!("{}, {}", self.out.display(), bytes(report.bytes))),
            ("vertices", grouped(report.vertices)),
            ("edges", format!("{}, in {} parts", grouped(report.edges), grouped(report.partitions.into()))),
            ("export time", seconds(report.seconds)),
        ]))
    }

    fn to_file(&self) -> Result<(), Failure> {
        let is_stdout = is_stdout(&self.out);
        let format = self.format.or(is_stdout.then_some(Format::Csv));
        if is_stdout && self.partitions.is_some() {
            let text = "--partitions: a directory has parts, and OUT is standard output; name a directory";
            return Err(Failure::Input(text.to_owned()));
        }
        if format == Some(Format::Parquet) {
            output::check_binary("Parquet", &self.out)?;
        }
        self.check_free()?;
        let options = ExportOptions { format, memory: self.memory, stop: signals::cancel_flag()? };
        let mut display = Display::new();
        let mut show = |progress| super::show(&mut display, progress);
        let report = export(&self.store, &self.out, &options, &mut show);
        display.finish();
        let report = report?;
        if self.json {
            return self.print_json(report);
        }
        output::print_text(&rows(&[
            ("file", format!("{}, {}", self.out.display(), bytes(report.bytes))),
            ("edges", grouped(report.edges)),
            ("export time", seconds(report.seconds)),
        ]))
    }

    fn print_json(&self, report: impl Serialize) -> Result<(), Failure> {
        let (store, out) = (self.store.display().to_string(), self.out.display().to_string());
        super::print_json(&Exported { store, out, report })
    }
}
