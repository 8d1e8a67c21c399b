//! What a store that was changed takes on the device.

use std::fs::File;
use std::path::Path;

use super::folder::{self, Manifest};
use crate::GraphError;

/// Bytes of the files of a store that was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Space {
    /// Lists as they were imported or last compacted, and their index.
    pub base_bytes: u64,
    /// Sorted runs of changes.
    pub runs: u64,
    /// Of these.
    pub run_bytes: u64,
    /// The log of commits that are in no run, and ids that were added or removed.
    pub log_bytes: u64,
}

impl Space {
    /// All of it.
    pub fn total(&self) -> u64 {
        self.base_bytes + self.run_bytes + self.log_bytes
    }

    /// How many times the bytes of the base that is: 1 right after a compaction.
    pub fn amplification(&self) -> f64 {
        self.total() as f64 / self.base_bytes.max(1) as f64
    }

    pub(crate) fn of(folder: &Path, manifest: &Manifest) -> Result<Space, GraphError> {
        let length = |name: &str| {
            let path = folder::file(folder, name);
            let found = std::fs::metadata(&path).map_err(|error| GraphError::opening(&path, error))?;
            Ok::<u64, GraphError>(found.len())
        };
        let owners = manifest.owners.as_deref().map(length).transpose()?.unwrap_or(0);
        Ok(Space {
            base_bytes: length(&manifest.base)? + length(&manifest.pieces)?,
            runs: manifest.runs.len() as u64,
            run_bytes: manifest.runs.iter().map(|run| run.bytes).sum(),
            log_bytes: length(&manifest.log)? + owners,
        })
    }

    /// Of a store that may be changed meanwhile; nothing where it is a file.
    ///
    /// # Errors
    /// As [`super::Snapshot::open`].
    pub(crate) fn of_store(path: &Path) -> Result<Option<Space>, GraphError> {
        folder::of_store(path, |_| Ok(None), |manifest| Space::of(path, manifest).map(Some))
    }

    /// Of a store that is a file.
    pub(crate) fn of_file(file: &File, name: &str) -> Result<Space, GraphError> {
        let found = file.metadata().map_err(|error| GraphError::read(name, error))?;
        Ok(Space { base_bytes: found.len(), runs: 0, run_bytes: 0, log_bytes: 0 })
    }
}
