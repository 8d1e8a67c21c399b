//! The drive: requests come in, events carry them through its parts, completions go out.

mod collect;
mod destage;
mod parts;
mod read_ahead;
mod reads;
mod writes;

use leadline_device::{Completion, Geometry, Nanos, Op, Request, Wear};

use self::collect::LaneClock;
use self::destage::Destage;
use self::read_ahead::ReadAhead;
use crate::flash::buffer::WriteBuffer;
use crate::flash::check::SECTOR_BYTES;
use crate::flash::die::Die;
use crate::flash::events::{Event, Events};
use crate::flash::host::Host;
use crate::flash::layout::Layout;
use crate::flash::lru::Lru;
use crate::flash::media::{Media, NONE, Operations};
use crate::flash::spec::FlashSpec;
use crate::flash::times::Times;
use crate::{DeviceModel, Slab};

/// The timing of a flash drive, and what it does to its flash.
pub struct FlashModel {
    spec: FlashSpec,
    pub(super) media: Media,
    times: Times,
    host: Host,
    dies: Vec<Die>,
    /// When each channel is free.
    channels: Vec<Nanos>,
    buffer: WriteBuffer,
    destage: Destage,
    lanes: Vec<LaneClock>,
    /// What was read last, units.
    read_buffer: Lru,
    /// Units of the mapping in the controller's memory; `None` where all of it is.
    map_cache: Option<Lru>,
    read_ahead: Option<ReadAhead>,
    events: Events,
    requests: Slab<InFlight>,
    /// Reads of a page for a request.
    parts: Slab<Part>,
    /// When the last request arrived, where the SLC cache wants to know.
    last_arrival: Nanos,
    /// Whether an event will look whether there has been none since.
    idle_is_due: bool,
    /// Scratch: units of one program.
    units: Vec<u32>,
    /// Completions that the passing of time brought when a request arrived, to be handed out.
    done: Vec<Completion>,
    in_flight: u32,
}

/// A request that has arrived and is not complete.
#[derive(Debug, Clone, Copy)]
struct InFlight {
    request: Request,
    /// The next of a write's units to enter the buffer.
    next_unit: u32,
    /// Parts that are not done.
    parts: u32,
    /// When the last of those that are done was.
    latest: Nanos,
    /// Whether its part of the mapping has been read.
    mapped: bool,
}

/// A read of a page for a request, or ahead of one.
#[derive(Debug, Clone, Copy)]
struct Part {
    /// `NONE` for what nobody waits for.
    request: u32,
    channel: u32,
    bytes: u32,
}

impl FlashModel {
    /// An idle drive.
    ///
    /// # Panics
    /// If the description was not checked: [`FlashSpec::parse`] does.
    pub fn new(spec: &FlashSpec) -> Self {
        let layout = Layout::new(spec).expect("the description was checked");
        let dies = layout.dies();
        let unit_bytes = u64::from(layout.unit_bytes);
        let buffered = if spec.buffer.write > 0 {
            spec.buffer.write / unit_bytes
        } else {
            // What is being programmed, and as much again on its way.
            2 * u64::from(dies) * u64::from(layout.program_units)
        };
        let destage = Destage::new(spec, &layout);
        FlashModel {
            times: Times::new(spec),
            host: Host::new(spec),
            dies: vec![Die::new(); dies as usize],
            channels: vec![0; layout.channels as usize],
            buffer: WriteBuffer::new(buffered as u32, destage.queues()),
            destage,
            lanes: vec![LaneClock::default(); layout.lanes as usize],
            read_buffer: Lru::new((spec.buffer.read / unit_bytes) as usize),
            map_cache: spec.mapping.cache.map(|bytes| Lru::new((bytes / unit_bytes) as usize)),
            read_ahead: spec.read_ahead.as_ref().map(|ahead| ReadAhead::new(ahead, &layout)),
            events: Events::default(),
            requests: Slab::default(),
            parts: Slab::default(),
            last_arrival: 0,
            idle_is_due: false,
            units: Vec::with_capacity(layout.program_units as usize),
            done: Vec::new(),
            in_flight: 0,
            media: Media::new(spec, layout),
            spec: spec.clone(),
        }
    }

    /// Operations of its flash so far.
    pub fn operations(&self) -> Operations {
        self.media.operations
    }

    /// Bytes of memory that its tables take.
    pub fn memory_bytes(&self) -> usize {
        self.media.bytes()
    }

    /// Whether anything has been asked of it and not answered.
    fn has_requests(&self) -> bool {
        self.in_flight > 0
    }

    /// Logical units that `offset` and `len` touch, first and one past the last.
    fn units_of(&self, offset: u64, len: u32) -> (u32, u32) {
        let unit = u64::from(self.media.layout.unit_bytes);
        // Beyond the end only where the caller did not check; the last unit answers for that.
        let most = self.media.layout.host_units;
        let first = (offset / unit).min(most - 1);
        let end = offset.saturating_add(u64::from(len)).div_ceil(unit).clamp(first + 1, most);
        (first as u32, end as u32)
    }

    /// Everything happens that is due by `until`.
    fn pass(&mut self, until: Nanos, completions: &mut Vec<Completion>) {
        while let Some((at, event)) = self.events.take(until) {
            match event {
                Event::Reached(request) => self.reached(request, at),
                Event::Sensed(part) => self.sensed(part, at),
                Event::Gathered(request) => {
                    let len = self.requests[request].request.len;
                    let done = self.host.leave(at, len);
                    self.events.add(done, Event::Complete(request));
                }
                Event::Complete(request) => completions.push(self.complete(request, at)),
                Event::Worked(die) => self.worked(die, at),
                Event::Idle => self.idle(at),
            }
        }
    }

    fn complete(&mut self, index: u32, at: Nanos) -> Completion {
        let InFlight { request, .. } = self.requests.remove(index).expect("is under way");
        self.in_flight -= 1;
        let moved = if request.op == Op::Flush { 0 } else { request.len as i32 };
        Completion { slot: request.slot, result: moved, at }
    }

    fn reached(&mut self, index: u32, at: Nanos) {
        match self.requests[index].request.op {
            Op::Read => self.read(index, at),
            Op::Write => self.write(index, at),
            Op::Trim => self.trim(index, at),
            Op::Flush => self.flush(index, at),
        }
    }

    /// One of a request's parts is done at `at`; the others may be done later.
    fn part_done(&mut self, index: u32, at: Nanos) -> Option<Nanos> {
        let request = &mut self.requests[index];
        request.parts -= 1;
        request.latest = request.latest.max(at);
        (request.parts == 0).then_some(request.latest)
    }
}

impl DeviceModel for FlashModel {
    fn geometry(&self) -> Geometry {
        Geometry { capacity_bytes: self.spec.capacity, block_bytes: SECTOR_BYTES, writable: true }
    }

    fn arrive(&mut self, request: &Request, at: Nanos) {
        // What the drive did on its own until now.
        let mut done = std::mem::take(&mut self.done);
        self.pass(at, &mut done);
        self.done = done;
        self.host_is_active(at);
        let len = if request.op == Op::Flush { 0 } else { request.len };
        let (moved, data_in) = match request.op {
            Op::Read => (len, 0),
            Op::Write => (len, len),
            Op::Trim | Op::Flush => (0, 0),
        };
        let reached = self.host.enter(request.slot, at, moved, data_in);
        if request.op == Op::Write {
            self.media.wear.host_bytes += u64::from(len);
        }
        let first = if len > 0 { self.units_of(request.offset, len).0 } else { NONE };
        // An offset beyond the end is its caller's mistake, but must not overflow.
        let request = Request { offset: request.offset.min(self.spec.capacity), ..*request };
        let in_flight = InFlight { request, next_unit: first, parts: 0, latest: 0, mapped: false };
        let index = self.requests.insert(in_flight);
        self.in_flight += 1;
        self.events.add(reached, Event::Reached(index));
    }

    fn next_completion(&self) -> Option<Nanos> {
        match self.done.first() {
            Some(completion) => Some(completion.at),
            None if self.in_flight == 0 => None,
            None => self.events.next_at(),
        }
    }

    fn advance(&mut self, now: Nanos, completions: &mut Vec<Completion>) {
        completions.append(&mut self.done);
        self.pass(now, completions);
    }

    fn in_flight(&self) -> u32 {
        self.in_flight + self.done.len() as u32
    }

    fn wear(&self) -> Option<Wear> {
        Some(self.media.wear)
    }
}
