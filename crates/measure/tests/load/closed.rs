//! The closed loop.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use leadline_device::{Fault, Faulty, Op};
use leadline_measure::MeasureError;
use leadline_measure::load::{
    AddressStream, Arrivals, Limits, Recorder, Region, Workload, closed_loop, open_loop,
};

use super::{MS, S, Spy, US, closed, device, ends, lane, near, never, open, rate, reads, workload, writes};

#[test]
fn throughput_latency_and_littles_law_are_exact_where_the_device_is() {
    for (servers, k) in [(1, 1), (1, 5), (4, 1), (4, 3), (4, 4), (4, 12), (7, 100), (80, 79), (80, 256)] {
        let (window, recorder) = closed(&device(servers, 100, "none"), k, &Limits::of(2 * S)).unwrap();
        let what = format!("{servers} servers, k = {k}");
        let busy = u64::from(k.min(servers));
        assert!(window.complete && window.length >= 2 * S, "{what}");
        if k <= servers || k % servers == 0 {
            assert_eq!(window.ops * 100 * US, busy * window.length, "{what}: throughput");
            assert_eq!(window.latency_sum, u128::from(k) * u128::from(window.length), "{what}: X R = k");
            let latency = (u64::from(k) * 100 * US / busy) as f64;
            assert_eq!(recorder.mean(), latency, "{what}");
            near(recorder.quantile(0.0) as f64, latency, 0.001, &what);
            near(recorder.max() as f64, latency, 0.001, &what);
        } else {
            near(rate(&window), busy as f64 * 1e4, 0.001, &what);
            near(window.latency_sum as f64 / window.length as f64, k.into(), 0.001, &what);
        }
        assert_eq!(
            recorder.count(),
            window.ops,
            "{what}: every request of the window is in the histogram once"
        );
        assert_eq!(window.bytes, window.ops * 4096, "{what}");
    }
}

#[test]
fn short_slices_are_as_exact_as_long_ones() {
    // 50 rounds of the queue: a wave lost at either edge would be 2 %.
    for k in [1, 8, 64] {
        let (window, _) = closed(&device(64, 100, "none"), k, &Limits::of(5 * MS)).unwrap();
        assert_eq!(window.ops * 100 * US, u64::from(k) * window.length, "k = {k}");
    }
}

#[test]
fn a_stall_before_the_window_opens_is_ramp() {
    let stalled = Faulty::new(device(4, 1000, "none"), [Fault::Stall { nth: 0, nanos: 200 * MS }]);
    let (window, recorder) = closed(&stalled, 4, &Limits::of(S)).unwrap();
    assert!(window.opened >= 200 * MS, "{window:?}");
    assert_eq!(rate(&window), 4000.0);
    assert!(recorder.max() < 2 * MS, "{}", recorder.max());
}

#[test]
fn a_stall_in_the_window_counts_in_full() {
    // Four servers of 1 ms do 4000 a second; one of the two seconds is lost.
    let stalled = Faulty::new(device(4, 1000, "none"), [Fault::Stall { nth: 2000, nanos: S }]);
    let (window, recorder) = closed(&stalled, 4, &Limits::of(2 * S)).unwrap();
    near(rate(&window), 2000.0, 0.005, "capacity");
    assert!((S - 2 * MS..S + 2 * MS).contains(&recorder.max()), "{}", recorder.max());
    assert!(window.length < 2 * S + 10 * MS);
}

#[test]
fn a_stall_at_the_end_of_the_window_is_waited_for_and_counts() {
    let stalled = Faulty::new(device(4, 1000, "none"), [Fault::Stall { nth: 8000, nanos: S }]);
    let (window, recorder) = closed(&stalled, 4, &Limits::of(2 * S)).unwrap();
    // It opened at 0.1 s, ran to 2 s at full speed, and closed with the first answer after the stall.
    assert!((2890 * MS..2920 * MS).contains(&window.length), "{}", window.length);
    near(rate(&window), 4000.0 * 1.9 / 2.9, 0.01, "capacity");
    assert!(recorder.max() > 990 * MS);
}

#[test]
fn a_failing_request_is_an_error_with_its_reason() {
    for (errno, reason) in [
        (5, "Input/output error"),
        (28, "No space left on device"),
        (19, "No such device"),
        (61, "a medium error: the drive cannot read, or write, this place"),
        (84, "a protection error"),
        (110, "did not answer in time"),
    ] {
        for nth in [0, 3, 700] {
            let fault = [Fault::FailOnce { nth, errno }];
            let error = closed(&Faulty::new(device(4, 100, "none"), fault), 4, &Limits::of(S)).err().unwrap();
            assert!(matches!(error, MeasureError::Request { block_bytes: 4096, .. }), "{error:?}");
            assert!(error.to_string().contains(reason) && error.to_string().contains("4096"), "{error}");
            let failing = Faulty::new(device(4, 100, "none"), fault);
            let error = open(&failing, 4, Arrivals::Constant(1e4), S).err().unwrap();
            assert!(error.to_string().contains(reason), "{error}");
        }
    }
}

#[test]
fn a_bad_place_is_named_with_its_offset() {
    let bad = 5 * 4096 * 1000;
    let fault = [Fault::errno(61).within(bad..bad + 4096)];
    let error = closed(&Faulty::new(device(4, 100, "none"), fault), 4, &Limits::of(60 * S)).err().unwrap();
    let MeasureError::Request { offset, .. } = error else { panic!("{error:?}") };
    assert_eq!(offset, bad);
    assert!(error.to_string().contains(&format!("at byte {bad} of the target failed")), "{error}");
}

#[test]
fn a_device_that_stops_answering_is_given_up_after_the_watchdog() {
    for nth in [0, 2, 1000] {
        let error = ends(move || {
            let hanging = Faulty::new(device(4, 100, "none"), [Fault::HangFrom { nth }]);
            let limits = Limits { watchdog: 3 * S, ..Limits::of(60 * S) };
            closed(&hanging, 4, &limits).err().unwrap()
        });
        let MeasureError::Stalled { in_flight, seconds } = error else { panic!("{error:?}") };
        assert_eq!((in_flight, seconds), (4, 3.0), "from request {nth}");
    }
    let error = ends(|| {
        let hanging = Faulty::new(device(4, 100, "none"), [Fault::HangFrom { nth: 500 }]);
        open(&hanging, 16, Arrivals::Constant(1000.0), 60 * S).err().unwrap()
    });
    assert!(matches!(error, MeasureError::Stalled { in_flight: 16, .. }), "{error:?}");
    assert!(error.to_string().contains("16 requests in flight"), "{error}");
}

#[test]
fn a_device_slower_than_the_slice_but_quicker_than_the_watchdog_is_waited_for() {
    let (window, _) = ends(|| closed(&device(1, 5_000_000, "none"), 1, &Limits::of(S)).unwrap());
    assert!(window.complete && window.ops == 1 && window.length == 5 * S, "{window:?}");
}

#[test]
fn a_cancel_ends_the_slice_and_leaves_the_lane_usable() {
    let spy = Spy::new(device(4, 100, "none"), 1000);
    let cancel = Arc::clone(&spy.flag);
    let (mut lane, mut recorder) = (lane(&spy, 8), Recorder::new());
    let hour = Limits::of(3600 * S);
    let window = closed_loop(&mut lane, &mut reads(), 8, &hour, &mut recorder, &cancel).unwrap();
    assert!(!window.complete, "a slice cut short says so");
    assert!(spy.requests().len() <= 1008, "it went on after the cancel: {}", spy.requests().len());
    cancel.store(false, Ordering::Relaxed);
    let window = closed_loop(&mut lane, &mut reads(), 8, &Limits::of(S), &mut recorder, &cancel).unwrap();
    assert!(window.complete && window.ops == 40_000, "{window:?}");

    cancel.store(true, Ordering::Relaxed);
    let arrivals = Arrivals::Poisson(1e4);
    let window = open_loop(&mut lane, &mut reads(), arrivals, &hour, &mut recorder, 1, &cancel).unwrap();
    assert!(!window.complete && window.ops < 10);
}

#[test]
fn never_more_bytes_than_allowed_and_no_fewer() {
    for (k, max) in
        [(1, 4096), (4, 4 * 4096), (8, 1000 * 4096), (8, 1000 * 4096 + 4095), (64, 3 * 4096), (4, 4095)]
    {
        let spy = Spy::new(device(4, 100, "none"), usize::MAX);
        let limits = Limits { max_bytes: max, ..Limits::of(3600 * S) };
        let (mut lane, mut recorder) = (lane(&spy, k), Recorder::new());
        closed_loop(&mut lane, &mut writes(), k, &limits, &mut recorder, &never()).unwrap();
        assert_eq!(lane.traffic(), (0, max / 4096 * 4096), "k = {k}");
        let sent: u64 = spy.requests().iter().map(|(_, r)| u64::from(r.len)).sum();
        assert_eq!(sent, max / 4096 * 4096, "k = {k}: what is counted is what was sent");
        let before = lane.traffic();
        let arrivals = Arrivals::Constant(1e5);
        let second = Limits { max_bytes: max, ..Limits::of(S) };
        let window =
            open_loop(&mut lane, &mut writes(), arrivals, &second, &mut recorder, 1, &never()).unwrap();
        assert_eq!(lane.traffic().1 - before.1, max / 4096 * 4096, "open loop, depth {k}");
        assert_eq!(window.bytes, max / 4096 * 4096);
        assert!(!window.complete, "it ran out of bytes, not of time");
    }
}

#[test]
fn max_ops_closes_the_window_early_and_in_good_order() {
    let limits = Limits { max_ops: 500, ..Limits::of(3600 * S) };
    let limits = Limits { duration: 10 * S, ..limits };
    let (window, recorder) = closed(&device(4, 100, "none"), 4, &limits).unwrap();
    assert!(window.complete && (500..504).contains(&window.ops), "{window:?}");
    assert_eq!(recorder.count(), window.ops);
    near(rate(&window), 4e4, 1e-9, "capacity");
}

#[test]
fn mixes_reach_the_device_as_asked() {
    let spy = Spy::new(device(16, 100, "none"), usize::MAX);
    let mix = Workload { durable: true, ..workload(0.7, 1.0) };
    let region = Region { start: 8 << 20, len: 4 << 20 };
    let mut stream = AddressStream::new(mix, region, 9);
    let (mut lane, mut recorder) = (lane(&spy, 16), Recorder::new());
    closed_loop(&mut lane, &mut stream, 16, &Limits::of(S), &mut recorder, &never()).unwrap();
    let requests = spy.requests();
    let reads = requests.iter().filter(|(_, r)| r.op == Op::Read).count();
    near(reads as f64 / requests.len() as f64, 0.7, 0.01, "share of reads");
    for (_, r) in &requests {
        assert_eq!(r.durable, r.op == Op::Write, "writes are durable, and only they: {r:?}");
        assert!(r.offset >= region.start && r.offset + 4096 <= region.start + region.len, "{r:?}");
    }
    assert_eq!(lane.traffic().0, reads as u64 * 4096);
    assert_eq!(lane.traffic().1, (requests.len() - reads) as u64 * 4096);
}
