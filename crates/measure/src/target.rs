//! From something that was found to a device that may be measured: which part of it, whether it is written,
//! and why not.

use std::fs::File;
use std::path::PathBuf;

use leadline_device::guard::{self, GuardError};
use leadline_device::scratch::{DATA_START, Scratch, ScratchOptions};
use leadline_device::target::{Target, TargetKind};
use leadline_device::{
    Clock, Device, DeviceError, FileDevice, FileOptions, IoEngine, direct_alignment, format_size,
};
use leadline_profile::{DeviceFacts, EngineKind};

use crate::facts;
use crate::load::Region;
use crate::plan::Lanes;
use crate::{MeasureError, summary};

/// Smallest block through the page cache: nothing needs to be aligned, yet odd sizes make no sense.
const BUFFERED_BLOCK: u32 = 512;

/// Why writes were not measured, in the words that profiles have in `method.writes`: part of their format.
const NOT_ASKED_FOR: &str = "not asked for (--reads-only)";
const FOREIGN_FILE: &str = "Leadline did not make this file";
const BLOCK_DEVICE: &str = "a block device is only read; --destructive would overwrite it";

/// How a target is opened, and what may be done to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Access {
    /// How requests reach the kernel; `None` for io_uring, or psync where the kernel refuses io_uring.
    pub engine: Option<IoEngine>,
    /// By-pass the page cache (O_DIRECT).
    pub direct: bool,
    /// Poll for completions.
    pub iopoll: bool,
    /// Let a kernel thread poll for submissions.
    pub sqpoll: bool,
    /// Overwrite a block device that is not in use.
    pub destructive: bool,
    /// Write nothing but the layout of a scratch file.
    pub reads_only: bool,
    /// Leave the scratch file behind.
    pub keep_scratch: bool,
    /// Look up the drive's serial number.
    pub serial: bool,
    /// Bytes of the scratch file, or of the part of a device that is used; `None` for a size that suits the
    /// target.
    pub size_bytes: Option<u64>,
    /// Without `size_bytes`: at most 1 GiB instead of 8 GiB.
    pub quick: bool,
}

impl Default for Access {
    /// Direct I/O, reads and writes, a scratch file that is removed.
    fn default() -> Self {
        Access {
            engine: None,
            direct: true,
            iopoll: false,
            sqpoll: false,
            destructive: false,
            reads_only: false,
            keep_scratch: false,
            serial: false,
            size_bytes: None,
            quick: false,
        }
    }
}

impl Access {
    /// Bytes of a scratch file or region where no size is given and free space does not matter.
    pub fn default_bytes(&self) -> u64 {
        if self.quick { 1 << 30 } else { 8 << 30 }
    }

    /// Bytes of the scratch file or region of `target` that will be written first, after checking that they
    /// may be. 0 where nothing is written.
    ///
    /// # Errors
    /// [`GuardError`]: a directory that cannot be written to, or that has too little space.
    pub fn layout_bytes(&self, target: &Target) -> Result<u64, GuardError> {
        match target.kind {
            TargetKind::Directory => {
                guard::check_directory(&target.path)?;
                let bytes = match self.size_bytes {
                    Some(bytes) => bytes,
                    None => guard::default_scratch_bytes(&target.path, self.quick)?,
                };
                guard::check_space(&target.path, bytes)?;
                Ok(bytes)
            }
            TargetKind::Block if self.destructive => {
                Ok(self.size_bytes.unwrap_or(self.default_bytes()).min(target.size_bytes))
            }
            _ => Ok(0),
        }
    }

    /// The smallest request that `target` takes, bytes, as far as that can be told before anything is made in
    /// it.
    pub fn smallest_block(&self, target: &Target) -> u32 {
        if !self.direct {
            return BUFFERED_BLOCK;
        }
        let facts = facts::device_facts(&target.path, target.kind, false);
        facts.logical_block_bytes.unwrap_or(4096)
    }

    fn why_no_writes(&self, otherwise: &str) -> String {
        if self.reads_only { NOT_ASKED_FOR.to_owned() } else { otherwise.to_owned() }
    }
}

/// A target that is ready to be measured.
pub struct OpenTarget {
    /// The device.
    pub device: Box<dyn Device>,
    /// What of it may be touched.
    pub region: Region,
    /// Whether it may be written.
    pub writes: bool,
    /// Whether the region is to be written whole first.
    pub layout: bool,
    /// What submits the requests.
    pub engine: EngineKind,
    /// Why that is not io_uring, where nobody chose.
    pub io_uring_refused: Option<String>,
    /// Whether the page cache is by-passed.
    pub direct: bool,
    /// Why writes will not be measured; empty where they will.
    pub no_writes_because: String,
    /// What is known of the device.
    pub facts: DeviceFacts,
    /// The directory that it is, where it is one: files can be made in it.
    pub directory: Option<PathBuf>,
    /// Where sysfs has the disk, for its temperature.
    pub sysfs: Option<PathBuf>,
    /// What a user is to be told once.
    pub warnings: Vec<String>,
    /// Removed when dropped.
    _scratch: Option<Scratch>,
}

impl OpenTarget {
    /// A simulated device: `target` is what the user named, `name` what the profile calls it. The region is
    /// its first
    /// `bytes`, or all of it where it is smaller.
    pub fn simulated(device: Box<dyn Device>, target: &str, name: &str, bytes: u64, access: &Access) -> Self {
        let capacity = device.geometry().capacity_bytes;
        let around = summary::Circumstances::simulated(target, name, capacity);
        OpenTarget {
            region: Region { start: 0, len: bytes.min(capacity) },
            writes: !access.reads_only,
            layout: !access.reads_only,
            device,
            engine: around.engine,
            io_uring_refused: None,
            direct: true,
            no_writes_because: access.why_no_writes(""),
            facts: around.facts,
            directory: None,
            sysfs: None,
            warnings: Vec::new(),
            _scratch: None,
        }
    }

    /// Opens a directory, file or block device. In a directory a scratch file of `bytes` is made; of a block
    /// device that may be overwritten, the first `bytes` are used.
    ///
    /// # Errors
    /// [`MeasureError`]: the guards refuse the target, or it cannot be opened.
    pub fn open(target: &Target, bytes: u64, access: &Access) -> Result<Self, MeasureError> {
        match target.kind {
            TargetKind::Directory => open_directory(target, bytes, access),
            TargetKind::File => open_file(target, access),
            TargetKind::Block => open_block(target, bytes, access),
        }
    }

    /// Whether every request needs a thread of its own.
    pub fn is_psync(&self) -> bool {
        self.engine == EngineKind::Psync
    }

    /// How concurrency is made on it: with one queue pair, or one for each thread.
    pub(crate) fn lanes(&self) -> Lanes {
        if self.is_psync() { Lanes::OneRequestEach } else { Lanes::Threads(1) }
    }

    /// The seed where none is given: 1 for a simulated device, whose runs are to be the same, else the time.
    pub(crate) fn default_seed(&self) -> u64 {
        match self.device.clock() {
            Clock::Virtual => 1,
            Clock::Wall => std::time::SystemTime::now()
                .duration_since(std::time::UNIX_EPOCH)
                .map_or(1, |since| since.as_micros() as u64),
        }
    }
}

fn open_directory(target: &Target, bytes: u64, access: &Access) -> Result<OpenTarget, MeasureError> {
    let mut warnings: Vec<String> = Scratch::sweep(&target.path)?
        .iter()
        .map(|path| format!("removed {}, left behind by a run that was killed", path.display()))
        .collect();
    let options = ScratchOptions::new().direct(access.direct).keep(access.keep_scratch);
    let scratch = Scratch::create(&target.path, bytes, options)?;
    let file = scratch.file().try_clone().map_err(|error| cannot("open", target, error))?;
    let capacity = scratch.capacity_bytes();
    let region = Region { start: DATA_START, len: whole_mebibytes(capacity - DATA_START) };
    let mut opened = open_real(target, file, capacity, region, true, access)?;
    warnings.append(&mut opened.warnings);
    // Laid out even when only reads are measured: an extent never written is answered from memory.
    opened.layout = true;
    let directory = Some(target.path.clone());
    Ok(OpenTarget { warnings, directory, _scratch: Some(scratch), ..opened })
}

fn open_file(target: &Target, access: &Access) -> Result<OpenTarget, MeasureError> {
    let ours = if access.reads_only { None } else { ours(target, access)? };
    let writable = ours.is_some();
    let file = match ours {
        Some(file) => file,
        None => guard::open_for_reading(&target.path, access.direct)?,
    };
    let unwritten = guard::unwritten_bytes(&file).unwrap_or(0);
    let start = if writable { DATA_START } else { 0 };
    let region = Region { start, len: whole_mebibytes(target.size_bytes.saturating_sub(start)) };
    let mut opened = open_real(target, file, target.size_bytes, region, writable, access)?;
    opened.layout = writable && unwritten > 0;
    if !writable {
        opened.no_writes_because = access.why_no_writes(FOREIGN_FILE);
        if unwritten > 0 {
            opened.warnings.push(format!(
                "{}: {} of it were never written and are read from memory, not from the device",
                target.path.display(),
                format_size(unwritten)
            ));
        }
    }
    Ok(opened)
}

/// The file open for writing if Leadline made it; `None` if it did not and nobody insists.
fn ours(target: &Target, access: &Access) -> Result<Option<File>, MeasureError> {
    match guard::open_file_for_writing(&target.path, access.direct) {
        Ok(file) => Ok(Some(file)),
        Err(GuardError::Foreign { .. }) if !access.destructive => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn open_block(target: &Target, bytes: u64, access: &Access) -> Result<OpenTarget, MeasureError> {
    let writable = access.destructive && !access.reads_only;
    let file = if writable {
        guard::open_block_for_writing(&target.path)?
    } else {
        guard::open_for_reading(&target.path, access.direct)?
    };
    let len = if writable { bytes } else { target.size_bytes };
    let region = Region { start: 0, len: whole_mebibytes(len) };
    let mut opened = open_real(target, file, target.size_bytes, region, writable, access)?;
    opened.layout = writable;
    if !writable {
        opened.no_writes_because = access.why_no_writes(BLOCK_DEVICE);
    }
    Ok(opened)
}

fn open_real(
    target: &Target,
    file: File,
    capacity: u64,
    region: Region,
    writable: bool,
    access: &Access,
) -> Result<OpenTarget, MeasureError> {
    let is_block = target.kind == TargetKind::Block;
    assert!(!writable || is_block || region.start >= DATA_START, "a scratch file's header is written over");
    assert!(region.start + region.len <= capacity.max(region.start), "the region ends with the device");
    let (engine, refused) = access.engine.map_or_else(IoEngine::best, |engine| (engine, None));
    let warnings =
        refused.as_ref().map(|reason| format!("{reason}; using psync, one thread per request in flight"));
    let block_bytes = if access.direct {
        direct_alignment(&file).map_err(|error| no_direct_requests(target, error))?
    } else {
        BUFFERED_BLOCK
    };
    let options = FileOptions::new(engine, block_bytes)
        .writable(writable)
        .direct(access.direct)
        .iopoll(access.iopoll)
        .sqpoll(access.sqpoll);
    let capacity = capacity / u64::from(block_bytes) * u64::from(block_bytes);
    let device = FileDevice::new(file, capacity, options)?;
    Ok(OpenTarget {
        device: Box::new(device),
        region,
        writes: writable && !access.reads_only,
        layout: false,
        engine: if engine == IoEngine::IoUring { EngineKind::IoUring } else { EngineKind::Psync },
        io_uring_refused: refused,
        direct: access.direct,
        no_writes_because: access.why_no_writes(""),
        facts: facts::device_facts(&target.path, target.kind, access.serial),
        directory: None,
        sysfs: facts::disk_directory(&target.path),
        warnings: warnings.into_iter().collect(),
        _scratch: None,
    })
}

/// Layout writes whole mebibytes; a tail is left alone.
fn whole_mebibytes(bytes: u64) -> u64 {
    if bytes >= 1 << 20 { bytes >> 20 << 20 } else { bytes }
}

fn no_direct_requests(target: &Target, error: std::io::Error) -> DeviceError {
    if error.kind() != std::io::ErrorKind::Unsupported {
        return cannot("ask for the direct alignment of", target, error);
    }
    DeviceError::Unsupported(format!(
        "{}: its file system takes no direct requests (O_DIRECT), and all others would measure the page cache; \
         name a place on another file system",
        target.path.display()
    ))
}

fn cannot(what: &str, target: &Target, error: std::io::Error) -> DeviceError {
    DeviceError::io(format!("cannot {what} {}", target.path.display()), error)
}
