//! The directory of the log, and its files: the operating system's, or a test's.

use std::fmt::Debug;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A directory.
pub(crate) trait Folder: Debug + Send + Sync {
    /// For messages.
    fn path(&self) -> &Path;
    /// The names of all files, in any order.
    fn names(&self) -> io::Result<Vec<String>>;
    /// Opens a file to read and write, or makes an empty one.
    fn open(&self, name: &str) -> io::Result<Arc<dyn Stored>>;
    /// Gives a file another name; replaces the file that has it.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;
    /// Removes a file.
    fn remove(&self, name: &str) -> io::Result<()>;
    /// Makes names durable.
    fn sync(&self) -> io::Result<()>;
}

/// An open file.
pub(crate) trait Stored: Debug + Send + Sync {
    fn length(&self) -> io::Result<u64>;
    /// Fills `bytes`; an error where the file ends before.
    fn read(&self, bytes: &mut [u8], at: u64) -> io::Result<()>;
    fn write(&self, bytes: &[u8], at: u64) -> io::Result<()>;
    /// Makes durable what was written, and the length.
    fn sync(&self) -> io::Result<()>;
}

/// A directory of the operating system.
#[derive(Debug)]
pub(crate) struct Directory {
    path: PathBuf,
    read_only: bool,
}

impl Directory {
    /// Makes it where it is not there.
    pub(crate) fn new(path: &Path) -> io::Result<Directory> {
        if !path.is_dir() {
            std::fs::create_dir_all(path)?;
            if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
                File::open(parent)?.sync_all()?;
            }
        }
        Ok(Directory { path: path.to_owned(), read_only: false })
    }

    /// To be read only.
    pub(crate) fn read_only(path: &Path) -> Directory {
        Directory { path: path.to_owned(), read_only: true }
    }
}

impl Folder for Directory {
    fn path(&self) -> &Path {
        &self.path
    }

    fn names(&self) -> io::Result<Vec<String>> {
        let names = std::fs::read_dir(&self.path)?.map(|entry| Ok(entry?.file_name().into_string().ok()));
        names.filter_map(Result::transpose).collect()
    }

    fn open(&self, name: &str) -> io::Result<Arc<dyn Stored>> {
        let write = !self.read_only;
        let mut options = File::options();
        let file = options.read(true).write(write).create(write).truncate(false).open(self.path.join(name));
        Ok(Arc::new(file?))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        std::fs::rename(self.path.join(from), self.path.join(to))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        std::fs::remove_file(self.path.join(name))
    }

    fn sync(&self) -> io::Result<()> {
        File::open(&self.path)?.sync_all()
    }
}

impl Stored for File {
    fn length(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        self.read_exact_at(bytes, at)
    }

    fn write(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        self.write_all_at(bytes, at)
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }
}
