//! What the kernel asks, asked of the directory below.

use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, SystemTime};

use fuser::{
    Errno, FileHandle, Filesystem, FopenFlags, Generation, INodeNo, KernelConfig, LockOwner, OpenFlags,
    RenameFlags, ReplyAttr, ReplyCreate, ReplyData, ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyLseek,
    ReplyOpen, ReplyStatfs, ReplyWrite, ReplyXattr, Request, TimeOrNow, WriteFlags,
};
use leadline_fuse::{
    Handles, SeekTarget, SysResult, attributes, done, errno, fopen_flags, give_attributes, give_xattr,
    is_durable, negotiate,
};
use leadline_trace::capture::Operation;
use rustix::fs::{AtFlags, CWD, FallocateFlags, Gid, Mode, OFlags, Stat, Uid, XattrFlags};

use crate::buffer;
use crate::changes::{Changes, drop_set_ids};
use crate::handles::{OpenFile, OpenFolder};
use crate::nodes::{Below, Node, Nodes, ROOT, open_listing};
use crate::record::Recording;
use crate::transfer;

/// So long the kernel may believe what it was told: others may change the directory below.
const VALID: Duration = Duration::from_secs(1);

/// The mounted file system.
#[derive(Debug)]
pub(crate) struct PassThroughFs {
    nodes: Nodes,
    files: Handles<OpenFile>,
    folders: Handles<OpenFolder>,
    recording: Arc<Recording>,
}

impl PassThroughFs {
    pub(crate) fn new(nodes: Nodes, recording: Arc<Recording>) -> PassThroughFs {
        PassThroughFs { nodes, files: Handles::default(), folders: Handles::default(), recording }
    }

    fn entry(&self, found: SysResult<(u64, Stat, Arc<Node>)>, reply: ReplyEntry) {
        match found {
            Ok((number, stat, _)) => reply.entry(&VALID, &attributes(number, &stat), Generation(0)),
            Err(error) => reply.error(errno(error)),
        }
    }

    /// Looks up what was just made, and gives it to the one who asked for it.
    fn made(&self, req: &Request, folder: u64, name: &OsStr, mode: Option<u32>) -> SysResult<(u64, Stat)> {
        let (number, stat, node) = self.nodes.look_up(folder, name)?;
        let owned = node.below().and_then(|below| self.give(req, folder, &below, &stat, mode));
        match owned.and_then(|()| node.stat()) {
            Ok(stat) => Ok((number, stat)),
            Err(error) => {
                self.nodes.forget(number, 1);
                Err(error)
            }
        }
    }

    /// Owner and mode of something new: as if its maker had made it below.
    fn give(
        &self,
        req: &Request,
        folder: u64,
        below: &Below,
        stat: &Stat,
        mode: Option<u32>,
    ) -> SysResult<()> {
        let inherits_group = self.nodes.get(folder)?.stat()?.st_mode & 0o2000 != 0;
        let uid = Some(req.uid()).filter(|uid| *uid != stat.st_uid).map(Uid::from_raw);
        let gid = Some(req.gid()).filter(|gid| *gid != stat.st_gid && !inherits_group).map(Gid::from_raw);
        if uid.is_some() || gid.is_some() {
            rustix::fs::chownat(below, "", uid, gid, AtFlags::EMPTY_PATH)?;
        }
        // Our own mask of modes has been applied too; the program's was applied by the kernel.
        let is_folder = rustix::fs::FileType::from_raw_mode(stat.st_mode).is_dir();
        let inherited = if is_folder && inherits_group { 0o2000 } else { 0 };
        match mode.map(|mode| mode & 0o7777 | inherited) {
            Some(mode) if mode != stat.st_mode & 0o7777 => {
                rustix::fs::chmodat(CWD, below.path(), Mode::from_raw_mode(mode), AtFlags::empty())
            }
            _ => Ok(()),
        }
    }

    fn new_entry(&self, made: SysResult<(u64, Stat)>, reply: ReplyEntry) {
        match made {
            Ok((number, stat)) => reply.entry(&VALID, &attributes(number, &stat), Generation(0)),
            Err(error) => reply.error(errno(error)),
        }
    }

    fn truncate(&self, req: &Request, node: &Arc<Node>, size: u64, fh: Option<FileHandle>) -> SysResult<()> {
        let recorded = self.recording.arrived(req.pid(), node, (Operation::Truncate, size, 0));
        let handle = fh.and_then(|fh| self.files.get(fh.0).ok());
        let truncated = match handle {
            Some(open) => rustix::fs::ftruncate(&open.file, size),
            None => node.below().and_then(|below| {
                let file = File::options().write(true).open(below.path());
                rustix::fs::ftruncate(file.map_err(|error| transfer::errno(&error))?, size)
            }),
        };
        recorded.answered(0);
        node.changed.store(true, Ordering::Relaxed);
        if req.uid() != 0 {
            // Root below may keep them, but it was not root who asked.
            drop_set_ids(&node.below()?)?;
        }
        truncated
    }

    fn remove(&self, req: &Request, folder: u64, name: &OsStr, flags: AtFlags) -> SysResult<()> {
        let folder = self.nodes.get(folder)?.below()?;
        let node = self.nodes.known(&folder, name);
        // Opened while it has a name.
        let below = node.as_ref().and_then(|node| node.below().ok());
        let asked = (Operation::Remove, 0, 0);
        let recorded = node.as_ref().map(|node| self.recording.arrived(req.pid(), node, asked));
        let removed = rustix::fs::unlinkat(&folder, name, flags);
        if let Some(recorded) = recorded {
            recorded.answered(0);
        }
        if let (Ok(()), Some(node), Some(below)) = (&removed, &node, &below) {
            self.nodes.removed(node, below);
        }
        removed
    }

    fn rename_below(
        &self,
        req: &Request,
        from: (u64, &OsStr),
        to: (u64, &OsStr),
        flags: RenameFlags,
    ) -> SysResult<()> {
        let (from_folder, to_folder) = (self.nodes.get(from.0)?, self.nodes.get(to.0)?);
        let (from_below, to_below) = (from_folder.below()?, to_folder.below()?);
        let moved = self.nodes.known(&from_below, from.1);
        let replaced = self.nodes.known(&to_below, to.1).map(|node| (node.below(), node));
        let new_name = to_folder.place.path().join(to.1).to_string_lossy().into_owned();
        let recorded = moved.as_ref().map(|node| self.recording.renaming(req.pid(), node, new_name));
        let flags_below = rustix::fs::RenameFlags::from_bits_retain(flags.bits());
        let renamed = rustix::fs::renameat_with(&from_below, from.1, &to_below, to.1, flags_below);
        if let Some(recorded) = recorded {
            recorded.answered(0);
        }
        renamed?;
        if let Some(node) = &moved {
            node.place.set(&to_folder, to.1);
        }
        if let Some((below, node)) = &replaced {
            if flags.contains(RenameFlags::RENAME_EXCHANGE) {
                node.place.set(&from_folder, from.1);
            }
            if let Ok(below) = below {
                self.nodes.removed(node, below);
            }
        }
        Ok(())
    }

    fn sync(&self, req: &Request, node: &Node, file: &File, datasync: bool, reply: ReplyEmpty) {
        let recorded = self.recording.arrived(req.pid(), node, (Operation::Sync, 0, 0));
        let synced = if datasync { rustix::fs::fdatasync(file) } else { rustix::fs::fsync(file) };
        recorded.answered(0);
        done(synced, reply);
    }

    fn create_below(&self, folder: u64, name: &OsStr, mode: u32, flags: i32) -> SysResult<OwnedFd> {
        let flags =
            OFlags::from_bits_retain(flags as u32) | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = self.nodes.get(folder)?.below()?;
        rustix::fs::openat(&folder, name, flags, Mode::from_raw_mode(mode & 0o7777))
    }

    fn open_below(&self, below: &Below, flags: i32) -> SysResult<File> {
        let wanted = OFlags::from_bits_retain(flags as u32);
        let flags = (wanted - OFlags::NOFOLLOW - OFlags::CREATE - OFlags::EXCL) | OFlags::CLOEXEC;
        rustix::fs::open(below.path(), flags, Mode::empty()).map(File::from)
    }
}

impl Filesystem for PassThroughFs {
    fn init(&mut self, _req: &Request, config: &mut KernelConfig) -> std::io::Result<()> {
        negotiate(config, &[]);
        Ok(())
    }

    fn lookup(&self, _req: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        self.entry(self.nodes.look_up(parent.0, name), reply);
    }

    fn forget(&self, _req: &Request, ino: INodeNo, times: u64) {
        self.nodes.forget(ino.0, times);
    }

    fn getattr(&self, _req: &Request, ino: INodeNo, _fh: Option<FileHandle>, reply: ReplyAttr) {
        let stat = self.nodes.get(ino.0).and_then(|node| node.stat());
        give_attributes(stat.map(|stat| attributes(ino.0, &stat)), VALID, reply);
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
        fh: Option<FileHandle>,
        _crtime: Option<SystemTime>,
        _chgtime: Option<SystemTime>,
        _bkuptime: Option<SystemTime>,
        _flags: Option<fuser::BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let changed = self.nodes.get(ino.0).and_then(|node| {
            size.map_or(Ok(()), |size| self.truncate(req, &node, size, fh))?;
            Changes { mode, uid, gid, accessed, modified }.make(&node.below()?)?;
            if modified.is_some() {
                node.changed.store(true, Ordering::Relaxed);
            }
            node.stat()
        });
        give_attributes(changed.map(|stat| attributes(ino.0, &stat)), VALID, reply);
    }

    fn readlink(&self, _req: &Request, ino: INodeNo, reply: ReplyData) {
        let below = self.nodes.below(ino.0);
        let read = below.and_then(|below| rustix::fs::readlinkat(below, "", Vec::new()));
        match read {
            Ok(target) => reply.data(target.as_bytes()),
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
        let made = self.nodes.below(parent.0).and_then(|folder| {
            let kind = rustix::fs::FileType::from_raw_mode(mode);
            rustix::fs::mknodat(&folder, name, kind, Mode::from_raw_mode(mode & 0o7777), rdev.into())?;
            self.made(req, parent.0, name, Some(mode))
        });
        self.new_entry(made, reply);
    }

    fn mkdir(&self, req: &Request, parent: INodeNo, name: &OsStr, mode: u32, _umask: u32, reply: ReplyEntry) {
        let made = self.nodes.below(parent.0).and_then(|folder| {
            rustix::fs::mkdirat(&folder, name, Mode::from_raw_mode(mode & 0o7777))?;
            self.made(req, parent.0, name, Some(mode))
        });
        self.new_entry(made, reply);
    }

    fn symlink(&self, req: &Request, parent: INodeNo, name: &OsStr, target: &Path, reply: ReplyEntry) {
        let made = self.nodes.below(parent.0).and_then(|folder| {
            rustix::fs::symlinkat(target, &folder, name)?;
            self.made(req, parent.0, name, None)
        });
        self.new_entry(made, reply);
    }

    fn link(&self, _req: &Request, ino: INodeNo, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let linked = self.nodes.below(ino.0).and_then(|below| {
            let folder = self.nodes.below(parent.0)?;
            rustix::fs::linkat(CWD, below.path(), &folder, name, AtFlags::SYMLINK_FOLLOW)?;
            self.nodes.look_up(parent.0, name)
        });
        self.entry(linked, reply);
    }

    fn unlink(&self, req: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        done(self.remove(req, parent.0, name, AtFlags::empty()), reply);
    }

    fn rmdir(&self, req: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        done(self.remove(req, parent.0, name, AtFlags::REMOVEDIR), reply);
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
        done(self.rename_below(req, (parent.0, name), (new_parent.0, new_name), flags), reply);
    }

    fn open(&self, _req: &Request, ino: INodeNo, flags: OpenFlags, reply: ReplyOpen) {
        let opened = self.nodes.get(ino.0).and_then(|node| {
            let file = self.open_below(&node.below()?, flags.0)?;
            let is_as_before = node.is_as_before(&rustix::fs::fstat(&file)?);
            let number = self.files.insert(OpenFile::new(file, node, flags.0));
            Ok((number, fopen_flags(flags, is_as_before)))
        });
        match opened {
            Ok((number, how)) => reply.opened(FileHandle(number), how),
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
        let created = self.create_below(parent.0, name, mode, flags).and_then(|fd| {
            let (number, stat) = self.made(req, parent.0, name, Some(mode))?;
            let node = self.nodes.get(number)?;
            let handle = self.files.insert(OpenFile::new(File::from(fd), node, flags));
            Ok((number, stat, handle))
        });
        match created {
            Ok((number, stat, handle)) => {
                let (attr, how) = (attributes(number, &stat), fopen_flags(OpenFlags(flags), true));
                reply.created(&VALID, &attr, Generation(0), FileHandle(handle), how);
            }
            Err(error) => reply.error(errno(error)),
        }
    }

    fn read(
        &self,
        req: &Request,
        _ino: INodeNo,
        fh: FileHandle,
        offset: u64,
        size: u32,
        flags: OpenFlags,
        _lock_owner: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let open = match self.files.get(fh.0).and_then(|open| open.follow(flags.0).map(|()| open)) {
            Ok(open) => open,
            Err(error) => return reply.error(errno(error)),
        };
        let asked = (Operation::Read, offset, size.into());
        let recorded = self.recording.arrived(req.pid(), &open.node, asked);
        buffer::with(size as usize, |buffer| match transfer::read(&open.file, buffer, offset) {
            Ok(got) => {
                recorded.answered(got as u64);
                reply.data(&buffer[..got]);
            }
            Err(error) => {
                recorded.answered(0);
                reply.error(errno(transfer::errno(&error)));
            }
        });
    }

    fn write(
        &self,
        req: &Request,
        _ino: INodeNo,
        fh: FileHandle,
        offset: u64,
        data: &[u8],
        write_flags: WriteFlags,
        flags: OpenFlags,
        _lock_owner: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let open = match self.files.get(fh.0) {
            Ok(open) => open,
            Err(error) => return reply.error(errno(error)),
        };
        // What the kernel writes back from its cache is synced by the kernel, and has no flags of a program.
        let from_cache = write_flags.contains(WriteFlags::FUSE_WRITE_CACHE);
        let durable = !from_cache && is_durable(flags);
        let operation = if durable { Operation::DurableWrite } else { Operation::Write };
        let asked = (operation, offset, data.len() as u64);
        let recorded = self.recording.arrived(req.pid(), &open.node, asked);
        let followed = if from_cache { Ok(()) } else { open.follow(flags.0) };
        let written = followed.and_then(|()| transfer::write(&open, data, offset, from_cache));
        recorded.answered(*written.as_ref().unwrap_or(&0) as u64);
        open.node.changed.store(true, Ordering::Relaxed);
        if write_flags.contains(WriteFlags::FUSE_WRITE_KILL_SUIDGID) {
            let _ = open.node.below().and_then(|below| drop_set_ids(&below));
        }
        match written {
            Ok(written) => reply.written(written as u32),
            Err(error) => reply.error(errno(error)),
        }
    }

    fn flush(&self, _req: &Request, _ino: INodeNo, _fh: FileHandle, _owner: LockOwner, reply: ReplyEmpty) {
        // Nothing is held back here; told so once, the kernel does not ask again.
        reply.error(Errno::ENOSYS);
    }

    fn release(
        &self,
        _req: &Request,
        _ino: INodeNo,
        fh: FileHandle,
        _flags: OpenFlags,
        _lock_owner: Option<LockOwner>,
        _flush: bool,
        reply: ReplyEmpty,
    ) {
        self.files.remove(fh.0);
        reply.ok();
    }

    fn fsync(&self, req: &Request, _ino: INodeNo, fh: FileHandle, datasync: bool, reply: ReplyEmpty) {
        match self.files.get(fh.0) {
            Ok(open) => self.sync(req, &open.node, &open.file, datasync, reply),
            Err(error) => reply.error(errno(error)),
        }
    }

    fn fsyncdir(&self, req: &Request, _ino: INodeNo, fh: FileHandle, datasync: bool, reply: ReplyEmpty) {
        match self.folders.get(fh.0) {
            Ok(open) => self.sync(req, &open.node, &open.file, datasync, reply),
            Err(error) => reply.error(errno(error)),
        }
    }

    fn opendir(&self, _req: &Request, ino: INodeNo, _flags: OpenFlags, reply: ReplyOpen) {
        let opened = self.nodes.get(ino.0).and_then(|node| {
            let file = File::from(open_listing(&node.below()?)?);
            Ok(OpenFolder { file, node, listed: std::sync::Mutex::default() })
        });
        match opened {
            Ok(open) => reply.opened(FileHandle(self.folders.insert(open)), FopenFlags::empty()),
            Err(error) => reply.error(errno(error)),
        }
    }

    fn readdir(&self, _req: &Request, _ino: INodeNo, fh: FileHandle, offset: u64, mut reply: ReplyDirectory) {
        let open = match self.folders.get(fh.0) {
            Ok(open) => open,
            Err(error) => return reply.error(errno(error)),
        };
        // From the first on it is read anew, as rewinddir wants it.
        if offset == 0
            && let Err(error) = open.list()
        {
            return reply.error(errno(error));
        }
        let listed = open.listed.lock().unwrap_or_else(PoisonError::into_inner);
        for (i, entry) in (1..).zip(listed.iter()).skip(offset as usize) {
            let number = INodeNo(self.nodes.number_of_listed(entry.inode));
            if reply.add(number, i, entry.kind, &entry.name) {
                break;
            }
        }
        drop(listed);
        reply.ok();
    }

    fn releasedir(
        &self,
        _req: &Request,
        _ino: INodeNo,
        fh: FileHandle,
        _flags: OpenFlags,
        reply: ReplyEmpty,
    ) {
        self.folders.remove(fh.0);
        reply.ok();
    }

    fn statfs(&self, _req: &Request, _ino: INodeNo, reply: ReplyStatfs) {
        match self.nodes.below(ROOT).and_then(rustix::fs::fstatvfs) {
            Ok(s) => reply.statfs(
                s.f_blocks,
                s.f_bfree,
                s.f_bavail,
                s.f_files,
                s.f_ffree,
                s.f_bsize as u32,
                s.f_namemax as u32,
                s.f_frsize as u32,
            ),
            Err(error) => reply.error(errno(error)),
        }
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
        let below = self.nodes.below(ino.0);
        done(below.and_then(|below| rustix::fs::setxattr(below.path(), name, value, flags)), reply);
    }

    fn getxattr(&self, _req: &Request, ino: INodeNo, name: &OsStr, size: u32, reply: ReplyXattr) {
        let mut value = vec![0; size as usize];
        let got =
            self.nodes.below(ino.0).and_then(|below| rustix::fs::getxattr(below.path(), name, &mut value));
        give_xattr(got, &value, size, reply);
    }

    fn listxattr(&self, _req: &Request, ino: INodeNo, size: u32, reply: ReplyXattr) {
        let mut names = vec![0; size as usize];
        let got = self.nodes.below(ino.0).and_then(|below| rustix::fs::listxattr(below.path(), &mut names));
        give_xattr(got, &names, size, reply);
    }

    fn removexattr(&self, _req: &Request, ino: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        let below = self.nodes.below(ino.0);
        done(below.and_then(|below| rustix::fs::removexattr(below.path(), name)), reply);
    }

    fn fallocate(
        &self,
        req: &Request,
        _ino: INodeNo,
        fh: FileHandle,
        offset: u64,
        length: u64,
        mode: i32,
        reply: ReplyEmpty,
    ) {
        let allocated = self.files.get(fh.0).and_then(|open| {
            let mode = FallocateFlags::from_bits_retain(mode as u32);
            let discards = mode.intersects(FallocateFlags::PUNCH_HOLE | FallocateFlags::ZERO_RANGE);
            let operation = if discards { Operation::Discard } else { Operation::Allocate };
            let recorded = self.recording.arrived(req.pid(), &open.node, (operation, offset, length));
            let allocated = rustix::fs::fallocate(&open.file, mode, offset, length);
            recorded.answered(0);
            open.node.changed.store(true, Ordering::Relaxed);
            allocated
        });
        done(allocated, reply);
    }

    fn lseek(
        &self,
        _req: &Request,
        _ino: INodeNo,
        fh: FileHandle,
        offset: i64,
        whence: i32,
        reply: ReplyLseek,
    ) {
        let found = SeekTarget::new(offset, whence).and_then(|target| {
            let from = match target {
                SeekTarget::Data(offset) => rustix::fs::SeekFrom::Data(offset),
                SeekTarget::Hole(offset) => rustix::fs::SeekFrom::Hole(offset),
            };
            rustix::fs::seek(&self.files.get(fh.0)?.file, from)
        });
        match found {
            Ok(found) => reply.offset(found as i64),
            Err(error) => reply.error(errno(error)),
        }
    }
}
