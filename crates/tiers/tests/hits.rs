//! What is in the cache, against a plain cache: vectors, no time, the plain policies.

use std::ops::Range;

use leadline_device::{Op, Request};
use leadline_pool::policy::{Frame, PolicyKind, Verdict};
use leadline_sim::{CacheCounters, DeviceModel};
use leadline_testing::policies::{self, Plain};
use leadline_tiers::{Admission, CachedModel};
use proptest::prelude::*;

use crate::driver::{BLOCK, closed_loop, fast, options, slow};

/// A cache that only counts.
struct PlainCache {
    policy: Box<dyn Plain>,
    frames: Vec<Option<u64>>,
    admission: Admission,
    /// Blocks missed once, the oldest first.
    missed_once: Vec<u64>,
    counters: CacheCounters,
}

impl PlainCache {
    fn new(kind: PolicyKind, admission: Admission, frames: usize) -> PlainCache {
        PlainCache {
            policy: policies::build(kind, frames),
            frames: vec![None; frames],
            admission,
            missed_once: Vec::new(),
            counters: CacheCounters::default(),
        }
    }

    fn hit(&mut self, block: u64) -> bool {
        let frame = self.frames.iter().position(|&there| there == Some(block));
        if let Some(frame) = frame {
            self.policy.hit(frame as Frame, false);
        }
        frame.is_some()
    }

    fn admits(&mut self, block: u64) -> bool {
        if self.admission == Admission::EveryMiss {
            return true;
        }
        if self.missed_once.contains(&block) {
            self.missed_once.retain(|&other| other != block);
            return true;
        }
        self.missed_once.push(block);
        if self.missed_once.len() > self.frames.len() {
            self.missed_once.remove(0);
        }
        false
    }

    fn take_in(&mut self, block: u64) {
        self.policy.missed(block);
        if !self.frames.contains(&None) {
            let frame = loop {
                match self.policy.next().unwrap() {
                    (frame, Verdict::SecondChance) => self.policy.grant(frame),
                    (frame, _) => break frame,
                }
            };
            self.drop_from(frame as usize);
            self.counters.evictions += 1;
        }
        let frame = self.frames.iter().position(Option::is_none).unwrap();
        self.frames[frame] = Some(block);
        self.policy.insert(frame as Frame, block, false);
        self.counters.admissions += 1;
    }

    fn drop_from(&mut self, frame: usize) {
        let block = self.frames[frame].take().unwrap();
        self.policy.evict(frame as Frame, block);
    }

    fn request(&mut self, request: &Request) {
        let end = request.offset + u64::from(request.len);
        let blocks: Range<u64> = request.offset / BLOCK..end.div_ceil(BLOCK);
        match request.op {
            Op::Read => {
                let mut admitted = Vec::new();
                for block in blocks {
                    if self.hit(block) {
                        self.counters.hits += 1;
                    } else {
                        self.counters.misses += 1;
                        if self.admits(block) {
                            admitted.push(block);
                        }
                    }
                }
                admitted.into_iter().for_each(|block| self.take_in(block));
            }
            Op::Write => self.counters.written += blocks.filter(|&block| self.hit(block)).count() as u64,
            Op::Trim => {
                for block in request.offset.div_ceil(BLOCK)..end / BLOCK {
                    if let Some(frame) = self.frames.iter().position(|&there| there == Some(block)) {
                        self.drop_from(frame);
                    }
                }
            }
            Op::Flush => {}
        }
    }
}

/// Which blocks are asked for.
#[derive(Debug, Clone, Copy)]
enum Pattern {
    Random,
    /// Those of low numbers much more often.
    Skewed,
    /// One after the other, again and again.
    Loop,
}

fn requests(pattern: Pattern, blocks: u64, count: usize, seed: u64) -> Vec<Request> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut at = 0;
    let mut request = || {
        let block = match pattern {
            Pattern::Random => random.u64(..blocks),
            Pattern::Skewed => ((blocks as f64).powf(random.f64()) - 1.0) as u64,
            Pattern::Loop => at % blocks,
        };
        // Within a block, a block, or several and parts of others.
        let (inside, len) = match random.u8(..4) {
            0 => (512 * random.u64(..24), 4096),
            1 => (512 * random.u64(..32), 512 * random.u64(1..100)),
            _ => (0, BLOCK),
        };
        at += 1;
        let (offset, len) = (block * BLOCK + inside, len as u32);
        match random.u8(..20) {
            0 | 1 => Request::write(0, offset, len),
            2 => Request::trim(0, offset, len),
            3 => Request::flush(0),
            _ => Request::read(0, offset, len),
        }
    };
    (0..count).map(|_| request()).collect()
}

/// Both caches, a request at a time.
pub fn agree(
    kind: PolicyKind,
    admission: Admission,
    frames: u32,
    requests: &[Request],
) -> Result<(), TestCaseError> {
    let mut model = CachedModel::new(fast(), slow(), options(frames, kind, admission));
    let mut plain = PlainCache::new(kind, admission, frames as usize);
    let mut now = 0;
    for (number, request) in requests.iter().enumerate() {
        now = closed_loop(&mut model, std::slice::from_ref(request), 1, now)[0].at;
        plain.request(request);
        let context = format!("{} {}, {frames} blocks, request {number}", kind.name(), admission.name());
        prop_assert_eq!(model.counters(), plain.counters, "{}: {:?}", context, request);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_policy_and_admission_hits_as_a_plain_cache_does(
        pattern in prop_oneof![Just(Pattern::Random), Just(Pattern::Skewed), Just(Pattern::Loop)],
        frames in prop_oneof![1..4u32, 4..40u32],
        more in 1..60u64,
        seed in any::<u64>(),
    ) {
        let requests = requests(pattern, u64::from(frames) + more, 400, seed);
        for &kind in PolicyKind::ALL {
            for admission in Admission::ALL {
                agree(kind, admission, frames, &requests)?;
            }
        }
    }

    /// With many requests in flight nobody can say what a plain cache does; but all blocks are counted, and
    /// the cache is as full as it may be.
    #[test]
    fn with_many_in_flight_every_block_is_hit_or_missed(
        frames in 1..40u32, k in 2..40usize, seed in any::<u64>(), second in any::<bool>(),
    ) {
        let requests = requests(Pattern::Skewed, u64::from(frames) * 3, 400, seed);
        let admission = Admission::ALL[usize::from(second)];
        for &kind in PolicyKind::ALL {
            let mut model = CachedModel::new(fast(), slow(), options(frames, kind, admission));
            closed_loop(&mut model, &requests, k, 0);
            let reads = requests.iter().filter(|request| request.op == Op::Read);
            let blocks: u64 = reads.map(|request| {
                (request.offset + u64::from(request.len)).div_ceil(BLOCK) - request.offset / BLOCK
            }).sum();
            let CacheCounters { hits, misses, admissions, evictions, .. } = model.counters();
            prop_assert_eq!(hits + misses, blocks);
            prop_assert!(admissions <= misses && evictions <= admissions);
            prop_assert_eq!(model.cache(), Some(model.counters()));
        }
    }
}

#[test]
fn a_block_of_which_a_part_is_read_is_cached_whole_once_it_is_admitted() {
    let mut model = CachedModel::new(fast(), slow(), options(8, PolicyKind::Lru, Admission::SecondMiss));
    let mut now = 0;
    let mut counts = |offset| {
        now = closed_loop(&mut model, &[Request::read(0, offset, 4096)], 1, now)[0].at;
        let counters = model.counters();
        (counters.hits, counters.misses, counters.admissions)
    };
    assert_eq!(counts(0), (0, 1, 0));
    assert_eq!(counts(4096), (0, 2, 1));
    assert_eq!(counts(12288), (1, 2, 1));
}
