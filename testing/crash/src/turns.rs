//! Leadline's graph stores at their first change: each commit is an import of a small store and the update
//! that turns it from a file into a folder.

use std::fs;
use std::path::{Path, PathBuf};

use leadline_graph::GraphUpdate;
use leadline_graph_store::import::{ImportOptions, import};
use leadline_graph_store::input::InputOptions;
use leadline_graph_store::inspect::{summarise, verify};
use leadline_graph_store::updates::UpdateOptions;

use crate::{Failure, Ledger};

/// Edges that the import finds.
const IMPORTED: u64 = 3;

/// Edges that the first update adds.
const ADDED: u64 = 2;

pub(crate) struct TurnLedger {
    folder: PathBuf,
}

impl TurnLedger {
    fn store(&self, number: u64) -> PathBuf {
        self.folder.join(format!("{number}.store"))
    }

    /// Whether a store has its update; none where there is no store.
    fn is_updated(&self, number: u64) -> Result<Option<bool>, Failure> {
        let store = self.store(number);
        let report = match verify(&store, &mut |_| {}) {
            // Not before it was looked for: it may have stepped aside.
            Err(_) if fs::symlink_metadata(&store).is_err() => return Ok(None),
            report => report?,
        };
        match (summarise(&store)?.version, report.entries) {
            (0, IMPORTED) => Ok(Some(false)),
            (ADDED, edges) if edges == IMPORTED + ADDED => Ok(Some(true)),
            (version, edges) => Err(format!("{number}.store: version {version} has {edges} edges").into()),
        }
    }
}

impl Ledger for TurnLedger {
    fn open(folder: &Path) -> Result<Self, Failure> {
        let edges: Vec<String> = (0..IMPORTED).map(|at| format!("{at} {}\n", at + 1)).collect();
        fs::write(folder.join("edges.el"), edges.concat())?;
        Ok(TurnLedger { folder: folder.to_owned() })
    }

    fn commit(&mut self, number: u64) -> Result<(), Failure> {
        let store = self.store(number);
        match self.is_updated(number)? {
            Some(true) => return Ok(()),
            Some(false) => {}
            None => {
                let (input, options) = (InputOptions::default(), ImportOptions::default());
                import(self.folder.join("edges.el"), input, &store, &options, &mut |_| {})?;
            }
        }
        let mut update = GraphUpdate::open(&store, UpdateOptions::default())?;
        (0..ADDED).try_for_each(|at| update.insert_edge(100 + at, 200 + at, None))?;
        update.commit()?;
        Ok(())
    }

    fn check(self) -> Result<u64, Failure> {
        let mut number = 0;
        while self.is_updated(number + 1)? == Some(true) {
            number += 1;
        }
        if self.is_updated(number + 2)?.is_some() {
            return Err(format!("there is a store after {}, whose update is not there", number + 1).into());
        }
        Ok(number)
    }
}
