//! What programs have open, by the numbers that the kernel asks with.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use crate::SysResult;

/// Things by their numbers, which are never used again.
#[derive(Debug)]
pub struct Handles<T> {
    last: AtomicU64,
    open: RwLock<HashMap<u64, Arc<T>>>,
}

impl<T> Default for Handles<T> {
    fn default() -> Self {
        Handles { last: AtomicU64::new(0), open: RwLock::default() }
    }
}

impl<T> Handles<T> {
    /// Keeps a thing; its number.
    pub fn insert(&self, opened: T) -> u64 {
        let number = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        self.open.write().unwrap_or_else(PoisonError::into_inner).insert(number, Arc::new(opened));
        number
    }

    /// # Errors
    /// `EBADF` where nothing has the number.
    pub fn get(&self, number: u64) -> SysResult<Arc<T>> {
        let open = self.open.read().unwrap_or_else(PoisonError::into_inner);
        open.get(&number).cloned().ok_or(rustix::io::Errno::BADF)
    }

    /// Drops a thing, once nobody uses it any more.
    pub fn remove(&self, number: u64) {
        let closed = self.open.write().unwrap_or_else(PoisonError::into_inner).remove(&number);
        drop(closed);
    }
}
