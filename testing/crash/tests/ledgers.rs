//! redb, Leadline's pool and its graph stores, which the program of this crate uses.

use std::path::Path;
use std::process::Command;

use crate::client::Request;
use crate::program::{Program, output_of};
use crate::trial::prove;

struct Ledger {
    name: &'static str,
    /// As the program knows it.
    store: &'static str,
}

impl Ledger {
    fn command(&self, folder: &Path, task: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_leadline-crash"));
        command.arg(self.store).arg(folder).arg(task);
        command
    }
}

impl Program for Ledger {
    fn name(&self) -> &str {
        self.name
    }

    fn set_up(&mut self, folder: &Path) {
        // Opening a store makes it.
        assert_eq!(self.recover(folder), Ok(vec![0]));
    }

    fn recover(&mut self, folder: &Path) -> Result<Vec<u64>, String> {
        let last = output_of(&mut self.command(folder, "check"))?;
        Ok(vec![last.trim().parse().map_err(|_| format!("`{last}` is not a number of a commit"))?])
    }

    fn clients(&self, folder: &Path) -> Vec<(Command, Request)> {
        vec![(self.command(folder, "write"), Box::new(|number| format!("{number}\n")))]
    }
}

#[test]
fn redb_keeps_what_it_acknowledged() {
    prove(&mut Ledger { name: "redb", store: "redb" });
}

#[test]
fn the_pool_keeps_what_a_checkpoint_acknowledged() {
    prove(&mut Ledger { name: "pool, double-write", store: "pool" });
}

#[test]
fn a_graph_store_appears_whole_or_not_at_all() {
    prove(&mut Ledger { name: "graph import", store: "graph" });
}

#[test]
fn a_graph_store_whose_first_update_was_acknowledged_has_it() {
    prove(&mut Ledger { name: "graph, first updates", store: "turns" });
}

#[test]
fn a_graph_store_that_changes_keeps_what_it_acknowledged() {
    prove(&mut Ledger { name: "graph updates", store: "updates" });
}
