//! `leadline index load`: entries from a file into an index.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use leadline_device::parse_size;
use leadline_graph::output::grouped;
use leadline_index::{Durability, Index, Options};
use leadline_lsm::btree::Mix;
use leadline_measure::Progress;
use serde::Serialize;

use super::entries::{Entries, Entry, SkippedLines};
use super::made::Made;
use super::node_size::{self, Expected, NODE_BYTES};
use super::opening::OpenArgs;
use super::reading::ReadingArgs;
use crate::failure::Failure;
use crate::foreseen::{DryRun, Foreseen};
use crate::graph::{bytes, rows, seconds};
use crate::paths::{ChangedPath, ChangesName};
use crate::progress::Display;
use crate::{messages, output, signals};

/// Bytes of entries that are looked at before anything is written.
const FIRST_BYTES: usize = 64 << 20;

/// Entries that are read between two updates of the progress bar.
const BETWEEN_SHOWN: u64 = 4096;

/// Load keys and values from a file into an index
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  leadline index load words.index words.tsv
  # Two columns of a compressed file with a header
  leadline index load users.index users.csv.gz --key-column email \\
    --value-column name
  # Numbers, which sort as numbers
  leadline index load orders.index orders.csv --key-type integer
  # From a program
  generate | leadline index load words.index - --header no

Into an empty index entries are written once, into full nodes: entries that are sorted by key, as \
`LC_ALL=C sort` does, as they come, others after they are sorted in half of --memory, or through temporary \
files in the index's directory. Into other indexes they are inserted in batches, sorted likewise. Of a key \
that comes twice the last value counts. See `leadline docs key-value-index`.")]
pub(super) struct Args {
    /// The directory of the index, made where it is not there
    #[arg(value_name = "DIR")]
    folder: ChangedPath,
    /// Lines with a key and a value, also compressed (.gz, .bz2, .zst, .xz) or alone in an archive (.tar,
    /// .zip); - for standard input
    #[arg(value_name = "FILE", default_value = "-")]
    file: ChangesName,
    #[command(flatten)]
    open: OpenArgs,
    /// Size of a new index's nodes: 4K, 8K, 16K, 32K or 64K [default: 4K, or what --profile says is best]
    #[arg(long, value_name = "SIZE", value_parser = node_size)]
    node_size: Option<u32>,
    /// Share of each operation in percent, for the size of nodes by --profile, as for `leadline btree advise`
    #[arg(long, value_name = "OPERATION=PERCENT,..", default_value = node_size::MIX)]
    mix: Mix,
    #[command(flatten)]
    dry: DryRun,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reading: ReadingArgs,
}

fn node_size(text: &str) -> Result<u32, String> {
    let range = u64::from(NODE_BYTES[0])..=u64::from(NODE_BYTES[1]);
    match parse_size(text)? {
        size if size.is_power_of_two() && range.contains(&size) => Ok(size as u32),
        _ => Err("must be 4K, 8K, 16K, 32K or 64K".to_owned()),
    }
}

/// What was done.
#[derive(Serialize)]
struct Loaded {
    index: String,
    file: String,
    read_as: String,
    /// Entries read, and bytes of their keys and values.
    entries_read: u64,
    entry_bytes: u64,
    lines_skipped: SkippedLines,
    /// Entries whose key was there already, or came twice.
    replaced: u64,
    /// Of those read, how many were inserted in batches; all others were written in order into full nodes.
    inserted: u64,
    /// Entries that the index has now.
    entries: u64,
    node_bytes: u32,
    seconds: f64,
    /// Of keys and values, per second.
    bytes_per_second: f64,
    /// Of nodes and of the log; without temporary files.
    written_bytes: u64,
    /// Of them, per byte of keys and values.
    written_per_byte: f64,
}

pub(super) fn run(args: &Args) -> Result<(), Failure> {
    if args.dry.dry_run {
        return dry_run(args);
    }
    let stop = signals::cancel_flag()?;
    let mut load = Load {
        entries: Entries::open(&args.file, &args.reading)?,
        stop: &stop,
        display: Display::new(),
        bytes: 0,
        inserted: 0,
    };
    let started = Instant::now();
    let first = load.first()?;
    let made = Made::of(&args.folder);
    let index = Index::open_with(&*args.folder, &options(args, &load, &first, &made)?)?;
    let before = index.len();
    let done = load.all(&index, first).and_then(|()| Ok(index.checkpoint()?));
    load.display.finish();
    let (read, skipped, read_as) = (load.entries.entries, load.entries.skipped, load.entries.words());
    let stats = index.stats();
    if let Err(failure) = done {
        return Err(undone(failure, index, made, before));
    }
    let written = stats.written_bytes();
    index.close()?;
    let seconds = started.elapsed().as_secs_f64();
    let loaded = Loaded {
        index: args.folder.display().to_string(),
        file: args.file.to_string(),
        read_as,
        entries_read: read,
        entry_bytes: load.bytes,
        lines_skipped: skipped,
        replaced: (before + read).saturating_sub(stats.entries),
        inserted: load.inserted,
        entries: stats.entries,
        node_bytes: stats.node_bytes,
        seconds,
        bytes_per_second: if seconds > 0.0 { load.bytes as f64 / seconds } else { 0.0 },
        written_bytes: written,
        written_per_byte: written as f64 / load.bytes.max(1) as f64,
    };
    if args.json {
        return output::print_json(&loaded);
    }
    if before == 0 && loaded.inserted > 0 {
        messages::note(&format!(
            "{} entries did not come in the order of their keys as those before them had, and were inserted \
             in batches; LC_ALL=C sort orders text",
            grouped(loaded.inserted)
        ));
    }
    output::print_text(&rows(&words(&loaded)))
}

/// Says what would be read and written. Of standard input nothing is read.
fn dry_run(args: &Args) -> Result<(), Failure> {
    let foreseen = Foreseen::until("when all entries are in the index");
    let foreseen = match args.file.is_standard_input() {
        true => foreseen.reads("standard input", "keys and values", None),
        false => {
            let entries = Entries::open(&args.file, &args.reading)?;
            foreseen.reads_file(Path::new(&*args.file), &format!("keys and values; {}", entries.words()))
        }
    };
    let made = if args.folder.join("index").exists() { "entries and a log" } else { "a new index" };
    foreseen.writes(args.folder.display(), made, None).print(args.json)
}

/// How the index is opened: a new one with nodes of the size that suits the entries.
fn options(args: &Args, load: &Load<'_>, first: &First, made: &Made) -> Result<Options, Failure> {
    let profile = args.open.profile()?;
    // Until the checkpoint at its end a load can be done again.
    let options = args.open.options(profile.as_ref())?.create(true).durability(Durability::Never);
    let advised = match &profile {
        Some(profile) if made.is_new() && args.node_size.is_none() => {
            let advised = node_size::advised(profile, &first.expected(args, load, options.cache_bytes));
            advised.inspect_err(|note| messages::note(note)).ok()
        }
        _ => None,
    };
    Ok(match args.node_size.or(advised) {
        Some(node_bytes) => options.node_bytes(node_bytes),
        None => options,
    })
}

/// What a load that ended early left: nothing of a new index, or how much is there.
fn undone(failure: Failure, index: Index, made: Made, before: u64) -> Failure {
    let path = index.path().to_owned();
    // After an error of the log not all that the tree has is there when it is opened again.
    let kept = index.sync().is_ok().then(|| index.len());
    drop(index);
    let again = || Some(Index::open_with(&path, &Options::default().create(false)).ok()?.len());
    let Some(now) = kept.or_else(again) else { return failure };
    let added = now.saturating_sub(before);
    if now == 0 && made.is_new() {
        made.remove();
        return failure;
    }
    let left = match added {
        0 => return failure,
        added => format!(
            "; {} entries were added to {}, and loading again goes over them",
            grouped(added),
            path.display()
        ),
    };
    match failure {
        Failure::Input(line) => Failure::Input(line + &left),
        Failure::Operation(line) => Failure::Operation(line + &left),
        other => other,
    }
}

/// The entries that are read first.
struct First {
    entries: Vec<Entry>,
    /// The line of each.
    lines: Vec<u64>,
    /// Whether there are no others.
    whole: bool,
}

impl First {
    fn expected(&self, args: &Args, load: &Load<'_>, memory_bytes: u64) -> Expected {
        let count = self.entries.len().max(1) as u64;
        let keys: u64 = self.entries.iter().map(|(key, _)| key.len() as u64).sum();
        let (read, total) = load.entries.progress();
        let rest = total.filter(|_| !self.whole).map_or(1.0, |total| total as f64 / read.max(1) as f64);
        Expected {
            bytes: (load.bytes as f64 * rest).max(1.0),
            key_bytes: (keys / count).max(1) as u32,
            value_bytes: ((load.bytes - keys) / count) as u32,
            longest_key: self.entries.iter().map(|(key, _)| key.len()).max().unwrap_or(0),
            memory_bytes,
            mix: args.mix,
        }
    }
}

/// A load under way.
struct Load<'s> {
    entries: Entries,
    stop: &'s AtomicBool,
    display: Display,
    /// Of keys and values that were read.
    bytes: u64,
    /// Entries that were inserted in batches.
    inserted: u64,
}

impl Load<'_> {
    fn next(&mut self) -> Result<Option<Entry>, Failure> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(Failure::Operation("interrupted".to_owned()));
        }
        if self.entries.entries.is_multiple_of(BETWEEN_SHOWN) {
            self.show();
        }
        let next = self.entries.next()?;
        self.bytes += next.as_ref().map_or(0, |(key, value)| (key.len() + value.len()) as u64);
        Ok(next)
    }

    fn show(&mut self) {
        let (read, total) = self.entries.progress();
        let entries = grouped(self.entries.entries);
        let (done, detail) = match total {
            Some(total) => (
                read as f64 / total.max(1) as f64,
                format!("{} of {}, {entries} entries", bytes(read), bytes(total)),
            ),
            None => (0.0, format!("{}, {entries} entries", bytes(read))),
        };
        self.display.show(&Progress { phase: "load", done, detail });
    }

    /// Reads the first entries; nothing is written before that.
    fn first(&mut self) -> Result<First, Failure> {
        let (mut entries, mut lines, mut held) = (Vec::new(), Vec::new(), 0);
        let whole = loop {
            let Some(entry) = self.next()? else { break true };
            held += entry.0.len() + entry.1.len() + size_of::<(Entry, u64)>();
            entries.push(entry);
            lines.push(self.entries.line());
            if held >= FIRST_BYTES {
                break false;
            }
        };
        self.entries.check_decided()?;
        Ok(First { entries, lines, whole })
    }

    /// Puts all entries into the index.
    fn all(&mut self, index: &Index, first: First) -> Result<(), Failure> {
        for (entry, line) in first.entries.iter().zip(first.lines) {
            index.check(entry).map_err(|error| self.entries.not_taken(line, error))?;
        }
        if !index.is_empty() {
            return self.insert(index, first.entries);
        }
        if first.entries.is_sorted_by(|one, next| one.0 <= next.0) {
            let first = first.entries.into_iter();
            let sorted = Sorted { load: self, index, first, held: None, behind: None };
            return match sorted.load()? {
                Some(unsorted) => self.insert(index, vec![unsorted]),
                None => Ok(()),
            };
        }
        index.try_load(self.after(index, first.entries))
    }

    /// The next entry, if the index takes it.
    fn next_for(&mut self, index: &Index) -> Result<Option<Entry>, Failure> {
        let next = self.next()?;
        let taken = next.as_ref().map_or(Ok(()), |entry| index.check(entry));
        taken.map_err(|error| self.entries.not_taken(self.entries.line(), error))?;
        Ok(next)
    }

    /// Entries that were read, and all that are not read yet.
    fn after(&mut self, index: &Index, read: Vec<Entry>) -> impl Iterator<Item = Result<Entry, Failure>> {
        let mut read = read.into_iter();
        std::iter::from_fn(move || {
            let next = read.next().map_or_else(|| self.next_for(index).transpose(), |entry| Some(Ok(entry)));
            if next.is_none() {
                let detail = "entries in the order of their keys".to_owned();
                self.display.show(&Progress { phase: "write", done: 0.0, detail });
            }
            next
        })
    }

    /// Inserts entries that were read, and all that are not read yet.
    fn insert(&mut self, index: &Index, read: Vec<Entry>) -> Result<(), Failure> {
        let before = self.entries.entries - read.len() as u64;
        index.try_insert_all(self.after(index, read))?;
        self.inserted += self.entries.entries - before;
        Ok(())
    }
}

/// Entries as long as they come in the order of their keys; of equal keys the last.
struct Sorted<'l, 's> {
    load: &'l mut Load<'s>,
    index: &'l Index,
    first: std::vec::IntoIter<Entry>,
    /// The entry that follows if its key does not come again.
    held: Option<Entry>,
    /// The first entry that is not in order.
    behind: Option<Entry>,
}

impl Sorted<'_, '_> {
    /// Loads them; the first entry that is not one of them.
    fn load(mut self) -> Result<Option<Entry>, Failure> {
        self.held = self.read()?;
        self.index.try_bulk_load(std::iter::from_fn(|| self.next().transpose()))?;
        Ok(self.behind)
    }

    fn read(&mut self) -> Result<Option<Entry>, Failure> {
        match self.first.next() {
            Some(entry) => Ok(Some(entry)),
            None => self.load.next_for(self.index),
        }
    }

    fn next(&mut self) -> Result<Option<Entry>, Failure> {
        let Some(mut entry) = self.held.take() else { return Ok(None) };
        loop {
            let next = self.read()?;
            match next {
                Some(next) if next.0 == entry.0 => entry = next,
                Some(next) if next.0 < entry.0 => {
                    self.behind = Some(next);
                    return Ok(Some(entry));
                }
                next => {
                    self.held = next;
                    return Ok(Some(entry));
                }
            }
        }
    }
}

fn words(loaded: &Loaded) -> Vec<(&'static str, String)> {
    let SkippedLines { as_asked, header, comments, blank } = loaded.lines_skipped;
    let skipped = [(as_asked, "by --skip"), (header, "header"), (comments, "comments"), (blank, "blank")];
    let skipped = skipped.iter().filter(|(count, _)| *count > 0);
    let skipped: Vec<String> = skipped.map(|(count, what)| format!("{} {what}", grouped(*count))).collect();
    let mut table = vec![
        ("index", loaded.index.clone()),
        ("file", loaded.file.clone()),
        ("read as", loaded.read_as.clone()),
        (
            "entries",
            format!(
                "{} read, {} of keys and values",
                grouped(loaded.entries_read),
                bytes(loaded.entry_bytes)
            ),
        ),
    ];
    if !skipped.is_empty() {
        table.push(("lines skipped", skipped.join(", ")));
    }
    if loaded.replaced > 0 {
        let replaced = grouped(loaded.replaced);
        table.push(("replaced", format!("{replaced} values of keys that were there, or came twice")));
    }
    let per_second = format!("{}/s", bytes(loaded.bytes_per_second as u64));
    table.push(("in the index", format!("{} entries", grouped(loaded.entries))));
    table.push(("time", format!("{}, {per_second}", seconds(loaded.seconds))));
    let each = format!("{:.2} per byte of keys and values", loaded.written_per_byte);
    table.push(("written", format!("{}, {each}", bytes(loaded.written_bytes))));
    table
}
