//! redb, Leadline's pool and its graph stores, which the program of this crate uses.

use std::io::Write as _;
use std::ops::RangeInclusive;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use leadline_testing::exhaustive;

use crate::client::{Acknowledged, Client, Request};
use crate::program::{Program, output_of};
use crate::trial::prove;

struct Ledger {
    name: &'static str,
    /// As the program knows it.
    store: &'static str,
    commits: RangeInclusive<u64>,
    strict_cuts: u64,
}

/// Each commit of it writes the whole store.
fn compaction() -> Ledger {
    Ledger { commits: 1..=3, ..Ledger::new("graph compaction", "compaction") }
}

/// Each commit of it is an index of its own.
fn loads() -> Ledger {
    Ledger { commits: 1..=3, ..Ledger::new("index, loads", "loads") }
}

impl Ledger {
    fn new(name: &'static str, store: &'static str) -> Ledger {
        Ledger { name, store, commits: 5..=19, strict_cuts: 100 }
    }

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

    fn commits(&self) -> RangeInclusive<u64> {
        self.commits.clone()
    }

    fn strict_cuts(&self) -> u64 {
        self.strict_cuts
    }

    fn clients(&self, folder: &Path) -> Vec<(Command, Request)> {
        vec![(self.command(folder, "write"), Box::new(|number| format!("{number}\n")))]
    }
}

#[test]
fn redb_keeps_what_it_acknowledged() {
    prove(&mut Ledger::new("redb", "redb"));
}

#[test]
fn the_pool_keeps_what_a_checkpoint_acknowledged() {
    prove(&mut Ledger::new("pool, double-write", "pool"));
}

#[test]
fn an_index_keeps_what_it_acknowledged() {
    prove(&mut Ledger { strict_cuts: 500, ..Ledger::new("index", "index") });
}

/// 500 kills lose nothing either. A few unless all cases are to be tried.
#[test]
fn an_index_that_is_killed_keeps_what_it_acknowledged() {
    let mut ledger = Ledger::new("index", "index");
    let folder = tempfile::tempdir().unwrap();
    ledger.set_up(folder.path());
    let (mut found, mut acknowledged) = (0, 0);
    let mut random = fastrand::Rng::with_seed(20_261_128);
    let kills = if exhaustive() { 500 } else { 6 };
    for kill in 0..kills {
        let last = killed(&ledger, folder.path(), found, &mut random);
        acknowledged += last - found;
        found = ledger.recover(folder.path()).unwrap_or_else(|damage| panic!("kill {kill}: {damage}"))[0];
        assert!((last..=last + 1).contains(&found), "kill {kill}: {found} after {last} were acknowledged");
    }
    let _ = writeln!(std::io::stderr(), "| index | kill -9 | {kills} | | {acknowledged} | 0 lost |");
}

#[test]
fn an_index_that_is_filled_has_all_entries_or_none() {
    prove(&mut loads());
}

/// 500 kills leave no index with a part of its entries. A few unless all cases are to be tried.
#[test]
fn an_index_whose_load_is_killed_has_all_entries_or_none() {
    let ledger = loads();
    let (mut acknowledged, mut random) = (0, fastrand::Rng::with_seed(20_261_129));
    let kills = if exhaustive() { 500 } else { 6 };
    for kill in 0..kills {
        let folder = tempfile::tempdir().unwrap();
        let last = killed(&ledger, folder.path(), 0, &mut random);
        acknowledged += last;
        let last_found = output_of(&mut ledger.command(folder.path(), "check"));
        let found = last_found.unwrap_or_else(|damage| panic!("kill {kill}: {damage}"));
        let found: u64 = found.trim().parse().unwrap();
        assert!((last..=last + 1).contains(&found), "kill {kill}: {found} after {last} were acknowledged");
    }
    let _ = writeln!(std::io::stderr(), "| index, loads | kill -9 | {kills} | | {acknowledged} | 0 lost |");
}

#[test]
fn a_graph_store_appears_whole_or_not_at_all() {
    prove(&mut Ledger::new("graph import", "graph"));
}

#[test]
fn a_graph_store_whose_first_update_was_acknowledged_has_it() {
    prove(&mut Ledger::new("graph, first updates", "turns"));
}

#[test]
fn a_graph_store_that_changes_keeps_what_it_acknowledged() {
    prove(&mut Ledger::new("graph updates", "updates"));
}

#[test]
fn a_graph_store_that_is_compacted_keeps_what_it_acknowledged() {
    prove(&mut compaction());
}

/// 200 kills lose nothing either, and what was interrupted is gone on with. A few unless all cases are to be
/// tried.
#[test]
fn a_compaction_that_is_killed_is_gone_on_with() {
    let mut ledger = compaction();
    let folder = tempfile::tempdir().unwrap();
    ledger.set_up(folder.path());
    let (mut found, mut resumed, mut acknowledged) = (0, 0, 0);
    let mut random = fastrand::Rng::with_seed(20_261_127);
    let kills = if exhaustive() { 200 } else { 6 };
    for kill in 0..kills {
        let last = killed(&ledger, folder.path(), found, &mut random);
        acknowledged += last - found;
        let output = ledger.command(folder.path(), "check").output().unwrap();
        let (out, err) =
            (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
        assert!(output.status.success(), "kill {kill}: {err}");
        found = out.trim().parse().unwrap();
        assert!((last..=last + 1).contains(&found), "kill {kill}: {found} after {last} were acknowledged");
        resumed += u64::from(err.contains("resumed"));
    }
    let _ = writeln!(
        std::io::stderr(),
        "| graph compaction | kill -9 | {kills} | {resumed} resumed | {acknowledged} | 0 lost |"
    );
    // How many depends on the machine.
    assert!(
        !exhaustive() || 10 * resumed >= kills,
        "only {resumed} of {kills} compactions were gone on with"
    );
}

/// Commits numbers, and is killed within the commit that follows the second; the last that was acknowledged.
fn killed(ledger: &Ledger, folder: &Path, found: u64, random: &mut fastrand::Rng) -> u64 {
    let acknowledged = Acknowledged::new(&[found]);
    let log = tempfile::tempfile().unwrap();
    let (command, request) = ledger.clients(folder).remove(0);
    let began = Instant::now();
    let client = Client::start(0, command, request, &acknowledged, &log);
    assert!(acknowledged.wait_for(2), "a client stopped before it was killed");
    std::thread::sleep(began.elapsed().mul_f64(random.f64() / 2.0));
    client.freeze();
    let last = acknowledged.last()[0];
    client.kill();
    last
}
