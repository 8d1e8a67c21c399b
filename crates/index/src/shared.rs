//! What the handles of an index share: the tree, its log, and who may be in it.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use crossbeam_utils::sync::{ShardedLock, ShardedLockReadGuard};
use leadline_device::Device;

use crate::change_record::{Head, decode, encode};
use crate::entry::Entry;
use crate::error::IndexError;
use crate::folder::Folder;
use crate::log::{Log, LogError, Lsn};
use crate::meta::Meta;
use crate::node::Page;
use crate::options::Options;
use crate::recovered::Recovered;
use crate::sort::Sorter;
use crate::tree::{Change, Loader, Tree};
use crate::unfinished::Unfinished;

/// Locks by hash of a key: changes of one key reach the log in the order in which they are made.
const KEY_LOCKS: usize = 256;

/// How long a checkpoint merges nodes that became small; nobody else is in the tree meanwhile.
const MERGING: Duration = Duration::from_millis(100);

/// Bytes of keys and values that are inserted at once where there are many.
const BATCH_BYTES: usize = 8 << 20;

pub(crate) struct Shared {
    pub(crate) tree: Tree,
    /// Whoever is in the tree holds it shared. Alone: nobody else is.
    gate: ShardedLock<()>,
    key_locks: Box<[Mutex<()>]>,
    log: Log,
    /// A change reached the tree and not the log, so that no checkpoint may be made.
    has_stopped: AtomicBool,
    /// A batch that the disk had no room for halfway.
    unfinished: Unfinished,
    checkpointing: Mutex<CheckpointPages>,
    /// Position in the log of the last checkpoint.
    checkpointed: AtomicU64,
    options: Options,
    folder: Folder,
}

/// Pages that the last checkpoint wrote its free pages to.
#[derive(Debug)]
struct CheckpointPages(Vec<u64>);

/// The tree as it is now stays readable until this is dropped, which happens where a caller panics, too.
struct KeptVersion<'t> {
    tree: &'t Tree,
    version: u64,
}

impl KeptVersion<'_> {
    /// Nobody else may be in the tree.
    fn new(tree: &Tree) -> KeptVersion<'_> {
        KeptVersion { tree, version: tree.versions.begin() }
    }
}

impl Drop for KeptVersion<'_> {
    fn drop(&mut self) {
        self.tree.end_snapshot(self.version);
    }
}

/// Why a load did not come to its end.
pub(crate) enum LoadError<E> {
    Index(IndexError),
    /// The entries could not be had.
    Entries(E),
}

impl<E> From<IndexError> for LoadError<E> {
    fn from(error: IndexError) -> LoadError<E> {
        LoadError::Index(error)
    }
}

impl Shared {
    /// Opens the index in a directory, with its nodes on a device if there is one, or makes one there, and
    /// makes the changes that only the log has.
    pub(crate) fn open(
        path: &Path,
        nodes: Option<Arc<dyn Device>>,
        options: &Options,
    ) -> Result<Shared, IndexError> {
        let folder = Folder::open(path, options)?;
        let Recovered { tree, log, checkpointed, pages, is_new } =
            Recovered::of(&folder, nodes.as_ref(), options)?;
        let shared = Shared {
            tree,
            gate: ShardedLock::new(()),
            key_locks: (0..KEY_LOCKS).map(|_| Mutex::new(())).collect(),
            log,
            has_stopped: AtomicBool::new(false),
            unfinished: Unfinished::default(),
            checkpointing: Mutex::new(CheckpointPages(pages)),
            checkpointed: AtomicU64::new(checkpointed.0),
            options: options.clone(),
            folder,
        };
        if !options.read_only && (is_new || shared.log_bytes() > options.checkpoint_bytes) {
            shared.checkpoint()?;
        }
        shared.folder.made()?;
        Ok(shared)
    }

    /// For whoever goes into the tree.
    pub(crate) fn enter(&self) -> ShardedLockReadGuard<'_, ()> {
        self.gate.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Until it is dropped nobody else is in the tree.
    pub(crate) fn alone(&self) -> impl Drop + '_ {
        self.gate.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self, place: usize) -> MutexGuard<'_, ()> {
        self.key_locks[place].lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_of(key: &[u8]) -> usize {
        BuildHasherDefault::<DefaultHasher>::default().hash_one(key) as usize % KEY_LOCKS
    }

    pub(crate) fn log_bytes(&self) -> u64 {
        // Another thread may append, and make a checkpoint, between the two looks.
        self.log.end().0.saturating_sub(self.checkpointed.load(Ordering::Relaxed))
    }

    pub(crate) fn log_written(&self) -> u64 {
        self.log.written()
    }

    fn check_writable(&self) -> Result<(), IndexError> {
        match self.options.read_only {
            true => Err(IndexError::ReadOnly { path: self.path().to_owned() }),
            false => Ok(()),
        }
    }

    /// Whether anything can be changed, as far as is known.
    fn check_going(&self) -> Result<(), IndexError> {
        self.check_writable()?;
        if self.has_stopped.load(Ordering::Acquire) {
            return Err(IndexError::Stopped);
        }
        self.log.check_room()?;
        self.tree.pool.check_changes()?;
        if self.unfinished.exists() { self.finish_batch() } else { Ok(()) }
    }

    /// Makes the changes of a batch that are not made yet; all of them, since none would be wrong.
    fn finish_batch(&self) -> Result<(), IndexError> {
        let record = self.unfinished.record();
        let Some(changes) = record.as_deref().and_then(decode) else { return Ok(()) };
        let locks = self.lock_all(&changes);
        self.tree.read_first_leaves(&changes)?;
        self.tree.change_many(&changes)?;
        let end = self.append(&[&encode(&changes)]);
        drop((locks, changes));
        self.unfinished.finished(record);
        end.map(drop)
    }

    /// A change of one key, which says what to tell the caller and whether anything changed.
    pub(crate) fn change_one(
        &self,
        key: &[u8],
        change: Change<'_>,
        make: impl FnOnce(&Tree, Page) -> Result<(bool, bool), IndexError>,
    ) -> Result<bool, IndexError> {
        self.named(self.try_change_one(key, change, make))
    }

    fn try_change_one(
        &self,
        key: &[u8],
        change: Change<'_>,
        make: impl FnOnce(&Tree, Page) -> Result<(bool, bool), IndexError>,
    ) -> Result<bool, IndexError> {
        let within = self.enter();
        self.check_going()?;
        // The leaf is read before the lock is taken.
        let leaf = self.tree.leaf_of(key)?;
        let lock = self.lock(Shared::lock_of(key));
        let (told, changed) = make(&self.tree, leaf)?;
        if !changed {
            return Ok(told);
        }
        let (head, value) = (Head::of(key, change), change.value());
        let end = self.append(&[head.bytes(), key, value])?;
        drop((lock, within));
        self.finish(end)?;
        Ok(told)
    }

    pub(crate) fn change_many(&self, changes: &[(&[u8], Change<'_>)]) -> Result<(), IndexError> {
        self.named(self.try_change_many(changes))
    }

    fn try_change_many(&self, changes: &[(&[u8], Change<'_>)]) -> Result<(), IndexError> {
        self.tree.check_all(changes)?;
        if changes.is_empty() {
            return Ok(());
        }
        let within = self.enter();
        self.check_going()?;
        self.tree.read_first_leaves(changes)?;
        let locks = self.lock_all(changes);
        if let Err(error) = self.tree.change_many(changes) {
            // Some of the changes may have been made: they must not outlast this process alone.
            if error.is_disk_full() && self.unfinished.keep(changes) {
                return Err(error);
            }
            self.has_stopped.store(true, Ordering::Release);
            return Err(error);
        }
        let end = self.append(&[&encode(changes)])?;
        drop((locks, within));
        self.finish(end)
    }

    /// The locks of keys, in one order, so that nobody waits for a lock while he holds one that another waits
    /// for.
    fn lock_all(&self, changes: &[(&[u8], Change<'_>)]) -> Vec<MutexGuard<'_, ()>> {
        let mut places: Vec<usize> = changes.iter().map(|(key, _)| Shared::lock_of(key)).collect();
        places.sort_unstable();
        places.dedup();
        places.into_iter().map(|place| self.lock(place)).collect()
    }

    /// Appends the parts of a record of changes that the tree has to the log.
    fn append(&self, record: &[&[u8]]) -> Result<Lsn, IndexError> {
        let stop = |error: &LogError| {
            // On a full disk the log keeps the record.
            if !error.is_full() {
                self.has_stopped.store(true, Ordering::Release);
            }
        };
        Ok(self.log.append(record).inspect_err(stop)?)
    }

    /// Waits until a change is durable, and makes a checkpoint where one is due.
    fn finish(&self, end: Lsn) -> Result<(), IndexError> {
        self.log.commit(end)?;
        if self.log_bytes() > self.options.checkpoint_bytes {
            match self.checkpointing.try_lock() {
                Ok(pages) => self.checkpoint_with(pages)?,
                Err(TryLockError::Poisoned(pages)) => self.checkpoint_with(pages.into_inner())?,
                // Somebody makes one.
                Err(TryLockError::WouldBlock) => {}
            }
        }
        Ok(())
    }

    /// Writes all changes to their nodes, and makes them durable.
    pub(crate) fn checkpoint(&self) -> Result<(), IndexError> {
        let pages = self.checkpointing.lock().unwrap_or_else(PoisonError::into_inner);
        self.named(self.checkpoint_with(pages))
    }

    /// Makes a checkpoint, after which opening reads little.
    pub(crate) fn close(&self) -> Result<(), IndexError> {
        if self.options.read_only {
            return Ok(());
        }
        self.checkpoint()?;
        // Where there is no room for it, opening the index takes longer, and that is all.
        let _ = self.tree.pool.write_page_map();
        Ok(())
    }

    /// What to tell whoever asked for a load.
    pub(crate) fn ended<E: From<IndexError>>(&self, loaded: Result<(), LoadError<E>>) -> Result<(), E> {
        loaded.map_err(|error| match error {
            LoadError::Index(error) => error.at(self.path()).into(),
            LoadError::Entries(error) => error,
        })
    }

    /// Fills the empty tree.
    pub(crate) fn bulk_load<E>(
        &self,
        feed: impl FnOnce(&mut Loader<'_>) -> Result<(), LoadError<E>>,
    ) -> Result<(), LoadError<E>> {
        let alone = self.alone();
        self.check_going()?;
        // The empty tree stays as it was until what was loaded is durable.
        let (_empty, before) = (KeptVersion::new(&self.tree), self.tree.state());
        let loaded = self.tree.bulk_load(self.options.fill, feed);
        drop(alone);
        loaded.and_then(|()| {
            let durable = self.checkpoint();
            if durable.is_err() {
                // What was loaded is not in the log: a crash would lose it, and nothing may follow.
                let _alone = self.alone();
                self.has_stopped.store(true, Ordering::Release);
                self.tree.go_back(before);
            }
            Ok(durable?)
        })
    }

    /// Fills the empty tree with entries in any order.
    pub(crate) fn load<E>(
        &self,
        entries: impl IntoIterator<Item = Result<impl Entry, E>>,
    ) -> Result<(), LoadError<E>> {
        self.check_writable()?;
        self.tree.check_empty()?;
        let sorter = self.sort(entries)?;
        self.bulk_load(|loader| Ok(sorter.finish(|key, value| loader.add(key, value))?))
    }

    fn sort<E>(
        &self,
        entries: impl IntoIterator<Item = Result<impl Entry, E>>,
    ) -> Result<Sorter, LoadError<E>> {
        let mut sorter = Sorter::new(self.path(), self.options.cache_bytes as usize / 2);
        for entry in entries {
            let entry = entry.map_err(LoadError::Entries)?;
            self.tree.check(entry.key(), entry.value())?;
            sorter.add(entry.key(), entry.value())?;
        }
        Ok(sorter)
    }

    /// Inserts entries in any order, in batches in the order of their keys.
    pub(crate) fn insert_all<E>(
        &self,
        entries: impl IntoIterator<Item = Result<impl Entry, E>>,
    ) -> Result<(), LoadError<E>> {
        self.check_writable()?;
        let sorter = self.sort(entries)?;
        let (mut bytes, mut lengths) = (Vec::new(), Vec::new());
        let commit = |bytes: &mut Vec<u8>, lengths: &mut Vec<(usize, usize)>| -> Result<(), IndexError> {
            let mut rest = &bytes[..];
            let changes = lengths.drain(..).map(|(key_len, value_len)| {
                let (key, behind) = rest.split_at(key_len);
                let (value, behind) = behind.split_at(value_len);
                rest = behind;
                (key, Change::Put(value))
            });
            self.change_many(&changes.collect::<Vec<_>>())?;
            bytes.clear();
            Ok(())
        };
        sorter.finish(|key, value| {
            bytes.extend_from_slice(key);
            bytes.extend_from_slice(value);
            lengths.push((key.len(), value.len()));
            if bytes.len() < BATCH_BYTES { Ok(()) } else { commit(&mut bytes, &mut lengths) }
        })?;
        Ok(commit(&mut bytes, &mut lengths)?)
    }

    /// Makes the log durable.
    pub(crate) fn sync(&self) -> Result<(), IndexError> {
        self.named(self.log.flush().map(drop).map_err(IndexError::from))
    }

    /// Where the index is.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// An error says of which index it is.
    pub(crate) fn named<T>(&self, result: Result<T, IndexError>) -> Result<T, IndexError> {
        result.map_err(|error| error.at(self.path()))
    }

    fn checkpoint_with(&self, mut pages: MutexGuard<'_, CheckpointPages>) -> Result<(), IndexError> {
        // Most of what has to be written is written while others go on; without it they would wait.
        self.check_writable()?;
        self.log.flush()?;
        self.tree.pool.write_dirty()?;
        let alone = self.alone();
        self.check_going()?;
        let end = self.log.flush()?;
        let Tree { pool, space, versions, .. } = &self.tree;
        self.tree.merge_small(MERGING);
        for page in std::mem::take(&mut pages.0) {
            space.release(versions.current(), page, 1);
        }
        for (first, count) in space.settle(versions.oldest()) {
            for page in first..first + count {
                pool.discard(page)?;
            }
        }
        // Taking pages for the ranges may divide one more range.
        let needed = Meta::more_pages(space.durable().1.len() + 1, pool.page_len());
        pages.0 = (0..needed).map(|_| space.take(1)).collect();
        let (next, free) = space.durable();
        let meta = Meta {
            tree: self.tree.state(),
            version: versions.current() + 1,
            log: end.0,
            next,
            free,
            pages: pages.0.clone(),
        };
        meta.write(pool)?;
        pool.checkpoint()?;
        self.checkpointed.store(end.0, Ordering::Relaxed);
        drop(alone);
        self.log.release_before(end)?;
        Ok(())
    }
}
