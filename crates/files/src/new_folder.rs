//! A directory that appears whole or not at all.

use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::new_file::{end_of_links, folder_of};
use crate::{FileError, left_behind, place};

/// A directory that takes its name in [`NewFolder::finish`], when all of it is on the disk. Dropped before
/// that, it leaves what was there as it was.
///
/// Until then it has a temporary name next to its place. What a process that was killed leaves of it is
/// removed when the next directory is made next to it. A symbolic link stays a link, and the directory it
/// points to is replaced.
#[derive(Debug)]
pub struct NewFolder {
    temporary: TempDir,
    /// As the caller named it.
    path: PathBuf,
    /// The directory to become: where `path` leads when it is a symbolic link.
    target: PathBuf,
    /// Locked while it is in the making.
    handle: File,
    /// The file whose place it takes.
    instead_of: Option<Metadata>,
}

impl NewFolder {
    /// Begins the directory that is to be at `path`. Whether one that is there may be replaced is for the
    /// caller to find out.
    ///
    /// # Errors
    /// [`FileError`] where `path` is something other than a directory, one that cannot be renamed, or the
    /// directory that it is in takes no other.
    pub fn create(path: impl AsRef<Path>) -> Result<NewFolder, FileError> {
        let path = path.as_ref();
        let refuse = |reason| Err(FileError::NoFolder { path: path.to_owned(), reason });
        let failed = |source| FileError::Folder { path: path.to_owned(), source };
        if path.file_name().is_none() {
            return refuse("is not the name of a directory to be made");
        }
        let target = end_of_links(path);
        let parent = folder_of(&target);
        place::restore(&target).map_err(failed)?;
        match fs::metadata(path) {
            Ok(found) if !found.is_dir() => return refuse("is a file, not a directory"),
            Ok(found) if fs::metadata(parent).is_ok_and(|above| above.dev() != found.dev()) => {
                return refuse("is where a file system is mounted");
            }
            _ => {}
        }
        NewFolder::begin(path, target.clone(), None)
    }

    /// Begins the directory that is to take the place of the file at `path`, of which `file` is an open
    /// handle.
    ///
    /// # Errors
    /// [`FileError`] where the directory that it is in takes no other, or another file is at `path`.
    pub fn in_place_of(path: impl AsRef<Path>, file: &File) -> Result<NewFolder, FileError> {
        let path = path.as_ref();
        let found = file.metadata().map_err(|source| FileError::Folder { path: path.to_owned(), source })?;
        NewFolder::begin(path, end_of_links(path), Some(found))
    }

    fn begin(path: &Path, target: PathBuf, instead_of: Option<Metadata>) -> Result<NewFolder, FileError> {
        let failed = |source| FileError::Folder { path: path.to_owned(), source };
        let parent = folder_of(&target);
        left_behind::remove(parent);
        loop {
            let mut builder = tempfile::Builder::new();
            let temporary =
                builder.prefix(left_behind::PREFIX).suffix(left_behind::FOLDER).tempdir_in(parent);
            // Its kind only: the error names the temporary path, which means nothing to the user.
            let temporary = temporary.map_err(|error| failed(error.kind().into()))?;
            let handle = File::open(temporary.path()).map_err(failed)?;
            if left_behind::lock(&handle, temporary.path()) {
                return Ok(NewFolder { temporary, path: path.to_owned(), target, handle, instead_of });
            }
        }
    }

    /// Where its files are while it is in the making.
    pub fn place(&self) -> &Path {
        self.temporary.path()
    }

    /// The directory to become: where the path leads if it is a symbolic link.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// The path as it was given to [`NewFolder::create`].
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes a directory in it.
    ///
    /// # Errors
    /// [`FileError::Write`] with the system's reason.
    pub fn folder(&self, name: impl AsRef<Path>) -> Result<(), FileError> {
        self.within(name.as_ref(), |path| fs::create_dir(path))
    }

    /// Makes a file in it, which is to be brought to the disk before [`NewFolder::finish`].
    ///
    /// # Errors
    /// [`FileError::Write`] with the system's reason.
    pub fn file(&self, name: impl AsRef<Path>) -> Result<File, FileError> {
        self.within(name.as_ref(), |path| File::create_new(path))
    }

    fn within<T>(&self, name: &Path, make: impl FnOnce(&Path) -> io::Result<T>) -> Result<T, FileError> {
        make(&self.temporary.path().join(name))
            .map_err(|source| FileError::Write { path: self.path.join(name), source })
    }

    /// Gives the directory its name, in place of what has it, which is removed; and brings its directories'
    /// entries to the disk.
    ///
    /// # Errors
    /// [`FileError::Write`] with the system's reason. Unless it was the last step that failed, the sync of
    /// the directory that it is in, what was there is still there.
    pub fn finish(self) -> Result<(), FileError> {
        let NewFolder { temporary, path, target, handle, instead_of } = self;
        let keep = || -> io::Result<()> {
            for entry in fs::read_dir(temporary.path())? {
                let entry = entry?;
                if entry.file_type()?.is_dir() {
                    File::open(entry.path())?.sync_all()?;
                }
            }
            handle.sync_all()?;
            let old = place::take(&place::System, temporary.path(), &target)?;
            if let Some(expected) = instead_of
                && !old.as_ref().is_some_and(|old| left_behind::is_at(&expected, old))
            {
                place::give_back(&place::System, temporary.path(), &target, old.as_deref())?;
                return Err(io::Error::other("another file has taken its place meanwhile"));
            }
            // The new folder is in its place, whatever becomes of what was there.
            let _ = temporary.keep();
            if let Some(old) = old {
                let _ = place::remove(&old);
            }
            File::open(folder_of(&target))?.sync_all()
        };
        keep().map_err(|source| FileError::Write { path, source })
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn begun(path: &Path, text: &str) -> NewFolder {
        let new = NewFolder::create(path).unwrap();
        new.folder("parts").unwrap();
        new.file("parts/a").unwrap().write_all(text.as_bytes()).unwrap();
        new
    }

    fn text(path: &Path) -> String {
        fs::read_to_string(path.join("parts/a")).unwrap()
    }

    #[test]
    fn a_folder_takes_the_place_of_another_when_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("result");
        drop(begun(&path, "none"));
        assert!(names(folder.path()).is_empty());
        begun(&path, "one").finish().unwrap();
        fs::write(path.join("old"), "").unwrap();
        drop(begun(&path, "none"));
        assert_eq!((text(&path).as_str(), names(&path).len()), ("one", 2));
        let new = begun(&path, "two");
        assert_eq!(text(&path), "one", "until the new one is whole");
        new.finish().unwrap();
        assert_eq!((text(&path).as_str(), names(&path).len()), ("two", 1));
        assert_eq!(names(folder.path()), ["result"]);
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        fs::create_dir(folder.path().join("plain")).unwrap();
        assert_eq!(mode(&path), mode(&folder.path().join("plain")), "as the umask leaves them");
    }

    #[test]
    fn a_link_stays_a_link_and_the_folder_it_leads_to_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (link, end) = (folder.path().join("link"), folder.path().join("sub/end"));
        fs::create_dir(folder.path().join("sub")).unwrap();
        symlink("sub/end", &link).unwrap();
        // First it leads to nothing, then to the folder of the first round.
        for name in ["one", "two"] {
            begun(&link, name).finish().unwrap();
            assert_eq!(text(&end), name);
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        }
        assert_eq!(names(&folder.path().join("sub")), ["end"]);
    }

    #[test]
    fn what_a_killed_process_left_is_removed_and_what_is_in_the_making_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let left = folder.path().join(".leadline-killed.folder");
        fs::create_dir_all(left.join("parts")).unwrap();
        let one = begun(&folder.path().join("one"), "one");
        assert!(!left.exists());
        begun(&folder.path().join("two"), "two").finish().unwrap();
        one.finish().unwrap();
        assert_eq!(names(folder.path()), ["one", "two"]);
    }

    #[test]
    fn a_folder_takes_the_place_of_a_file_unless_another_file_came_meanwhile() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store");
        let begun = || {
            fs::write(&path, "old").unwrap();
            let new = NewFolder::in_place_of(&path, &File::open(&path).unwrap()).unwrap();
            new.folder("parts").unwrap();
            new.file("parts/a").unwrap().write_all(b"new").unwrap();
            new
        };
        drop(begun());
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), names(folder.path()).len()), ("old", 1));
        let new = begun();
        fs::write(folder.path().join("other"), "other").unwrap();
        fs::rename(folder.path().join("other"), &path).unwrap();
        assert!(new.finish().unwrap_err().to_string().contains("another file"));
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), names(folder.path()).len()), ("other", 1));
        begun().finish().unwrap();
        assert_eq!((text(&path).as_str(), names(folder.path()).len()), ("new", 1));
    }

    #[test]
    fn a_place_that_no_folder_can_take_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("file"), "").unwrap();
        for (place, said) in
            [("file", "is a file"), ("..", "is not the name"), ("none/x", "its directory cannot be written")]
        {
            let error = NewFolder::create(folder.path().join(place)).unwrap_err();
            assert!(error.is_bad_place() && error.to_string().contains(said), "{error}");
            assert!(!error.to_string().contains(".leadline-"), "{error}");
        }
        assert!(NewFolder::create("/proc").unwrap_err().to_string().contains("mounted"));
        assert_eq!(names(folder.path()), ["file"]);
    }
}
