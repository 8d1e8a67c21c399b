//! The open loop.

use std::collections::HashSet;
use std::sync::atomic::AtomicBool;

use leadline_device::{Device, Fault, Faulty, MemoryDevice, QueueShape};
use leadline_measure::load::{
    AddressStream, Arrivals, Lane, Limits, Recorder, Region, filled_ahead, open_loop,
};

use super::{MS, REGION, S, Spy, US, device, lane, near, never, open, rate, workload};

#[test]
fn a_constant_rate_is_reached_to_the_nanosecond_on_an_idle_device() {
    let spy = Spy::new(device(4, 100, "none"), usize::MAX);
    let (window, recorder) = open(&spy, 16, Arrivals::Constant(1000.0), 2 * S).unwrap();
    assert!((1999..=2000).contains(&window.ops), "{window:?}");
    assert!(window.complete && window.length >= 2 * S && window.length < 2 * S + MS, "{window:?}");
    assert_eq!(recorder.count(), window.ops);
    near(recorder.max() as f64, 1e5, 0.001, "an idle device has no queue");
    near(recorder.mean(), 1e5, 0.001, "mean latency");
    for pair in spy.requests().windows(2) {
        assert!((pair[1].0 - pair[0].0).abs_diff(MS) <= 1, "{} {}", pair[0].0, pair[1].0);
    }
}

#[test]
fn a_poisson_rate_is_reached_and_its_gaps_are_exponential() {
    let spy = Spy::new(device(64, 100, "none"), usize::MAX);
    let (window, _) = open(&spy, 256, Arrivals::Poisson(10_000.0), 10 * S).unwrap();
    near(rate(&window), 10_000.0, 0.015, "rate");
    let gaps: Vec<f64> = spy.requests().windows(2).map(|pair| (pair[1].0 - pair[0].0) as f64).collect();
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    let deviation = (gaps.iter().map(|g| (g - mean).powi(2)).sum::<f64>() / gaps.len() as f64).sqrt();
    near(deviation, mean, 0.02, "an exponential's deviation is its mean");
    let above = gaps.iter().filter(|&&gap| gap > mean).count() as f64 / gaps.len() as f64;
    near(above, (-1f64).exp(), 0.02, "share of gaps longer than the mean");
}

#[test]
fn a_stall_is_seen_by_every_request_that_should_have_started_in_it() {
    // With 4 slots, 96 of them cannot even be sent before the stall is over.
    for depth in [4, 256] {
        let stalled = Faulty::new(device(4, 100, "none"), [Fault::Stall { nth: 500, nanos: 100 * MS }]);
        let (window, recorder) = open(&stalled, depth, Arrivals::Constant(1000.0), 2 * S).unwrap();
        assert!((1999..=2000).contains(&window.ops), "none is left out: {window:?}");
        let slow: u64 = recorder.bins().iter().filter(|(upper, _)| *upper > MS).map(|(_, n)| n).sum();
        assert!((98..=103).contains(&slow), "depth {depth}: {slow} requests were late");
        near(recorder.max() as f64, 1e8, 0.01, "the first waited for all of it");
        // They were late by 100, 99, 98, ... ms.
        for late in [25, 50, 75] {
            let quantile = 1.0 - f64::from(100 - late) / window.ops as f64;
            near(recorder.quantile(quantile) as f64, f64::from(late) * 1e6, 0.1, "spread");
        }
    }
}

#[test]
fn waiting_times_follow_queueing_theory() {
    // Pollaczek and Khinchine at load 0.7: mean wait 0.7 s / (2 (1 - 0.7)), twice that with exponential
    // service.
    for (jitter, wait) in [("none", 0.7 / 0.6), ("exponential", 0.7 / 0.3)] {
        // Where the waiting is done, in the device or before it, must not matter.
        for depth in [2048, 4] {
            let arrivals = Arrivals::Poisson(7000.0);
            let (window, recorder) = open(&device(1, 100, jitter), depth, arrivals, 100 * S).unwrap();
            near(rate(&window), 7000.0, 0.01, "rate");
            let found = recorder.mean() / 1e5 - 1.0;
            near(found, wait, 0.05, &format!("mean wait in service times, jitter {jitter}, depth {depth}"));
        }
    }
}

#[test]
fn overload_loses_and_reorders_nothing_and_latency_grows() {
    for depth in [1, 32, 4096] {
        let spy = Spy::new(device(1, 100, "none"), usize::MAX);
        let (mut lane, mut recorder) = (lane(&spy, depth), Recorder::new());
        let region = Region { start: 0, len: 4096 * 1000 };
        let mut stream = AddressStream::new(workload(1.0, 0.0), region, 5);
        stream.rewind();
        let (arrivals, limits) = (Arrivals::Constant(20_000.0), Limits::of(S));
        let window =
            open_loop(&mut lane, &mut stream, arrivals, &limits, &mut recorder, 1, &never()).unwrap();
        // Twice what it can do, for a second: the last answer comes after two.
        assert!((19_999..=20_000).contains(&window.ops), "depth {depth}: {window:?}");
        near(window.length as f64, 2e9, 0.001, "length");
        for (i, (_, request)) in spy.requests().iter().enumerate() {
            assert_eq!(request.offset, i as u64 % 1000 * 4096, "depth {depth}: request {i} is out of order");
        }
        for share in [0.25, 0.5, 0.75, 1.0] {
            near(recorder.quantile(share) as f64, share * 1e9, 0.01, "latency grows evenly to one second");
        }
    }
}

#[test]
fn requests_filled_ahead_follow_one_another_each_with_new_data() {
    let slots = QueueShape::new(1, 4096).slots(2);
    let eight = Limits { max_ops: 8, ..Limits::of(S) };
    let sequence = |read_share| AddressStream::new(workload(read_share, 0.0), REGION, 3);
    for read_share in [0.0, 1.0] {
        let device = device(4, 100, "none");
        let mut lane = Lane::new(device.queue_pair(slots).unwrap(), device.clock(), 1);
        let window = filled_ahead(&mut lane, &mut sequence(read_share), &eight, &never()).unwrap();
        // One at a time, however many servers there are.
        assert_eq!((window.ops, window.length, window.complete), (8, 8 * 100 * US, true));
        assert_eq!((window.bytes, window.latency_sum), (8 * 4096, 8 * 100_000));
        let (read, written) = lane.traffic();
        assert_eq!((read + written, read > 0), (8 * 4096, read_share > 0.0));
    }
    let memory = MemoryDevice::new(64 << 20, 4096);
    let mut lane = Lane::new(memory.queue_pair(slots).unwrap(), memory.clock(), 1);
    let mut writes = sequence(0.0);
    writes.rewind();
    filled_ahead(&mut lane, &mut writes, &eight, &never()).unwrap();
    let blocks: HashSet<Vec<u8>> = (0..8).map(|block| memory.contents(block * 4096, 4096)).collect();
    assert!(blocks.len() == 8 && !blocks.contains(&vec![0; 4096]), "each block was written, and differs");
    let three = Limits { max_bytes: 3 * 4096 + 1, ..eight };
    let window = filled_ahead(&mut lane, &mut writes, &three, &never()).unwrap();
    assert_eq!((window.ops, window.complete), (3, false));
    let window = filled_ahead(&mut lane, &mut writes, &eight, &AtomicBool::new(true)).unwrap();
    assert_eq!((window.ops, window.complete), (0, false), "cancelled");
}
