//! How long requests take: as the one device, as the other, and never wrongly.

use leadline_device::{Nanos, Request};
use leadline_pool::policy::PolicyKind;
use leadline_profile::{OpKind, Pattern};
use leadline_sim::DeviceModel;
use leadline_tiers::{Admission, CachedModel};
use proptest::prelude::*;

use crate::driver::{BLOCK, closed_loop, device, end, fast, options, slow};
use crate::measured::{model as measured, point};

fn cached(blocks: u32) -> CachedModel {
    CachedModel::new(fast(), slow(), options(blocks, PolicyKind::Lru, Admission::EveryMiss))
}

fn reads(blocks: impl IntoIterator<Item = u64>) -> Vec<Request> {
    blocks.into_iter().map(|block| Request::read(0, block * BLOCK, BLOCK as u32)).collect()
}

/// Latest completion after `start`.
fn took(model: &mut dyn DeviceModel, requests: &[Request], k: usize, start: Nanos) -> Nanos {
    end(&closed_loop(model, requests, k, start)) - start
}

/// Long after everything in the background is done.
const LATER: Nanos = 1_000_000_000_000;

#[test]
fn what_is_all_cached_takes_as_long_as_on_the_fast_device_alone() {
    for k in [1, 3, 6, 20] {
        let mut model = cached(64);
        closed_loop(&mut model, &reads(0..64), 8, 0);
        let again = reads((0..500).map(|i| i * 7 % 64));
        assert_eq!(took(&mut model, &again, k, LATER), took(&mut *fast(), &again, k, LATER), "k = {k}");
        assert_eq!(model.counters().hits, 500);
    }
}

#[test]
fn what_is_never_cached_takes_as_long_as_on_the_slow_device_alone() {
    for k in [1, 8, 25, 40] {
        // No block comes twice; what is written to the fast device holds nobody up.
        let once = reads((0..500).map(|i| i * 3));
        assert_eq!(took(&mut cached(64), &once, k, 0), took(&mut *slow(), &once, k, 0), "k = {k}");
    }
}

#[test]
fn what_is_taken_in_takes_time_of_the_fast_device_from_those_who_hit() {
    // Reads and writes of 100 us that share the device; those of a parametric device have servers each.
    let points =
        [OpKind::Read, OpKind::Write].map(|op| point(op, Pattern::Random, BLOCK as u32, 1, 10_000.0));
    let options = options(4, PolicyKind::Lru, Admission::EveryMiss);
    let mut model = CachedModel::new(Box::new(measured(points.into())), device(10.0, 0.0, 1), options);
    closed_loop(&mut model, &reads(0..1), 1, 0);
    // Block 1 comes at 10 us and is written, while block 0 is read: both take twice as long as alone.
    let completions = closed_loop(&mut model, &reads([1]), 1, LATER);
    assert_eq!(completions[0].at, LATER + 10_000);
    assert_eq!(closed_loop(&mut model, &reads([0]), 1, LATER + 10_000)[0].at, LATER + 210_000);
    // And who asks for a block that is being written waits for that, then reads it.
    let missed = closed_loop(&mut model, &reads([2]), 1, 2 * LATER)[0].at;
    assert_eq!(closed_loop(&mut model, &reads([2]), 1, missed)[0].at, missed + 200_000);
    assert_eq!(model.counters().hits, 2);
}

#[test]
fn a_block_on_its_way_is_missed_by_others_and_taken_in_once() {
    let mut model = cached(4);
    let twice = closed_loop(&mut model, &reads([0, 0]), 2, 0);
    assert_eq!(twice[0].at, twice[1].at);
    let counters = model.counters();
    assert_eq!((counters.hits, counters.misses, counters.admissions), (0, 2, 1));
}

#[test]
fn a_read_of_hits_and_misses_is_done_when_its_last_part_is() {
    let mut model = cached(8);
    closed_loop(&mut model, &reads([1]), 1, 0);
    // Blocks 0 to 2: one hit between two misses, so two reads of the slow device at once.
    let wide = [Request::read(0, 0, 3 * BLOCK as u32)];
    let alone = took(&mut *slow(), &reads([0]), 1, LATER);
    assert_eq!(took(&mut model, &wide, 1, LATER), alone);
    assert_eq!((model.counters().hits, model.counters().misses), (1, 3));
    // Now all of them are cached, in three places of which two are neighbours.
    let two_blocks = [Request::read(0, 0, 2 * BLOCK as u32)];
    let expected = took(&mut *fast(), &two_blocks, 1, LATER).max(took(&mut *fast(), &reads([0]), 1, LATER));
    assert!(took(&mut model, &wide, 1, 2 * LATER) <= expected);
}

#[test]
fn writes_go_through_and_flushes_wait_for_the_slow_device() {
    let mut model = cached(8);
    closed_loop(&mut model, &reads([0]), 1, 0);
    let write = |block: u64| [Request::write(0, block * BLOCK, BLOCK as u32)];
    let slow_write = took(&mut *slow(), &write(0), 1, LATER);
    assert_eq!(took(&mut model, &write(0), 1, LATER), slow_write);
    assert_eq!(took(&mut model, &write(1), 1, 2 * LATER), slow_write);
    assert_eq!(model.counters().written, 1);
    // A write to where a block is cached leaves it there.
    closed_loop(&mut model, &reads([0]), 1, 3 * LATER);
    assert_eq!((model.counters().hits, model.counters().misses), (1, 1));
    let with_flush = [write(0)[0], Request::flush(0)];
    let completions = closed_loop(&mut model, &with_flush, 2, 4 * LATER);
    assert!(completions[1].at >= completions[0].at);
}

fn mixed(blocks: u64, count: usize, seed: u64) -> Vec<Request> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut request = || {
        let (offset, len) = (512 * random.u64(..blocks * 32), 512 * random.u32(1..200));
        match random.u8(..10) {
            0 | 1 => Request::write(0, offset, len),
            2 => Request::trim(0, offset, len),
            3 => Request::flush(0),
            _ => Request::read(0, offset, len),
        }
    };
    (0..count).map(|_| request()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    /// Every request completes once, with its bytes, not before it arrived; how often the model is asked
    /// makes no difference.
    #[test]
    fn requests_are_conserved_however_time_passes(
        frames in 1..40u32, k in 1..40usize, steps in 1..5000u64, seed in any::<u64>(),
    ) {
        let requests = mixed(u64::from(frames) * 3, 200, seed);
        let expected = closed_loop(&mut cached(frames), &requests, k, 0);
        for (request, completion) in requests.iter().zip(&expected) {
            prop_assert_eq!(completion.result, request.len as i32);
        }
        // All at once at time zero: told in steps, in events, and in one go.
        let all_at_once = |next: &dyn Fn(&CachedModel, Nanos) -> Nanos| {
            let mut model = cached(frames);
            let (mut now, mut completions) = (0, Vec::new());
            for (slot, request) in requests.iter().enumerate() {
                model.arrive(&Request { slot: slot as u32, ..*request }, now);
            }
            while model.in_flight() > 0 {
                now = next(&model, now);
                model.advance(now, &mut completions);
            }
            completions
        };
        let by_events = all_at_once(&|model, now| model.next_completion().unwrap().max(now));
        prop_assert_eq!(&all_at_once(&|_, now| now + steps * 997), &by_events);
        prop_assert_eq!(&all_at_once(&|_, _| LATER), &by_events);
        prop_assert!(by_events.is_sorted_by_key(|completion| completion.at));
    }

    /// Of reads of one kind, k at a time are no more than k times as fast as one at a time.
    #[test]
    fn k_at_a_time_are_at_most_k_times_as_fast(frames in 1..30u32, k in 2..40usize, seed in any::<u64>()) {
        let mut random = fastrand::Rng::with_seed(seed);
        let cached = reads((0..300).map(|_| random.u64(..u64::from(frames))));
        // Filled beforehand, so that what is cached does not depend on the order.
        let run = |k| {
            let admission = Admission::SecondMiss;
            let mut model = CachedModel::new(fast(), slow(), options(frames, PolicyKind::Lru, admission));
            for block in 0..u64::from(frames) {
                let filled = reads([block, block]);
                closed_loop(&mut model, &filled, 1, block * 1_000_000);
            }
            took(&mut model, &cached, k, LATER)
        };
        prop_assert!(run(1) <= k as u64 * run(k));
    }
}
