//! The store that a writer holds: a directory, or a file that becomes one with its first commit.
//!
//! The directory is made next to the file, and takes its place when the first commit is in it and durable. So
//! what comes to nothing (a refused change, a process that is killed) leaves the file as it was. The file is
//! locked meanwhile, and the directory before it can be found.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use leadline_files::NewFolder;
use rustix::fs::Access;

use super::begin;
use super::compact::begun::Left;
use super::folder::{self, Found, Manifest, StoreLock, is_at};
use super::log::Log;
use super::snapshot::{Changed, Snapshot, base_of};
use crate::GraphError;
use crate::format::Header;
use crate::inspect::StoreFile;

/// A store that nobody else changes while this is there.
#[derive(Debug)]
pub(crate) struct Held {
    /// As the user calls it.
    name: String,
    /// Where it really is: whatever becomes of links meanwhile, it is this one.
    path: PathBuf,
    /// Of the store, or of the directory in the making as well.
    locks: Vec<StoreLock>,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Folder,
    File(File),
    /// The directory that is to take the file's place.
    Making(File, Box<NewFolder>),
}

/// What is committed.
#[derive(Debug)]
pub(crate) struct Committed {
    pub(crate) manifest: Manifest,
    pub(crate) base: StoreFile,
    pub(crate) changed: Changed,
    /// To go on with it; there is none while the store is a file.
    pub(crate) log: Option<Log>,
    /// Of a compaction that did not end; what was of no use is removed.
    pub(crate) left: Left,
}

impl Held {
    /// # Errors
    /// [`GraphError::Path`] where another process holds it, it may not be written or is no store.
    pub(crate) fn take(path: &Path) -> Result<Held, GraphError> {
        let name = path.display().to_string();
        loop {
            let found = folder::find(path)?;
            let real = match fs::canonicalize(path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                real => real.map_err(|error| GraphError::opening(path, error))?,
            };
            // What is no store is left alone: it is not even locked.
            let (lock, kind) = match found {
                Found::Folder => {
                    Manifest::read(&real)?;
                    (StoreLock::of_folder(&real, path)?, Kind::Folder)
                }
                Found::File(file) => {
                    let locked = Header::read(&file, &name).and_then(|_| StoreLock::of_file(path));
                    // Another process may make a folder of it at any of these moments.
                    let lock = match locked {
                        Err(_) if real.is_dir() => continue,
                        locked => locked?,
                    };
                    if !is_at(&file, &real) || !lock.is_of(&real) {
                        continue;
                    }
                    check_writable(leadline_files::folder_of(&real), path)?;
                    (lock, Kind::File(file))
                }
            };
            return Ok(Held { name, path: real, locks: vec![lock], kind });
        }
    }

    /// Where the files of the directory are.
    ///
    /// # Panics
    /// Where the store is a file, for which [`Held::begin`] was not called.
    pub(crate) fn folder(&self) -> &Path {
        match &self.kind {
            Kind::Folder => &self.path,
            Kind::Making(_, folder) => folder.place(),
            Kind::File(_) => panic!("{}: a store that is a file has no directory", self.name),
        }
    }

    /// The file of lists.
    pub(crate) fn base(&self, manifest: &Manifest) -> PathBuf {
        if self.is_file() { self.path.clone() } else { folder::file(self.folder(), &manifest.base) }
    }

    /// Whether it is a file, and its directory is not begun.
    pub(crate) fn is_file(&self) -> bool {
        matches!(self.kind, Kind::File(_))
    }

    /// Reads what is committed. Of a directory files that belong to nothing are removed.
    ///
    /// # Errors
    /// As [`Snapshot::open`].
    pub(crate) fn committed(&self) -> Result<Committed, GraphError> {
        if let Kind::File(file) | Kind::Making(file, _) = &self.kind {
            let failed = |error| GraphError::read(&self.name, error);
            let snapshot = Snapshot::of_file(file.try_clone().map_err(failed)?, &self.name)?;
            let base = StoreFile::of_snapshot(snapshot, self.name.clone());
            let manifest = Manifest::of_base(&base.header);
            let changed = Changed::open(&self.path, &manifest, &base.header)?;
            return Ok(Committed { manifest, base, changed, log: None, left: Left::Nothing });
        }
        let folder = &self.path;
        let manifest = Manifest::read(folder)?;
        let base_path = folder::file(folder, &manifest.base);
        let base = StoreFile::open_base(&base_path)?;
        base_of(&base.file, &base_path, &manifest)?;
        folder::mark(&base_path)?;
        let mut changed = Changed::open(folder, &manifest, &base.header)?;
        let path = folder::file(folder, &manifest.log);
        let log = Log::open(&path, folder::seed(&manifest, &manifest.log), |commit| {
            changed.add(commit, base.header.directed);
            Ok(())
        })?;
        let left = Left::find(folder, &manifest, changed.version);
        folder::remove_others(folder, &manifest, &left.files())
            .map_err(|error| GraphError::write(folder, error))?;
        Ok(Committed { manifest, base, changed, log: Some(log), left })
    }

    /// Begins the directory of a store that is a file, with the files of its manifest; its log, to write to
    /// it. Nothing is to be seen of it until [`Held::settle`].
    ///
    /// # Errors
    /// [`GraphError::Write`]; the store is as it was.
    pub(crate) fn begin(&mut self, base: &StoreFile) -> Result<Log, GraphError> {
        let Kind::File(file) = &self.kind else { panic!("{}: has its directory", self.name) };
        let failed = |error| GraphError::write(&self.path, error);
        let file = file.try_clone().map_err(failed)?;
        let made = NewFolder::in_place_of(&self.path, &file)?;
        let place = made.place();
        let manifest = Manifest::of_base(&base.header);
        share(&self.path, &folder::file(place, &manifest.base)).map_err(failed)?;
        let log = begin::begin(place, base, &manifest)?;
        manifest.write(place)?;
        // Whoever finds the folder in the file's place finds it locked.
        self.locks.push(StoreLock::of_folder(place, Path::new(&self.name))?);
        self.kind = Kind::Making(file, Box::new(made));
        Ok(log)
    }

    /// Puts the directory in the file's place, with what was committed in it; whether there was one to put.
    ///
    /// # Errors
    /// [`GraphError::Write`]; unless it was the last step that failed, the sync of the directory around it,
    /// the store is the file that it was.
    pub(crate) fn install_folder(&mut self) -> Result<bool, GraphError> {
        let Kind::Making(file, _) = &self.kind else { return Ok(false) };
        let file = file.try_clone().map_err(|error| GraphError::write(&self.path, error))?;
        let Kind::Making(_, folder) = std::mem::replace(&mut self.kind, Kind::File(file)) else {
            unreachable!("it was being made")
        };
        let finished = folder.finish();
        if self.path.is_dir() {
            // The file's goes last.
            self.locks.remove(0);
            self.kind = Kind::Folder;
        } else {
            self.locks.truncate(1);
        }
        assert_eq!(self.locks.len(), 1, "one lock for the store");
        finished?;
        Ok(true)
    }

    /// Removes a directory that is not to take the file's place after all.
    pub(crate) fn give_up(&mut self) {
        if let Kind::Making(file, _) = &self.kind
            && let Ok(file) = file.try_clone()
        {
            self.kind = Kind::File(file);
            self.locks.truncate(1);
        }
    }
}

/// The file under one more name. Where others know it by another name already, or the file system has no such
/// names, it is copied: as the base of a directory its first bytes change, and theirs are not to.
fn share(store: &Path, base: &Path) -> io::Result<()> {
    if fs::metadata(store)?.nlink() == 1 && fs::hard_link(store, base).is_ok() {
        return Ok(());
    }
    fs::copy(store, base)?;
    File::open(base)?.sync_all()
}

/// Says before anything is read of changes that the directory cannot be made.
fn check_writable(parent: &Path, store: &Path) -> Result<(), GraphError> {
    rustix::fs::access(parent, Access::WRITE_OK | Access::EXEC_OK).map_err(|error| {
        let error = io::Error::from(error);
        GraphError::path(store, format!("cannot become a directory, because its own takes no files: {error}"))
    })
}
