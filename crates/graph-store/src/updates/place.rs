//! Where an import writes its store: to a file, or in place of the base of a store that was changed.

use std::fs::File;
use std::path::{Path, PathBuf};

use leadline_files::NewFolder;

use super::begin;
use super::folder::{self, History, Manifest, StoreLock};
use crate::GraphError;
use crate::inspect::StoreFile;
use crate::tiles::{is_sharded, not_replaced};

/// Where the file of lists is to be.
#[derive(Debug)]
pub(crate) enum StorePlace {
    File {
        path: PathBuf,
        /// Of the store that is there, if one is.
        _lock: Option<StoreLock>,
    },
    /// In the directory of a store that was changed, which nobody changes meanwhile.
    Base { folder: PathBuf, _lock: StoreLock, next: u64, path: PathBuf, name: String },
}

impl StorePlace {
    /// # Errors
    /// [`GraphError::Path`] where it is another directory, or another process changes the store.
    pub(crate) fn of(store: &Path) -> Result<StorePlace, GraphError> {
        leadline_files::restore(store).map_err(|error| GraphError::write(store, error))?;
        if !store.is_dir() {
            match lock_of_file(store) {
                // An update has made a folder of it meanwhile.
                Err(_) if store.is_dir() => {}
                lock => return Ok(StorePlace::File { path: store.to_owned(), _lock: lock? }),
            }
        }
        if is_sharded(store) {
            return Err(not_replaced(store));
        }
        if !is_store_folder(store) {
            return Err(GraphError::path(store, "is a directory; name the file that the store is to be"));
        }
        let lock = StoreLock::of_folder(store, store)?;
        let mut manifest = Manifest::read(store)?;
        let name = manifest.name("base");
        let path = folder::file(store, &name);
        Ok(StorePlace::Base { folder: store.to_owned(), _lock: lock, next: manifest.next, path, name })
    }

    /// The file to write.
    pub(crate) fn path(&self) -> &Path {
        match self {
            StorePlace::File { path, .. } | StorePlace::Base { path, .. } => path,
        }
    }

    /// Begins a directory that is to take the place of whatever is there.
    ///
    /// # Errors
    /// [`GraphError::Write`] and others where it cannot be made.
    pub(crate) fn new_folder(&self) -> Result<NewFolder, GraphError> {
        Ok(match self {
            StorePlace::Base { folder, .. } => NewFolder::create(folder)?,
            StorePlace::File { path, .. } => match File::open(path) {
                Ok(file) => NewFolder::in_place_of(path, &file)?,
                Err(_) => NewFolder::create(path)?,
            },
        })
    }

    /// Makes the file, now that it is whole, the store. Readers go on with what they have open.
    ///
    /// # Errors
    /// [`GraphError::Write`]; the store is the old one then.
    pub(crate) fn adopt(self) -> Result<(), GraphError> {
        let StorePlace::Base { folder, next, path, name, .. } = self else { return Ok(()) };
        folder::mark(&path)?;
        let base = StoreFile::open_base(&path)?;
        let manifest = Manifest::without_changes(name, &base.header, next, 0, History::new(&base.header));
        begin::begin(&folder, &base, &manifest)?;
        manifest.write(&folder)?;
        // What stays where this fails is removed when the store is next opened to change it.
        let _ = folder::remove_others(&folder, &manifest, &[]);
        Ok(())
    }
}

/// Locks a store that is to be replaced by another, so that nobody changes it meanwhile. A file that may only
/// be read can be replaced all the same; nobody else can change it either.
fn lock_of_file(store: &Path) -> Result<Option<StoreLock>, GraphError> {
    match store.metadata() {
        Ok(found) if found.is_file() && File::options().read(true).write(true).open(store).is_ok() => {
            StoreLock::of_file(store).map(Some)
        }
        _ => Ok(None),
    }
}

/// Whether a path is the directory of a store that was changed.
pub fn is_store_folder(path: &Path) -> bool {
    path.is_dir() && folder::file(path, folder::MANIFEST).is_file()
}
