//! Random reads one at a time during random writes at shares of what the drive sustains of these: the last
//! part of `sustained`.

use leadline_device::{Clock, Nanos};
use leadline_profile::{OpKind, PAGE_BYTES, Pattern, UnderLoad};

use super::context::ExperimentContext;
use super::rounds::{InRounds, in_rounds};
use super::timed::{Timed, workload};
use crate::load::{
    AddressStream, Arrivals, Lane, Limits, Recorder, Region, SendTimes, beside, one_at_a_time,
};
use crate::outcome::Stop;

/// Writes offered, as shares of what the drive sustains.
const SHARES: [f64; 6] = [0.0, 0.1, 0.3, 0.5, 0.7, 0.9];

/// On a virtual clock a slice has that many requests of either kind at most.
const VIRTUAL_OPS: f64 = 12_000.0;

/// What was measured, share by share.
#[derive(Default)]
pub(super) struct UnderLoads {
    scenes: Vec<Scene>,
    rounds: u32,
}

/// One share.
#[derive(Default)]
struct Scene {
    share: f64,
    /// Writes offered per second.
    rate: f64,
    timed: Timed,
    /// Writes completed, and seconds.
    served: (u64, f64),
}

/// What is at hand during the rounds.
struct Scenes<'a> {
    scenes: &'a mut Vec<Scene>,
    reads: AddressStream,
    writes: AddressStream,
    recorder: Recorder,
}

impl UnderLoads {
    /// Measures as many rounds as there is time for; `sustained` is the sustained rate of random writes,
    /// bytes per second.
    pub(super) fn measure(
        &mut self,
        context: &mut ExperimentContext,
        lane: &mut Lane,
        written: Region,
        sustained: f64,
    ) -> Result<(), Stop> {
        let rate = sustained / f64::from(PAGE_BYTES);
        self.scenes =
            SHARES.map(|share| Scene { share, rate: share * rate, ..Scene::default() }).into_iter().collect();
        let mut stream = |op, region| {
            AddressStream::new(
                workload(op, Pattern::Random, false, PAGE_BYTES),
                region,
                context.random.u64(..),
            )
        };
        let mut scenes = Scenes {
            reads: stream(OpKind::Read, written),
            writes: stream(OpKind::Write, context.plan.region),
            scenes: &mut self.scenes,
            recorder: Recorder::new(),
        };
        let (rounds, ended) = in_rounds(context, lane, &mut scenes);
        self.rounds = rounds;
        ended
    }

    /// Rounds that were begun.
    pub(super) fn rounds(&self) -> u32 {
        self.rounds
    }

    /// Those that were measured.
    pub(super) fn into_points(self, context: &ExperimentContext) -> Vec<UnderLoad> {
        let resamples = context.resamples(self.rounds);
        let page = f64::from(PAGE_BYTES);
        let measured = self.scenes.into_iter().filter(|scene| scene.timed.ops() > 0);
        let point = |scene: Scene| UnderLoad {
            write_share: scene.share,
            offered_bytes_per_second: scene.rate * page,
            bytes_per_second: if scene.served.1 > 0.0 {
                scene.served.0 as f64 * page / scene.served.1
            } else {
                0.0
            },
            ops: scene.timed.ops(),
            latency_us: scene.timed.latency(),
            mean_us_ci: scene.timed.mean_us_ci(resamples.as_ref()),
        };
        measured.map(point).collect()
    }
}

impl InRounds for Scenes<'_> {
    fn count(&self) -> usize {
        self.scenes.len()
    }

    fn writes(&self, i: usize) -> bool {
        self.scenes[i].rate > 0.0
    }

    fn slice(
        &mut self,
        context: &mut ExperimentContext,
        lane: &mut Lane,
        i: usize,
        seconds: f64,
    ) -> Result<(), Stop> {
        let rate = self.scenes[i].rate;
        // Reads one at a time are at most some ten thousand a second: that is enough to estimate by.
        let seconds = match context.device.clock() {
            Clock::Wall => seconds,
            Clock::Virtual => seconds.min(VIRTUAL_OPS / (rate + 1e4)),
        };
        let mut limits = Limits::of((seconds * 1e9) as Nanos);
        let (ops, sum) = if rate > 0.0 {
            limits.max_bytes = context.bytes_allowed(lane.traffic().1, u64::from(PAGE_BYTES))?;
            let (seed, send_times) = (context.random.u64(..), SendTimes::Arrivals(Arrivals::Poisson(rate)));
            let Scenes { reads, writes, recorder, .. } = self;
            let done = beside(lane, reads, writes, send_times, &limits, recorder, seed, context.cancel);
            let done = done.map_err(Stop::Failed)?;
            context.cancelled()?;
            if !done.complete {
                return Err(Stop::WritesSpent);
            }
            self.scenes[i].served.0 += done.background_ops;
            self.scenes[i].served.1 += done.length as f64 / 1e9;
            (done.ops, done.latency_sum)
        } else {
            let done = one_at_a_time(lane, &mut self.reads, &limits, &mut self.recorder, context.cancel);
            let done = done.map_err(Stop::Failed)?;
            context.cancelled()?;
            (done.ops, done.latency_sum)
        };
        self.scenes[i].timed.add(ops, sum, &self.recorder);
        Ok(())
    }

    fn describe(&self, i: usize) -> String {
        format!("reads during {:.0} % of the writes", 100.0 * self.scenes[i].share)
    }
}
