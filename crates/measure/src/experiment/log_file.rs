//! The file that experiments on system calls write to: a scratch file, through the page cache, as databases
//! write their logs.

use std::fs::File;
use std::io::Write as _;
use std::os::fd::AsRawFd as _;
use std::path::{Path, PathBuf};

use leadline_device::scratch::{DATA_START, Scratch, ScratchOptions};
use leadline_device::{DeviceError, Payload};
use leadline_profile::{FileState, SyncMethod};
use rustix::fs::{FallocateFlags, Mode, OFlags, fallocate, fdatasync, fsync, open};
use rustix::io::{Errno, ReadWriteFlags, pwritev2};

use crate::MeasureError;

/// Bytes of the log of `fsync`: etcd sets its log aside in segments of this size.
pub(super) const ETCD_SEGMENT_BYTES: u64 = 64 << 20;

/// Bytes of a segment of PostgreSQL's log.
pub(super) const POSTGRES_SEGMENT_BYTES: u64 = 16 << 20;

/// Written at once where the file is filled.
const FILL_BYTES: usize = 1 << 20;

/// To open a file with. `OFlags::DSYNC` is O_SYNC on Linux, which makes times durable, too.
const O_DSYNC: OFlags = OFlags::from_bits_retain(0o10_000);

/// A log of a fixed size in a scratch file.
pub(super) struct LogFile {
    scratch: Scratch,
    /// The same file, opened with O_DSYNC.
    synchronous: File,
    dir: PathBuf,
    len: u64,
}

impl LogFile {
    /// Makes one with room for `len` bytes, a multiple of 1 MiB, in `dir`.
    ///
    /// # Errors
    /// As [`Scratch::create`]; and where the file cannot be opened again through `/proc`.
    pub(super) fn create(dir: &Path, len: u64) -> Result<Self, MeasureError> {
        let scratch = Scratch::create(dir, DATA_START + len, ScratchOptions::new().direct(false))?;
        // It has no name, and O_DSYNC is fixed when a file is opened.
        let path = format!("/proc/self/fd/{}", scratch.file().as_raw_fd());
        let flags = OFlags::WRONLY | O_DSYNC | OFlags::CLOEXEC;
        let synchronous = open(&path, flags, Mode::empty())
            .map_err(|errno| failed("opening it with O_DSYNC through /proc", dir, errno))?;
        Ok(LogFile { scratch, synchronous: synchronous.into(), dir: dir.into(), len })
    }

    /// Bytes that can be written to it.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Begins it again in the given state, durably. Returns the bytes that were written to that end.
    ///
    /// # Errors
    /// [`MeasureError::Device`] where the file system refuses: it is full, or cannot set space aside.
    pub(super) fn renew(&self, state: FileState) -> Result<u64, MeasureError> {
        let mut file = self.scratch.file();
        let at = |what| move |errno: Errno| failed(what, &self.dir, errno);
        file.set_len(DATA_START).map_err(|error| failed("emptying it", &self.dir, error))?;
        if state != FileState::Growing {
            fallocate(file, FallocateFlags::empty(), DATA_START, self.len)
                .map_err(at("setting space aside for it (fallocate)"))?;
        }
        let mut written = 0;
        if state == FileState::Written {
            let mut block = vec![0; FILL_BYTES];
            Payload::new(self.len).fill(&mut block);
            std::io::Seek::seek(&mut file, std::io::SeekFrom::Start(DATA_START))
                .map_err(|error| failed("filling it", &self.dir, error))?;
            while written < self.len {
                file.write_all(&block).map_err(|error| failed("filling it", &self.dir, error))?;
                written += block.len() as u64;
            }
        }
        fsync(file).map_err(at("fsync"))?;
        Ok(written)
    }

    /// Writes `data` at `offset` of the log, without making it durable where `method` takes a second call for
    /// that.
    ///
    /// # Errors
    /// [`MeasureError::Device`] with the system's reason.
    pub(super) fn write(&self, method: SyncMethod, data: &[u8], offset: u64) -> Result<(), MeasureError> {
        let (file, flags) = match method {
            SyncMethod::Fsync | SyncMethod::Fdatasync => (self.scratch.file(), ReadWriteFlags::empty()),
            SyncMethod::ODsync => (&self.synchronous, ReadWriteFlags::empty()),
            SyncMethod::RwfDsync => (self.scratch.file(), ReadWriteFlags::DSYNC),
        };
        let slices = [std::io::IoSlice::new(data)];
        let written = rustix::io::retry_on_intr(|| pwritev2(file, &slices, DATA_START + offset, flags))
            .map_err(|errno| failed("a write to it", &self.dir, errno))?;
        if written != data.len() {
            return Err(failed("a write to it", &self.dir, Errno::NOSPC));
        }
        Ok(())
    }

    /// The second call, of the methods that have one.
    ///
    /// # Errors
    /// [`MeasureError::Device`] with the system's reason.
    pub(super) fn sync(&self, method: SyncMethod) -> Result<(), MeasureError> {
        let synced = match method {
            SyncMethod::Fsync => fsync(self.scratch.file()),
            SyncMethod::Fdatasync => fdatasync(self.scratch.file()),
            SyncMethod::ODsync | SyncMethod::RwfDsync => Ok(()),
        };
        synced.map_err(|errno| failed(method.words(), &self.dir, errno))
    }
}

/// `./dir: the log file in it: emptying it: No space left on device`.
fn failed(what: &str, dir: &Path, reason: impl Into<std::io::Error>) -> MeasureError {
    DeviceError::io(format!("{}: the log file in it: {what}", dir.display()), reason).into()
}
