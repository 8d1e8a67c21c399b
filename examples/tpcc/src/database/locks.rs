//! Locks of transactions: conservative two-phase locking.
//!
//! What a transaction will touch is known when it starts, so it takes all its locks at once, in one order,
//! and keeps them to its end: it can be serialised, and never deadlocks. A lock covers a warehouse's row, or
//! a district with its customers and orders, or one of a few dozen parts of a warehouse's stock.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::scale::DISTRICTS;

/// Parts of a warehouse's stock; an order of ten lines takes ten of them at most, so orders of one warehouse
/// rarely meet.
const STOCK_PARTS: usize = 64;
const A_WAREHOUSE: usize = 1 + DISTRICTS as usize + STOCK_PARTS;

/// All locks of a database.
#[derive(Debug)]
pub struct Locks {
    locks: Vec<Mutex<()>>,
}

/// What is locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lock {
    /// The row of a warehouse.
    Warehouse(u32),
    /// The row of a district, its customers and its orders.
    District(u32, u8),
    /// The stock of an item in a warehouse, and of others.
    Stock(u32, u32),
}

/// Locks held until this is dropped.
pub struct Held<'a> {
    _guards: Vec<MutexGuard<'a, ()>>,
}

impl Locks {
    /// Those of so many warehouses.
    pub fn new(warehouses: u32) -> Locks {
        Locks { locks: (0..warehouses as usize * A_WAREHOUSE).map(|_| Mutex::new(())).collect() }
    }

    /// Takes all of `wanted`, waiting for each in turn.
    pub fn take(&self, wanted: impl IntoIterator<Item = Lock>) -> Held<'_> {
        let mut numbers: Vec<usize> = wanted.into_iter().map(Lock::number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let lock = |number: usize| self.locks[number].lock().unwrap_or_else(PoisonError::into_inner);
        Held { _guards: numbers.into_iter().map(lock).collect() }
    }
}

impl Lock {
    fn number(self) -> usize {
        let (warehouse, within) = match self {
            Lock::Warehouse(warehouse) => (warehouse, 0),
            Lock::District(warehouse, district) => (warehouse, usize::from(district)),
            Lock::Stock(warehouse, item) => {
                (warehouse, 1 + usize::from(DISTRICTS) + item as usize % STOCK_PARTS)
            }
        };
        (warehouse as usize - 1) * A_WAREHOUSE + within
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lock_has_a_number_of_its_own() {
        let mut seen = std::collections::BTreeSet::new();
        for warehouse in 1..=3 {
            seen.insert(Lock::Warehouse(warehouse).number());
            seen.extend((1..=DISTRICTS).map(|district| Lock::District(warehouse, district).number()));
            seen.extend((0..64).map(|item| Lock::Stock(warehouse, item).number()));
        }
        assert_eq!(seen.len(), 3 * A_WAREHOUSE);
        assert_eq!(seen.last(), Some(&(Locks::new(3).locks.len() - 1)));
    }

    #[test]
    fn what_is_taken_is_kept_from_others_until_it_is_dropped() {
        let locks = Locks::new(2);
        let wanted = [Lock::District(2, 10), Lock::Stock(1, 70), Lock::Warehouse(2)];
        let is_free = |lock: Lock| locks.locks[lock.number()].try_lock().is_ok();
        let held = locks.take(wanted);
        assert!(!wanted.into_iter().any(is_free));
        assert!(is_free(Lock::District(2, 9)) && is_free(Lock::Warehouse(1)));
        drop(held);
        assert!(wanted.into_iter().all(is_free));
    }

    #[test]
    fn the_same_lock_twice_is_taken_once() {
        let locks = Locks::new(1);
        drop(locks.take([Lock::Stock(1, 5), Lock::Warehouse(1), Lock::Stock(1, 5 + 64)]));
    }
}
