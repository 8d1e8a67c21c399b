//! The backing files that are open: a bounded number, those used last. Programs may have more files open, and
//! more may have changes that wait, than this process may have descriptors.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::io::Errno;
use rustix::process::{Resource, getrlimit};

use crate::node::Ino;

/// No more are kept open, however many a process may have.
const MOST: u64 = 4096;

/// Backing files that are open. Its lock is taken after all others of the volume, and never held while a file
/// is opened or closed.
#[derive(Debug)]
pub(crate) struct Backings {
    most: usize,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    /// Each with the moment of its last use.
    files: HashMap<Ino, (Arc<File>, u64)>,
    by_use: BTreeMap<u64, Ino>,
    clock: u64,
}

impl Backings {
    /// As many as leave half of this process's descriptors to everything else.
    pub(crate) fn new() -> Backings {
        let limit = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        Backings::of_at_most((limit / 2).clamp(1, MOST) as usize)
    }

    /// Keeps at most this number of files open.
    pub(crate) fn of_at_most(most: usize) -> Backings {
        Backings { most, open: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The backing file of a node, where it is open.
    pub(crate) fn get(&self, ino: Ino) -> Option<Arc<File>> {
        self.lock().used(ino)
    }

    /// Opens the backing file of a node, and closes the one that was used longest ago where that is one too
    /// many. Where the process has no descriptors left after all, all others are closed first.
    ///
    /// # Errors
    /// That of `open`.
    pub(crate) fn open(&self, ino: Ino, mut open: impl FnMut() -> io::Result<File>) -> io::Result<Arc<File>> {
        let opened = match open() {
            Err(error) if is_shortage(&error) => {
                self.close_all();
                open()
            }
            opened => opened,
        };
        let file = Arc::new(opened?);
        let closed = self.lock().insert(ino, &file, self.most);
        // Outside the lock: the last one to close a file may have to wait for the file system.
        drop(closed);
        Ok(file)
    }

    /// Closes the backing file of a node; who reads it at the moment keeps it until then.
    pub(crate) fn close(&self, ino: Ino) {
        let closed = self.lock().remove(ino);
        drop(closed);
    }

    /// How many are open.
    #[cfg(test)]
    pub(crate) fn count(&self) -> usize {
        self.lock().files.len()
    }

    /// Closes all.
    pub(crate) fn close_all(&self) {
        let closed = std::mem::take(&mut *self.lock());
        drop(closed);
    }
}

fn is_shortage(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::MFILE | Errno::NFILE))
}

impl Open {
    fn used(&mut self, ino: Ino) -> Option<Arc<File>> {
        let (file, moment) = self.files.get_mut(&ino)?;
        self.by_use.remove(moment);
        self.clock += 1;
        *moment = self.clock;
        self.by_use.insert(self.clock, ino);
        Some(Arc::clone(file))
    }

    /// What has to be closed for it.
    fn insert(&mut self, ino: Ino, file: &Arc<File>, most: usize) -> Vec<Arc<File>> {
        let mut closed: Vec<Arc<File>> = self.remove(ino).into_iter().collect();
        while self.files.len() >= most
            && let Some((_, oldest)) = self.by_use.pop_first()
        {
            closed.extend(self.files.remove(&oldest).map(|(file, _)| file));
        }
        self.clock += 1;
        self.by_use.insert(self.clock, ino);
        self.files.insert(ino, (Arc::clone(file), self.clock));
        closed
    }

    fn remove(&mut self, ino: Ino) -> Option<Arc<File>> {
        let (file, moment) = self.files.remove(&ino)?;
        self.by_use.remove(&moment);
        Some(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn null() -> io::Result<File> {
        File::open("/dev/null")
    }

    #[test]
    fn the_file_used_longest_ago_is_closed_first() {
        let backings = Backings::of_at_most(2);
        for ino in [1, 2] {
            backings.open(ino, null).unwrap();
        }
        assert!(backings.get(1).is_some());
        backings.open(3, null).unwrap();
        let open = |ino| backings.get(ino).is_some();
        assert_eq!([open(1), open(2), open(3)], [true, false, true]);
        backings.close(1);
        assert_eq!([open(1), open(3)], [false, true]);
    }

    #[test]
    fn a_process_without_descriptors_closes_the_others_first() {
        let backings = Backings::of_at_most(100);
        let first = Arc::downgrade(&backings.open(1, null).unwrap());
        let second = backings.open(2, || match first.upgrade() {
            Some(_) => Err(Errno::MFILE.into()),
            None => null(),
        });
        assert!(second.is_ok());
        assert!(backings.open(3, || Err(Errno::MFILE.into())).is_err());
    }
}
