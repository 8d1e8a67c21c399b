//! The way of a request through the cache.

use leadline_device::{Completion, Geometry, Nanos, Op, Request};
use leadline_pool::policy::{Frame, PolicyKind};
use leadline_sim::{CacheCounters, DeviceModel};

use crate::cached::Admission;
use crate::cached::admission::Doorkeeper;
use crate::cached::blocks::Blocks;
use crate::cached::fills::{Task, Tasks, WaitingRead};
use crate::pair::{Pair, Part, Side};

/// How the fast device is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheOptions {
    /// Bytes of a cached block.
    pub block_bytes: u32,
    /// Blocks that the cache holds, 1 to 2^29: the first `blocks * block_bytes` bytes of the fast device.
    pub blocks: u32,
    /// Which block makes room for another.
    pub policy: PolicyKind,
    /// Which blocks are taken in.
    pub admission: Admission,
}

/// A slow device with a fast one as its block cache. It has the addresses of the slow device.
///
/// A read looks its blocks up in order when it arrives. Blocks in the cache are read from the fast device,
/// the rest from the slow one; neighbours on the same device are read together. When all blocks that are to
/// be admitted have come from the slow device, they are in the cache, and are written to the fast one with
/// nobody waiting, except for whoever reads them before that is done. Until they have come, they are missed
/// by others too. Writes go to the slow device and, where blocks are cached, to the fast one.
pub struct CachedModel {
    pair: Pair,
    blocks: Blocks,
    doorkeeper: Doorkeeper,
    tasks: Tasks,
    block_bytes: u64,
    capacity_bytes: u64,
    counters: CacheCounters,
    /// Scratch: what a read consists of.
    runs: Vec<Run>,
    /// Scratch: parts that are done.
    ended: Vec<Part>,
}

/// Neighbouring blocks of a read on one device.
enum Run {
    /// That many bytes from here on the fast device.
    Hits { at: u64, len: u64 },
    /// From here to there on the slow device, and whether blocks among them will be taken in.
    Misses { from: u64, to: u64, admits: bool },
}

impl CachedModel {
    /// Both idle, the cache empty.
    pub fn new(fast: Box<dyn DeviceModel>, slow: Box<dyn DeviceModel>, options: CacheOptions) -> CachedModel {
        let capacity_bytes = slow.geometry().capacity_bytes;
        CachedModel {
            pair: Pair::new(fast, slow),
            blocks: Blocks::new(options.policy, options.blocks),
            doorkeeper: Doorkeeper::new(options.admission, options.blocks),
            tasks: Tasks::default(),
            block_bytes: options.block_bytes.into(),
            capacity_bytes,
            counters: CacheCounters::default(),
            runs: Vec::new(),
            ended: Vec::new(),
        }
    }

    /// What the cache has done so far.
    pub fn counters(&self) -> CacheCounters {
        self.counters
    }

    fn run(&mut self, until: Nanos) {
        let mut ended = std::mem::take(&mut self.ended);
        while self.pair.step(until, &mut ended) {
            for part in ended.drain(..) {
                match part.task.and_then(|task| self.tasks.part_done(task)) {
                    Some(Task::Fetch { blocks }) => self.take_in(&blocks),
                    Some(Task::Fill { waiting, .. }) => self.read_after_fill(&waiting),
                    None => {}
                }
            }
        }
        self.ended = ended;
    }

    /// Blocks have come from the slow device.
    fn take_in(&mut self, blocks: &[u64]) {
        let mut run: Option<(Frame, u32)> = None;
        for &block in blocks {
            // Another request may have fetched it too.
            if self.blocks.has(block) {
                continue;
            }
            let (frame, evicted) = self.blocks.admit(block);
            self.counters.admissions += 1;
            self.counters.evictions += u64::from(evicted);
            run = match run {
                Some((first, frames)) if frame == first + frames => Some((first, frames + 1)),
                before => {
                    self.fill(before);
                    Some((frame, 1))
                }
            };
        }
        self.fill(run);
    }

    /// Writes to neighbouring frames in the background.
    fn fill(&mut self, run: Option<(Frame, u32)>) {
        let Some((first, frames)) = run else { return };
        let task = self.tasks.begin(Task::Fill { first, frames, waiting: Vec::new() });
        let (offset, len) = (u64::from(first) * self.block_bytes, u64::from(frames) * self.block_bytes);
        let part = Part { request: None, task: Some(task) };
        let sent = self.pair.send(Side::Fast, &Request::write(0, 0, 0), offset, len, part);
        self.tasks.sent(task, sent);
    }

    fn read_after_fill(&mut self, waiting: &[WaitingRead]) {
        for &WaitingRead { request, offset, len } in waiting {
            let part = Part { request: Some(request), task: None };
            self.pair.send(Side::Fast, &Request::read(0, 0, 0), offset, len, part);
            self.pair.release(request);
        }
    }

    /// The numbers of the blocks that bytes are in, and what of each.
    fn parts_of(&self, offset: u64, end: u64) -> impl Iterator<Item = (u64, u64, u64)> + use<> {
        let block_bytes = self.block_bytes;
        (offset / block_bytes..end.div_ceil(block_bytes)).map(move |block| {
            let start = block * block_bytes;
            (block, offset.max(start), end.min(start.saturating_add(block_bytes)))
        })
    }

    fn read(&mut self, id: u32, offset: u64, end: u64) {
        let mut admitted = Vec::new();
        for (block, from, to) in self.parts_of(offset, end) {
            match self.blocks.hit(block) {
                Some(frame) => self.hit(id, frame, from - block * self.block_bytes, to - from),
                None => self.missed(block, from, to, &mut admitted),
            }
        }
        let task = (!admitted.is_empty()).then(|| self.tasks.begin(Task::Fetch { blocks: admitted }));
        let read = Request::read(0, 0, 0);
        let mut runs = std::mem::take(&mut self.runs);
        for run in runs.drain(..) {
            match run {
                Run::Hits { at, len } => {
                    let part = Part { request: Some(id), task: None };
                    self.pair.send(Side::Fast, &read, at, len, part);
                }
                Run::Misses { from, to, admits } => {
                    let part = Part { request: Some(id), task: task.filter(|_| admits) };
                    let sent = self.pair.send(Side::Slow, &read, from, to - from, part);
                    if let Some(task) = part.task {
                        self.tasks.sent(task, sent);
                    }
                }
            }
        }
        self.runs = runs;
    }

    /// Part of a block in the cache is read: with its neighbour before, or once the block is written there.
    fn hit(&mut self, id: u32, frame: Frame, inside: u64, bytes: u64) {
        self.counters.hits += 1;
        let offset = u64::from(frame) * self.block_bytes + inside;
        if self.tasks.wait(frame, WaitingRead { request: id, offset, len: bytes }) {
            self.pair.hold(id);
            return;
        }
        match self.runs.last_mut() {
            Some(Run::Hits { at, len }) if *at + *len == offset => *len += bytes,
            _ => self.runs.push(Run::Hits { at: offset, len: bytes }),
        }
    }

    /// Part of a block that is not in the cache is read, with its neighbour before; all of a block that will
    /// be in it.
    fn missed(&mut self, block: u64, mut from: u64, mut to: u64, admitted: &mut Vec<u64>) {
        self.counters.misses += 1;
        let admits = self.doorkeeper.admits(block);
        if admits {
            admitted.push(block);
            from = block * self.block_bytes;
            // As far as there is a device.
            to = to.max((block + 1).saturating_mul(self.block_bytes).min(self.capacity_bytes));
        }
        match self.runs.last_mut() {
            Some(Run::Misses { to: end, admits: any, .. }) if *end == from => {
                *end = to;
                *any |= admits;
            }
            _ => self.runs.push(Run::Misses { from, to, admits }),
        }
    }

    fn write(&mut self, id: u32, request: &Request, end: u64) {
        let part = Part { request: Some(id), task: None };
        self.pair.send(Side::Slow, request, request.offset, u64::from(request.len), part);
        // The cache need not outlive a power cut: what is durable is so on the slow device.
        let copy = Request { durable: false, ..*request };
        let mut run: Option<(u64, u64)> = None;
        for (block, from, to) in self.parts_of(request.offset, end) {
            let Some(frame) = self.blocks.hit(block) else { continue };
            self.counters.written += 1;
            let at = u64::from(frame) * self.block_bytes + (from - block * self.block_bytes);
            run = match run {
                Some((start, len)) if start + len == at => Some((start, len + to - from)),
                before => {
                    if let Some((start, len)) = before {
                        self.pair.send(Side::Fast, &copy, start, len, part);
                    }
                    Some((at, to - from))
                }
            };
        }
        if let Some((start, len)) = run {
            self.pair.send(Side::Fast, &copy, start, len, part);
        }
    }

    /// What holds nothing any more on the slow device need not be cached.
    fn trim(&mut self, id: u32, request: &Request, end: u64) {
        let part = Part { request: Some(id), task: None };
        self.pair.send(Side::Slow, request, request.offset, u64::from(request.len), part);
        let whole = request.offset.div_ceil(self.block_bytes)..end / self.block_bytes;
        if whole.end.saturating_sub(whole.start) > self.blocks.len() as u64 {
            let trimmed = self.blocks.filter(|block| whole.contains(&block));
            trimmed.into_iter().for_each(|block| self.blocks.drop_block(block));
        } else {
            whole.for_each(|block| self.blocks.drop_block(block));
        }
    }
}

impl DeviceModel for CachedModel {
    fn geometry(&self) -> Geometry {
        self.pair.geometry(self.capacity_bytes)
    }

    fn arrive(&mut self, request: &Request, at: Nanos) {
        self.run(at);
        let id = self.pair.begin(request);
        let end = request.offset.saturating_add(request.len.into());
        match request.op {
            Op::Read => self.read(id, request.offset, end),
            Op::Write => self.write(id, request, end),
            Op::Trim => self.trim(id, request, end),
            Op::Flush => {
                self.pair.send(Side::Slow, request, 0, 0, Part { request: Some(id), task: None });
            }
        }
        self.pair.release(id);
    }

    fn next_completion(&self) -> Option<Nanos> {
        self.pair.next_completion()
    }

    fn advance(&mut self, now: Nanos, completions: &mut Vec<Completion>) {
        self.run(now);
        self.pair.hand_out(now, completions);
    }

    fn in_flight(&self) -> u32 {
        self.pair.in_flight()
    }

    fn cache(&self) -> Option<CacheCounters> {
        Some(self.counters)
    }
}
