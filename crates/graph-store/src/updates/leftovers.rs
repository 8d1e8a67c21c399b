//! What an update or a compaction that did not end has left in the directory of a store.

use std::io;
use std::path::Path;

use serde::Serialize;

use super::compact::begun::Left;
use super::folder::{self, Manifest};
use crate::GraphError;

/// Files next to the store's own. A writer that is at work has such files too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Leftovers {
    /// In the order of their names.
    pub files: Vec<LeftFile>,
    /// Of all of them.
    pub bytes: u64,
    /// Whether they are new lists, as far as a compaction wrote them, from which the next one goes on. The
    /// next change to the store removes all other files.
    pub resumable: bool,
}

/// A file of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeftFile {
    /// In the store's directory.
    pub name: String,
    /// Its size.
    pub bytes: u64,
}

impl Leftovers {
    /// Of a store that may be changed meanwhile, in a version; nothing where there are none.
    ///
    /// # Errors
    /// As [`super::Snapshot::open`].
    pub(crate) fn of_store(path: &Path, version: u64) -> Result<Option<Leftovers>, GraphError> {
        folder::of_store(path, |_| Ok(None), |manifest| Leftovers::of(path, manifest, version))
    }

    fn of(folder: &Path, manifest: &Manifest, version: u64) -> Result<Option<Leftovers>, GraphError> {
        let failed = |error| GraphError::read(&folder.display().to_string(), error);
        let mut files = Vec::new();
        for name in folder::others(folder, manifest).map_err(failed)? {
            match std::fs::metadata(folder::file(folder, &name)) {
                Ok(found) => files.push(LeftFile { name, bytes: found.len() }),
                // Its writer has just removed it.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(failed(error)),
            }
        }
        files.sort_by(|file, other| file.name.cmp(&other.name));
        let bytes = files.iter().map(|file| file.bytes).sum();
        let resumable = matches!(Left::find(folder, manifest, version), Left::Begun(_));
        Ok((!files.is_empty()).then_some(Leftovers { files, bytes, resumable }))
    }
}
