//! From TARGET to a device that may be measured: simulated, a scratch file in a directory, a file, a block device.

use std::fs::File;
use std::path::{Path, PathBuf};

use leadline_device::guard::{self, GuardError};
use leadline_device::scratch::{DATA_START, Scratch, ScratchOptions};
use leadline_device::target::{Target, TargetKind};
use leadline_device::{Device, DeviceError, Engine, FileDevice, FileOptions, direct_alignment, format_size};
use leadline_measure::load::Region;
use leadline_measure::{facts, summary::Circumstances};
use leadline_model::DeviceFacts;

use crate::failure::Failure;

/// Smallest block of a buffered file: nothing needs to be aligned, yet odd sizes make no sense.
const BUFFERED_BLOCK: u32 = 512;

/// What the command line says about opening.
#[derive(Debug, Clone)]
pub(crate) struct OpenOptions {
    pub(crate) engine: Option<Engine>,
    pub(crate) buffered: bool,
    pub(crate) iopoll: bool,
    pub(crate) sqpoll: bool,
    pub(crate) destructive: bool,
    pub(crate) reads_only: bool,
    pub(crate) keep_scratch: bool,
    pub(crate) serial: bool,
    pub(crate) size: Option<u64>,
    pub(crate) quick: bool,
}

/// What TARGET turned out to be, before anything is written.
pub(crate) enum Found {
    Simulated(String),
    Real(Target),
}

impl Found {
    /// Whether a scratch file is to be made in it.
    pub(crate) fn is_directory(&self) -> bool {
        matches!(self, Found::Real(Target { kind: TargetKind::Directory, .. }))
    }
}

/// A device ready to be measured.
pub(crate) struct Opened {
    pub(crate) device: Box<dyn Device>,
    pub(crate) region: Region,
    pub(crate) writes: bool,
    /// Whether the region is to be written whole first.
    pub(crate) layout: bool,
    pub(crate) engine: String,
    pub(crate) direct: bool,
    /// Why writes will not be measured; empty where they will.
    pub(crate) no_writes_because: String,
    pub(crate) facts: DeviceFacts,
    /// Where sysfs has the disk, for its temperature.
    pub(crate) sysfs: Option<PathBuf>,
    /// Things to be said once.
    pub(crate) notes: Vec<String>,
    /// Removed when dropped.
    _scratch: Option<Scratch>,
}

/// Looks at TARGET without touching it.
pub(crate) fn find(target: &str) -> Result<Found, Failure> {
    match target.strip_prefix("sim:") {
        Some(name) => Ok(Found::Simulated(name.to_owned())),
        None => Ok(Found::Real(Target::resolve(Path::new(target))?)),
    }
}

/// Bytes of the scratch file or region that will be written, and checks that they may be. 0 where nothing is written.
pub(crate) fn bytes_to_lay_out(found: &Found, options: &OpenOptions) -> Result<u64, Failure> {
    let Found::Real(target) = found else {
        return Ok(options.size.unwrap_or(1 << 30));
    };
    match target.kind {
        TargetKind::Directory => {
            guard::check_directory(&target.path)?;
            let bytes = match options.size {
                Some(bytes) => bytes,
                None => guard::default_scratch_bytes(&target.path, options.quick)?,
            };
            guard::check_space(&target.path, bytes)?;
            Ok(bytes)
        }
        TargetKind::Block if options.destructive => {
            let default = if options.quick { 1 << 30 } else { 8 << 30 };
            Ok(options.size.unwrap_or(default).min(target.size_bytes))
        }
        _ => Ok(0),
    }
}

/// Says beforehand what will be written: drives wear. `bytes` are laid out, `prepared` are written before measuring in all.
pub(crate) fn what_is_written(
    found: &Found,
    options: &OpenOptions,
    bytes: u64,
    prepared: u64,
    max_writes: Option<u64>,
) -> String {
    match (found, bytes) {
        (Found::Simulated(_), _) => "writes nothing: the device is simulated".to_owned(),
        (Found::Real(Target { kind: TargetKind::Block, .. }), 0) => "reads only".to_owned(),
        (_, 0) if options.reads_only => "reads only".to_owned(),
        (_, 0) => "writes only to a file that Leadline made, else nothing".to_owned(),
        _ if options.reads_only => format!("writes {} to lay out what it reads", format_size(bytes)),
        _ => format!(
            "writes {} before measuring, and as much as the device takes during about half of the time measured{}",
            format_size(prepared),
            max_writes.map_or(String::new(), |max| format!(", {} in all at most", format_size(max)))
        ),
    }
}

/// The least that the target transfers, as far as that can be told before anything is made in it.
pub(crate) fn smallest_block(found: &Found, options: &OpenOptions) -> Result<u32, Failure> {
    match found {
        Found::Simulated(sim) => Ok(leadline_sim::open(sim)?.geometry().block_bytes),
        Found::Real(_) if options.buffered => Ok(BUFFERED_BLOCK),
        Found::Real(target) => {
            let facts = facts::device_facts(&target.path, target.kind, false);
            Ok(facts.logical_block_bytes.unwrap_or(4096))
        }
    }
}

/// Opens what was found; makes the scratch file where it is a directory.
pub(crate) fn open(name: &str, found: &Found, bytes: u64, options: &OpenOptions) -> Result<Opened, Failure> {
    match found {
        Found::Simulated(sim) => open_simulated(name, sim, bytes, options),
        Found::Real(target) => match target.kind {
            TargetKind::Directory => open_directory(target, bytes, options),
            TargetKind::File => open_file(target, options),
            TargetKind::Block => open_block(target, bytes, options),
        },
    }
}

fn open_simulated(name: &str, sim: &str, bytes: u64, options: &OpenOptions) -> Result<Opened, Failure> {
    let device = leadline_sim::open(sim)?;
    let capacity = device.geometry().capacity_bytes;
    let stem = Path::new(sim).file_stem().map_or(sim, |stem| stem.to_str().unwrap_or(sim));
    let around = Circumstances::simulated(name, &format!("sim-{stem}"), capacity);
    Ok(Opened {
        region: Region { start: 0, len: bytes.min(capacity) },
        writes: !options.reads_only,
        layout: !options.reads_only,
        device: Box::new(device),
        engine: around.engine,
        direct: true,
        no_writes_because: no_writes(options.reads_only, ""),
        facts: around.facts,
        sysfs: None,
        notes: Vec::new(),
        _scratch: None,
    })
}

fn open_directory(target: &Target, bytes: u64, options: &OpenOptions) -> Result<Opened, Failure> {
    let mut notes: Vec<String> = Scratch::sweep(&target.path)?
        .iter()
        .map(|path| format!("removed {}, left behind by a run that was killed", path.display()))
        .collect();
    let scratch_options = ScratchOptions { direct: !options.buffered, keep: options.keep_scratch };
    let scratch = Scratch::create(&target.path, bytes, scratch_options)?;
    let file = scratch.file().try_clone().map_err(|error| cannot("open", target, error))?;
    let capacity = scratch.capacity_bytes();
    let region = Region { start: DATA_START, len: whole_mebibytes(capacity - DATA_START) };
    let mut opened = open_real(target, file, capacity, region, true, options)?;
    notes.append(&mut opened.notes);
    // Laid out even when only reads are measured: an extent never written is answered from memory.
    opened.layout = true;
    Ok(Opened { notes, _scratch: Some(scratch), ..opened })
}

fn open_file(target: &Target, options: &OpenOptions) -> Result<Opened, Failure> {
    let ours = if options.reads_only { None } else { ours(target, options)? };
    let writable = ours.is_some();
    let file = match ours {
        Some(file) => file,
        None => guard::open_for_reading(&target.path, !options.buffered)?,
    };
    let unwritten = guard::unwritten_bytes(&file).unwrap_or(0);
    let start = if writable { DATA_START } else { 0 };
    let region = Region { start, len: whole_mebibytes(target.size_bytes.saturating_sub(start)) };
    let mut opened = open_real(target, file, target.size_bytes, region, writable, options)?;
    opened.layout = writable && unwritten > 0;
    if !writable {
        opened.no_writes_because = no_writes(options.reads_only, "Leadline did not make this file");
        if unwritten > 0 {
            opened.notes.push(format!(
                "{}: {} of it were never written and are read from memory, not from the device",
                target.path.display(),
                format_size(unwritten)
            ));
        }
    }
    Ok(opened)
}

/// The file open for writing where Leadline made it, `None` where somebody else did and nobody insists.
fn ours(target: &Target, options: &OpenOptions) -> Result<Option<File>, Failure> {
    match guard::open_file_for_writing(&target.path, !options.buffered) {
        Ok(file) => Ok(Some(file)),
        Err(GuardError::Foreign { .. }) if !options.destructive => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn open_block(target: &Target, bytes: u64, options: &OpenOptions) -> Result<Opened, Failure> {
    let writable = options.destructive && !options.reads_only;
    let file = if writable {
        guard::open_block_for_writing(&target.path)?
    } else {
        guard::open_for_reading(&target.path, !options.buffered)?
    };
    let len = if writable { bytes } else { target.size_bytes };
    let region = Region { start: 0, len: whole_mebibytes(len) };
    let mut opened = open_real(target, file, target.size_bytes, region, writable, options)?;
    opened.layout = writable;
    if !writable {
        let reason = "a block device is only read; --destructive would overwrite it";
        opened.no_writes_because = no_writes(options.reads_only, reason);
    }
    Ok(opened)
}

fn open_real(
    target: &Target,
    file: File,
    capacity: u64,
    region: Region,
    writable: bool,
    options: &OpenOptions,
) -> Result<Opened, Failure> {
    let mut notes = Vec::new();
    let engine = match options.engine {
        Some(engine) => engine,
        None => {
            let (engine, reason) = Engine::best();
            notes.extend(
                reason.map(|reason| format!("{reason}; using psync, one thread per request in flight")),
            );
            engine
        }
    };
    let direct = !options.buffered;
    let block_bytes = if direct {
        direct_alignment(&file).map_err(|error| cannot("ask for the direct alignment of", target, error))?
    } else {
        BUFFERED_BLOCK
    };
    let file_options =
        FileOptions { engine, writable, direct, iopoll: options.iopoll, sqpoll: options.sqpoll, block_bytes };
    let capacity = capacity / u64::from(block_bytes) * u64::from(block_bytes);
    let device = FileDevice::new(file, capacity, file_options)?;
    Ok(Opened {
        device: Box::new(device),
        region,
        writes: writable && !options.reads_only,
        layout: false,
        engine: if engine == Engine::IoUring { "io_uring" } else { "psync" }.to_owned(),
        direct,
        no_writes_because: no_writes(options.reads_only, ""),
        facts: facts::device_facts(&target.path, target.kind, options.serial),
        sysfs: facts::disk_directory(&target.path),
        notes,
        _scratch: None,
    })
}

fn no_writes(reads_only: bool, otherwise: &str) -> String {
    if reads_only { "not asked for (--reads-only)".to_owned() } else { otherwise.to_owned() }
}

/// Layout writes whole mebibytes; a tail is left alone.
fn whole_mebibytes(bytes: u64) -> u64 {
    if bytes >= 1 << 20 { bytes >> 20 << 20 } else { bytes }
}

fn cannot(what: &str, target: &Target, error: std::io::Error) -> Failure {
    DeviceError::io(format!("cannot {what} {}", target.path.display()), error).into()
}
