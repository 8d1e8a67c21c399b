//! A device as it was measured: exact at the measured points, sensible between and beyond them.

use leadline_device::{Nanos, Request};
use leadline_profile::{DeviceProfile, Latency, OpKind, Pattern, Point};
use leadline_sim::DeviceModel;
use leadline_tiers::MeasuredModel;
use proptest::prelude::*;

use crate::driver::{closed_loop, end};

pub fn point(op: OpKind, pattern: Pattern, block_bytes: u32, concurrency: u32, iops: f64) -> Point {
    Point {
        op,
        pattern,
        block_bytes,
        concurrency,
        durable: false,
        iops,
        iops_ci: None,
        bandwidth_bytes: iops * f64::from(block_bytes),
        latency_us: Latency::default(),
        cpu_bound: false,
        cpu_us_per_op: None,
        slices: Vec::new(),
        stretches: Vec::new(),
        histogram: Vec::new(),
        extra: serde_json::Map::new(),
    }
}

pub fn model(points: Vec<Point>) -> MeasuredModel {
    MeasuredModel::new(&DeviceProfile { points, ..DeviceProfile::default() }, None).unwrap()
}

fn random_reads(count: usize, len: u32) -> Vec<Request> {
    let mut random = fastrand::Rng::with_seed(5);
    (0..count).map(|_| Request::read(0, random.u64(..1 << 40) << 12, len)).collect()
}

/// Requests per second of a closed loop.
fn iops(model: &mut MeasuredModel, requests: &[Request], k: u32) -> f64 {
    requests.len() as f64 / end(&closed_loop(model, requests, k as usize, 0)) as f64 * 1e9
}

const READS: [(u32, f64); 6] =
    [(1, 10_000.0), (2, 19_000.0), (4, 36_000.0), (8, 61_000.0), (16, 80_000.0), (32, 84_000.0)];

fn reads(block_bytes: u32) -> Vec<Point> {
    READS.map(|(k, x)| point(OpKind::Read, Pattern::Random, block_bytes, k, x)).into()
}

/// Nearly: each request is done at a whole nanosecond.
fn close(measured: f64, expected: f64) -> bool {
    (measured / expected - 1.0).abs() < 1e-3
}

#[test]
fn a_closed_loop_has_the_measured_throughput_at_every_measured_concurrency() {
    for (k, expected) in READS {
        let measured = iops(&mut model(reads(4096)), &random_reads(32 * 200, 4096), k);
        assert!(close(measured, expected), "k = {k}: {measured}");
    }
}

#[test]
fn so_it_has_with_two_sizes_and_writes_and_sequential_requests_in_the_profile() {
    let mut points = reads(4096);
    points.extend(reads(16384).into_iter().map(|p| Point { iops: p.iops / 3.0, ..p }));
    points.extend(READS.map(|(k, x)| point(OpKind::Write, Pattern::Random, 4096, k, x / 5.0)));
    points.extend(READS.map(|(k, x)| point(OpKind::Read, Pattern::Sequential, 16384, k, x * 2.0)));
    for (k, x) in READS {
        let of = |requests: &[Request]| iops(&mut model(points.clone()), requests, k);
        assert!(close(of(&random_reads(6400, 4096)), x));
        assert!(close(of(&random_reads(6400, 16384)), x / 3.0));
        let writes: Vec<Request> =
            random_reads(6400, 4096).iter().map(|r| Request::write(0, r.offset, r.len)).collect();
        assert!(close(of(&writes), x / 5.0));
        // All but the first go on where another ended.
        let sequential: Vec<Request> = (0..6400).map(|i| Request::read(0, i * 16384, 16384)).collect();
        assert!((of(&sequential) / (2.0 * x) - 1.0).abs() < 0.02);
    }
}

#[test]
fn between_the_points_it_is_between_them_and_beyond_them_linear() {
    let mut points = reads(4096);
    points.extend(reads(16384).into_iter().map(|p| Point { iops: p.iops / 2.0, ..p }));
    let of = |len, k| iops(&mut model(points.clone()), &random_reads(6400, len), k);
    // Concurrency: linear between, in proportion below, the last above.
    assert!(close(of(4096, 6), (36_000.0 + 61_000.0) / 2.0));
    assert!(close(of(4096, 64), 84_000.0));
    // Size: the time of a request, 100 us for 4 KiB and 200 us for 16 KiB, is linear; less than the smallest
    // takes as long.
    let us = |len| 1e6 / of(len, 1);
    assert!(close(us(10240), 150.0) && close(us(28672), 300.0) && close(us(512), 100.0), "{}", us(28672));
    // With one size, larger requests have its bandwidth.
    assert!(close(iops(&mut model(reads(4096)), &random_reads(6400, 65536), 1), 10_000.0 / 16.0));
}

#[test]
fn a_mix_takes_as_long_as_each_kind_alone() {
    let mut points = reads(4096);
    points.extend(READS.map(|(k, x)| point(OpKind::Write, Pattern::Random, 4096, k, x / 4.0)));
    let mixed: Vec<Request> = random_reads(6400, 4096)
        .iter()
        .enumerate()
        .map(|(i, r)| if i % 2 == 0 { *r } else { Request::write(0, r.offset, r.len) })
        .collect();
    // Half of the requests are four times as slow: the mean of 1 and 4, at any concurrency.
    for (k, x) in READS {
        let measured = iops(&mut model(points.clone()), &mixed, k);
        assert!((measured / (x / 2.5) - 1.0).abs() < 0.02, "k = {k}: {measured}");
    }
}

#[test]
fn what_was_not_measured_is_said() {
    let notes = |points| model(points).notes().join("; ");
    assert!(notes(reads(4096)).contains("no writes were measured"));
    let mut points = reads(4096);
    points.push(point(OpKind::Write, Pattern::Random, 4096, 1, 1000.0));
    assert!(notes(points.clone()).contains("no durable writes were measured"));
    points.push(Point { durable: true, ..point(OpKind::Write, Pattern::Random, 4096, 1, 500.0) });
    assert_eq!(notes(points.clone()), "");
    // A flush takes what durability adds, after the writes before it.
    let requests = [Request::write(0, 0, 4096), Request::flush(0), Request::flush(0)];
    let at = |at: usize, k| closed_loop(&mut model(points.clone()), &requests, k, 0)[at].at;
    assert_eq!((at(0, 3), at(1, 3), at(2, 3)), (1_000_000, 2_000_000, 2_000_000));
    let none = DeviceProfile { points: points.split_off(6), ..DeviceProfile::default() };
    let error = MeasuredModel::new(&none, None).err().unwrap().to_string();
    assert!(error.contains("no measured reads"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any mix: every request completes once, and how often the model is told of the time changes little.
    #[test]
    fn requests_are_conserved(k in 1..50usize, seed in any::<u64>()) {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut points = reads(4096);
        points.push(point(OpKind::Write, Pattern::Random, 65536, 1, 1000.0));
        let requests: Vec<Request> = (0..300).map(|_| {
            let (offset, len) = (random.u64(..1 << 30), random.u32(1..1 << 20));
            match random.u8(..10) {
                0 => Request::flush(0),
                1 => Request::trim(0, offset, len),
                2..5 => Request::write(0, offset, len),
                _ => Request::read(0, offset, len),
            }
        }).collect();
        let completions = closed_loop(&mut model(points.clone()), &requests, k, 7);
        for (request, completion) in requests.iter().zip(&completions) {
            prop_assert_eq!(completion.result, request.len as i32);
            prop_assert!(completion.at >= 7);
        }
        let mut model = model(points);
        let (mut now, mut stepped): (Nanos, Vec<_>) = (0, Vec::new());
        for (slot, request) in requests.iter().enumerate() {
            model.arrive(&Request { slot: slot as u32, ..*request }, now);
        }
        while model.in_flight() > 0 {
            prop_assert!(model.next_completion().is_some());
            now += random.u64(1..1_000_000);
            model.advance(now, &mut stepped);
        }
        prop_assert_eq!(stepped.len(), requests.len());
        prop_assert!(stepped.is_sorted_by_key(|completion| completion.at));
    }
}
