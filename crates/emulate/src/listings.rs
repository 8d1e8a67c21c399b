//! Entries of directories while programs read them: each sees the directory as it was when it was opened.

use std::collections::HashMap;
use std::ffi::OsString;
use std::sync::{Mutex, MutexGuard, PoisonError};

use fuser::FileType;

use crate::node::Ino;

/// An entry of a directory.
pub(crate) type Entry = (Ino, FileType, OsString);

/// Directories that are open.
#[derive(Debug, Default)]
pub(crate) struct Listings {
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    last: u64,
    listings: HashMap<u64, Vec<Entry>>,
}

impl Listings {
    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps entries; the handle to them.
    pub(crate) fn insert(&self, entries: Vec<Entry>) -> u64 {
        let mut open = self.lock();
        open.last += 1;
        let handle = open.last;
        open.listings.insert(handle, entries);
        handle
    }

    /// Looks at the entries of a handle.
    pub(crate) fn with(&self, handle: u64, look: impl FnOnce(&[Entry])) {
        if let Some(entries) = self.lock().listings.get(&handle) {
            look(entries);
        }
    }

    pub(crate) fn remove(&self, handle: u64) {
        self.lock().listings.remove(&handle);
    }
}
