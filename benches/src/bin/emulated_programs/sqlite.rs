//! The shell of SQLite: one-row updates, each a transaction at `synchronous = FULL`.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{Seek as _, Write as _};
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::program::{Program, output};

/// They fit the page behind the first, which every transaction changes too unless it goes to the WAL: each
/// sync then waits for one write, and not for several at once.
const ROWS: u64 = 20;

/// Transactions of one row.
pub struct Updates {
    /// `wal` or `delete`.
    pub journal_mode: &'static str,
}

impl Updates {
    fn shell(&self, folder: &Path, script: &str) -> Result<()> {
        let mut file: File = tempfile::tempfile()?;
        file.write_all(script.as_bytes())?;
        file.rewind()?;
        let mut command = Command::new("sqlite3");
        // `-batch -bail`: the first error ends it.
        command.args(["-batch", "-bail"]).arg(folder.join("db")).stdin(file);
        output(&mut command).map(drop)
    }
}

impl Program for Updates {
    fn prepare(&mut self, folder: &Path) -> Result<()> {
        let script = format!(
            "PRAGMA journal_mode = {};\n\
             CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER, filler TEXT);\n\
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {ROWS})\n\
             INSERT INTO account SELECT i, 0, printf('%100d', i) FROM n;\n",
            self.journal_mode
        );
        self.shell(folder, &script)
    }

    fn run(&self, folder: &Path, each: u64) -> Result<()> {
        let mut script = String::from("PRAGMA synchronous = FULL;\n");
        for i in 0..each {
            let row = i % ROWS + 1;
            writeln!(script, "UPDATE account SET balance = balance + 1 WHERE id = {row};")?;
        }
        self.shell(folder, &script)
    }
}
