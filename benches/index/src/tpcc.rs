//! TPC-C on any store: the tables, transactions and terminals are `examples/tpcc`'s, which take locks of
//! their own, and commit what a transaction changed as one batch. Every commit is durable.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Error, Result, bail};
use leadline_index::Batch;
use leadline_tpcc::database::{Database, Entry, SortedMap};
use leadline_tpcc::{Mix, RunConfig, Scale, Stop, StoreError};

use crate::store::{Change, Store};

/// What was done, and the seconds it took.
pub struct Done {
    pub transactions: u64,
    pub seconds: f64,
}

/// Fills the empty store with the initial population of `warehouses` warehouses.
pub fn fill(store: Box<dyn Store>, warehouses: u32) -> Result<()> {
    leadline_tpcc::load(Arc::new(Rows(store)), scale(warehouses)?, 1, |_| {})?;
    Ok(())
}

/// Runs the standard mix for `warm_seconds`, which do not count, and for `seconds`. `before` is called in
/// between.
pub fn run(
    store: Box<dyn Store>,
    terminals: u32,
    [warm_seconds, seconds]: [f64; 2],
    seed: u64,
    before: impl FnOnce() -> Result<()>,
) -> Result<Done> {
    let database = Database::open(Arc::new(Rows(store)))?;
    let run = |seconds, seed| {
        let stop = Stop::Time(Duration::from_secs_f64(seconds));
        let config = RunConfig { terminals, stop, mix: Mix::STANDARD, seed };
        leadline_tpcc::run(&database, &config, None, &AtomicBool::new(false))
    };
    if warm_seconds > 0.0 {
        run(warm_seconds, !seed)?;
    }
    before()?;
    let report = run(seconds, seed)?;
    Ok(Done { transactions: report.transactions, seconds: report.seconds })
}

/// Fails where the database is not consistent.
pub fn check(store: Box<dyn Store>) -> Result<()> {
    let wrong = leadline_tpcc::check(&Database::open(Arc::new(Rows(store)))?)?;
    match wrong.first() {
        None => Ok(()),
        Some(first) => bail!("{} inconsistencies, the first: {first}", wrong.len()),
    }
}

/// Bytes of the keys and rows of `warehouses` warehouses, about; an error where that is no scale of TPC-C.
pub fn bytes(warehouses: u32) -> Result<u64> {
    Ok(leadline_tpcc::row_bytes(scale(warehouses)?))
}

fn scale(warehouses: u32) -> Result<Scale> {
    Scale::full(warehouses).map_err(Error::msg)
}

/// A store as TPC-C wants it.
struct Rows(Box<dyn Store>);

fn other(error: anyhow::Error) -> StoreError {
    StoreError::Other(error.into())
}

impl SortedMap for Rows {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.0.get(key).map_err(other)
    }

    fn multi_get(&self, keys: &[Vec<u8>]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
        self.0.multi_get(&keys).map_err(other)
    }

    fn range(&self, first: &[u8], end: &[u8], limit: usize) -> Result<Vec<Entry>, StoreError> {
        self.0.range(first, end, limit).map_err(other)
    }

    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        let changes: Vec<Change<'_>> = batch.iter().collect();
        self.0.write(&changes).map_err(other)
    }

    fn checkpoint(&self) -> Result<(), StoreError> {
        self.0.flush().map_err(other)
    }
}
