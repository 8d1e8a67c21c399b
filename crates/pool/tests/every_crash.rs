//! Power cuts at every moment of a pool whose pages are changed again in each batch, with every subset of the
//! writes that no flush covers, whole and torn: the double-write area keeps all that was made durable.
//!
//! A power cut loses writes since the last flush that completed. So it is enough to cut the power at each
//! flush: the subsets of the writes before it include those of every earlier moment.

use std::sync::Arc;

use leadline_device::{Fault, Faulty, MemoryDevice, Op, Tearing};
use leadline_pool::ace::Ace;
use leadline_pool::{Pool, PoolConfig, PoolError};

/// Pages that the steps below use.
const PAGES: u64 = 8;

/// What a user of the pool does.
#[derive(Debug, Clone, Copy)]
enum Step {
    Change(u64),
    Read(u64),
    Flush(u64),
    Checkpoint,
}

/// What must be found after a crash: of each page a version from `durable` to `changed`.
#[derive(Debug, Clone)]
struct Promise {
    durable: [u64; PAGES as usize],
    changed: [u64; PAGES as usize],
    versions: u64,
}

impl Promise {
    fn new() -> Promise {
        Promise { durable: [0; PAGES as usize], changed: [0; PAGES as usize], versions: 0 }
    }

    /// Changes a page: a word in all of it that names the version and the page.
    fn change(&mut self, pool: &Pool, page: u64) -> Result<(), PoolError> {
        let mut guard = pool.write(page)?;
        self.versions += 1;
        let word = (self.versions << 16 | page).to_le_bytes();
        guard.chunks_exact_mut(8).for_each(|chunk| chunk.copy_from_slice(&word));
        self.changed[page as usize] = self.versions;
        Ok(())
    }

    fn step(&mut self, pool: &Pool, step: Step) -> Result<(), PoolError> {
        match step {
            Step::Change(page) => self.change(pool, page)?,
            Step::Read(page) => drop(pool.read(page)?),
            Step::Flush(page) => {
                pool.flush(page)?;
                self.durable[page as usize] = self.changed[page as usize];
            }
            Step::Checkpoint => {
                pool.checkpoint()?;
                self.durable = self.changed;
            }
        }
        Ok(())
    }

    /// What is wrong with a page as it was found.
    fn broken_by(&self, page: u64, found: &[u8]) -> Option<String> {
        let mut words = found.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap()));
        let first = words.next().unwrap();
        let (version, of) = (first >> 16, first & 0xFFFF);
        let (durable, changed) = (self.durable[page as usize], self.changed[page as usize]);
        if words.any(|word| word != first) || first != 0 && of != page {
            Some(format!("page {page} is a mixture"))
        } else if version < durable || version > changed {
            Some(format!("page {page} has version {version}; {durable} is durable, {changed} the last"))
        } else {
            None
        }
    }
}

/// A pool with the double-write area on a device of its own, and the states to try at each power cut.
#[derive(Debug, Clone)]
struct Case {
    config: PoolConfig,
    tearing: Tearing,
}

/// States tried at random where a power cut leaves too many to try them all.
const SAMPLE: u64 = 1 << 10;

/// All states of a power cut are tried up to so many.
fn most() -> usize {
    if leadline_testing::exhaustive() { 1 << 14 } else { 1 << 10 }
}

/// Crash points tried, and what was found.
#[derive(Debug, Default)]
struct Tally {
    tried: u64,
    /// Of them, those of power cuts that leave too many states to try them all.
    sampled: u64,
    broken: u64,
    first: Option<String>,
}

impl Case {
    fn new(page_bytes: u32, n: u32, ace: Ace) -> Case {
        let config = PoolConfig::new(page_bytes, n + 1).ace(ace).n(n).double_write(true).reads_ahead(1);
        let tearing = if page_bytes == 4096 { Tearing::Sector512 } else { Tearing::Sector4096 };
        Case { config, tearing }
    }

    fn device(&self) -> MemoryDevice {
        let pages = PAGES + 2 * u64::from(self.config.n + 1);
        MemoryDevice::new(pages * u64::from(self.config.page_bytes), 512)
    }

    /// Does the steps until the power fails, if it does; whether it did. Faults are survived, as a program
    /// that tries again would.
    fn live(&self, device: &MemoryDevice, faults: &[Fault], steps: &[Step], promise: &mut Promise) -> bool {
        let device = Arc::new(Faulty::new(device.clone(), faults));
        let is_off = || device.strikes().last().is_some_and(|cuts| *cuts > 0);
        let Ok(pool) = Pool::open(Arc::clone(&device) as _, self.config.clone()) else {
            assert!(is_off(), "the pool was not opened");
            return true;
        };
        for step in steps {
            let done = promise.step(&pool, *step);
            if is_off() {
                return true;
            }
            assert!(done.is_ok() || faults.len() > 1, "{step:?}: {done:?}");
        }
        false
    }

    /// The device after each power cut that is possible now, or after some of them.
    fn crashes(&self, device: &MemoryDevice, tally: &mut Tally) -> Vec<MemoryDevice> {
        let all = device.every_crash(self.tearing);
        if all.size_hint().1.is_some_and(|states| states <= most()) {
            return all.collect();
        }
        tally.sampled += SAMPLE;
        (0..SAMPLE).map(|seed| device.crash_at_random(self.tearing, seed)).collect()
    }

    /// Opens the pool after each power cut that is possible now and looks at every page.
    fn check(&self, device: &MemoryDevice, promise: &Promise, what: &str, tally: &mut Tally) {
        for (state, left) in self.crashes(device, tally).into_iter().enumerate() {
            tally.tried += 1;
            if let Some(broken) = self.broken(left, promise) {
                tally.broken += 1;
                tally.first.get_or_insert_with(|| format!("{self:?}, {what}, state {state}: {broken}"));
            }
        }
    }

    fn broken(&self, device: MemoryDevice, promise: &Promise) -> Option<String> {
        let pool = match Pool::open(Arc::new(device), self.config.clone()) {
            Ok(pool) => pool,
            Err(error) => return Some(format!("not opened: {error}")),
        };
        (0..PAGES).find_map(|page| match pool.read(page) {
            Ok(found) => promise.broken_by(page, &found),
            Err(error) => Some(error.to_string()),
        })
    }
}

impl Tally {
    fn report(self, what: &str) {
        let Tally { tried, sampled, broken, first } = self;
        println!(
            "{what}: crash points tried {tried} ({sampled} of them at random), lost or corrupt {broken}"
        );
        assert!(tried > 0);
        assert_eq!(broken, 0, "{what}: {}", first.unwrap_or_default());
    }
}

fn cut_at_flush(nth: u64) -> Fault {
    Fault::power_cut().on(Op::Flush).nth(nth)
}

/// Changes the first `hot` pages again and again, some or all, and has them written by checkpoints, flushes
/// and evictions; so the same pages are in consecutive batches, often at other places in them.
fn steps(hot: u64, rounds: u64) -> Vec<Step> {
    let mut steps = Vec::new();
    for round in 0..rounds {
        let all = round % 3 != 1;
        let changed: Vec<u64> = (0..hot).filter(|page| all || (page + round).is_multiple_of(2)).collect();
        steps.extend(changed.iter().map(|page| Step::Change(*page)));
        match round % 4 {
            0 | 3 => steps.push(Step::Checkpoint),
            // The frames are filled with other pages, those changed last first.
            1 => steps.extend((hot..=2 * hot + 1).map(|page| Step::Read(page % PAGES))),
            _ => steps.push(Step::Flush(*changed.last().unwrap_or(&0))),
        }
    }
    steps
}

/// Batches of the last of the first `hot` pages alone and of all of them: so a page has several copies in the
/// area, at different places in its half. Those before a batch of all are evictions, which flush nothing.
fn steps_of_two_sizes(hot: u64) -> Vec<Step> {
    let mut steps = Vec::new();
    for batch in ["one", "one", "evict", "all", "one", "one", "evict", "all", "evict", "all"] {
        let changed = if batch == "all" { 0..hot } else { hot - 1..hot };
        steps.extend(changed.map(Step::Change));
        match batch {
            "evict" => steps.extend((hot..=2 * hot).map(Step::Read)),
            _ => steps.push(Step::Checkpoint),
        }
    }
    steps
}

/// Every variant, with pages and batches small enough to try all states, and larger ones of which some are
/// tried.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for ace in Ace::ALL {
        cases.push(Case::new(8192, 1, ace));
        if leadline_testing::exhaustive() {
            cases.extend([(8192, 2), (4096, 1), (4096, 3)].map(|(bytes, n)| Case::new(bytes, n, ace)));
        }
    }
    let large = if leadline_testing::exhaustive() { (8192, 3) } else { (8192, 2) };
    cases.extend([large, (4096, 1)].map(|(bytes, n)| Case::new(bytes, n, Ace::CowX)));
    // No write is torn: each is there, or not.
    cases.push(Case { tearing: Tearing::Never, ..Case::new(4096, 3, Ace::CowX) });
    cases
}

#[test]
fn no_power_cut_loses_pages_that_are_changed_in_each_batch() {
    let mut tally = Tally::default();
    for case in cases() {
        let n = u64::from(case.config.n);
        for steps in [steps(n, 8), steps(n + 1, 8), steps_of_two_sizes(n)] {
            for cut in 0.. {
                let (device, mut promise) = (case.device(), Promise::new());
                let cut_off = case.live(&device, &[cut_at_flush(cut)], &steps, &mut promise);
                case.check(&device, &promise, &format!("power cut at flush {cut}"), &mut tally);
                if !cut_off {
                    break;
                }
            }
        }
    }
    tally.report("changed in each batch");
}

#[test]
fn a_power_cut_during_the_repair_loses_nothing_either() {
    let mut tally = Tally::default();
    let mut repaired = 0;
    let case = Case::new(8192, 1, Ace::CowX);
    for cut in 0.. {
        let (device, mut promise) = (case.device(), Promise::new());
        let cut_off = case.live(&device, &[cut_at_flush(cut)], &steps(2, 8), &mut promise);
        for left in case.crashes(&device, &mut tally) {
            case.live(&left, &[cut_at_flush(0)], &[], &mut promise);
            repaired += u64::from(!left.unsynced().is_empty());
            case.check(&left, &promise, &format!("power cut at flush {cut}"), &mut tally);
        }
        if !cut_off {
            break;
        }
    }
    assert!(repaired > 0, "no power cut tore anything: the test shows nothing");
    tally.report("second power cut during the repair");
}

#[test]
fn no_power_cut_after_a_restart_loses_what_was_written_before_it() {
    let mut tally = Tally::default();
    let case = Case::new(8192, 1, Ace::CowX);
    // The process ends at each of its writes, and the device keeps its power and what it has not flushed; the
    // next process loses power.
    for end in 0.. {
        let mut ended = false;
        for cut in 0.. {
            let (device, mut promise) = (case.device(), Promise::new());
            let end_there = [Fault::power_cut().on(Op::Write).nth(end)];
            ended = case.live(&device, &end_there, &steps(2, 7), &mut promise);
            let cut_off = case.live(&device, &[cut_at_flush(cut)], &steps(2, 4), &mut promise);
            let what = format!("end at write {end}, power cut at flush {cut} after it");
            case.check(&device, &promise, &what, &mut tally);
            if !cut_off {
                break;
            }
        }
        if !ended {
            break;
        }
    }
    tally.report("power cut after a restart");
}

#[test]
fn no_power_cut_after_a_failed_request_loses_what_was_written_before_it() {
    let mut tally = Tally::default();
    let mut struck = 0;
    let case = Case::new(8192, 1, Ace::CowX);
    let failures = [
        ("a write fails", Fault::eio().on(Op::Write)),
        ("a write moves half of it", Fault::short().on(Op::Write)),
        ("a flush fails", Fault::eio().on(Op::Flush)),
    ];
    for (failure, fault) in failures {
        for nth in 0..if leadline_testing::exhaustive() { 40 } else { 12 } {
            for cut in 0.. {
                let (device, mut promise) = (case.device(), Promise::new());
                let faults = [fault.nth(nth), cut_at_flush(cut)];
                let cut_off = case.live(&device, &faults, &steps(2, 6), &mut promise);
                let what = format!("{failure}, the {nth}th, power cut at flush {cut}");
                case.check(&device, &promise, &what, &mut tally);
                struck += 1;
                if !cut_off {
                    break;
                }
            }
        }
    }
    assert!(struck > 100);
    tally.report("power cut after a failed request");
}
