//! `pio-classes`: what batching is worth to a program, measured. The four application classes of Papon and
//! Athanassoulis, DaMoN 2021, section 3.1; their figure 10 is this experiment.

mod figures;

use leadline_device::{Nanos, QueueShape};
use leadline_figures::Part;
use leadline_profile::{DeviceProfile, Experiments, PAGE_BYTES, PioClass, PioClasses, PioPoint};

use super::application::{Application, Batches};
use super::context::{ExperimentContext, MOST_EPOCHS, interval};
use super::kind::{Choice, Experiment, MOST_IN_FLIGHT};
use super::rounds::{Round, Rounds, make_rounds};
use crate::MeasureError;
use crate::bootstrap::Resamples;
use crate::load::Lane;
use crate::outcome::Stop;

/// Requests done together.
const BATCHES: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];

/// Requests of the pilot, one at a time.
const PILOT: u64 = 128;

/// One class at one batch size, next to the unbatched program.
struct Pair {
    class: PioClass,
    batch: u32,
    /// Requests of either program and the seconds they took, unbatched and batched: one entry an epoch.
    runs: Vec<(f64, f64, f64)>,
}

/// `pio-classes`.
pub(super) struct PioClassesExperiment;

impl Experiment for PioClassesExperiment {
    fn name(&self) -> &'static str {
        "pio-classes"
    }

    fn help(&self) -> &'static str {
        "speed-up from batching reads, writes or both"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn takes(&self, choice: Choice) -> bool {
        choice == Choice::ReadShare
    }

    fn run(&self, context: &mut ExperimentContext) -> Result<(Experiments, Option<Stop>), MeasureError> {
        let (found, stop) = run(context)?;
        Ok((Experiments { pio_classes: Some(found), ..Experiments::default() }, stop))
    }

    fn text(&self, profile: &DeviceProfile) -> Option<Vec<Part>> {
        profile.experiments.pio_classes.as_ref().map(|found| figures::text(profile, found))
    }
}

fn run(context: &mut ExperimentContext) -> Result<(PioClasses, Option<Stop>), MeasureError> {
    let queue = context.device.queue_pair(QueueShape::new(MOST_IN_FLIGHT, PAGE_BYTES))?;
    let lane = Lane::new(queue, context.device.clock(), context.plan.seed);
    context.start_clock(lane.queue.now());
    let (reads, writes) = (context.pages(1.0), context.pages(0.0));
    let application = Application { lane, reads, writes, read_share: context.plan.read_share };
    // The first is the unbatched program against itself: it shows what the noise is.
    let mut pairs = vec![Pair { class: PioClass::Unbatched, batch: 1, runs: Vec::new() }];
    for class in PioClass::ALL.into_iter().skip(1) {
        pairs.extend(BATCHES.map(|batch| Pair { class, batch, runs: Vec::new() }));
    }
    let mut trial = Trial { context, application, pairs, cost: 0.0 };
    let (epochs, ended) = make_rounds(&mut trial);
    let has_all = trial.pairs.iter().all(|pair| !pair.runs.is_empty());
    let stop = trial.context.stop_or_error(ended, has_all)?;
    Ok((trial.into_classes(epochs), stop))
}

struct Trial<'f, 'a> {
    context: &'f mut ExperimentContext<'a>,
    application: Application,
    pairs: Vec<Pair>,
    /// Seconds of a request of the unbatched program, roughly.
    cost: f64,
}

impl<'a> Rounds<'a> for Trial<'_, 'a> {
    fn context(&self) -> &ExperimentContext<'a> {
        self.context
    }

    fn now(&self) -> Nanos {
        self.application.lane.queue.now()
    }

    /// Seconds a request, unbatched; a batched one takes as long at most.
    fn pilot(&mut self) -> Result<(), Stop> {
        self.cost = self.program(PILOT, PioClass::Unbatched, 1)? / PILOT as f64;
        Ok(())
    }

    fn round(&mut self, round: Round) -> Result<(), Stop> {
        let began = self.now();
        let seconds = round.left.max(0.0) / f64::from(MOST_EPOCHS - round.number);
        let ops = seconds / (2.0 * self.pairs.len() as f64) / self.cost;
        self.pairs(ops as u64)?;
        // What a request of this round took, so that the next fills its time.
        let done: f64 = self.pairs.iter().filter_map(|pair| pair.runs.last()).map(|run| run.0).sum();
        self.cost = (self.now() - began) as f64 / 1e9 / (2.0 * done);
        Ok(())
    }
}

impl Trial<'_, '_> {
    /// Every pair in random order; in each the two programs one after the other, either first.
    fn pairs(&mut self, ops: u64) -> Result<(), Stop> {
        for i in self.context.in_random_order(0..self.pairs.len()) {
            let Pair { class, batch, .. } = self.pairs[i];
            // Whole batches of both kinds where the share is a half.
            let unit = u64::from(2 * batch);
            let ops = ops.min(self.context.plan.max_ops_per_slice).next_multiple_of(unit).max(unit);
            let unbatched_first = self.context.random.bool();
            let mut unbatched = 0.0;
            if unbatched_first {
                unbatched = self.program(ops, PioClass::Unbatched, 1)?;
            }
            let batched = self.program(ops, class, batch)?;
            if !unbatched_first {
                unbatched = self.program(ops, PioClass::Unbatched, 1)?;
            }
            self.pairs[i].runs.push((ops as f64, unbatched, batched));
            let now = self.application.lane.queue.now();
            self.context.report(now, format!("{}, batches of {batch}", class.words()));
        }
        Ok(())
    }

    /// Seconds that a program of `ops` requests takes.
    fn program(&mut self, ops: u64, class: PioClass, batch: u32) -> Result<f64, Stop> {
        let written = self.application.lane.traffic().1;
        self.context.bytes_allowed(written, ops * u64::from(PAGE_BYTES))?;
        let ran = self.application.run(ops, Batches::of(class, batch), self.context.cancel);
        let (_, seconds) = ran.map_err(Stop::Failed)?;
        self.context.cancelled()?;
        Ok(seconds)
    }

    fn into_classes(self, epochs: u32) -> PioClasses {
        let resamples = self.context.resamples(epochs);
        let lane = &self.application.lane;
        let procedure = self.context.procedure(epochs, lane.traffic(), lane.queue.now());
        let share = self.context.plan.read_share;
        let points = self.pairs.iter().map(|pair| pair.point(share, resamples.as_ref())).collect();
        PioClasses { procedure, block_bytes: PAGE_BYTES, points }
    }
}

impl Pair {
    /// Requests, seconds unbatched and seconds batched, each epoch weighted.
    fn total(&self, weight: impl Fn(usize) -> f64) -> (f64, f64, f64) {
        self.runs.iter().enumerate().fold((0.0, 0.0, 0.0), |sum, (epoch, run)| {
            let weight = weight(epoch);
            (sum.0 + weight * run.0, sum.1 + weight * run.1, sum.2 + weight * run.2)
        })
    }

    fn point(&self, read_share: f64, resamples: Option<&Resamples>) -> PioPoint {
        let (ops, unbatched, batched) = self.total(|_| 1.0);
        let speedup = unbatched / batched;
        let speedup_ci = interval(resamples, speedup, |counts| {
            let (_, unbatched, batched) = self.total(|epoch| f64::from(counts[epoch]));
            unbatched / batched
        });
        PioPoint {
            class: self.class,
            read_share,
            batch: self.batch,
            ops: ops as u64,
            unbatched_seconds: unbatched / ops,
            seconds: batched / ops,
            speedup,
            speedup_ci,
        }
    }
}
