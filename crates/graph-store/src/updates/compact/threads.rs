//! All lists of a direction with their changes, made on all threads and handed over in order.

use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::Scope;

use super::coded::{Coded, Coder};
use crate::direct::{DirectFile, Pace, ReadQueue};
use crate::format::{Direction, Layout, Vertex};
use crate::inspect::{Side, StoreFile};
use crate::updates::changes::Merging;
use crate::{GraphError, Options};

/// Bytes of a read, whose blocks are a part of the work; others who read the device wait for no more.
const READ: usize = 128 << 10;

/// Reads in flight of each thread where nobody else reads, at least and at most.
const DEPTH: (usize, usize) = (2, 8);

/// Blocks of vertices that only changes have, which are no bytes to read, of a part.
const NEW_BLOCKS: u32 = 8;

/// Parts of a thread that wait to be taken, with full depth.
const WAITING: usize = 2;

/// Bytes in memory of a thread, about: its reads, and parts that are made, wait or are taken.
const BYTES_PER_THREAD: u64 = 8 << 20;

/// The nice value of the threads: programs with an answer to give go first. With 19, the lowest priority, a
/// compaction hardly moves while other programs compute.
const NICE: i32 = 10;

/// Parts below which a compaction is over before other programs notice it.
const FEW_PARTS: usize = 16;

/// How the lists of a direction are made.
#[derive(Debug, Clone, Copy)]
pub(super) struct Making<'a> {
    pub(super) store: &'a StoreFile,
    /// Where the base of the store is, to be read past the page cache.
    pub(super) base: &'a Path,
    pub(super) layout: Layout,
    pub(super) at_once: AtOnce,
    pub(super) pace: &'a Pace,
    pub(super) stop: Option<&'a AtomicBool>,
}

/// How much is made at a time.
#[derive(Debug, Clone, Copy)]
pub(super) struct AtOnce {
    threads: usize,
    /// Reads in flight of each thread where nobody else reads.
    depth: usize,
    /// Parts of each thread that are made and wait; without one, a thread waits until its part is taken.
    waiting: usize,
}

impl AtOnce {
    /// Under the cap of `options`: threads in a quarter of the memory, and their reads in a sixty-fourth.
    pub(super) fn under(options: &Options) -> AtOnce {
        let most = usize::try_from(options.memory / 4 / BYTES_PER_THREAD).unwrap_or(usize::MAX);
        let threads = options.threads.min(most).max(1);
        let reads = options.memory / 64 / READ as u64 / threads as u64;
        let depth = usize::try_from(reads).unwrap_or(usize::MAX).clamp(DEPTH.0, DEPTH.1);
        AtOnce { threads, depth, waiting: if depth == DEPTH.1 { WAITING } else { 0 } }
    }
}

/// Which blocks are a part.
#[derive(Debug, Clone, Copy)]
struct Parts {
    first: u32,
    stored: u32,
    blocks: u32,
    per_read: u32,
}

impl Parts {
    fn of(side: &Side<'_>, block_bytes: u32, first: u32) -> Parts {
        let (stored, blocks) = (side.stored_blocks(), side.blocks());
        Parts { first, stored: stored.max(first), blocks, per_read: READ as u32 / block_bytes }
    }

    /// Parts that are read.
    fn read(&self) -> usize {
        (self.stored - self.first).div_ceil(self.per_read) as usize
    }

    fn count(&self) -> usize {
        self.read() + (self.blocks - self.stored).div_ceil(NEW_BLOCKS) as usize
    }

    fn blocks(&self, part: usize) -> std::ops::Range<u32> {
        if part < self.read() {
            let first = self.first + part as u32 * self.per_read;
            return first..(first + self.per_read).min(self.stored);
        }
        let first = self.stored + (part - self.read()) as u32 * NEW_BLOCKS;
        first..(first + NEW_BLOCKS).min(self.blocks)
    }
}

/// A thread's parts, in order, and what comes back to be filled again.
type Lane = (Receiver<Result<Coded, GraphError>>, Sender<Coded>);

/// Parts that come in order.
#[derive(Debug)]
pub(super) struct InOrder {
    lanes: Vec<Lane>,
    parts: usize,
}

impl InOrder {
    /// Gives the thread that takes them the priority of those that make them.
    pub(super) fn give_way(&self) {
        give_way(self.parts);
    }

    /// Calls `take` with all parts, in order.
    ///
    /// # Errors
    /// The first that a thread or `take` has.
    pub(super) fn each(
        self,
        mut take: impl FnMut(&Coded) -> Result<(), GraphError>,
    ) -> Result<(), GraphError> {
        for part in 0..self.parts {
            let (parts, back) = &self.lanes[part % self.lanes.len()];
            // A thread that ended without an error has panicked, which its scope passes on.
            let coded = parts.recv().unwrap_or(Err(GraphError::Interrupted))?;
            take(&coded)?;
            // Nobody fills it again where the thread has made its last.
            let _ = back.send(coded);
        }
        Ok(())
    }
}

impl<'a> Making<'a> {
    /// Begins to make the lists of a direction from a vertex on.
    ///
    /// # Errors
    /// [`GraphError::Device`], [`GraphError::Path`] where the base is gone.
    pub(super) fn begin<'s>(
        self,
        scope: &'s Scope<'s, '_>,
        direction: Direction,
        from: Vertex,
    ) -> Result<InOrder, GraphError>
    where
        'a: 's,
    {
        let Some(side) = self.store.changed_side(direction) else {
            unreachable!("a store without changes is not compacted")
        };
        let is_behind = u64::from(from) >= self.store.header.vertices;
        let first = if is_behind { side.blocks() } else { side.first_block_of(from) };
        let parts = Parts::of(&side, self.layout.block_bytes, first);
        let file = File::open(self.base).map_err(|error| GraphError::opening(self.base, error))?;
        let file = DirectFile::to_read(&file, self.base)?;
        let count = parts.count();
        let AtOnce { threads, depth, waiting } = self.at_once;
        let threads = threads.min(count.max(1));
        let lane = |thread| {
            let (to, parts_of) = sync_channel(waiting);
            let (back, again) = channel();
            let queue = ReadQueue::new(&file, depth, READ)?;
            let worker = Worker { making: self, side, parts, queue, from, asked: thread, step: threads };
            scope.spawn(move || {
                give_way(count);
                worker.work(thread, &to, &again);
            });
            Ok::<Lane, GraphError>((parts_of, back))
        };
        let lanes = (0..threads).map(lane).collect::<Result<_, _>>()?;
        Ok(InOrder { lanes, parts: count })
    }
}

/// Gives a thread the lower priority, unless there is little to do.
fn give_way(parts: usize) {
    if parts > FEW_PARTS {
        // Where that is refused it is as urgent as anything else.
        let _ = rustix::process::setpriority_process(None, NICE);
    }
}

/// Makes every `step`th part.
struct Worker<'a> {
    making: Making<'a>,
    side: Side<'a>,
    parts: Parts,
    queue: ReadQueue,
    from: Vertex,
    /// The part that is read next.
    asked: usize,
    step: usize,
}

impl Worker<'_> {
    fn work(mut self, first: usize, to: &SyncSender<Result<Coded, GraphError>>, again: &Receiver<Coded>) {
        let mut coder = Coder::new(self.making.layout);
        let mut merging = Merging::default();
        for part in (first..self.parts.count()).step_by(self.step) {
            let mut coded = again.try_recv().unwrap_or_default();
            coded.clear();
            // Each run is read once at most, as a rule.
            let runs = self.side.runs();
            self.making.pace.begin(runs);
            let made = self.make(part, &mut merging, &mut coder, &mut coded);
            self.making.pace.settle(runs, merging.take_reads());
            let failed = made.is_err();
            // Whoever takes them may have failed.
            if to.send(made.map(|()| coded)).is_err() || failed {
                return;
            }
        }
    }

    fn make(
        &mut self,
        part: usize,
        merging: &mut Merging,
        coder: &mut Coder,
        coded: &mut Coded,
    ) -> Result<(), GraphError> {
        if self.making.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Err(GraphError::Interrupted);
        }
        let (side, from) = (self.side, self.from);
        let blocks = self.parts.blocks(part);
        if part >= self.parts.read() {
            for number in blocks {
                if let Some(block) = side.block(number, None, merging)? {
                    coder.block(&block, from, coded);
                }
            }
            return Ok(());
        }
        self.read(part)?;
        let size = self.making.layout.block_bytes as usize;
        self.queue.next(|bytes| {
            for (number, bytes) in blocks.zip(bytes.chunks_exact(size)) {
                if let Some(block) = side.block(number, Some(bytes), merging)? {
                    coder.block(&block, from, coded);
                }
            }
            Ok(())
        })?
    }

    /// Waits until a part is read, and asks for more.
    fn read(&mut self, part: usize) -> Result<(), GraphError> {
        let pace = self.making.pace;
        pace.look();
        let ahead = if pace.is_gentle() { 1 } else { self.making.at_once.depth };
        let size = u64::from(self.making.layout.block_bytes);
        while self.asked < self.parts.read().min(part + ahead * self.step) {
            let blocks = self.parts.blocks(self.asked);
            let at = self.side.offset() + u64::from(blocks.start) * size;
            let bytes = blocks.len() * size as usize;
            pace.begin(1);
            if pace.is_gentle() {
                pace.alone(|| self.queue.want(at, bytes).and_then(|()| self.queue.wait()))?;
            } else {
                self.queue.want(at, bytes)?;
            }
            self.asked += self.step;
        }
        self.queue.wait()?;
        pace.end(1);
        Ok(())
    }
}
