//! A directory in memory whose power can be cut: of what was not synced, any sectors are gone.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};

use super::super::folder::{Folder, Stored};

const SECTOR: usize = 512;

/// The directory, by a process that uses it. A process that was killed can do nothing any more.
#[derive(Clone)]
pub(super) struct MemoryFolder {
    disk: Arc<Mutex<Disk>>,
    process: u64,
    on_sync: Arc<dyn Fn() + Send + Sync>,
}

impl std::fmt::Debug for MemoryFolder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MemoryFolder")
    }
}

#[derive(Default)]
struct Disk {
    process: u64,
    files: Vec<Content>,
    names: BTreeMap<String, usize>,
    durable_names: BTreeMap<String, usize>,
    /// Changes of names since the last sync.
    renames: Vec<(String, Option<String>, usize)>,
    syncs: u64,
    fail_syncs: bool,
    capacity: Option<usize>,
    /// Changes that are still made before the process is killed.
    changes_left: Option<u64>,
}

#[derive(Default, Clone)]
struct Content {
    now: Vec<u8>,
    durable: Vec<u8>,
}

/// What of the sectors that were not synced survives.
#[derive(Debug, Clone, Copy)]
pub(super) enum Cut {
    /// The process was killed: everything, but it is still not synced.
    Kill,
    Nothing,
    All,
    Any(u64),
}

#[derive(Debug)]
struct MemoryFile {
    folder: MemoryFolder,
    file: usize,
}

fn gone() -> io::Error {
    io::Error::other("the process was killed")
}

impl MemoryFolder {
    pub(super) fn new() -> MemoryFolder {
        MemoryFolder { disk: Arc::default(), process: 0, on_sync: Arc::new(|| ()) }
    }

    /// Calls `on_sync` before each sync of a file.
    pub(super) fn on_sync(mut self, on_sync: impl Fn() + Send + Sync + 'static) -> MemoryFolder {
        self.on_sync = Arc::new(on_sync);
        self
    }

    fn disk(&self) -> io::Result<MutexGuard<'_, Disk>> {
        let disk = self.disk.lock().unwrap();
        if disk.process == self.process { Ok(disk) } else { Err(gone()) }
    }

    /// To change something.
    fn changed(&self) -> io::Result<MutexGuard<'_, Disk>> {
        let mut disk = self.disk()?;
        if let Some(left) = &mut disk.changes_left {
            *left = left.checked_sub(1).ok_or_else(gone)?;
        }
        Ok(disk)
    }

    /// Kills the process in the middle of something, after that many more writes, syncs and new names.
    pub(super) fn kill_after(&self, changes: u64) {
        self.disk.lock().unwrap().changes_left = Some(changes);
    }

    pub(super) fn syncs(&self) -> u64 {
        self.disk.lock().unwrap().syncs
    }

    pub(super) fn fail_syncs(&self, fail: bool) {
        self.disk.lock().unwrap().fail_syncs = fail;
    }

    /// All files together hold at most that many bytes.
    pub(super) fn set_capacity(&self, bytes: Option<usize>) {
        self.disk.lock().unwrap().capacity = bytes;
    }

    pub(super) fn used(&self) -> usize {
        let disk = self.disk.lock().unwrap();
        disk.names.values().map(|&file| disk.files[file].now.len()).sum()
    }

    pub(super) fn all_names(&self) -> Vec<String> {
        self.disk.lock().unwrap().names.keys().cloned().collect()
    }

    /// Ends the process that uses it, and returns what the next one sees.
    pub(super) fn cut(&self, cut: Cut) -> MemoryFolder {
        let mut disk = self.disk.lock().unwrap();
        disk.process += 1;
        disk.changes_left = None;
        let mut random = fastrand::Rng::with_seed(if let Cut::Any(seed) = cut { seed } else { 0 });
        let mut survives = || match cut {
            Cut::Kill | Cut::All => true,
            Cut::Nothing => false,
            Cut::Any(_) => random.bool(),
        };
        if !matches!(cut, Cut::Kill) {
            disk.files.iter_mut().for_each(|file| file.cut(&mut survives));
            let mut names = disk.durable_names.clone();
            for (name, to, file) in std::mem::take(&mut disk.renames) {
                // The journal keeps the order.
                if !survives() {
                    break;
                }
                change(&mut names, &name, to.as_deref(), file);
            }
            disk.durable_names = names.clone();
            disk.names = names;
        }
        MemoryFolder { process: disk.process, ..self.clone() }
    }

    /// Changes the bytes of a file, durably and behind everybody's back.
    pub(super) fn damage(&self, name: &str, change: impl FnOnce(&mut Vec<u8>)) {
        let mut disk = self.disk.lock().unwrap();
        let file = disk.names[name];
        change(&mut disk.files[file].now);
        disk.files[file].durable = disk.files[file].now.clone();
    }

    /// A directory of its own with the same files.
    pub(super) fn copy(&self) -> MemoryFolder {
        let disk = self.disk.lock().unwrap();
        let copy = Disk {
            files: disk.files.clone(),
            names: disk.names.clone(),
            durable_names: disk.names.clone(),
            ..Disk::default()
        };
        MemoryFolder { disk: Arc::new(Mutex::new(copy)), process: 0, on_sync: Arc::new(|| ()) }
    }
}

fn change(names: &mut BTreeMap<String, usize>, name: &str, to: Option<&str>, file: usize) {
    names.remove(name);
    if let Some(to) = to {
        names.insert(to.to_owned(), file);
    }
}

impl Content {
    fn cut(&mut self, mut survives: impl FnMut() -> bool) {
        let length = self.now.len();
        if length > self.durable.len() && survives() {
            self.durable.resize(length, 0);
        }
        for (new, old) in self.now.chunks(SECTOR).zip(self.durable.chunks_mut(SECTOR)) {
            if new.len() >= old.len() && new[..old.len()] != *old && survives() {
                old.copy_from_slice(&new[..old.len()]);
            }
        }
        self.now = self.durable.clone();
    }
}

impl Folder for MemoryFolder {
    fn path(&self) -> &Path {
        Path::new("log")
    }

    fn names(&self) -> io::Result<Vec<String>> {
        Ok(self.disk()?.names.keys().cloned().collect())
    }

    fn open(&self, name: &str) -> io::Result<Arc<dyn Stored>> {
        let mut disk = self.disk()?;
        let new = disk.files.len();
        let file = *disk.names.entry(name.to_owned()).or_insert(new);
        if file == new {
            disk.files.push(Content::default());
            disk.renames.push((name.to_owned(), Some(name.to_owned()), new));
        }
        Ok(Arc::new(MemoryFile { folder: self.clone(), file }))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let mut disk = self.changed()?;
        let file = disk.names[from];
        change(&mut disk.names, from, Some(to), file);
        disk.renames.push((from.to_owned(), Some(to.to_owned()), file));
        Ok(())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let mut disk = self.changed()?;
        let file = disk.names[name];
        change(&mut disk.names, name, None, file);
        disk.renames.push((name.to_owned(), None, file));
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        let mut disk = self.changed()?;
        disk.durable_names = disk.names.clone();
        disk.renames.clear();
        Ok(())
    }
}

impl Stored for MemoryFile {
    fn length(&self) -> io::Result<u64> {
        Ok(self.folder.disk()?.files[self.file].now.len() as u64)
    }

    fn read(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        let disk = self.folder.disk()?;
        let from = disk.files[self.file].now.get(at as usize..).unwrap_or_default();
        let from = from.get(..bytes.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        bytes.copy_from_slice(from);
        Ok(())
    }

    fn write(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        let end = at as usize + bytes.len();
        let used = self.folder.used();
        let mut disk = self.folder.changed()?;
        let length = disk.files[self.file].now.len();
        if end > length && disk.capacity.is_some_and(|capacity| used + end - length > capacity) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let now = &mut disk.files[self.file].now;
        now.resize(end.max(length), 0);
        now[at as usize..end].copy_from_slice(bytes);
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        (self.folder.on_sync)();
        let mut disk = self.folder.changed()?;
        if disk.fail_syncs {
            return Err(io::Error::from_raw_os_error(5));
        }
        disk.syncs += 1;
        let file = &mut disk.files[self.file];
        file.durable = file.now.clone();
        Ok(())
    }
}
