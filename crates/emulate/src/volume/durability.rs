//! What becomes durable, when and in which order.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rustix::io::Errno;

use super::{Volume, errno, lock};
use crate::durable::HIDDEN;
use crate::journal::Operation;
use crate::node::{FileData, Ino, Kind};
use crate::tree::Tree;

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

impl Volume {
    /// Applies changes, of the file that has waited longest first, while more bytes wait than may.
    pub(super) fn drain(&self) -> io::Result<()> {
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

    /// Does operations in the backing directory. Those that could not be done wait again: who was told of the
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

    /// Makes everything durable and leaves the backing directory as it should be found. Files that have bytes
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
                let _ = std::fs::remove_dir_all(self.path.join(HIDDEN));
            }
        }
        let written = rustix::fs::syncfs(durable.root());
        synced?;
        written.map_err(|error| Unsaved { files: 0, names: 0, folder: None, source: error.into() })
    }
}
