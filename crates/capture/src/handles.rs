//! What programs have open.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use fuser::FileType;
use leadline_fuse::{SysResult, kind_of};
use rustix::fs::OFlags;

use crate::nodes::Node;

/// Flags that a program can change while a file is open and that the file below must have too.
const CHANGEABLE: OFlags = OFlags::APPEND.union(OFlags::DIRECT);

/// An open file.
#[derive(Debug)]
pub(crate) struct OpenFile {
    pub(crate) file: File,
    pub(crate) node: Arc<Node>,
    /// As the file has them.
    flags: AtomicI32,
    changing: Mutex<()>,
}

/// An entry of a directory.
#[derive(Debug)]
pub(crate) struct Listed {
    pub(crate) inode: u64,
    pub(crate) kind: FileType,
    pub(crate) name: OsString,
}

/// An open directory; its entries as they were when they were read from the first on.
#[derive(Debug)]
pub(crate) struct OpenFolder {
    pub(crate) file: File,
    pub(crate) node: Arc<Node>,
    pub(crate) listed: Mutex<Vec<Listed>>,
}

impl OpenFile {
    pub(crate) fn new(file: File, node: Arc<Node>, flags: i32) -> OpenFile {
        node.opens.fetch_add(1, Ordering::Release);
        OpenFile { file, node, flags: AtomicI32::new(flags), changing: Mutex::new(()) }
    }

    /// Follows what the program has changed with `fcntl` since.
    pub(crate) fn follow(&self, flags: i32) -> SysResult<()> {
        let is_followed = || (self.flags.load(Ordering::Acquire) ^ flags) as u32 & CHANGEABLE.bits() == 0;
        if is_followed() {
            return Ok(());
        }
        // One at a time: what is noted is what the file has.
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        if is_followed() {
            return Ok(());
        }
        let wanted = OFlags::from_bits_retain(flags as u32) & CHANGEABLE;
        let now = rustix::fs::fcntl_getfl(&self.file)?;
        rustix::fs::fcntl_setfl(&self.file, (now - CHANGEABLE) | wanted)?;
        self.flags.store(flags, Ordering::Release);
        Ok(())
    }
}

impl Drop for OpenFile {
    fn drop(&mut self) {
        self.node.opens.fetch_sub(1, Ordering::Release);
    }
}

impl OpenFolder {
    /// Reads the entries again.
    pub(crate) fn list(&self) -> SysResult<()> {
        let mut listed = Vec::new();
        for entry in rustix::fs::Dir::read_from(&self.file)? {
            let entry = entry?;
            listed.push(Listed {
                inode: entry.ino(),
                kind: kind_of(entry.file_type()),
                name: OsStr::from_bytes(entry.file_name().to_bytes()).to_owned(),
            });
        }
        *self.listed.lock().unwrap_or_else(PoisonError::into_inner) = listed;
        Ok(())
    }
}
