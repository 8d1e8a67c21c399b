//! Replaying traces on devices that are known exactly.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};

use leadline_device::{Clock, Device, Fault, Faulty, FileDevice, FileOptions, IoEngine, Nanos};
use leadline_measure::load::Region;
use leadline_measure::replay::{Pace, ReplayPlan, Replayed, replay};
use leadline_measure::{MeasureError, Stop};
use leadline_sim::{Parametric, ParametricSpec};
use leadline_trace::{Request, Trace, TraceError, Unit};

const US: Nanos = 1_000;
const MS: Nanos = 1_000_000;
const REGION: Region = Region { start: 0, len: 64 << 20 };

/// Reads take `read_us`, writes `write_us`, `servers` of each at once.
fn device(servers: u32, read_us: u32, write_us: u32) -> Parametric {
    let side = |us: u32| format!("service_us = {us}\nservers = {servers}\n");
    let toml = format!(
        "kind = \"parametric\"\ncapacity = \"64M\"\n[read]\n{}[write]\n{}",
        side(read_us),
        side(write_us)
    );
    ParametricSpec::parse(&toml, "test.toml").unwrap().device()
}

/// A trace in memory; `None` is where its file breaks.
struct Given {
    timed: bool,
    requests: VecDeque<Option<Request>>,
}

impl Trace for Given {
    fn unit(&self) -> Unit {
        Unit::Byte
    }

    fn next(&mut self) -> Result<Option<Request>, TraceError> {
        match self.requests.pop_front() {
            None => Ok(None),
            Some(Some(request)) => Ok(Some(request)),
            Some(None) => {
                Err(TraceError::Io { path: "given".into(), source: std::io::Error::other("broke off") })
            }
        }
    }

    fn timed(&self) -> bool {
        self.timed
    }
}

fn given(requests: impl IntoIterator<Item = Request>) -> Given {
    Given { timed: true, requests: requests.into_iter().map(Some).collect() }
}

fn request(at_ns: u64, write: bool, address: u64, length: u32) -> Request {
    Request { at_ns, volume: 0, write, address, length }
}

/// `n` reads of 4K, one every `gap`.
fn reads(n: u64, gap: Nanos) -> Given {
    given((0..n).map(|i| request(i * gap, false, i * 4096, 4096)))
}

fn run(device: &dyn Device, mut trace: Given, plan: &ReplayPlan) -> Result<Replayed, MeasureError> {
    replay(device, &mut trace, plan, &AtomicBool::new(false), &mut |_| {})
}

fn done(device: &dyn Device, trace: Given, pace: Pace) -> leadline_profile::Replay {
    let replayed = run(device, trace, &ReplayPlan::new(pace, REGION, true)).unwrap();
    assert!(replayed.stopped_by.is_none() && replayed.replay.complete);
    replayed.replay
}

/// Latencies come to three digits.
fn near(found_us: f64, truth: Nanos) {
    let truth = truth as f64 / 1e3;
    assert!((found_us / truth - 1.0).abs() < 0.002, "found {found_us} us, truth {truth} us");
}

#[test]
fn one_at_a_time_takes_the_sum_of_the_service_times() {
    let mixed = (0..1000).map(|i| request(0, i % 4 == 0, i * 8192, 4096));
    let replay = done(&device(1, 100, 30), given(mixed), Pace::Closed(1));
    assert_eq!(replay.seconds, (750 * 100 * US + 250 * 30 * US) as f64 / 1e9);
    assert_eq!((replay.reads.requests, replay.writes.requests, replay.all.requests), (750, 250, 1000));
    assert_eq!((replay.reads.bytes, replay.writes.bytes), (750 * 4096, 250 * 4096));
    near(replay.reads.latency.unwrap().p50, 100 * US);
    near(replay.writes.latency.unwrap().max, 30 * US);
    assert!(replay.schedule.is_none());
    assert_eq!(replay.all.histogram.iter().map(|bin| bin.count).sum::<u64>(), 1000);
    assert_eq!(replay.over_time.iter().map(|moment| moment.requests).sum::<u64>(), 1000);
}

#[test]
fn k_at_a_time_share_the_servers() {
    // Four servers, eight under way: each waits once.
    let replay = done(&device(4, 100, 100), reads(4000, 0), Pace::Closed(8));
    assert_eq!(replay.seconds, 0.1);
    near(replay.all.latency.unwrap().p50, 200 * US);
    let replay = done(&device(4, 100, 100), reads(4000, 0), Pace::Closed(2));
    assert_eq!(replay.seconds, 0.2);
    near(replay.all.latency.unwrap().max, 100 * US);
}

#[test]
fn slow_arrivals_wait_for_nothing() {
    let replay = done(&device(1, 100, 100), reads(500, MS), Pace::Recorded(1.0));
    let latency = replay.all.latency.unwrap();
    near(latency.p50, 100 * US);
    near(latency.max, 100 * US);
    assert_eq!(replay.seconds, 0.4991);
    let schedule = replay.schedule.unwrap();
    assert_eq!((schedule.planned_seconds, schedule.late_share, schedule.max_us), (0.499, 0.0, 0.0));
    assert!((schedule.behind_seconds - 0.0001).abs() < 1e-12);
}

#[test]
fn a_replay_ten_times_as_fast_takes_a_tenth_of_the_time() {
    let replay = done(&device(1, 50, 50), reads(500, MS), Pace::Recorded(10.0));
    assert_eq!(replay.seconds, 0.04995);
    near(replay.all.latency.unwrap().max, 50 * US);
    assert_eq!(replay.pace, "x10");
}

#[test]
fn who_arrives_faster_than_the_device_waits_from_the_intended_start() {
    // 1000 at once on one server: the last waits for all, though the device never saw more than the queue
    // holds.
    let replay = done(&device(1, 100, 100), reads(1000, 0), Pace::Recorded(1.0));
    let latency = replay.all.latency.unwrap();
    near(latency.max, 100 * MS);
    near(latency.p50, 50 * MS);
    let schedule = replay.schedule.unwrap();
    // The 129th found the queue full and was sent when the first was done, the last one at the 872nd answer.
    assert!((schedule.max_us - 87_200.0).abs() < 100.0, "{schedule:?}");
    assert!(schedule.late_share > 0.8 && schedule.behind_seconds == 0.1, "{schedule:?}");
}

#[test]
fn a_long_request_goes_in_pieces_and_is_timed_as_one() {
    let long = given([request(0, false, 0, 1 << 20), request(0, true, 1 << 20, 4096)]);
    let replay = done(&device(1, 100, 100), long, Pace::Closed(1));
    // Four pieces of 256K one after the other on the only server, then the write.
    assert_eq!(replay.seconds, 0.0005);
    near(replay.reads.latency.unwrap().max, 400 * US);
    assert_eq!((replay.all.requests, replay.reads.bytes, replay.mapping.cut), (2, 1 << 20, 1));
    let long = given([request(0, false, 0, 1 << 20)]);
    near(done(&device(8, 100, 100), long, Pace::Closed(1)).all.latency.unwrap().max, 100 * US);
}

#[test]
fn what_does_not_fit_the_target_is_mapped_and_counted() {
    let trace = given([
        request(0, false, 0, 4096),
        request(0, false, 64 << 20, 4096),
        request(0, false, (64 << 20) - 4096, 8192),
        request(0, false, 100, 512),
    ]);
    let mapping = done(&device(1, 100, 100), trace, Pace::Closed(1)).mapping;
    assert_eq!((mapping.wrapped, mapping.widened, mapping.cut, mapping.skipped_writes), (2, 1, 1, 0));
}

#[test]
fn writes_are_left_out_where_the_target_may_not_be_written() {
    let mixed = given((0..100).map(|i| request(i * MS, i % 4 == 0, i * 4096, 4096)));
    let plan = ReplayPlan::new(Pace::Recorded(1.0), REGION, false);
    let device = Faulty::new(device(1, 100, 100), []);
    let replay = run(&device, mixed, &plan).unwrap().replay;
    assert_eq!((replay.reads.requests, replay.writes.requests, replay.mapping.skipped_writes), (75, 0, 25));
    assert_eq!(device.submitted(), 75);
}

#[test]
fn a_limit_counts_requests_of_the_trace() {
    let plan = ReplayPlan { limit: 10, ..ReplayPlan::new(Pace::Closed(4), REGION, true) };
    let replayed = run(&device(1, 100, 100), reads(1000, 0), &plan).unwrap();
    assert!(replayed.stopped_by.is_none());
    assert_eq!(replayed.replay.all.requests, 10);
}

#[test]
fn an_empty_trace_is_done_at_once() {
    for pace in [Pace::Closed(1), Pace::Recorded(1.0)] {
        let replay = done(&device(1, 100, 100), reads(0, 0), pace);
        assert_eq!((replay.seconds, replay.all.requests), (0.0, 0));
        assert!(replay.all.latency.is_none());
    }
}

#[test]
fn a_request_that_fails_is_named_and_what_was_done_is_kept() {
    for (errno, words) in [(5, "Input/output error"), (28, "No space left")] {
        let device = Faulty::new(device(1, 100, 100), [Fault::FailOnce { nth: 7, errno }]);
        let trace = given((0..100).map(|i| request(i * MS, true, i * 4096, 4096)));
        let replayed = run(&device, trace, &ReplayPlan::new(Pace::Closed(1), REGION, true)).unwrap();
        let Some(Stop::Failed(error)) = replayed.stopped_by else { panic!("it did not stop") };
        let said = error.to_string();
        assert!(said.contains("request 8 of the trace, a write of 4096 bytes at byte 28672"), "{said}");
        assert!(said.contains(words), "{said}");
        assert!(!replayed.replay.complete);
        assert_eq!(replayed.replay.all.requests, 7);
    }
}

#[test]
fn a_device_that_hangs_is_given_up() {
    let device = Faulty::new(device(1, 100, 100), [Fault::HangFrom { nth: 20 }]);
    let replayed = run(&device, reads(100, MS), &ReplayPlan::new(Pace::Recorded(1.0), REGION, true)).unwrap();
    assert!(matches!(replayed.stopped_by, Some(Stop::Failed(MeasureError::Stalled { .. }))));
    assert_eq!(replayed.replay.all.requests, 20);
}

#[test]
fn a_trace_that_breaks_off_stops_with_its_own_words() {
    let mut trace = reads(5, 0);
    trace.requests.push_back(None);
    let replayed = run(&device(1, 100, 100), trace, &ReplayPlan::new(Pace::Closed(1), REGION, true)).unwrap();
    let Some(Stop::Failed(error)) = replayed.stopped_by else { panic!("it did not stop") };
    assert_eq!(error.to_string(), "given: broke off");
}

#[test]
fn a_cancel_stops_sending_and_keeps_what_was_done() {
    /// Raises the flag at the hundredth request.
    struct Impatient<'a>(Given, &'a AtomicBool, u32);
    impl Trace for Impatient<'_> {
        fn unit(&self) -> Unit {
            self.0.unit()
        }
        fn next(&mut self) -> Result<Option<Request>, TraceError> {
            self.2 += 1;
            self.1.store(self.2 >= 100, Ordering::Relaxed);
            self.0.next()
        }
        fn timed(&self) -> bool {
            true
        }
    }
    for pace in [Pace::Closed(3), Pace::Recorded(1.0)] {
        let flag = AtomicBool::new(false);
        let mut trace = Impatient(reads(100_000, MS), &flag, 0);
        let plan = ReplayPlan::new(pace, REGION, true);
        let replayed = replay(&device(1, 100, 100), &mut trace, &plan, &flag, &mut |_| {}).unwrap();
        assert!(matches!(replayed.stopped_by, Some(Stop::Cancelled)));
        let count = replayed.replay.all.requests;
        assert!((99..=100).contains(&count), "{count}");
    }
}

#[test]
fn plans_that_fit_neither_trace_nor_target_are_refused() {
    let untimed = || Given { timed: false, ..reads(5, 0) };
    let plan = |pace| ReplayPlan::new(pace, REGION, true);
    let said = |trace, plan: ReplayPlan| match run(&device(1, 100, 100), trace, &plan) {
        Err(MeasureError::Plan(said)) => said.to_string(),
        _ => panic!("not refused"),
    };
    assert!(said(untimed(), plan(Pace::Recorded(1.0))).contains("closed:K"));
    assert!(said(reads(5, 0), plan(Pace::Recorded(f64::NAN))).contains("positive"));
    let small = Region { start: 0, len: 100 };
    assert!(said(reads(5, 0), ReplayPlan::new(Pace::Closed(1), small, true)).contains("100 bytes"));
    assert_eq!("closed:16".parse(), Ok(Pace::Closed(16)));
    assert_eq!("x2.5".parse(), Ok(Pace::Recorded(2.5)));
    for bad in ["closed:0", "closed:4097", "closed", "x0", "x-1", "xnan", "fast", ""] {
        assert!(bad.parse::<Pace>().is_err(), "{bad}");
    }
}

#[test]
fn a_real_file_is_replayed_and_only_its_region_touched() {
    let file = tempfile::tempfile().unwrap();
    file.set_len(4 << 20).unwrap();
    let options = FileOptions::new(IoEngine::Psync, 512).direct(false);
    let device = FileDevice::new(file.try_clone().unwrap(), 4 << 20, options).unwrap();
    assert_eq!(device.clock(), Clock::Wall);
    let region = Region { start: 1 << 20, len: 1 << 20 };
    let trace = given((0..300).map(|i| request(i * 20 * US, true, i * 70_000, 65_536)));
    for pace in [Pace::Recorded(1.0), Pace::Closed(4)] {
        let trace = Given { timed: true, requests: trace.requests.clone() };
        let replayed = run(&device, trace, &ReplayPlan::new(pace, region, true)).unwrap();
        assert!(replayed.stopped_by.is_none());
        assert_eq!(replayed.replay.writes.requests, 300);
    }
    let mut bytes = vec![0; 4 << 20];
    std::os::unix::fs::FileExt::read_exact_at(&file, &mut bytes, 0).unwrap();
    let written = |part: &[u8]| part.iter().any(|&byte| byte != 0);
    assert!(!written(&bytes[..1 << 20]) && written(&bytes[1 << 20..2 << 20]) && !written(&bytes[2 << 20..]));
}
