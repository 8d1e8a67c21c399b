//! `leadline graph compact`: one set of lists of a store and its changes.

use leadline_device::parse_large_size;
use leadline_figures::Text;
use leadline_graph::compact;
use leadline_graph::output::grouped;
use leadline_graph_store::Options;
use leadline_graph_store::inspect::summarise;
use leadline_graph_store::updates::CompactReport;

use super::{bytes, rows, seconds};
use crate::failure::Failure;
use crate::foreseen::{DryRun, Foreseen};
use crate::paths::ChangedPath;
use crate::progress::Display;
use crate::{output, signals};

/// Merge a graph store with its updates: smaller, and faster to read
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  leadline graph compact web.store

Runs that read the store go on with the version that they have. If it is interrupted, even by a power cut, \
the store is as it was before, and the next compaction goes on where this one ended, unless the store has \
changed. While other programs read the device, it works more slowly: see `leadline docs graph-update`.")]
pub(crate) struct Args {
    /// The store
    #[arg(value_name = "STORE")]
    store: ChangedPath,
    /// Most memory to use, such as 4G [default: a quarter of the machine's, at most 1G]
    #[arg(long, value_name = "SIZE", value_parser = parse_large_size)]
    memory: Option<u64>,
    /// Threads that merge lists, 1 to 1024 [default: one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    #[command(flatten)]
    dry: DryRun,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
}

#[derive(serde::Serialize)]
struct Compacted {
    store: String,
    seconds: f64,
    #[serde(flatten)]
    report: CompactReport,
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    if args.dry.dry_run {
        return dry_run(&args);
    }
    let started = std::time::Instant::now();
    let stop = signals::cancel_flag()?;
    let mut display = Display::new();
    let usual = Options::default();
    let options = Options {
        memory: args.memory.unwrap_or(usual.memory),
        threads: args.threads.map_or(usual.threads, |threads| threads as usize),
        stop: Some(stop),
        ..usual
    };
    let report = compact(&args.store, &options, &mut |progress| super::show(&mut display, progress));
    display.finish();
    let compacted = Compacted {
        store: args.store.display().to_string(),
        report: report?,
        seconds: started.elapsed().as_secs_f64(),
    };
    if args.json { super::print_json(&compacted) } else { output::print_text(&words(&compacted)) }
}

/// Says what would be read and written.
fn dry_run(args: &Args) -> Result<(), Failure> {
    let found = summarise(&args.store)?;
    let foreseen = Foreseen::until("when the new lists have taken the place of the old ones");
    let store = args.store.display();
    if found.space.is_none() {
        return Foreseen::until("at once: the store has no changes").print(args.json);
    }
    foreseen
        .reads(&store, "the lists and their changes", Some(found.file_bytes))
        .writes(
            &store,
            "the new lists, at most as large, next to the old ones until they are whole",
            Some(found.file_bytes),
        )
        .print(args.json)
}

fn words(compacted: &Compacted) -> Text {
    let CompactReport { version, bytes_before, bytes_after, compacted: done, .. } = compacted.report;
    let size = match done {
        true => format!("{} before, {} now", bytes(bytes_before), bytes(bytes_after)),
        false => format!("{}; there was nothing to do", bytes(bytes_after)),
    };
    let mut all = vec![
        ("store", format!("{}, {} changes since the import", compacted.store, grouped(version))),
        ("size", size),
    ];
    match compacted.report {
        CompactReport { resumed_bytes: written @ 1.., .. } => {
            all.push(("resumed", format!("{} were written before the interruption", bytes(written))));
        }
        CompactReport { restarted: true, .. } => {
            all.push((
                "restarted",
                "the new lists of the interrupted compaction do not match the store any more".to_owned(),
            ));
        }
        _ => {}
    }
    all.push(("time", seconds(compacted.seconds)));
    rows(&all)
}
