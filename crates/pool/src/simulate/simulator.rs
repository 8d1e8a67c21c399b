//! The simulation's loop: clients go on until each is blocked, then time passes until something completes.

use std::sync::atomic::{AtomicBool, Ordering};

use hdrhistogram::Histogram;
use leadline_device::{Nanos, QueuePair, Wear};
use leadline_trace::{Access, Pages, Trace};

use super::cleaner_state::CleanerState;
use super::clients::Clients;
use super::frames::{AHEAD, DIRTY, Frames, LOADING, NOBODY, WRITING};
use super::io::{Io, Task};
use super::object_outcome::ObjectOutcome;
use super::outcome::{LatencyUs, Outcome, WearOutcome};
use super::{Config, SimulateError};
use crate::BatchSearch;
use crate::evict::{Conditions, Eviction, Evictor};
use crate::policy::{Frame, Page, Policy};

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

/// All state of a simulation.
pub(super) struct Simulator<'a, P> {
    pub(super) evictor: Evictor<P>,
    trace: Pages<&'a mut dyn Trace>,
    pub(super) config: &'a Config,
    /// `None`: no device, everything completes at once.
    pub(super) io: Option<Io>,
    pub(super) frames: Frames,
    clients: Clients,
    pub(super) cleaning: CleanerState,
    pub(super) adaptive: Option<BatchSearch>,
    pub(super) outcome: Outcome,
    latencies: Histogram<u64>,
    begun: Nanos,
    /// What had been done to the medium before.
    wear_before: Wear,
    trace_ended: bool,
    /// Whether the trace's objects have sizes.
    sizes: Option<ObjectOutcome>,
    cancel: &'a AtomicBool,
}

impl<'a, P: Policy> Simulator<'a, P> {
    pub(super) fn new(
        policy: P,
        trace: &'a mut dyn Trace,
        config: &'a Config,
        device: Option<Box<dyn QueuePair>>,
        cancel: &'a AtomicBool,
    ) -> Result<Self, SimulateError> {
        let io = device.map(|queue| Io::new(queue, config.page_bytes));
        let outcome = Outcome { format: trace.recognition().cloned(), ..Outcome::new(config) };
        let sizes = trace.object_bytes().map(|_| ObjectOutcome::new(None));
        Ok(Simulator {
            evictor: Evictor::new(policy, config.frames, config.ace, config.cleaner),
            trace: Pages::new(trace, config.page_bytes),
            config,
            begun: io.as_ref().map_or(0, Io::now),
            wear_before: io.as_ref().and_then(Io::wear).unwrap_or_default(),
            frames: Frames::new(config.frames, io.as_ref().map_or(u64::MAX, |io| io.pages)),
            io,
            clients: Clients::new(config.clients),
            cleaning: CleanerState::new(config),
            adaptive: config.adaptive.then(|| BatchSearch::new(config.batch(), config.most_at_once())),
            outcome,
            latencies: Histogram::new_with_max(LONGEST_NS, 3).expect("three digits and a range"),
            trace_ended: false,
            sizes,
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
            let seconds = (io.now() - self.begun) as f64 / 1e9;
            self.outcome.seconds = Some(seconds);
            self.outcome.wear = io.wear().and_then(|wear| {
                WearOutcome::of(&wear.since(&self.wear_before), self.outcome.operations, seconds)
            });
            self.outcome.latency_us = LatencyUs::of(&self.latencies);
        }
        if let Some(adaptive) = &self.adaptive {
            self.outcome.n = adaptive.settled();
        }
        self.outcome.skipped = self.trace.skipped().cloned().unwrap_or_default();
        if let Some(mut sizes) = self.sizes {
            sizes.finish(self.outcome.misses, self.outcome.operations);
            self.outcome.objects = Some(sizes);
        }
        Ok(self.outcome)
    }

    /// Pages to write at once.
    #[inline]
    pub(super) fn batch_pages(&self) -> u32 {
        self.adaptive.as_ref().map_or(self.config.batch(), BatchSearch::n)
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
        if let Some(sizes) = &mut self.sizes {
            client.bytes = self.trace.object_bytes().unwrap_or(0);
            sizes.requested_bytes += u64::from(client.bytes);
        }
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
        let first_use = info.flags & AHEAD != 0;
        info.flags = (info.flags & !AHEAD) | if access.write { DIRTY } else { 0 };
        self.outcome.prefetches_used += u64::from(first_use);
        self.evictor.hit(frame, access.page, access.write, first_use);
    }

    fn miss(&mut self, client: u32, access: Access) -> Result<Step, SimulateError> {
        if !std::mem::replace(&mut self.clients.get(client).missed, true) {
            self.evictor.missed(access.page);
        }
        let Some(frame) = self.make_room(client)? else { return Ok(Step::Blocked) };
        self.outcome.misses += 1;
        if let Some(sizes) = &mut self.sizes {
            sizes.missed_bytes += u64::from(self.clients.get(client).bytes);
        }
        let wrote = std::mem::replace(&mut self.clients.get(client).wrote, false);
        self.evictor.insert(frame, access.page, access.write);
        let dirty = if access.write { DIRTY } else { 0 };
        load(&mut self.frames, &mut self.io, Task::Read(client), (frame, access.page, dirty))?;
        if wrote && self.config.ace.reads_ahead() {
            self.read_ahead(access.page)?;
        }
        self.clean()?;
        if self.io.is_some() {
            return Ok(Step::Blocked);
        }
        self.end(client);
        Ok(Step::On)
    }

    /// A frame for the page that the client asked for; `None` where the client has to wait for one.
    fn make_room(&mut self, client: u32) -> Result<Option<Frame>, SimulateError> {
        loop {
            let cleaner_works = self.cleaning.in_flight > 0;
            let now = Conditions { n: self.batch_pages(), cleaner_works, clean_only: false };
            match self.evictor.make_room(&mut self.frames, now) {
                Eviction::Frame(frame) => return Ok(Some(frame)),
                Eviction::AwaitCleaner | Eviction::NoneEvictable { .. } => {
                    self.clients.starved.push_back(client);
                    return Ok(None);
                }
                Eviction::WriteBack => self.write_back(client)?,
            }
            if self.io.is_some() {
                return Ok(None);
            }
        }
    }

    /// The client's victim is dirty: writes the batch, for which the client waits.
    fn write_back(&mut self, client: u32) -> Result<(), SimulateError> {
        self.outcome.batches += 1;
        let pages = self.frames.batch.len() as u32;
        let now = self.io.as_ref().map_or(0, Io::now);
        let waiting = self.clients.get(client);
        (waiting.writes, waiting.pages, waiting.sent) = (pages, pages, now);
        waiting.wrote = true;
        self.send_batch(Task::Write(client))
    }

    /// Sends the pages of the batch to the device.
    #[inline(always)]
    pub(super) fn send_batch(&mut self, task: Task) -> Result<(), SimulateError> {
        let Simulator { frames, io, evictor, outcome, .. } = self;
        outcome.writes += frames.batch.len() as u64;
        for &frame in &frames.batch {
            let info = &mut frames.info[frame as usize];
            match io {
                Some(io) => io.submit(task, frame, info.page)?,
                None => {
                    info.flags &= !WRITING;
                    evictor.cleaned(frame);
                }
            }
        }
        frames.batch.clear();
        Ok(())
    }

    /// Evicts clean pages for those that are likely to be asked for next, and reads these with the page that
    /// missed.
    fn read_ahead(&mut self, page: Page) -> Result<(), SimulateError> {
        let most = self.batch_pages().saturating_sub(1);
        let Simulator { evictor, frames, io, outcome, .. } = self;
        evictor.read_ahead(frames, page, most, |frames, frame, ahead| {
            outcome.prefetches += 1;
            load(frames, io, Task::Ahead, (frame, ahead, AHEAD))?;
            Ok(frame)
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
            self.evictor.cleaned(frame);
        }
        self.clients.feed_one();
    }
}

/// Puts a page with its flags into a free frame and sends its read.
#[inline(always)]
fn load(
    frames: &mut Frames,
    io: &mut Option<Io>,
    task: Task,
    (frame, page, flags): (Frame, Page, u8),
) -> Result<(), SimulateError> {
    match io {
        Some(io) => {
            frames.put(frame, page, flags | LOADING);
            io.submit(task, frame, page)
        }
        None => {
            frames.put(frame, page, flags);
            Ok(())
        }
    }
}
