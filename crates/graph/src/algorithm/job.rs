//! How often an algorithm runs, and where its result goes.

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::{Map, Value};

use crate::algorithms::Stamp;
use crate::output::{Format, Outcome, Output, Rows, VertexTable};
use crate::{Graph, GraphError, RunStats};

/// What is to be done with an algorithm.
#[derive(Debug, Clone)]
pub struct Job {
    /// How often it runs, at least once; the result is the last run's.
    pub runs: u32,
    /// Where the result goes.
    pub to: Destination,
}

impl Default for Job {
    /// Once, and only what came of it in short.
    fn default() -> Job {
        Job { runs: 1, to: Destination::Nowhere }
    }
}

/// Where a result goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// Nowhere: only what came of it in short is wanted.
    Nowhere,
    /// Into a file, in the format of its ending.
    File(PathBuf),
    /// Into rows in memory.
    Rows,
}

impl Destination {
    /// Bytes of what takes the result while the algorithm runs, if it is taken then.
    pub(crate) fn sink_bytes(&self, file: impl FnOnce() -> u64, rows: impl FnOnce() -> u64) -> u64 {
        match self {
            Destination::Nowhere => 0,
            Destination::File(_) => file(),
            Destination::Rows => rows(),
        }
    }
}

/// What came of a job.
#[derive(Debug)]
pub struct Ran {
    /// The result in short, by name.
    pub facts: Map<String, Value>,
    /// And in a line.
    pub words: String,
    /// Iterations of the last run.
    pub iterations: u64,
    /// Where the last run ended before its result was as good as was asked for: what it lacks, and the
    /// remedy.
    pub unfinished: Option<String>,
    /// What each run did.
    pub runs: Vec<RunStats>,
    /// The file, where it was written after the last run. One that is written meanwhile is in the runs' time.
    pub written: Option<Written>,
    /// The rows, if they were wanted.
    pub rows: Option<Rows>,
}

/// A result that was written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Written {
    /// Bytes of the file.
    pub bytes: u64,
    /// What writing took.
    pub seconds: f64,
}

impl Job {
    /// Runs an algorithm whose result has a row per vertex. `stamp` says what it is a result of, where later
    /// runs can go on from it.
    ///
    /// # Errors
    /// Before any work, that the result cannot be written or has no room in memory; the errors of `run` and
    /// of writing.
    pub fn table<T: VertexTable + Outcome>(
        &self,
        graph: &Graph,
        stamp: Option<&Stamp>,
        run: impl FnMut() -> Result<T, GraphError>,
    ) -> Result<Ran, GraphError> {
        self.table_of(graph, stamp, run, Ok)
    }

    /// As [`Job::table`], where the table is made of the last run's result, if it is wanted.
    ///
    /// # Errors
    /// As there, and the errors of `table`.
    pub fn table_of<F: Outcome, T: VertexTable>(
        &self,
        graph: &Graph,
        stamp: Option<&Stamp>,
        run: impl FnMut() -> Result<F, GraphError>,
        table: impl FnOnce(F) -> Result<T, GraphError>,
    ) -> Result<Ran, GraphError> {
        let output = match &self.to {
            Destination::Nowhere => None,
            Destination::File(path) => Some(create::<T>(graph, path)?),
            Destination::Rows => {
                Rows::check_memory(graph, T::COLUMNS)?;
                None
            }
        };
        let (found, mut ran) = self.repeat(run, |found| found)?;
        let started = Instant::now();
        if let (Destination::File(path), Some(output)) = (&self.to, output) {
            forget_stamp(path);
            let bytes = table(found)?.write(graph, output)?;
            if let Some(stamp) = stamp.filter(|_| is_continued(path)) {
                stamp.write(path)?;
            }
            ran.written = Some(Written { bytes, seconds: started.elapsed().as_secs_f64() });
        } else if self.to == Destination::Rows {
            ran.rows = Some(table(found)?.into_rows(graph)?);
        }
        Ok(ran)
    }

    /// Runs an algorithm that brings its result to where the job says while it runs. `try_file` makes the
    /// file and drops it, so that a place that cannot be written is found out first.
    ///
    /// # Errors
    /// The errors of `try_file` and `run`.
    pub fn stream<F: Outcome>(
        &self,
        try_file: impl FnOnce(&Path) -> Result<(), GraphError>,
        run: impl FnMut() -> Result<(F, Option<Rows>), GraphError>,
    ) -> Result<Ran, GraphError> {
        if let Destination::File(path) = &self.to {
            if is_continued(path) {
                Stamp::check_place(path)?;
            }
            try_file(path)?;
        }
        let ((_, rows), ran) = self.repeat(run, |(found, _)| found)?;
        if let Destination::File(path) = &self.to {
            forget_stamp(path);
        }
        Ok(Ran { rows, ..ran })
    }

    /// The last run's result, and what all did.
    fn repeat<F, O: Outcome>(
        &self,
        mut run: impl FnMut() -> Result<F, GraphError>,
        outcome: impl Fn(&F) -> &O,
    ) -> Result<(F, Ran), GraphError> {
        let mut found = run()?;
        let mut runs = vec![outcome(&found).stats()];
        for _ in 1..self.runs {
            // The result before is let go first: the cap covers one.
            drop(found);
            found = run()?;
            runs.push(outcome(&found).stats());
        }
        let of = outcome(&found);
        let (facts, words, iterations) = (of.facts(), of.words(), of.iterations());
        let unfinished = of.unfinished();
        Ok((found, Ran { facts, words, iterations, unfinished, runs, written: None, rows: None }))
    }
}

/// The file for a table.
fn create<T: VertexTable>(graph: &Graph, path: &Path) -> Result<Output, GraphError> {
    if is_continued(path) {
        Stamp::check_place(path)?;
    }
    Output::check_memory(graph, T::COLUMNS, T::SPILLS)?;
    let output = Output::create(path, graph)?;
    output.check_columns(T::COLUMNS)?;
    Ok(output)
}

/// Whether later runs can go on from a result in this format.
fn is_continued(path: &Path) -> bool {
    Format::of_ending(path) == Some(Format::Binary)
}

/// What says what the result before was of is not true of the one that takes its place.
fn forget_stamp(path: &Path) {
    if is_continued(path) {
        let _ = std::fs::remove_file(Stamp::path(path));
    }
}
