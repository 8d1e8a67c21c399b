//! Durable transactions, and the checkpoints that they need, under one variant after the other.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::plan::Plan;
use super::queries::block_size;
use super::session::{Sessions, quoted};
use crate::rounds::{Measured, Rounds};
use crate::{Comparison, Progress, ProveError, Role, Variant};

/// Keys that change when and how DuckDB writes.
pub(super) const KEYS: [&str; 5] = [
    "auto_checkpoint_skip_wal_threshold",
    "checkpoint_threshold",
    "threads",
    "wal_autocheckpoint_entries",
    "write_buffer_row_group_count",
];

/// Bytes of a row in DuckDB's log.
pub(super) const LOGGED_BYTES: u64 = 44;

/// The database of a run, and its other files.
const DATABASE: &str = "inserts";
const LOG: &str = "inserts.wal";

/// Runs every variant in every round, by the time until all that was inserted is in the database.
pub(super) fn run(
    plan: &Plan,
    sessions: &Sessions,
    variants: &[(Role, Variant)],
    progress: &mut dyn FnMut(Progress),
) -> Result<Vec<Comparison>, ProveError> {
    let Plan { transactions, rows_per_transaction, seed, .. } = *plan;
    let work = format!(
        "{transactions} transactions, each of which inserts {rows_per_transaction} rows, and their checkpoints, \
         the last included"
    );
    let rounds = Rounds {
        phase: "inserts",
        name: "a run",
        work: &work,
        measures: &[["mean time of a transaction", "milliseconds"]],
        variants,
        rounds: plan.all_rounds(),
        seed,
    };
    let statements = statements(plan);
    let path = sessions.data.join(DATABASE);
    rounds.run(progress, &mut |variant, _, during| {
        // Each begins with an empty database.
        let option = block_size(variant).map_or(String::new(), |size| format!(" (BLOCK_SIZE {size})"));
        let place = quoted(&path.display().to_string());
        let script = format!(
            "ATTACH {place} AS made{option};\nCREATE TABLE made.t (id BIGINT, s VARCHAR);\nCHECKPOINT made;\n"
        );
        sessions.execute(None, &script, during, &mut || ())?;
        let ran = sessions.run(Some(&path), variant, &statements, during)?;
        remove(&path)?;
        remove(&sessions.data.join(LOG))?;
        let transactions = f64::from(transactions);
        let counts = BTreeMap::from([("transactions_per_second".to_owned(), transactions / ran.seconds)]);
        Ok(Some(Measured { times: vec![1e3 * ran.seconds / transactions], counts }))
    })
}

/// All variants insert the same.
fn statements(plan: &Plan) -> String {
    let rows = u64::from(plan.rows_per_transaction);
    let mut text = String::new();
    for transaction in 0..u64::from(plan.transactions) {
        let first = transaction * rows;
        // Without a transaction around it, each statement is one.
        let _ = writeln!(
            text,
            "INSERT INTO t SELECT i, md5(i::VARCHAR) FROM range({first}, {}) AS r(i);",
            first + rows
        );
    }
    text + "CHECKPOINT;\n"
}

fn remove(path: &Path) -> Result<(), ProveError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(ProveError::io(path, "removing a database", error))
        }
        _ => Ok(()),
    }
}
