//! The load itself: what the client, flushes and compactions do from one moment to the next.

use super::filled::{Fill, Filled, Loaded};
use super::work::{Cost, Work};
use crate::tree::{Compaction, Run, Tree};
use crate::{Data, Layout};

/// Bytes per second at which a client may write while writes are slowed down (`delayed_write_rate`).
const DELAYED_BYTES_PER_SECOND: f64 = 16777216.0;

/// Memtables in a simulated load at most. More are not all simulated: the tree is filled as far as its levels
/// allow, these are inserted into it, and the load takes as long as if all had been.
const MOST_MEMTABLES: f64 = 6000.0;

/// The same where each simulated file stands for more than [`COARSE`]: the picker looks at thousands of
/// files.
const MOST_MEMTABLES_COARSE: f64 = 600.0;

/// Files that a simulated file stands for, above which compactions between the lowest levels are too rare
/// in a simulated load: what they write is then underestimated.
pub(crate) const COARSE: f64 = 50.0;

/// Share of the load that is inserted last and taken for a tree of its full size.
const TAIL: f64 = 0.4;

/// The same of loads over which is averaged: from this share of the data to this one. Whoever has 100 GiB has
/// had 70, and will have more; how full the last level is, which decides much of what is written, is chance.
const DRAWN_TAIL: [f64; 2] = [0.7, 1.4];

/// Where loads begin that do not begin with an empty tree, a share of the data: the first number if it grows,
/// the other if its size stays. Until the numbers above what a tree holds has been mixed.
const WARM: [f64; 2] = [0.5, 0.8];

/// Share of the data that is replaced in the same loads where keys are: the size stays.
const REPLACED: f64 = 0.45;

/// Parts of the last inserts after each of which queries see the tree.
const PARTS: usize = 4;

/// By how much memtables and the times of jobs differ from each other, up and down, a share of them: an arena
/// may be fuller or less full, and a machine does other things, too.
const MEMTABLES_DIFFER: f64 = 0.03;
const JOBS_DIFFER: f64 = 0.2;

/// Limits on pending compaction, in multiples of the size of level 1, as RocksDB's 64 GiB and 256 GiB are
/// of its 256 MiB.
const SOFT_PENDING: f64 = 256.0;
const HARD_PENDING: f64 = 1024.0;

/// Share of a limit on pending compaction from which more than one compaction runs.
const SPEED_UP_PENDING: f64 = 0.25;

/// A moment of a load.
#[derive(Debug, Clone, Copy)]
struct Mark {
    now: f64,
    inserted: f64,
    written: f64,
    cost: Cost,
}

impl Mark {
    fn of(load: &Load) -> Self {
        Mark { now: load.now, inserted: load.inserted, written: load.written, cost: load.cost }
    }
}

/// A running flush or compaction.
#[derive(Clone)]
struct Job {
    /// Seconds it would still take alone.
    left: f64,
    /// Threads that work on it.
    threads: f64,
    kind: Kind,
}

#[derive(Clone)]
enum Kind {
    Flush(f64),
    Compaction(Compaction),
}

/// The state of a load.
#[derive(Clone)]
pub(super) struct Load<'a> {
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
    chance: Option<fastrand::Rng>,
    // What was done.
    inserted: f64,
    written: f64,
    cost: Cost,
    stalled: f64,
    thread_seconds: f64,
    busy_seconds: f64,
}

impl<'a> Load<'a> {
    /// Before the first insert.
    pub(super) fn new(
        layout: &'a Layout,
        work: Work<'a>,
        speeds: Vec<f64>,
        tree: Tree,
        base_pairs: f64,
    ) -> Self {
        Load {
            layout,
            work,
            tree,
            jobs: Vec::new(),
            speeds,
            now: 0.0,
            full: Vec::new(),
            base_pairs,
            delayed_rate: DELAYED_BYTES_PER_SECOND,
            chance: None,
            inserted: 0.0,
            written: 0.0,
            cost: Cost::default(),
            stalled: 0.0,
            thread_seconds: 0.0,
            busy_seconds: 0.0,
        }
    }

    /// Inserts everything, and waits for all compactions; and where it is one of several loads, goes on to
    /// insert or to replace pairs as in a tree in service.
    pub(super) fn run(mut self, data: &Data, memtable: f64, how: &Fill) -> Filled {
        self.chance = how.draw.map(|draw| fastrand::Rng::with_seed(u64::from(draw)));
        let draw = how.draw.unwrap_or(0) as usize;
        let insert = self.work.processor.insert_us * 1e-6;
        let most = if self.work.files > COARSE { MOST_MEMTABLES_COARSE } else { MOST_MEMTABLES };
        let simulated = (most * memtable).min(data.pairs);
        let [from, to] = if how.draw.is_some() { DRAWN_TAIL } else { [1.0 - TAIL, 1.0] };
        let replacing = how.replacing > 0.0;
        let (total, tail_from) = match replacing {
            true => (data.pairs + REPLACED * simulated, data.pairs),
            false => (data.pairs + (to - 1.0) * simulated, data.pairs + (from - 1.0) * simulated),
        };
        let warm = if how.from_empty { 0.0 } else { WARM[usize::from(replacing)] };
        let skipped = data.pairs - (1.0 - warm) * simulated;
        self.tree.fill(skipped);
        self.inserted = skipped;
        // All of very little data may be inserted at once.
        let start = Mark::of(&self);
        let (mut loaded, mut tail, mut states) = (None, None, Vec::new());
        let part = (total - tail_from) / PARTS as f64;
        while self.inserted < total {
            if loaded.is_none() && self.inserted >= data.pairs {
                loaded = Some(self.clone().rest(skipped, insert));
                if replacing {
                    self.tree.replace_from_now_on();
                }
            }
            if self.inserted >= tail_from + part * states.len() as f64 {
                states.push(self.state(memtable, draw * PARTS + states.len()));
                tail.get_or_insert_with(|| Mark::of(&self));
            }
            // The load ends where the data do, whatever comes after it.
            let end = if loaded.is_none() { data.pairs } else { total };
            let pairs = (memtable * self.about(MEMTABLES_DIFFER)).min(end - self.inserted);
            self.wait_for_room();
            self.insert(pairs, insert, data.pair_bytes());
            self.full.push(pairs);
            self.inserted += pairs;
            self.start();
        }
        let rest = self.clone().rest(skipped, insert);
        while self.step(f64::INFINITY) {}
        let stored: f64 = self.tree.pairs_by_level().iter().sum();
        let distinct = if replacing { data.pairs } else { self.inserted };
        states.push(self.state(memtable, draw * PARTS + states.len()));
        let (first, last) = (tail.unwrap_or(start), Mark::of(&self));
        let per_pair =
            |of: fn(&Mark) -> f64| (of(&last) - of(&first)) / (last.inserted - first.inserted).max(1.0);
        Filled {
            load: loaded.unwrap_or(rest),
            tail_write_amplification: per_pair(|mark| mark.written),
            tail_pairs_per_second: 1.0 / per_pair(|mark| mark.now).max(1e-15),
            tail_processor: per_pair(|mark| mark.cost.processor),
            tail_device: per_pair(|mark| mark.cost.device),
            tail_used: per_pair(|mark| mark.cost.busy),
            tail_error: 0.0,
            space_amplification: stored / distinct,
            states,
        }
    }

    /// The load until now, when all its compactions are done.
    fn rest(mut self, skipped: f64, insert: f64) -> Loaded {
        let insert_seconds = self.now;
        while self.step(f64::INFINITY) {}
        let loaded = (self.inserted - skipped).max(1.0);
        let whole = self.inserted / loaded;
        Loaded {
            seconds: whole * self.now,
            insert_seconds: whole * insert_seconds,
            stalled_seconds: whole * self.stalled,
            write_amplification: self.written / loaded,
            processor_seconds: self.cost.processor + self.inserted * insert,
            concurrency: if self.busy_seconds > 0.0 { self.thread_seconds / self.busy_seconds } else { 0.0 },
            scale: self.work.files,
            tree: self.tree,
        }
    }

    /// The sorted runs as they would be at rest, level 0 as full as at the `moment` of its cycle.
    fn state(&self, memtable: f64, moment: usize) -> Vec<Run> {
        let mut load = self.clone();
        while load.step(f64::INFINITY) {}
        let mut tree = load.tree;
        for _ in 0..moment % load.layout.l0_files.max(1) as usize {
            tree.flush(memtable);
            while let Some(compaction) = tree.pick() {
                tree.finish(compaction);
            }
        }
        tree.runs()
    }

    /// 1, give or take a share.
    fn about(&mut self, share: f64) -> f64 {
        self.chance.as_mut().map_or(1.0, |chance| 1.0 + share * (2.0 * chance.f64() - 1.0))
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

    /// Speed of every thread while `clients` insert, alone = 1: cores and device are shared evenly.
    fn speed(&self, clients: f64) -> f64 {
        let threads = ((self.threads() + clients).round() as usize).clamp(1, self.speeds.len());
        self.speeds[threads - 1]
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
        let pace = |job: &Job| job.threads * speed;
        let time = |job: &Job| job.left / pace(job);
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
            job.left -= step * pace(job);
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
            let cost = self.work.flush(pairs, self.tree.file_count());
            self.push(cost, 1.0, Kind::Flush(pairs));
        }
        while self.compacting() < self.allowed() {
            let Some(compaction) = self.tree.pick() else { break };
            let tree_files = self.tree.file_count();
            if compaction.is_move() {
                let cost = self.work.moving(tree_files);
                self.push(cost, 1.0, Kind::Compaction(compaction));
                continue;
            }
            let pairs = compaction.pairs();
            let cost = self.work.compaction(pairs, compaction.files(), tree_files);
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
        self.cost.busy += cost.busy;
        let seconds = (cost.processor + cost.device) * self.about(JOBS_DIFFER);
        self.jobs.push(Job { left: seconds.max(1e-9), threads, kind });
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
