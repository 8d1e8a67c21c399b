//! The files and directories that the kernel knows.

mod descriptors;
mod place;

use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use leadline_fuse::SysResult;
use rustix::fs::{Mode, OFlags, Stat};
use rustix::io::Errno;

pub(crate) use self::descriptors::Below;
use self::descriptors::Descriptors;
use self::place::Place;

/// The captured directory.
pub(crate) const ROOT: u64 = 1;

/// Numbers of files on other file systems that are mounted below the directory begin here.
const FOREIGN: u64 = 1 << 63;

/// Opens what leads to a file and does not read it.
const LEADS_TO: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// A file system and a file on it.
type Key = (u64, u64);

/// A file or directory.
#[derive(Debug)]
pub(crate) struct Node {
    /// None while it is closed for others' sake.
    below: Mutex<Option<Below>>,
    descriptors: Arc<Descriptors>,
    /// How often programs have it open.
    pub(crate) opens: AtomicU64,
    /// Stands for the file in the capture, even after the kernel has forgotten it.
    pub(crate) serial: u64,
    pub(crate) place: Place,
    /// How it was when it was opened last: seconds and nanoseconds of its change, its length.
    seen: Mutex<Option<(i64, u64, i64)>>,
    /// Whether it was changed through the mount since.
    pub(crate) changed: AtomicBool,
    key: Key,
}

/// All that the kernel knows.
#[derive(Debug)]
pub(crate) struct Nodes {
    device: u64,
    serial: AtomicU64,
    table: Mutex<Table>,
    descriptors: Arc<Descriptors>,
}

#[derive(Debug, Default)]
struct Table {
    known: HashMap<u64, (Arc<Node>, u64)>,
    /// Serials of files, also of those that the kernel has forgotten.
    serials: HashMap<Key, u64>,
}

impl Node {
    fn new(fd: OwnedFd, (key, serial): (Key, u64), place: Place, descriptors: &Arc<Descriptors>) -> Node {
        Node {
            below: Mutex::new(Some(Below::new(fd))),
            descriptors: Arc::clone(descriptors),
            opens: AtomicU64::new(0),
            serial,
            place,
            seen: Mutex::default(),
            changed: AtomicBool::new(false),
            key,
        }
    }

    /// The file below the mount, opened again by its name where it was closed. `ESTALE` where another file
    /// has the name by now: the kernel then looks it up once more.
    pub(crate) fn below(self: &Arc<Node>) -> SysResult<Below> {
        if let Some(below) = &*self.lock() {
            return Ok(below.clone());
        }
        let (folder, name) = self.place.get().ok_or(Errno::STALE)?;
        let fd = rustix::fs::openat(folder.below()?, &name, LEADS_TO, Mode::empty());
        let fd = fd.map_err(|error| if error == Errno::NOENT { Errno::STALE } else { error })?;
        let stat = rustix::fs::fstat(&fd)?;
        if (stat.st_dev, stat.st_ino) != self.key {
            return Err(Errno::STALE);
        }
        Ok(self.reopened(fd))
    }

    /// Takes `fd`, which leads to it, unless it is open.
    fn reopened(self: &Arc<Node>, fd: OwnedFd) -> Below {
        let mut held = self.lock();
        if let Some(below) = &*held {
            return below.clone();
        }
        let below = held.insert(Below::new(fd)).clone();
        drop(held);
        self.descriptors.opened(self);
        below
    }

    /// Closes it; false where programs have it open, since then it may have no name any more.
    pub(crate) fn close(&self) -> bool {
        let is_unused = self.opens.load(Ordering::Acquire) == 0;
        if is_unused {
            *self.lock() = None;
        }
        is_unused
    }

    pub(crate) fn stat(self: &Arc<Node>) -> SysResult<Stat> {
        rustix::fs::fstat(self.below()?)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Below>> {
        self.below.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Its name in the capture.
    pub(crate) fn name(&self) -> String {
        self.place.path().to_string_lossy().into_owned()
    }

    /// Whether nobody changed it behind the mount's back since it was opened last, so that what the kernel
    /// has in its cache is right.
    pub(crate) fn is_as_before(&self, now: &Stat) -> bool {
        let now = (now.st_mtime, now.st_mtime_nsec, now.st_size);
        let changed_here = self.changed.swap(false, Ordering::Relaxed);
        let before = self.seen.lock().unwrap_or_else(PoisonError::into_inner).replace(now);
        changed_here || before.is_none_or(|before| before == now)
    }
}

impl Nodes {
    /// With the captured directory itself.
    pub(crate) fn new(folder: OwnedFd) -> SysResult<Nodes> {
        let stat = rustix::fs::fstat(&folder)?;
        let key = (stat.st_dev, stat.st_ino);
        let descriptors = Arc::new(Descriptors::default());
        // It is not among the descriptors that may be closed: it has no name to be opened again by.
        let root = Node::new(folder, (key, 0), Place::default(), &descriptors);
        let mut table = Table::default();
        table.serials.insert(key, 0);
        table.known.insert(ROOT, (Arc::new(root), 1));
        Ok(Nodes { device: stat.st_dev, serial: AtomicU64::new(0), table: Mutex::new(table), descriptors })
    }

    pub(crate) fn get(&self, number: u64) -> SysResult<Arc<Node>> {
        self.table().known.get(&number).map(|(node, _)| Arc::clone(node)).ok_or(Errno::STALE)
    }

    /// Looks a name up; the kernel is told once more of the file.
    pub(crate) fn look_up(&self, folder: u64, name: &OsStr) -> SysResult<(u64, Stat, Arc<Node>)> {
        let folder = self.get(folder)?;
        let fd = rustix::fs::openat(folder.below()?, name, LEADS_TO, Mode::empty())?;
        let stat = rustix::fs::fstat(&fd)?;
        let key = (stat.st_dev, stat.st_ino);
        let mut table = self.table();
        let serial = *table.serials.entry(key).or_insert_with(|| self.next_serial());
        let number = self.number(key, serial);
        let (node, fd) = match table.known.get_mut(&number) {
            Some((node, times)) => {
                *times += 1;
                (Arc::clone(node), Some(fd))
            }
            None => {
                let place = Place::new(&folder, name);
                let node = Arc::new(Node::new(fd, (key, serial), place, &self.descriptors));
                table.known.insert(number, (Arc::clone(&node), 1));
                (node, None)
            }
        };
        drop(table);
        node.place.set(&folder, name);
        match fd {
            Some(fd) => drop(node.reopened(fd)),
            None => self.descriptors.opened(&node),
        }
        Ok((number, stat, node))
    }

    /// The number of a file that is listed in `folder`, which may be another one where a file system is
    /// mounted on it.
    pub(crate) fn number_of_listed(&self, inode: u64) -> u64 {
        if inode == ROOT { FOREIGN } else { inode }
    }

    /// What is called that, if the kernel knows it.
    pub(crate) fn known(&self, folder: &Below, name: &OsStr) -> Option<Arc<Node>> {
        let stat = rustix::fs::statat(folder, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW).ok()?;
        let key = (stat.st_dev, stat.st_ino);
        let table = self.table();
        let serial = *table.serials.get(&key)?;
        table.known.get(&self.number(key, serial)).map(|(node, _)| Arc::clone(node))
    }

    /// The kernel has forgotten the file as often as it was told of it.
    pub(crate) fn forget(&self, number: u64, times: u64) {
        let mut table = self.table();
        let Some((_, left)) = table.known.get_mut(&number).filter(|_| number != ROOT) else { return };
        *left = left.saturating_sub(times);
        let gone = if *left == 0 { table.known.remove(&number) } else { None };
        drop(table);
        drop(gone);
    }

    /// A name of a file was removed. If it was the last, another file may get its number.
    pub(crate) fn removed(&self, node: &Node, below: &Below) {
        if rustix::fs::fstat(below).is_ok_and(|stat| stat.st_nlink == 0) {
            self.table().serials.remove(&node.key);
        }
    }

    /// The file below of what has this number.
    pub(crate) fn below(&self, number: u64) -> SysResult<Below> {
        self.get(number)?.below()
    }

    fn number(&self, (device, inode): Key, serial: u64) -> u64 {
        match serial {
            0 => ROOT,
            _ if device == self.device && inode > ROOT && inode < FOREIGN => inode,
            _ => FOREIGN | serial,
        }
    }

    fn next_serial(&self) -> u64 {
        self.serial.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Opens a directory that is not to be looked up by its path any more.
pub(crate) fn open_folder(path: &Path) -> SysResult<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, Mode::empty())
}

/// A directory, opened to be read.
pub(crate) fn open_listing(folder: &Below) -> SysResult<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::openat(folder.as_fd(), ".", flags, Mode::empty())
}
