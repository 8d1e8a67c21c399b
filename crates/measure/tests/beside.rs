//! `pressure` and `tail` against a simulation of their own: Poisson arrivals, servers and service times,
//! written here and sharing nothing with the simulated devices.

use std::sync::Arc;

use leadline_device::Device as _;
use leadline_measure::experiment::{self, Experiment, ExperimentPlan};
use leadline_profile::{InternalWork, OpKind, Pressure, PressurePoint};
use leadline_sim::{DeviceSpec, Parametric, ParametricSpec};

/// Service time of a request and how many are served at once.
#[derive(Clone, Copy)]
struct Side {
    service_us: f64,
    per_kib_us: f64,
    servers: usize,
}

const READ: Side = Side { service_us: 100.0, per_kib_us: 1.0, servers: 2 };
const WRITE: Side = Side { service_us: 150.0, per_kib_us: 2.0, servers: 3 };

/// How service times scatter around their mean.
#[derive(Clone, Copy, PartialEq)]
enum Jitter {
    None,
    Exponential,
}

impl Side {
    fn of(op: OpKind) -> Side {
        if op == OpKind::Read { READ } else { WRITE }
    }

    fn mean_us(self, kib: f64) -> f64 {
        self.service_us + self.per_kib_us * kib
    }
}

/// Requests that wait in one line for whichever of some servers is free first.
struct Line {
    side: Side,
    jitter: Jitter,
    free_at: Vec<f64>,
}

impl Line {
    fn new(side: Side, jitter: Jitter) -> Line {
        Line { side, jitter, free_at: vec![0.0; side.servers] }
    }

    /// When a request that comes at `now` is done.
    fn serve(&mut self, now: f64, kib: f64, random: &mut fastrand::Rng) -> f64 {
        let first = (0..self.free_at.len()).min_by(|&a, &b| self.free_at[a].total_cmp(&self.free_at[b]));
        let factor = match self.jitter {
            Jitter::None => 1.0,
            Jitter::Exponential => -(1.0 - random.f64()).ln(),
        };
        let server = &mut self.free_at[first.unwrap()];
        *server = server.max(now) + self.side.mean_us(kib) * factor;
        *server
    }
}

/// Ascending latencies, microseconds, of `count` foreground requests of 4 KiB, each sent when the one before
/// is done, beside background requests of 16 KiB at `rate` per microsecond.
fn simulate(foreground: OpKind, background: Option<(OpKind, f64)>, jitter: Jitter, count: usize) -> Vec<f64> {
    let mut random = fastrand::Rng::with_seed(0xbe51de);
    let mut lines = [OpKind::Read, OpKind::Write].map(|op| Line::new(Side::of(op), jitter));
    let line = |op: OpKind| usize::from(op == OpKind::Write);
    let (mut now, mut arrival, mut latencies) = (0.0, f64::INFINITY, Vec::with_capacity(count));
    let gap = |random: &mut fastrand::Rng, rate: f64| -(1.0 - random.f64()).ln() / rate;
    if let Some((_, rate)) = background {
        arrival = gap(&mut random, rate);
    }
    while latencies.len() < count {
        while let Some((op, rate)) = background.filter(|_| arrival <= now) {
            lines[line(op)].serve(arrival, 16.0, &mut random);
            arrival += gap(&mut random, rate);
        }
        let done = lines[line(foreground)].serve(now, 4.0, &mut random);
        latencies.push(done - now);
        now = done;
    }
    latencies.sort_by(f64::total_cmp);
    latencies
}

fn device(jitter: Jitter) -> Parametric {
    let side = |name: &str, Side { service_us, per_kib_us, servers }: Side| {
        format!("[{name}]\nservice_us = {service_us}\nper_kib_us = {per_kib_us}\nservers = {servers}\n")
    };
    let jitter = if jitter == Jitter::None { "none" } else { "exponential" };
    let (read, write) = (side("read", READ), side("write", WRITE));
    let toml = format!("kind = \"parametric\"\ncapacity = \"1G\"\njitter = \"{jitter}\"\n{read}{write}");
    ParametricSpec::parse(&toml, "test.toml").unwrap().device()
}

fn measure(
    experiment: &'static dyn Experiment,
    jitter: Jitter,
    max_ops_per_slice: u64,
    seconds: f64,
) -> Pressure {
    let device = device(jitter);
    let mut plan = ExperimentPlan::new(experiment, device.geometry(), device.clock());
    (plan.layout, plan.max_ops_per_slice, plan.seconds) = (false, max_ops_per_slice, seconds);
    let ran = experiment::run(&device, &plan, &Arc::default(), &mut |_| ()).unwrap();
    assert!(ran.stopped_by.is_none());
    ran.found.pressure.or(ran.found.tail).unwrap()
}

/// The point's percentiles (the mean first, as `None`) against the simulation's.
fn compare(point: &PressurePoint, jitter: Jitter, percentiles: &[(f64, f64)], count: usize) {
    let background = point.background.map(|b| (b.op, b.offered_bytes_per_second / 16384.0 / 1e6));
    let latencies = simulate(point.op, background, jitter, count);
    let near = |found: f64, truth: f64, what: &str| {
        assert!((found / truth - 1.0).abs() < 0.05, "{what}: found {found}, truth {truth}: {point:?}");
    };
    near(point.latency_us.mean, latencies.iter().sum::<f64>() / count as f64, "mean");
    for &(q, found) in percentiles {
        near(found, latencies[(q * count as f64) as usize], &format!("p{}", q * 100.0));
    }
}

#[test]
fn pressure_is_that_of_an_independent_simulation() {
    for jitter in [Jitter::Exponential, Jitter::None] {
        let pressure = measure(experiment::PRESSURE, jitter, 30_000, 2000.0);
        assert_eq!((pressure.block_bytes, pressure.background_block_bytes), (4096, 16384));
        // 2 / 116 us and 3 / 182 us, times 16 KiB: 282 and 270 MB/s, so that 50, 100 and 200 MB/s fit.
        for (capacity, truth) in pressure.capacities.iter().zip([282.5e6, 270.1e6]) {
            assert!((capacity.bandwidth_bytes / truth - 1.0).abs() < 0.05, "{capacity:?}");
        }
        let [reads, writes] = &pressure.procedure.notes[..] else { panic!("{:?}", pressure.procedure.notes) };
        assert!(reads.contains("random reads of 16K") && reads.ends_with("400, 800, 1200, 1500 MB/s"));
        assert!(writes.contains("random writes of 16K"), "{writes}");
        assert_eq!(pressure.points.len(), 4 * (1 + 3 + 3));
        for point in &pressure.points {
            let l = &point.latency_us;
            compare(point, jitter, &[(0.5, l.p50), (0.99, l.p99)], 200_000);
            let [low, high] = point.mean_us_ci.unwrap();
            assert!(low <= l.mean && l.mean <= high && point.ops > 20_000, "{point:?}");
            if let Some(background) = point.background {
                let ratio = background.bytes_per_second / background.offered_bytes_per_second;
                assert!((ratio - 1.0).abs() < 0.03, "{background:?}");
            }
        }
    }
}

#[test]
fn tails_are_those_of_an_independent_simulation() {
    let tail = measure(experiment::TAIL, Jitter::Exponential, 200_000, 2000.0);
    assert_eq!(tail.points.len(), 7);
    for (point, load) in tail.points[1..5].iter().zip([0.3, 0.7, 0.3, 0.7]) {
        let background = point.background.unwrap();
        let share = background.offered_bytes_per_second / tail.capacity(background.op).unwrap();
        assert!((share - load).abs() < 1e-9, "{share}");
    }
    // Writes of 4 KiB one at a time, which have servers of their own.
    let [overwriting, over_and_over] = &tail.points[5..] else { panic!("{:?}", tail.points) };
    assert_eq!(overwriting.provokes, Some(InternalWork::Collection));
    assert_eq!((over_and_over.provokes, over_and_over.background), (Some(InternalWork::ReadDisturb), None));
    let written = overwriting.background.unwrap().bytes_per_second;
    assert!((written * WRITE.mean_us(4.0) / 4096e6 - 1.0).abs() < 0.02, "{written}");
    let at_rest = PressurePoint { background: None, ..overwriting.clone() };
    for point in tail.points[..5].iter().chain([&at_rest, over_and_over]) {
        let l = &point.latency_us;
        let percentiles = [(0.5, l.p50), (0.9, l.p90), (0.99, l.p99), (0.999, l.p99_9), (0.9999, l.p99_99)];
        compare(point, Jitter::Exponential, &percentiles, 2_000_000);
    }
}

#[test]
fn reads_wait_for_collection_and_for_refreshes_where_the_drive_has_them() {
    let tail = |text: &str| {
        let device = DeviceSpec::parse(text, "test.toml").unwrap().device();
        let mut plan = ExperimentPlan::new(experiment::TAIL, device.geometry(), device.clock());
        (plan.layout, plan.max_ops_per_slice, plan.seconds) = (false, 20_000, 60.0);
        let ran = experiment::run(&device, &plan, &Arc::default(), &mut |_| ()).unwrap();
        let tail = ran.found.tail.unwrap();
        let of = |work: Option<InternalWork>| {
            let point = |p: &&PressurePoint| p.provokes == work && (work.is_some() || p.background.is_none());
            tail.points.iter().find(point).unwrap_or_else(|| panic!("{work:?}: {tail:?}")).latency_us
        };
        [None, Some(InternalWork::Collection), Some(InternalWork::ReadDisturb)].map(of)
    };
    let drive = "kind = \"flash\"\ncapacity = \"64M\"\nover_provisioning = 0.1\nstate = \"steady\"\n\
                 geometry = {channels = 2, dies_per_channel = 2, planes = 1, pages_per_block = 64, \
                 page_bytes = 4096}\ntiming = {read_us = 50, program_us = 500, erase_us = 5000, bus_mb_per_s = 400}\n\
                 buffer = {write = \"1M\", power_loss_protection = true}\n";
    let [at_rest, overwritten, over_and_over] = tail(drive);
    assert!(overwritten.p99 > 5.0 * at_rest.p99, "{overwritten:?}, at rest {at_rest:?}");
    assert!(over_and_over.p99_9 < 1.1 * at_rest.p99_9, "{over_and_over:?}, at rest {at_rest:?}");
    let [_, _, over_and_over] = tail(&format!("{drive}disturb = {{reads = 200}}\n"));
    assert!(over_and_over.p99_9 > 5.0 * over_and_over.p50, "{over_and_over:?}");
}
