//! What came out: for each size, what was the best of each kind, and which to take.

use serde::Serialize;

use super::{FileSize, Migration};

/// Placement and caching compared.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Study {
    /// `leadline.place/1`.
    pub schema: String,
    /// The fast device, as it was named.
    pub fast: String,
    /// The slow device, likewise.
    pub slow: String,
    /// Bytes of a cached block.
    pub block_bytes: u32,
    /// How often files are copied to the fast device.
    pub migration: Migration,
    /// All queries' files.
    pub files: Vec<FileSize>,
    /// Each query's times by itself, without copying.
    pub queries: Vec<QueryTimes>,
    /// All queries together, weighted.
    pub all: Scope,
    /// Each query as if it were the only one, in their order.
    pub each: Vec<Scope>,
    /// What was assumed of the devices, in words.
    pub notes: Vec<String>,
}

/// The times of a query by sets of files that are placed, as figure 15 of Yang, Li and Lilja (2020) has them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct QueryTimes {
    /// Its name.
    pub name: String,
    /// How much its time counts.
    pub weight: f64,
    /// Seconds on the slow device alone.
    pub slow_seconds: f64,
    /// Seconds on the fast device alone.
    pub fast_seconds: f64,
    /// Indices of the files placed, ascending; and seconds.
    pub sets: Vec<(Vec<usize>, f64)>,
}

/// The choice for some queries, at each size.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Scope {
    /// Seconds, weighted, of all on the slow device.
    pub slow_seconds: f64,
    /// Seconds, weighted, of all on the fast device.
    pub fast_seconds: f64,
    /// At each size, ascending.
    pub sizes: Vec<SizeStudy>,
}

/// The choice at a size of the fast device.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SizeStudy {
    /// Bytes of the fast device.
    pub fast_bytes: u64,
    /// The best sets of files by what they save one by one, each replayed, the best first; none where no file
    /// fits and saves anything.
    pub placed: Vec<Placed>,
    /// All caches, the best first.
    pub cached: Vec<Cached>,
    /// Which to take.
    pub choice: Choice,
    /// The choice in words.
    pub words: String,
}

/// Files placed on the fast device.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Placed {
    /// Indices of the files, ascending.
    pub files: Vec<usize>,
    /// Bytes of them.
    pub bytes: u64,
    /// Seconds, weighted, copying included.
    pub seconds: f64,
    /// Of them, copying.
    pub migration_seconds: f64,
    /// Seconds of each query, without copying.
    pub query_seconds: Vec<f64>,
}

/// The fast device as block cache.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cached {
    /// Replacement policy.
    pub policy: String,
    /// `every-miss` or `second-miss`.
    pub admission: String,
    /// Seconds, weighted.
    pub seconds: f64,
    /// Seconds of each query, with the cache empty at first.
    pub query_seconds: Vec<f64>,
}

/// What to take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Choice {
    /// The best set of files, placed.
    Placement,
    /// The best cache.
    Cache,
    /// The slow device alone.
    Neither,
}

impl Study {
    /// The present version of the schema.
    pub const SCHEMA: &'static str = "leadline.place/1";
}

impl SizeStudy {
    /// Seconds of the best placement, of the best cache.
    pub fn best_seconds(&self) -> (Option<f64>, Option<f64>) {
        (self.placed.first().map(|placed| placed.seconds), self.cached.first().map(|cached| cached.seconds))
    }
}
