//! Names and attributes, as the kernel wants them and changes them.

use std::ffi::OsStr;
use std::time::SystemTime;

use fuser::{FileAttr, FileType, INodeNo, Request, TimeOrNow};
use leadline_fuse::{SET_IDS, SysResult, kind_of, without_set_ids};
use leadline_trace::capture::Operation;
use rustix::fs::XattrFlags;
use rustix::io::Errno;

use super::EmulatedFs;
use crate::answer::PROBE_BYTES;
use crate::drive::Listed;
use crate::extents::BLOCK_BYTES;
use crate::node::{Attributes, Ino, Kind};
use crate::tree::Tree;

/// The file that measures what the kernel and FUSE take.
pub(super) const PROBE: Ino = u64::MAX;

/// What a program wants to change of a file's attributes.
pub(super) struct Wanted {
    pub(super) mode: Option<u32>,
    pub(super) uid: Option<u32>,
    pub(super) gid: Option<u32>,
    pub(super) accessed: Option<TimeOrNow>,
    pub(super) modified: Option<TimeOrNow>,
}

impl EmulatedFs {
    pub(super) fn attr(&self, ino: Ino) -> SysResult<FileAttr> {
        if ino == PROBE {
            return Ok(probe_attr());
        }
        let (attributes, len, bytes) = self.drive.volume.attributes(ino)?;
        let tree = self.drive.volume.tree();
        let node = tree.node(ino)?;
        let (kind, nlink, rdev) = match &node.kind {
            Kind::Directory(_) => {
                (FileType::Directory, if node.names == 0 { 0 } else { 2 + node.folders }, 0)
            }
            Kind::File(_) => (FileType::RegularFile, node.names, 0),
            Kind::Symlink(_) => (FileType::Symlink, node.names, 0),
            Kind::Special(bits, device) => (special(*bits), node.names, *device as u32),
        };
        Ok(FileAttr {
            ino: INodeNo(ino),
            size: len,
            blocks: bytes / 512,
            atime: attributes.accessed,
            mtime: attributes.modified,
            ctime: attributes.changed,
            crtime: attributes.changed,
            kind,
            perm: attributes.mode as u16,
            nlink,
            uid: attributes.uid,
            gid: attributes.gid,
            rdev,
            blksize: BLOCK_BYTES as u32,
            flags: 0,
        })
    }

    /// Makes a node with a name.
    pub(super) fn make(
        &self,
        req: &Request,
        dir: INodeNo,
        name: &OsStr,
        mode: u32,
        kind: Kind,
    ) -> SysResult<Ino> {
        let owner = (mode, req.uid(), req.gid());
        self.drive.volume.change_names(|tree| Ok((tree.create(dir.0, name, kind, owner)?, None)))
    }

    /// Who changes a program must not leave it with the rights of another user. The kernel is told, as it
    /// knows the old mode still.
    pub(super) fn drop_set_ids(&self, req: &Request, ino: Ino) {
        let Ok((Attributes { mode, gid, .. }, ..)) = self.drive.volume.attributes(ino) else { return };
        let kept = without_set_ids(mode, gid == req.gid());
        if mode & SET_IDS != 0 && kept != mode {
            // It is there, as its attributes were.
            let _ = self.set_attributes(ino, |attributes| attributes.mode = kept);
            self.drive.attributes_changed(ino);
        }
    }

    fn set_attributes(&self, ino: Ino, change: impl FnOnce(&mut Attributes)) -> SysResult<()> {
        let (mut attributes, ..) = self.drive.volume.attributes(ino)?;
        change(&mut attributes);
        attributes.changed = SystemTime::now();
        self.drive.volume.change_names(|tree| {
            tree.set_attributes(ino, attributes)?;
            if let Ok(file) = tree.file(ino) {
                file.lock().written = None;
            }
            Ok(((), None))
        })
    }

    /// Changes mode, owner and times.
    pub(super) fn change_attributes(&self, req: &Request, ino: Ino, wanted: Wanted) -> SysResult<()> {
        let Wanted { mode, uid, gid, accessed, modified } = wanted;
        if mode.is_none() && uid.is_none() && gid.is_none() && accessed.is_none() && modified.is_none() {
            return Ok(());
        }
        let is_file = self.drive.volume.tree().file(ino).is_ok();
        self.set_attributes(ino, |attributes| {
            if is_file && (uid.is_some() || gid.is_some()) {
                let keeps_group = req.uid() == 0 || attributes.gid == req.gid();
                attributes.mode = without_set_ids(attributes.mode, keeps_group);
            }
            attributes.mode = mode.map_or(attributes.mode, |mode| mode & 0o7777);
            attributes.uid = uid.unwrap_or(attributes.uid);
            attributes.gid = gid.unwrap_or(attributes.gid);
            attributes.accessed = accessed.map_or(attributes.accessed, moment);
            attributes.modified = modified.map_or(attributes.modified, moment);
        })
    }

    /// Gives a file an extended attribute, which it must not or must have already where `flags` say so.
    pub(super) fn set_xattr(&self, ino: Ino, name: &OsStr, value: &[u8], flags: XattrFlags) -> SysResult<()> {
        let (create, replace) = (flags.contains(XattrFlags::CREATE), flags.contains(XattrFlags::REPLACE));
        self.drive.volume.change_names(|tree| {
            match tree.node(ino)?.xattrs.contains_key(name) {
                true if create => return Err(Errno::EXIST),
                false if replace => return Err(Errno::NODATA),
                _ => tree.set_xattr(ino, name, Some(value.to_owned()))?,
            }
            Ok(((), None))
        })
    }

    /// Opens a directory: its entries now.
    pub(super) fn list(&self, ino: Ino) -> SysResult<Vec<Listed>> {
        self.drive.volume.open_node(ino, false)?;
        let tree = self.drive.volume.tree();
        let parent = tree.node(ino)?.parent;
        let mut entries = vec![
            (ino, FileType::Directory, OsStr::new(".").to_owned()),
            (parent, FileType::Directory, OsStr::new("..").to_owned()),
        ];
        let inside = tree.entries(ino)?.iter();
        entries.extend(inside.map(|(name, &ino)| (ino, kind_in(&tree, ino), name.clone())));
        Ok(entries)
    }

    pub(super) fn remove(
        &self,
        req: &Request,
        parent: INodeNo,
        name: &OsStr,
        directory: bool,
    ) -> SysResult<()> {
        let found = self.drive.volume.tree().lookup(parent.0, name)?;
        self.recorded(req, found, (Operation::Remove, 0, 0), || {
            self.drive.volume.change_names(|tree| Ok(((), Some(tree.remove(parent.0, name, directory)?))))
        })
    }
}

fn moment(time: TimeOrNow) -> SystemTime {
    match time {
        TimeOrNow::SpecificTime(time) => time,
        TimeOrNow::Now => SystemTime::now(),
    }
}

fn special(bits: u32) -> FileType {
    kind_of(rustix::fs::FileType::from_raw_mode(bits))
}

fn kind_in(tree: &Tree, ino: Ino) -> FileType {
    match tree.node(ino).map(|node| &node.kind) {
        Ok(Kind::Directory(_)) => FileType::Directory,
        Ok(Kind::Symlink(_)) => FileType::Symlink,
        Ok(Kind::Special(bits, _)) => special(*bits),
        Ok(Kind::File(_)) | Err(_) => FileType::RegularFile,
    }
}

/// Of the file that measures.
pub(super) fn probe_attr() -> FileAttr {
    let epoch = SystemTime::UNIX_EPOCH;
    FileAttr {
        ino: INodeNo(PROBE),
        size: PROBE_BYTES as u64,
        blocks: 8,
        atime: epoch,
        mtime: epoch,
        ctime: epoch,
        crtime: epoch,
        kind: FileType::RegularFile,
        perm: 0o400,
        nlink: 1,
        uid: rustix::process::geteuid().as_raw(),
        gid: rustix::process::getegid().as_raw(),
        rdev: 0,
        blksize: BLOCK_BYTES as u32,
        flags: 0,
    }
}
