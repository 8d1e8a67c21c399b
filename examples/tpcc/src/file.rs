//! The file that holds a database: made here, marked, and never anybody else's.
//!
//! Its first page is a header, which is written once, when the file is made:
//!
//! | bytes | content |
//! | --- | --- |
//! | 0..24 | `LEADLINE-TPCC-FILE/1`, zeros |
//! | 24..32 | bytes of a page, little endian |
//! | 32..40 | bytes of the file |
//!
//! The file is written whole before it is used, so that a run never waits for the file system to find room,
//! and is used past the page cache (O_DIRECT). It is locked as long as it is open.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use leadline_device::guard::{check_directory, check_space};
use leadline_device::{Device, DeviceError, FileDevice, FileOptions, IoEngine, direct_alignment};

use crate::bytes::{get_u64, put_u64};

/// Name of the file in its directory.
pub const FILE_NAME: &str = "leadline-tpcc.db";

const MAGIC: &[u8; 24] = b"LEADLINE-TPCC-FILE/1\0\0\0\0";
const PAGE_BYTES: usize = 24;
const FILE_BYTES: usize = 32;
const HEADER: usize = 40;
/// Written at once while the file is laid out.
const CHUNK: usize = 1 << 20;

/// An open database file.
#[derive(Debug)]
pub struct DatabaseFile {
    file: File,
    path: PathBuf,
    bytes: u64,
    page_bytes: u32,
    engine: IoEngine,
    notes: Vec<String>,
    /// Removed when dropped: it was made and is not yet loaded.
    unfinished: bool,
}

impl DatabaseFile {
    /// Makes a file of at least `bytes` in `dir`, and writes it whole. Dropped before [`DatabaseFile::keep`],
    /// it is removed again. With `replace`, a database that is there already goes first.
    ///
    /// # Errors
    /// One line: where the directory cannot be written or has too little room, or a file is there already, or
    /// in `replace`'s case one that is not a database of ours or is in use.
    pub fn create(dir: &Path, bytes: u64, page_bytes: u32, replace: bool) -> Result<Self, String> {
        check_directory(dir).map_err(|error| error.to_string())?;
        let path = dir.join(FILE_NAME);
        if replace && fs::symlink_metadata(&path).is_ok() {
            let earlier = DatabaseFile::open(dir)?;
            fs::remove_file(&earlier.path).map_err(|error| failed(&path, "replacing it", &error))?;
        }
        let bytes = bytes.next_multiple_of(CHUNK as u64);
        check_space(dir, bytes).map_err(|error| error.to_string())?;
        let file =
            OpenOptions::new().read(true).write(true).create_new(true).open(&path).map_err(|error| {
                match error.kind() {
                    io::ErrorKind::AlreadyExists => {
                        format!("{}: is there already; --replace loads it anew", path.display())
                    }
                    _ => failed(&path, "making it", &error),
                }
            })?;
        let (engine, reason) = IoEngine::best();
        let notes = reason.into_iter().collect();
        let made = DatabaseFile { file, path, bytes, page_bytes, engine, notes, unfinished: true };
        made.lock()?;
        made.lay_out().map_err(|error| failed(&made.path, "laying it out", &error))?;
        Ok(made)
    }

    /// Opens the database file in `dir`.
    ///
    /// # Errors
    /// One line: where there is none, or it is in use, or not what its header says.
    pub fn open(dir: &Path) -> Result<Self, String> {
        let path = dir.join(FILE_NAME);
        let file =
            OpenOptions::new().read(true).write(true).open(&path).map_err(|error| match error.kind() {
                io::ErrorKind::NotFound => {
                    format!(
                        "{}: is not there; make it with `tpcc load --dir {}`",
                        path.display(),
                        dir.display()
                    )
                }
                _ => failed(&path, "opening it", &error),
            })?;
        let (engine, reason) = IoEngine::best();
        let notes = reason.into_iter().collect();
        let mut opened =
            DatabaseFile { file, path, bytes: 0, page_bytes: 0, engine, notes, unfinished: false };
        opened.lock()?;
        opened.read_header()?;
        Ok(opened)
    }

    /// The file as a device, past the page cache.
    ///
    /// # Errors
    /// [`DeviceError`] where the file system has no direct I/O.
    pub fn device(&self) -> Result<Arc<dyn Device>, DeviceError> {
        let cannot = |what: &str, error| DeviceError::io(format!("{what} {}", self.path.display()), error);
        let file = self.file.try_clone().map_err(|error| cannot("opening", error))?;
        let block = direct_alignment(&file).map_err(|error| cannot("the direct alignment of", error))?;
        let device = FileDevice::new(file, self.bytes, FileOptions::new(self.engine, block))?;
        Ok(Arc::new(device))
    }

    /// The database is loaded: the file stays.
    pub fn keep(mut self) {
        self.unfinished = false;
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its size.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes of a page.
    pub fn page_bytes(&self) -> u32 {
        self.page_bytes
    }

    /// What had to be done without, in plain words; to be shown once.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    fn lock(&self) -> Result<(), String> {
        match self.file.try_lock() {
            Ok(()) => Ok(()),
            Err(TryLockError::WouldBlock) => {
                Err(format!("{}: is in use by another tpcc; wait for it to end", self.path.display()))
            }
            Err(TryLockError::Error(error)) => Err(failed(&self.path, "locking it", &error)),
        }
    }

    fn lay_out(&self) -> io::Result<()> {
        let mut chunk = vec![0; CHUNK];
        chunk[..MAGIC.len()].copy_from_slice(MAGIC);
        put_u64(&mut chunk, PAGE_BYTES, u64::from(self.page_bytes));
        put_u64(&mut chunk, FILE_BYTES, self.bytes);
        (&self.file).write_all(&chunk)?;
        chunk[..HEADER].fill(0);
        for _ in 1..self.bytes / CHUNK as u64 {
            (&self.file).write_all(&chunk)?;
        }
        self.file.sync_all()
    }

    fn read_header(&mut self) -> Result<(), String> {
        let foreign =
            |reason: &str| format!("{}: {reason}; move it away and load again", self.path.display());
        let metadata = self.file.metadata().map_err(|error| failed(&self.path, "examining it", &error))?;
        let mut header = [0; HEADER];
        match self.file.read_exact_at(&mut header, 0) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                return Err(foreign("is shorter than a header"));
            }
            other => other.map_err(|error| failed(&self.path, "reading its header", &error))?,
        }
        if !header.starts_with(MAGIC) {
            return Err(foreign("is no TPC-C database of Leadline's"));
        }
        let (page_bytes, bytes) = (get_u64(&header, PAGE_BYTES), get_u64(&header, FILE_BYTES));
        if bytes != metadata.len() {
            return Err(foreign("has another size than its header says"));
        }
        match u32::try_from(page_bytes) {
            Ok(size @ 4096..=65_536) if size.is_power_of_two() => self.page_bytes = size,
            _ => return Err(foreign("has pages of a size that cannot be")),
        }
        self.bytes = bytes;
        Ok(())
    }
}

impl Drop for DatabaseFile {
    fn drop(&mut self) {
        if self.unfinished {
            // Nothing more can be done here; --replace takes it away.
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn failed(path: &Path, what: &str, error: &io::Error) -> String {
    format!("{}: {what} failed: {error}; check the directory and the device behind it", path.display())
}
