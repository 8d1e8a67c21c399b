//! The index: the tree, its log, and who may be in it.

use std::fmt;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::ops::RangeBounds;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use crossbeam_utils::sync::{ShardedLock, ShardedLockReadGuard};
use leadline_pool::PoolStats;

use crate::batch::Batch;
use crate::change_record::{decode, encode};
use crate::error::IndexError;
use crate::folder::Folder;
use crate::log::{Log, LogOptions, Lsn};
use crate::meta::Meta;
use crate::options::Options;
use crate::range::{Range, bounds};
use crate::snapshot::Snapshot;
use crate::space::Space;
use crate::tree::{Change, Pair, Tree, Verified, View};
use crate::versions::Versions;

/// Locks by hash of a key: changes of one key reach the log in the order in which they are made.
const KEY_LOCKS: usize = 256;

/// How long a checkpoint merges nodes that became small; nobody else is in the tree meanwhile.
const MERGING: Duration = Duration::from_millis(100);

/// A sorted map of byte strings in a directory. Threads share it by reference; clones are the same index.
///
/// What [`Durability`](crate::Durability) promises holds for everything that a call acknowledged. Dropped
/// without [`Index::close`], an index makes its log durable, and reads it when it is opened again.
#[derive(Clone)]
pub struct Index {
    pub(crate) shared: Arc<Shared>,
}

pub(crate) struct Shared {
    pub(crate) tree: Tree,
    /// Whoever is in the tree holds it shared. Alone: nobody else is.
    gate: ShardedLock<()>,
    key_locks: Box<[Mutex<()>]>,
    log: Log,
    /// A change reached the tree and not the log, so that no checkpoint may be made.
    has_stopped: AtomicBool,
    checkpointing: Mutex<CheckpointPages>,
    /// Position in the log of the last checkpoint.
    checkpointed: AtomicU64,
    options: Options,
    folder: Folder,
}

/// Pages that the last checkpoint wrote its free pages to.
#[derive(Debug)]
struct CheckpointPages(Vec<u64>);

/// What an index is and did since it was opened.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct IndexStats {
    /// Keys.
    pub entries: u64,
    /// Bytes of all keys and values.
    pub bytes: u64,
    /// Levels of the tree, the leaves included.
    pub levels: u32,
    /// Pages in use, 8 bytes of each the checksum.
    pub pages: u64,
    /// Bytes of a page.
    pub node_bytes: u32,
    /// Bytes of the log that would be read when the index is opened after a crash.
    pub log_bytes: u64,
    /// What the buffer pool did since the index was opened.
    pub pool: PoolStats,
}

impl Index {
    /// Opens the index in a directory, or makes one there, as [`Options::default`] says.
    ///
    /// # Errors
    /// [`Index::open_with`].
    pub fn open(path: impl AsRef<Path>) -> Result<Index, IndexError> {
        Index::open_with(path, &Options::default())
    }

    /// Opens the index in a directory, or makes one there.
    ///
    /// # Errors
    /// The directory holds something else, is open already, or cannot be read or written; the index was
    /// made with other nodes than the options ask for; the log lost what had been acknowledged.
    pub fn open_with(path: impl AsRef<Path>, options: &Options) -> Result<Index, IndexError> {
        let folder = Folder::open(path.as_ref(), options)?;
        let pool = folder.pool(options)?;
        let meta = Meta::read(&pool)?;
        let from = Lsn(meta.as_ref().map_or(0, |meta| meta.log));
        let log_options = LogOptions { durability: options.durability, ..LogOptions::default() };
        let mut log = Log::open(folder.path(), from, log_options)?;
        let mut pages = Vec::new();
        let is_new = meta.is_none();
        let tree = match meta {
            None => Tree::create(pool, Space::new(1, Default::default()), Versions::new(1))?,
            Some(meta) => {
                pages = meta.pages;
                let space = Space::new(meta.next, meta.free);
                Tree::open(pool, space, Versions::new(meta.version), meta.tree)
            }
        };
        log.replay(|_, record| {
            let what = "a record of it has no changes that this version knows";
            let changes = decode(record).ok_or(IndexError::Record { what })?;
            tree.change_many(&changes)
        })?;
        let shared = Shared {
            tree,
            gate: ShardedLock::new(()),
            key_locks: (0..KEY_LOCKS).map(|_| Mutex::new(())).collect(),
            log,
            has_stopped: AtomicBool::new(false),
            checkpointing: Mutex::new(CheckpointPages(pages)),
            checkpointed: AtomicU64::new(from.0),
            options: options.clone(),
            folder,
        };
        let index = Index { shared: Arc::new(shared) };
        if is_new || index.shared.log_bytes() > options.checkpoint_bytes {
            index.checkpoint()?;
        }
        Ok(index)
    }

    /// The value of a key.
    ///
    /// # Errors
    /// A page cannot be read, or is damaged; so in all methods that read.
    pub fn get(&self, key: impl AsRef<[u8]>) -> Result<Option<Vec<u8>>, IndexError> {
        let _in = self.shared.enter();
        self.shared.tree.get(View::Now, key.as_ref())
    }

    /// Whether a key has a value.
    ///
    /// # Errors
    /// [`Index::get`].
    pub fn contains(&self, key: impl AsRef<[u8]>) -> Result<bool, IndexError> {
        Ok(self.get(key)?.is_some())
    }

    /// The values of many keys, in their order, read at once: as many reads are in flight as
    /// [`Options::reads`] says, from this one thread.
    ///
    /// # Errors
    /// [`Index::get`].
    pub fn multi_get<K: AsRef<[u8]>>(&self, keys: &[K]) -> Result<Vec<Option<Vec<u8>>>, IndexError> {
        let keys: Vec<&[u8]> = keys.iter().map(AsRef::as_ref).collect();
        let _in = self.shared.enter();
        self.shared.tree.get_many(View::Now, &keys)
    }

    /// The entries of a range of keys, in their order, from either end. Other threads may change entries
    /// meanwhile: those that are not read yet are seen as they are then ([`Index::snapshot`] stands still).
    pub fn range<K: AsRef<[u8]>>(&self, range: impl RangeBounds<K>) -> Range {
        Range::new(Arc::clone(&self.shared), View::Now, None, bounds(&range))
    }

    /// All entries.
    pub fn iter(&self) -> Range {
        self.range::<&[u8]>(..)
    }

    /// The entries of many ranges, each in the order of its keys, read at once as [`Index::multi_get`] does.
    ///
    /// # Errors
    /// [`Index::get`].
    pub fn range_many<K: AsRef<[u8]>, R: RangeBounds<K>>(
        &self,
        ranges: &[R],
    ) -> Result<Vec<Vec<Pair>>, IndexError> {
        let ranges: Vec<_> = ranges.iter().map(bounds).collect();
        let _in = self.shared.enter();
        self.shared.tree.range_many(View::Now, &ranges)
    }

    /// Adds an entry, or replaces the key's value; whether the key is new.
    ///
    /// # Errors
    /// The key or the value is too long; the device is full, or cannot be written; so in all methods that
    /// change entries. After an error of the log nothing can be changed any more until the index is opened
    /// again.
    pub fn insert(&self, key: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Result<bool, IndexError> {
        let (key, value) = (key.as_ref(), value.as_ref());
        self.shared.tree.check(key, value)?;
        let change = Change::Put(value);
        self.shared.change_one(key, change, |tree| tree.put(key, value).map(|is_new| (is_new, true)))
    }

    /// Removes a key's entry; whether there was one.
    ///
    /// # Errors
    /// [`Index::insert`].
    pub fn remove(&self, key: impl AsRef<[u8]>) -> Result<bool, IndexError> {
        let key = key.as_ref();
        let remove = |tree: &Tree| tree.remove(key).map(|was_there| (was_there, was_there));
        self.shared.change_one(key, Change::Remove, remove)
    }

    /// Makes the changes of a batch: after a crash either all or none of them are there. Their leaves are read
    /// at once, as [`Index::multi_get`] does.
    ///
    /// # Errors
    /// [`Index::insert`].
    pub fn commit(&self, batch: &Batch) -> Result<(), IndexError> {
        self.shared.change_many(&batch.changes())
    }

    /// Inserts many entries as one batch.
    ///
    /// # Errors
    /// [`Index::insert`].
    pub fn multi_insert<K, V>(&self, entries: impl IntoIterator<Item = (K, V)>) -> Result<(), IndexError>
    where
        K: Into<Vec<u8>>,
        V: Into<Vec<u8>>,
    {
        self.commit(&entries.into_iter().collect())
    }

    /// Fills an empty index with entries in ascending order, each node written once and full. It is durable
    /// when this returns; after a crash before that the index is empty. Nobody else can use the index
    /// meanwhile.
    ///
    /// # Errors
    /// [`IndexError::NotEmpty`], [`IndexError::Unsorted`], and what [`Index::insert`] can fail with: the
    /// index is empty then.
    pub fn bulk_load<K, V>(&self, entries: impl IntoIterator<Item = (K, V)>) -> Result<(), IndexError>
    where
        K: Into<Vec<u8>>,
        V: Into<Vec<u8>>,
    {
        let entries = entries.into_iter().map(|(key, value)| Ok((key.into(), value.into())));
        let alone = self.shared.alone();
        self.shared.check_going()?;
        self.shared.tree.bulk_load(entries, self.shared.options.fill)?;
        drop(alone);
        // What was loaded is not in the log: without the checkpoint it must not be seen for long.
        self.checkpoint().inspect_err(|_| self.shared.has_stopped.store(true, Ordering::Release))
    }

    /// The index as it is now, for readers; changes that follow are not seen.
    pub fn snapshot(&self) -> Snapshot {
        let alone = self.shared.alone();
        let (version, state) = (self.shared.tree.versions.begin(), self.shared.tree.state());
        drop(alone);
        Snapshot::new(Arc::clone(&self.shared), version, state)
    }

    /// Writes all changes to their nodes and makes them durable, so that no log has to be read when the index
    /// is opened again. An index does this by itself whenever its log has grown by
    /// [`Options::checkpoint_bytes`].
    ///
    /// # Errors
    /// The device is full or cannot be written: what was durable before stays so.
    pub fn checkpoint(&self) -> Result<(), IndexError> {
        let pages = self.shared.checkpointing.lock().unwrap_or_else(PoisonError::into_inner);
        self.shared.checkpoint(pages)
    }

    /// Makes durable everything that was acknowledged, whatever [`Options::durability`] is.
    ///
    /// # Errors
    /// The log cannot be written.
    pub fn sync(&self) -> Result<(), IndexError> {
        self.shared.log.flush()?;
        Ok(())
    }

    /// Checkpoints and ends, unless there are clones, snapshots or ranges of the index yet: those go on.
    ///
    /// # Errors
    /// [`Index::checkpoint`]; the log holds what the checkpoint would have written.
    pub fn close(self) -> Result<(), IndexError> {
        self.checkpoint()
    }

    /// Keys in the index.
    pub fn len(&self) -> u64 {
        self.shared.tree.state().entries
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What it is and did.
    pub fn stats(&self) -> IndexStats {
        let Shared { tree, .. } = &*self.shared;
        let state = tree.state();
        IndexStats {
            entries: state.entries,
            bytes: state.bytes,
            levels: u32::from(state.root.level) + 1,
            pages: tree.space.used(),
            node_bytes: tree.pool.config().page_bytes,
            log_bytes: self.shared.log_bytes(),
            pool: tree.pool.stats(),
        }
    }

    /// Reads every page and holds it against the others; what is damaged is named, and the rest is looked at
    /// all the same. Nobody else can use the index meanwhile. `progress` hears how many pages of at most how
    /// many were read.
    pub fn verify(&self, mut progress: impl FnMut(u64, u64)) -> Verified {
        let _alone = self.shared.alone();
        self.shared.tree.verify(&mut progress)
    }

    /// Its directory.
    pub fn path(&self) -> &Path {
        self.shared.folder.path()
    }
}

impl Shared {
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

    fn log_bytes(&self) -> u64 {
        self.log.end().0 - self.checkpointed.load(Ordering::Relaxed)
    }

    fn check_going(&self) -> Result<(), IndexError> {
        if self.has_stopped.load(Ordering::Acquire) { Err(IndexError::Stopped) } else { Ok(()) }
    }

    /// A change of one key, which says what to tell the caller and whether anything changed.
    fn change_one(
        &self,
        key: &[u8],
        change: Change<'_>,
        make: impl FnOnce(&Tree) -> Result<(bool, bool), IndexError>,
    ) -> Result<bool, IndexError> {
        let within = self.enter();
        self.check_going()?;
        // The leaf is read before the lock is taken.
        self.tree.read_leaf_of(key)?;
        let lock = self.lock(Shared::lock_of(key));
        let (told, changed) = make(&self.tree)?;
        if !changed {
            return Ok(told);
        }
        let end = self.append(&[(key, change)])?;
        drop((lock, within));
        self.finish(end)?;
        Ok(told)
    }

    fn change_many(&self, changes: &[(&[u8], Change<'_>)]) -> Result<(), IndexError> {
        for (key, change) in changes {
            self.tree.check(key, if let Change::Put(value) = change { value } else { &[] })?;
        }
        if changes.is_empty() {
            return Ok(());
        }
        let within = self.enter();
        self.check_going()?;
        let keys: Vec<&[u8]> = changes.iter().map(|(key, _)| *key).collect();
        self.tree.read_leaves(&keys)?;
        // In one order, so that nobody waits for a lock while he holds one that another waits for.
        let mut places: Vec<usize> = keys.iter().map(|key| Shared::lock_of(key)).collect();
        places.sort_unstable();
        places.dedup();
        let locks: Vec<_> = places.into_iter().map(|place| self.lock(place)).collect();
        if let Err(error) = self.tree.change_many(changes) {
            // Some of the changes may have been made: they must not outlast this process.
            self.has_stopped.store(true, Ordering::Release);
            return Err(error);
        }
        let end = self.append(changes)?;
        drop((locks, within));
        self.finish(end)
    }

    /// Appends changes that the tree has to the log.
    fn append(&self, changes: &[(&[u8], Change<'_>)]) -> Result<Lsn, IndexError> {
        Ok(self
            .log
            .append(&[&encode(changes)])
            .inspect_err(|_| self.has_stopped.store(true, Ordering::Release))?)
    }

    /// Waits until a change is durable, and makes a checkpoint where one is due.
    fn finish(&self, end: Lsn) -> Result<(), IndexError> {
        self.log.commit(end)?;
        if self.log_bytes() > self.options.checkpoint_bytes {
            match self.checkpointing.try_lock() {
                Ok(pages) => self.checkpoint(pages)?,
                Err(TryLockError::Poisoned(pages)) => self.checkpoint(pages.into_inner())?,
                // Somebody makes one.
                Err(TryLockError::WouldBlock) => {}
            }
        }
        Ok(())
    }

    fn checkpoint(&self, mut pages: MutexGuard<'_, CheckpointPages>) -> Result<(), IndexError> {
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

impl fmt::Debug for Index {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Index").field("path", &self.path()).field("stats", &self.stats()).finish()
    }
}
