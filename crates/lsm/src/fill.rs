//! Loading a tree, in simulated time: one client inserts, memtables are flushed, compactions run.
//!
//! The tree decides what is compacted; this decides how long that takes. A compaction is one thread that reads,
//! merges and writes in turn, as in RocksDB; threads share the cores and the device (`queue.rs`). Writes stop
//! while all memtables are full or level 0 is, and slow down before that.

use leadline_profile::OpKind;

use crate::block::Blocks;
use crate::costs::DeviceCosts;
use crate::queue::{Demand, closed};
use crate::tree::{Compaction, Run, Tree, file_pairs, memtable_pairs};
use crate::{Data, Layout, ProcessorCosts};

/// Bytes that a flush or a compaction writes at a time (`writable_file_max_buffer_size`).
const WRITE_BYTES: f64 = 1048576.0;

/// Bytes that a compaction reads at a time with direct I/O where nothing else is set.
pub(crate) const DEFAULT_READAHEAD: f64 = 2097152.0;

/// Files and logs made durable per compaction or flush, besides each file that it writes: the folder and the
/// manifest.
const SYNCS_PER_JOB: f64 = 2.0;

/// Files in a simulated tree at most; a larger one is simulated with larger files.
const MOST_FILES: f64 = 3000.0;

/// Bytes per second at which a client may write while writes are slowed down (`delayed_write_rate`).
const DELAYED_BYTES_PER_SECOND: f64 = 16777216.0;

/// Memtables in a simulated load at most. More are not all simulated: the tree is filled as far as its levels
/// allow, these are inserted into it, and the load takes as long as if all had been.
const MOST_MEMTABLES: f64 = 6000.0;

/// The same where each simulated file stands for more than [`COARSE`]: the picker looks at thousands of files.
const MOST_MEMTABLES_COARSE: f64 = 600.0;

/// Files that a simulated file stands for, above which compactions between the lowest levels are too rare in a
/// simulated load: what they write is then underestimated.
pub(crate) const COARSE: f64 = 50.0;

/// Share of the load that is inserted last and taken for a tree of its full size.
const TAIL: f64 = 0.4;

/// Fillings of level 0 over which the states of a tree at rest are averaged.
const CYCLES: u32 = 4;

/// Limits on pending compaction, in multiples of the size of level 1, as RocksDB's 64 GiB and 256 GiB are of its
/// 256 MiB.
const SOFT_PENDING: f64 = 256.0;
const HARD_PENDING: f64 = 1024.0;

/// Share of a limit on pending compaction from which more than one compaction runs.
const SPEED_UP_PENDING: f64 = 0.25;

/// How a tree is loaded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fill {
    /// Of the pairs inserted after the load of distinct keys, this share replaces keys that are there.
    pub(crate) replacing: f64,
    /// Cores of the machine.
    pub(crate) cores: f64,
}

/// What loading a tree came to.
#[derive(Debug, Clone)]
pub(crate) struct Filled {
    /// The tree, all compactions done.
    pub(crate) tree: Tree,
    /// Its sorted runs, then and after each of the next memtables: level 0 and level 1 are fuller at some times
    /// than at others.
    pub(crate) states: Vec<Vec<Run>>,
    /// From the first insert to the end of the last compaction, seconds.
    pub(crate) seconds: f64,
    /// Until the last insert.
    pub(crate) insert_seconds: f64,
    /// In which the client was stopped or slowed down.
    pub(crate) stalled_seconds: f64,
    /// Bytes that flushes and compactions wrote / bytes inserted.
    pub(crate) write_amplification: f64,
    /// The same for the last inserts, in a tree of nearly its full size.
    pub(crate) tail_write_amplification: f64,
    /// Pairs per second that a tree of its full size takes, compactions keeping up.
    pub(crate) tail_pairs_per_second: f64,
    /// Seconds of processor time of flushes and compactions per pair inserted into a tree of its full size.
    pub(crate) tail_processor: f64,
    /// Seconds of device time, one request at a time, of the same.
    pub(crate) tail_device: f64,
    /// Compactions running on average while any was, subcompactions counted.
    pub(crate) concurrency: f64,
    /// Pairs in all files / distinct pairs, at the end.
    pub(crate) space_amplification: f64,
    /// One simulated pair stands for so many.
    pub(crate) scale: f64,
}

/// Costs of the work of compactions and flushes, per pair and per file.
struct Work<'a> {
    device: &'a DeviceCosts,
    processor: &'a ProcessorCosts,
    /// Bytes per simulated pair in a file.
    pair_bytes: f64,
    /// Real pairs per simulated one.
    scale: f64,
    readahead: f64,
    file_bytes: f64,
    /// Files that a simulated file stands for.
    files: f64,
}

/// Seconds of one job alone on the machine.
#[derive(Debug, Clone, Copy, Default)]
struct Cost {
    processor: f64,
    device: f64,
}

impl Work<'_> {
    fn read(&self, pairs: f64, in_flight: f64) -> f64 {
        let bytes = pairs * self.pair_bytes;
        let request = self.readahead.min(self.file_bytes);
        bytes / request * self.device.request(OpKind::Read, request, in_flight)
    }

    fn write(&self, pairs: f64, in_flight: f64) -> f64 {
        let bytes = pairs * self.pair_bytes;
        let request = WRITE_BYTES.min(self.file_bytes);
        bytes / request * self.device.request(OpKind::Write, request, in_flight)
    }

    fn mib(&self, pairs: f64) -> f64 {
        pairs * self.pair_bytes / 1048576.0
    }

    fn syncs(&self, files: f64) -> f64 {
        (files * self.files + SYNCS_PER_JOB) * self.device.sync_seconds()
    }

    fn flush(&self, pairs: f64) -> Cost {
        let p = self.processor;
        Cost {
            processor: (pairs * self.scale * p.flush_pair_us + self.mib(pairs) * p.compaction_mib_us) * 1e-6,
            device: self.write(pairs, 1.0) + self.syncs(1.0),
        }
    }

    fn compaction(&self, pairs: f64, files: usize) -> Cost {
        let p = self.processor;
        let mib = 2.0 * self.mib(pairs);
        Cost {
            processor: (pairs * self.scale * p.merge_pair_us + mib * p.compaction_mib_us) * 1e-6,
            device: self.read(pairs, 1.0) + self.write(pairs, 1.0) + self.syncs(files as f64),
        }
    }
}

/// A running flush or compaction.
struct Job {
    /// Seconds it would still take alone.
    left: f64,
    /// Threads that work on it.
    threads: f64,
    kind: Kind,
}

enum Kind {
    Flush(f64),
    Compaction(Compaction),
}

/// The state of a load.
struct Load<'a> {
    layout: &'a Layout,
    work: Work<'a>,
    tree: Tree,
    jobs: Vec<Job>,
    /// Speed of each thread, alone = 1, with 1, 2, ... of them.
    speeds: Vec<f64>,
    now: f64,
    /// Memtables that are full and not yet flushed, pairs.
    full: Vec<f64>,
    base_pairs: f64,
    delayed_rate: f64,
    // What was done.
    inserted: f64,
    written: f64,
    cost: Cost,
    stalled: f64,
    thread_seconds: f64,
    busy_seconds: f64,
}

/// Loads `data` into an empty tree.
pub(crate) fn fill(
    data: &Data,
    layout: &Layout,
    device: &DeviceCosts,
    processor: &ProcessorCosts,
    how: &Fill,
) -> Filled {
    let blocks = Blocks::of(data, layout, device.unit_bytes());
    let stored = blocks.stored_pair_bytes();
    // A large tree is simulated with fewer, larger pairs: what counts is how many files there are.
    let files = data.pairs / file_pairs(layout, stored);
    let coarse = (files / MOST_FILES).max(1.0);
    let in_file = file_pairs(layout, stored) * coarse;
    let base_pairs = layout.base_bytes as f64 / stored;
    let memtable = memtable_pairs(layout, data);
    let work = Work {
        device,
        processor,
        pair_bytes: stored,
        scale: 1.0,
        readahead: match layout.compaction_readahead_bytes {
            0 => DEFAULT_READAHEAD,
            bytes => bytes as f64,
        },
        file_bytes: layout.file_bytes as f64,
        files: coarse,
    };
    let load = Load {
        layout,
        tree: Tree::new(layout, data.pairs, in_file, base_pairs),
        jobs: Vec::new(),
        speeds: speeds(&work, layout, how.cores),
        work,
        now: 0.0,
        full: Vec::new(),
        base_pairs,
        delayed_rate: DELAYED_BYTES_PER_SECOND,
        inserted: 0.0,
        written: 0.0,
        cost: Cost::default(),
        stalled: 0.0,
        thread_seconds: 0.0,
        busy_seconds: 0.0,
    };
    load.run(data, memtable, how)
}

/// With n threads at work, each alternates between processor and device as a compaction of full files does.
fn speeds(work: &Work, layout: &Layout, cores: f64) -> Vec<f64> {
    let pairs = 8.0 * work.file_bytes / work.pair_bytes;
    let alone = work.compaction(pairs, 8);
    let threads = layout.jobs.max(1) * layout.subcompactions.max(1) + 2;
    let device: Vec<f64> = (1..=threads)
        .map(|n| {
            let n = f64::from(n);
            // Syncs of several threads go together in the journal: each takes its time, whoever else waits.
            work.read(pairs, n) + work.write(pairs, n) + work.syncs(8.0) / n
        })
        .collect();
    let demand = Demand { processor: alone.processor, cores, device: &device };
    let one = closed(&demand, 1).per_second;
    (1..=threads).map(|n| (closed(&demand, n).per_second / one / f64::from(n)).min(1.0)).collect()
}

/// The sorted runs of `tree` as it is, and at rest after each of the next memtables.
fn states(mut tree: Tree, memtable: f64, layout: &Layout) -> Vec<Vec<Run>> {
    let mut states = vec![tree.runs()];
    // A single level is merged at each of them, and is always the same.
    let more = if layout.is_single_level() { 0 } else { CYCLES * layout.l0_files.max(1) };
    for _ in 0..more {
        tree.flush(memtable);
        while let Some(compaction) = tree.pick() {
            tree.finish(compaction);
        }
        states.push(tree.runs());
    }
    states
}

impl Load<'_> {
    fn run(mut self, data: &Data, memtable: f64, how: &Fill) -> Filled {
        let insert = self.work.processor.insert_us * 1e-6;
        let most = if self.work.files > COARSE { MOST_MEMTABLES_COARSE } else { MOST_MEMTABLES };
        let simulated = (most * memtable).min(data.pairs);
        let extra = if how.replacing > 0.0 { TAIL * simulated } else { 0.0 };
        let total = data.pairs + extra;
        let skipped = data.pairs - simulated;
        self.tree.fill(skipped);
        self.inserted = skipped;
        let tail_from = data.pairs - if extra > 0.0 { 0.0 } else { TAIL * simulated };
        let mut tail = None;
        while self.inserted < total {
            let pairs = memtable.min(total - self.inserted);
            if tail.is_none() && self.inserted >= tail_from {
                if how.replacing > 0.0 {
                    self.tree.replace_from_now_on();
                }
                tail = Some((self.now, self.inserted, self.written, self.cost));
            }
            self.wait_for_room();
            self.insert(pairs, insert, data.pair_bytes());
            self.full.push(pairs);
            self.inserted += pairs;
            self.start();
        }
        let insert_seconds = self.now;
        while self.step(f64::INFINITY) {}
        let (at, inserted, written, cost) = tail.unwrap_or((0.0, 0.0, 0.0, Cost::default()));
        let pairs = (self.inserted - inserted).max(1.0);
        let stored: f64 = self.tree.pairs_by_level().iter().sum();
        let loaded = (self.inserted - skipped).max(1.0);
        let whole = self.inserted / loaded;
        Filled {
            seconds: whole * self.now,
            insert_seconds: whole * insert_seconds,
            stalled_seconds: whole * self.stalled,
            write_amplification: self.written / loaded,
            tail_write_amplification: (self.written - written) / pairs,
            tail_pairs_per_second: pairs / (self.now - at).max(1e-9),
            tail_processor: (self.cost.processor - cost.processor) / pairs,
            tail_device: (self.cost.device - cost.device) / pairs,
            concurrency: if self.busy_seconds > 0.0 { self.thread_seconds / self.busy_seconds } else { 0.0 },
            space_amplification: stored / data.pairs,
            scale: self.work.files,
            states: states(self.tree.clone(), memtable, self.layout),
            tree: self.tree,
        }
    }

    /// Until a memtable is free and level 0 is not full.
    fn wait_for_room(&mut self) {
        let before = self.now;
        let most = self.layout.memtables.max(2) as usize - 1;
        while self.full.len() + self.flushing() > most
            || self.tree.l0_count() >= self.layout.l0_stop as usize
            || self.tree.pending_pairs() >= HARD_PENDING * self.base_pairs
        {
            if !self.step(f64::INFINITY) {
                break;
            }
        }
        self.stalled += self.now - before;
    }

    fn flushing(&self) -> usize {
        self.jobs.iter().filter(|job| matches!(job.kind, Kind::Flush(_))).count()
    }

    /// A memtable full of pairs, at the client's speed or at the one it is slowed down to.
    fn insert(&mut self, pairs: f64, seconds_per_pair: f64, pair_bytes: f64) {
        let mut left = pairs * seconds_per_pair;
        while left > 1e-12 {
            let slowed = self.slows_down();
            let speed = if slowed {
                (self.delayed_rate / pair_bytes * seconds_per_pair).min(1.0)
            } else {
                self.speed(1.0)
            };
            let (before, until) = (self.now, self.now + left / speed);
            // What is left may be too little to be seen beside the time that has passed.
            if until <= before {
                break;
            }
            self.step_with_client(until, !slowed);
            left -= (self.now - before) * speed;
            if slowed {
                self.stalled += self.now - before;
            }
        }
    }

    fn slows_down(&self) -> bool {
        self.tree.l0_count() >= self.layout.l0_slowdown as usize
            || self.tree.pending_pairs() >= SOFT_PENDING * self.base_pairs
    }

    fn threads(&self) -> f64 {
        self.jobs.iter().map(|job| job.threads).sum()
    }

    /// Speed of each thread while `clients` insert.
    fn speed(&self, clients: f64) -> f64 {
        let threads = (self.threads() + clients).round().max(1.0) as usize;
        self.speeds[threads.min(self.speeds.len()) - 1]
    }

    fn step(&mut self, until: f64) -> bool {
        self.advance(until, 0.0)
    }

    fn step_with_client(&mut self, until: f64, client: bool) {
        if !self.advance(until, if client { 1.0 } else { 0.0 }) {
            self.now = until;
        }
    }

    /// To the next end of a job, or to `until`; false where nothing runs.
    fn advance(&mut self, until: f64, clients: f64) -> bool {
        self.start();
        let speed = self.speed(clients);
        let time = |job: &Job| job.left / (job.threads * speed);
        let first = self.jobs.iter().map(time).enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
        let Some((i, seconds)) = first else { return false };
        let step = seconds.min(until - self.now);
        let compacting: f64 =
            self.jobs.iter().filter(|j| matches!(j.kind, Kind::Compaction(_))).map(|j| j.threads).sum();
        if compacting > 0.0 {
            self.busy_seconds += step;
            self.thread_seconds += step * compacting;
        }
        for job in &mut self.jobs {
            job.left -= step * speed * job.threads;
        }
        self.now += step;
        if seconds <= step {
            let job = self.jobs.swap_remove(i);
            self.finish(job);
        }
        true
    }

    fn finish(&mut self, job: Job) {
        let before = self.tree.l0_count();
        match job.kind {
            Kind::Flush(pairs) => {
                self.tree.flush(pairs);
                self.written += pairs;
            }
            Kind::Compaction(compaction) => self.written += self.tree.finish(compaction).0,
        }
        // The rate falls while level 0 grows, and rises while it shrinks.
        let after = self.tree.l0_count();
        if after >= self.layout.l0_slowdown as usize {
            let change = if after > before { 0.8 } else { 1.25 };
            self.delayed_rate = (self.delayed_rate * change).clamp(16384.0, DELAYED_BYTES_PER_SECOND);
        }
        self.start();
    }

    /// Starts what may run: one flush, and compactions.
    fn start(&mut self) {
        if self.flushing() == 0 && !self.full.is_empty() {
            let pairs = self.full.remove(0);
            let cost = self.work.flush(pairs);
            self.push(cost, 1.0, Kind::Flush(pairs));
        }
        while self.compacting() < self.allowed() {
            let Some(compaction) = self.tree.pick() else { break };
            if compaction.is_move() {
                self.tree.finish(compaction);
                continue;
            }
            let pairs = compaction.pairs();
            let cost = self.work.compaction(pairs, compaction.files());
            // Level 0 alone is divided, into parts of nearly a file.
            let parts = if compaction.start == 0 && compaction.output > 0 {
                let most = pairs * self.work.pair_bytes / (0.8 * self.work.file_bytes);
                f64::from(self.layout.subcompactions.max(1)).min(most.max(1.0)).floor()
            } else {
                1.0
            };
            self.push(cost, parts, Kind::Compaction(compaction));
        }
    }

    fn push(&mut self, cost: Cost, threads: f64, kind: Kind) {
        self.cost.processor += cost.processor;
        self.cost.device += cost.device;
        self.jobs.push(Job { left: (cost.processor + cost.device).max(1e-9), threads, kind });
    }

    fn compacting(&self) -> u32 {
        self.jobs.iter().filter(|job| matches!(job.kind, Kind::Compaction(_))).count() as u32
    }

    /// RocksDB runs one compaction at a time unless level 0 or what is pending has grown.
    fn allowed(&self) -> u32 {
        let Layout { l0_files, l0_slowdown, jobs, .. } = *self.layout;
        let quarter = l0_files + l0_slowdown.saturating_sub(l0_files) / 4;
        let behind = self.tree.l0_count() >= (2 * l0_files).min(quarter) as usize
            || self.tree.pending_pairs() >= SPEED_UP_PENDING * SOFT_PENDING * self.base_pairs;
        if behind { jobs.max(1) } else { 1 }
    }
}
