//! Leadline's graph stores: each commit is an import, the one that `leadline graph import` does, over the
//! store of four commits before.
//!
//! The number of a commit is in the number of its graph's vertices, so a store tells which import wrote it.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use leadline_graph_store::import::{ImportOptions, LEAST_MEMORY, import};
use leadline_graph_store::input::InputOptions;
use leadline_graph_store::inspect::verify;

use crate::{Failure, Ledger};

/// Stores that imports take turns in.
const SLOTS: u64 = 4;

/// Vertices of the graph of commit 0.
const LEAST_VERTICES: u64 = 2000;

pub(crate) struct GraphLedger {
    folder: PathBuf,
}

/// The edges of a commit: a path through all vertices, and as many others.
fn edges(number: u64) -> Vec<(u64, u64)> {
    let vertices = LEAST_VERTICES + number;
    let mut random = fastrand::Rng::with_seed(number);
    let path = (1..vertices).map(|vertex| (vertex - 1, vertex));
    path.chain(std::iter::repeat_with(|| (random.u64(..vertices), random.u64(..vertices))).take(2000))
        .collect()
}

impl GraphLedger {
    fn slot(&self, slot: u64) -> PathBuf {
        self.folder.join(format!("{slot}.store"))
    }

    fn edges(&self) -> PathBuf {
        self.folder.join("edges.el")
    }

    /// The commit that a slot's store is of, after every byte of it was checked.
    fn in_slot(&self, slot: u64) -> Result<Option<u64>, Failure> {
        if !self.slot(slot).exists() {
            return Ok(None);
        }
        let report = verify(self.slot(slot), &mut |_| {})?;
        let number = report.vertices.checked_sub(LEAST_VERTICES).filter(|number| number % SLOTS == slot);
        match number {
            Some(number) if report.entries == edges(number).len() as u64 => Ok(Some(number)),
            _ => Err(format!("{slot}.store is sound, but its graph was never imported there").into()),
        }
    }
}

impl Ledger for GraphLedger {
    fn open(folder: &Path) -> Result<Self, Failure> {
        let ledger = GraphLedger { folder: folder.to_owned() };
        // What an import that was cut off leaves: its temporary files.
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_file() && !(0..SLOTS).any(|slot| path == ledger.slot(slot)) {
                fs::remove_file(path)?;
            }
        }
        Ok(ledger)
    }

    fn commit(&mut self, number: u64) -> Result<(), Failure> {
        let mut text = String::new();
        for (from, to) in edges(number) {
            writeln!(text, "{from} {to}")?;
        }
        fs::write(self.edges(), text)?;
        let options = ImportOptions::default().with_memory(LEAST_MEMORY).with_reverse(true);
        let store = self.slot(number % SLOTS);
        import(self.edges(), InputOptions::default(), store, &options, &mut |_| {})?;
        Ok(())
    }

    fn check(self) -> Result<u64, Failure> {
        let mut next = Vec::new();
        for slot in 0..SLOTS {
            // The first commit to write slot 0 is `SLOTS`.
            let first = if slot == 0 { SLOTS } else { slot };
            next.push(self.in_slot(slot)?.map_or(first, |number| number + SLOTS));
        }
        // Everything before the first commit that is not there.
        Ok(next.into_iter().min().unwrap_or(1) - 1)
    }
}
