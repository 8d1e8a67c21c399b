//! A foreground of one page at a time, at rest and during random requests that arrive as a Poisson process:
//! `pressure` and `tail` are this.

use leadline_device::{Clock, Nanos, QueueShape, format_size};
use leadline_profile::{
    Background, BackgroundCapacity, InternalWork, OpKind, PAGE_BYTES, Pattern, Pressure, PressurePoint,
};

use super::context::ExperimentContext;
use super::kind::MOST_IN_FLIGHT;
use super::rounds::{InRounds, in_rounds};
use super::saturation::saturate;
use super::timed::{Timed, words, workload};
use crate::MeasureError;
use crate::bootstrap::Resamples;
use crate::load::{
    AddressStream, Arrivals, Lane, Limits, Recorder, Region, SendTimes, beside, one_at_a_time,
};
use crate::outcome::Stop;

/// Bytes per request of the background: the least with which a fast drive reaches its full bandwidth within
/// the 127 requests that may be in flight.
pub(super) const BACKGROUND_BYTES: u32 = 16 << 10;

/// Requests of the pilot of each foreground.
const PILOT: u64 = 64;

/// What is read over and over, bytes: the file of section 4.6 of the paper.
const DISTURBED_BYTES: u64 = 20_000_000;

/// One foreground.
#[derive(Clone)]
struct Foreground {
    op: OpKind,
    pattern: Pattern,
    stream: AddressStream,
    /// Whether it stays within [`DISTURBED_BYTES`].
    over_and_over: bool,
    /// Requests per second at rest, roughly.
    rate: f64,
}

/// The load during a foreground.
#[derive(Clone, Copy)]
enum Beside {
    Nothing,
    /// What arrives, and bytes per second of it.
    Arrivals(OpKind, f64),
    /// Random writes of a page, one at a time.
    Overwriting,
}

/// One foreground during one background.
struct Scene {
    foreground: usize,
    beside: Beside,
    timed: Timed,
    /// Background requests completed and seconds, over all rounds.
    served: (u64, f64),
    /// Rounds at whose end arrivals waited outside.
    fell_behind: usize,
}

struct Scenes {
    foregrounds: Vec<Foreground>,
    /// Random reads, random writes.
    backgrounds: [AddressStream; 2],
    /// Random writes of a page, and how many per second one at a time, roughly; if they are wanted.
    overwriting: Option<(AddressStream, f64)>,
    scenes: Vec<Scene>,
    recorder: Recorder,
}

/// Measures each of `foregrounds` at rest and during random reads and random writes, at the rates (bytes per
/// second) that `rates` makes of what the device can do of them; what it says about rates that it leaves out
/// goes into the notes. `provoke`: also during a load that makes the drive collect garbage, and random reads
/// where they make it refresh what it stores.
///
/// # Errors
/// As [`super::run`].
pub(super) fn measure(
    context: &mut ExperimentContext,
    foregrounds: &[(OpKind, Pattern)],
    provoke: bool,
    rates: impl Fn(OpKind, f64) -> (Vec<f64>, Option<String>),
) -> Result<(Pressure, Option<Stop>), MeasureError> {
    let queue = context.device.queue_pair(QueueShape::new(MOST_IN_FLIGHT, BACKGROUND_BYTES))?;
    let mut lane = Lane::new(queue, context.device.clock(), context.plan.seed);
    context.start_clock(lane.queue.now());
    let (region, writes) = (context.plan.region, context.plan.writes);
    let mut stream = |op, pattern, bytes| {
        AddressStream::new(workload(op, pattern, false, bytes), region, context.random.u64(..))
    };
    let mut scenes = Scenes {
        foregrounds: foregrounds
            .iter()
            .filter(|(op, _)| *op == OpKind::Read || writes)
            .map(|&(op, pattern)| Foreground {
                op,
                pattern,
                stream: stream(op, pattern, PAGE_BYTES),
                over_and_over: false,
                rate: 1.0,
            })
            .collect(),
        backgrounds: [OpKind::Read, OpKind::Write].map(|op| stream(op, Pattern::Random, BACKGROUND_BYTES)),
        overwriting: (provoke && writes).then(|| (stream(OpKind::Write, Pattern::Random, PAGE_BYTES), 1.0)),
        scenes: Vec::new(),
        recorder: Recorder::new(),
    };
    if provoke {
        scenes.foregrounds.push(over_and_over(region, context.random.u64(..)));
    }
    let (mut capacities, mut notes, mut epochs) = (Vec::new(), Vec::new(), 0);
    let mut ended = scenes.pilot(context, &mut lane);
    for op in [OpKind::Read, OpKind::Write].into_iter().filter(|op| *op == OpKind::Read || writes) {
        if ended.is_ok() {
            ended = scenes.capacity(context, &mut lane, op).map(|capacity| capacities.push(capacity));
        }
    }
    if ended.is_ok() {
        let mut loads = Vec::new();
        for BackgroundCapacity { op, bandwidth_bytes, .. } in &capacities {
            let (used, note) = rates(*op, *bandwidth_bytes);
            loads.extend(used.into_iter().map(|rate| (*op, rate)));
            notes.extend(note);
        }
        scenes.set_up(&loads);
        (epochs, ended) = in_rounds(context, &mut lane, &mut scenes);
    }
    let has_all = !scenes.scenes.is_empty() && scenes.scenes.iter().all(|scene| scene.timed.ops() > 0);
    let stop = context.stop_or_error(ended, has_all)?;
    let resamples = context.resamples(epochs);
    let points = scenes.into_points(resamples.as_ref(), &mut notes);
    let mut procedure = context.procedure(epochs, lane.traffic(), lane.queue.now());
    procedure.notes = notes;
    let pressure = Pressure {
        procedure,
        block_bytes: PAGE_BYTES,
        background_block_bytes: BACKGROUND_BYTES,
        capacities,
        points,
    };
    Ok((pressure, stop))
}

impl Scenes {
    /// Finds out roughly how fast each foreground is at rest: a few requests, thrown away.
    fn pilot(&mut self, context: &mut ExperimentContext, lane: &mut Lane) -> Result<(), Stop> {
        for i in 0..self.foregrounds.len() {
            let limits = Limits { max_ops: PILOT, ..Limits::of(Nanos::MAX / 4) };
            let began = lane.queue.now();
            self.at_rest(context, lane, i, limits)?;
            let seconds = (lane.queue.now() - began).max(1) as f64 / 1e9;
            self.foregrounds[i].rate = PILOT as f64 / seconds;
        }
        if let Some((stream, rate)) = &mut self.overwriting {
            let began = lane.queue.now();
            let max_bytes = context.bytes_allowed(lane.traffic().1, u64::from(PAGE_BYTES))?;
            let limits = Limits { max_ops: PILOT, max_bytes, ..Limits::of(Nanos::MAX / 4) };
            let done = one_at_a_time(lane, stream, &limits, &mut self.recorder, context.cancel);
            let done = done.map_err(Stop::Failed)?;
            context.cancelled()?;
            if !done.complete {
                return Err(Stop::WritesSpent);
            }
            // A microsecond at least: a simulated drive may take no time at all while its buffer has room.
            *rate = PILOT as f64 * 1e9 / (lane.queue.now() - began).max(1000 * PILOT) as f64;
        }
        let writes = self.foregrounds.iter().any(|foreground| foreground.op == OpKind::Write);
        if writes || self.overwriting.is_some() {
            context.settle(lane)?;
        }
        Ok(())
    }

    /// What the device does with the background's requests alone.
    fn capacity(
        &mut self,
        context: &mut ExperimentContext,
        lane: &mut Lane,
        op: OpKind,
    ) -> Result<BackgroundCapacity, Stop> {
        let stream = &mut self.backgrounds[usize::from(op == OpKind::Write)];
        let (concurrency, iops) = saturate(context, lane, stream, &mut self.recorder)?;
        if op == OpKind::Write {
            context.settle(lane)?;
        }
        Ok(BackgroundCapacity { op, bandwidth_bytes: iops * f64::from(BACKGROUND_BYTES), concurrency })
    }

    /// Every foreground at rest, and during every background load; what is read over and over only at rest.
    fn set_up(&mut self, loads: &[(OpKind, f64)]) {
        let loads = loads.iter().map(|&(op, rate)| Beside::Arrivals(op, rate));
        let overwriting = self.overwriting.iter().map(|_| Beside::Overwriting);
        let besides: Vec<Beside> = std::iter::once(Beside::Nothing).chain(loads).chain(overwriting).collect();
        for (foreground, Foreground { over_and_over, .. }) in self.foregrounds.iter().enumerate() {
            let besides = if *over_and_over { &besides[..1] } else { &besides[..] };
            self.scenes.extend(besides.iter().map(|&beside| Scene {
                foreground,
                beside,
                timed: Timed::default(),
                served: (0, 0.0),
                fell_behind: 0,
            }));
        }
    }

    /// Requests of foreground `i` without background: their number, and the sum of their latencies.
    fn at_rest(
        &mut self,
        context: &mut ExperimentContext,
        lane: &mut Lane,
        i: usize,
        limits: Limits,
    ) -> Result<(u64, u128), Stop> {
        let foreground = &mut self.foregrounds[i];
        let mut limits = limits;
        if foreground.op == OpKind::Write {
            limits.max_bytes = context.bytes_allowed(lane.traffic().1, u64::from(PAGE_BYTES))?;
        }
        let done = one_at_a_time(lane, &mut foreground.stream, &limits, &mut self.recorder, context.cancel);
        let done = done.map_err(Stop::Failed)?;
        context.cancelled()?;
        if done.complete { Ok((done.ops, done.latency_sum)) } else { Err(Stop::WritesSpent) }
    }

    fn into_points(self, resamples: Option<&Resamples>, notes: &mut Vec<String>) -> Vec<PressurePoint> {
        let (kept, out): (Vec<Scene>, Vec<Scene>) =
            self.scenes.into_iter().partition(|s| s.timed.ops() > 0 && 2 * s.fell_behind <= s.timed.rounds());
        let name = |scene: &Scene| describe(&self.foregrounds[scene.foreground], scene.beside);
        if !out.is_empty() {
            let names: Vec<String> = out.iter().map(name).collect();
            notes.push(format!("left out, since the device did not keep up: {}", names.join("; ")));
        }
        let point =
            |scene: Scene| {
                let Foreground { op, pattern, over_and_over, .. } = self.foregrounds[scene.foreground];
                let served = |block: u32| scene.served.0 as f64 * f64::from(block) / scene.served.1;
                let (background, provokes) = match scene.beside {
                    Beside::Nothing => (None, over_and_over.then_some(InternalWork::ReadDisturb)),
                    Beside::Arrivals(op, offered) => (Some((op, offered, served(BACKGROUND_BYTES))), None),
                    Beside::Overwriting => {
                        let bytes = served(PAGE_BYTES);
                        (Some((OpKind::Write, bytes, bytes)), Some(InternalWork::Collection))
                    }
                };
                let background = background.map(|(op, offered_bytes_per_second, bytes_per_second)| {
                    Background { op, offered_bytes_per_second, bytes_per_second }
                });
                PressurePoint {
                    op,
                    pattern,
                    provokes,
                    background,
                    ops: scene.timed.ops(),
                    latency_us: scene.timed.latency(),
                    mean_us_ci: scene.timed.mean_us_ci(resamples),
                }
            };
        kept.into_iter().map(point).collect()
    }
}

impl InRounds for Scenes {
    fn count(&self) -> usize {
        self.scenes.len()
    }

    fn writes(&self, i: usize) -> bool {
        let Scene { foreground, beside, .. } = &self.scenes[i];
        self.foregrounds[*foreground].op == OpKind::Write
            || matches!(beside, Beside::Arrivals(OpKind::Write, _) | Beside::Overwriting)
    }

    fn slice(
        &mut self,
        context: &mut ExperimentContext,
        lane: &mut Lane,
        i: usize,
        seconds: f64,
    ) -> Result<(), Stop> {
        let Scene { foreground, beside: what, .. } = self.scenes[i];
        // The background, its requests per second, and when they are sent.
        let background = match (what, &mut self.overwriting) {
            (Beside::Arrivals(op, bytes), _) => {
                let rate = bytes / f64::from(BACKGROUND_BYTES);
                let stream = &mut self.backgrounds[usize::from(op == OpKind::Write)];
                Some((stream, rate, SendTimes::Arrivals(Arrivals::Poisson(rate))))
            }
            (Beside::Overwriting, Some((stream, rate))) => Some((stream, *rate, SendTimes::OneAtATime)),
            _ => None,
        };
        let rate = background.as_ref().map_or(0.0, |(_, rate, _)| *rate);
        let seconds = match context.device.clock() {
            Clock::Wall => seconds,
            // On a virtual clock time costs nothing and requests do.
            Clock::Virtual => seconds
                .min(context.plan.max_ops_per_slice as f64 / (rate + self.foregrounds[foreground].rate)),
        };
        let mut limits = Limits::of((seconds * 1e9) as Nanos);
        let Some((background, _, send_times)) = background else {
            let (ops, sum) = self.at_rest(context, lane, foreground, limits)?;
            self.scenes[i].timed.add(ops, sum, &self.recorder);
            return Ok(());
        };
        if background.writes() || self.foregrounds[foreground].op == OpKind::Write {
            let least = u64::from(PAGE_BYTES) + u64::from(BACKGROUND_BYTES);
            limits.max_bytes = context.bytes_allowed(lane.traffic().1, least)?;
        }
        let seed = context.random.u64(..);
        let done = beside(
            lane,
            &mut self.foregrounds[foreground].stream,
            background,
            send_times,
            &limits,
            &mut self.recorder,
            seed,
            context.cancel,
        );
        let done = done.map_err(Stop::Failed)?;
        context.cancelled()?;
        if !done.complete {
            return Err(Stop::WritesSpent);
        }
        let scene = &mut self.scenes[i];
        scene.timed.add(done.ops, done.latency_sum, &self.recorder);
        scene.served.0 += done.background_ops;
        scene.served.1 += done.length as f64 / 1e9;
        scene.fell_behind += usize::from(done.fell_behind);
        Ok(())
    }

    fn describe(&self, i: usize) -> String {
        let scene = &self.scenes[i];
        describe(&self.foregrounds[scene.foreground], scene.beside)
    }
}

/// `sequential reads at rest`, `random writes beside random reads at 200 MB/s`.
fn describe(foreground: &Foreground, beside: Beside) -> String {
    let requests = words(foreground.op, foreground.pattern, false);
    match beside {
        Beside::Nothing if foreground.over_and_over => format!("{requests} of the same 20 MB"),
        Beside::Nothing => format!("{requests} at rest"),
        Beside::Arrivals(op, rate) => {
            format!("{requests} beside {} at {:.0} MB/s", words(op, Pattern::Random, false), rate / 1e6)
        }
        Beside::Overwriting => format!("{requests} during one random write at a time"),
    }
}

/// Random reads of the first [`DISTURBED_BYTES`] of the region.
fn over_and_over(region: Region, seed: u64) -> Foreground {
    let (op, pattern) = (OpKind::Read, Pattern::Random);
    let part = Region {
        len: region.len.min(DISTURBED_BYTES / u64::from(PAGE_BYTES) * u64::from(PAGE_BYTES)),
        ..region
    };
    let stream = AddressStream::new(workload(op, pattern, false, PAGE_BYTES), part, seed);
    Foreground { op, pattern, stream, over_and_over: true, rate: 1.0 }
}

/// `random reads of 16K alone reach 327 MB/s`.
pub(super) fn describe_capacity(op: OpKind, capacity: f64) -> String {
    let background = words(op, Pattern::Random, false);
    format!("{background} of {} alone reach {:.0} MB/s", format_size(BACKGROUND_BYTES.into()), capacity / 1e6)
}
