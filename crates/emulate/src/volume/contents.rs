//! The bytes of files: read, changed, and given a place on the device.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::SystemTime;

use leadline_fuse::SeekTarget;
use rustix::io::Errno;

use super::{Volume, errno, lock};
use crate::content::Change;
use crate::extent::Extent;
use crate::extents::BLOCK_BYTES;
use crate::node::{FileData, FileState, Ino};

impl Volume {
    /// Reads part of a file: its bytes, and where they are on the device.
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

    /// Writes part of a file; where it is on the device.
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

    /// Gives part of a file blocks, as a write does that is lost; where it is on the device.
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
        self.free_blocks(&mut state, len.next_multiple_of(BLOCK_BYTES), u64::MAX);
        state.written = Some(SystemTime::now());
        Ok(())
    }

    /// Whether programs have a file open that can write to it.
    pub(crate) fn is_open_to_write(&self, ino: Ino) -> bool {
        self.tree().node(ino).is_ok_and(|node| node.writers > 0)
    }

    /// Where a file has data, or a hole: at its end there is one.
    pub(crate) fn seek(&self, ino: Ino, target: SeekTarget) -> Result<u64, Errno> {
        let file = self.tree().file(ino)?;
        let state = file.lock();
        let len = state.content.len();
        let found = match target {
            SeekTarget::Data(offset) => state.map.data_from(offset),
            SeekTarget::Hole(offset) if offset < len => Some(state.map.hole_from(offset).min(len)),
            SeekTarget::Hole(_) => None,
        };
        found.filter(|&at| at < len || matches!(target, SeekTarget::Hole(_))).ok_or(Errno::NXIO)
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

    /// Drops what is not durable of a file, as a kernel does that could not write it.
    pub(crate) fn drop_dirty(&self, ino: Ino) -> Result<(), Errno> {
        let _alive = self.alive();
        let file = self.tree().file(ino)?;
        let mut state = file.lock();
        self.waiting_bytes.fetch_sub(state.content.waiting_bytes(), Ordering::Relaxed);
        state.content.drop_changes();
        Ok(())
    }
}
