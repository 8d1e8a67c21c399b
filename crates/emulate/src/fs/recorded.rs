//! Operations that captures record and that do not go to the device.

use std::ffi::OsStr;

use fuser::Request;
use leadline_device::Nanos;
use leadline_fuse::SysResult;
use leadline_trace::capture::Operation;
use rustix::fs::FallocateFlags;

use super::EmulatedFs;
use crate::capture::{Arrival, Recorded};
use crate::node::Ino;

/// Of captures: what is asked of a file, the first byte and how many.
pub(super) type Asked = (Operation, u64, u64);

impl EmulatedFs {
    /// Records a request, if somebody wants it.
    pub(super) fn record(&self, req: &Request, ino: Ino, asked: Asked, received: Nanos) -> Option<Recorded> {
        let (operation, offset, length) = asked;
        let at = self.drive.pacer.sent(received);
        self.drive.record(Arrival { at, thread: req.pid(), ino, operation, offset, length }, None)
    }

    /// Does, and records, what does not go to the device.
    pub(super) fn recorded<T>(
        &self,
        req: &Request,
        ino: Ino,
        asked: Asked,
        change: impl FnOnce() -> SysResult<T>,
    ) -> SysResult<T> {
        let recorded = self.record(req, ino, asked, self.drive.pacer.now());
        let changed = change();
        self.answered(recorded, &changed);
        changed
    }

    pub(super) fn answered<T>(&self, recorded: Option<Recorded>, result: &SysResult<T>) {
        if let Some(recorded) = recorded {
            recorded.answered(self.drive.pacer.now(), result.is_err());
        }
    }

    /// Of a rename, if somebody wants it recorded: its arrival, and the file's path behind it.
    pub(super) fn renaming(
        &self,
        req: &Request,
        from: (Ino, &OsStr),
        to: (Ino, &OsStr),
    ) -> Option<(Arrival, String)> {
        if !self.drive.captures.are_made() {
            return None;
        }
        let (ino, new_name) = {
            let tree = self.drive.volume.tree();
            let mut new_name = tree.path(to.0, tree.node(to.0).ok()?.parent);
            if !new_name.is_empty() {
                new_name.push("/");
            }
            new_name.push(to.1);
            (tree.lookup(from.0, from.1).ok()?, new_name.to_string_lossy().into_owned())
        };
        let at = self.drive.pacer.sent(self.drive.pacer.now());
        let operation = Operation::Rename;
        Some((Arrival { at, thread: req.pid(), ino, operation, offset: 0, length: 0 }, new_name))
    }

    /// Sets a file's length.
    pub(super) fn truncate(&self, req: &Request, ino: Ino, size: u64) -> SysResult<()> {
        let asked = (Operation::Truncate, size, 0);
        let truncated = self.recorded(req, ino, asked, || self.drive.volume.truncate(ino, size));
        // Root may keep them.
        if truncated.is_ok() && req.uid() != 0 {
            self.drop_set_ids(req, ino);
        }
        truncated
    }

    /// `fallocate` of a range: its offset and length.
    pub(super) fn allocate(
        &self,
        req: &Request,
        ino: Ino,
        range: (u64, u64),
        mode: FallocateFlags,
    ) -> SysResult<()> {
        let (offset, length) = range;
        let keep_size = mode.contains(FallocateFlags::KEEP_SIZE);
        let volume = &self.drive.volume;
        let mode = mode - FallocateFlags::KEEP_SIZE;
        let operation = if mode.is_empty() { Operation::Allocate } else { Operation::Discard };
        let allocated = self.recorded(req, ino, (operation, offset, length), || match mode {
            flags if flags.is_empty() => volume.allocate(ino, offset, length, keep_size),
            FallocateFlags::PUNCH_HOLE => volume.zero(ino, offset, length, true),
            FallocateFlags::ZERO_RANGE => volume
                .allocate(ino, offset, length, keep_size)
                .and_then(|()| volume.zero(ino, offset, length, false)),
            _ => Err(rustix::io::Errno::OPNOTSUPP),
        });
        if allocated.is_ok() && req.uid() != 0 {
            self.drop_set_ids(req, ino);
        }
        allocated
    }
}
