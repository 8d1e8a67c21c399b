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
            let values = Values { run: runs, commits: commits.into() };
            let timed = self.statements(database.rows, round, &values);
            let ran = self.databases.run(database, variant, [&values.before(), &timed], during)?;
            let last = ran.lines.last().map_or("", String::as_str);
            if last != values.of(values.commits - 1).to_string() {
                return Err(ProveError::unexpected("sqlite3", during, "the last commit is not there", last));
            }
            let slowest = ran.lines.iter().filter_map(|line| seconds(line)).fold(0.0, f64::max);
            let counts = BTreeMap::from([
                ("commits_per_second".to_owned(), f64::from(commits) / ran.seconds),
                ("slowest_ms".to_owned(), 1e3 * slowest),
            ]);
            Ok(Some(Measured { times: vec![1e3 * ran.seconds / f64::from(commits)], counts }))
        })
    }

    /// All of a round change the same rows, in the same order.
    fn statements(&self, rows: u64, round: u32, values: &Values) -> String {
        let mut random = random(self.plan.seed ^ 2, round);
        let (mut text, mut last) = (String::from(".timer on\n"), 1);
        for commit in 0..values.commits {
            let ids: Vec<String> =
                (0..self.plan.rows_per_commit).map(|_| random.u64(1..=rows).to_string()).collect();
            let value = values.of(commit);
            // Without a transaction around it, each statement is one.
            let _ = writeln!(
                text,
                "UPDATE t SET value = printf('%0{VALUE_BYTES}d', {value}) WHERE id IN ({});",
                ids.join(",")
            );
            last = ids[0].parse().unwrap_or(last);
        }
        text.push_str(".timer off\nPRAGMA wal_checkpoint(TRUNCATE);\n");
        let _ = writeln!(text, "SELECT CAST(value AS INTEGER) FROM t WHERE id = {last};");
        text
    }
}

/// Numbers that no other run writes: SQLite does not write a page that is as it was.
struct Values {
    run: u64,
    commits: u64,
}

impl Values {
    fn of(&self, commit: u64) -> u64 {
        self.run * (self.commits + 1) + commit
    }

    /// Writes all rows, so that the log has its size, and leaves all of it in the database: the next commit
    /// begins it again. A log that grows is a file that grows, whose every sync is a longer one.
    fn before(&self) -> String {
        let value = self.of(self.commits);
        format!("UPDATE t SET value = printf('%0{VALUE_BYTES}d', {value});\nPRAGMA wal_checkpoint;\n")
    }
}

/// `Run Time: real 0.004 user 0.000113 sys 0.000342`.
fn seconds(line: &str) -> Option<f64> {
    line.strip_prefix(TIME)?.split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_runs_write_the_same() {
        let all = |run| (0..=3).map(move |commit| Values { run, commits: 3 }.of(commit));
        let mut numbers: Vec<u64> = all(1).chain(all(2)).collect();
        numbers.dedup();
        assert_eq!(numbers, (4..12).collect::<Vec<u64>>());
    }

    #[test]
    fn the_time_of_a_statement_is_read_as_sqlite_prints_it() {
        assert_eq!(seconds("Run Time: real 0.004 user 0.000113 sys 0.000342"), Some(0.004));
        assert_eq!((seconds("0|3|3"), seconds("Run Time: real ")), (None, None));
    }
}
