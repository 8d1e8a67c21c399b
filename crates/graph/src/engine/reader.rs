//! A thread's way to the device: its queue pair and what it has in flight.

use std::time::Instant;

use leadline_device::{Completion, Device, NEVER, Request};
use leadline_graph_store::format::{Block, Decoder, Direction, Directory, Weights};

use super::cache::Cache;
use super::lazy_pair::{LazyPair, ReaderShape};
use super::limited::{Limited, Watch};
use super::stats::Counts;
use crate::GraphError;

/// Requests that may wait for company before the device sees them, while cached blocks are visited.
const BATCH: u32 = 8;

/// A sweep that misses no more blocks than this keeps the device idle.
pub(crate) const THIN: usize = 32;

/// The blocks of one direction: where they lie and how they are read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Blocks<'a> {
    pub(crate) name: &'a str,
    pub(crate) direction: Direction,
    /// First byte of block 0 on the device.
    pub(crate) offset: u64,
    /// Number of block 0 in the cache.
    pub(crate) base: u32,
    pub(crate) block_bytes: u32,
    pub(crate) directory: &'a Directory,
    /// Of the store's lists, before changes.
    pub(crate) vertices: u64,
    /// None where lists are plain numbers.
    pub(crate) decoder: Option<Decoder>,
    pub(crate) weights: Weights,
}

impl<'a> Blocks<'a> {
    fn view<'b>(&self, block: u32, bytes: &'b [u8]) -> Block<'b> {
        Block::new(bytes, block, self.decoder, self.weights)
    }

    fn check(&self, block: u32, bytes: &[u8]) -> Result<(), GraphError> {
        self.directory.check_block(self.direction, block, bytes, self.vertices).map_err(|wrong| {
            let place = self.offset + u64::from(block) * u64::from(self.block_bytes);
            GraphError::damaged(self.name, format!("block {block}, at byte {place}, {wrong}"))
        })
    }
}

/// A run of blocks in one request.
#[derive(Debug, Clone, Copy, Default)]
struct Span {
    first: u32,
    blocks: u32,
    sent: u64,
}

/// A queue pair and its requests.
pub(crate) struct BlockReader<'g> {
    pair: LazyPair<'g>,
    spans: Vec<Span>,
    free: Vec<u32>,
    done: Vec<Completion>,
    /// Blocks that will be asked for in one request, once it cannot grow.
    open: Option<Span>,
    /// Requests queued that the device has not seen.
    unsent: u32,
    /// Whether requests are sent though slots are free.
    sends_early: bool,
    most_blocks: u32,
    ahead_blocks: u32,
    /// Blocks of this sweep that were not cached; no more than [`THIN`] and one.
    missed: Vec<u32>,
    limited: &'g Limited,
    watch: Watch,
    pub(crate) counts: Counts,
}

impl<'g> BlockReader<'g> {
    /// A reader of a device of which that much is known.
    pub(crate) fn new(device: &'g dyn Device, limited: &'g Limited, shape: ReaderShape) -> BlockReader<'g> {
        let ReaderShape { slots, request_bytes, block_bytes, .. } = shape;
        assert!(slots > 0 && request_bytes >= block_bytes, "nothing could be read");
        BlockReader {
            pair: LazyPair::new(device, shape),
            spans: vec![Span::default(); slots as usize],
            free: (0..slots).collect(),
            done: Vec::with_capacity(slots as usize),
            open: None,
            unsent: 0,
            sends_early: false,
            most_blocks: shape.most_blocks(),
            ahead_blocks: shape.most_blocks(),
            missed: Vec::with_capacity(THIN + 1),
            limited,
            watch: Watch::default(),
            counts: Counts::default(),
        }
    }

    /// Visits each block that `next` gives, in the order in which they come; what is cached at once, while
    /// reads are in flight. Nothing is in flight when it returns, whatever it returns.
    #[inline]
    pub(crate) fn drive(
        &mut self,
        blocks: &Blocks<'_>,
        cache: &Cache,
        mut next: impl FnMut() -> Option<u32>,
        mut visit: impl FnMut(&Block<'_>),
    ) -> Result<(), GraphError> {
        debug_assert!(self.is_idle(), "a drive begins where the one before ended");
        let result = self.drive_on(blocks, cache, &mut next, &mut visit);
        if result.is_err() {
            self.drop_all();
        }
        debug_assert!(result.is_err() || self.is_idle(), "all that was asked for was visited");
        result
    }

    /// Whether nothing is in flight or waits to be asked for or visited, and all slots are free.
    fn is_idle(&self) -> bool {
        let mut free = self.free.clone();
        free.sort_unstable();
        let is_quiet = self.open.is_none() && self.unsent == 0 && self.done.is_empty();
        is_quiet && self.pair.in_flight() == 0 && free.into_iter().eq(0..self.spans.len() as u32)
    }

    /// Blocks that were not cached since this was last asked; more than [`THIN`]: many.
    pub(crate) fn take_missed(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.missed)
    }

    /// Whether it sends requests while it has more slots: worth a call where it takes a while to know the
    /// next block.
    pub(crate) fn send_early(&mut self, early: bool) {
        self.sends_early = early;
    }

    /// Reads in flight that it allows.
    pub(crate) fn slots(&self) -> u32 {
        self.pair.shape().slots
    }

    /// Where the device limits operations: waits for what is in flight, and goes on with fewer and larger
    /// requests in the same memory.
    fn reshape(
        &mut self,
        blocks: &Blocks<'_>,
        cache: &Cache,
        visit: &mut impl FnMut(&Block<'_>),
    ) -> Result<(), GraphError> {
        let fewer = self.limited.fewer(self.pair.shape().slots, self.pair.shape().request_bytes);
        let fewer = fewer.filter(|_| self.pair.shape().again);
        let Some((slots, request_bytes)) = fewer else { return Ok(()) };
        self.finish(blocks, cache, visit)?;
        self.pair.reshape(slots, request_bytes);
        self.spans.truncate(slots as usize);
        self.free = (0..slots).collect();
        self.most_blocks = self.pair.shape().most_blocks();
        Ok(())
    }

    /// Blocks that are read ahead in one request: as many as without a limit on operations, since more of
    /// them would fit into unused memory less often.
    pub(crate) fn ahead_blocks(&self) -> u32 {
        self.ahead_blocks
    }

    /// After a failure: what is still in flight is awaited, and nobody sees it.
    fn drop_all(&mut self) {
        (self.open, self.unsent) = (None, 0);
        if let Some(pair) = self.pair.made() {
            while pair.in_flight() > 0 && pair.reap(1, NEVER, &mut self.done).is_ok() {}
        }
        self.done.clear();
        self.free = (0..self.spans.len() as u32).collect();
    }

    #[inline]
    fn drive_on(
        &mut self,
        blocks: &Blocks<'_>,
        cache: &Cache,
        next: &mut impl FnMut() -> Option<u32>,
        visit: &mut impl FnMut(&Block<'_>),
    ) -> Result<(), GraphError> {
        while let Some(block) = next() {
            match cache.get(blocks.base + block) {
                Some(bytes) => {
                    self.counts.hits += 1;
                    self.send(blocks)?;
                    if self.unsent >= BATCH || self.unsent == self.pair.in_flight() {
                        self.poll(blocks)?;
                    }
                    visit(&blocks.view(block, bytes));
                }
                None => {
                    self.counts.misses += 1;
                    if self.missed.len() <= THIN {
                        self.missed.push(block);
                    }
                    if !self.grow(block, blocks)? {
                        if self.sends_early && self.unsent >= BATCH {
                            self.poll(blocks)?;
                        }
                        self.reshape(blocks, cache, visit)?;
                        while self.free.is_empty() {
                            self.take(blocks, cache, visit)?;
                        }
                        self.open = Some(Span { first: block, blocks: 1, sent: 0 });
                    }
                }
            }
        }
        self.finish(blocks, cache, visit)
    }

    fn finish(
        &mut self,
        blocks: &Blocks<'_>,
        cache: &Cache,
        visit: &mut impl FnMut(&Block<'_>),
    ) -> Result<(), GraphError> {
        self.send(blocks)?;
        while self.pair.in_flight() > 0 || !self.done.is_empty() {
            self.take(blocks, cache, visit)?;
        }
        self.watch.pause();
        Ok(())
    }

    /// Adds a block to the open request; false where it must open the next.
    fn grow(&mut self, block: u32, blocks: &Blocks<'_>) -> Result<bool, GraphError> {
        if let Some(open) = &mut self.open
            && open.first + open.blocks == block
            && open.blocks < self.most_blocks
        {
            open.blocks += 1;
            return Ok(true);
        }
        self.send(blocks)?;
        Ok(false)
    }

    /// Queues the open request.
    fn send(&mut self, blocks: &Blocks<'_>) -> Result<(), GraphError> {
        let Some(mut span) = self.open.take() else { return Ok(()) };
        let Some(slot) = self.free.pop() else {
            unreachable!("a request is only opened while a slot is free, and takes it before the next");
        };
        debug_assert!((1..=self.most_blocks).contains(&span.blocks));
        debug_assert!(span.first + span.blocks <= blocks.directory.blocks(), "blocks that exist");
        let pair = self.pair.get(blocks.name)?;
        span.sent = pair.now();
        let offset = blocks.offset + u64::from(span.first) * u64::from(blocks.block_bytes);
        let request = Request::read(slot, offset, span.blocks * blocks.block_bytes);
        pair.submit(request).map_err(|error| GraphError::device(blocks.name, error.into()))?;
        self.spans[slot as usize] = span;
        self.unsent += 1;
        self.counts.requests += 1;
        self.counts.bytes += u64::from(request.len);
        Ok(())
    }

    /// Lets the device see what is queued, without waiting.
    fn poll(&mut self, blocks: &Blocks<'_>) -> Result<(), GraphError> {
        if self.unsent == 0 {
            return Ok(());
        }
        self.unsent = 0;
        self.watch.pause();
        self.pair
            .get(blocks.name)?
            .reap(0, 0, &mut self.done)
            .map_err(|error| GraphError::device(blocks.name, error))
    }

    /// Waits until a request is done and visits the blocks of all that are.
    fn take(
        &mut self,
        blocks: &Blocks<'_>,
        cache: &Cache,
        visit: &mut impl FnMut(&Block<'_>),
    ) -> Result<(), GraphError> {
        if self.done.is_empty() || self.unsent > 0 {
            self.reap(blocks)?;
        }
        while let Some(done) = self.done.pop() {
            debug_assert!(!self.free.contains(&done.slot), "slot {} was not in flight", done.slot);
            self.free.push(done.slot);
            let span = self.spans[done.slot as usize];
            let latency = done.at.saturating_sub(span.sent);
            self.counts.latency_nanos += latency;
            self.watch.took(self.limited, latency);
            let size = blocks.block_bytes as usize;
            if done.result != (span.blocks * blocks.block_bytes) as i32 {
                return Err(failed_read(blocks, span, done.result));
            }
            let bytes = &*self.pair.get(blocks.name)?.buffer(done.slot);
            for (i, bytes) in bytes[..span.blocks as usize * size].chunks_exact(size).enumerate() {
                let block = span.first + i as u32;
                blocks.check(block, bytes)?;
                visit(&blocks.view(block, bytes));
                cache.admit(blocks.base + block, bytes);
            }
        }
        Ok(())
    }
}

impl BlockReader<'_> {
    /// Lets the device see what is queued, and waits for an answer where there is none.
    fn reap(&mut self, blocks: &Blocks<'_>) -> Result<(), GraphError> {
        let (before, had) = (Instant::now(), self.done.len());
        self.unsent = 0;
        let shape = *self.pair.shape();
        let pair = self.pair.get(blocks.name)?;
        let (is_loaded, from) = (2 * pair.in_flight() > shape.slots, pair.now());
        pair.reap(u32::from(had == 0), NEVER, &mut self.done)
            .map_err(|error| GraphError::device(blocks.name, error))?;
        self.counts.waiting_nanos += before.elapsed().as_nanos() as u64;
        if !is_loaded || had > 0 {
            self.watch.pause();
        } else if let Some(last) = self.done.last() {
            let bytes = self.done.iter().map(|done| done.result.max(0) as u64).sum();
            self.watch.waited(from, last.at, self.done.len() as u32, bytes);
            self.watch.judge(self.limited, shape.threads);
        }
        Ok(())
    }
}

fn failed_read(blocks: &Blocks<'_>, span: Span, result: i32) -> GraphError {
    let place = blocks.offset + u64::from(span.first) * u64::from(blocks.block_bytes);
    let source = if result < 0 {
        std::io::Error::from_raw_os_error(-result)
    } else {
        std::io::Error::new(std::io::ErrorKind::UnexpectedEof, "the file ends early")
    };
    GraphError::read(&format!("{}: block {}, at byte {place}", blocks.name, span.first), source)
}
