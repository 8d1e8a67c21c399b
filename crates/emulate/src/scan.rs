//! Reading the backing directory into memory: when it is mounted, and after a power cut.

use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::SeekFrom;

use crate::content::Content;
use crate::durable::{Durable, is_reserved};
use crate::extents::Allocator;
use crate::layout::Layout;
use crate::node::{Attributes, FileData, Ino, Kind, Node, ROOT};
use crate::tree::Tree;

/// Why a directory cannot be read.
#[derive(Debug)]
pub(crate) enum ScanError {
    Io(PathBuf, io::Error),
    /// Its files do not fit the device.
    TooLarge,
}

/// Attributes of the backing directory itself.
pub(crate) fn root_attributes(path: &Path) -> io::Result<Attributes> {
    Ok(attributes(&std::fs::metadata(path)?))
}

fn attributes(metadata: &Metadata) -> Attributes {
    Attributes {
        mode: metadata.mode() & 0o7777,
        uid: metadata.uid(),
        gid: metadata.gid(),
        accessed: time(metadata.atime(), metadata.atime_nsec()),
        modified: time(metadata.mtime(), metadata.mtime_nsec()),
        changed: time(metadata.ctime(), metadata.ctime_nsec()),
    }
}

fn time(seconds: i64, nanos: i64) -> SystemTime {
    let nanos = Duration::from_nanos(nanos.unsigned_abs());
    let whole = Duration::from_secs(seconds.unsigned_abs());
    if seconds >= 0 { UNIX_EPOCH + whole + nanos } else { UNIX_EPOCH - whole + nanos }
}

/// Takes up everything in the directory; files get blocks of the device. What is left of it.
pub(crate) fn scan(
    path: &Path,
    tree: &mut Tree,
    durable: &mut Durable,
    layout: &Layout,
) -> Result<Allocator, ScanError> {
    let allocator = layout.allocator();
    let mut scan = Scan { root: path, tree, durable, layout, allocator, linked: HashMap::new() };
    scan.directory(path, ROOT)?;
    Ok(scan.allocator)
}

struct Scan<'a> {
    root: &'a Path,
    tree: &'a mut Tree,
    durable: &'a mut Durable,
    layout: &'a Layout,
    allocator: Allocator,
    /// Files of several names, by device and inode.
    linked: HashMap<(u64, u64), Ino>,
}

impl Scan<'_> {
    fn directory(&mut self, path: &Path, dir: Ino) -> Result<(), ScanError> {
        let failed = |error| ScanError::Io(path.to_owned(), error);
        // In the order of their names: the layout on the device is then the same every time.
        let mut names: Vec<OsString> = std::fs::read_dir(path)
            .map_err(failed)?
            .map(|entry| entry.map(|entry| entry.file_name()))
            .collect::<io::Result<_>>()
            .map_err(failed)?;
        names.sort_unstable();
        for name in names {
            if is_reserved(dir, &name) {
                continue;
            }
            let child = path.join(&name);
            let failed = |error| ScanError::Io(child.clone(), error);
            let metadata = std::fs::symlink_metadata(&child).map_err(failed)?;
            let (ino, new) = self.node(&child, &metadata, dir)?;
            self.tree.found(dir, &name, ino).map_err(|error| failed(error.into()))?;
            self.durable.found(dir, &name, ino);
            if new && metadata.is_dir() {
                self.directory(&child, ino)?;
            }
        }
        Ok(())
    }

    /// The node, and whether it was not known yet.
    fn node(&mut self, path: &Path, metadata: &Metadata, dir: Ino) -> Result<(Ino, bool), ScanError> {
        let failed = |error| ScanError::Io(path.to_owned(), error);
        let key = (metadata.dev(), metadata.ino());
        if let Some(&ino) = self.linked.get(&key) {
            if let Ok(node) = self.tree.node_mut(ino) {
                node.names += 1;
            }
            return Ok((ino, false));
        }
        let kind = if metadata.is_dir() {
            Kind::Directory(BTreeMap::new())
        } else if metadata.is_symlink() {
            Kind::Symlink(std::fs::read_link(path).map_err(failed)?.into_os_string())
        } else if metadata.file_type().is_file() {
            let file = FileData::new(Content::new(metadata.len()));
            let from_root = path.strip_prefix(self.root).unwrap_or(path);
            let mut state = file.lock();
            state.map.zone = Some(self.layout.zone(from_root.as_os_str()));
            for (offset, len) in data(path, metadata) {
                if !state.map.fill(&mut self.allocator, offset, len) {
                    return Err(ScanError::TooLarge);
                }
            }
            drop(state);
            Kind::File(file)
        } else {
            debug_assert!(
                metadata.file_type().is_fifo() || metadata.file_type().is_socket() || metadata.rdev() != 0
            );
            Kind::Special(metadata.mode() & 0o170_000, metadata.rdev())
        };
        let mut node = Node::new(kind, attributes(metadata), dir);
        if !matches!(node.kind, Kind::Special(..) | Kind::Symlink(_)) {
            node.xattrs = xattrs(path).map_err(failed)?;
        }
        let ino = self.tree.insert(node);
        if metadata.nlink() > 1 && !metadata.is_dir() {
            self.linked.insert(key, ino);
        }
        Ok((ino, true))
    }
}

/// Offset and length of each part of a file that is no hole; all of it where its file system does not tell.
fn data(path: &Path, metadata: &Metadata) -> Vec<(u64, u64)> {
    let len = metadata.len();
    if metadata.blocks() * 512 >= len {
        return vec![(0, len)];
    }
    let parts = || -> io::Result<Vec<(u64, u64)>> {
        let (file, mut parts, mut at) = (File::open(path)?, Vec::new(), 0);
        loop {
            at = match rustix::fs::seek(&file, SeekFrom::Data(at)) {
                Ok(data) if data < len => data,
                Ok(_) | Err(rustix::io::Errno::NXIO) => return Ok(parts),
                Err(error) => return Err(error.into()),
            };
            let end = rustix::fs::seek(&file, SeekFrom::Hole(at))?.min(len);
            parts.push((at, end - at));
            at = end;
        }
    };
    parts().unwrap_or_else(|_| vec![(0, len)])
}

/// The extended attributes of a file or directory; none where its file system has none.
fn xattrs(path: &Path) -> io::Result<BTreeMap<OsString, Vec<u8>>> {
    let file = File::open(path)?;
    let mut names = vec![0; 64 << 10];
    let len = match rustix::fs::flistxattr(file.as_fd(), &mut names[..]) {
        Ok(len) => len,
        Err(rustix::io::Errno::NOTSUP) => 0,
        Err(error) => return Err(error.into()),
    };
    let mut found = BTreeMap::new();
    for name in names[..len].split(|&byte| byte == 0).filter(|name| !name.is_empty()) {
        let name = OsStr::from_bytes(name);
        let mut value = vec![0; 64 << 10];
        if let Ok(len) = rustix::fs::fgetxattr(file.as_fd(), name, &mut value[..]) {
            value.truncate(len);
            found.insert(name.to_owned(), value);
        }
    }
    Ok(found)
}
