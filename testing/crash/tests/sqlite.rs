//! SQLite, by its shell.

use std::path::Path;
use std::process::Command;

use crate::client::{Request, acknowledgement};
use crate::drive::skipped;
use crate::program::{Program, output_of};
use crate::trial::prove;

const ACCOUNTS: u64 = 1000;

/// A commit changes the balances of every so many pairs of accounts, so that it writes pages here and there.
const STEP: u64 = 10;

struct Sqlite<'a> {
    name: &'a str,
    /// Statements for each connection; their results are ignored.
    settings: &'a str,
}

impl Sqlite<'_> {
    fn shell(&self, folder: &Path) -> Command {
        let mut command = Command::new("sqlite3");
        command.args(["-batch", "-bail", "-cmd", self.settings]).arg(folder.join("ledger.db"));
        command
    }

    fn run(&self, folder: &Path, statements: &str) -> Result<String, String> {
        output_of(self.shell(folder).arg(statements))
    }
}

impl Program for Sqlite<'_> {
    fn name(&self) -> &str {
        self.name
    }

    fn set_up(&mut self, folder: &Path) {
        let statements = format!(
            "CREATE TABLE commits(number INTEGER PRIMARY KEY, payload BLOB UNIQUE);
             CREATE TABLE accounts(id INTEGER PRIMARY KEY, balance INTEGER, filler BLOB);
             WITH RECURSIVE ids(id) AS (VALUES (0) UNION ALL SELECT id + 1 FROM ids WHERE id + 1 < {ACCOUNTS})
             INSERT INTO accounts SELECT id, 0, zeroblob(400) FROM ids;"
        );
        self.run(folder, &statements).unwrap();
    }

    fn recover(&mut self, folder: &Path) -> Result<Vec<u64>, String> {
        let statements = "PRAGMA integrity_check;
                          SELECT count(*), ifnull(min(number), 1), ifnull(max(number), 0) FROM commits;
                          SELECT sum(balance) FROM accounts;";
        let found = self.run(folder, statements)?;
        // The results of the settings come first.
        let lines: Vec<&str> = found.lines().collect();
        let Some(["ok", commits, "0"]) = lines.last_chunk() else { return Err(found) };
        let numbers = commits.split('|').map(str::parse).collect::<Result<Vec<u64>, _>>();
        match numbers.as_deref() {
            Ok(&[count, 1, last]) if count == last => Ok(vec![last]),
            _ => Err(format!("commits are missing; how many, first, last: {commits}")),
        }
    }

    fn clients(&self, folder: &Path) -> Vec<(Command, Request)> {
        let request = |number| {
            format!(
                "BEGIN IMMEDIATE; UPDATE accounts SET balance = balance + iif(id % 2, 7, -7) \
                 WHERE id / 2 % {STEP} = {}; INSERT INTO commits VALUES ({number}, randomblob(900)); \
                 COMMIT; SELECT '{}';\n",
                number % STEP,
                acknowledgement(number)
            )
        };
        vec![(self.shell(folder), Box::new(request))]
    }
}

fn prove_sqlite(name: &str, settings: &str) {
    if Command::new("sqlite3").arg("--version").output().is_err() {
        return skipped("sqlite3 is not here; it is in the Debian package sqlite3");
    }
    prove(&mut Sqlite { name, settings });
}

#[test]
fn sqlite_with_a_wal_keeps_what_it_acknowledged() {
    // A small cache, so that pages are written before their commit, and frequent checkpoints.
    let small = "PRAGMA cache_size=8; PRAGMA wal_autocheckpoint=40";
    let settings = format!("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; {small};");
    prove_sqlite("SQLite, WAL, FULL", &settings);
}

#[test]
fn sqlite_with_a_rollback_journal_keeps_what_it_acknowledged() {
    prove_sqlite("SQLite, TRUNCATE, FULL", "PRAGMA journal_mode=TRUNCATE; PRAGMA synchronous=FULL;");
}

/// By default SQLite commits by deleting the journal. Only EXTRA makes that durable too.
#[test]
fn sqlite_that_deletes_its_journal_keeps_what_it_acknowledged() {
    prove_sqlite("SQLite, DELETE, EXTRA", "PRAGMA journal_mode=DELETE; PRAGMA synchronous=EXTRA;");
}
