//! The simulation's loop: clients go on until each is blocked, then time passes until something completes.

use std::sync::atomic::{AtomicBool, Ordering};

use hdrhistogram::Histogram;
use leadline_device::{Nanos, QueuePair};
use leadline_trace::{Access, Pages, Trace};

use super::cleaning::Cleaning;
use super::clients::Clients;
use super::frames::{AHEAD, DIRTY, Frames, LOADING, NOBODY, WRITING};
use super::io::{Io, Task};
use super::outcome::{LatencyUs, Outcome};
use super::{Config, SimulateError};
use crate::Adaptive;
use crate::ace::{Ace, Cleaner};
use crate::policy::{Frame, Page, Policy};
use crate::prefetch::Prefetching;
use crate::writer::Writer;

/// Operations between two looks at whether to stop.
const CANCEL_EVERY: u64 = 1 << 16;

/// Latencies beyond 13 days count as 13 days.
const LONGEST_NS: u64 = 1 << 50;

/// Whether a client can go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    On,
    Blocked,
}

/// A frame for a page that missed, or none yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Room {
    Frame(Frame),
    /// The client waits for its own writes.
    Writing,
    /// The client waits until anything becomes clean or free.
    Starved,
}

/// All state of a simulation.
pub(super) struct Engine<'a, P> {
    pub(super) policy: P,
    trace: Pages<&'a mut dyn Trace>,
    pub(super) config: &'a Config,
    /// `None`: no device, everything completes at once.
    pub(super) io: Option<Io>,
    pub(super) frames: Frames,
    clients: Clients,
    pub(super) writer: Writer,
    pub(super) cleaning: Cleaning,
    pub(super) adaptive: Option<Adaptive>,
    prefetching: Option<Prefetching>,
    /// Pages to read ahead, and frames for them.
    proposed: Vec<Page>,
    /// Pages about to be written.
    pub(super) batch: Vec<Frame>,
    pub(super) outcome: Outcome,
    latencies: Histogram<u64>,
    begun: Nanos,
    trace_ended: bool,
    cancel: &'a AtomicBool,
}

impl<'a, P: Policy> Engine<'a, P> {
    pub(super) fn new(
        policy: P,
        trace: &'a mut dyn Trace,
        config: &'a Config,
        device: Option<Box<dyn QueuePair>>,
        cancel: &'a AtomicBool,
    ) -> Result<Self, SimulateError> {
        let io = device.map(|queue| Io::new(queue, config.page_bytes));
        Ok(Engine {
            policy,
            trace: Pages::new(trace, config.page_bytes),
            config,
            begun: io.as_ref().map_or(0, Io::now),
            io,
            frames: Frames::new(config.frames),
            clients: Clients::new(config.clients),
            writer: Writer::default(),
            cleaning: Cleaning::new(config),
            adaptive: config.adaptive.then(|| Adaptive::new(config.batch(), config.most_at_once())),
            prefetching: matches!(config.ace, Ace::CowE | Ace::CowXE)
                .then(|| Prefetching::new(config.frames)),
            proposed: Vec::new(),
            batch: Vec::new(),
            outcome: Outcome::new(config),
            latencies: Histogram::new_with_max(LONGEST_NS, 3).expect("three digits and a range"),
            trace_ended: false,
            cancel,
        })
    }

    pub(super) fn run(mut self) -> Result<Outcome, SimulateError> {
        loop {
            while let Some(client) = self.clients.ready.pop_front() {
                while self.step(client)? == Step::On {}
            }
            match &self.io {
                Some(io) if io.in_flight() > 0 => self.pass_time()?,
                // What they waited for has gone to others; with nothing in flight any page will do.
                _ if !self.clients.starved.is_empty() => self.clients.feed_all(),
                _ => break,
            }
        }
        if let Some(io) = &self.io {
            self.outcome.seconds = Some((io.now() - self.begun) as f64 / 1e9);
            self.outcome.latency_us = LatencyUs::of(&self.latencies);
        }
        if let Some(adaptive) = &self.adaptive {
            self.outcome.n = adaptive.settled();
        }
        Ok(self.outcome)
    }

    /// Pages to write at once.
    #[inline]
    pub(super) fn batch_pages(&self) -> u32 {
        self.adaptive.as_ref().map_or(self.config.batch(), Adaptive::n)
    }

    /// Takes a client one operation further.
    #[inline]
    fn step(&mut self, client: u32) -> Result<Step, SimulateError> {
        if self.clients.get(client).operation == 0 && !self.begin(client)? {
            return Ok(Step::Blocked);
        }
        let access = self.clients.get(client).access;
        match self.frames.find(access.page) {
            Some(frame) if self.frames.info[frame as usize].flags & LOADING != 0 => {
                let info = &mut self.frames.info[frame as usize];
                self.clients.get(client).next = std::mem::replace(&mut info.waiters, client);
                Ok(Step::Blocked)
            }
            Some(frame) => {
                self.hit(frame, access);
                self.end(client);
                Ok(Step::On)
            }
            None => self.miss(client, access),
        }
    }

    /// Gives the client the trace's next operation; false at the end of the trace.
    #[inline]
    fn begin(&mut self, client: u32) -> Result<bool, SimulateError> {
        if self.trace_ended {
            return Ok(false);
        }
        let Some(access) = self.trace.next()? else {
            self.trace_ended = true;
            return Ok(false);
        };
        self.outcome.operations += 1;
        self.outcome.operations_writing += u64::from(access.write);
        let operation = self.outcome.operations;
        if operation.is_multiple_of(CANCEL_EVERY) && self.cancel.load(Ordering::Relaxed) {
            return Err(SimulateError::Cancelled);
        }
        let now = match &self.io {
            Some(io) if access.page >= io.pages => return Err(self.beyond(access.page, io.pages)),
            Some(io) => io.now(),
            None => 0,
        };
        let client = self.clients.get(client);
        (client.access, client.operation, client.began, client.missed) = (access, operation, now, false);
        Ok(true)
    }

    fn beyond(&self, page: Page, pages: u64) -> SimulateError {
        let operation = self.outcome.operations;
        SimulateError::BeyondDevice { operation, page, pages, page_bytes: self.config.page_bytes }
    }

    /// The client's operation is done.
    #[inline]
    fn end(&mut self, client: u32) {
        let now = self.io.as_ref().map_or(0, Io::now);
        let client = self.clients.get(client);
        client.operation = 0;
        let waited = now - client.began;
        if waited > 0 {
            self.latencies.saturating_record(waited);
        }
    }

    #[inline]
    fn hit(&mut self, frame: Frame, access: Access) {
        let info = &mut self.frames.info[frame as usize];
        let flags = info.flags;
        info.flags = (flags & !AHEAD) | if access.write { DIRTY } else { 0 };
        self.policy.hit(frame, access.write);
        if flags & AHEAD != 0 {
            self.outcome.prefetches_used += 1;
            if let Some(prefetching) = &mut self.prefetching {
                prefetching.used(access.page);
            }
        }
        if let Some(prefetching) = &mut self.prefetching {
            prefetching.accessed(access.page, false);
        }
    }

    fn miss(&mut self, client: u32, access: Access) -> Result<Step, SimulateError> {
        if !std::mem::replace(&mut self.clients.get(client).missed, true) {
            self.policy.missed(access.page);
            if let Some(prefetching) = &mut self.prefetching {
                prefetching.accessed(access.page, true);
            }
        }
        let frame = match self.make_room(client)? {
            Room::Frame(frame) => frame,
            Room::Writing => return Ok(Step::Blocked),
            Room::Starved => {
                self.clients.starved.push_back(client);
                return Ok(Step::Blocked);
            }
        };
        self.outcome.misses += 1;
        let ahead = std::mem::replace(&mut self.clients.get(client).evicts, false);
        self.load(frame, access.page, if access.write { DIRTY } else { 0 }, Task::Read(client))?;
        if ahead {
            self.read_ahead(access.page)?;
        }
        self.clean()?;
        if self.io.is_some() {
            return Ok(Step::Blocked);
        }
        self.end(client);
        Ok(Step::On)
    }

    /// Sends the read of a page into a free frame.
    fn load(&mut self, frame: Frame, page: Page, flags: u8, task: Task) -> Result<(), SimulateError> {
        self.policy.insert(frame, page, flags & DIRTY != 0);
        match &mut self.io {
            Some(io) => {
                self.frames.put(frame, page, flags | LOADING);
                io.submit(task, frame, page)
            }
            None => {
                self.frames.put(frame, page, flags);
                Ok(())
            }
        }
    }

    /// A free frame, a clean victim's, or what the client waits for instead.
    fn make_room(&mut self, client: u32) -> Result<Room, SimulateError> {
        if let Some(frame) = self.frames.take_free() {
            return Ok(Room::Frame(frame));
        }
        let frames = &self.frames;
        let Some(victim) = self.writer.victim(&mut self.policy, |frame| frames.state(frame)) else {
            return Ok(Room::Starved);
        };
        if !victim.dirty {
            self.evict(victim.frame);
            return Ok(Room::Frame(victim.frame));
        }
        if self.config.cleaner == Cleaner::Auto {
            let window = self.cleaning.reserve;
            let clean = self.writer.clean(&self.policy, window, |frame| frames.state(frame));
            if let Some(frame) = clean {
                self.evict(frame);
                return Ok(Room::Frame(frame));
            }
            if self.cleaning.in_flight > 0 {
                return Ok(Room::Starved);
            }
        }
        self.write_back(client, victim.frame)
    }

    /// The victim is dirty: writes it, and with it what the rule says.
    fn write_back(&mut self, client: u32, victim: Frame) -> Result<Room, SimulateError> {
        let rule = (self.config.ace, self.batch_pages());
        let frames = &self.frames;
        let chosen = self.writer.with_victim(&mut self.policy, victim, rule, |frame| frames.state(frame));
        self.batch.clear();
        self.batch.extend_from_slice(chosen);
        self.outcome.batches += 1;
        let pages = self.batch.len() as u32;
        let now = self.io.as_ref().map_or(0, Io::now);
        let waiting = self.clients.get(client);
        (waiting.writes, waiting.pages, waiting.sent) = (pages, pages, now);
        waiting.evicts = self.prefetching.is_some();
        for i in 0..self.batch.len() {
            self.write(self.batch[i], Task::Write(client))?;
        }
        match self.io {
            Some(_) => Ok(Room::Writing),
            None => self.make_room(client),
        }
    }

    /// Sends one dirty page to the device.
    pub(super) fn write(&mut self, frame: Frame, task: Task) -> Result<(), SimulateError> {
        self.outcome.writes += 1;
        let info = &mut self.frames.info[frame as usize];
        info.flags &= !DIRTY;
        match &mut self.io {
            Some(io) => {
                info.flags |= WRITING;
                io.submit(task, frame, info.page)
            }
            None => {
                self.policy.cleaned(frame);
                Ok(())
            }
        }
    }

    /// Takes a clean page out of the pool.
    #[inline]
    fn evict(&mut self, frame: Frame) {
        let info = self.frames.take_out(frame);
        self.policy.evict(frame, info.page);
        self.cleaning.evicted();
        if info.flags & AHEAD != 0
            && let Some(prefetching) = &mut self.prefetching
        {
            prefetching.evicted_unused(info.page);
        }
    }

    /// Evicts clean pages for those that are likely to be asked for next, and reads these with the page that missed.
    fn read_ahead(&mut self, page: Page) -> Result<(), SimulateError> {
        let most = self.batch_pages().saturating_sub(1) as usize;
        let mut proposed = std::mem::take(&mut self.proposed);
        proposed.clear();
        if let Some(prefetching) = &mut self.prefetching {
            prefetching.propose(page, most, &mut proposed);
        }
        let pages = self.io.as_ref().map_or(u64::MAX, |io| io.pages);
        proposed.retain(|&page| page < pages && self.frames.find(page).is_none());
        for &ahead in &proposed {
            let Some(frame) = self.frames.take_free().or_else(|| self.evict_if_clean()) else {
                break; // reading ahead is not worth a write
            };
            self.outcome.prefetches += 1;
            if let Some(prefetching) = &mut self.prefetching {
                prefetching.issued(ahead);
            }
            self.load(frame, ahead, AHEAD, Task::Ahead)?;
        }
        self.proposed = proposed;
        Ok(())
    }

    /// The frame of the next victim, where that is clean.
    fn evict_if_clean(&mut self) -> Option<Frame> {
        let frames = &self.frames;
        let victim = self.writer.victim(&mut self.policy, |frame| frames.state(frame))?;
        (!victim.dirty).then(|| {
            self.evict(victim.frame);
            victim.frame
        })
    }

    /// Waits for the device, and lets those go on who waited for what completed.
    fn pass_time(&mut self) -> Result<(), SimulateError> {
        let Some(io) = &mut self.io else { return Ok(()) };
        let completions = io.wait()?;
        for at in 0..completions {
            let Some(io) = &mut self.io else { return Ok(()) };
            let (task, frame, errno) = io.completed(at);
            if let Some(errno) = errno {
                return Err(SimulateError::Request { page: self.frames.info[frame as usize].page, errno });
            }
            match task {
                Task::Read(client) => {
                    self.loaded(frame);
                    self.end(client);
                    self.clients.ready.push_back(client);
                }
                Task::Ahead => self.loaded(frame),
                Task::Write(client) => {
                    self.written(frame);
                    self.wrote_one(client);
                }
                Task::Clean => {
                    self.written(frame);
                    self.cleaned_one()?;
                }
            }
        }
        Ok(())
    }

    /// One of the pages that a client writes is written; after the last the client goes on.
    fn wrote_one(&mut self, client: u32) {
        let now = self.io.as_ref().map_or(0, Io::now);
        let waiting = self.clients.get(client);
        waiting.writes -= 1;
        if waiting.writes > 0 {
            return;
        }
        let (pages, nanos) = (waiting.pages, now - waiting.sent);
        self.clients.ready.push_back(client);
        if let Some(adaptive) = &mut self.adaptive
            && pages == adaptive.n()
        {
            adaptive.wrote(pages, nanos);
        }
    }

    /// A page has been read: whoever waited for it finds it, in the order in which they came.
    fn loaded(&mut self, frame: Frame) {
        let info = &mut self.frames.info[frame as usize];
        info.flags &= !LOADING;
        let mut waiter = std::mem::replace(&mut info.waiters, NOBODY);
        let from = self.clients.ready.len();
        while waiter != NOBODY {
            self.clients.ready.push_back(waiter);
            waiter = std::mem::replace(&mut self.clients.get(waiter).next, NOBODY);
        }
        self.clients.ready.make_contiguous()[from..].reverse();
        self.clients.feed_one();
    }

    /// A page has been written. It is clean unless it was changed meanwhile.
    fn written(&mut self, frame: Frame) {
        let info = &mut self.frames.info[frame as usize];
        info.flags &= !WRITING;
        if info.flags & DIRTY == 0 {
            self.policy.cleaned(frame);
        }
        self.clients.feed_one();
    }
}
