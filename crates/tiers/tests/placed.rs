//! Two devices one behind the other.

use leadline_device::Request;
use leadline_sim::DeviceModel;
use leadline_tiers::PlacedModel;
use proptest::prelude::*;

use crate::driver::{closed_loop, end, fast, slow};

const BORDER: u64 = 1 << 30;
const FAST: u64 = 256 << 20;

fn placed() -> PlacedModel {
    PlacedModel::new(fast(), slow(), BORDER, FAST)
}

/// Reads, writes and trims within so many bytes from `base` on.
fn requests(base: u64, bytes: u64, count: usize, seed: u64) -> Vec<Request> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut request = || {
        let len = 512 * random.u32(1..300);
        let offset = base + 512 * random.u64(..(bytes - u64::from(len)) / 512);
        match random.u8(..10) {
            0..3 => Request::write(0, offset, len),
            3 => Request::trim(0, offset, len),
            _ => Request::read(0, offset, len),
        }
    };
    (0..count).map(|_| request()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn with_all_on_one_part_it_is_that_device(k in 1..40usize, seed in any::<u64>()) {
        let on_slow = requests(0, BORDER, 200, seed);
        let alone = closed_loop(&mut *slow(), &on_slow, k, 5);
        prop_assert_eq!(closed_loop(&mut placed(), &on_slow, k, 5), alone);
        let on_fast = requests(BORDER, FAST, 200, seed);
        let alone = requests(0, FAST, 200, seed);
        prop_assert_eq!(closed_loop(&mut placed(), &on_fast, k, 5), closed_loop(&mut *fast(), &alone, k, 5));
    }

    #[test]
    fn requests_across_the_border_are_two_and_done_once(k in 1..40usize, seed in any::<u64>()) {
        let across = requests(BORDER - (64 << 10), 256 << 10, 100, seed);
        let completions = closed_loop(&mut placed(), &across, k, 0);
        for (request, completion) in across.iter().zip(&completions) {
            prop_assert_eq!(completion.result, request.len as i32);
        }
        let one = closed_loop(&mut placed(), &across, 1, 0);
        prop_assert!(end(&one) <= k as u64 * end(&completions));
    }
}

#[test]
fn a_request_across_the_border_takes_as_long_as_the_longer_of_its_pieces() {
    let across = [Request::read(0, BORDER - 4096, 20_480)];
    let slow_piece = closed_loop(&mut *slow(), &[Request::read(0, 0, 4096)], 1, 0)[0].at;
    let fast_piece = closed_loop(&mut *fast(), &[Request::read(0, 0, 16_384)], 1, 0)[0].at;
    assert!(slow_piece > fast_piece);
    assert_eq!(closed_loop(&mut placed(), &across, 1, 0)[0].at, slow_piece);
}

#[test]
fn a_flush_waits_for_writes_on_both() {
    for offset in [0, BORDER] {
        let completions =
            closed_loop(&mut placed(), &[Request::write(0, offset, 4096), Request::flush(0)], 2, 0);
        assert_eq!(completions[0].at, completions[1].at);
    }
    assert_eq!(placed().geometry().capacity_bytes, BORDER + FAST);
}
