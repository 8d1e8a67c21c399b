//! A batch that was made halfway.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::change_record::encode;
use crate::tree::Change;

/// A batch that the disk had no room for when some of its changes had been made: it is finished before
/// anything else is changed.
#[derive(Debug, Default)]
pub(crate) struct Unfinished {
    record: Mutex<Option<Vec<u8>>>,
    /// Whether there is one. Acquire: who sees it sees the record.
    exists: AtomicBool,
}

impl Unfinished {
    /// Keeps a batch, if there is no other one.
    pub(crate) fn keep(&self, changes: &[(&[u8], Change<'_>)]) -> bool {
        // Who finishes one waits for locks of keys, which we hold.
        let Ok(mut record) = self.record.try_lock() else { return false };
        if record.is_some() {
            return false;
        }
        *record = Some(encode(changes));
        self.exists.store(true, Ordering::Release);
        true
    }

    /// Whether there is one.
    pub(crate) fn exists(&self) -> bool {
        self.exists.load(Ordering::Acquire)
    }

    /// Its record, to be finished.
    pub(crate) fn record(&self) -> MutexGuard<'_, Option<Vec<u8>>> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// It was finished.
    pub(crate) fn finished(&self, mut record: MutexGuard<'_, Option<Vec<u8>>>) {
        *record = None;
        self.exists.store(false, Ordering::Release);
    }
}
