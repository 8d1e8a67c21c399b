//! Measured access patterns beside those of Yang, Li and Lilja (ACM TOMPECS 5(1), 2020), tables 4 to 6.

mod class;
mod lines;
mod paper;

pub use class::Class;
pub use lines::lines;

use crate::queries::{Plans, Query};
use crate::run::{Access, Measured, RunResult};

/// How a query accessed the tables: the mean of all runs with one kind of plans.
#[derive(Debug, Clone, PartialEq)]
pub struct Pattern {
    /// Whether any run finished; else everything is up to the limit.
    pub finished: bool,
    /// Pages read ahead, of the pages read, by the server's counters; 0 to 1.
    pub sequential: f64,
    /// The same by the recorded requests.
    pub sequential_by_trace: Option<f64>,
    /// Bytes written to temporary files, of all bytes read and written there and in tables.
    pub written: Option<f64>,
    /// Pages read for each different one.
    pub repeat: Option<f64>,
}

impl Pattern {
    /// Of all runs of a query with these plans in all results; none where there are none. Where the plan is
    /// MariaDB's in any case, all of its runs count. Those that were ended at the limit count only where no
    /// run finished.
    pub fn of(results: &[RunResult], query: Query, plans: Plans) -> Option<Pattern> {
        let all = results.iter().flat_map(|result| &result.queries);
        let of_query = |run: &&Measured| run.query == query && (run.plans == plans || !query.is_forced());
        let mut runs: Vec<&Measured> = all.filter(of_query).collect();
        let finished = runs.iter().any(|run| run.finished);
        runs.retain(|run| run.finished == finished);
        let accesses: Vec<&Access> = runs.iter().filter_map(|run| run.access.as_ref()).collect();
        let of_trace = |value: fn(&Access) -> f64| mean(accesses.iter().map(|access| value(access)));
        Some(Pattern {
            finished,
            sequential: mean(runs.iter().map(|run| run.innodb.sequential_share))?,
            sequential_by_trace: of_trace(|access| access.all.sequential_share()),
            written: of_trace(Access::temporary_share),
            repeat: of_trace(|access| access.all.repeat_access_rate()),
        })
    }

    /// Pages read one at a time, of all that were read and written; 0 to 1.
    pub fn random(&self) -> f64 {
        (1.0 - self.sequential) * (1.0 - self.written.unwrap_or(0.0))
    }

    /// Its class.
    pub fn class(&self) -> Class {
        Class::of(self.random(), self.repeat)
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.collect();
    if values.is_empty() { None } else { Some(values.iter().sum::<f64>() / values.len() as f64) }
}
