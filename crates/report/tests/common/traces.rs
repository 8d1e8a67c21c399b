//! A trace and its replay, made up.

use leadline_profile::replay::{Mapping, Moment, Schedule, Side};
use leadline_profile::{Bin, Latency, Replay};
use leadline_trace::by_file::{BY_FILE_SCHEMA, ByFile, Class, FileUsage, Usage};
use leadline_trace::info::info;
use leadline_trace::{BadLines, Info, InfoOptions, Request, Trace, TraceError, Unit};

/// Skewed requests of 4K to 64K over two volumes for a minute, a third of them writes.
struct MadeUp {
    left: u64,
    at_ns: u64,
    random: fastrand::Rng,
}

impl Trace for MadeUp {
    fn unit(&self) -> Unit {
        Unit::Byte
    }

    fn next(&mut self) -> Result<Option<Request>, TraceError> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let random = &mut self.random;
        self.at_ns += 1_000_000 + random.u64(..4_000_000);
        let skewed = random.f64() * random.f64() * random.f64();
        Ok(Some(Request {
            at_ns: self.at_ns,
            volume: u32::from(random.u32(..10) == 0),
            write: random.u32(..3) == 0,
            address: (skewed * 40_000.0) as u64 * 4096,
            length: 4096 << [0, 0, 0, 1, 2, 4][random.usize(..6)],
        }))
    }

    fn timed(&self) -> bool {
        true
    }
}

fn made_up(requests: u64) -> Info {
    let trace = MadeUp { left: requests, at_ns: 0, random: fastrand::Rng::with_seed(4) };
    info("made-up.csv", trace, &InfoOptions::default(), &mut |_, _| {}).expect("it has no bad lines")
}

pub fn sample_info() -> Info {
    made_up(20_000)
}

pub fn one_request_info() -> Info {
    made_up(1)
}

pub fn empty_info() -> Info {
    made_up(0)
}

fn side(requests: u64, fastest_us: f64) -> Side {
    let mut left = requests;
    let mut histogram = Vec::new();
    for step in 0.. {
        let count = if left < 20 { left } else { left / 8 };
        histogram.push(Bin { upper_us: fastest_us * 1.1f64.powi(step), count });
        left -= count;
        if left == 0 {
            break;
        }
    }
    let at = |quantile: f64| {
        let mut sum = 0;
        let goal = (quantile * requests as f64).ceil() as u64;
        let reached = |bin: &&Bin| {
            sum += bin.count;
            sum >= goal
        };
        histogram.iter().find(reached).map_or(0.0, |bin| bin.upper_us)
    };
    let latency = Latency {
        mean: fastest_us * 1.8,
        p50: at(0.5),
        p90: at(0.9),
        p99: at(0.99),
        p99_5: at(0.995),
        p99_9: at(0.999),
        p99_95: at(0.9995),
        p99_99: at(0.9999),
        max: at(1.0),
    };
    Side { requests, bytes: requests * 4096, latency: Some(latency), histogram }
}

pub fn sample_replay() -> Replay {
    let moment = |i: u32| Moment {
        at_seconds: f64::from(i) * 0.1,
        requests: if i == 50 { 0 } else { 300 },
        bytes: 300 * 4096,
        mean_us: 120.0 + 40.0 * f64::from(i).sin(),
        max_us: 900.0 + 500.0 * (f64::from(i) / 7.0).sin(),
    };
    Replay {
        schema: leadline_profile::replay::REPLAY_SCHEMA.into(),
        trace: "made-up.csv".into(),
        target: "sim:flash".into(),
        device: "sim-flash".into(),
        engine: "simulated".into(),
        direct: true,
        pace: "recorded".into(),
        page_bytes: 4096,
        region: (0, 1 << 30),
        complete: true,
        seconds: 10.0,
        reads: side(20_000, 80.0),
        writes: side(10_000, 25.0),
        all: side(30_000, 25.0),
        mapping: Mapping { wrapped: 17, widened: 3, cut: 1, ..Mapping::default() },
        schedule: Some(Schedule {
            planned_seconds: 9.99,
            late_share: 0.01,
            p99_us: 1_100.0,
            max_us: 5_000.0,
            behind_seconds: 0.01,
        }),
        over_time: (0..100).map(moment).collect(),
        moment_seconds: 0.1,
        ..Replay::default()
    }
}

/// Cut short before anything completed.
pub fn partial_replay() -> Replay {
    let sample = sample_replay();
    Replay {
        complete: false,
        stopped_by: Some("interrupted".into()),
        seconds: 0.0,
        reads: Side::default(),
        writes: Side::default(),
        all: Side::default(),
        over_time: Vec::new(),
        ..sample
    }
}

fn usage(reads: u64, writes: u64) -> Usage {
    Usage {
        requests: reads + writes,
        reads,
        writes,
        syncs: 3,
        bytes: (reads + writes) << 14,
        read_bytes: reads << 14,
        written_bytes: writes << 14,
        page_accesses: reads + writes,
        page_reads: reads,
        page_writes: writes,
        sequential_page_reads: reads / 5,
        random_page_reads: reads - reads / 5,
        random_page_writes: writes,
        sequential_read_share: Some(0.2),
        random_read_share: Some(0.8),
        random_write_share: (writes > 0).then_some(1.0),
        distinct_pages: (reads + writes) / 3,
        footprint_bytes: ((reads + writes) / 3) << 14,
        repeat_access_rate: Some(3.0),
        io_seconds: Some(4.0),
        class: Some(Class::RandomAndRepeated),
        ..Usage::default()
    }
}

pub fn sample_by_file() -> ByFile {
    let file = |name: &str, reads, writes| FileUsage { name: name.to_owned(), usage: usage(reads, writes) };
    ByFile {
        schema: BY_FILE_SCHEMA,
        trace: "q9.capture".to_owned(),
        format: None,
        page_bytes: 16 << 10,
        extent_bytes: 1 << 20,
        named: true,
        exact: true,
        bad_lines: BadLines::default(),
        skipped: leadline_trace::Skipped::default(),
        seconds: Some(10.0),
        computing_seconds: Some(6.0),
        all: usage(840, 60),
        files: vec![file("t/lineitem.ibd", 600, 0), file("t/orders.ibd", 240, 60)],
    }
}

/// More than a terminal shows, with names longer than it has room for.
pub fn many_files() -> ByFile {
    let name = |i| format!("{}/{i}.ibd", "a/very/long/folder".repeat(4));
    let files = (0..100).map(|i| FileUsage { name: name(i), usage: usage(1_000_000_000, 300) }).collect();
    ByFile { files, exact: false, all: usage(100_000_000_000, 30_000), ..sample_by_file() }
}

pub fn files_without_times() -> ByFile {
    let timeless = |usage: Usage| Usage { io_seconds: None, ..usage };
    let volume = |i: u64| FileUsage { name: format!("volume {i}"), usage: timeless(usage(300 + i, 0)) };
    ByFile {
        named: false,
        computing_seconds: None,
        all: timeless(usage(601, 0)),
        files: vec![volume(1), volume(0)],
        ..sample_by_file()
    }
}
