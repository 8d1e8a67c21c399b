//! From an outcome to the profile, and from an interrupted run's profile back to what it had measured.

use std::collections::BTreeMap;

use leadline_device::Clock;
use leadline_profile::{
    Bin, BudgetKind, Cliff, DeviceFacts, DeviceKind, DeviceProfile, DeviceState, EngineKind, Latency, Method,
    OpKind, Point, RunPhase, SCHEMA, Temperature, TimelineSample, Validity, WriteStatus,
};

use crate::bootstrap::Resamples;
use crate::checks::{checks, engine_check};
use crate::cliff::{WriteSample, find_cliff};
use crate::curve::{Curve, CurveId, PointData};
use crate::disturbed::counted;
use crate::estimate::{CurveEstimate, estimate_curves};
use crate::load::Recorder;
use crate::order_effect::order_effect;
use crate::outcome::{Earlier, Outcome, Stop};
use crate::parameters::parameters;
use crate::plan::Plan;
use crate::prepare::Prepared;
use crate::slice_effect::slice_effects;

/// Share of a processor from which a point is bound by it.
pub(crate) const CPU_BOUND: f64 = 0.9;

/// An interval of a concurrency is too wide where its upper end is more than this many times its lower one,
/// and one of alpha where it is more than this many.
const WIDE_K: f64 = 1.4;
const WIDE_ALPHA: f64 = 1.2;

/// What surrounds a measurement and is not in its outcome.
pub struct Circumstances {
    /// What was measured.
    pub facts: DeviceFacts,
    /// Whose seconds were counted.
    pub clock: Clock,
    /// What submits the requests.
    pub engine: EngineKind,
    /// Why that is not io_uring, where nobody chose.
    pub io_uring_refused: Option<String>,
    /// Whether the page cache was by-passed.
    pub direct: bool,
    /// When it began, RFC 3339; `None` on a virtual clock.
    pub created: Option<String>,
    /// Why writes were not measured; empty where they were.
    pub no_writes_because: String,
    /// Temperature over the run.
    pub temperature: Option<Temperature>,
    /// Share of time some task waited for a processor.
    pub cpu_pressure: Option<f64>,
    /// Share of processor time the hypervisor took.
    pub cpu_steal: Option<f64>,
    /// Version of Leadline.
    pub version: String,
}

impl Circumstances {
    /// The surroundings of a simulated device: nothing.
    pub fn simulated(target: &str, name: &str, capacity_bytes: u64) -> Self {
        Circumstances {
            facts: DeviceFacts {
                target: target.to_owned(),
                kind: DeviceKind::Simulated,
                name: name.to_owned(),
                capacity_bytes: Some(capacity_bytes),
                ..DeviceFacts::default()
            },
            clock: Clock::Virtual,
            engine: EngineKind::Simulated,
            io_uring_refused: None,
            direct: true,
            created: None,
            no_writes_because: String::new(),
            temperature: None,
            cpu_pressure: None,
            cpu_steal: None,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

/// Builds the profile. `earlier` is the profile of the run that this one resumed.
pub fn profile(
    plan: &Plan,
    prepared: &Prepared,
    outcome: &Outcome,
    around: Circumstances,
    earlier: Option<&DeviceProfile>,
) -> DeviceProfile {
    let resamples = Resamples::new(outcome.epochs, plan.seed);
    let estimates = estimate_curves(&outcome.curves, resamples.as_ref(), outcome.epochs);
    let points = points(&outcome.curves, &estimates);
    let parameters = parameters(&estimates, resamples.as_ref());
    let mut timeline = earlier.map_or_else(|| prepared.timeline.clone(), |p| p.timeline.clone());
    let offset = timeline
        .iter()
        .filter(|s| preparing(s))
        .map(|s| s.at_seconds)
        .fold(0.0, f64::max)
        .max(prepared.seconds);
    timeline.extend(
        outcome.timeline.iter().map(|s| TimelineSample { at_seconds: s.at_seconds + offset, ..s.clone() }),
    );
    let validity = validity(plan, prepared, outcome, &around, earlier, &points, &estimates);
    let method = Method {
        engine: around.engine,
        direct: around.direct,
        concurrency_is: plan.concurrency_is(),
        threads: match plan.lanes {
            crate::plan::Lanes::Threads(n) => n,
            crate::plan::Lanes::OneRequestEach => plan.max_concurrency,
        },
        cpus: plan.cpus.clone(),
        budget: BudgetKind::from(plan.budget.name()),
        budget_seconds: plan.budget_seconds(),
        measured_seconds: outcome.measured_seconds,
        layout_seconds: prepared.seconds + earlier.map_or(0.0, |p| p.method.layout_seconds),
        seed: plan.seed,
        block_sizes: plan.block_sizes.clone(),
        patterns: plan.patterns.clone(),
        footprint_bytes: plan.region.len,
        epochs: outcome.epochs,
        slice_seconds: outcome.slice_seconds,
        max_concurrency: plan.max_concurrency,
        writes: if plan.writes {
            WriteStatus::Measured
        } else {
            WriteStatus::Absent(around.no_writes_because)
        },
        precondition_passes: plan.precondition,
        write_budget_bytes: plan.write_budget,
        writes_shortened: plan.write_budget.map(|_| outcome.writes_shortened),
        imported: Vec::new(),
        extra: Default::default(),
    };
    DeviceProfile {
        schema: SCHEMA.to_owned(),
        leadline: around.version,
        created: around.created,
        device: around.facts,
        method,
        validity,
        points,
        parameters,
        timeline,
        experiments: earlier.map(|p| p.experiments.clone()).unwrap_or_default(),
        extra: Default::default(),
    }
}

fn preparing(sample: &TimelineSample) -> bool {
    matches!(sample.phase, RunPhase::Layout | RunPhase::Precondition)
}

fn points(curves: &[Curve], estimates: &[CurveEstimate]) -> Vec<Point> {
    let mut points = Vec::new();
    for curve in curves {
        let ci: Option<&BTreeMap<u32, [f64; 2]>> =
            estimates.iter().find(|e| e.id == curve.id).map(|e| &e.point_ci);
        for (&k, data) in curve.points.iter().filter(|(_, data)| data.iops() > 0.0) {
            points.push(point(curve.id, k, data, ci.and_then(|ci| ci.get(&k).copied())));
        }
    }
    points
}

fn point(id: CurveId, concurrency: u32, data: &PointData, iops_ci: Option<[f64; 2]>) -> Point {
    let ops: u64 = data.slices.iter().map(|slice| slice.ops).sum();
    let share: Vec<f64> = counted(&data.slices).filter_map(|s| s.cpu_share).collect();
    let share = if share.is_empty() { 0.0 } else { share.iter().sum::<f64>() / share.len() as f64 };
    Point {
        op: id.op,
        pattern: id.pattern,
        block_bytes: id.block_bytes,
        concurrency,
        durable: id.durable,
        iops: data.iops(),
        iops_ci,
        bandwidth_bytes: data.iops() * f64::from(id.block_bytes),
        latency_us: latency(&data.latencies, data.mean_latency() * 1e6),
        cpu_bound: share >= CPU_BOUND,
        cpu_us_per_op: data.cpu_seconds.map(|s| s * 1e6 / ops.max(1) as f64),
        slices: data.slices.clone(),
        stretches: data.stretches.clone(),
        histogram: data
            .latencies
            .bins()
            .into_iter()
            .map(|(upper, count)| Bin { upper_us: upper as f64 / 1e3, count })
            .collect(),
        extra: Default::default(),
    }
}

pub(crate) fn latency(recorder: &Recorder, mean: f64) -> Latency {
    let us = |q: f64| recorder.quantile(q) as f64 / 1e3;
    Latency {
        mean,
        p50: us(0.5),
        p90: us(0.9),
        p99: us(0.99),
        p99_5: us(0.995),
        p99_9: us(0.999),
        p99_95: us(0.9995),
        p99_99: us(0.9999),
        max: recorder.max() as f64 / 1e3,
    }
}

fn validity(
    plan: &Plan,
    prepared: &Prepared,
    outcome: &Outcome,
    around: &Circumstances,
    earlier: Option<&DeviceProfile>,
    points: &[Point],
    estimates: &[CurveEstimate],
) -> Validity {
    let order_effect = order_effect(points);
    let slice_effects = slice_effects(points);
    let washout = earlier.map_or(outcome.washout, |p| {
        let Validity { washout_seconds, washout_recovered, .. } = p.validity;
        let (longest, recovered) = outcome.washout;
        (longest.max(washout_seconds.unwrap_or(0.0)), recovered && washout_recovered.unwrap_or(true))
    });
    let rounds = prepared.rounds.clone().or_else(|| earlier.and_then(|p| p.validity.steady_state.clone()));
    let state = match (&rounds, around.clock) {
        (_, Clock::Virtual) => DeviceState::Simulated,
        (Some(rounds), _) if rounds.passed => DeviceState::Steady,
        _ => DeviceState::Burst,
    };
    let before = earlier.map_or((0, 0), |p| (p.validity.bytes_read, p.validity.bytes_written));
    let durability = if around.clock == Clock::Virtual {
        "simulated: what a durable write takes is in the description"
    } else if !around.direct {
        "buffered: a write is in the page cache, and nowhere else, when it completes; durable writes are on the device (RWF_DSYNC)"
    } else {
        "plain writes may still be in the device's cache when they complete; durable writes (RWF_DSYNC) survive a power cut"
    };
    Validity {
        complete: outcome.stopped_by.is_none(),
        stopped_by: outcome.stopped_by.as_ref().map(describe_stop),
        state,
        steady_state: rounds,
        checks: engine_check(around.io_uring_refused.as_deref(), earlier)
            .into_iter()
            .chain(checks(
                points,
                &around.facts,
                order_effect.as_ref(),
                &slice_effects,
                outcome.held.as_ref(),
            ))
            .collect(),
        cliffs: cliffs(prepared, points),
        temperature: around.temperature.clone(),
        durability: durability.to_owned(),
        footprint_fraction: around.facts.capacity_bytes.map(|c| plan.region.len as f64 / c.max(1) as f64),
        bytes_written: before.1 + prepared.written + outcome.traffic.1,
        bytes_read: before.0 + outcome.traffic.0,
        cpu_bound_points: points.iter().filter(|p| p.cpu_bound).count() as u32,
        censored_curves: estimates.iter().filter(|e| !e.id.durable && e.fit.still_grows()).count() as u32,
        order_effect,
        slice_effects,
        held: outcome.held.clone(),
        limited_by: outcome.limited_by.clone(),
        cpu_pressure: around.cpu_pressure,
        cpu_steal: around.cpu_steal,
        washout_seconds: plan.writes.then_some(washout.0),
        washout_recovered: plan.writes.then_some(washout.1),
        extra: Default::default(),
    }
}

fn describe_stop(stop: &Stop) -> String {
    match stop {
        Stop::Cancelled => "a signal".to_owned(),
        Stop::Failed(error) => format!("an error: {error}"),
        Stop::WritesSpent => "--max-writes; reads went on".to_owned(),
    }
}

/// Cliffs while laying out, while preconditioning and while measuring, where each slice is held against its
/// own point.
fn cliffs(prepared: &Prepared, points: &[Point]) -> Vec<Cliff> {
    let of_phase = |phase: &RunPhase| -> Vec<WriteSample> {
        let samples = prepared.timeline.iter().filter(|s| s.phase == *phase);
        samples
            .map(|s| WriteSample {
                written: s.written_bytes,
                rate: s.bytes_per_second,
                bytes_per_second: s.bytes_per_second,
            })
            .collect()
    };
    let mut slices: Vec<(u32, f64, f64, u64)> = Vec::new();
    for point in points.iter().filter(|p| p.op == OpKind::Write && !p.durable) {
        for s in point.slices.iter().filter(|s| s.seconds > 0.0) {
            slices.push((
                s.order,
                s.ops as f64 / s.seconds / point.iops,
                s.bytes as f64 / s.seconds,
                s.bytes,
            ));
        }
    }
    slices.sort_unstable_by_key(|s| s.0);
    let mut written = prepared.written;
    let measured: Vec<WriteSample> = slices
        .into_iter()
        .map(|(_, rate, bytes_per_second, bytes)| {
            written += bytes;
            WriteSample { written, rate, bytes_per_second }
        })
        .collect();
    [RunPhase::Layout, RunPhase::Precondition]
        .into_iter()
        .filter_map(|phase| {
            let samples = of_phase(&phase);
            find_cliff(phase, &samples)
        })
        .chain(find_cliff(RunPhase::Write, &measured))
        .collect()
}

/// Whether alpha and both plateaus are known to 5 % everywhere.
pub(crate) fn settled(curves: &[&Curve], epochs: u32, seed: u64) -> bool {
    let Some(resamples) = Resamples::new(epochs, seed) else { return false };
    let estimates: Vec<CurveEstimate> =
        curves.iter().filter_map(|curve| CurveEstimate::new(curve, Some(&resamples), epochs)).collect();
    let known = |value: Option<f64>, ci: Option<[f64; 2]>| match (value, ci) {
        (Some(value), Some([low, high])) => high - low <= 0.1 * value,
        (None, _) => true,
        (Some(_), None) => false,
    };
    parameters(&estimates, Some(&resamples)).iter().all(|p| {
        known(p.alpha, p.alpha_ci)
            && known(p.max_read_iops, p.max_read_iops_ci)
            && known(p.max_write_iops, p.max_write_iops_ci)
    })
}

/// How widely the numbers that advice is made of are known, over the random reads and writes of the smallest
/// block: the sum of the logarithms of upper over lower end of the intervals that are too wide, 0 where none
/// is.
pub(crate) fn advised_width(curves: &[&Curve], epochs: u32, seed: u64) -> f64 {
    let Some(resamples) = Resamples::new(epochs, seed) else { return 0.0 };
    let Some(first) = curves.first().map(|curve| curve.id) else { return 0.0 };
    let advised = curves.iter().filter(|curve| {
        !curve.id.durable && (curve.id.pattern, curve.id.block_bytes) == (first.pattern, first.block_bytes)
    });
    let estimates: Vec<CurveEstimate> =
        advised.filter_map(|curve| CurveEstimate::new(curve, Some(&resamples), epochs)).collect();
    let over = |[low, high]: [f64; 2], most: f64| if high > most * low { (high / low).ln() } else { 0.0 };
    let whole = |ci: Option<[u32; 2]>| ci.map_or(0.0, |ci| over(ci.map(f64::from), WIDE_K));
    parameters(&estimates, Some(&resamples))
        .iter()
        .map(|p| whole(p.k_r_90_ci) + whole(p.k_w_90_ci) + p.alpha_ci.map_or(0.0, |ci| over(ci, WIDE_ALPHA)))
        .sum()
}

/// What an interrupted run's profile had measured, to go on from. Slices of epochs are taken as they are; an
/// epoch cut short stays in, the next begins a new one.
pub fn earlier(profile: &DeviceProfile) -> Earlier {
    let mut curves: BTreeMap<CurveId, Curve> = BTreeMap::new();
    let mut slices = 0;
    for point in &profile.points {
        let id = CurveId {
            block_bytes: point.block_bytes,
            pattern: point.pattern,
            op: point.op,
            durable: point.durable,
        };
        let mut latencies = Recorder::new();
        for bin in &point.histogram {
            latencies.record_many((bin.upper_us * 1e3) as u64, bin.count);
        }
        let ops: u64 = point.slices.iter().map(|s| s.ops).sum();
        let data = PointData {
            slices: point.slices.clone(),
            stretches: point.stretches.clone(),
            latencies,
            cpu_seconds: point.cpu_us_per_op.map(|us| us * ops as f64 / 1e6),
        };
        let orders = point.slices.iter().chain(&point.stretches).map(|s| s.order.saturating_add(1));
        slices = slices.max(orders.max().unwrap_or(0));
        curves.entry(id).or_insert_with(|| Curve::new(id)).points.insert(point.concurrency, data);
    }
    Earlier {
        curves: curves.into_values().collect(),
        epochs: profile.method.epochs,
        measured_seconds: profile.method.measured_seconds,
        slices,
    }
}
