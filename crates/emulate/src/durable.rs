//! The backing directory: what is durable. It always holds a state that a power cut could have left.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{AtFlags, CWD, FileType, Gid, Mode, OFlags, RenameFlags, Timespec, Timestamps, Uid};

use crate::journal::Operation;
use crate::node::{Attributes, Ino, Kind, Node, ROOT};

/// Directory in the backing directory for files that have no name: new ones, and those removed while open.
/// The mount does not show it.
pub(crate) const HIDDEN: &str = ".leadline-emulate";

/// What that directory is called, with a number, where it has what could not be given its name at the end.
const UNSAVED: &str = "leadline-unsaved";

/// Stands for that directory among the directories.
const NAMELESS: Ino = 0;

/// A name in a directory.
type Place = (Ino, OsString);

/// The backing directory.
#[derive(Debug)]
pub(crate) struct Durable {
    root: OwnedFd,
    /// The durable names of each node.
    places: HashMap<Ino, Vec<Place>>,
}

impl Durable {
    /// Opens the directory and empties its hidden one.
    pub(crate) fn open(path: &Path) -> io::Result<Durable> {
        let root = rustix::fs::openat(CWD, path, OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        match std::fs::remove_dir_all(path.join(HIDDEN)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        rustix::fs::mkdirat(&root, HIDDEN, Mode::RWXU)?;
        Ok(Durable { root, places: HashMap::new() })
    }

    /// The same names in a copy of the directory.
    pub(crate) fn copied_to(&self, path: &Path) -> io::Result<Durable> {
        let root = rustix::fs::openat(CWD, path, OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        Ok(Durable { root, places: self.places.clone() })
    }

    /// The directory itself.
    pub(crate) fn root(&self) -> impl AsFd + '_ {
        &self.root
    }

    /// A name that was found in the directory.
    pub(crate) fn found(&mut self, dir: Ino, name: &OsStr, ino: Ino) {
        self.places.entry(ino).or_default().push((dir, name.to_owned()));
    }

    /// Whether a node has a durable name.
    pub(crate) fn has_name(&self, ino: Ino) -> bool {
        self.places.get(&ino).is_some_and(|places| places.iter().any(|(dir, _)| *dir != NAMELESS))
    }

    /// Whether a node has a durable name, or a nameless file.
    pub(crate) fn has(&self, ino: Ino) -> bool {
        self.places.contains_key(&ino)
    }

    fn path(&self, (dir, name): &Place) -> io::Result<PathBuf> {
        let mut path = match *dir {
            ROOT => PathBuf::new(),
            NAMELESS => PathBuf::from(HIDDEN),
            dir => self.path_of(dir)?,
        };
        path.push(name);
        Ok(path)
    }

    fn path_of(&self, ino: Ino) -> io::Result<PathBuf> {
        if ino == ROOT {
            return Ok(PathBuf::from("."));
        }
        match self.places.get(&ino).and_then(|places| places.first()) {
            Some(place) => self.path(place),
            None => Err(io::Error::from(io::ErrorKind::NotFound)),
        }
    }

    /// Opens the backing file of a node, making a nameless one where there is none.
    pub(crate) fn open_file(&mut self, ino: Ino, attributes: &Attributes) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        if self.places.get(&ino).is_some_and(|places| !places.is_empty()) {
            let path = self.path_of(ino)?;
            return Ok(File::from(rustix::fs::openat(&self.root, path, flags, Mode::empty())?));
        }
        let place = (NAMELESS, nameless(ino));
        let path = self.path(&place)?;
        let file = rustix::fs::openat(
            &self.root,
            &path,
            flags | OFlags::CREATE | OFlags::EXCL,
            Mode::RUSR | Mode::WUSR,
        )?;
        self.places.insert(ino, vec![place]);
        self.set_attributes(&path, attributes, false)?;
        Ok(File::from(file))
    }

    /// Does one operation. `nodes` are those of the moment.
    ///
    /// # Errors
    /// That of the backing directory.
    pub(crate) fn apply(&mut self, operation: &Operation, nodes: &HashMap<Ino, Node>) -> io::Result<()> {
        match operation {
            Operation::Add { dir, name, ino, directory } => {
                self.add((*dir, name.clone()), *ino, nodes.get(ino), *directory)
            }
            Operation::Remove { dir, name, ino } => self.remove(&(*dir, name.clone()), *ino, nodes.get(ino)),
            Operation::Rename { from, to, ino, replaced } => {
                self.rename(from, to, *ino, replaced.map(|ino| (ino, nodes.get(&ino))))
            }
            Operation::Attributes { ino, attributes } => match self.path_of(*ino) {
                Ok(path) => {
                    let link = nodes.get(ino).is_some_and(|node| matches!(node.kind, Kind::Symlink(_)));
                    self.set_attributes(&path, attributes, link)
                }
                // A file that is gone.
                Err(_) => Ok(()),
            },
            Operation::Xattr { ino, name, value } => self.set_xattr(*ino, name, value.as_deref()),
        }
    }

    fn add(&mut self, place: Place, ino: Ino, node: Option<&Node>, directory: bool) -> io::Result<()> {
        let path = self.path(&place)?;
        match self.places.get(&ino).and_then(|places| places.first()).cloned() {
            Some(old) if old.0 == NAMELESS => {
                rustix::fs::renameat(&self.root, self.path(&old)?, &self.root, &path)?;
                self.places.insert(ino, vec![place]);
            }
            Some(old) => {
                rustix::fs::linkat(&self.root, self.path(&old)?, &self.root, &path, AtFlags::empty())?;
                self.places.entry(ino).or_default().push(place);
            }
            None => {
                self.create(&path, node, directory)?;
                self.places.insert(ino, vec![place]);
            }
        }
        Ok(())
    }

    fn create(&self, path: &Path, node: Option<&Node>, directory: bool) -> io::Result<()> {
        let (private, folder) = (Mode::RUSR | Mode::WUSR, Mode::RWXU);
        let (mut file_type, mut device) = (FileType::RegularFile, 0);
        match node.map(|node| &node.kind) {
            _ if directory => rustix::fs::mkdirat(&self.root, path, folder)?,
            Some(Kind::Symlink(target)) => {
                rustix::fs::symlinkat(Path::new(target), &self.root, path)?;
            }
            Some(Kind::Special(bits, number)) => {
                (file_type, device) = (FileType::from_raw_mode(*bits), *number);
                rustix::fs::mknodat(&self.root, path, file_type, private, device)?;
            }
            // What has come and gone is an empty file, until its name goes too.
            _ => rustix::fs::mknodat(&self.root, path, file_type, private, device)?,
        }
        match node {
            Some(node) => self.set_attributes(path, &node.attributes, matches!(node.kind, Kind::Symlink(_))),
            None => Ok(()),
        }
    }

    fn remove(&mut self, place: &Place, ino: Ino, node: Option<&Node>) -> io::Result<()> {
        let path = self.path(place)?;
        let places = self.places.entry(ino).or_default();
        let last = places.len() <= 1;
        if node.is_some_and(|node| matches!(node.kind, Kind::Directory(_))) || self.is_directory(&path)? {
            rustix::fs::unlinkat(&self.root, &path, AtFlags::REMOVEDIR)?;
        } else if last && node.is_some_and(|node| !node.is_gone()) {
            // Somebody still reads it.
            let hidden = (NAMELESS, nameless(ino));
            rustix::fs::renameat(&self.root, &path, &self.root, self.path(&hidden)?)?;
            self.places.insert(ino, vec![hidden]);
            return Ok(());
        } else {
            rustix::fs::unlinkat(&self.root, &path, AtFlags::empty())?;
        }
        self.forget(place, ino);
        Ok(())
    }

    fn is_directory(&self, path: &Path) -> io::Result<bool> {
        let stat = rustix::fs::statat(&self.root, path, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(FileType::from_raw_mode(stat.st_mode) == FileType::Directory)
    }

    fn rename(
        &mut self,
        from: &Place,
        to: &Place,
        ino: Ino,
        replaced: Option<(Ino, Option<&Node>)>,
    ) -> io::Result<()> {
        let (old, new) = (self.path(from)?, self.path(to)?);
        if let Some((replaced, Some(node))) = replaced
            && !node.is_gone()
            && matches!(node.kind, Kind::File(_))
            && self.places.get(&replaced).is_some_and(|places| places.len() == 1)
        {
            // A second name first, so that there is no moment without either file.
            let hidden = (NAMELESS, nameless(replaced));
            rustix::fs::linkat(&self.root, &new, &self.root, self.path(&hidden)?, AtFlags::empty())?;
            self.places.entry(replaced).or_default().push(hidden);
        }
        rustix::fs::renameat_with(&self.root, &old, &self.root, &new, RenameFlags::empty())?;
        if let Some((replaced, _)) = replaced {
            self.forget(to, replaced);
        }
        for place in self.places.entry(ino).or_default() {
            if place == from {
                *place = to.clone();
            }
        }
        Ok(())
    }

    fn forget(&mut self, place: &Place, ino: Ino) {
        if let Some(places) = self.places.get_mut(&ino) {
            places.retain(|other| other != place);
            if places.is_empty() {
                self.places.remove(&ino);
            }
        }
    }

    /// A node is gone for good: its nameless file too.
    pub(crate) fn drop_nameless(&mut self, ino: Ino) -> io::Result<()> {
        let hidden = (NAMELESS, nameless(ino));
        if self.places.get(&ino).is_some_and(|places| places.contains(&hidden)) {
            rustix::fs::unlinkat(&self.root, self.path(&hidden)?, AtFlags::empty())?;
            self.forget(&hidden, ino);
        }
        Ok(())
    }

    /// Keeps the files without a name, in a directory with one, whose path it gives. `None` where there are
    /// none.
    pub(crate) fn keep_nameless(&self, backing: &Path) -> Option<PathBuf> {
        let hidden = backing.join(HIDDEN);
        // Removed if it is empty.
        if std::fs::remove_dir(&hidden).is_ok() {
            return None;
        }
        let free = (1..).map(|n| backing.join(format!("{UNSAVED}-{n}"))).find(|path| !path.exists())?;
        // Where it cannot be renamed, it stays where it is.
        Some(if std::fs::rename(&hidden, &free).is_ok() { free } else { hidden })
    }

    fn set_attributes(&self, path: &Path, attributes: &Attributes, link: bool) -> io::Result<()> {
        let (uid, gid) = (Uid::from_raw(attributes.uid), Gid::from_raw(attributes.gid));
        // A plain user cannot give files away, nor can the programs that this user starts.
        match rustix::fs::chownat(&self.root, path, Some(uid), Some(gid), AtFlags::SYMLINK_NOFOLLOW) {
            Err(rustix::io::Errno::PERM) | Ok(()) => {}
            Err(error) => return Err(error.into()),
        }
        if !link {
            rustix::fs::chmodat(&self.root, path, Mode::from_raw_mode(attributes.mode), AtFlags::empty())?;
        }
        let times = Timestamps {
            last_access: timespec(attributes.accessed),
            last_modification: timespec(attributes.modified),
        };
        Ok(rustix::fs::utimensat(&self.root, path, &times, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    fn set_xattr(&self, ino: Ino, name: &OsStr, value: Option<&[u8]>) -> io::Result<()> {
        let Ok(path) = self.path_of(ino) else { return Ok(()) };
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let file = rustix::fs::openat(&self.root, path, flags, Mode::empty())?;
        match value {
            Some(value) => rustix::fs::fsetxattr(&file, name, value, rustix::fs::XattrFlags::empty())?,
            None => match rustix::fs::fremovexattr(&file, name) {
                Err(rustix::io::Errno::NODATA) | Ok(()) => {}
                Err(error) => return Err(error.into()),
            },
        }
        Ok(())
    }
}

fn nameless(ino: Ino) -> OsString {
    ino.to_string().into()
}

/// Of a moment, which may lie before 1970.
fn timespec(time: SystemTime) -> Timespec {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => Timespec { tv_sec: since.as_secs() as i64, tv_nsec: since.subsec_nanos().into() },
        Err(before) => {
            let before = before.duration();
            let nanos = before.subsec_nanos();
            let (seconds, nanos) = if nanos == 0 {
                (before.as_secs() as i64, 0)
            } else {
                (before.as_secs() as i64 + 1, 1_000_000_000 - nanos)
            };
            Timespec { tv_sec: -seconds, tv_nsec: nanos.into() }
        }
    }
}

/// Whether a name may be used: the hidden directory's may not.
pub(crate) fn is_reserved(dir: Ino, name: &OsStr) -> bool {
    dir == ROOT && name.as_bytes() == HIDDEN.as_bytes()
}
