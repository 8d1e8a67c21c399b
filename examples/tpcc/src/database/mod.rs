//! The nine tables with their indexes, in one sorted map.

mod catalogue;
mod dates;
mod locks;
mod map;
mod table;
mod transaction;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hdrhistogram::Histogram;

pub use locks::{Held, Lock, Locks};
pub use map::{Entry, SortedMap};
pub use table::{
    CUSTOMERS, CUSTOMERS_BY_NAME, DISTRICTS_TABLE, HISTORY, ITEMS, KeyIndex, NEW_ORDERS, ORDER_LINES, ORDERS,
    ORDERS_BY_CUSTOMER, STOCK, Table, WAREHOUSES,
};
pub use transaction::Transaction;

use crate::StoreError;
use crate::scale::Scale;
use catalogue::Catalogue;
use dates::Dates;

/// Latencies are counted up to an hour, to three digits.
pub(crate) const LONGEST_NS: u64 = 3_600_000_000_000;

/// A database.
pub struct Database {
    /// Its size.
    pub scale: Scale,
    /// Taken by transactions.
    pub locks: Locks,
    map: Arc<dyn SortedMap>,
    dates: Dates,
    /// How long commits took, nanoseconds.
    commits: Mutex<Histogram<u64>>,
}

impl Database {
    /// An empty database in a map without entries. It is not a database for [`Database::open`] before
    /// [`Database::loaded`].
    ///
    /// # Errors
    /// The map's reason.
    pub fn create(map: Arc<dyn SortedMap>, scale: Scale) -> Result<Database, StoreError> {
        Catalogue { scale, is_loaded: false }.write(&*map)?;
        Database::of(map, scale)
    }

    /// The database in a map.
    ///
    /// # Errors
    /// [`StoreError::NoDatabase`], [`StoreError::Unfinished`], or the map's reason.
    pub fn open(map: Arc<dyn SortedMap>) -> Result<Database, StoreError> {
        match Catalogue::read(&*map)? {
            None => Err(StoreError::NoDatabase),
            Some(Catalogue { is_loaded: false, .. }) => Err(StoreError::Unfinished),
            Some(Catalogue { scale, .. }) => Database::of(map, scale),
        }
    }

    /// Whether a map holds a database, loaded to its end or not.
    ///
    /// # Errors
    /// The map's reason.
    pub fn is_in(map: &dyn SortedMap) -> Result<bool, StoreError> {
        Ok(Catalogue::read(map)?.is_some())
    }

    /// All of it is there: it is made durable, and is a database from now on.
    ///
    /// # Errors
    /// The map's reason.
    pub fn loaded(&self) -> Result<(), StoreError> {
        Catalogue { scale: self.scale, is_loaded: true }.write(self.map())?;
        self.map().checkpoint()
    }

    fn of(map: Arc<dyn SortedMap>, scale: Scale) -> Result<Database, StoreError> {
        let dates = Dates::of(&*map)?;
        let commits = Mutex::new(histogram());
        Ok(Database { scale, locks: Locks::new(scale.warehouses), map, dates, commits })
    }

    /// Begins a transaction, which sees what it changes, and nobody else does before it commits.
    pub fn begin(&self) -> Transaction<'_> {
        Transaction::new(self)
    }

    /// The map that has all of it.
    pub fn map(&self) -> &dyn SortedMap {
        &*self.map
    }

    /// A date later than all before: TPC-C's clock counts transactions here, so that one seed gives one
    /// database.
    ///
    /// # Errors
    /// The map's reason.
    pub fn next_date(&self) -> Result<u64, StoreError> {
        self.dates.next(self.map())
    }

    /// How long the commits took since this was asked for last, nanoseconds.
    pub(crate) fn take_commits(&self) -> Histogram<u64> {
        std::mem::replace(&mut *self.commits(), histogram())
    }

    fn commits(&self) -> MutexGuard<'_, Histogram<u64>> {
        self.commits.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Of latencies.
pub(crate) fn histogram() -> Histogram<u64> {
    // The bounds are valid ones: three digits, and an upper bound above twice the lower.
    Histogram::new_with_bounds(1, LONGEST_NS, 3).expect("valid bounds")
}
