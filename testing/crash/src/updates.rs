//! Leadline's graph stores that change: each commit is a batch of changes, of edges and of vertices, with
//! runs, merges and compactions between them.

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

/// Edges that a commit adds.
const EDGES: usize = 40;

/// Every so many commits edges are deleted, too: half of those of as many commits some time before. Not every
/// time: they have to be looked up, and in that time a power cut loses nothing.
const DELETES: u64 = 20;

/// How many commits before.
const LATER: u64 = 10;

/// Ids of vertices without edges.
const ALONE: u64 = 1 << 40;

pub(crate) struct UpdateLedger {
    store: PathBuf,
    /// Opened with the first commit.
    update: Option<GraphUpdate>,
}

/// What a commit adds. Ids are of the commit, so that no edge is added twice.
fn edges(number: u64) -> Vec<(u64, u64)> {
    let mut random = fastrand::Rng::with_seed(number);
    (0..EDGES as u64).map(|at| (random.u64(..500), 1000 + number * EDGES as u64 + at)).collect()
}

/// What a commit deletes.
fn deleted(number: u64) -> Vec<(u64, u64)> {
    let last = number.checked_sub(LATER).filter(|_| number.is_multiple_of(DELETES));
    let commits = last.map_or(0..0, |last| (last + 1).saturating_sub(DELETES)..last + 1);
    commits.flat_map(|commit| edges(commit).into_iter().take(EDGES / 2)).collect()
}

/// Changes that a commit makes: edges, a vertex that comes and one that goes.
fn changes(number: u64) -> u64 {
    EDGES as u64 + deleted(number).len() as u64 + 2
}

/// All edges after a commit.
fn model(number: u64) -> BTreeSet<(u64, u64)> {
    let mut all: BTreeSet<(u64, u64)> = (0..=number).flat_map(edges).collect();
    (0..=number).flat_map(deleted).for_each(|edge| {
        all.remove(&edge);
    });
    all
}

impl Ledger for UpdateLedger {
    fn open(folder: &Path) -> Result<Self, Failure> {
        let store = folder.join("store");
        if !store.exists() {
            let lines: Vec<String> = edges(0).iter().map(|(from, to)| format!("{from} {to}\n")).collect();
            let list = folder.join("edges.el");
            fs::write(&list, lines.concat())?;
            let options = ImportOptions::default().with_reverse(true);
            import(&list, InputOptions::default(), &store, &options, &mut |_| {})?;
        }
        Ok(UpdateLedger { store, update: None })
    }

    fn commit(&mut self, number: u64) -> Result<(), Failure> {
        let update = match &mut self.update {
            Some(update) => update,
            None => {
                // Little is kept in memory, so that there is a run after a few commits.
                let mut options = UpdateOptions::new(Options::default().with_memory(64 << 20));
                (options.buffer, options.fanout) = (8 << 10, 2);
                self.update.insert(GraphUpdate::open(&self.store, options)?)
            }
        };
        edges(number).into_iter().try_for_each(|(from, to)| update.insert_edge(from, to, None))?;
        deleted(number).into_iter().try_for_each(|(from, to)| update.delete_edge(from, to))?;
        // Where it goes right away nothing is looked up.
        update.insert_vertex(ALONE + number)?;
        update.delete_vertex(ALONE + number)?;
        update.commit()?;
        update.maintain(&mut |_| {})?;
        Ok(())
    }

    fn check(self) -> Result<u64, Failure> {
        verify(&self.store, &mut |_| {})?;
        let version = summarise(&self.store)?.version;
        let (mut number, mut left) = (0, version);
        while left > 0 {
            number += 1;
            left = left.checked_sub(changes(number)).ok_or("a part of a commit is there")?;
        }
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
        if found != model(number) {
            return Err(format!("version {version} has other edges than commit {number}").into());
        }
        Ok(number)
    }
}
