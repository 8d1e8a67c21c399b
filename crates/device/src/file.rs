//! A file or block device as a device, in wall time.

use std::fmt;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::sync::{Arc, Mutex, PoisonError};

use rustix::fs::{AtFlags, OFlags, StatxFlags, fcntl_getfl, fcntl_setfl, ioctl_blksszget, statx};
use rustix::io::Errno;

use crate::psync;
use crate::uring::{self, Polling, UringPair};
use crate::{Clock, Device, DeviceError, Geometry, Nanos, QueuePair, QueueShape, Request};

/// How long the first read on a polled ring may take before the device counts as one that does not poll.
const PROBE_TIME: Nanos = 5_000_000_000;

/// How requests reach the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IoEngine {
    /// One io_uring per queue pair; all requests in flight on one thread.
    IoUring,
    /// `pread`, `pwrite` and `pwritev2`: at depth 1 on the caller's own thread, deeper on one blocking thread
    /// per request.
    Psync,
}

impl IoEngine {
    /// Whether this machine lets us use the engine.
    ///
    /// # Errors
    /// [`DeviceError::Unsupported`] with the reason, fit to be shown once before psync is used instead.
    pub fn available(self) -> Result<(), DeviceError> {
        match self {
            IoEngine::IoUring => uring::probe(),
            IoEngine::Psync => Ok(()),
        }
    }

    /// io_uring, or psync and the reason why it must be that; the caller announces the reason once.
    pub fn best() -> (IoEngine, Option<String>) {
        match IoEngine::IoUring.available() {
            Ok(()) => (IoEngine::IoUring, None),
            Err(reason) => (IoEngine::Psync, Some(reason.to_string())),
        }
    }
}

/// How a file is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileOptions {
    /// How requests reach the kernel.
    pub engine: IoEngine,
    /// Whether writes are taken. The file must then be open for writing.
    pub writable: bool,
    /// Whether requests go past the page cache; sets or clears O_DIRECT on the file.
    pub direct: bool,
    /// Whether completions are polled from the device (IORING_SETUP_IOPOLL); io_uring and `direct` only. Such
    /// a queue pair refuses flushes and trims: the kernel cannot poll them.
    pub iopoll: bool,
    /// Whether a kernel thread polls for submissions (IORING_SETUP_SQPOLL); io_uring only.
    pub sqpoll: bool,
    /// Offsets and lengths are multiples of this; a power of two from 512 to 65,536. See
    /// [`direct_alignment`].
    pub block_bytes: u32,
}

impl FileOptions {
    /// Past the page cache, interrupts, reads and writes.
    pub fn new(engine: IoEngine, block_bytes: u32) -> Self {
        FileOptions { engine, writable: true, direct: true, iopoll: false, sqpoll: false, block_bytes }
    }

    /// Sets [`FileOptions::writable`].
    #[must_use]
    pub fn writable(self, writable: bool) -> Self {
        FileOptions { writable, ..self }
    }

    /// Sets [`FileOptions::direct`].
    #[must_use]
    pub fn direct(self, direct: bool) -> Self {
        FileOptions { direct, ..self }
    }

    /// Sets [`FileOptions::iopoll`].
    #[must_use]
    pub fn iopoll(self, iopoll: bool) -> Self {
        FileOptions { iopoll, ..self }
    }

    /// Sets [`FileOptions::sqpoll`].
    #[must_use]
    pub fn sqpoll(self, sqpoll: bool) -> Self {
        FileOptions { sqpoll, ..self }
    }
}

/// A file or block device, on wall-clock time.
pub struct FileDevice {
    file: Arc<File>,
    geometry: Geometry,
    options: FileOptions,
    warnings: Mutex<Vec<String>>,
}

impl FileDevice {
    /// Takes an open file, of which the first `capacity_bytes` are used.
    ///
    /// # Errors
    /// [`DeviceError`] when the file system refuses O_DIRECT, the engine is not to be had, or the device
    /// refuses to be polled: nothing is silently done without.
    pub fn new(file: File, capacity_bytes: u64, options: FileOptions) -> Result<FileDevice, DeviceError> {
        check_options(&file, capacity_bytes, &options)?;
        set_direct(&file, options.direct)?;
        options.engine.available()?;
        let FileOptions { block_bytes, writable, .. } = options;
        let geometry = Geometry { capacity_bytes, block_bytes, writable };
        let device = FileDevice { file: Arc::new(file), geometry, options, warnings: Mutex::default() };
        if options.iopoll || options.sqpoll {
            device.probe_polling()?;
        }
        Ok(device)
    }

    /// The options it was made with.
    pub fn options(&self) -> FileOptions {
        self.options
    }

    /// The open file.
    pub fn file(&self) -> &Arc<File> {
        &self.file
    }

    /// One read, since the kernel takes the flags of a ring before it knows the device.
    fn probe_polling(&self) -> Result<(), DeviceError> {
        let block_bytes = self.geometry.block_bytes;
        if self.geometry.capacity_bytes < u64::from(block_bytes) {
            return Err(DeviceError::Unsupported("polling: the device is smaller than one block".into()));
        }
        let mut pair = self.queue_pair(QueueShape::new(1, block_bytes))?;
        pair.submit(Request::read(0, 0, block_bytes))?;
        let (mut done, deadline) = (Vec::new(), pair.now() + PROBE_TIME);
        while done.is_empty() && pair.now() < deadline {
            pair.reap(1, deadline, &mut done)?;
        }
        match done.first().map(|done| done.result) {
            Some(result) if result >= 0 => Ok(()),
            Some(result) if self.options.iopoll && -result == Errno::OPNOTSUPP.raw_os_error() => {
                Err(DeviceError::Unsupported(
                    "polling for completions (IOPOLL): the device has no poll queues; for NVMe, load the driver with \
                     nvme.poll_queues=N"
                        .into(),
                ))
            }
            Some(result) => {
                Err(DeviceError::io("the first read on a polled ring", io::Error::from_raw_os_error(-result)))
            }
            None => Err(DeviceError::Unsupported("polling: the first read did not complete in 5 s".into())),
        }
    }
}

impl fmt::Debug for FileDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileDevice")
            .field("capacity_bytes", &self.geometry.capacity_bytes)
            .field("engine", &self.options.engine)
            .finish_non_exhaustive()
    }
}

impl Device for FileDevice {
    fn geometry(&self) -> Geometry {
        self.geometry
    }

    fn clock(&self) -> Clock {
        Clock::Wall
    }

    fn queue_pair(&self, shape: QueueShape) -> Result<Box<dyn QueuePair>, DeviceError> {
        self.make_queue_pair(shape, false)
    }

    fn shared_queue_pair(&self, shape: QueueShape) -> Result<Box<dyn QueuePair>, DeviceError> {
        self.make_queue_pair(shape, true)
    }

    /// For instance that the buffers could not be registered under RLIMIT_MEMLOCK.
    fn warnings(&self) -> Vec<String> {
        self.warnings.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl FileDevice {
    /// A queue pair of one thread, or of several in turn.
    fn make_queue_pair(&self, shape: QueueShape, shared: bool) -> Result<Box<dyn QueuePair>, DeviceError> {
        check_shape(&shape, &self.geometry)?;
        let file = Arc::clone(&self.file);
        match self.options.engine {
            IoEngine::Psync => psync::queue_pair(file, self.geometry, shape),
            IoEngine::IoUring => {
                let FileOptions { iopoll: completions, sqpoll: submissions, .. } = self.options;
                let polling = Polling { completions, submissions, shared };
                let pair = UringPair::new(file, self.geometry, shape, polling)?;
                if let Some(warning) = pair.warning() {
                    let mut warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
                    if !warnings.iter().any(|known| known == warning) {
                        warnings.push(warning.to_owned());
                    }
                }
                Ok(Box::new(pair))
            }
        }
    }
}

/// The block that O_DIRECT on this file asks of offsets, lengths and memory, in bytes: what the kernel says
/// (STATX_DIOALIGN, Linux 6.1), else the logical block of a block device, else 4096.
///
/// # Errors
/// When the kernel says that the file takes no O_DIRECT, or the file cannot be asked.
pub fn direct_alignment(file: &File) -> io::Result<u32> {
    if let Some(alignment) = stated_alignment(file)? {
        return Ok(alignment);
    }
    if file.metadata()?.file_type().is_block_device() {
        return Ok(ioctl_blksszget(file)?.max(512));
    }
    Ok(4096)
}

/// What STATX_DIOALIGN says, where the kernel answers it.
fn stated_alignment(file: &File) -> io::Result<Option<u32>> {
    let stat = match statx(file, c"", AtFlags::EMPTY_PATH, StatxFlags::DIOALIGN) {
        Ok(stat) => stat,
        Err(Errno::NOSYS) => return Ok(None),
        Err(errno) => return Err(errno.into()),
    };
    if stat.stx_mask & StatxFlags::DIOALIGN.bits() == 0 {
        return Ok(None);
    }
    match stat.stx_dio_offset_align.max(stat.stx_dio_mem_align) {
        0 => Err(io::Error::new(io::ErrorKind::Unsupported, "the file takes no O_DIRECT")),
        alignment => Ok(Some(alignment.max(512))),
    }
}

fn check_options(file: &File, capacity_bytes: u64, options: &FileOptions) -> Result<(), DeviceError> {
    let refuse = |reason: String| Err(DeviceError::Unsupported(reason));
    let block_bytes = options.block_bytes;
    if !block_bytes.is_power_of_two() || !(512..=65536).contains(&block_bytes) {
        return refuse(format!("a block of {block_bytes} bytes: not a power of two from 512 to 65536"));
    }
    if capacity_bytes > i64::MAX as u64 {
        return refuse(format!("a capacity of {capacity_bytes} bytes: more than a file can have"));
    }
    if options.engine == IoEngine::Psync && (options.iopoll || options.sqpoll) {
        return refuse("polling (IOPOLL, SQPOLL) is io_uring's; psync has none".into());
    }
    if options.iopoll && !options.direct {
        return refuse("polling for completions (IOPOLL) needs O_DIRECT".into());
    }
    let flags = fcntl_getfl(file).map_err(|errno| DeviceError::io("asking for the file's flags", errno))?;
    if options.writable && flags & OFlags::RWMODE == OFlags::RDONLY {
        return refuse("the file is open for reading only, and writes are asked for".into());
    }
    if options.direct {
        let stated = stated_alignment(file).map_err(|error| DeviceError::io("O_DIRECT", error))?;
        if let Some(alignment) = stated.filter(|alignment| block_bytes < *alignment) {
            return refuse(format!(
                "a block of {block_bytes} bytes: O_DIRECT on this file takes {alignment}"
            ));
        }
    }
    Ok(())
}

/// Sets or clears O_DIRECT.
fn set_direct(file: &File, direct: bool) -> Result<(), DeviceError> {
    let flags = fcntl_getfl(file).map_err(|errno| DeviceError::io("asking for the file's flags", errno))?;
    let mut wanted = flags;
    wanted.set(OFlags::DIRECT, direct);
    if wanted == flags {
        return Ok(());
    }
    fcntl_setfl(file, wanted).map_err(|errno| {
        DeviceError::io("O_DIRECT (the file system may only do buffered I/O)", io::Error::from(errno))
    })
}

pub(crate) fn check_shape(shape: &QueueShape, geometry: &Geometry) -> Result<(), DeviceError> {
    let QueueShape { depth, buffer_bytes, large_slots, large_bytes, .. } = *shape;
    let slots = shape.slots.saturating_add(large_slots);
    let fits = |bytes: u32| bytes > 0 && bytes.is_multiple_of(geometry.block_bytes);
    let reason = if !(1..=32_768).contains(&depth) {
        format!("a depth of {depth}: not from 1 to 32768")
    } else if slots < depth {
        format!("{slots} slots for a depth of {depth}: every request in flight needs one")
    } else if !fits(buffer_bytes) || large_slots > 0 && !fits(large_bytes) {
        let bytes = if fits(buffer_bytes) { large_bytes } else { buffer_bytes };
        format!("buffers of {bytes} bytes: not a multiple of the block, {} bytes", geometry.block_bytes)
    } else {
        return Ok(());
    };
    Err(DeviceError::Unsupported(reason))
}
