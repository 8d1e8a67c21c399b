//! `leadline index stats`: what an index holds, and how.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use leadline_device::format_size;
use leadline_graph::output::grouped;
use serde::Serialize;

use super::opening::WholeArgs;
use crate::failure::Failure;
use crate::graph::{bytes, rows};
use crate::output;

/// Bytes of the blocks in which the system counts files.
const BLOCK_BYTES: u64 = 512;

/// Show how many entries an index has, and what they take
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  leadline index stats words.index
  leadline index stats words.index --json")]
pub(super) struct Args {
    #[command(flatten)]
    whole: WholeArgs,
}

#[derive(Serialize)]
struct Stats {
    index: String,
    entries: u64,
    /// Of all keys and values.
    entry_bytes: u64,
    /// Nodes from the root to a leaf.
    height: u32,
    node_bytes: u32,
    /// Pages in use: nodes, long values, and what the tree keeps of itself.
    pages: u64,
    /// Share of the pages that keys and values would fill, 0 to 1; none where there are no pages.
    fill: f64,
    /// Of the log that would be read after a crash.
    log_bytes: u64,
    /// That the files take on the disk.
    disk_bytes: u64,
    reads_in_flight: u32,
    memory_bytes: u64,
}

pub(super) fn run(Args { whole: args }: &Args) -> Result<(), Failure> {
    let options = args.open.read_options()?;
    let index = leadline_index::Index::open_with(&*args.folder, &options)?;
    let found = index.stats();
    let page_bytes = found.pages * u64::from(found.node_bytes);
    let stats = Stats {
        index: args.folder.display().to_string(),
        entries: found.entries,
        entry_bytes: found.bytes,
        height: found.levels,
        node_bytes: found.node_bytes,
        pages: found.pages,
        fill: found.bytes as f64 / page_bytes.max(1) as f64,
        log_bytes: found.log_bytes,
        disk_bytes: disk_bytes(&args.folder),
        reads_in_flight: options.reads,
        memory_bytes: options.cache_bytes,
    };
    if args.json { output::print_json(&stats) } else { output::print_text(&rows(&words(&stats))) }
}

/// What the files of a directory take on the disk.
fn disk_bytes(folder: &Path) -> u64 {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter_map(|file| Some(file.metadata().ok()?.blocks() * BLOCK_BYTES)).sum()
}

fn words(stats: &Stats) -> [(&'static str, String); 8] {
    let page_bytes = stats.pages * u64::from(stats.node_bytes);
    [
        ("index", stats.index.clone()),
        ("entries", format!("{}, {} of keys and values", grouped(stats.entries), bytes(stats.entry_bytes))),
        (
            "pages",
            format!(
                "{} of {}, {}, of which keys and values fill {:.0} %",
                grouped(stats.pages),
                format_size(u64::from(stats.node_bytes)),
                bytes(page_bytes),
                100.0 * stats.fill
            ),
        ),
        (
            "height",
            match stats.height {
                1 => "1 node: the root is a leaf".to_owned(),
                height => format!("{height} nodes from the root to a leaf"),
            },
        ),
        ("log", format!("{} to be read after a crash", bytes(stats.log_bytes))),
        ("on the disk", bytes(stats.disk_bytes)),
        ("memory", format!("{} for nodes", format_size(stats.memory_bytes))),
        ("reads", format!("{} in flight", stats.reads_in_flight)),
    ]
}
