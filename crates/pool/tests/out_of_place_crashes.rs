//! Power cuts at every write and every flush of a pool that writes out of place and is nearly full, while it
//! cleans: by default no page is older than its last durable version; with atomic checkpoints all pages are
//! exactly as at the last complete checkpoint.

use std::sync::Arc;

use leadline_device::{Fault, Faulty, MemoryDevice, Op, Tearing};
use leadline_pool::ace::Ace;
use leadline_pool::{OutOfPlace, Pool, PoolConfig, PoolError};

const PAGE: u64 = 4096;

/// A pool and its device.
#[derive(Clone, Copy)]
struct Case {
    atomic: bool,
    pages: u64,
    segment_pages: u64,
    segments: u64,
}

impl Case {
    /// 16 segments, full to 93 %; 28 where checkpoints are atomic, as places are kept between them.
    fn small(atomic: bool) -> Case {
        Case { atomic, pages: 80, segment_pages: 8, segments: if atomic { 28 } else { 16 } }
    }

    /// Many small segments, of which several are cleaned for one flush.
    fn many_segments(atomic: bool) -> Case {
        let pages = if atomic { 260 } else { 330 };
        Case { atomic, pages, segment_pages: 4, segments: 100 }
    }

    fn config(&self) -> PoolConfig {
        let options = OutOfPlace::default().segment_bytes((self.segment_pages * PAGE) as u32);
        let options = options.atomic_checkpoints(self.atomic).spare(0.02);
        PoolConfig::new(PAGE as u32, 6).ace(Ace::CowX).n(3).out_of_place(options)
    }

    fn device(&self) -> MemoryDevice {
        MemoryDevice::new((40 + self.segments * self.segment_pages) * PAGE, 512)
    }
}

/// What must be found after a crash.
#[derive(Clone)]
struct Model {
    case: Case,
    /// Of each page, what it may hold: from its last durable contents on. 0 is zeros.
    may: Vec<Vec<u64>>,
    /// All pages at the last complete checkpoint, and as they would be after those since that failed.
    states: Vec<Vec<u64>>,
    versions: u64,
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Write(u64),
    Create(u64),
    Discard(u64),
    Read(u64),
    Flush(u64),
    Checkpoint,
}

impl Model {
    fn new(case: Case) -> Model {
        let zeros = vec![0; case.pages as usize];
        Model { case, may: vec![vec![0]; case.pages as usize], states: vec![zeros], versions: 0 }
    }

    fn last(&self) -> Vec<u64> {
        self.may.iter().map(|may| may[may.len() - 1]).collect()
    }

    fn change(&mut self, page: u64) -> u64 {
        self.versions += 1;
        let word = self.versions << 16 | page;
        self.may[page as usize].push(word);
        word
    }

    fn step(&mut self, pool: &Pool, step: Step) -> Result<(), PoolError> {
        match step {
            Step::Write(page) | Step::Create(page) => {
                let mut guard =
                    if matches!(step, Step::Write(_)) { pool.write(page)? } else { pool.create(page)? };
                let word = self.change(page).to_le_bytes();
                guard.chunks_exact_mut(8).for_each(|chunk| chunk.copy_from_slice(&word));
            }
            Step::Discard(page) => {
                assert!(pool.discard(page)?);
                self.may[page as usize].push(0);
            }
            Step::Read(page) => {
                let found = word(&pool.read(page)?);
                assert_eq!(found, self.last()[page as usize], "page {page} while the pool is open");
            }
            Step::Flush(page) => {
                pool.flush(page)?;
                // A discard is durable with the next checkpoint only.
                let last = self.last()[page as usize];
                if last != 0 {
                    self.may[page as usize] = vec![last];
                }
            }
            Step::Checkpoint => {
                // One that failed may be on the device all the same, until another is complete.
                self.states.push(self.last());
                pool.checkpoint()?;
                self.states = vec![self.last()];
                self.may.iter_mut().for_each(|may| *may = vec![may[may.len() - 1]]);
            }
        }
        Ok(())
    }

    /// What is wrong with a device; the model of what is on it otherwise.
    fn check(&self, device: MemoryDevice) -> Result<Model, String> {
        let pool = Pool::open(Arc::new(device), self.case.config()).map_err(|error| error.to_string())?;
        let read = |page| pool.read(page).map(|found| word(&found)).map_err(|error| error.to_string());
        let found = (0..self.case.pages).map(read).collect::<Result<Vec<u64>, _>>()?;
        if self.case.atomic {
            if !self.states.contains(&found) {
                let differs = (0..found.len()).find(|page| found[*page] != self.states[0][*page]);
                return Err(format!("no checkpoint was like that; page {differs:?} differs from the last"));
            }
        } else {
            for (page, (found, may)) in found.iter().zip(&self.may).enumerate() {
                if !may.contains(found) {
                    return Err(format!("page {page} is {found:#x}, and may be one of {may:#x?}"));
                }
            }
        }
        let may = found.iter().map(|word| vec![*word]).collect();
        Ok(Model { may, states: vec![found], ..self.clone() })
    }
}

/// The word that a page is full of.
fn word(bytes: &[u8]) -> u64 {
    let mut words = bytes.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap()));
    let first = words.next().unwrap();
    assert!(words.all(|word| word == first), "a page is a mixture");
    first
}

fn steps(pages: u64, seed: u64, count: usize, fill: bool) -> Vec<Step> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut steps: Vec<Step> = if fill { (0..pages).map(Step::Write).collect() } else { Vec::new() };
    while steps.len() < count {
        let page = if random.bool() { random.u64(..pages) } else { random.u64(..pages / 8) };
        steps.push(match random.u32(..40) {
            0 => Step::Checkpoint,
            1 => Step::Flush(page),
            2 => Step::Discard(page),
            3 => Step::Create(page),
            4..12 => Step::Read(page),
            _ => Step::Write(page),
        });
        if steps.len().is_multiple_of(60) {
            steps.push(Step::Checkpoint);
        }
    }
    steps
}

/// Does the steps until the power fails; whether it did.
fn live(device: &MemoryDevice, cut: Fault, steps: &[Step], model: &mut Model) -> bool {
    let device = Arc::new(Faulty::new(device.clone(), [cut]));
    let is_off = || device.strikes()[0] > 0;
    let pool = match Pool::open(Arc::clone(&device) as _, model.case.config()) {
        Ok(pool) => pool,
        Err(error) => {
            assert!(is_off(), "not opened: {error}");
            return true;
        }
    };
    for step in steps {
        let done = model.step(&pool, *step);
        if is_off() {
            return true;
        }
        done.unwrap_or_else(|error| panic!("{step:?}: {error}"));
    }
    assert!(pool.stats().moves > 0 || steps.len() < 200, "nothing was cleaned: the test shows little");
    false
}

fn cuts(op: Op, every: u64) -> impl Iterator<Item = Fault> {
    (0..).map(move |i| Fault::power_cut().on(op).nth(i * every))
}

fn every_cut(case: Case, every: u64) {
    let mut tried = 0;
    let count = 320 + case.pages as usize;
    let (every, flushes) = if leadline_testing::exhaustive() { (1, 1) } else { (every, every.div_ceil(5)) };
    for (op, every) in [(Op::Write, every), (Op::Flush, flushes)] {
        for (number, cut) in cuts(op, every).enumerate() {
            let (memory, mut model) = (case.device(), Model::new(case));
            let was_cut = live(&memory, cut, &steps(case.pages, 1, count, true), &mut model);
            for seed in 0..4 {
                tried += 1;
                let what = format!("cut {number} at {op:?}, state {seed}");
                let left = memory.crash_at_random(Tearing::Sector512, seed);
                // A second cut soon after the pool was opened again.
                let mut again = model.check(left.clone()).unwrap_or_else(|wrong| panic!("{what}: {wrong}"));
                let second = Fault::power_cut().on(Op::Write).nth(seed * 2);
                if live(&left, second, &steps(case.pages, seed, 20, false), &mut again) {
                    let left = left.crash_at_random(Tearing::Sector512, seed + 10);
                    again.check(left).unwrap_or_else(|wrong| panic!("{what}, cut again: {wrong}"));
                    continue;
                }
                // And a life after it.
                let mut later = again.check(left.clone()).unwrap_or_else(|wrong| panic!("{what}: {wrong}"));
                let cut = Fault::power_cut().on(Op::Write).nth(35);
                live(&left, cut, &steps(case.pages, number as u64, 150, false), &mut later);
                let left = left.crash_at_random(Tearing::Sector512, number as u64);
                later.check(left).unwrap_or_else(|wrong| panic!("{what}, later: {wrong}"));
            }
            if !was_cut {
                break;
            }
        }
    }
    println!("power cuts tried: {tried}");
    assert!(tried > 100);
}

#[test]
fn no_power_cut_loses_a_durable_page() {
    every_cut(Case::small(false), 5);
}

#[test]
fn every_power_cut_leaves_the_last_atomic_checkpoint() {
    every_cut(Case::small(true), 5);
}

#[test]
fn no_power_cut_loses_a_durable_page_with_many_segments() {
    every_cut(Case::many_segments(false), 13);
}

#[test]
fn every_power_cut_leaves_the_last_atomic_checkpoint_with_many_segments() {
    every_cut(Case::many_segments(true), 13);
}

#[test]
fn requests_that_fail_lose_nothing_either() {
    for atomic in [false, true] {
        for seed in 0..30 {
            let case = Case::small(atomic);
            let (memory, mut model) = (case.device(), Model::new(case));
            let faults = [
                Fault::eio().on(Op::Write).chance(0.02).seed(seed),
                Fault::short().on(Op::Write).chance(0.01).seed(seed),
                Fault::errno_though_done(5).on(Op::Write).chance(0.02).seed(seed + 100),
                Fault::eio().on(Op::Flush).chance(0.05).seed(seed),
                Fault::eio().on(Op::Read).chance(0.05).seed(seed),
                Fault::short().on(Op::Read).chance(0.05).seed(seed),
            ];
            drop(Pool::open(Arc::new(memory.clone()), case.config()).unwrap());
            let faulty = Arc::new(Faulty::new(memory.clone(), faults));
            let pool = Pool::open(faulty, case.config());
            if let Err(PoolError::Superblock { .. }) = pool {
                continue;
            }
            let pool = pool.unwrap();
            for step in steps(case.pages, seed, 300, true) {
                match model.step(&pool, step) {
                    // A flush failed and a page had left: from now on the pool says so, and promises nothing.
                    Err(PoolError::NotDurable { .. }) => break,
                    Err(PoolError::Full { .. }) => break,
                    _ => {}
                }
            }
            drop(pool);
            let left = memory.crash_at_random(Tearing::Sector512, seed);
            model.check(left).unwrap_or_else(|wrong| panic!("atomic {atomic}, seed {seed}: {wrong}"));
        }
    }
}
