//! Reads of a table of which nothing is in memory, under one variant after the other.

use std::collections::BTreeMap;

use super::database::{Copies, Database, Databases, Ran, size_of};
use super::plan::{Experiment, Plan};
use crate::order::random;
use crate::rounds::{Measured, Rounds};
use crate::{Comparison, Progress, ProveError, Role, Variant, cold};

/// Keys that change how a table is read.
pub(super) const KEYS: [&str; 3] = ["cache_size", "mmap_size", "page_size"];

/// Rows of the first run, by which the size of all others is set.
const FIRST_ROWS: u64 = 1000;

/// At most one row of that many bytes of the table is read: of a mapped file the kernel reads 128 KiB around
/// each, which would serve others in a table that is read more densely than a large one is.
const BYTES_OF_ONE: u64 = 512 << 10;

/// What is compared.
pub(super) struct Reads<'a> {
    pub(super) plan: &'a Plan,
    pub(super) databases: &'a Databases<'a>,
    pub(super) copies: &'a Copies,
    pub(super) variants: &'a [(Role, Variant)],
}

impl Reads<'_> {
    /// Runs every variant in every round.
    pub(super) fn run(
        &self,
        experiment: Experiment,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Vec<Comparison>, ProveError> {
        let mib = self.plan.table_bytes >> 20;
        let points = match experiment {
            Experiment::Points => Some(self.rows_for(progress)?),
            _ => None,
        };
        let work = match points {
            Some(rows) => format!("reads of {rows} rows, one by one, anywhere in a cold table of {mib} MiB"),
            None => format!("scans of a cold table of {mib} MiB"),
        };
        let rounds = Rounds {
            phase: experiment.name(),
            name: "a run",
            work: &work,
            measures: &[["time", "seconds"]],
            variants: self.variants,
            rounds: self.plan.rounds_of(self.plan.rounds),
            seed: self.plan.seed,
        };
        rounds.run(progress, &mut |variant, round, during| {
            let database = &self.copies[&size_of(variant)];
            let (rows, statement) = match points {
                Some(rows) => (rows, one_by_one(database, rows, &mut random(self.plan.seed ^ 1, round))),
                None => (database.rows, "SELECT count(value) FROM t WHERE length(value) > 0;\n".to_owned()),
            };
            let ran = self.measure(database, variant, &statement, rows, during)?;
            let counts = BTreeMap::from([("rows_per_second".to_owned(), rows as f64 / ran.seconds)]);
            Ok(Some(Measured { times: vec![ran.seconds], counts }))
        })
    }

    /// How many rows have to be read one by one to take as long as planned under the default.
    fn rows_for(&self, progress: &mut dyn FnMut(Progress)) -> Result<u64, ProveError> {
        let detail = "how many rows one run reads".to_owned();
        progress(Progress { phase: Experiment::Points.name(), done: 0.0, detail });
        let default = Variant::default_settings();
        let database = &self.copies[&None];
        let most = (self.plan.table_bytes / BYTES_OF_ONE).max(1);
        let first = FIRST_ROWS.min(most);
        let statement = one_by_one(database, first, &mut random(self.plan.seed, u32::MAX >> 16));
        let ran = self.measure(database, &default, &statement, first, "the first reads")?;
        Ok(((first as f64 * self.plan.point_seconds / ran.seconds) as u64).clamp(first.min(100), most))
    }

    /// Runs a statement that counts the rows that it reads.
    fn measure(
        &self,
        database: &Database,
        variant: &Variant,
        statement: &str,
        rows: u64,
        during: &str,
    ) -> Result<Ran, ProveError> {
        cold::drop(std::slice::from_ref(&database.path))?;
        let ran = self.databases.run(database, variant, ["", statement], during)?;
        if ran.lines != [rows.to_string()] {
            let said = ran.lines.join(" ");
            return Err(ProveError::unexpected("sqlite3", during, "rows are missing", &said));
        }
        Ok(ran)
    }
}

/// Looks for that many ids, one after the other; some may be the same. The generator is the one of the C
/// standard's example, whose high bits are used: SQLite's own cannot be seeded.
fn one_by_one(database: &Database, rows: u64, random: &mut fastrand::Rng) -> String {
    format!(
        "WITH RECURSIVE k(i, x) AS (SELECT 1, {} UNION ALL SELECT i + 1, (x * 1103515245 + 12345) & 2147483647 \
         FROM k WHERE i < {rows}) SELECT count(value) FROM k CROSS JOIN t ON t.id = 1 + ((x * {}) >> 31) \
         WHERE length(value) > 0;\n",
        random.u32(..) >> 1,
        database.rows
    )
}
