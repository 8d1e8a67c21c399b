//! Caches of objects with sizes: as a plain list of objects has it, for each policy that can.

use std::sync::atomic::AtomicBool;

use leadline_pool::ace::{Ace, Cleaner};
use leadline_pool::policy::PolicyKind;
use leadline_pool::simulate::{Config, ObjectOutcome, Outcome, SimulateError, simulate};
use leadline_trace::{Request, Trace, TraceError, Unit};

/// Object, bytes, whether it writes.
type Step = (u64, u32, bool);

struct Given {
    steps: Vec<Step>,
    next: usize,
}

impl Trace for Given {
    fn unit(&self) -> Unit {
        Unit::Page
    }

    fn next(&mut self) -> Result<Option<Request>, TraceError> {
        let Some(&(address, _, write)) = self.steps.get(self.next) else { return Ok(None) };
        self.next += 1;
        Ok(Some(Request { at_ns: 0, volume: 0, write, address, length: 1 }))
    }

    fn object_bytes(&self) -> Option<u32> {
        Some(self.next.checked_sub(1).map_or(0, |at| self.steps[at].1))
    }
}

fn run(steps: &[Step], config: &Config) -> Outcome {
    let mut trace = Given { steps: steps.to_vec(), next: 0 };
    simulate(&mut trace, config, None, &AtomicBool::new(false)).unwrap()
}

fn of_bytes(policy: PolicyKind, bytes: u64) -> Config {
    Config::new(4096, 1).policy(policy).cache_bytes(Some(bytes))
}

fn objects(outcome: &Outcome) -> &ObjectOutcome {
    outcome.objects.as_ref().unwrap()
}

/// Skewed, each object of a size of its own from 1 to 500 bytes; a fifth writes, and changes the size.
fn steps(seed: u64) -> Vec<Step> {
    let mut random = fastrand::Rng::with_seed(seed);
    let step = |_| {
        let objects = 2 << random.u32(..12);
        let object = random.u64(..objects);
        let write = random.u32(..5) == 0;
        let bytes = if write { random.u32(1..500) } else { (object * 7919 % 500) as u32 + 1 };
        (object, bytes, write)
    };
    (0..20_000).map(step).collect()
}

/// The objects of a cache, the one that goes next first: its number, bytes, and whether it was used since it
/// came in or the hand came by.
#[derive(Default)]
struct Plain {
    held: Vec<(u64, u32, bool)>,
    hand: usize,
}

impl Plain {
    /// Which goes next.
    fn victim(&mut self, policy: PolicyKind) -> usize {
        match policy {
            PolicyKind::Lru | PolicyKind::Fifo => 0,
            PolicyKind::Clock => {
                while self.held[0].2 {
                    let (object, bytes, _) = self.held.remove(0);
                    self.held.push((object, bytes, false));
                }
                0
            }
            PolicyKind::Sieve => {
                while self.held[self.hand].2 {
                    self.held[self.hand].2 = false;
                    self.hand = (self.hand + 1) % self.held.len();
                }
                self.hand
            }
            other => panic!("{other:?} is not in this test"),
        }
    }
}

/// Misses and missed bytes.
fn plain(policy: PolicyKind, steps: &[Step], capacity: u64) -> (u64, u64) {
    let mut cache = Plain::default();
    let (mut misses, mut missed) = (0, 0);
    for &(object, bytes, write) in steps {
        let used = |cache: &Plain| cache.held.iter().map(|held| u64::from(held.1)).sum::<u64>();
        let make_room = |cache: &mut Plain, room: u64| {
            while used(cache) + room > capacity {
                let victim = cache.victim(policy);
                cache.held.remove(victim);
                // Behind the newest the hand goes on with the oldest.
                cache.hand = if cache.hand >= cache.held.len() { 0 } else { cache.hand };
            }
        };
        match cache.held.iter().position(|held| held.0 == object) {
            Some(at) => {
                cache.held[at].2 = true;
                if write {
                    cache.held[at].1 = bytes;
                }
                if policy == PolicyKind::Lru {
                    let held = cache.held.remove(at);
                    cache.held.push(held);
                }
                make_room(&mut cache, 0);
            }
            None => {
                (misses, missed) = (misses + 1, missed + u64::from(bytes));
                make_room(&mut cache, bytes.into());
                cache.held.push((object, bytes, false));
            }
        }
    }
    (misses, missed)
}

#[test]
fn a_cache_of_bytes_is_a_plain_list_of_objects() {
    for policy in [PolicyKind::Lru, PolicyKind::Fifo, PolicyKind::Clock, PolicyKind::Sieve] {
        for capacity in [600, 10_000, 100_000] {
            let steps = steps(capacity);
            let outcome = run(&steps, &of_bytes(policy, capacity));
            let found = (outcome.misses, objects(&outcome).missed_bytes);
            assert_eq!(found, plain(policy, &steps, capacity), "{policy:?} {capacity}");
            assert!(outcome.writes > 0 && u64::from(outcome.frames) <= capacity);
        }
    }
}

#[test]
fn with_objects_of_one_size_bytes_are_frames() {
    let steps: Vec<Step> = steps(1).into_iter().map(|(object, _, write)| (object, 100, write)).collect();
    for policy in PolicyKind::growing() {
        for frames in [1, 30, 1500] {
            let of_frames = run(&steps, &Config::new(4096, frames).policy(policy));
            let of_bytes = run(&steps, &of_bytes(policy, u64::from(frames) * 100));
            assert_eq!(of_bytes.misses, of_frames.misses, "{policy:?} {frames}");
            assert_eq!(of_bytes.writes, of_frames.writes, "{policy:?} {frames}");
            let [bytes, frames] = [&of_bytes, &of_frames].map(objects);
            assert_eq!(bytes.byte_miss_ratio, frames.byte_miss_ratio);
            assert_eq!(bytes.byte_miss_ratio, bytes.miss_ratio);
        }
    }
}

#[test]
fn every_policy_tells_bytes_beside_objects() {
    // The large object misses once, the small ones each time.
    let steps: Vec<Step> = (0..90u64).flat_map(|i| [(i + 10, 1, false), (0, 900, false)]).collect();
    for &policy in PolicyKind::ALL {
        let outcome = run(&steps, &Config::new(4096, 8).policy(policy));
        let sizes = objects(&outcome);
        assert_eq!(sizes.requested_bytes, 90 * 901, "{policy:?}");
        assert_eq!(sizes.miss_ratio, outcome.misses as f64 / 180.0);
        assert_eq!(sizes.missed_bytes, (outcome.misses - 90) * 900 + 90, "{policy:?}");
    }
}

#[test]
fn what_is_larger_than_the_cache_never_comes_in() {
    let steps =
        [(1, 10, false), (2, 200, false), (1, 10, false), (1, 300, true), (1, 10, false), (1, 10, false)];
    let outcome = run(&steps, &of_bytes(PolicyKind::Lru, 100));
    // The write of 300 bytes goes past the cache, and what was there is no longer true.
    assert_eq!((outcome.misses, objects(&outcome).too_large, outcome.writes), (3, 2, 1));
}

#[test]
fn what_a_cache_of_bytes_cannot_be_is_said() {
    let config = of_bytes(PolicyKind::Lru, 100);
    for (config, said) in [
        (config.clone().policy(PolicyKind::Arc), "choose from lru, clock, clock-sweep, fifo, sieve"),
        (config.clone().ace(Ace::Cow), "with ACE and cleaner off"),
        (config.clone().clients(2), "one client"),
        (config.clone().cleaner(Cleaner::Auto), "cleaner off"),
    ] {
        let error = config.check().unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
    let mut pages = leadline_trace::open("gen:uniform?ops=10").unwrap();
    let error = simulate(&mut pages, &config, None, &AtomicBool::new(false)).unwrap_err();
    assert!(matches!(error, SimulateError::NoSizes), "{error}");
}
