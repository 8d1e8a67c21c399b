//! Files past the page cache, with several requests in flight: what the page cache costs is saved, and a
//! control group's limit does not slow them down.

mod pace;
mod read;
#[cfg(test)]
mod tests;
mod write;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use leadline_device::{Device, FileDevice, FileOptions, IoEngine, QueuePair, QueueShape};
use rustix::fs::{FallocateFlags, OFlags, fallocate, fcntl_getfl, fcntl_setfl};

pub(crate) use pace::Pace;
pub use read::ReadQueue;
pub(crate) use write::SequentialWriter;
pub use write::WriteQueue;

use crate::GraphError;
use crate::format::ALIGNMENT;

/// Bytes of a file that are set aside at a time, at least and at most.
const STEP: (u64, u64) = (1 << 20, 64 << 20);

/// A file open for reading and writing, past the page cache where the file system allows it.
#[derive(Debug)]
pub struct DirectFile {
    device: FileDevice,
    /// What it is called in errors.
    name: PathBuf,
    /// Up to where the file system was asked for space.
    allocated: Mutex<u64>,
}

impl DirectFile {
    /// Takes a file, which is called `name` in errors. Its flags, and the flags of its clones, change.
    ///
    /// # Errors
    /// [`GraphError::Write`], [`GraphError::Device`].
    pub fn new(file: &File, name: &Path) -> Result<Arc<DirectFile>, GraphError> {
        // Not every file system has direct I/O; the same requests work without it.
        DirectFile::open(file, name, true).or_else(|_| DirectFile::open(file, name, false))
    }

    /// As [`DirectFile::new`], for a file that may be open for reading only; nothing is written to it.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn to_read(file: &File, name: &Path) -> Result<Arc<DirectFile>, GraphError> {
        let open = |direct| DirectFile::with(file, name, options(direct).writable(false));
        open(true).or_else(|_| open(false))
    }

    /// As [`DirectFile::new`], for an empty file that is so long from now on: what is never written takes no
    /// room on the disk.
    ///
    /// # Errors
    /// As there.
    pub fn sparse(file: &File, name: &Path, bytes: u64) -> Result<Arc<DirectFile>, GraphError> {
        file.set_len(bytes).map_err(|error| GraphError::write(name, error))?;
        let opened = DirectFile::new(file, name)?;
        *opened.allocated.lock().unwrap_or_else(PoisonError::into_inner) = bytes;
        Ok(opened)
    }

    fn open(file: &File, name: &Path, direct: bool) -> Result<Arc<DirectFile>, GraphError> {
        DirectFile::with(file, name, options(direct))
    }

    fn with(file: &File, name: &Path, options: FileOptions) -> Result<Arc<DirectFile>, GraphError> {
        let file = file.try_clone().map_err(|error| GraphError::write(name, error))?;
        let most_bytes = i64::MAX as u64 / ALIGNMENT * ALIGNMENT;
        let device = FileDevice::new(file, most_bytes, options)
            .map_err(|error| GraphError::device(&name.display().to_string(), error))?;
        Ok(Arc::new(DirectFile { device, name: name.to_owned(), allocated: Mutex::default() }))
    }

    /// Has the file system set space aside for everything up to `until`, in large steps: a write that makes
    /// the file longer holds up all others. Where this fails, the write itself will say why.
    fn allocate(&self, until: u64) {
        let mut allocated = self.allocated.lock().unwrap_or_else(PoisonError::into_inner);
        if until > *allocated {
            let step = (*allocated).clamp(STEP.0, STEP.1).max(until - *allocated);
            let done = fallocate(&**self.device.file(), FallocateFlags::empty(), *allocated, step);
            *allocated = if done.is_ok() { *allocated + step } else { until };
        }
    }

    /// What is written from now on passes through the page cache.
    fn through_the_cache(&self) -> io::Result<()> {
        let file = self.device.file();
        let flags = fcntl_getfl(file)?;
        Ok(fcntl_setfl(file, flags - OFlags::DIRECT)?)
    }

    /// Requests and their buffers, which several threads may use in turn.
    fn queue_pair(&self, depth: usize, bytes: usize) -> Result<Box<dyn QueuePair>, GraphError> {
        let shape = QueueShape::new(depth as u32, bytes.next_multiple_of(ALIGNMENT as usize) as u32);
        self.device.shared_queue_pair(shape).map_err(|error| self.device_error(error))
    }

    fn device_error(&self, error: leadline_device::DeviceError) -> GraphError {
        GraphError::device(&self.name.display().to_string(), error)
    }

    fn write_error(&self, error: io::Error) -> GraphError {
        GraphError::write(&self.name, error)
    }

    fn read_error(&self, source: io::Error) -> GraphError {
        // A temporary file has no name, and is called by its directory.
        let name = self.name.display();
        let name = if self.name.is_dir() { format!("temporary file in {name}") } else { name.to_string() };
        GraphError::Read { name, source }
    }
}

fn options(direct: bool) -> FileOptions {
    FileOptions::new(IoEngine::best().0, ALIGNMENT as u32).direct(direct)
}
