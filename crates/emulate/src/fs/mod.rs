//! What the kernel asks, translated: names and bytes from the volume, faults from the schedule, time from the
//! device.

mod names;
mod recorded;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use fuser::{
    Errno, FileHandle, Filesystem, FopenFlags, Generation, INodeNo, InitFlags, KernelConfig, LockOwner,
    OpenFlags, RenameFlags, ReplyAttr, ReplyCreate, ReplyData, ReplyDirectory, ReplyEmpty, ReplyEntry,
    ReplyLseek, ReplyOpen, ReplyStatfs, ReplyWrite, ReplyXattr, Request, TimeOrNow, WriteFlags,
};
use leadline_fuse::{
    SeekTarget, SysResult, done, errno, fopen_flags, give_attributes, give_xattr, is_durable, is_writing,
    negotiate,
};
use leadline_trace::capture::Operation;
use rustix::fs::{FallocateFlags, XattrFlags};

use self::names::{PROBE, Wanted, probe_attr};
use crate::answer::Answer;
use crate::drive::{Drive, Told};
use crate::durable::is_reserved;
use crate::extents::BLOCK_BYTES;
use crate::in_flight::Work;
use crate::node::{Ino, Kind};
use crate::tree::Tree;

/// Names change only through the mount, and are withdrawn at a power cut.
const ENTRY_VALID: Duration = Duration::from_secs(3600);

/// Attributes change with writes of other handles.
const ATTRIBUTES_VALID: Duration = Duration::from_secs(1);

/// Nobody else changes the files: what the kernel has in its page cache stays right.
const KEEPS: bool = true;

/// The mounted file system.
pub(crate) struct EmulatedFs {
    drive: Arc<Drive>,
}

/// The error of an operation on an open file: that of a machine that lost its power is an error of the drive.
fn handle_errno(error: rustix::io::Errno) -> Errno {
    if error == rustix::io::Errno::STALE { Errno::EIO } else { errno(error) }
}

impl EmulatedFs {
    pub(crate) fn new(drive: Arc<Drive>) -> EmulatedFs {
        EmulatedFs { drive }
    }

    fn entry(&self, found: SysResult<Ino>, reply: ReplyEntry) {
        match found.and_then(|ino| self.attr(ino)) {
            Ok(attr) => {
                self.drive.volume.remember(attr.ino.0);
                reply.entry_with_ttls(&ATTRIBUTES_VALID, &ENTRY_VALID, &attr, Generation(0));
            }
            Err(error) => reply.error(errno(error)),
        }
    }
}

impl Filesystem for EmulatedFs {
    fn init(&mut self, _req: &Request, config: &mut KernelConfig) -> std::io::Result<()> {
        // What programs write may wait in the kernel's page cache.
        negotiate(config, &[InitFlags::FUSE_WRITEBACK_CACHE]);
        Ok(())
    }

    fn lookup(&self, _req: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        if is_reserved(parent.0, name) && self.drive.is_probing() {
            let now = Duration::ZERO;
            return reply.entry(&now, &probe_attr(), Generation(0));
        }
        let found = self.drive.volume.tree().lookup(parent.0, name);
        self.entry(found, reply);
    }

    fn forget(&self, _req: &Request, ino: INodeNo, times: u64) {
        self.drive.volume.forget(ino.0, times);
    }

    fn getattr(&self, _req: &Request, ino: INodeNo, _fh: Option<FileHandle>, reply: ReplyAttr) {
        give_attributes(self.attr(ino.0), ATTRIBUTES_VALID, reply);
    }

    fn setattr(
        &self,
        req: &Request,
        ino: INodeNo,
        mode: Option<u32>,
        uid: Option<u32>,
        gid: Option<u32>,
        size: Option<u64>,
        accessed: Option<TimeOrNow>,
        modified: Option<TimeOrNow>,
        _ctime: Option<SystemTime>,
        _fh: Option<FileHandle>,
        _crtime: Option<SystemTime>,
        _chgtime: Option<SystemTime>,
        _bkuptime: Option<SystemTime>,
        _flags: Option<fuser::BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let truncated = size.map_or(Ok(()), |size| self.truncate(req, ino.0, size));
        let wanted = Wanted { mode, uid, gid, accessed, modified };
        let changed = truncated.and_then(|()| self.change_attributes(req, ino.0, wanted));
        give_attributes(changed.and_then(|()| self.attr(ino.0)), ATTRIBUTES_VALID, reply);
    }

    fn readlink(&self, _req: &Request, ino: INodeNo, reply: ReplyData) {
        let tree = self.drive.volume.tree();
        match tree.node(ino.0).map(|node| &node.kind) {
            Ok(Kind::Symlink(target)) => reply.data(target.as_bytes()),
            Ok(_) => reply.error(Errno::EINVAL),
            Err(error) => reply.error(errno(error)),
        }
    }

    fn mknod(
        &self,
        req: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        _umask: u32,
        rdev: u32,
        reply: ReplyEntry,
    ) {
        let kind = match rustix::fs::FileType::from_raw_mode(mode) {
            rustix::fs::FileType::RegularFile | rustix::fs::FileType::Unknown => Tree::new_file(),
            _ => Kind::Special(mode & 0o170_000, u64::from(rdev)),
        };
        self.entry(self.make(req, parent, name, mode, kind), reply);
    }

    fn mkdir(&self, req: &Request, parent: INodeNo, name: &OsStr, mode: u32, _umask: u32, reply: ReplyEntry) {
        self.entry(self.make(req, parent, name, mode, Kind::Directory(BTreeMap::new())), reply);
    }

    fn symlink(&self, req: &Request, parent: INodeNo, name: &OsStr, target: &Path, reply: ReplyEntry) {
        let kind = Kind::Symlink(target.as_os_str().to_owned());
        self.entry(self.make(req, parent, name, 0o777, kind), reply);
    }

    fn link(&self, _req: &Request, ino: INodeNo, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let linked =
            self.drive.volume.change_names(|tree| tree.link(ino.0, parent.0, name).map(|()| (ino.0, None)));
        self.entry(linked, reply);
    }

    fn unlink(&self, req: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        done(self.remove(req, parent, name, false), reply);
    }

    fn rmdir(&self, req: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        done(self.remove(req, parent, name, true), reply);
    }

    fn rename(
        &self,
        req: &Request,
        parent: INodeNo,
        name: &OsStr,
        new_parent: INodeNo,
        new_name: &OsStr,
        flags: RenameFlags,
        reply: ReplyEmpty,
    ) {
        let only_new = flags == RenameFlags::RENAME_NOREPLACE;
        if !only_new && !flags.is_empty() {
            return reply.error(Errno::EINVAL);
        }
        let renaming = self.renaming(req, (parent.0, name), (new_parent.0, new_name));
        let renamed = self.drive.volume.change_names(|tree| {
            let replaced = tree.rename((parent.0, name), (new_parent.0, new_name), only_new)?;
            Ok(((), replaced))
        });
        // One that failed has given no name.
        if let Some((arrival, new_name)) = renaming.filter(|_| renamed.is_ok()) {
            self.answered(self.drive.record(arrival, Some(new_name)), &renamed);
        }
        done(renamed, reply);
    }

    fn open(&self, _req: &Request, ino: INodeNo, flags: OpenFlags, reply: ReplyOpen) {
        if ino.0 == PROBE {
            return reply.opened(FileHandle(0), FopenFlags::FOPEN_DIRECT_IO);
        }
        match self.drive.volume.open_node(ino.0, is_writing(flags)) {
            Ok(()) => reply.opened(FileHandle(0), fopen_flags(flags, KEEPS)),
            Err(error) => reply.error(errno(error)),
        }
    }

    fn create(
        &self,
        req: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        _umask: u32,
        flags: i32,
        reply: ReplyCreate,
    ) {
        let created = self.make(req, parent, name, mode, Tree::new_file()).and_then(|ino| {
            self.drive.volume.open_node(ino, is_writing(OpenFlags(flags)))?;
            self.attr(ino)
        });
        match created {
            Ok(attr) => {
                self.drive.volume.remember(attr.ino.0);
                let how = fopen_flags(OpenFlags(flags), KEEPS);
                reply.created(&ATTRIBUTES_VALID, &attr, Generation(0), FileHandle(0), how);
            }
            Err(error) => reply.error(errno(error)),
        }
    }

    fn release(
        &self,
        _req: &Request,
        ino: INodeNo,
        _fh: FileHandle,
        flags: OpenFlags,
        _lock_owner: Option<LockOwner>,
        _flush: bool,
        reply: ReplyEmpty,
    ) {
        if ino.0 != PROBE {
            self.drive.volume.close_node(ino.0, is_writing(flags));
        }
        reply.ok();
    }

    fn flush(&self, _req: &Request, _ino: INodeNo, _fh: FileHandle, _owner: LockOwner, reply: ReplyEmpty) {
        // The close of a file makes nothing durable; told so once, the kernel does not ask again.
        reply.error(Errno::ENOSYS);
    }

    fn read(
        &self,
        req: &Request,
        ino: INodeNo,
        _fh: FileHandle,
        offset: u64,
        size: u32,
        _flags: OpenFlags,
        _lock_owner: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let received = self.drive.pacer.now();
        if ino.0 == PROBE {
            let answer = Answer::Probe(reply, received);
            return self.drive.pacer.submit(Work::Read(&[]), received, answer, None);
        }
        self.drive.programs.saw(req.pid());
        let mut recorded = self.record(req, ino.0, (Operation::Read, offset, size.into()), received);
        match self.drive.read(ino.0, offset, size) {
            Ok((bytes, extents)) => {
                if let Some(recorded) = &mut recorded {
                    recorded.moves = bytes.len() as u64;
                }
                let answer = Answer::Data(reply, bytes);
                self.drive.pacer.submit(Work::Read(&extents), received, answer, recorded);
            }
            Err(error) => {
                let answer = Answer::DataFailed(reply, handle_errno(error));
                self.drive.pacer.submit(Work::Read(&[]), received, answer, recorded);
            }
        }
    }

    fn write(
        &self,
        req: &Request,
        ino: INodeNo,
        _fh: FileHandle,
        offset: u64,
        data: &[u8],
        write_flags: WriteFlags,
        flags: OpenFlags,
        _lock_owner: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let received = self.drive.pacer.now();
        // What the kernel writes back is synced by the kernel.
        let cached = write_flags.contains(WriteFlags::FUSE_WRITE_CACHE);
        if !cached {
            self.drive.programs.saw(req.pid());
        }
        let durable = !cached && is_durable(flags);
        let operation = if durable { Operation::DurableWrite } else { Operation::Write };
        let mut recorded = self.record(req, ino.0, (operation, offset, data.len() as u64), received);
        if write_flags.contains(WriteFlags::FUSE_WRITE_KILL_SUIDGID) {
            self.drop_set_ids(req, ino.0);
        }
        match self.drive.write(ino.0, offset, data, durable) {
            Ok(extents) => {
                if let Some(recorded) = &mut recorded {
                    recorded.moves = data.len() as u64;
                }
                let answer = Answer::Written(reply, data.len() as u32);
                self.drive.pacer.submit(Work::Write(&extents, durable), received, answer, recorded);
            }
            Err(error) => {
                let answer = Answer::WriteFailed(reply, handle_errno(error));
                self.drive.pacer.submit(Work::Read(&[]), received, answer, recorded);
            }
        }
    }

    fn fsync(&self, req: &Request, ino: INodeNo, _fh: FileHandle, _datasync: bool, reply: ReplyEmpty) {
        self.sync(req, ino, reply);
    }

    fn fsyncdir(&self, req: &Request, ino: INodeNo, _fh: FileHandle, _datasync: bool, reply: ReplyEmpty) {
        self.sync(req, ino, reply);
    }

    fn opendir(&self, _req: &Request, ino: INodeNo, _flags: OpenFlags, reply: ReplyOpen) {
        match self.list(ino.0) {
            Ok(entries) => reply.opened(FileHandle(self.drive.listings.insert(entries)), FopenFlags::empty()),
            Err(error) => reply.error(errno(error)),
        }
    }

    fn readdir(&self, _req: &Request, ino: INodeNo, fh: FileHandle, offset: u64, mut reply: ReplyDirectory) {
        if offset == 0 && self.drive.volume.tree().node(ino.0).is_err() {
            return reply.error(Errno::EIO);
        }
        let listed = self.drive.listings.get(fh.0).ok();
        for (i, (ino, kind, name)) in (1..).zip(listed.iter().flat_map(|e| e.iter())).skip(offset as usize) {
            if reply.add(INodeNo(*ino), i, *kind, name) {
                break;
            }
        }
        reply.ok();
    }

    fn releasedir(&self, _req: &Request, ino: INodeNo, fh: FileHandle, _flags: OpenFlags, reply: ReplyEmpty) {
        self.drive.listings.remove(fh.0);
        self.drive.volume.close_node(ino.0, false);
        reply.ok();
    }

    fn statfs(&self, _req: &Request, _ino: INodeNo, reply: ReplyStatfs) {
        let (total, free) = self.drive.volume.space();
        let (total, free) = (total / BLOCK_BYTES, free / BLOCK_BYTES);
        let nodes = self.drive.volume.nodes();
        let block = BLOCK_BYTES as u32;
        reply.statfs(total, free, free, nodes + free, free, block, 255, block);
    }

    fn setxattr(
        &self,
        _req: &Request,
        ino: INodeNo,
        name: &OsStr,
        value: &[u8],
        flags: i32,
        _position: u32,
        reply: ReplyEmpty,
    ) {
        let flags = XattrFlags::from_bits_retain(flags as u32);
        done(self.set_xattr(ino.0, name, value, flags), reply);
    }

    fn getxattr(&self, _req: &Request, ino: INodeNo, name: &OsStr, size: u32, reply: ReplyXattr) {
        let tree = self.drive.volume.tree();
        match tree.node(ino.0).map(|node| node.xattrs.get(name)) {
            Ok(Some(value)) => give_xattr(Ok(value.len()), value, size, reply),
            Ok(None) => reply.error(Errno::from_i32(rustix::io::Errno::NODATA.raw_os_error())),
            Err(error) => reply.error(errno(error)),
        }
    }

    fn listxattr(&self, _req: &Request, ino: INodeNo, size: u32, reply: ReplyXattr) {
        let tree = self.drive.volume.tree();
        match tree.node(ino.0) {
            Ok(node) => {
                let names: Vec<u8> =
                    node.xattrs.keys().flat_map(|name| [name.as_bytes(), b"\0"].concat()).collect();
                give_xattr(Ok(names.len()), &names, size, reply);
            }
            Err(error) => reply.error(errno(error)),
        }
    }

    fn removexattr(&self, _req: &Request, ino: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        let removed = self.drive.volume.change_names(|tree| Ok((tree.set_xattr(ino.0, name, None)?, None)));
        done(removed, reply);
    }

    fn fallocate(
        &self,
        req: &Request,
        ino: INodeNo,
        _fh: FileHandle,
        offset: u64,
        length: u64,
        mode: i32,
        reply: ReplyEmpty,
    ) {
        let mode = FallocateFlags::from_bits_retain(mode as u32);
        done(self.allocate(req, ino.0, (offset, length), mode), reply);
    }

    fn lseek(
        &self,
        _req: &Request,
        ino: INodeNo,
        _fh: FileHandle,
        offset: i64,
        whence: i32,
        reply: ReplyLseek,
    ) {
        let target = match SeekTarget::new(offset, whence) {
            Ok(target) => target,
            Err(error) => return reply.error(errno(error)),
        };
        let drive = Arc::clone(&self.drive);
        let answer = move || match drive.volume.seek(ino.0, target) {
            Ok(at) => reply.offset(at as i64),
            Err(error) => reply.error(handle_errno(error)),
        };
        // What the kernel has not written yet is data too.
        match self.drive.volume.is_open_to_write(ino.0) {
            true => self.drive.tell(Told::Written(ino.0, Box::new(answer))),
            false => answer(),
        }
    }
}

impl EmulatedFs {
    /// fsync and fdatasync, of files and directories.
    fn sync(&self, req: &Request, ino: INodeNo, reply: ReplyEmpty) {
        let received = self.drive.pacer.now();
        self.drive.programs.saw(req.pid());
        let recorded = self.record(req, ino.0, (Operation::Sync, 0, 0), received);
        let answer = match self.drive.sync(ino.0) {
            Ok(()) => Answer::Done(reply),
            Err(error) => Answer::Failed(reply, handle_errno(error)),
        };
        self.drive.pacer.submit(Work::Flush, received, answer, recorded);
    }
}
