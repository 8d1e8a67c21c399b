//! Leadline's graph stores while they are compacted: each commit adds some edges and compacts the store,
//! which writes all lists anew and notes some times how far it is. A check ends what was interrupted, and
//! looks at every byte and every edge before and after.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use leadline_graph::GraphUpdate;
use leadline_graph_store::Options;
use leadline_graph_store::export::{ExportOptions, export};
use leadline_graph_store::import::{ImportOptions, import};
use leadline_graph_store::input::InputOptions;
use leadline_graph_store::inspect::{summarise, verify};
use leadline_graph_store::updates::UpdateOptions;

use crate::{Failure, Ledger};

/// Edges that the import finds: some reads of 128 KiB in each direction.
const IMPORTED: u64 = 100_000;

/// Edges that a commit adds.
const ADDED: u64 = 40;

/// Vertices that edges lead from.
const SOURCES: u64 = 2000;

/// Bytes from one note to the next, less than one read.
const NOTE_EVERY: u64 = 64 << 10;

pub(crate) struct CompactionLedger {
    store: PathBuf,
}

/// Edges of a commit; of the import, where it is 0.
fn edges(number: u64) -> impl Iterator<Item = (u64, u64)> {
    let (first, count) = if number == 0 { (0, IMPORTED) } else { (IMPORTED + (number - 1) * ADDED, ADDED) };
    // Each edge is there once, as both remainders together tell its number.
    (first..first + count).map(|edge| (edge % SOURCES, SOURCES + edge / SOURCES))
}

impl CompactionLedger {
    fn update(&self) -> Result<GraphUpdate, Failure> {
        let options = UpdateOptions::new(Options::default().with_memory(64 << 20));
        Ok(GraphUpdate::open(&self.store, UpdateOptions { note_every: NOTE_EVERY, ..options })?)
    }

    /// Looks at every byte and every edge; the number of the last commit.
    fn checked(&self) -> Result<u64, Failure> {
        verify(&self.store, &mut |_| {})?;
        let version = summarise(&self.store)?.version;
        if !version.is_multiple_of(ADDED) {
            return Err(format!("version {version} has a part of a commit").into());
        }
        let number = version / ADDED;
        let folder = std::env::temp_dir().join(format!("leadline-crash-{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        let list = folder.join("edges.csv");
        export(&self.store, &list, &ExportOptions::default(), &mut |_| {})?;
        let text = fs::read_to_string(&list)?;
        fs::remove_dir_all(&folder)?;
        let mut found = BTreeSet::new();
        for line in text.lines().skip(1) {
            let (from, to) = line.split_once(',').ok_or("no edge")?;
            found.insert((from.parse()?, to.parse()?));
        }
        if found != (0..=number).flat_map(edges).collect() {
            return Err(format!("version {version} has other edges than commit {number}").into());
        }
        Ok(number)
    }
}

impl Ledger for CompactionLedger {
    fn open(folder: &Path) -> Result<Self, Failure> {
        let store = folder.join("store");
        if !store.exists() {
            let lines: Vec<String> = edges(0).map(|(from, to)| format!("{from} {to}\n")).collect();
            let list = folder.join("edges.el");
            fs::write(&list, lines.concat())?;
            let options = ImportOptions { compressed: false, ..ImportOptions::default() }.with_reverse(true);
            import(&list, InputOptions::default(), &store, &options, &mut |_| {})?;
        }
        Ok(CompactionLedger { store })
    }

    fn commit(&mut self, number: u64) -> Result<(), Failure> {
        let mut update = self.update()?;
        edges(number).try_for_each(|(from, to)| update.insert_edge(from, to, None))?;
        update.commit()?;
        update.compact(None, &mut |_| {})?;
        Ok(())
    }

    fn check(self) -> Result<u64, Failure> {
        let number = self.checked()?;
        let mut update = self.update()?;
        let resumed = update.compact(None, &mut |_| {})?.resumed_bytes;
        drop(update);
        if resumed > 0 {
            // For whoever counts them.
            eprintln!("resumed after {resumed} bytes");
        }
        match self.checked()? {
            after if after == number => Ok(number),
            after => Err(format!("the compaction made commit {after} of commit {number}").into()),
        }
    }
}
