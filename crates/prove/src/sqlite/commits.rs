//! Durable commits, and the checkpoints that they need, under one variant after the other.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::database::{Copies, Databases, VALUE_BYTES, size_of};
use super::plan::Plan;
use crate::order::random;
use crate::rounds::{Measured, Rounds};
use crate::{Comparison, Progress, ProveError, Role, Variant, cold};

/// Keys that change when and how SQLite writes.
pub(super) const KEYS: [&str; 6] =
    ["cache_size", "journal_size_limit", "mmap_size", "page_size", "synchronous", "wal_autocheckpoint"];

/// What stands before the time of each statement.
const TIME: &str = "Run Time: real ";

/// What is compared.
pub(super) struct Commits<'a> {
    pub(super) plan: &'a Plan,
    pub(super) databases: &'a Databases<'a>,
    pub(super) copies: &'a Copies,
    pub(super) variants: &'a [(Role, Variant)],
}

impl Commits<'_> {
    /// Runs every variant in every round, by the time until all that was committed is in the database.
    pub(super) fn run(&self, progress: &mut dyn FnMut(Progress)) -> Result<Vec<Comparison>, ProveError> {
        let Plan { commits, rows_per_commit, commit_table_bytes, seed, .. } = *self.plan;
        let work = format!(
            "{commits} commits, each of {rows_per_commit} rows anywhere in a table of {} MiB, and their \
             checkpoints, the last included",
            commit_table_bytes >> 20
        );
        let rounds = Rounds {
            phase: "commits",
            name: "a run",
            work: &work,
            measures: &[["mean time of a commit", "milliseconds"]],
            variants: self.variants,
            rounds: self.plan.rounds_of(self.plan.commit_rounds),
            seed,
        };
        let mut runs = 0;
        rounds.run(progress, &mut |variant, round, during| {
            runs += 1;
            let database = &self.copies[&size_of(variant)];
            // Each begins with the table in the page cache, and nothing that is dirty.
            let files = [database.path.clone()];
            cold::sync(&files)?;
            cold::warm(&files)?;
            let statements = self.statements(database.rows, round, runs);
            let ran = self.databases.run(database, variant, &statements, during)?;
            let said = ran.lines.iter().rev().nth(1).map_or("", String::as_str);
            if !has_committed(said) {
                return Err(ProveError::unexpected("sqlite3", during, "nothing was committed", said));
            }
            let slowest = ran.lines.iter().filter_map(|line| seconds(line)).fold(0.0, f64::max);
            let counts = BTreeMap::from([
                ("commits_per_second".to_owned(), f64::from(commits) / ran.seconds),
                ("slowest_ms".to_owned(), 1e3 * slowest),
            ]);
            Ok(Some(Measured { times: vec![1e3 * ran.seconds / f64::from(commits)], counts }))
        })
    }

    /// All of a round change the same rows, in the same order, and each run writes values of its own: SQLite
    /// does not write a page that is as it was.
    fn statements(&self, rows: u64, round: u32, run: u64) -> String {
        let mut random = random(self.plan.seed ^ 2, round);
        let mut text = String::from(".timer on\n");
        for commit in 0..u64::from(self.plan.commits) {
            let ids: Vec<String> =
                (0..self.plan.rows_per_commit).map(|_| random.u64(1..=rows).to_string()).collect();
            // Without a transaction around it, each statement is one.
            let _ = writeln!(
                text,
                "UPDATE t SET value = printf('%0{VALUE_BYTES}d', {}) WHERE id IN ({});",
                run * u64::from(self.plan.commits) + commit,
                ids.join(",")
            );
        }
        // The first says how many pages are in the log since it was begun anew, the second leaves none there.
        text + ".timer off\nPRAGMA wal_checkpoint;\nPRAGMA wal_checkpoint(TRUNCATE);\n"
    }
}

/// Whether there were pages in the log: `0|873|873` has 873 of them.
fn has_committed(line: &str) -> bool {
    line.split('|').nth(1).and_then(|pages| pages.parse::<u64>().ok()).is_some_and(|pages| pages > 0)
}

/// `Run Time: real 0.004 user 0.000113 sys 0.000342`.
fn seconds(line: &str) -> Option<f64> {
    line.strip_prefix(TIME)?.split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_without_pages_is_no_commit() {
        assert!(has_committed("0|873|873"));
        assert!(!has_committed("0|0|0") && !has_committed("0|-1|-1") && !has_committed(""));
    }

    #[test]
    fn the_time_of_a_statement_is_read_as_sqlite_prints_it() {
        assert_eq!(seconds("Run Time: real 0.004 user 0.000113 sys 0.000342"), Some(0.004));
        assert_eq!((seconds("0|3|3"), seconds("Run Time: real ")), (None, None));
    }
}
