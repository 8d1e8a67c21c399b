//! Where a node is: its name in its directory.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::Node;

/// The name by which a node was looked up last, in a directory that may be renamed itself.
#[derive(Debug, Default)]
pub(crate) struct Place(Mutex<Option<(Arc<Node>, OsString)>>);

impl Place {
    pub(crate) fn new(folder: &Arc<Node>, name: &std::ffi::OsStr) -> Place {
        Place(Mutex::new(Some((Arc::clone(folder), name.to_owned()))))
    }

    pub(crate) fn set(&self, folder: &Arc<Node>, name: &std::ffi::OsStr) {
        let before = self.lock().replace((Arc::clone(folder), name.to_owned()));
        // Dropped without the lock: it may be the last that holds a folder.
        drop(before);
    }

    /// The directory and the name; none of the captured directory itself.
    pub(crate) fn get(&self) -> Option<(Arc<Node>, OsString)> {
        self.lock().clone()
    }

    /// From the captured directory on; empty for that itself.
    pub(crate) fn path(&self) -> PathBuf {
        let mut names = Vec::new();
        let mut at = self.lock().clone();
        while let Some((folder, name)) = at {
            names.push(name);
            at = folder.place.lock().clone();
        }
        names.iter().rev().collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<(Arc<Node>, OsString)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
