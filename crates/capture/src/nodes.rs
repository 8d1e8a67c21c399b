//! The files and folders that the kernel knows, each held open by a descriptor that reads nothing (`O_PATH`):
//! it leads to the file below the mount whatever it is called by now. The kernel is asked to forget files
//! before there are more of them than this process may have descriptors.

use std::collections::{HashMap, VecDeque};
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use leadline_fuse::SysResult;
use rustix::fs::{FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use rustix::process::{Resource, getrlimit};

use crate::place::Place;

/// The captured folder.
pub(crate) const ROOT: u64 = 1;

/// Numbers of files on other file systems that are mounted below the folder begin here.
const FOREIGN: u64 = 1 << 63;

/// Files to be forgotten for each one that becomes known, while there are too many.
const FORGOTTEN_AT_ONCE: usize = 2;

/// Files looked at in search of those that nobody has open.
const LOOKED_AT: usize = 64;

/// A folder's number, and what is called that in it.
pub(crate) type Name = (u64, OsString);

/// A file system and a file on it.
type Key = (u64, u64);

/// A file or folder.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) fd: OwnedFd,
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
    /// To whoever asks the kernel to forget names, which must not be a thread that answers it.
    forget: Sender<Name>,
}

#[derive(Debug, Default)]
struct Table {
    known: HashMap<u64, (Arc<Node>, u64)>,
    /// Files, not folders, in the order in which they became known; some of them are forgotten by now.
    files: VecDeque<u64>,
    /// Serials of files, also of those that the kernel has forgotten.
    serials: HashMap<Key, u64>,
}

impl Node {
    /// A path that leads to it for calls that want one.
    pub(crate) fn path(&self) -> String {
        format!("/proc/self/fd/{}", self.fd.as_raw_fd())
    }

    pub(crate) fn stat(&self) -> SysResult<Stat> {
        rustix::fs::fstat(&self.fd)
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
    /// With the captured folder itself.
    pub(crate) fn new(folder: OwnedFd, forget: Sender<Name>) -> SysResult<Nodes> {
        let stat = rustix::fs::fstat(&folder)?;
        let root = Node {
            fd: folder,
            serial: 0,
            place: Place::default(),
            seen: Mutex::default(),
            changed: AtomicBool::new(false),
            key: (stat.st_dev, stat.st_ino),
        };
        let mut table = Table::default();
        table.serials.insert(root.key, 0);
        table.known.insert(ROOT, (Arc::new(root), 1));
        Ok(Nodes { device: stat.st_dev, serial: AtomicU64::new(0), table: Mutex::new(table), forget })
    }

    pub(crate) fn get(&self, number: u64) -> SysResult<Arc<Node>> {
        self.table().known.get(&number).map(|(node, _)| Arc::clone(node)).ok_or(Errno::STALE)
    }

    /// Looks a name up; the kernel is told once more of the file.
    pub(crate) fn look_up(&self, folder: u64, name: &OsStr) -> SysResult<(u64, Stat, Arc<Node>)> {
        let folder = self.get(folder)?;
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = rustix::fs::openat(&folder.fd, name, flags, Mode::empty())?;
        let stat = rustix::fs::fstat(&fd)?;
        let key = (stat.st_dev, stat.st_ino);
        let mut table = self.table();
        let serial = *table.serials.entry(key).or_insert_with(|| self.next_serial());
        let number = self.number(key, serial);
        let is_new = !table.known.contains_key(&number);
        let (node, times) = table.known.entry(number).or_insert_with(|| {
            let node = Node {
                fd,
                serial,
                place: Place::new(&folder, name),
                seen: Mutex::default(),
                changed: AtomicBool::new(false),
                key,
            };
            (Arc::new(node), 0)
        });
        *times += 1;
        let node = Arc::clone(node);
        let unused = match is_new && !FileType::from_raw_mode(stat.st_mode).is_dir() {
            true => table.unused_for(number),
            false => Vec::new(),
        };
        drop(table);
        node.place.set(&folder, name);
        for node in unused {
            if let Some((folder, name)) = node.place.get() {
                // Who asks the kernel ends with the mount: then there is nothing to forget any more.
                let _ = self.forget.send((self.number(folder.key, folder.serial), name));
            }
        }
        Ok((number, stat, node))
    }

    /// The number of a file that is listed in `folder`, which may be another one where a file system is
    /// mounted on it.
    pub(crate) fn number_of_listed(&self, inode: u64) -> u64 {
        if inode == ROOT { FOREIGN } else { inode }
    }

    /// What is called that, if the kernel knows it.
    pub(crate) fn known(&self, folder: &Node, name: &OsStr) -> Option<Arc<Node>> {
        let stat = rustix::fs::statat(&folder.fd, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW).ok()?;
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

    /// The last name of a file was removed: another file may get its number.
    pub(crate) fn removed(&self, node: &Node) {
        if rustix::fs::fstat(&node.fd).is_ok_and(|stat| stat.st_nlink == 0) {
            self.table().serials.remove(&node.key);
        }
    }

    pub(crate) fn root(&self) -> SysResult<Arc<Node>> {
        self.get(ROOT)
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

impl Table {
    /// Takes up a file that has become known; those that the kernel should forget for it, as half of the
    /// descriptors are in use: files that have been known for the longest, and that nobody has open. Folders
    /// stay, since programs work in them.
    fn unused_for(&mut self, number: u64) -> Vec<Arc<Node>> {
        if self.files.len() > 2 * self.known.len() + 1024 {
            self.files.retain(|number| self.known.contains_key(number));
        }
        self.files.push_back(number);
        let most = getrlimit(Resource::Nofile).current.map_or(usize::MAX, |most| (most / 2) as usize);
        let mut unused = Vec::new();
        if self.known.len() <= most {
            return unused;
        }
        for _ in 0..self.files.len().min(LOOKED_AT) {
            if unused.len() == FORGOTTEN_AT_ONCE {
                break;
            }
            let Some(oldest) = self.files.pop_front() else { break };
            let Some((node, _)) = self.known.get(&oldest) else { continue };
            // It may be in use at this moment, or have another name that the kernel knows: once more, later.
            self.files.push_back(oldest);
            if oldest != number && Arc::strong_count(node) == 1 {
                unused.push(Arc::clone(node));
            }
        }
        unused
    }
}

/// Opens a folder that is not to be looked up by its path any more.
pub(crate) fn open_folder(path: &Path) -> SysResult<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, Mode::empty())
}

/// The folder of a node, opened to be read.
pub(crate) fn open_listing(node: &Node) -> SysResult<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::openat(node.fd.as_fd(), ".", flags, Mode::empty())
}
