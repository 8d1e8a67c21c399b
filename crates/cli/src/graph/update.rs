//! `leadline graph update`: changes of a store, commit by commit.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use leadline_device::parse_large_size;
use leadline_figures::Text;
use leadline_graph::GraphUpdate;
use leadline_graph::output::grouped;
use leadline_graph_store::input::Format;
use leadline_graph_store::inspect::summarise;
use leadline_graph_store::updates::{
    ChangeOptions, ChangeSource, CommitReport, NextChanges, Space, UpdateOptions,
};
use leadline_graph_store::{GraphError, Options, Progress};

use super::limits;
use super::reading::ReadingArgs;
use super::{bytes, rows, seconds};
use crate::failure::Failure;
use crate::foreseen::{DryRun, Foreseen};
use crate::paths::{ChangedPath, ChangesName, InputPath};
use crate::progress::Display;
use crate::{messages, output, signals, values};

/// Changes of a commit, of a file.
const OF_A_COMMIT: u64 = 1_000_000;

/// Time between commits, of standard input.
const BETWEEN_COMMITS: Duration = Duration::from_secs(1);

/// Add or delete edges and vertices in a graph store
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  leadline graph update web.store new-edges.parquet
  leadline graph update web.store gone.csv --delete
  # A stream of changes, committed every five seconds
  generate | leadline graph update web.store - --commit-every 5s

Lines of changes:
  + U V [W]  add an edge     - U V  delete it     = U V W  set its weight
  +v U       add a vertex    -v U   delete it and its edges

What each of them means, and what a crash leaves: see `leadline docs graph-update`.")]
pub(crate) struct Args {
    /// The store, which becomes a directory with its first change
    #[arg(value_name = "STORE")]
    store: ChangedPath,
    /// Changes, one per line, or edges to add in any format that import reads; - for standard input
    #[arg(value_name = "CHANGES")]
    changes: ChangesName,
    /// Format of CHANGES, as for `leadline graph import` [default: by the ending, or lines of changes]
    #[arg(long, value_name = "FORMAT", value_parser = |text: &str| text.parse::<Format>())]
    format: Option<Format>,
    /// Delete the edges of CHANGES instead of adding them
    #[arg(long)]
    delete: bool,
    /// Add a parallel copy of an edge that exists, also to a store imported without parallel edges
    #[arg(long, conflicts_with = "delete")]
    multi: bool,
    /// Delete, or set the weight of, one copy of parallel edges instead of all
    #[arg(long)]
    one: bool,
    /// Stop at an edge or vertex to delete or set that does not exist [default: count it]
    #[arg(long)]
    strict: bool,
    /// Commit after this many changes, or after this time, such as 5s; and at the end [default: 1000000, or
    /// 1s with standard input]
    #[arg(long, value_name = "N|TIME", value_parser = every)]
    commit_every: Option<Every>,
    /// Most memory to use, such as 4G [default: a quarter of the machine's, at most 1G]
    #[arg(long, value_name = "SIZE", value_parser = parse_large_size)]
    memory: Option<u64>,
    /// Write as many blocks at once, and merge as many runs, as suits the device of this profile
    #[arg(long, value_name = "PROFILE")]
    profile: Option<InputPath>,
    /// Threads that look up edges, 1 to 1024 [default: one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    #[command(flatten)]
    dry: DryRun,
    /// Print the result as one JSON document, and no line per commit
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reading: ReadingArgs,
}

/// When changes are committed.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Every {
    Changes(u64),
    Time(Duration),
}

fn every(text: &str) -> Result<Every, String> {
    if let Ok(changes) = text.parse::<u64>() {
        return match changes {
            0 => Err("must be at least 1".to_owned()),
            changes => Ok(Every::Changes(changes)),
        };
    }
    let form = "must be a number of changes, or a time such as 500ms or 5s";
    let micros = values::micros(text).map_err(|_| form.to_owned())?;
    Ok(Every::Time(Duration::from_secs_f64(micros / 1e6)))
}

/// What was done.
#[derive(serde::Serialize)]
struct Updated {
    store: String,
    changes_file: String,
    /// Changes since the store was imported.
    version: u64,
    /// Changes that were committed now.
    changes: u64,
    /// Of these, those of what was not there.
    missing: u64,
    /// Edges that were not added because they are there already.
    duplicates_dropped: u64,
    /// Edges that were not added because they lead to where they come from.
    self_loops_dropped: u64,
    commits: u64,
    vertices: u64,
    edges: u64,
    seconds: f64,
    changes_per_second: f64,
    #[serde(flatten)]
    space: Space,
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    if args.dry.dry_run {
        return dry_run(&args);
    }
    let started = Instant::now();
    let stop = signals::cancel_flag()?;
    let usual = Options::default();
    let memory = args.memory.unwrap_or(usual.memory);
    let run = Options {
        memory,
        threads: args.threads.map_or(usual.threads, |threads| threads as usize),
        stop: Some(stop.clone()),
        ..usual
    };
    let (alpha, writes) = match &args.profile {
        Some(profile) => limits::writes(profile)?,
        None => (None, None),
    };
    let options = UpdateOptions::new(run).for_device(alpha, writes);
    let options = UpdateOptions { one: args.one, multi: args.multi, strict: args.strict, ..options };
    let mut update = GraphUpdate::open(&args.store, options)?;
    let (strings, weighted) = (update.ids_are_strings(), update.is_weighted());
    let directed = update.is_directed();
    let wanted = ChangeOptions {
        text: args.reading.text(),
        columns: args.reading.columns(),
        ignore_columns: args.reading.ignore_columns(),
        strings,
        weighted,
        directed,
        delete: args.delete,
        memory,
    };
    let mut changes = ChangeSource::open(Path::new(&*args.changes), args.format, wanted)?;
    if update.has_removed_lists() {
        let store = args.store.display();
        messages::note(&format!(
            "{store}: the store has changed since a compaction was interrupted; what that had \
             written is removed"
        ));
    }
    let mut display = Display::new();
    if let Some(resumed) = update.resume_compaction(&mut |progress| super::show(&mut display, progress))? {
        let there = bytes(resumed.resumed_bytes);
        messages::note(&format!(
            "{}: a compaction that was interrupted after {there} has ended",
            args.store.display()
        ));
    }
    let mut work = Work { update: &mut update, quiet: args.json, commits: 0, done: CommitReport::default() };
    let every = args.commit_every.unwrap_or(match args.changes.is_standard_input() {
        true => Every::Time(BETWEEN_COMMITS),
        false => Every::Changes(OF_A_COMMIT),
    });
    let done = work.all(&mut changes, every, &stop, &mut display);
    display.finish();
    if stop.load(Ordering::Relaxed) {
        return Err(work.interrupted());
    }
    done?;
    let (Work { commits, done, .. }, seconds) = (work, started.elapsed().as_secs_f64());
    let CommitReport { version, changes, missing, duplicates_dropped, self_loops_dropped, .. } = done;
    let CommitReport { vertices, edges, .. } = done;
    let updated = Updated {
        store: args.store.display().to_string(),
        changes_file: args.changes.to_string(),
        version,
        changes,
        missing,
        duplicates_dropped,
        self_loops_dropped,
        commits,
        vertices,
        edges,
        seconds,
        changes_per_second: if seconds > 0.0 { changes as f64 / seconds } else { 0.0 },
        space: update.space()?,
    };
    if args.json { super::print_json(&updated) } else { output::print_text(&words(&updated)) }
}

/// Says what would be read and written.
fn dry_run(args: &Args) -> Result<(), Failure> {
    let found = summarise(&args.store)?;
    let foreseen = Foreseen::until("when all changes are committed");
    let foreseen = match args.changes.is_standard_input() {
        true => foreseen.reads("standard input", "the changes", None),
        false => foreseen.reads_file(Path::new(&*args.changes), "the changes"),
    };
    let becomes = if found.space.is_none() { "; the file becomes a directory of this name" } else { "" };
    foreseen
        .reads(args.store.display(), "the store, where something is looked up", Some(found.file_bytes))
        .writes(args.store.display(), &format!("a log and sorted runs of changes{becomes}"), None)
        .print(args.json)
}

/// The commits so far.
struct Work<'u> {
    update: &'u mut GraphUpdate,
    quiet: bool,
    commits: u64,
    /// What they did together, and what there is after the last.
    done: CommitReport,
}

impl Work<'_> {
    /// Commits all changes, unless somebody wants it to stop.
    fn all(
        &mut self,
        changes: &mut ChangeSource,
        every: Every,
        stop: &AtomicBool,
        display: &mut Display,
    ) -> Result<(), Failure> {
        let mut due = None;
        while !stop.load(Ordering::Relaxed) {
            match changes.next(due)? {
                NextChanges::Some(more) => {
                    for (line, change) in more {
                        self.update.apply(change).map_err(|error| match (line, &error) {
                            (Some(line), GraphError::Malformed { .. }) => {
                                Failure::Input(format!("{}: line {line}: {error}", changes.name()))
                            }
                            _ => error.into(),
                        })?;
                        if matches!(every, Every::Changes(most) if self.update.pending() >= most) {
                            self.commit(display)?;
                        }
                    }
                }
                NextChanges::Waiting => {}
                NextChanges::End => return self.commit(display),
            }
            if let Every::Time(time) = every
                && self.update.pending() > 0
                && *due.get_or_insert_with(|| Instant::now() + time) <= Instant::now()
            {
                self.commit(display)?;
                due = None;
            }
            if let Some((done, total)) = changes.progress() {
                super::show(display, Progress { phase: "read", done, total });
            }
        }
        Ok(())
    }

    /// Commits, says so, and keeps the store in shape.
    fn commit(&mut self, display: &mut Display) -> Result<(), Failure> {
        let report = self.update.commit()?;
        self.done = CommitReport {
            changes: self.done.changes + report.changes,
            missing: self.done.missing + report.missing,
            duplicates_dropped: self.done.duplicates_dropped + report.duplicates_dropped,
            self_loops_dropped: self.done.self_loops_dropped + report.self_loops_dropped,
            ..report
        };
        if report.changes == 0 {
            return Ok(());
        }
        self.commits += 1;
        if !self.quiet {
            // Flushed: whoever waits for it reads from a pipe.
            output::print(&format!("committed {}\n", self.done.changes))?;
        }
        self.update.maintain(&mut |progress| super::show(display, progress))?;
        Ok(())
    }

    fn interrupted(&self) -> Failure {
        let (done, left) = (grouped(self.done.changes), grouped(self.update.pending()));
        Failure::Operation(format!("interrupted; {done} changes are committed, {left} more were read"))
    }
}

fn words(updated: &Updated) -> Text {
    let mut table = vec![
        ("store", format!("{}, {} changes since the import", updated.store, grouped(updated.version))),
        ("changes", format!("{}, commits: {}", grouped(updated.changes), grouped(updated.commits))),
    ];
    if updated.missing > 0 {
        let missing = grouped(updated.missing);
        table.push(("missing", format!("{missing} (to be deleted or set, but not there)")));
    }
    let of_each = [
        (updated.duplicates_dropped, "edges that are there already (--multi adds copies)"),
        (updated.self_loops_dropped, "self-loops"),
    ];
    let left_out = of_each.iter().filter(|(count, _)| *count > 0);
    let left_out: Vec<_> = left_out.map(|(count, what)| format!("{} {what}", grouped(*count))).collect();
    if !left_out.is_empty() {
        table.push(("left out", left_out.join(", ")));
    }
    let Space { base_bytes, runs, run_bytes, log_bytes } = updated.space;
    table.extend([
        ("vertices", grouped(updated.vertices)),
        ("edges", grouped(updated.edges)),
        (
            "time",
            format!("{}, {} changes/s", seconds(updated.seconds), grouped(updated.changes_per_second as u64)),
        ),
        (
            "size",
            format!(
                "{} of lists, {} of changes in sorted runs ({}), {} of log",
                bytes(base_bytes),
                bytes(run_bytes),
                grouped(runs),
                bytes(log_bytes)
            ),
        ),
    ]);
    rows(&table)
}
