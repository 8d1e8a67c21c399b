//! The index, for users.

use std::fmt;
use std::ops::RangeBounds;
use std::path::Path;
use std::sync::Arc;

use leadline_device::Device;
use leadline_pool::PoolStats;

use crate::batch::Batch;
use crate::entry::Entry;
use crate::error::IndexError;
use crate::options::Options;
use crate::range::{Range, bounds};
use crate::shared::{LoadError, Shared};
use crate::snapshot::Snapshot;
use crate::tree::{Change, Pair, Verified, View};

/// A sorted map of byte strings in a directory. Threads share it by reference; clones are the same index.
///
/// What [`Durability`](crate::Durability) promises holds for everything that a call acknowledged. Dropped
/// without [`Index::close`], an index makes its log durable, and reads it when it is opened again.
#[derive(Clone)]
pub struct Index {
    pub(crate) shared: Arc<Shared>,
}

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
    /// Pages in use.
    pub pages: u64,
    /// Bytes of a page.
    pub node_bytes: u32,
    /// Bytes of the log that would be read when the index is opened after a crash.
    pub log_bytes: u64,
    /// Bytes that were written to the log since the index was opened.
    pub log_written: u64,
    /// What the buffer pool did since the index was opened.
    pub pool: PoolStats,
}

impl IndexStats {
    /// Bytes that were written since the index was opened: nodes, what cleaning moved of them, the page map,
    /// the log.
    pub fn written_bytes(&self) -> u64 {
        let pages = self.pool.writes + self.pool.moves + self.pool.map_writes;
        pages * u64::from(self.node_bytes) + self.log_written
    }
}

impl Index {
    /// Opens the index in a directory, or makes one there, as [`Options::default`] says.
    ///
    /// # Errors
    /// [`Index::open_with`].
    pub fn open(path: impl AsRef<Path>) -> Result<Index, IndexError> {
        Index::open_with(path, &Options::default())
    }

    /// Opens the index in a directory for reading only ([`Options::read_only`]): its directory may be
    /// read-only, and several processes may have it open so at once, but none for writing.
    ///
    /// # Errors
    /// [`Index::open_with`]; [`IndexError::LogDoesNotFit`]. Whatever would change it is refused with
    /// [`IndexError::ReadOnly`].
    pub fn open_read_only(path: impl AsRef<Path>) -> Result<Index, IndexError> {
        Index::open_with(path, &Options::default().read_only(true))
    }

    /// Opens the index in a directory, or makes one there.
    ///
    /// # Errors
    /// The directory holds something else, is open already, or cannot be read or written; the index was
    /// made with other nodes than the options ask for; the log lost what had been acknowledged.
    pub fn open_with(path: impl AsRef<Path>, options: &Options) -> Result<Index, IndexError> {
        let shared = Shared::open(path.as_ref(), None, options)?;
        Ok(Index { shared: Arc::new(shared) })
    }

    /// Opens an index whose nodes are on a device rather than in a file of the directory, or makes one there.
    /// The directory has the log.
    ///
    /// # Errors
    /// [`Index::open_with`].
    pub fn open_on(
        path: impl AsRef<Path>,
        nodes: Arc<dyn Device>,
        options: &Options,
    ) -> Result<Index, IndexError> {
        let shared = Shared::open(path.as_ref(), Some(nodes), options)?;
        Ok(Index { shared: Arc::new(shared) })
    }

    /// The value of a key.
    ///
    /// # Errors
    /// A page cannot be read, or is damaged; so in all methods that read.
    pub fn get(&self, key: impl AsRef<[u8]>) -> Result<Option<Vec<u8>>, IndexError> {
        self.shared.get(View::Now, key.as_ref())
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
        self.shared.get_many(View::Now, keys)
    }

    /// The entries of a range of keys, in their order, from either end. Other threads may change entries
    /// meanwhile: an entry that is not read yet is seen as it is then ([`Index::snapshot`] stands still).
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
        self.shared.range_many(View::Now, ranges)
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
        self.shared.change_one(key, change, |tree, leaf| Ok((tree.put(leaf, key, value)?, true)))
    }

    /// Removes a key's entry; whether there was one.
    ///
    /// # Errors
    /// [`Index::insert`].
    pub fn remove(&self, key: impl AsRef<[u8]>) -> Result<bool, IndexError> {
        let key = key.as_ref();
        self.shared.change_one(key, Change::Remove, |tree, leaf| {
            let was_there = tree.remove(leaf, key)?;
            Ok((was_there, was_there))
        })
    }

    /// Makes the changes of a batch: after a crash either all or none of them are there. Their leaves are
    /// read at once, as [`Index::multi_get`] does.
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
    pub fn bulk_load(&self, entries: impl IntoIterator<Item = impl Entry>) -> Result<(), IndexError> {
        self.try_bulk_load(entries.into_iter().map(Ok))
    }

    /// As [`Index::bulk_load`], of entries that may not be had, or that somebody stops: after the first error
    /// the index is empty as before.
    ///
    /// # Errors
    /// The first error of `entries`, and the errors of [`Index::bulk_load`].
    pub fn try_bulk_load<E: From<IndexError>>(
        &self,
        entries: impl IntoIterator<Item = Result<impl Entry, E>>,
    ) -> Result<(), E> {
        let loaded = self.shared.bulk_load(|loader| {
            for entry in entries {
                let entry = entry.map_err(LoadError::Entries)?;
                loader.add(entry.key(), entry.value())?;
            }
            Ok(())
        });
        self.shared.ended(loaded)
    }

    /// Fills an empty index with entries in any order; of several with the same key the last one counts. They
    /// are sorted first, in half of [`Options::cache_bytes`] of memory. What does not fit there goes through
    /// temporary files in the index's directory, which take as much room as the entries. It is durable when
    /// this returns; after a crash before that the index is empty.
    ///
    /// # Errors
    /// [`IndexError::NotEmpty`], and what [`Index::insert`] can fail with: the index is empty then.
    pub fn load(&self, entries: impl IntoIterator<Item = impl Entry>) -> Result<(), IndexError> {
        self.try_load(entries.into_iter().map(Ok))
    }

    /// As [`Index::load`], of entries that may not be had, or that somebody stops: after the first error the
    /// index is empty as before.
    ///
    /// # Errors
    /// The first error of `entries`, and the errors of [`Index::load`].
    pub fn try_load<E: From<IndexError>>(
        &self,
        entries: impl IntoIterator<Item = Result<impl Entry, E>>,
    ) -> Result<(), E> {
        self.shared.ended(self.shared.load(entries))
    }

    /// Inserts entries in any order, also more than fit in memory: they are sorted first, as [`Index::load`]
    /// does, and then inserted in batches in the order of their keys, so that each node is read and changed
    /// once. Of several with the same key the last one counts. Each batch is there as a whole or not at all:
    /// after an error or a crash some may be.
    ///
    /// # Errors
    /// [`Index::insert`].
    pub fn insert_all(&self, entries: impl IntoIterator<Item = impl Entry>) -> Result<(), IndexError> {
        self.try_insert_all(entries.into_iter().map(Ok))
    }

    /// As [`Index::insert_all`], of entries that may not be had, or that somebody stops: nothing is inserted
    /// then.
    ///
    /// # Errors
    /// The first error of `entries`, and the errors of [`Index::insert`].
    pub fn try_insert_all<E: From<IndexError>>(
        &self,
        entries: impl IntoIterator<Item = Result<impl Entry, E>>,
    ) -> Result<(), E> {
        self.shared.ended(self.shared.insert_all(entries))
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
        self.shared.checkpoint()
    }

    /// Makes durable everything that was acknowledged, whatever [`Options::durability`] is.
    ///
    /// # Errors
    /// The log cannot be written.
    pub fn sync(&self) -> Result<(), IndexError> {
        self.shared.sync()
    }

    /// Checkpoints and ends, unless there are clones, snapshots or ranges of the index yet: those go on.
    ///
    /// # Errors
    /// [`Index::checkpoint`]; the log holds what the checkpoint would have written.
    pub fn close(self) -> Result<(), IndexError> {
        self.shared.close()
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
            log_written: self.shared.log_written(),
            pool: tree.pool.stats(),
        }
    }

    /// Reads every page and holds it against what other pages say of it; what is damaged is named, and the
    /// rest is looked at all the same. Nobody else can use the index meanwhile. `progress` hears how many
    /// pages of at most how many were read.
    pub fn verify(&self, mut progress: impl FnMut(u64, u64)) -> Verified {
        let _alone = self.shared.alone();
        self.shared.tree.verify(&mut progress)
    }

    /// Whether it takes an entry.
    ///
    /// # Errors
    /// [`IndexError::KeyTooLong`], [`IndexError::ValueTooLong`].
    pub fn check(&self, entry: &impl Entry) -> Result<(), IndexError> {
        self.shared.tree.check(entry.key(), entry.value())
    }

    /// Its directory.
    pub fn path(&self) -> &Path {
        self.shared.path()
    }
}

impl fmt::Debug for Index {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Index").field("path", &self.path()).field("stats", &self.stats()).finish()
    }
}
