//! The emulated drive's file system: names and bytes as programs see them, and what of it is durable.
//!
//! No lock is held while a request waits for its time on the device. Locks are taken in the order life, tree,
//! durable, file, allocator; the pacer's own and that of the open backing files come after all of them.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, Weak};
use std::time::SystemTime;

use rustix::io::Errno;

use crate::backing::Backings;
use crate::content::Change;
use crate::durable::Durable;
use crate::extents::{Allocator, Extent};
use crate::journal::Operation;
use crate::layout::Layout;
use crate::node::{Attributes, FileData, FileState, Ino, Kind, ROOT};
use crate::pace::Pacer;
use crate::scan::{ScanError, root_attributes, scan};
use crate::survivors::{PowerCut, Survivors, leave};
use crate::tree::Tree;

/// The file system of an emulated drive.
pub(crate) struct Volume {
    path: PathBuf,
    layout: Layout,
    strict: bool,
    /// Bytes that may wait to become durable.
    cache_bytes: u64,
    /// Held for reading by whatever changes something, and for writing by a power cut.
    life: RwLock<()>,
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

/// Files with changes that wait, some of them gone.
#[derive(Debug, Default)]
struct Backlog {
    files: VecDeque<(Ino, Weak<FileData>)>,
    /// Nodes from which on those that are gone are taken out: twice the number that was left the last time.
    most: usize,
}

impl Backlog {
    fn push(&mut self, ino: Ino, file: &Arc<FileData>) {
        if self.files.len() >= self.most {
            self.files.retain(|(_, file)| file.strong_count() > 0);
            self.most = (2 * self.files.len()).max(1024);
        }
        self.files.push_back((ino, Arc::downgrade(file)));
    }
}

/// What is looked for in a file, from an offset on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    Data(u64),
    Hole(u64),
}

/// What could not be made durable at the end.
#[derive(Debug)]
pub(crate) struct Unsaved {
    /// Files of which not all bytes are.
    pub(crate) files: usize,
    /// Changes to names and attributes.
    pub(crate) names: usize,
    /// Where files lie that could not be given their names.
    pub(crate) folder: Option<PathBuf>,
    /// The first reason.
    pub(crate) source: io::Error,
}

/// Bytes that are applied to a backing file before others get its lock.
const APPLIED_AT_ONCE: u64 = 1 << 20;

/// The lock of data that is whole whenever it is free.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The system's number for an error.
pub(crate) fn errno(error: &io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}

impl Volume {
    /// Takes up the backing folder.
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
            life: RwLock::new(()),
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
        self.life.read().unwrap_or_else(PoisonError::into_inner)
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

    /// The kernel has forgotten what it learnt of a node, so many times.
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

    /// Reads part of a file: its bytes, and where they lie on the device.
    pub(crate) fn read(&self, ino: Ino, offset: u64, len: u32) -> Result<(Vec<u8>, Vec<Extent>), Errno> {
        let _alive = self.alive();
        let (view, extents) = self.with_backing(ino, |_, state, backing| {
            let view = state.content.view(offset, len as usize, backing);
            (view, state.map.locate(offset, u64::from(len)))
        })?;
        Ok((view.read().map_err(|error| errno(&error))?, extents))
    }

    /// A file that is about to get blocks; from which part of the device is decided by its name.
    fn file_to_fill(&self, ino: Ino) -> Result<Arc<FileData>, Errno> {
        let tree = self.tree();
        let file = tree.file(ino)?;
        if self.layout.placement().is_some() {
            let mut state = file.lock();
            if state.map.zone.is_none() {
                state.map.zone = Some(self.layout.zone(&tree.path(ino, tree.node(ino)?.parent)));
            }
        }
        Ok(file)
    }

    /// Writes part of a file; where it lies on the device.
    pub(crate) fn write(&self, ino: Ino, offset: u64, data: &[u8]) -> Result<Vec<Extent>, Errno> {
        let _alive = self.alive();
        let file = self.file_to_fill(ino)?;
        let extents = {
            let mut state = file.lock();
            if !state.map.fill(&mut lock(&self.allocator), offset, data.len() as u64) {
                return Err(Errno::NOSPC);
            }
            self.change(ino, &file, &mut state, Change::Write(offset, data.into()));
            state.written = Some(SystemTime::now());
            state.map.locate(offset, data.len() as u64)
        };
        self.drain().map_err(|error| errno(&error))?;
        Ok(extents)
    }

    fn change(&self, ino: Ino, file: &Arc<FileData>, state: &mut FileState, change: Change) {
        self.waiting_bytes.fetch_add(change.bytes(), Ordering::Relaxed);
        state.content.change(change);
        if !std::mem::replace(&mut state.in_backlog, true) {
            lock(&self.backlog).push(ino, file);
        }
    }

    /// Applies changes, of the file that has waited longest first, while more bytes wait than may.
    fn drain(&self) -> io::Result<()> {
        while self.waiting_bytes.load(Ordering::Relaxed) > self.cache_bytes {
            let Some((ino, file)) = lock(&self.backlog).files.pop_front() else { break };
            let Some(file) = file.upgrade() else { continue };
            let opened = self.backing_of_dirty(&self.tree(), ino, &file);
            let mut state = file.lock();
            let mut applied = opened.as_ref().map(|_| ()).map_err(|error| errno(error).into());
            // One that is durable by now, or gone, has none.
            while let Ok(Some(backing)) = &opened
                && !state.content.is_durable()
                && self.waiting_bytes.load(Ordering::Relaxed) > self.cache_bytes
                && applied.is_ok()
            {
                let before = state.content.waiting_bytes();
                applied = state.content.apply_first(backing);
                self.waiting_bytes.fetch_sub(before - state.content.waiting_bytes(), Ordering::Relaxed);
            }
            state.in_backlog = !state.content.is_durable();
            if state.in_backlog {
                lock(&self.backlog).files.push_front((ino, Arc::downgrade(&file)));
            }
            applied?;
        }
        Ok(())
    }

    /// Gives part of a file blocks, as a write does that is lost; where it lies on the device.
    pub(crate) fn place(&self, ino: Ino, offset: u64, len: u64) -> Result<Vec<Extent>, Errno> {
        let _alive = self.alive();
        let file = self.file_to_fill(ino)?;
        let mut state = file.lock();
        if !state.map.fill(&mut lock(&self.allocator), offset, len) {
            return Err(Errno::NOSPC);
        }
        Ok(state.map.locate(offset, len))
    }

    /// Flips bits of a byte for good: what is durable of it too, and whatever waits stays as it is.
    pub(crate) fn damage(&self, ino: Ino, offset: u64, bits: u8) -> Result<(), Errno> {
        let _alive = self.alive();
        let damaged = self.with_backing(ino, |file, state, backing| {
            let read = |state: &FileState| state.content.view(offset, 1, backing.clone()).read();
            let before = read(state)?;
            state.content.damage(offset, bits, backing.as_deref())?;
            // Where a change that waits covers the byte, that is what a reader sees.
            if read(state)? == before
                && let [byte] = before[..]
            {
                self.change(ino, file, state, Change::Write(offset, [byte ^ bits].into()));
            }
            Ok(())
        });
        damaged?.map_err(|error: io::Error| errno(&error))
    }

    /// Sets a file's length.
    pub(crate) fn truncate(&self, ino: Ino, len: u64) -> Result<(), Errno> {
        if len > i64::MAX as u64 {
            return Err(Errno::FBIG);
        }
        let _alive = self.alive();
        let file = self.tree().file(ino)?;
        let mut state = file.lock();
        if len != state.content.len() {
            self.change(ino, &file, &mut state, Change::Truncate(len));
        }
        self.free_blocks(&mut state, len.next_multiple_of(crate::extents::BLOCK_BYTES), u64::MAX);
        state.written = Some(SystemTime::now());
        Ok(())
    }

    /// Whether programs have a file open that can write to it.
    pub(crate) fn is_open_to_write(&self, ino: Ino) -> bool {
        self.tree().node(ino).is_ok_and(|node| node.writers > 0)
    }

    /// Where a file has data, or a hole: at its end there is one.
    pub(crate) fn seek(&self, ino: Ino, target: Target) -> Result<u64, Errno> {
        let file = self.tree().file(ino)?;
        let state = file.lock();
        let len = state.content.len();
        let found = match target {
            Target::Data(offset) => state.map.data_from(offset),
            Target::Hole(offset) if offset < len => Some(state.map.hole_from(offset).min(len)),
            Target::Hole(_) => None,
        };
        found.filter(|&at| at < len || matches!(target, Target::Hole(_))).ok_or(Errno::NXIO)
    }

    /// Gives a file blocks; it grows to `offset + len` unless `keep_size`.
    pub(crate) fn allocate(&self, ino: Ino, offset: u64, len: u64, keep_size: bool) -> Result<(), Errno> {
        let _alive = self.alive();
        let file = self.file_to_fill(ino)?;
        let mut state = file.lock();
        if !state.map.fill(&mut lock(&self.allocator), offset, len) {
            return Err(Errno::NOSPC);
        }
        if !keep_size && offset + len > state.content.len() {
            self.change(ino, &file, &mut state, Change::Truncate(offset + len));
        }
        Ok(())
    }

    /// Makes part of a file zeros: without blocks where `hole`, else with blocks for all of it.
    pub(crate) fn zero(&self, ino: Ino, offset: u64, len: u64, hole: bool) -> Result<(), Errno> {
        let _alive = self.alive();
        let file = self.file_to_fill(ino)?;
        let mut state = file.lock();
        if hole {
            self.free_blocks(&mut state, offset, offset.saturating_add(len));
        } else if !state.map.fill(&mut lock(&self.allocator), offset, len) {
            return Err(Errno::NOSPC);
        }
        self.change(ino, &file, &mut state, Change::Zero(offset, len));
        state.written = Some(SystemTime::now());
        Ok(())
    }

    /// Makes a file durable, and of the names what the rules say.
    pub(crate) fn sync_file(&self, ino: Ino) -> Result<(), Errno> {
        let _alive = self.alive();
        self.sync_content(ino)?;
        let mut tree = self.tree();
        let operations = match self.strict {
            true => tree.journal.take_attributes(ino),
            false => tree.journal.take_up_to(ino),
        };
        self.apply(&mut tree, operations).map_err(|error| errno(&error))
    }

    fn sync_content(&self, ino: Ino) -> Result<(), Errno> {
        let (file, backing) = {
            let tree = self.tree();
            let file = tree.file(ino)?;
            let backing = self.backing_of_dirty(&tree, ino, &file).map_err(|error| errno(&error))?;
            (file, backing)
        };
        self.apply_changes(&file, backing.as_deref()).map_err(|error| errno(&error))
    }

    fn apply_content(&self, tree: &Tree, ino: Ino, file: &FileData) -> io::Result<()> {
        let backing = self.backing_of_dirty(tree, ino, file)?;
        self.apply_changes(file, backing.as_deref())
    }

    /// The backing file of a file with changes.
    fn backing_of_dirty(&self, tree: &Tree, ino: Ino, file: &FileData) -> io::Result<Option<Arc<File>>> {
        let is_durable = file.lock().content.is_durable();
        if is_durable { Ok(None) } else { self.backing(tree, ino, true) }
    }

    /// Applies the changes that wait now, a few at a time, so that readers of the file need not wait for all.
    /// Where there were none, there is no backing file, and what came since comes too late.
    fn apply_changes(&self, file: &FileData, backing: Option<&File>) -> io::Result<()> {
        let Some(backing) = backing else { return Ok(()) };
        let mut left = file.lock().content.changes().len();
        while left > 0 {
            let mut state = file.lock();
            let before = state.content.waiting_bytes();
            let mut applied = Ok(());
            while left > 0 && applied.is_ok() && before - state.content.waiting_bytes() < APPLIED_AT_ONCE {
                applied = state.content.apply_first(backing);
                left -= 1;
            }
            self.waiting_bytes.fetch_sub(before - state.content.waiting_bytes(), Ordering::Relaxed);
            applied?;
        }
        Ok(())
    }

    /// Makes a directory's entries durable.
    pub(crate) fn sync_directory(&self, ino: Ino) -> Result<(), Errno> {
        let _alive = self.alive();
        let mut tree = self.tree();
        let operations = match self.strict {
            true => tree.journal.take_directory(ino),
            false => tree.journal.take_up_to(ino),
        };
        self.apply(&mut tree, operations).map_err(|error| errno(&error))
    }

    /// Does operations in the backing folder. Those that could not be done wait again: who was told of the
    /// error may sync once more.
    fn apply(&self, tree: &mut Tree, operations: Vec<Operation>) -> io::Result<()> {
        for (done, operation) in operations.iter().enumerate() {
            if let Err(error) = self.apply_one(tree, operation) {
                tree.journal.put_back(&operations[done..]);
                return Err(error);
            }
        }
        Ok(())
    }

    fn apply_one(&self, tree: &Tree, operation: &Operation) -> io::Result<()> {
        // As ext4 with its option auto_da_alloc: what replaces a file is written first.
        if let Operation::Rename { ino, replaced: Some(_), .. } = operation
            && !self.strict
            && let Ok(file) = tree.file(*ino)
        {
            self.apply_content(tree, *ino, &file)?;
        }
        lock(&self.durable).apply(operation, &tree.nodes)
    }

    /// Drops what is not durable of a file, as a kernel does that could not write it.
    pub(crate) fn drop_dirty(&self, ino: Ino) -> Result<(), Errno> {
        let _alive = self.alive();
        let file = self.tree().file(ino)?;
        let mut state = file.lock();
        self.waiting_bytes.fetch_sub(state.content.waiting_bytes(), Ordering::Relaxed);
        state.content.drop_changes();
        Ok(())
    }

    /// Makes everything durable; what cannot be keeps nothing else from it.
    pub(crate) fn sync_all(&self) -> Result<(), Unsaved> {
        let _alive = self.alive();
        let mut tree = self.tree();
        let mut unsaved = Vec::new();
        for (&ino, node) in &tree.nodes {
            if let Kind::File(file) = &node.kind {
                unsaved.extend(self.apply_content(&tree, ino, file).err());
            }
        }
        let files = unsaved.len();
        for operation in tree.journal.take_all() {
            if let Err(error) = self.apply_one(&tree, &operation) {
                unsaved.push(error);
                tree.journal.push(operation);
            }
        }
        let names = unsaved.len() - files;
        match unsaved.into_iter().next() {
            Some(source) => Err(Unsaved { files, names, folder: None, source }),
            None => Ok(()),
        }
    }

    /// Makes everything durable and leaves the backing folder as it should be found. Files that have bytes
    /// there and could not be given their names are left under a name that the next mount does not empty.
    pub(crate) fn close(&self) -> Result<(), Unsaved> {
        let mut synced = self.sync_all();
        self.backings.close_all();
        let tree = self.tree();
        let mut durable = lock(&self.durable);
        // Files removed while open are there still, if a program has them open to the last.
        for (&ino, _) in tree.nodes.iter().filter(|(_, node)| node.names == 0) {
            let _ = durable.drop_nameless(ino);
        }
        match &mut synced {
            Err(unsaved) => unsaved.folder = durable.keep_nameless(&self.path),
            Ok(()) => {
                let _ = std::fs::remove_dir_all(self.path.join(crate::durable::HIDDEN));
            }
        }
        let written = rustix::fs::syncfs(durable.root());
        synced?;
        written.map_err(|error| Unsaved { files: 0, names: 0, folder: None, source: error.into() })
    }

    /// Stops everything and looks at what is not durable.
    pub(crate) fn frozen<T>(&self, look: impl FnOnce(&Tree, &Durable, bool) -> T) -> T {
        let _frozen = self.life.write().unwrap_or_else(PoisonError::into_inner);
        let tree = self.tree();
        let durable = lock(&self.durable);
        look(&tree, &durable, self.strict)
    }

    /// The backing folder.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Cuts the power: what is not durable is lost, but for the survivors. All nodes have new numbers then.
    /// Also the names that were in the root.
    pub(crate) fn power_cut(
        &self,
        survivors: &mut Survivors,
    ) -> Result<(PowerCut, Vec<OsString>), ScanError> {
        let _dead = self.life.write().unwrap_or_else(PoisonError::into_inner);
        let mut tree = self.tree();
        let names = tree.entries(ROOT).map(|entries| entries.keys().cloned().collect());
        let failed = |error| ScanError::Io(self.path.clone(), error);
        let cut = leave(&tree, &mut lock(&self.durable), survivors, self.strict).map_err(failed)?;
        self.backings.close_all();
        *lock(&self.backlog) = Backlog::default();
        self.waiting_bytes.store(0, Ordering::Relaxed);
        tree.forget_all(root_attributes(&self.path).map_err(failed)?);
        let mut durable = lock(&self.durable);
        *durable = Durable::open(&self.path).map_err(failed)?;
        *lock(&self.allocator) = scan(&self.path, &mut tree, &mut durable, &self.layout)?;
        Ok((cut, names.unwrap_or_default()))
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

#[cfg(test)]
#[path = "volume_tests.rs"]
mod tests;
