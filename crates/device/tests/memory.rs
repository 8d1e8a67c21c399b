//! The device in memory against a model of it: what reads see, what is durable, and what a power cut may
//! leave.

use std::collections::HashSet;

use leadline_device::{
    Clock, Completion, Device, MemoryDevice, NEVER, QueuePair, QueueShape, Request, Survival, Tearing,
};
use proptest::prelude::*;

const BLOCK: u32 = 512;

fn pair(device: &dyn Device, depth: u32) -> Box<dyn QueuePair> {
    device.queue_pair(QueueShape::new(depth, 32 * BLOCK)).unwrap()
}

/// Does what was submitted.
fn reap(pair: &mut dyn QueuePair) -> Vec<Completion> {
    let mut done = Vec::new();
    while pair.in_flight() > 0 {
        pair.reap(1, NEVER, &mut done).unwrap();
    }
    done
}

/// Submits a write of whole blocks, each filled with `stamp` over and over.
fn submit_write(pair: &mut dyn QueuePair, slot: u32, block: u64, blocks: u32, stamp: u32, durable: bool) {
    let len = blocks * BLOCK;
    for word in pair.buffer(slot)[..len as usize].chunks_exact_mut(4) {
        word.copy_from_slice(&stamp.to_le_bytes());
    }
    pair.submit(Request { durable, ..Request::write(slot, block * u64::from(BLOCK), len) }).unwrap();
}

fn write(pair: &mut dyn QueuePair, block: u64, blocks: u32, stamp: u32) {
    submit_write(pair, 0, block, blocks, stamp, false);
    assert_eq!(reap(pair)[0].result, (blocks * BLOCK) as i32);
}

fn write_durable(pair: &mut dyn QueuePair, block: u64, blocks: u32, stamp: u32) {
    submit_write(pair, 0, block, blocks, stamp, true);
    assert_eq!(reap(pair)[0].result, (blocks * BLOCK) as i32);
}

fn flush(pair: &mut dyn QueuePair) {
    pair.submit(Request::flush(0)).unwrap();
    assert_eq!(reap(pair)[0].result, 0);
}

fn trim(pair: &mut dyn QueuePair, block: u64, blocks: u32) {
    pair.submit(Request::trim(0, block * u64::from(BLOCK), blocks * BLOCK)).unwrap();
    assert_eq!(reap(pair)[0].result, (blocks * BLOCK) as i32);
}

/// The stamp of each block, every one of them whole.
fn stamps(contents: &[u8]) -> Vec<u32> {
    let stamp = |block: &[u8]| {
        assert!(block.chunks_exact(4).all(|word| word == &block[..4]), "a sector is torn within");
        u32::from_le_bytes(block[..4].try_into().unwrap())
    };
    contents.chunks(BLOCK as usize).map(stamp).collect()
}

fn seen(device: &MemoryDevice, blocks: usize) -> Vec<u32> {
    stamps(&device.contents(0, blocks * BLOCK as usize))
}

fn durable(device: &MemoryDevice, blocks: usize) -> Vec<u32> {
    stamps(&device.durable_contents(0, blocks * BLOCK as usize))
}

/// All that a power cut may leave, each as often as it is given.
fn crashes(device: &MemoryDevice, blocks: usize, tearing: Tearing) -> Vec<Vec<u32>> {
    let mut all: Vec<_> = device.every_crash(tearing).map(|left| seen(&left, blocks)).collect();
    all.sort();
    all
}

// -------------------------------------------------------------------------------------------------------- by
// hand

#[test]
fn reads_see_writes_at_once_and_a_power_cut_leaves_what_was_flushed() {
    let device = MemoryDevice::new(1 << 20, BLOCK);
    let mut pair = pair(&device, 4);
    write(&mut *pair, 0, 2, 1);
    flush(&mut *pair);
    write(&mut *pair, 1, 2, 2);
    assert_eq!((seen(&device, 4), durable(&device, 4)), (vec![1, 2, 2, 0], vec![1, 1, 0, 0]));
    assert_eq!(seen(&device.crash_to_durable(), 4), [1, 1, 0, 0]);
    assert_eq!(seen(&device.crash(|_| Survival::Whole), 4), [1, 2, 2, 0]);
    assert_eq!(seen(&device.crash(|_| Survival::Sectors(vec![false, true])), 4), [1, 1, 2, 0]);
    // What a power cut left is durable, and the device itself goes on.
    assert!(device.crash(|_| Survival::Whole).unsynced().is_empty());
    flush(&mut *pair);
    assert_eq!(durable(&device, 4), [1, 2, 2, 0]);
    assert!(device.unsynced().is_empty());
    assert_eq!(device.clock(), Clock::Wall);
}

#[test]
fn flush_covers_only_writes_that_completed_before_it_was_submitted() {
    let device = MemoryDevice::new(1 << 20, BLOCK);
    let mut pair = pair(&device, 4);
    write(&mut *pair, 0, 1, 1);
    submit_write(&mut *pair, 0, 1, 1, 2, false);
    pair.submit(Request::flush(1)).unwrap();
    assert_eq!(reap(&mut *pair).iter().map(|done| done.slot).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(durable(&device, 2), [1, 0]);
    flush(&mut *pair);
    assert_eq!(durable(&device, 2), [1, 2]);
}

#[test]
fn trimmed_blocks_read_as_zeros_at_once_and_are_durably_so_after_a_flush() {
    let device = MemoryDevice::new(1 << 20, BLOCK);
    let mut pair = pair(&device, 1);
    write(&mut *pair, 0, 4, 1);
    flush(&mut *pair);
    trim(&mut *pair, 1, 2);
    assert_eq!((seen(&device, 4), durable(&device, 4)), (vec![1, 0, 0, 1], vec![1, 1, 1, 1]));
    assert_eq!(seen(&device.crash_to_durable(), 4), [1, 1, 1, 1]);
    assert_eq!(crashes(&device, 4, Tearing::Never), [[1, 0, 0, 1], [1, 1, 1, 1]]);
    assert_eq!(crashes(&device, 4, Tearing::Sector512).len(), 4, "each block is trimmed or as before");
    // A write after the trim is newer than the trim, whatever survives.
    write_durable(&mut *pair, 1, 1, 2);
    assert_eq!(crashes(&device, 4, Tearing::Never), [[1, 2, 0, 1], [1, 2, 1, 1]]);
    flush(&mut *pair);
    assert_eq!((seen(&device, 4), durable(&device, 4)), (vec![1, 2, 0, 1], vec![1, 2, 0, 1]));
}

#[test]
fn flush_covers_a_trim_as_it_covers_a_write() {
    let device = MemoryDevice::new(1 << 20, BLOCK);
    let mut pair = pair(&device, 2);
    write_durable(&mut *pair, 0, 1, 1);
    pair.submit(Request::trim(0, 0, BLOCK)).unwrap();
    pair.submit(Request::flush(1)).unwrap();
    reap(&mut *pair);
    assert_eq!(durable(&device, 1), [1], "the trim had not completed when the flush was submitted");
    flush(&mut *pair);
    assert_eq!(durable(&device, 1), [0]);
}

#[test]
fn long_trim_takes_only_what_was_written_in_it() {
    let device = MemoryDevice::new(1 << 60, 4096);
    let mut pair = pair(&device, 1);
    let (start, len) = (1 << 40, 0x7FFF_F000);
    for offset in [start - 4096, start, start + (1 << 20), start + u64::from(len) - 4096, start + (1 << 31)] {
        perform_at(&mut *pair, offset);
    }
    flush(&mut *pair);
    let before = device.memory_bytes();
    pair.submit(Request::trim(0, start, len)).unwrap();
    assert_eq!(reap(&mut *pair)[0].result, len as i32);
    assert_eq!(device.memory_bytes(), before);
    let unsynced: Vec<_> = device.unsynced().iter().map(|write| (write.offset, write.data.len())).collect();
    let stretches = [start, start + (1 << 20), start + u64::from(len) - 4096];
    assert_eq!(unsynced, stretches.map(|offset| (offset, 4096)));
    for (offset, byte) in
        [(start - 4096, 9), (start, 0), (start + u64::from(len) - 4096, 0), (start + (1 << 31), 9)]
    {
        assert_eq!(device.contents(offset, 4096), [byte; 4096]);
    }
    assert!(pair.submit(Request::trim(0, (1 << 60) - 4096, 8192)).is_err());
}

#[test]
fn flush_of_one_queue_pair_covers_the_writes_of_all() {
    let device = MemoryDevice::new(1 << 20, BLOCK);
    let (mut one, mut other) = (pair(&device, 1), pair(&device, 1));
    write(&mut *one, 0, 1, 1);
    flush(&mut *other);
    assert_eq!(durable(&device, 1), [1]);
}

#[test]
fn durable_write_is_durable_alone_and_older_versions_do_not_come_back() {
    let device = MemoryDevice::new(1 << 20, BLOCK);
    let mut pair = pair(&device, 1);
    write(&mut *pair, 0, 3, 1);
    write_durable(&mut *pair, 1, 1, 2);
    assert_eq!((seen(&device, 3), durable(&device, 3)), (vec![1, 2, 1], vec![0, 2, 0]));
    assert_eq!(seen(&device.crash(|_| Survival::Whole), 3), [1, 2, 1]);
    flush(&mut *pair);
    assert_eq!(durable(&device, 3), [1, 2, 1], "a flush must not bring the older write back either");
    // Covered whole by durable writes, a write is no longer at stake.
    write(&mut *pair, 0, 2, 3);
    write_durable(&mut *pair, 0, 1, 4);
    assert_eq!(device.unsynced().len(), 1);
    write_durable(&mut *pair, 1, 1, 5);
    assert!(device.unsynced().is_empty());
}

#[test]
fn write_after_a_crash_is_newer_than_what_the_crash_left() {
    let device = MemoryDevice::new(1 << 20, BLOCK);
    let mut before = pair(&device, 1);
    (1..10).for_each(|stamp| write(&mut *before, 0, 1, stamp));
    let device = device.crash(|_| Survival::Whole);
    let mut after = pair(&device, 1);
    write(&mut *after, 0, 1, 10);
    flush(&mut *after);
    assert_eq!((seen(&device, 1), durable(&device, 1)), (vec![10], vec![10]));
}

#[test]
fn crashed_device_is_one_of_its_own() {
    let device = MemoryDevice::new(1 << 20, BLOCK);
    let left = device.crash_to_durable();
    write_durable(&mut *pair(&left, 1), 0, 1, 1);
    write_durable(&mut *pair(&device.clone(), 1), 1, 1, 2);
    assert_eq!((seen(&left, 2), seen(&device, 2)), (vec![1, 0], vec![0, 2]));
}

#[test]
fn block_may_hold_any_of_its_unsynced_versions_after_a_crash() {
    let device = MemoryDevice::new(1 << 20, BLOCK);
    let mut pair = pair(&device, 1);
    write(&mut *pair, 0, 1, 1);
    flush(&mut *pair);
    (2..5).for_each(|stamp| write(&mut *pair, 0, 1, stamp));
    for tearing in [Tearing::Never, Tearing::Sector512, Tearing::Sector4096] {
        assert_eq!(crashes(&device, 1, tearing), [[1], [2], [3], [4]]);
        assert_eq!(device.every_crash(tearing).size_hint(), (0, Some(4)));
    }
}

#[test]
fn write_is_torn_as_asked_and_only_so() {
    let device = MemoryDevice::new(1 << 20, BLOCK);
    let mut pair = pair(&device, 1);
    // Two sectors on either side of byte 4096.
    write(&mut *pair, 6, 4, 1);
    let left = |tearing| {
        let all = crashes(&device, 10, tearing);
        all.into_iter().map(|stamps| stamps[6..].to_vec()).collect::<Vec<_>>()
    };
    assert_eq!(left(Tearing::Never), [[0, 0, 0, 0], [1, 1, 1, 1]]);
    assert_eq!(left(Tearing::Sector4096), [[0, 0, 0, 0], [0, 0, 1, 1], [1, 1, 0, 0], [1, 1, 1, 1]]);
    assert_eq!(left(Tearing::Sector512).len(), 16);
}

#[test]
fn crashes_at_random_find_every_possible_one() {
    let device = MemoryDevice::new(1 << 20, BLOCK);
    let mut pair = pair(&device, 1);
    write(&mut *pair, 0, 3, 1);
    write(&mut *pair, 1, 1, 2);
    for tearing in [Tearing::Never, Tearing::Sector512] {
        let random: HashSet<_> =
            (0..500).map(|seed| seen(&device.crash_at_random(tearing, seed), 3)).collect();
        assert_eq!(random, crashes(&device, 3, tearing).into_iter().collect());
        assert_eq!(
            seen(&device.crash_at_random(tearing, 7), 3),
            seen(&device.crash_at_random(tearing, 7), 3)
        );
    }
}

#[test]
fn only_what_was_written_takes_memory() {
    let device = MemoryDevice::new(1 << 60, 4096);
    let mut pair = pair(&device, 1);
    for block in [0, 1 << 20, (1 << 48) - 1] {
        perform_at(&mut *pair, block * 4096);
    }
    assert_eq!(device.memory_bytes(), 3 * 4096);
    assert_eq!(device.contents((1 << 60) - 4096, 4096), [9; 4096]);
    flush(&mut *pair);
    assert_eq!(device.memory_bytes(), 6 * 4096);
    assert_eq!(device.contents(1 << 50, 4096), [0; 4096]);
}

fn perform_at(pair: &mut dyn QueuePair, offset: u64) {
    pair.buffer(0).fill(9);
    pair.submit(Request::write(0, offset, 4096)).unwrap();
    assert_eq!(reap(pair)[0].result, 4096);
}

#[test]
fn threads_write_to_one_device() {
    let device = MemoryDevice::new(1 << 20, BLOCK);
    std::thread::scope(|scope| {
        for thread in 0..4u32 {
            let mut pair = pair(&device, 1);
            scope.spawn(move || {
                for round in 0..200 {
                    write(&mut *pair, u64::from(thread), 1, thread + 1);
                    write(&mut *pair, 10, 8, 4 * round + thread + 1);
                    flush(&mut *pair);
                }
            });
        }
    });
    assert_eq!(seen(&device, 4), [1, 2, 3, 4]);
    let shared = &seen(&device, 18)[10..];
    assert!(shared.iter().all(|stamp| *stamp == shared[0] && *stamp > 0), "a write is whole: {shared:?}");
    assert!(device.unsynced().is_empty());
    assert_eq!(seen(&device, 18), durable(&device, 18));
}

#[test]
fn requests_and_shapes_are_checked_as_on_every_device() {
    let device = MemoryDevice::new(1 << 20, 4096);
    assert!(device.queue_pair(QueueShape::new(1, 512)).is_err());
    assert!(device.queue_pair(QueueShape::new(0, 4096)).is_err());
    let mut pair = pair(&device, 1);
    for (offset, len) in [(512, 4096), (0, 512), (1 << 20, 4096), (0, 1 << 20)] {
        assert!(pair.submit(Request::read(0, offset, len)).is_err());
    }
    pair.submit(Request::read(0, 0, 4096)).unwrap();
    assert!(pair.submit(Request::read(0, 0, 4096)).is_err());
}

#[test]
#[should_panic(expected = "a capacity of 1000 bytes: not a multiple of the block")]
fn capacity_is_whole_blocks() {
    let _ = MemoryDevice::new(1000, 512);
}

// ----------------------------------------------------------------------------------------------------- by a
// model

/// Blocks of the model's device: some on either side of a boundary of 4096 bytes.
const BLOCKS: usize = 12;

/// A step of one of two threads.
#[derive(Debug, Clone)]
enum Step {
    Write { block: usize, blocks: usize, durable: bool },
    Flush,
    Reap,
}

fn steps(most: usize) -> impl Strategy<Value = Vec<(bool, Step)>> {
    let write = (0..BLOCKS, 1..=4usize, prop::bool::weighted(0.15)).prop_map(|(block, blocks, durable)| {
        Step::Write { block, blocks: blocks.min(BLOCKS - block), durable }
    });
    let step = prop_oneof![6 => write, 1 => Just(Step::Flush), 3 => Just(Step::Reap)];
    prop::collection::vec((any::<bool>(), step), 0..most)
}

/// A write of the model; its number from 1 is its stamp.
struct Written {
    blocks: std::ops::Range<usize>,
    /// Its place in the order of completion, from 1; 0 before.
    completed: usize,
}

/// The model: for each block the versions it ever had, and which of them is durable.
struct Model {
    writes: Vec<Written>,
    completed: usize,
    versions: Vec<Vec<u32>>,
    durable: Vec<usize>,
}

impl Model {
    fn complete(&mut self, stamp: u32, durable: bool) {
        self.completed += 1;
        let write = &mut self.writes[stamp as usize - 1];
        write.completed = self.completed;
        for block in write.blocks.clone() {
            self.versions[block].push(stamp);
            if durable {
                self.durable[block] = self.versions[block].len() - 1;
            }
        }
    }

    /// A flush that was submitted after so many writes had completed.
    fn flush(&mut self, covers: usize) {
        for (versions, durable) in self.versions.iter().zip(&mut self.durable) {
            let covered = |stamp: &u32| *stamp == 0 || self.writes[*stamp as usize - 1].completed <= covers;
            *durable = (*durable).max(versions.iter().rposition(covered).unwrap());
        }
    }

    fn seen(&self) -> Vec<u32> {
        self.versions.iter().map(|versions| *versions.last().unwrap()).collect()
    }

    fn durable(&self) -> Vec<u32> {
        self.versions.iter().zip(&self.durable).map(|(versions, durable)| versions[*durable]).collect()
    }

    /// What a power cut may leave of each block.
    fn possible(&self, block: usize) -> &[u32] {
        &self.versions[block][self.durable[block]..]
    }

    fn order(&self, stamp: u32) -> usize {
        if stamp == 0 { 0 } else { self.writes[stamp as usize - 1].completed }
    }

    /// Whether a power cut that keeps the blocks of a write together where `together` says so may leave this.
    fn allows(&self, left: &[u32], together: impl Fn(usize, usize) -> bool) -> bool {
        let at_stake = |block: usize, stamp| self.possible(block)[1..].contains(&stamp);
        (0..BLOCKS).all(|block| {
            let stamp = left[block];
            let among = self.possible(block).contains(&stamp);
            // Where a block shows a write, the others that go with it show it or a later one.
            let whole = !at_stake(block, stamp)
                || self.writes[stamp as usize - 1]
                    .blocks
                    .clone()
                    .all(|other| !together(block, other) || self.order(left[other]) >= self.order(stamp));
            among && whole
        })
    }

    /// All that a power cut may leave where blocks are lost one by one.
    fn every(&self) -> Option<HashSet<Vec<u32>>> {
        let choices: usize = (0..BLOCKS).map(|block| self.possible(block).len()).product();
        if choices > 5000 {
            return None;
        }
        let mut all = HashSet::from([Vec::new()]);
        for block in 0..BLOCKS {
            let longer = |left: &Vec<u32>| {
                let left = left.clone();
                self.possible(block).iter().map(move |stamp| [&left[..], &[*stamp]].concat())
            };
            all = all.iter().flat_map(longer).collect();
        }
        Some(all)
    }
}

/// Two queue pairs on a device, and the model of it.
struct Session {
    device: MemoryDevice,
    model: Model,
    pairs: [Box<dyn QueuePair>; 2],
    /// What is in flight on each, in order: a write's stamp and whether it is durable, or what a flush
    /// covers.
    flying: [Vec<Result<(u32, bool), usize>>; 2],
}

impl Session {
    const DEPTH: u32 = 4;

    fn run(steps: &[(bool, Step)]) -> (MemoryDevice, Model) {
        let device = MemoryDevice::new((BLOCKS * 512) as u64, BLOCK);
        let model = Model {
            writes: Vec::new(),
            completed: 0,
            versions: vec![vec![0]; BLOCKS],
            durable: vec![0; BLOCKS],
        };
        let pairs = [pair(&device, Self::DEPTH), pair(&device, Self::DEPTH)];
        let mut session = Session { device, model, pairs, flying: Default::default() };
        for (which, step) in steps {
            session.step(usize::from(*which), step);
        }
        session.reap(0);
        session.reap(1);
        (session.device, session.model)
    }

    fn step(&mut self, which: usize, step: &Step) {
        let slot = self.flying[which].len() as u32;
        if slot == Self::DEPTH || matches!(step, Step::Reap) {
            return self.reap(which);
        }
        match *step {
            Step::Write { block, blocks, durable } => {
                self.model.writes.push(Written { blocks: block..block + blocks, completed: 0 });
                let stamp = self.model.writes.len() as u32;
                let pair = &mut *self.pairs[which];
                submit_write(pair, slot, block as u64, blocks as u32, stamp, durable);
                self.flying[which].push(Ok((stamp, durable)));
            }
            Step::Flush => {
                self.pairs[which].submit(Request::flush(slot)).unwrap();
                self.flying[which].push(Err(self.model.completed));
            }
            Step::Reap => {}
        }
    }

    fn reap(&mut self, which: usize) {
        let flying = std::mem::take(&mut self.flying[which]);
        let done = reap(&mut *self.pairs[which]);
        assert!(done.iter().map(|done| done.slot).eq(0..flying.len() as u32), "in the order of submission");
        for request in flying {
            match request {
                Ok((stamp, durable)) => self.model.complete(stamp, durable),
                Err(covers) => self.model.flush(covers),
            }
        }
        assert_eq!(seen(&self.device, BLOCKS), self.model.seen());
        assert_eq!(durable(&self.device, BLOCKS), self.model.durable());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn device_is_what_the_model_says_and_crashes_to_what_it_allows(steps in steps(80), seed: u64) {
        let (device, model) = Session::run(&steps);
        for seed in (0..10).map(|i| seed.wrapping_add(i)) {
            let left = |tearing| seen(&device.crash_at_random(tearing, seed), BLOCKS);
            prop_assert!(model.allows(&left(Tearing::Never), |_, _| true));
            prop_assert!(model.allows(&left(Tearing::Sector512), |a, b| a == b));
            prop_assert!(model.allows(&left(Tearing::Sector4096), |a, b| a / 8 == b / 8));
        }
        let (mut pair, mut buffer) = (pair(&device, 1), Vec::new());
        pair.submit(Request::read(0, 0, BLOCKS as u32 * BLOCK)).unwrap();
        reap(&mut *pair);
        buffer.extend_from_slice(&pair.buffer(0)[..BLOCKS * 512]);
        prop_assert_eq!(stamps(&buffer), model.seen());
    }

    #[test]
    fn every_crash_is_all_that_the_model_allows_and_each_once(steps in steps(14)) {
        let (device, model) = Session::run(&steps);
        let Some(possible) = model.every() else { return Ok(()) };
        let by_sector = crashes(&device, BLOCKS, Tearing::Sector512);
        prop_assert_eq!(by_sector.len(), possible.len());
        prop_assert_eq!(device.every_crash(Tearing::Sector512).size_hint().1, Some(possible.len()));
        prop_assert_eq!(&by_sector.into_iter().collect::<HashSet<_>>(), &possible);
        for (tearing, of) in [(Tearing::Never, BLOCKS), (Tearing::Sector4096, 8)] {
            let allowed: HashSet<Vec<u32>> =
                possible.iter().filter(|left| model.allows(left, |a, b| a / of == b / of)).cloned().collect();
            let given = crashes(&device, BLOCKS, tearing);
            prop_assert_eq!(given.len(), allowed.len());
            prop_assert_eq!(given.into_iter().collect::<HashSet<_>>(), allowed);
        }
    }
}
