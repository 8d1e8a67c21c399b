//! A foreground of one page at a time, at rest and beside random requests that arrive as a Poisson process:
//! `pressure` and `tail` are this.

use leadline_device::{Clock, Nanos, QueueShape, format_size};
use leadline_profile::{
    Background, BackgroundCapacity, OpKind, PAGE_BYTES, Pattern, Pressure, PressurePoint,
};

use super::extremes::BACKGROUND_BYTES;
use super::frame::Frame;
use super::plan::MOST_IN_FLIGHT;
use super::rounds::{InRounds, in_rounds};
use super::saturation::saturate;
use super::timed::{Timed, words, workload};
use crate::MeasureError;
use crate::bootstrap::Resamples;
use crate::load::{AddressStream, Arrivals, Lane, Limits, Recorder, beside, one_at_a_time};
use crate::outcome::Stop;

/// Requests of the pilot of each foreground.
const PILOT: u64 = 64;

/// One foreground.
#[derive(Clone)]
struct Foreground {
    op: OpKind,
    pattern: Pattern,
    stream: AddressStream,
    /// Requests per second at rest, roughly.
    rate: f64,
}

/// One foreground beside one background.
struct Scene {
    foreground: usize,
    /// What arrives beside it, and bytes per second of it.
    background: Option<(OpKind, f64)>,
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
    scenes: Vec<Scene>,
    recorder: Recorder,
}

/// Measures each of `foregrounds` at rest and beside random reads and random writes, at the rates (bytes per
/// second) that `rates` makes of what the device can do of them; what it says about rates that it leaves out
/// goes into the notes.
///
/// # Errors
/// As [`super::run`].
pub(super) fn measure(
    frame: &mut Frame,
    foregrounds: &[(OpKind, Pattern)],
    rates: impl Fn(OpKind, f64) -> (Vec<f64>, Option<String>),
) -> Result<(Pressure, Option<Stop>), MeasureError> {
    let queue = frame.device.queue_pair(QueueShape::new(MOST_IN_FLIGHT, BACKGROUND_BYTES))?;
    let mut lane = Lane::new(queue, frame.device.clock(), frame.plan.seed);
    frame.begin(lane.queue.now());
    let (region, writes) = (frame.plan.region, frame.plan.writes);
    let mut stream = |op, pattern, bytes| {
        AddressStream::new(workload(op, pattern, false, bytes), region, frame.random.u64(..))
    };
    let mut scenes = Scenes {
        foregrounds: foregrounds
            .iter()
            .filter(|(op, _)| *op == OpKind::Read || writes)
            .map(|&(op, pattern)| Foreground {
                op,
                pattern,
                stream: stream(op, pattern, PAGE_BYTES),
                rate: 1.0,
            })
            .collect(),
        backgrounds: [OpKind::Read, OpKind::Write].map(|op| stream(op, Pattern::Random, BACKGROUND_BYTES)),
        scenes: Vec::new(),
        recorder: Recorder::new(),
    };
    let (mut capacities, mut notes, mut epochs) = (Vec::new(), Vec::new(), 0);
    let mut ended = scenes.pilot(frame, &mut lane);
    for op in [OpKind::Read, OpKind::Write].into_iter().filter(|op| *op == OpKind::Read || writes) {
        if ended.is_ok() {
            ended = scenes.capacity(frame, &mut lane, op).map(|capacity| capacities.push(capacity));
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
        (epochs, ended) = in_rounds(frame, &mut lane, &mut scenes);
    }
    let has_all = !scenes.scenes.is_empty() && scenes.scenes.iter().all(|scene| scene.timed.ops() > 0);
    let stop = frame.kept(ended, has_all)?;
    let resamples = frame.resamples(epochs);
    let points = scenes.into_points(resamples.as_ref(), &mut notes);
    let mut procedure = frame.procedure(epochs, lane.traffic(), lane.queue.now());
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
    fn pilot(&mut self, frame: &mut Frame, lane: &mut Lane) -> Result<(), Stop> {
        for i in 0..self.foregrounds.len() {
            let limits = Limits { max_ops: PILOT, ..Limits::of(Nanos::MAX / 4) };
            let began = lane.queue.now();
            self.at_rest(frame, lane, i, limits)?;
            let seconds = (lane.queue.now() - began).max(1) as f64 / 1e9;
            self.foregrounds[i].rate = PILOT as f64 / seconds;
        }
        if self.foregrounds.iter().any(|foreground| foreground.op == OpKind::Write) {
            frame.settle(lane)?;
        }
        Ok(())
    }

    /// What the device does with the background's requests alone.
    fn capacity(
        &mut self,
        frame: &mut Frame,
        lane: &mut Lane,
        op: OpKind,
    ) -> Result<BackgroundCapacity, Stop> {
        let stream = &mut self.backgrounds[usize::from(op == OpKind::Write)];
        let (concurrency, iops) = saturate(frame, lane, stream, &mut self.recorder)?;
        if op == OpKind::Write {
            frame.settle(lane)?;
        }
        Ok(BackgroundCapacity { op, bandwidth_bytes: iops * f64::from(BACKGROUND_BYTES), concurrency })
    }

    /// Every foreground at rest, and beside every background load.
    fn set_up(&mut self, loads: &[(OpKind, f64)]) {
        for foreground in 0..self.foregrounds.len() {
            for background in std::iter::once(None).chain(loads.iter().copied().map(Some)) {
                self.scenes.push(Scene {
                    foreground,
                    background,
                    timed: Timed::default(),
                    served: (0, 0.0),
                    fell_behind: 0,
                });
            }
        }
    }

    /// Requests of foreground `i` with nothing beside them: how many, and the sum of their latencies.
    fn at_rest(
        &mut self,
        frame: &mut Frame,
        lane: &mut Lane,
        i: usize,
        limits: Limits,
    ) -> Result<(u64, u128), Stop> {
        let foreground = &mut self.foregrounds[i];
        let mut limits = limits;
        if foreground.op == OpKind::Write {
            limits.max_bytes = frame.may_send(lane.traffic().1, u64::from(PAGE_BYTES))?;
        }
        let done = one_at_a_time(lane, &mut foreground.stream, &limits, &mut self.recorder, frame.cancel);
        let done = done.map_err(Stop::Failed)?;
        frame.cancelled()?;
        if done.complete { Ok((done.ops, done.latency_sum)) } else { Err(Stop::WritesSpent) }
    }

    fn into_points(self, resamples: Option<&Resamples>, notes: &mut Vec<String>) -> Vec<PressurePoint> {
        let (kept, out): (Vec<Scene>, Vec<Scene>) =
            self.scenes.into_iter().partition(|s| s.timed.ops() > 0 && 2 * s.fell_behind <= s.timed.rounds());
        let name = |scene: &Scene| {
            let Foreground { op, pattern, .. } = self.foregrounds[scene.foreground];
            describe(op, pattern, scene.background)
        };
        if !out.is_empty() {
            let names: Vec<String> = out.iter().map(name).collect();
            notes.push(format!("left out, since the device did not keep up: {}", names.join("; ")));
        }
        let point = |scene: Scene| {
            let Foreground { op, pattern, .. } = self.foregrounds[scene.foreground];
            let background = scene.background.map(|(op, offered_bytes_per_second)| Background {
                op,
                offered_bytes_per_second,
                bytes_per_second: scene.served.0 as f64 * f64::from(BACKGROUND_BYTES) / scene.served.1,
            });
            PressurePoint {
                op,
                pattern,
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
        let Scene { foreground, background, .. } = &self.scenes[i];
        let writes = |op: OpKind| op == OpKind::Write;
        writes(self.foregrounds[*foreground].op) || background.is_some_and(|(op, _)| writes(op))
    }

    fn slice(&mut self, frame: &mut Frame, lane: &mut Lane, i: usize, seconds: f64) -> Result<(), Stop> {
        let Scene { foreground, background, .. } = self.scenes[i];
        let rate = background.map_or(0.0, |(_, bytes)| bytes / f64::from(BACKGROUND_BYTES));
        let seconds = match frame.device.clock() {
            Clock::Wall => seconds,
            // On a virtual clock time costs nothing and requests do.
            Clock::Virtual => {
                seconds.min(frame.plan.max_ops_per_slice as f64 / (rate + self.foregrounds[foreground].rate))
            }
        };
        let mut limits = Limits::of((seconds * 1e9) as Nanos);
        let Some((op, _)) = background else {
            let (ops, sum) = self.at_rest(frame, lane, foreground, limits)?;
            self.scenes[i].timed.add(ops, sum, &self.recorder);
            return Ok(());
        };
        if self.writes(i) {
            let least = u64::from(PAGE_BYTES) + u64::from(BACKGROUND_BYTES);
            limits.max_bytes = frame.may_send(lane.traffic().1, least)?;
        }
        let seed = frame.random.u64(..);
        let done = beside(
            lane,
            &mut self.foregrounds[foreground].stream,
            &mut self.backgrounds[usize::from(op == OpKind::Write)],
            Arrivals::Poisson(rate),
            &limits,
            &mut self.recorder,
            seed,
            frame.cancel,
        );
        let done = done.map_err(Stop::Failed)?;
        frame.cancelled()?;
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
        let Foreground { op, pattern, .. } = self.foregrounds[self.scenes[i].foreground];
        describe(op, pattern, self.scenes[i].background)
    }
}

/// `sequential reads at rest`, `random writes beside random reads at 200 MB/s`.
fn describe(op: OpKind, pattern: Pattern, background: Option<(OpKind, f64)>) -> String {
    let foreground = words(op, pattern, false);
    match background {
        None => format!("{foreground} at rest"),
        Some((op, rate)) => {
            format!("{foreground} beside {} at {:.0} MB/s", words(op, Pattern::Random, false), rate / 1e6)
        }
    }
}

/// `random reads of 16K alone reach 327 MB/s`.
pub(super) fn describe_capacity(op: OpKind, capacity: f64) -> String {
    let background = words(op, Pattern::Random, false);
    format!("{background} of {} alone reach {:.0} MB/s", format_size(BACKGROUND_BYTES.into()), capacity / 1e6)
}
