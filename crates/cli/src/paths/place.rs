//! Where a path leads, whatever it is called: through links, and where nothing is there yet.

use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, StatxFlags, makedev, statx};

/// As many symbolic links as Linux itself follows.
const MOST_LINKS: u32 = 40;

/// A file, a folder or a block device; or the place where there is none yet.
#[derive(Debug)]
pub(super) struct Place {
    /// From the root and without links.
    path: PathBuf,
    identity: Option<Identity>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Identity {
    /// File system and inode: all names of a file have one.
    File(u64, u64),
    /// Number of the device: all its nodes have one.
    Device(u64),
}

impl Identity {
    /// What identifies the file at a path; `None` where there is no file, and `Some(None)` for pipes,
    /// terminals and sockets, which hold nothing that could be replaced.
    fn at(path: &Path) -> Option<Option<Identity>> {
        // What the kernel knows: a mount whose process does not answer any more is not asked, since it may be
        // what the command is about to take away.
        let wanted = StatxFlags::TYPE | StatxFlags::INO;
        let found = statx(CWD, path, AtFlags::STATX_DONT_SYNC, wanted).ok()?;
        Some(match FileType::from_raw_mode(found.stx_mode.into()) {
            FileType::BlockDevice => {
                Some(Identity::Device(makedev(found.stx_rdev_major, found.stx_rdev_minor)))
            }
            FileType::RegularFile | FileType::Directory => {
                Some(Identity::File(makedev(found.stx_dev_major, found.stx_dev_minor), found.stx_ino))
            }
            _ => None,
        })
    }
}

impl Place {
    /// Where `path` leads; `None` where that is neither file, folder nor block device.
    pub(super) fn of(path: &Path) -> Option<Place> {
        let identity = match Identity::at(path) {
            Some(found) => Some(found?),
            None => None,
        };
        Some(Place { path: resolved(path), identity })
    }

    pub(super) fn is_same(&self, other: &Place) -> bool {
        match (self.identity, other.identity) {
            (Some(one), Some(other)) => one == other,
            (None, None) => self.path == other.path,
            _ => false,
        }
    }

    /// Whether `other` lies in this folder, or in one that is in it. A folder may be mounted elsewhere too,
    /// so that names do not tell.
    pub(super) fn holds(&self, other: &Place) -> bool {
        other.path.ancestors().skip(1).any(|folder| {
            folder == self.path
                || (self.identity.is_some() && Identity::at(folder).flatten() == self.identity)
        })
    }
}

/// `path` from the root and without links, as far as it exists.
fn resolved(path: &Path) -> PathBuf {
    let mut path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut missing: Vec<OsString> = Vec::new();
    for _ in 0..MOST_LINKS {
        while let Err(error) = fs::canonicalize(&path) {
            // A link to what is not there yet is followed by hand, below.
            if error.kind() != std::io::ErrorKind::NotFound || path.is_symlink() {
                break;
            }
            match (path.components().next_back(), path.parent()) {
                (Some(last @ (Component::Normal(_) | Component::ParentDir)), Some(parent)) => {
                    missing.push(last.as_os_str().to_owned());
                    path = parent.to_owned();
                }
                _ => break,
            }
        }
        match fs::read_link(&path) {
            Ok(end) if fs::canonicalize(&path).is_err() => {
                path = path.parent().unwrap_or(Path::new("/")).join(end);
            }
            _ => break,
        }
    }
    let mut whole = fs::canonicalize(&path).unwrap_or(path);
    for name in missing.into_iter().rev() {
        if name == ".." {
            whole.pop();
        } else {
            whole.push(name);
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_place_is_the_same_by_each_of_its_names_whether_or_not_it_exists() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("sub")).unwrap();
        symlink("sub", at("link")).unwrap();
        symlink("link/new", at("to-new")).unwrap();
        symlink("to-new", at("again")).unwrap();
        fs::write(at("file"), "x").unwrap();
        fs::hard_link(at("file"), at("hard")).unwrap();
        let place = |name: &str| Place::of(&at(name)).unwrap();
        for (one, other) in [
            ("file", "hard"),
            ("file", "sub/../file"),
            ("sub/new", "link/new"),
            ("sub/new", "./sub/./new"),
            ("sub/new", "to-new"),
            ("sub/new", "again"),
            ("none/a/../b", "none/b"),
            ("sub", "link/"),
        ] {
            assert!(place(one).is_same(&place(other)), "{one} {other}");
        }
        for (one, other) in [("file", "sub"), ("sub/new", "new"), ("sub/new", "sub/news"), ("none", "nine")] {
            assert!(!place(one).is_same(&place(other)), "{one} {other}");
        }
        assert!(place("sub").holds(&place("to-new")) && place("link").holds(&place("sub/a/b")));
        assert!(place("none").holds(&place("none/x")) && !place("none").holds(&place("none")));
        assert!(!place("sub").holds(&place("file")) && !place("su").holds(&place("sub/x")));
    }

    #[test]
    fn a_link_that_leads_to_itself_is_the_end() {
        let folder = tempfile::tempdir().unwrap();
        symlink("loop", folder.path().join("loop")).unwrap();
        assert!(Place::of(&folder.path().join("loop")).is_some());
    }

    #[test]
    fn what_holds_nothing_is_no_place() {
        assert!(Place::of(Path::new("/dev/null")).is_none());
    }
}
