//! `ladder`: latency over load. Requests arrive as a Poisson process, whether the device keeps up or not, at
//! shares of what it can do.

mod figures;

use leadline_device::{Nanos, QueueShape};
use leadline_figures::Part;
use leadline_profile::{DeviceProfile, Experiments, Ladder, LadderMix, PAGE_BYTES, Rung};

use super::context::{ExperimentContext, MOST_EPOCHS, SHORTEST_SLICE, interval};
use super::kind::{Experiment, MOST_IN_FLIGHT};
use super::rounds::{Round, Rounds, make_rounds};
use super::saturation::{FIRST_K, closed, saturate};
use crate::MeasureError;
use crate::bootstrap::Resamples;
use crate::load::{AddressStream, Arrivals, Lane, Limits, Recorder, open_loop};
use crate::outcome::Stop;
use crate::summary::latency;

/// Shares of reads, ascending.
const READ_SHARES: [f64; 4] = [0.0, 0.5, 0.7, 1.0];

/// Offered rates, shares of the capacity.
const LOADS: [f64; 8] = [0.10, 0.25, 0.40, 0.55, 0.70, 0.80, 0.90, 0.95];

/// Requests of a rung over all rounds where the clock is virtual: enough for a 99th percentile.
const FEWEST_OPS: f64 = 2000.0;

/// One mix, as far as measured.
struct Mix {
    read_share: f64,
    stream: AddressStream,
    /// Requests in flight that saturate it.
    k: u32,
    /// Requests and seconds of the closed loop, one entry a round.
    capacity: Vec<(u64, f64)>,
    steps: Vec<Step>,
}

/// One rung, as far as measured.
#[derive(Default)]
struct Step {
    /// Requests that should have started, on average, and seconds in which they should have.
    offered: (f64, f64),
    /// Requests completed, and seconds until the last of each slice was.
    done: (u64, f64),
    latencies: Recorder,
}

/// `ladder`.
pub(super) struct LadderExperiment;

impl Experiment for LadderExperiment {
    fn name(&self) -> &'static str {
        "ladder"
    }

    fn help(&self) -> &'static str {
        "latency under load, with requests arriving on schedule"
    }

    // Its slices end when the last request is answered: that is to be a small part of them.
    fn virtual_ops_per_slice(&self) -> u64 {
        12_000
    }

    fn run(&self, context: &mut ExperimentContext) -> Result<(Experiments, Option<Stop>), MeasureError> {
        let (found, stop) = run(context)?;
        Ok((Experiments { ladder: Some(found), ..Experiments::default() }, stop))
    }

    fn text(&self, profile: &DeviceProfile) -> Option<Vec<Part>> {
        profile.experiments.ladder.as_ref().map(figures::text)
    }
}

fn run(context: &mut ExperimentContext) -> Result<(Ladder, Option<Stop>), MeasureError> {
    let queue = context.device.queue_pair(QueueShape::new(MOST_IN_FLIGHT, PAGE_BYTES))?;
    let lane = Lane::new(queue, context.device.clock(), context.plan.seed);
    context.start_clock(lane.queue.now());
    let shares = READ_SHARES.into_iter().filter(|&share| share == 1.0 || context.plan.writes);
    let mixes = shares
        .map(|read_share| Mix {
            read_share,
            stream: context.pages(read_share),
            k: FIRST_K,
            capacity: Vec::new(),
            steps: LOADS.map(|_| Step::default()).into(),
        })
        .collect();
    let mut climb = Climb { context, lane, mixes, recorder: Recorder::new() };
    let (epochs, ended) = make_rounds(&mut climb);
    let has_all = climb.mixes.iter().flat_map(|mix| &mix.steps).all(|step| step.done.0 > 0);
    let stop = climb.context.stop_or_error(ended, has_all)?;
    Ok((climb.into_ladder(epochs), stop))
}

struct Climb<'f, 'a> {
    context: &'f mut ExperimentContext<'a>,
    lane: Lane,
    mixes: Vec<Mix>,
    recorder: Recorder,
}

impl<'a> Rounds<'a> for Climb<'_, 'a> {
    fn context(&self) -> &ExperimentContext<'a> {
        self.context
    }

    fn now(&self) -> Nanos {
        self.lane.queue.now()
    }

    /// The requests in flight that saturate each mix.
    fn pilot(&mut self) -> Result<(), Stop> {
        for i in 0..self.mixes.len() {
            let Climb { context, lane, mixes, recorder, .. } = self;
            (mixes[i].k, _) = saturate(context, lane, &mut mixes[i].stream, recorder)?;
            self.settle(i)?;
        }
        Ok(())
    }

    /// Every mix in random order: its capacity, then its rungs in random order.
    fn round(&mut self, round: Round) -> Result<(), Stop> {
        // Every mix has a slice for its capacity.
        let slices = self.mixes.len() * (LOADS.len() + 1);
        let seconds = round.seconds_of_slice(slices).max(SHORTEST_SLICE);
        for i in self.context.in_random_order(0..self.mixes.len()) {
            let Climb { context, lane, mixes, recorder, .. } = self;
            let mix = &mut mixes[i];
            mix.capacity.push(closed(context, lane, &mut mix.stream, mix.k, seconds, recorder)?);
            for step in self.context.in_random_order(0..LOADS.len()) {
                self.climb(i, step, seconds)?;
                let Mix { read_share, .. } = self.mixes[i];
                let detail =
                    format!("{:.0} % reads at {:.0} % load", read_share * 100.0, LOADS[step] * 100.0);
                self.context.report(self.lane.queue.now(), detail);
            }
            self.settle(i)?;
        }
        Ok(())
    }
}

impl Climb<'_, '_> {
    /// One slice of one rung, at a share of the capacity as known by now, so that rates follow a device that
    /// drifts.
    fn climb(&mut self, i: usize, step: usize, seconds: f64) -> Result<(), Stop> {
        let mix = &mut self.mixes[i];
        let rate = LOADS[step] * mix.capacity_iops(|_| 1.0);
        let seconds = match self.context.plan.max_ops_per_slice {
            u64::MAX => seconds,
            // On a virtual clock time costs nothing and requests do.
            most => seconds.max(FEWEST_OPS / f64::from(MOST_EPOCHS) / rate).min(most as f64 / rate),
        };
        let mut limits = Limits::of((seconds * 1e9) as Nanos);
        if mix.read_share < 1.0 {
            limits.max_bytes = self.context.bytes_allowed(self.lane.traffic().1, u64::from(PAGE_BYTES))?;
        }
        let seed = self.context.random.u64(..);
        let arrivals = Arrivals::Poisson(rate);
        let Climb { lane, recorder, context, .. } = self;
        let window = open_loop(lane, &mut mix.stream, arrivals, &limits, recorder, seed, context.cancel)
            .map_err(Stop::Failed)?;
        context.cancelled()?;
        if !window.complete {
            return Err(Stop::WritesSpent);
        }
        let step = &mut mix.steps[step];
        step.latencies.merge(recorder);
        step.offered = (step.offered.0 + rate * seconds, step.offered.1 + seconds);
        step.done = (step.done.0 + window.ops, step.done.1 + window.length as f64 / 1e9);
        Ok(())
    }

    /// After a mix that writes: a flush and a pause, so that the next one begins with a quiet device.
    fn settle(&mut self, i: usize) -> Result<(), Stop> {
        if self.mixes[i].read_share == 1.0 {
            return Ok(());
        }
        self.context.settle(&mut self.lane)
    }

    fn into_ladder(self, epochs: u32) -> Ladder {
        let procedure = self.context.procedure(epochs, self.lane.traffic(), self.lane.queue.now());
        let resamples = self.context.resamples(epochs);
        let mixes = self.mixes.into_iter().map(|mix| mix.into_ladder(resamples.as_ref())).collect();
        Ladder { procedure, block_bytes: PAGE_BYTES, mixes }
    }
}

impl Mix {
    /// All requests / all time, each round as often as `times` says.
    fn capacity_iops(&self, times: impl Fn(usize) -> f64) -> f64 {
        let rounds = self.capacity.iter().enumerate();
        let (ops, seconds) = rounds.fold((0.0, 0.0), |(ops, seconds), (i, round)| {
            (ops + times(i) * round.0 as f64, seconds + times(i) * round.1)
        });
        ops / seconds
    }

    fn into_ladder(self, resamples: Option<&Resamples>) -> LadderMix {
        let capacity_iops = self.capacity_iops(|_| 1.0);
        let capacity_ci =
            interval(resamples, capacity_iops, |counts| self.capacity_iops(|i| f64::from(counts[i])));
        let mut rungs: Vec<Rung> = self.steps.into_iter().map(Step::into_rung).collect();
        rungs.sort_by(|a, b| a.offered_iops.total_cmp(&b.offered_iops));
        LadderMix {
            read_share: self.read_share,
            capacity_iops,
            capacity_ci,
            capacity_concurrency: self.k,
            rungs,
        }
    }
}

impl Step {
    fn into_rung(self) -> Rung {
        Rung {
            offered_iops: self.offered.0 / self.offered.1,
            iops: self.done.0 as f64 / self.done.1,
            ops: self.done.0,
            latency_us: latency(&self.latencies, self.latencies.mean() / 1e3),
        }
    }
}
