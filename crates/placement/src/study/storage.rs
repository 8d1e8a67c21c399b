//! What is asked of predictions: the time of a query with files placed, with a cache, or neither.

use std::collections::BTreeSet;

use leadline_pool::policy::PolicyKind;
use leadline_tiers::Admission;
use serde::Serialize;

use super::StudyError;

/// What a query runs on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Storage {
    /// The slow device alone.
    Slow,
    /// The fast device alone.
    Fast,
    /// The slow device, except for these files: indices into [`Query::files`] of all queries' files.
    Placed(BTreeSet<usize>),
    /// The slow device with that many bytes of the fast one as its block cache, empty at first.
    Cached(u64, PolicyKind, Admission),
}

/// A file that can be placed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileSize {
    /// Its path, as the captures have it.
    pub name: String,
    /// Bytes up to the end of the last request of any query, in whole blocks of 4 KiB.
    pub bytes: u64,
}

/// A query whose times are predicted.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// As it is called: the stem of its capture.
    pub name: String,
    /// How often it runs, or how much its time counts; 0 or more.
    pub weight: f64,
    /// The files it has requests of: indices into the list of all queries' files.
    pub files: BTreeSet<usize>,
}

/// How often files have to be copied to the fast device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Migration {
    /// Once, before everything runs.
    Once,
    /// Before every run of a query, its placed files.
    PerQuery,
}

/// Whatever predicts times; several threads ask at a time.
pub trait Times: Sync {
    /// The queries, in the order of their indices.
    fn queries(&self) -> &[Query];

    /// All queries' files.
    fn files(&self) -> &[FileSize];

    /// Seconds that a query takes.
    ///
    /// # Errors
    /// [`StudyError`] where that cannot be predicted.
    fn seconds(&self, query: usize, storage: &Storage) -> Result<f64, StudyError>;

    /// Seconds that it takes to copy that many bytes of a file from the slow to the fast device.
    ///
    /// # Errors
    /// As [`Times::seconds`].
    fn migration_seconds(&self, bytes: u64) -> Result<f64, StudyError>;
}
