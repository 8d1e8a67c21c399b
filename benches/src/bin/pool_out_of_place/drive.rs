//! A simulated flash drive with the contents of its pages, in virtual time.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Result, bail};
use leadline_device::{
    Clock, Completion, Device, DeviceError, Geometry, Nanos, Op, QueuePair, QueueShape, Request,
    RequestError, Wear,
};
use leadline_sim::{DeviceSpec, FlashModel, FlashSpec, InitialState, VirtualDevice};

/// Of the small drive that is simulated where no other is named.
pub(crate) const OVER_PROVISIONING: f64 = 0.16;

/// Blocks of a plane that a drive of the catalogue keeps, at least, however small it is made.
const BLOCKS_PER_PLANE: u64 = 256;

/// Fewer pages of a block leave the drive too little room of its own.
const LEAST_PAGES: u64 = 7;

/// A simulated drive with the contents of its pages.
pub(crate) struct Drive {
    flash: VirtualDevice<FlashModel>,
    /// (physical - logical) / logical.
    pub(crate) over_provisioning: f64,
    contents: Arc<Mutex<Vec<u8>>>,
    seen: Arc<Mutex<Seen>>,
}

/// What was last seen of it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Seen {
    pub(crate) wear: Wear,
    /// Its time.
    pub(crate) now: Nanos,
}

struct DrivePair {
    pair: Box<dyn QueuePair>,
    contents: Arc<Mutex<Vec<u8>>>,
    seen: Arc<Mutex<Seen>>,
    buffers: Vec<Vec<u8>>,
}

impl Drive {
    /// An empty drive of `bytes` bytes: one of the catalogue's, with blocks as small as its size demands, or
    /// a small one.
    pub(crate) fn new(name: Option<&str>, bytes: u64) -> Result<Drive> {
        let spec = match name {
            None => small(bytes)?,
            Some(name) => match leadline_sim::spec(name)? {
                DeviceSpec::Flash(spec) => shrunk(*spec, name, bytes)?,
                _ => {
                    bail!("{name}: no flash drive; there are p4510-ftl, s4610-ftl, p3700-ftl and 990pro-ftl")
                }
            },
        };
        let over_provisioning = spec.over_provisioning.unwrap_or(OVER_PROVISIONING);
        let flash = VirtualDevice::new(FlashModel::new(&spec));
        let contents = Arc::new(Mutex::new(vec![0; bytes as usize]));
        Ok(Drive { flash, over_provisioning, contents, seen: Arc::default() })
    }

    pub(crate) fn seen(&self) -> Seen {
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn small(bytes: u64) -> Result<FlashSpec> {
    let text = format!(
        "kind = \"flash\"\ncapacity = {bytes}\nstate = \"fresh\"\n\
         over_provisioning = {OVER_PROVISIONING}\n\
         [geometry]\nchannels = 2\ndies_per_channel = 2\nplanes = 1\npages_per_block = 64\n\
         page_bytes = \"16K\"\n\
         [timing]\nread_us = 66\nprogram_us = 1072\nerase_us = 8000\nbus_mb_per_s = 533\n\
         [buffer]\nwrite = \"4M\"\nhit_us = 3\n"
    );
    Ok(FlashSpec::parse(&text, "drive")?)
}

fn shrunk(mut spec: FlashSpec, name: &str, bytes: u64) -> Result<FlashSpec> {
    let geometry = &mut spec.geometry;
    let planes = u64::from(geometry.channels * geometry.dies_per_channel * geometry.planes);
    let pages = bytes / planes / BLOCKS_PER_PLANE / geometry.page_bytes;
    if pages < LEAST_PAGES {
        let least = LEAST_PAGES * planes * BLOCKS_PER_PLANE * geometry.page_bytes;
        bail!(
            "{name} with {} MiB has blocks of {pages} pages; make it {} MiB or more",
            bytes >> 20,
            least >> 20
        );
    }
    geometry.pages_per_block = geometry.pages_per_block.min(pages as u32);
    if let Some(slc) = &mut spec.slc {
        slc.bytes = (slc.bytes as f64 * bytes as f64 / spec.capacity as f64) as u64;
    }
    (spec.capacity, spec.state) = (bytes, InitialState::Fresh);
    Ok(spec)
}

impl Device for Drive {
    fn geometry(&self) -> Geometry {
        self.flash.geometry()
    }

    fn clock(&self) -> Clock {
        Clock::Virtual
    }

    fn queue_pair(&self, shape: QueueShape) -> Result<Box<dyn QueuePair>, DeviceError> {
        Ok(Box::new(DrivePair {
            pair: self.flash.queue_pair(shape)?,
            contents: Arc::clone(&self.contents),
            seen: Arc::clone(&self.seen),
            buffers: (0..shape.all_slots()).map(|slot| vec![0; shape.bytes_of(slot) as usize]).collect(),
        }))
    }
}

impl QueuePair for DrivePair {
    fn geometry(&self) -> Geometry {
        self.pair.geometry()
    }

    fn shape(&self) -> QueueShape {
        self.pair.shape()
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        &mut self.buffers[slot as usize]
    }

    fn submit(&mut self, request: Request) -> Result<(), RequestError> {
        self.pair.submit(request)?;
        let mut contents = self.contents.lock().unwrap_or_else(PoisonError::into_inner);
        let (from, len) = (request.offset as usize, request.len as usize);
        let buffer = &mut self.buffers[request.slot as usize];
        match request.op {
            Op::Read => buffer[..len].copy_from_slice(&contents[from..from + len]),
            Op::Write => contents[from..from + len].copy_from_slice(&buffer[..len]),
            Op::Trim => contents[from..from + len].fill(0),
            Op::Flush => {}
        }
        Ok(())
    }

    fn reap(&mut self, min: u32, deadline: Nanos, done: &mut Vec<Completion>) -> Result<(), DeviceError> {
        self.pair.reap(min, deadline, done)?;
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.now = seen.now.max(self.pair.now());
        if let Some(wear) = self.pair.wear() {
            seen.wear = wear;
        }
        Ok(())
    }

    fn now(&self) -> Nanos {
        self.pair.now()
    }

    fn in_flight(&self) -> u32 {
        self.pair.in_flight()
    }
}
