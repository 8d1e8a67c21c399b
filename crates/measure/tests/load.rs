//! The load generator is the instrument: held to what must come out of devices that are known exactly.

use std::collections::HashSet;
use std::io::Read as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use leadline_device::{
    Clock, Completion, Device, DeviceError, Fault, Faulty, FileDevice, FileOptions, Geometry, IoEngine,
    MemoryDevice, Nanos, Op, QueuePair, QueueShape, Request, RequestError,
};
use leadline_measure::load::{
    AddressStream, Arrivals, Lane, Limits, Recorder, Region, Spread, Window, Workload, closed_loop,
    filled_ahead, open_loop,
};
use leadline_measure::{Budget, Lanes, MeasureError, Plan, Rig};
use leadline_sim::{Parametric, ParametricSpec};

const US: Nanos = 1_000;
const MS: Nanos = 1_000_000;
const S: Nanos = 1_000_000_000;
const REGION: Region = Region { start: 0, len: 64 << 20 };

/// `servers` that each take `service_us`, for reads and writes alike.
fn device(servers: u32, service_us: u64, jitter: &str) -> Parametric {
    let side = format!("service_us = {service_us}\nservers = {servers}\n");
    let toml = format!(
        "kind = \"parametric\"\ncapacity = \"64M\"\njitter = \"{jitter}\"\n[read]\n{side}[write]\n{side}"
    );
    ParametricSpec::parse(&toml, "test.toml").unwrap().device()
}

fn workload(read_share: f64, random_fraction: f64) -> Workload {
    Workload { read_share, block_bytes: 4096, random_fraction, spread: Spread::Uniform, durable: false }
}

fn reads() -> AddressStream {
    AddressStream::new(workload(1.0, 1.0), REGION, 3)
}

fn writes() -> AddressStream {
    AddressStream::new(workload(0.0, 1.0), REGION, 3)
}

fn lane(device: &dyn Device, depth: u32) -> Lane {
    Lane::new(device.queue_pair(QueueShape::new(depth, 4096)).unwrap(), device.clock(), 1)
}

fn never() -> AtomicBool {
    AtomicBool::new(false)
}

/// One closed-loop slice of reads on a new lane, with its latencies.
fn closed(device: &dyn Device, k: u32, limits: &Limits) -> Result<(Window, Recorder), MeasureError> {
    let mut recorder = Recorder::new();
    let window = closed_loop(&mut lane(device, k), &mut reads(), k, limits, &mut recorder, &never())?;
    Ok((window, recorder))
}

/// One open-loop slice of reads on a new lane, with its latencies.
fn open(
    device: &dyn Device,
    depth: u32,
    arrivals: Arrivals,
    duration: Nanos,
) -> Result<(Window, Recorder), MeasureError> {
    let (mut lane, mut recorder) = (lane(device, depth), Recorder::new());
    let limits = Limits::of(duration);
    let window = open_loop(&mut lane, &mut reads(), arrivals, &limits, &mut recorder, 7, &never())?;
    Ok((window, recorder))
}

fn rate(window: &Window) -> f64 {
    window.ops as f64 * 1e9 / window.length as f64
}

fn near(found: f64, truth: f64, share: f64, what: &str) {
    assert!((found / truth - 1.0).abs() <= share, "{what}: found {found}, truth {truth}");
}

/// Runs something that must end: a loop that does not would otherwise hang all tests.
fn ends<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || sender.send(run()));
    receiver.recv_timeout(Duration::from_secs(20)).expect("it does not end")
}

/// A device that writes down what it is asked, when, and raises a flag at the nth request.
struct Spy<D> {
    device: D,
    log: Arc<Mutex<Vec<(Nanos, Request)>>>,
    flag: Arc<AtomicBool>,
    flag_at: usize,
}

impl<D: Device> Spy<D> {
    fn new(device: D, flag_at: usize) -> Self {
        Spy { device, log: Arc::default(), flag: Arc::default(), flag_at }
    }

    fn requests(&self) -> Vec<(Nanos, Request)> {
        self.log.lock().unwrap().clone()
    }
}

impl<D: Device> Device for Spy<D> {
    fn geometry(&self) -> Geometry {
        self.device.geometry()
    }

    fn clock(&self) -> Clock {
        self.device.clock()
    }

    fn queue_pair(&self, shape: QueueShape) -> Result<Box<dyn QueuePair>, DeviceError> {
        Ok(Box::new(SpyPair {
            inner: self.device.queue_pair(shape)?,
            log: Arc::clone(&self.log),
            flag: Arc::clone(&self.flag),
            flag_at: self.flag_at,
        }))
    }
}

struct SpyPair {
    inner: Box<dyn QueuePair>,
    log: Arc<Mutex<Vec<(Nanos, Request)>>>,
    flag: Arc<AtomicBool>,
    flag_at: usize,
}

impl QueuePair for SpyPair {
    fn geometry(&self) -> Geometry {
        self.inner.geometry()
    }

    fn shape(&self) -> QueueShape {
        self.inner.shape()
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.inner.buffer(slot)
    }

    fn submit(&mut self, request: Request) -> Result<(), RequestError> {
        let mut log = self.log.lock().unwrap();
        log.push((self.inner.now(), request));
        if log.len() == self.flag_at {
            self.flag.store(true, Ordering::Relaxed);
        }
        self.inner.submit(request)
    }

    fn reap(
        &mut self,
        min: u32,
        deadline: Nanos,
        completions: &mut Vec<Completion>,
    ) -> Result<(), DeviceError> {
        self.inner.reap(min, deadline, completions)
    }

    fn now(&self) -> Nanos {
        self.inner.now()
    }

    fn in_flight(&self) -> u32 {
        self.inner.in_flight()
    }
}

// Closed loop.

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

// A real file.

fn file_device(len: u64) -> (tempfile::NamedTempFile, FileDevice) {
    let file = tempfile::NamedTempFile::new().unwrap();
    file.as_file().set_len(len).unwrap();
    let options = FileOptions::new(IoEngine::Psync, 4096).direct(false);
    let device = FileDevice::new(file.reopen().unwrap(), len, options).unwrap();
    (file, device)
}

#[test]
fn what_is_written_is_on_the_file_and_no_two_blocks_are_alike() {
    let len = 2 << 20;
    let (file, device) = file_device(len);
    let began = leadline_device::clock::now();
    let mut seen: HashSet<Vec<u8>> = HashSet::new();
    for (seed, k) in [(1, 1), (1 << 32, 1), (2, 8)] {
        let queue = device.queue_pair(QueueShape::new(k, 8192)).unwrap();
        let mut lane = Lane::new(queue, Clock::Wall, seed);
        for pass in 0..2 {
            let mut stream = AddressStream::new(
                Workload { block_bytes: 8192, ..workload(0.0, 0.0) },
                Region { start: 0, len },
                seed,
            );
            let limits = Limits { max_bytes: len, ..Limits::of(3600 * S) };
            closed_loop(&mut lane, &mut stream, k, &limits, &mut Recorder::new(), &never()).unwrap();
            let mut bytes = Vec::new();
            file.reopen().unwrap().read_to_end(&mut bytes).unwrap();
            for (i, block) in bytes.chunks(4096).enumerate() {
                assert!(seen.insert(block.to_vec()), "seed {seed} pass {pass} block {i}: seen before");
                let zeros = block.iter().filter(|b| **b == 0).count();
                assert!(zeros < 64, "block {i} was not filled to its end: {zeros} zeros");
            }
        }
    }
    assert_eq!(seen.len() as u64, 6 * len / 4096);
    assert!(
        leadline_device::clock::now() - began < 9 * S,
        "it slept until the watchdog with nothing in flight"
    );
}

#[test]
fn lanes_share_out_concurrency_and_bytes() {
    let (_file, device) = file_device(4 << 20);
    for (lanes, k) in [(Lanes::Threads(3), 7), (Lanes::Threads(3), 2), (Lanes::OneRequestEach, 5)] {
        let mut plan = Plan::new(Budget::Quick, device.geometry(), device.clock());
        (plan.lanes, plan.max_concurrency) = (lanes, 8);
        let mut rig = Rig::new(&device, &plan, 4096, Arc::default()).unwrap();
        let mut streams = rig.streams(workload(0.0, 1.0), Region { start: 0, len: 4 << 20 }, 1);
        let mut latencies = Recorder::new();
        let limits = Limits { max_bytes: 1000 * 4096, ..Limits::of(3600 * S) };
        let result = rig.slice(&mut streams, k, &limits, &mut latencies).unwrap();
        let sent = rig.traffic().1;
        let used = u64::from(k.min(if lanes == Lanes::OneRequestEach { 8 } else { 3 }));
        assert_eq!(sent, 1000 / used * used * 4096, "{lanes:?}, k = {k}");
        assert_eq!(latencies.count(), result.ops);
        assert!(!result.complete, "it ran out of bytes, not of time");
    }
}

// Open loop.

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
