//! The emulated drive's file system: names and bytes as programs see them, and what of it is durable.
//!
//! No lock is held while a request waits for its time on the device. Locks are taken in the order
//! `power_lock`, tree, durable, file, allocator; the pacer's own and the lock of the open backing files come
//! after all of them.
//!
//! `contents` has the bytes of files, `durability` how they and the names become durable, `power` what is
//! left when the power is cut.

mod backlog;
mod contents;
mod durability;
mod power;
#[cfg(test)]
mod tests;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use rustix::io::Errno;

use self::backlog::Backlog;
use crate::backing::Backings;
use crate::durable::Durable;
use crate::extent::Extent;
use crate::extents::Allocator;
use crate::layout::Layout;
use crate::node::{Attributes, FileData, FileState, Ino, Kind, ROOT};
use crate::pace::Pacer;
use crate::scan::{ScanError, root_attributes, scan};
use crate::tree::Tree;

pub(crate) use self::durability::Unsaved;

/// The file system of an emulated drive.
pub(crate) struct Volume {
    path: PathBuf,
    layout: Layout,
    strict: bool,
    /// Bytes that may wait to become durable.
    cache_bytes: u64,
    /// Held for reading by whatever changes something, and for writing by a power cut.
    power_lock: RwLock<()>,
    tree: Mutex<Tree>,
    durable: Mutex<Durable>,
    backings: Backings,
    allocator: Mutex<Allocator>,
    /// Where the device is told of blocks that no file has any more.
    pacer: Arc<Pacer>,
    /// Files with changes that wait, roughly in the order in which they were changed.
    backlog: Mutex<Backlog>,
    waiting_bytes: AtomicU64,
}

/// The lock of data that is whole whenever it is free.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The system's number for an error.
pub(crate) fn errno(error: &io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}

impl Volume {
    /// Takes up the backing directory.
    pub(crate) fn open(
        path: &Path,
        layout: Layout,
        strict: bool,
        cache_bytes: u64,
        pacer: Arc<Pacer>,
    ) -> Result<Volume, ScanError> {
        let failed = |error| ScanError::Io(path.to_owned(), error);
        let mut tree = Tree::new(root_attributes(path).map_err(failed)?);
        let mut durable = Durable::open(path).map_err(failed)?;
        let allocator = scan(path, &mut tree, &mut durable, &layout)?;
        Ok(Volume {
            path: path.to_owned(),
            layout,
            strict,
            cache_bytes,
            power_lock: RwLock::new(()),
            tree: Mutex::new(tree),
            durable: Mutex::new(durable),
            backings: Backings::new(),
            allocator: Mutex::new(allocator),
            pacer,
            backlog: Mutex::default(),
            waiting_bytes: AtomicU64::new(0),
        })
    }

    fn alive(&self) -> RwLockReadGuard<'_, ()> {
        self.power_lock.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The names, for operations that only look.
    pub(crate) fn tree(&self) -> MutexGuard<'_, Tree> {
        lock(&self.tree)
    }

    /// Changes names; files that are gone by it free their space.
    pub(crate) fn change_names<T>(
        &self,
        change: impl FnOnce(&mut Tree) -> Result<(T, Option<Ino>), Errno>,
    ) -> Result<T, Errno> {
        let _alive = self.alive();
        let mut tree = self.tree();
        let (result, touched) = change(&mut tree)?;
        if let Some(ino) = touched {
            self.drop_if_gone(&mut tree, ino);
        }
        Ok(result)
    }

    /// Frees what a file without names and handles has; the kernel may still know its number.
    fn drop_if_gone(&self, tree: &mut Tree, ino: Ino) {
        let Some(node) = tree.nodes.get(&ino).filter(|node| node.is_gone()) else { return };
        if let Kind::File(file) = &node.kind {
            let mut state = file.lock();
            self.waiting_bytes.fetch_sub(state.content.waiting_bytes(), Ordering::Relaxed);
            state.content.drop_changes();
            self.free_blocks(&mut state, 0, u64::MAX);
        }
        // A nameless file that stays behind costs space until the next start, no more.
        let _ = lock(&self.durable).drop_nameless(ino);
        self.backings.close(ino);
        if node.known == 0 {
            tree.nodes.remove(&ino);
        }
    }

    /// Takes whole blocks away from part of a file, and tells the device, before another file can be given
    /// them and writes to them.
    fn free_blocks(&self, state: &mut FileState, offset: u64, end: u64) {
        let mut allocator = lock(&self.allocator);
        self.pacer.trim(&state.map.clear(&mut allocator, offset, end));
    }

    /// The kernel has learnt of a node once more.
    pub(crate) fn remember(&self, ino: Ino) {
        if let Ok(node) = self.tree().node_mut(ino) {
            node.known += 1;
        }
    }

    /// The kernel has forgotten a node that it was told of `times` times.
    pub(crate) fn forget(&self, ino: Ino, times: u64) {
        let _alive = self.alive();
        let mut tree = self.tree();
        if let Ok(node) = tree.node_mut(ino) {
            node.known = node.known.saturating_sub(times);
        }
        self.drop_if_gone(&mut tree, ino);
    }

    /// One more handle of a node; the backing file of a durable file is opened for it, as its first request
    /// would have to otherwise.
    pub(crate) fn open_node(&self, ino: Ino, writes: bool) -> Result<(), Errno> {
        let _alive = self.alive();
        let mut tree = self.tree();
        let node = tree.node_mut(ino)?;
        node.handles += 1;
        node.writers += u32::from(writes);
        if matches!(node.kind, Kind::File(_)) {
            let opened = self.backing(&tree, ino, false);
            if let (Err(error), Ok(node)) = (&opened, tree.node_mut(ino)) {
                node.handles -= 1;
                node.writers -= u32::from(writes);
                return Err(errno(error));
            }
        }
        Ok(())
    }

    /// One handle less.
    pub(crate) fn close_node(&self, ino: Ino, writes: bool) {
        let _alive = self.alive();
        let mut tree = self.tree();
        let Ok(node) = tree.node_mut(ino) else { return };
        node.handles = node.handles.saturating_sub(1);
        node.writers = node.writers.saturating_sub(u32::from(writes));
        if node.handles > 0 {
            return;
        }
        self.backings.close(ino);
        self.drop_if_gone(&mut tree, ino);
    }

    /// The backing file of a file, opened where it is not: one that exists, or with `make` a new one too.
    fn backing(&self, tree: &Tree, ino: Ino, make: bool) -> io::Result<Option<Arc<File>>> {
        if let Some(file) = self.backings.get(ino) {
            return Ok(Some(file));
        }
        let mut durable = lock(&self.durable);
        if !(make || durable.has(ino)) {
            return Ok(None);
        }
        let attributes = tree.node(ino)?.attributes;
        self.backings.open(ino, || durable.open_file(ino, &attributes)).map(Some)
    }

    /// The state of a file and its backing file, locked; no backing file where nothing of it is durable.
    fn with_backing<T>(
        &self,
        ino: Ino,
        work: impl FnOnce(&Arc<FileData>, &mut FileState, Option<Arc<File>>) -> T,
    ) -> Result<T, Errno> {
        // Twice, as another thread may have made it durable between the two locks, and never more: it stays
        // so.
        for _ in 0..2 {
            let (file, backing) = {
                let tree = self.tree();
                let backing = self.backing(&tree, ino, false).map_err(|error| errno(&error))?;
                (tree.file(ino)?, backing)
            };
            let mut state = file.lock();
            if backing.is_some() || state.content.believed() == 0 {
                return Ok(work(&file, &mut state, backing));
            }
        }
        Err(Errno::STALE)
    }

    /// The backing directory.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes of the device, and those of them that are free.
    pub(crate) fn space(&self) -> (u64, u64) {
        let allocator = lock(&self.allocator);
        (allocator.capacity(), allocator.free_bytes())
    }

    /// How files are laid out.
    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Of the fast part: bytes that files have there, and bytes of files that had no room there.
    pub(crate) fn fast_used_and_spilled(&self) -> (u64, u64) {
        lock(&self.allocator).fast_used_and_spilled()
    }

    /// Nodes there are.
    pub(crate) fn nodes(&self) -> u64 {
        self.tree().nodes.len() as u64
    }

    /// Extents of a file by its path from the root: offset in the file, and where that is on the device.
    pub(crate) fn map(&self, path: &Path) -> Result<Vec<(u64, Extent)>, Errno> {
        let file = {
            let tree = self.tree();
            let mut ino = ROOT;
            for name in path.iter().filter(|name| *name != OsStr::new("/") && *name != OsStr::new(".")) {
                ino = tree.lookup(ino, name)?;
            }
            tree.file(ino)?
        };
        let state = file.lock();
        Ok(state.map.extents().collect())
    }

    /// Attributes as programs see them, and the length and the blocks of a file.
    pub(crate) fn attributes(&self, ino: Ino) -> Result<(Attributes, u64, u64), Errno> {
        let tree = self.tree();
        let node = tree.node(ino)?;
        let mut attributes = node.attributes;
        let (len, bytes) = match &node.kind {
            Kind::File(file) => {
                let state = file.lock();
                if let Some(written) = state.written {
                    attributes.modified = attributes.modified.max(written);
                    attributes.changed = attributes.changed.max(written);
                }
                (state.content.len(), state.map.bytes())
            }
            Kind::Directory(entries) => (4096 + 32 * entries.len() as u64, 4096),
            Kind::Symlink(target) => (target.len() as u64, 0),
            Kind::Special(..) => (0, 0),
        };
        Ok((attributes, len, bytes))
    }
}
