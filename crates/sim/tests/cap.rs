//! `[cap]` lets through what it says, to the operation, however long it runs.

use leadline_device::{Nanos, Request};
use leadline_sim::{DeviceModel, ParametricModel, ParametricSpec};
use proptest::prelude::*;

const SECOND: Nanos = 1_000_000_000;

/// A device whose requests take 1 ns once they are let in, on more servers than the tests need.
fn model(cap: &str) -> ParametricModel {
    let toml = format!(
        "kind = \"parametric\"\ncapacity = \"1G\"\n[cap]\n{cap}\n\
         [read]\nservice_us = 0.001\nservers = 1000\n[write]\nservice_us = 0.001\nservers = 1000\n"
    );
    ParametricModel::new(&ParametricSpec::parse(&toml, "test.toml").unwrap_or_else(|e| panic!("{e}")))
}

/// When a request of `len` bytes that arrives at `at` is let in; nothing else is in flight.
fn admission(model: &mut ParametricModel, len: u32, at: Nanos) -> Nanos {
    let mut completions = Vec::new();
    model.arrive(&Request::read(0, 0, len), at);
    model.advance(Nanos::MAX, &mut completions);
    completions[0].at - 1
}

#[test]
fn a_saturated_device_moves_the_credit_and_what_is_refilled_and_not_one_more() {
    for (credit, refill, refill_milli, seconds) in [
        (10_000u64, "7", 7_000u64, 100_000u64),
        (1, "0.7", 700, 1_000_000),
        (5_400, "1002.003", 1_002_003, 500),
    ] {
        let mut model = model(&format!("iops = 3000\ncredit = {credit}\nrefill = {refill}"));
        // Every request waits from the start.
        let mut admitted = 0u64;
        for second in [seconds / 10, seconds / 2, seconds] {
            let mut last = 0;
            let expected = credit + refill_milli * second / 1000;
            while admitted < expected {
                last = admission(&mut model, 4096, 0);
                admitted += 1;
            }
            assert!(last <= second * SECOND, "{credit} + {refill}/s: {admitted} operations in {last} ns");
            let next = admission(&mut model, 4096, 0);
            admitted += 1;
            assert!(next > second * SECOND, "{credit} + {refill}/s: one more than {expected} in {second} s");
        }
    }
}

#[test]
fn a_plain_cap_spaces_requests_evenly_without_drift() {
    let mut model = model("iops = 7");
    for n in 0..1_000_000u64 {
        assert_eq!(admission(&mut model, 4096, 0), (n * SECOND).div_ceil(7), "request {n}");
    }
    // After a pause the next is let in at once, and the one behind it a full gap later: no credit.
    let late = 1_000_000 * SECOND;
    assert_eq!(admission(&mut model, 4096, late), late);
    assert_eq!(admission(&mut model, 4096, late), late + SECOND.div_ceil(7));
}

#[test]
fn bytes_have_limits_of_their_own_and_the_tighter_limit_holds() {
    let mut model = model("iops = 1000\nbytes_per_s = \"1M\"");
    // 64 KiB at 1 MiB/s take 62.5 ms, more than the 1 ms between two operations.
    let large: Vec<Nanos> = (0..4).map(|_| admission(&mut model, 64 << 10, 0)).collect();
    assert_eq!(large, [0, 62_500_000, 125_000_000, 187_500_000]);
    let small: Vec<Nanos> = (0..3).map(|_| admission(&mut model, 512, SECOND)).collect();
    assert_eq!(small, [SECOND, SECOND + 1_000_000, SECOND + 2_000_000]);
}

#[test]
fn bytes_may_be_saved_up_as_well() {
    let mut model = self::model("bytes_per_s = \"8M\"\nbytes_credit = \"64M\"\nbytes_refill = \"1M\"");
    // 64 MiB + t MiB = 8 t MiB: in 64/7 s the credit is gone.
    let at: Vec<Nanos> = (0..90).map(|_| admission(&mut model, 1 << 20, 0)).collect();
    assert_eq!(at[72], 9 * SECOND, "the burst");
    assert_eq!(at[80], 17 * SECOND, "81 MiB are there after 17 s");
    assert_eq!(at[89] - at[88], SECOND, "the baseline");
}

#[test]
fn a_large_request_counts_as_several_operations() {
    let mut model = model("iops = 1000\noperation_bytes = \"256K\"");
    for (len, operations) in [(1, 1), (256 << 10, 1), ((256 << 10) + 1, 2), (1 << 20, 4), (512, 1)] {
        let at = admission(&mut model, len, 0);
        assert_eq!(admission(&mut model, 1, 0) - at, operations * 1_000_000, "{len} bytes");
    }
}

#[test]
fn a_request_for_more_than_the_bucket_holds_is_let_in_when_it_is_full_and_paid_for_afterwards() {
    let mut model = model("iops = 1000\ncredit = 2\nrefill = 1\noperation_bytes = 512");
    assert_eq!(admission(&mut model, 5 * 512, 0), 0);
    // 3 operations of debt and 1 to come: 4 s.
    assert_eq!(admission(&mut model, 512, 0), 4 * SECOND);
}

#[test]
fn credit_comes_back_while_the_device_is_idle_up_to_its_limit() {
    let mut model = model("iops = 1000\ncredit = 100\nrefill = 10");
    let burst = |model: &mut ParametricModel, at: Nanos| {
        let mut n = 0;
        // Operations until the first that waits for more than the 1 ms between two of a burst.
        let mut last = admission(model, 512, at);
        loop {
            n += 1;
            let next = admission(model, 512, at);
            if next - last > 1_000_000 {
                return n;
            }
            last = next;
        }
    };
    // 100 at the start and 1 more in the 100 ms in which they are taken; the next waits until 200 ms.
    assert_eq!(burst(&mut model, 0), 101);
    assert_eq!(burst(&mut model, 5 * SECOND), 48, "10 for each of the 4.8 s since then");
    assert_eq!(burst(&mut model, 1_000 * SECOND), 101, "no more than all of it");
}

/// A bucket as one would explain it: tick by tick, a nanosecond each. A token is `token` units.
struct SlowBucket {
    level: i128,
    depth: i128,
    per_ns: i128,
    token: i128,
}

impl SlowBucket {
    fn new(token: i128, per_ns: u64, depth: u64) -> Self {
        let depth = i128::from(depth) * token;
        SlowBucket { level: depth, depth, per_ns: per_ns.into(), token }
    }

    fn tick(&mut self) {
        // What comes in during the nanosecond in which it fills up can be taken in that nanosecond, then it
        // is lost.
        self.level = if self.level < self.depth { self.level + self.per_ns } else { self.depth };
    }

    fn allows(&self, tokens: u64) -> bool {
        self.level >= (i128::from(tokens) * self.token).min(self.depth)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn it_agrees_with_buckets_filled_nanosecond_by_nanosecond(
        (iops, refill) in (10_000_000u64..=1_000_000_000).prop_flat_map(|iops| (Just(iops), 1_000_000..=iops)),
        (rate, bytes_refill) in (1u64 << 34..=1 << 40).prop_flat_map(|rate| (Just(rate), 1 << 33..=rate)),
        credit in 0u64..20,
        bytes_credit in prop_oneof![Just(0), 1u64..20_000],
        operation_bytes in prop_oneof![Just(0), 512u64..3000],
        load in prop::collection::vec((prop_oneof![2 => Just(0), 1 => 1u64..2000], 1u32..5000), 1..60),
        limits in 1..4,
    ) {
        let (mut text, mut slow) = (String::new(), Vec::new());
        if limits != 2 {
            text += &format!("iops = {iops}\noperation_bytes = {operation_bytes}\n");
            slow.push((true, SlowBucket::new(1_000_000_000, iops, 0)));
            if credit > 0 {
                text += &format!("credit = {credit}\nrefill = {refill}\n");
                slow.push((true, SlowBucket::new(1_000_000_000, refill, credit)));
            }
        }
        if limits != 1 {
            text += &format!("bytes_per_s = {rate}\n");
            slow.push((false, SlowBucket::new(1_000_000_000, rate, 0)));
            if bytes_credit > 0 {
                text += &format!("bytes_credit = {bytes_credit}\nbytes_refill = {bytes_refill}\n");
                slow.push((false, SlowBucket::new(1_000_000_000, bytes_refill, bytes_credit)));
            }
        }
        let mut model = model(&text);
        let (mut arrival, mut now) = (0, 0);
        for (gap, len) in load {
            arrival += gap;
            let admitted = admission(&mut model, len, arrival);
            let operations = if operation_bytes == 0 { 1 } else { u64::from(len).div_ceil(operation_bytes) };
            let tokens = |of_operations: bool| if of_operations { operations } else { u64::from(len) };
            let allowed = |slow: &[(bool, SlowBucket)]| slow.iter().all(|(kind, bucket)| bucket.allows(tokens(*kind)));
            while now < arrival || !allowed(&slow) {
                slow.iter_mut().for_each(|(_, bucket)| bucket.tick());
                now += 1;
            }
            for (of_operations, bucket) in &mut slow {
                bucket.level -= i128::from(tokens(*of_operations)) * bucket.token;
            }
            prop_assert_eq!(admitted, now, "a request of {} bytes that arrived at {} ns:\n{}", len, arrival, text);
        }
    }
}
