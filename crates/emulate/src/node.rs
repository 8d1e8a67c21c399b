//! Nodes: files, directories and what else a directory may hold.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use crate::content::Content;
use crate::extents::FileMap;

/// Number of a node. Numbers are never used again: what the kernel still knows of nodes from before a power
/// cut finds nothing.
pub(crate) type Ino = u64;

/// The root of the mount.
pub(crate) const ROOT: Ino = 1;

/// Owner, mode and times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Attributes {
    /// The twelve bits of permissions.
    pub(crate) mode: u32,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    pub(crate) accessed: SystemTime,
    pub(crate) modified: SystemTime,
    pub(crate) changed: SystemTime,
}

/// What a file is made of.
#[derive(Debug)]
pub(crate) struct FileData {
    state: Mutex<FileState>,
}

/// What the lock of a file guards.
#[derive(Debug)]
pub(crate) struct FileState {
    pub(crate) content: Content,
    pub(crate) map: FileMap,
    /// When it was last written, where that is later than its attributes say.
    pub(crate) written: Option<SystemTime>,
    /// Whether the volume knows that changes wait.
    pub(crate) in_backlog: bool,
}

impl FileData {
    pub(crate) fn new(content: Content) -> Arc<FileData> {
        let state = FileState { content, map: FileMap::default(), written: None, in_backlog: false };
        Arc::new(FileData { state: Mutex::new(state) })
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, FileState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a node is.
#[derive(Debug, Clone)]
pub(crate) enum Kind {
    File(Arc<FileData>),
    Directory(BTreeMap<OsString, Ino>),
    Symlink(OsString),
    /// A pipe, a socket or a device: the bits of its mode that say which, and its device number.
    Special(u32, u64),
}

/// A file, a directory or another thing with a name.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    pub(crate) attributes: Attributes,
    /// Names it has; of a directory 1, or 0 when it is gone.
    pub(crate) names: u32,
    /// Of a directory: the one it is in.
    pub(crate) parent: Ino,
    /// Of a directory: those in it. They are not counted again whenever somebody looks: there may be many
    /// files.
    pub(crate) folders: u32,
    pub(crate) xattrs: BTreeMap<OsString, Vec<u8>>,
    /// Open handles.
    pub(crate) handles: u32,
    /// Those of them that can write: the kernel may have bytes that it has not written yet.
    pub(crate) writers: u32,
    /// How often the kernel has learnt of it and not yet forgotten.
    pub(crate) known: u64,
}

impl Node {
    pub(crate) fn new(kind: Kind, attributes: Attributes, parent: Ino) -> Node {
        Node {
            kind,
            attributes,
            names: 1,
            parent,
            folders: 0,
            xattrs: BTreeMap::new(),
            handles: 0,
            writers: 0,
            known: 0,
        }
    }

    /// No program can reach it any more.
    pub(crate) fn is_gone(&self) -> bool {
        self.names == 0 && self.handles == 0
    }
}
