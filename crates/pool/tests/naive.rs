//! The pool of the published experiments, said plainly, and [`simulate`] beside it: the same misses and
//! writes after every step.
//!
//! One client, no device. A page that misses evicts the victim; a dirty victim is written first, alone or
//! with others (COW, COW-X; Papon and Athanassoulis, ICDE 2023). No index, no walk, no care for speed.

use std::sync::atomic::AtomicBool;

use leadline_pool::ace::Ace;
use leadline_pool::policy::PolicyKind;
use leadline_pool::simulate::{Config, simulate};
use leadline_trace::{Access, Pages, Request, Trace, TraceError, Unit};
use proptest::prelude::*;

const POLICIES: [PolicyKind; 3] = [PolicyKind::Lru, PolicyKind::Cflru, PolicyKind::LruWsr];
const ACES: [Ace; 3] = [Ace::Off, Ace::Cow, Ace::CowX];

#[derive(Clone, Copy)]
struct Held {
    page: u64,
    dirty: bool,
    cold: bool,
}

/// The pool: pages used longest ago first.
struct Naive {
    policy: PolicyKind,
    ace: Ace,
    n: usize,
    frames: usize,
    pages: Vec<Held>,
    misses: u64,
    writes: u64,
}

impl Naive {
    fn new(policy: PolicyKind, ace: Ace, n: u32, frames: u32) -> Self {
        let (n, frames) = (n.min(frames) as usize, frames as usize);
        Naive { policy, ace, n, frames, pages: Vec::new(), misses: 0, writes: 0 }
    }

    fn access(&mut self, page: u64, write: bool) {
        let Some(at) = self.pages.iter().position(|held| held.page == page) else {
            self.misses += 1;
            if self.pages.len() == self.frames {
                self.evict();
            }
            self.pages.push(Held { page, dirty: write, cold: false });
            return;
        };
        let was_used_last = at == self.pages.len() - 1;
        let held = self.pages.remove(at);
        self.pages.push(Held { page, dirty: held.dirty || write, cold: held.cold && was_used_last });
    }

    fn evict(&mut self) {
        let mut victim = self.victim();
        if self.pages[victim].dirty {
            self.write_back(victim);
            victim = self.victim();
        }
        assert!(!self.pages[victim].dirty);
        self.pages.remove(victim);
    }

    fn victim(&mut self) -> usize {
        match self.policy {
            PolicyKind::Cflru => {
                let window = &self.pages[..self.frames / 3];
                window.iter().position(|held| !held.dirty).unwrap_or(0)
            }
            PolicyKind::LruWsr => {
                while self.spares(0) {
                    self.rotate(0);
                }
                0
            }
            _ => 0,
        }
    }

    /// LRU-WSR has a second chance for this page.
    fn spares(&self, at: usize) -> bool {
        self.policy == PolicyKind::LruWsr && self.pages[at].dirty && !self.pages[at].cold
    }

    fn rotate(&mut self, at: usize) {
        let held = self.pages.remove(at);
        self.pages.push(Held { cold: true, ..held });
    }

    fn write(&mut self, at: usize) {
        self.pages[at].dirty = false;
        self.writes += 1;
    }

    /// The victim is dirty. It is the page used longest ago then: CFLRU found no clean one in its window.
    fn write_back(&mut self, victim: usize) {
        assert_eq!(victim, 0);
        let (looks, most) = match self.ace {
            Ace::Cow => (self.n, self.n),
            Ace::CowX => (usize::MAX, self.n),
            _ => (1, 1),
        };
        let (mut at, mut looked, mut written) = (0, 0, 0);
        while at < self.pages.len() && looked < looks && written < most {
            looked += 1;
            if self.spares(at) {
                self.rotate(at); // the next page stands here now
                continue;
            }
            if self.pages[at].dirty {
                self.write(at);
                written += 1;
            }
            at += 1;
        }
    }
}

/// A trace from memory.
struct Memory<'a>(std::slice::Iter<'a, (u64, bool)>);

impl Trace for Memory<'_> {
    fn unit(&self) -> Unit {
        Unit::Page
    }

    fn next(&mut self) -> Result<Option<Request>, TraceError> {
        let request =
            |&(address, write): &(u64, bool)| Request { at_ns: 0, volume: 0, write, address, length: 1 };
        Ok(self.0.next().map(request))
    }
}

/// Misses and writes of the real thing.
fn simulated(
    trace: &mut dyn Trace,
    (policy, ace): (PolicyKind, Ace),
    n: u32,
    frames: u32,
) -> Result<(u64, u64), Box<dyn std::error::Error>> {
    let config = Config::new(4096, frames).policy(policy).ace(ace).n(n);
    let outcome = simulate(trace, &config, None, &AtomicBool::new(false))?;
    Ok((outcome.misses, outcome.writes))
}

fn both() -> impl Iterator<Item = (PolicyKind, Ace)> {
    POLICIES.into_iter().flat_map(|policy| ACES.map(|ace| (policy, ace)))
}

fn case() -> impl Strategy<Value = (u32, u32, Vec<(u64, bool)>)> {
    (1u32..=40, 1u32..=12, 0.1..0.9f64).prop_flat_map(|(frames, n, writing)| {
        let pages = u64::from(frames) * 2 + 2;
        // Half of the accesses to a part that nearly fits the pool.
        let page = prop_oneof![0..pages, 0..pages.div_ceil(2)];
        let accesses = proptest::collection::vec((page, proptest::bool::weighted(writing)), 1..160);
        (Just(frames), Just(n), accesses)
    })
}

#[test]
fn misses_and_writes_are_those_of_the_plain_pool_after_every_step() {
    let config = ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = proptest::test_runner::TestRunner::new_with_rng(
        config,
        proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha),
    );
    runner
        .run(&case(), |(frames, n, accesses)| {
            for (policy, ace) in both() {
                let mut naive = Naive::new(policy, ace, n, frames);
                for (step, &(page, write)) in accesses.iter().enumerate() {
                    naive.access(page, write);
                    let mut trace = Memory(accesses[..=step].iter());
                    let counts = simulated(&mut trace, (policy, ace), n, frames).unwrap();
                    let what = format!("{} {} after {} accesses", policy.name(), ace.name(), step + 1);
                    prop_assert_eq!(counts, (naive.misses, naive.writes), "{}", what);
                }
            }
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
}

/// Other sizes, n and seeds than the published ones.
#[test]
fn generated_traces_count_as_in_the_plain_pool() {
    let cases = [
        ("gen:paper-ms?pages=1000&ops=20000&seed=7", 60, 8),
        ("gen:paper-ms?pages=3441&ops=20000&seed=42", 200, 5),
        ("gen:paper-ms?pages=517&ops=20000&seed=3&reads=30", 101, 16),
        ("gen:paper-wis?pages=2000&ops=20000&seed=9", 120, 3),
        ("gen:paper-mu?pages=800&ops=20000&seed=5", 47, 12),
    ];
    for (name, frames, n) in cases {
        let mut accesses = Pages::new(leadline_trace::open(name).unwrap(), 4096);
        let mut naive: Vec<Naive> = both().map(|(policy, ace)| Naive::new(policy, ace, n, frames)).collect();
        while let Some(Access { page, write }) = accesses.next().unwrap() {
            naive.iter_mut().for_each(|pool| pool.access(page, write));
        }
        for pool in naive {
            let mut trace = leadline_trace::open(name).unwrap();
            let counts = simulated(&mut trace, (pool.policy, pool.ace), n, frames).unwrap();
            let (policy, ace) = (pool.policy.name(), pool.ace.name());
            assert_eq!(counts, (pool.misses, pool.writes), "{name}: {policy} {ace}({n}), {frames} frames");
        }
    }
}
