//! Queries of which nothing is in memory, or that do not fit in it, under one variant after the other.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use leadline_process::ProcessError;

use super::plan::{Experiment, Plan};
use super::session::{Sessions, quoted};
use super::setting::BLOCK_SIZE;
use crate::order::random;
use crate::rounds::{Measured, Rounds};
use crate::{Comparison, Progress, ProveError, Role, Variant, cold};

/// Keys that change how a table is scanned; those for reads ahead are of DuckDB 2.0.
pub(super) const SCAN_KEYS: [&str; 6] = [
    "async_threads",
    BLOCK_SIZE,
    "external_threads",
    "read_ahead_depth",
    "storage_block_prefetch",
    "threads",
];

/// Keys that change how Parquet files are scanned.
pub(super) const PARQUET_KEYS: [&str; 9] = [
    "async_threads",
    "disable_parquet_prefetching",
    "enable_external_file_cache",
    "external_threads",
    "parquet_metadata_cache",
    "parquet_prefetch_column_gap",
    "prefetch_all_parquet_files",
    "read_ahead_depth",
    "threads",
];

/// Keys that change how much is written to temporary files, and how.
pub(super) const SPILL_KEYS: [&str; 5] =
    [BLOCK_SIZE, "external_threads", "max_temp_directory_size", "preserve_insertion_order", "threads"];

/// What is read, by the sizes of blocks that variants have; `None` for the default.
pub(super) type Copies = BTreeMap<Option<String>, PathBuf>;

/// A query of `{table}`, in which `{ids}` are rows anywhere in it.
struct Query {
    experiment: Experiment,
    name: &'static str,
    work: &'static str,
    text: &'static str,
}

const QUERIES: [Query; 7] = [
    Query { experiment: Experiment::Scans, name: "a scan", work: "scans of a cold table", text: SCAN },
    Query {
        experiment: Experiment::Scans,
        name: "a selective scan",
        work: "scans for a few rows anywhere in a cold table",
        text: SELECTION,
    },
    Query {
        experiment: Experiment::Parquet,
        name: "a scan of a Parquet file",
        work: "scans of a cold Parquet file",
        text: SCAN,
    },
    Query {
        experiment: Experiment::Parquet,
        name: "a selective scan of a Parquet file",
        work: "scans for a few rows anywhere in a cold Parquet file",
        text: SELECTION,
    },
    Query {
        experiment: Experiment::Spills,
        name: "a sort",
        work: "sorts by a text of a cold table",
        text: "SELECT bit_xor(h), sum(k), count(*) FROM (SELECT h, k FROM {table} ORDER BY s OFFSET 1);",
    },
    Query {
        experiment: Experiment::Spills,
        name: "an aggregation",
        work: "aggregations by a text that no other row has, of a cold table",
        text: "SELECT count(*), sum(c) FROM (SELECT s, count(*) AS c FROM {table} GROUP BY s);",
    },
    Query {
        experiment: Experiment::Spills,
        name: "a join",
        work: "joins of a cold table with itself by a text",
        text: "SELECT count(*), sum(a.k) FROM {table} AS a JOIN {table} AS b ON a.s = b.s;",
    },
];

/// What no statistics answer.
const SCAN: &str = "SELECT bit_xor(h), sum(k), count(*) FILTER (s > 'f') FROM {table};";
const SELECTION: &str =
    "SELECT bit_xor(h), sum(k), count(*) FILTER (s > 'f') FROM {table} WHERE id IN ({ids});";

/// What is compared.
pub(super) struct Queries<'a> {
    pub(super) plan: &'a Plan,
    pub(super) sessions: &'a Sessions<'a>,
    /// Of the experiment: databases, or Parquet files.
    pub(super) copies: &'a Copies,
    pub(super) variants: &'a [(Role, Variant)],
}

/// The size of blocks that a variant has.
pub(super) fn block_size(variant: &Variant) -> Option<String> {
    variant.settings.iter().find(|(key, _)| key == BLOCK_SIZE).map(|(_, size)| size.clone())
}

/// How many queries an experiment has.
pub(super) fn count(experiment: Experiment) -> u32 {
    QUERIES.iter().filter(|query| query.experiment == experiment).count() as u32
}

/// DuckDB's words where `memory_limit` does not suffice.
fn is_out_of_memory(error: &ProveError) -> bool {
    matches!(error, ProveError::Process(ProcessError::Died { said, .. }) if said.starts_with("Out of Memory Error"))
}

impl Queries<'_> {
    /// Every query of an experiment, each by every variant in every round.
    pub(super) fn run(
        &self,
        experiment: Experiment,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Vec<Comparison>, ProveError> {
        let of_it = QUERIES.iter().filter(|query| query.experiment == experiment);
        let found: Result<Vec<_>, _> = of_it.map(|query| self.compare(query, progress)).collect();
        Ok(found?.into_iter().flatten().collect())
    }

    fn compare(
        &self,
        query: &Query,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Vec<Comparison>, ProveError> {
        let Plan { data_bytes, memory_bytes, seed, .. } = *self.plan;
        let work =
            format!("{} of {} MiB, with {} MiB of memory", query.work, data_bytes >> 20, memory_bytes >> 20);
        let rounds = Rounds {
            phase: query.experiment.name(),
            name: query.name,
            work: &work,
            measures: &[["time", "seconds"]],
            variants: self.variants,
            rounds: self.plan.all_rounds(),
            seed,
        };
        // What the first variant of a round answers, all others have to.
        let answers = RefCell::new(BTreeMap::new());
        let without_memory = RefCell::new(BTreeSet::new());
        let mut compared = rounds.run(progress, &mut |variant, round, during| {
            let path = self.path(query, variant);
            let (database, table) = match query.experiment {
                Experiment::Parquet => (None, quoted(&path.display().to_string())),
                _ => (Some(path), "t".to_owned()),
            };
            let text = query.text.replace("{table}", &table).replace("{ids}", &self.ids(round)) + "\n";
            cold::drop(&[path.to_owned()])?;
            let ran = match self.sessions.run(database, variant, &text, during) {
                // More threads need more memory; a proof is not to end hours into it for that.
                Err(error) if is_out_of_memory(&error) => {
                    without_memory.borrow_mut().insert(variant.name.clone());
                    return Ok(None);
                }
                ran => ran?,
            };
            let mut answers = answers.borrow_mut();
            let answer = answers.entry(round).or_insert_with(|| ran.lines.clone());
            if *answer != ran.lines || ran.lines.len() != 1 {
                let said = ran.lines.join(" ");
                return Err(ProveError::unexpected(
                    "duckdb",
                    during,
                    "another variant found other rows",
                    &said,
                ));
            }
            let mut counts = BTreeMap::new();
            if query.experiment == Experiment::Spills {
                counts.insert("temporary_mib".to_owned(), ran.temporary_bytes as f64 / 1048576.0);
            }
            Ok(Some(Measured { times: vec![ran.seconds], counts }))
        })?;
        let names: Vec<String> = without_memory.take().into_iter().collect();
        if !names.is_empty() {
            let said = format!("; out of memory in some rounds or all: {}", names.join(", "));
            compared.iter_mut().for_each(|comparison| comparison.work.push_str(&said));
        }
        Ok(compared)
    }

    fn path(&self, query: &Query, variant: &Variant) -> &Path {
        // A Parquet file has no blocks.
        let size = if query.experiment == Experiment::Parquet { None } else { block_size(variant) };
        &self.copies[&size]
    }

    fn ids(&self, round: u32) -> String {
        let mut random = random(self.plan.seed ^ 1, round);
        let ids = (0..self.plan.selected).map(|_| random.u64(..self.plan.rows()).to_string());
        ids.collect::<Vec<_>>().join(", ")
    }
}
