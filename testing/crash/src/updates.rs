//! Leadline's graph stores that change: each commit is a batch of changes, of edges and of vertices, with runs,
//! merges and compactions between them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use leadline_graph::import::{ImportOptions, import};
use leadline_graph::input::InputOptions;
use leadline_graph::{ExportOptions, GraphUpdate, Options, UpdateOptions, export, summarise, verify};

use crate::{Failure, Ledger};

/// Edges that a commit adds; the first half of those of a commit some time before are deleted.
const EDGES: usize = 40;

/// Changes of a commit: these, and a vertex that comes and one that goes.
const CHANGES: u64 = (EDGES + EDGES / 2) as u64 + 2;

/// After so many commits half of the edges of one are deleted.
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

/// All edges after a commit.
fn model(number: u64) -> BTreeSet<(u64, u64)> {
    let left = |commit: u64| edges(commit).split_off(if commit + LATER <= number { EDGES / 2 } else { 0 });
    (0..=number).flat_map(left).collect()
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
        let earlier = number.checked_sub(LATER).map(edges);
        for at in 0..EDGES / 2 {
            // Also what is not there is a change.
            let (from, to) = earlier.as_ref().map_or((0, 0), |edges| edges[at]);
            update.delete_edge(from, to)?;
        }
        update.insert_vertex(ALONE + number)?;
        update.delete_vertex(ALONE + number - 1)?;
        update.commit()?;
        update.maintain(&mut |_| {})?;
        Ok(())
    }

    fn check(self) -> Result<u64, Failure> {
        verify(&self.store, &mut |_| {})?;
        let version = summarise(&self.store)?.version;
        let number = version / CHANGES;
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
        if version % CHANGES != 0 || found != model(number) {
            return Err(format!("version {version} has other edges than commit {number}").into());
        }
        Ok(number)
    }
}
