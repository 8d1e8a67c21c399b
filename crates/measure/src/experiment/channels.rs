//! `channels`: how many channels are busy with that many random reads, thrown at once and in a stream, and
//! the number of channels that explains both. Appendix A of Papon and Athanassoulis, DaMoN 2021.

mod figures;

use leadline_device::{Clock, Nanos, QueueShape};
use leadline_figures::Part;
use leadline_profile::{
    Channels, ChannelsFit, ChannelsPoint, DeviceProfile, Experiments, OpKind, PAGE_BYTES, Pattern,
};
use serde_json::{Value, json};

use super::channels_fit::{Fitter, Seen};
use super::context::{ExperimentContext, interval};
use super::kind::Experiment;
use super::rounds::{InRounds, in_rounds};
use super::saturation::closed;
use super::stretches::percentile;
use super::timed::workload;
use crate::MeasureError;
use crate::bootstrap::Resamples;
use crate::load::{AddressStream, Lane, Recorder};
use crate::outcome::Stop;

/// Most reads, at once and in flight.
const MOST_REQUESTS: u32 = 256;

/// Reads at once, and in flight.
const REQUESTS: [u32; 16] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256];

/// Reads of the pilot, one at a time, and the share of the budget that it may take.
const PILOT: usize = 2000;
const PILOT_SHARE: f64 = 0.05;

/// The window is no longer than this many medians: then a second read of a channel is not done before it
/// ends, if service is a third of the latency or more.
const LONGEST_WINDOW: f64 = 1.3;

/// In the window two reads, one after the other, are this many times as rare as one.
const TWO: f64 = 0.05;

/// Windows that are tried.
const WINDOWS: usize = 60;

/// Bursts of a slice at least.
const FEWEST_BURSTS: u64 = 4;

/// Resamples of the fit.
const RESAMPLES: usize = 200;

/// A device that completes nothing for this long is given up, nanoseconds.
const WATCHDOG: Nanos = 10_000_000_000;

/// `channels`.
pub(super) struct ChannelsExperiment;

impl Experiment for ChannelsExperiment {
    fn name(&self) -> &'static str {
        "channels"
    }

    fn help(&self) -> &'static str {
        "channels kept busy by reads, at once and in a stream"
    }

    fn only_reads(&self) -> bool {
        true
    }

    fn most_in_flight(&self) -> u32 {
        MOST_REQUESTS
    }

    fn run(&self, context: &mut ExperimentContext) -> Result<(Experiments, Option<Stop>), MeasureError> {
        let (found, stop) = run(context)?;
        Ok((Experiments { channels: Some(found), ..Experiments::default() }, stop))
    }

    fn text(&self, profile: &DeviceProfile) -> Option<Vec<Part>> {
        profile.experiments.channels.as_ref().map(figures::text)
    }

    fn sentences(&self, profile: &DeviceProfile) -> Option<Vec<String>> {
        profile.experiments.channels.as_ref().map(figures::sentences)
    }

    fn chart(&self, profile: &DeviceProfile) -> Option<Value> {
        let chart = figures::ChannelsChart::new(profile.experiments.channels.as_ref()?)?;
        Some(json!(chart))
    }
}

fn run(context: &mut ExperimentContext) -> Result<(Channels, Option<Stop>), MeasureError> {
    let queue = context.device.queue_pair(QueueShape::new(MOST_REQUESTS, PAGE_BYTES))?;
    let mut lane = Lane::new(queue, context.device.clock(), context.plan.seed);
    context.start_clock(lane.queue.now());
    let reads = workload(OpKind::Read, Pattern::Random, false, PAGE_BYTES);
    let stream = AddressStream::new(reads, context.plan.region, context.random.u64(..));
    let mut scenes = Scenes {
        stream,
        alone: Alone { median: 0.0, window: 0, variation: 0.0 },
        bursts: REQUESTS.map(|requests| Bursts { requests, rounds: Vec::new() }).to_vec(),
        streams: REQUESTS.map(|requests| Stream { requests, rounds: Vec::new() }).to_vec(),
        recorder: Recorder::new(),
    };
    let (epochs, ended) = in_rounds(context, &mut lane, &mut scenes);
    let has_all = scenes.bursts.iter().all(|bursts| !bursts.rounds.is_empty())
        && scenes.streams.iter().all(|stream| !stream.rounds.is_empty());
    let stop = context.stop_or_error(ended, has_all)?;
    let procedure = context.procedure(epochs, lane.traffic(), lane.queue.now());
    let resamples = context.resamples(epochs);
    let found = Channels {
        procedure,
        block_bytes: PAGE_BYTES,
        alone_us: scenes.alone.median / 1e3,
        window_us: scenes.alone.window as f64 / 1e3,
        variation: scenes.alone.variation,
        points: scenes.points(resamples.as_ref()),
        fit: scenes.fit(resamples.as_ref()),
    };
    Ok((found, stop))
}

/// Bursts of that many reads.
#[derive(Clone)]
struct Bursts {
    requests: u32,
    /// Bursts and reads done within the window, one entry a round.
    rounds: Vec<(u64, u64)>,
}

/// That many reads in flight all the time.
#[derive(Clone)]
struct Stream {
    requests: u32,
    /// Reads and seconds, one entry a round.
    rounds: Vec<(u64, f64)>,
}

/// One read alone, nanoseconds.
struct Alone {
    median: f64,
    window: Nanos,
    variation: f64,
}

struct Scenes {
    stream: AddressStream,
    alone: Alone,
    bursts: Vec<Bursts>,
    streams: Vec<Stream>,
    recorder: Recorder,
}

impl Scenes {
    /// Reads of a burst that are done within the window, on average, each round weighted.
    fn within(&self, i: usize, weight: impl Fn(usize) -> f64) -> f64 {
        let rounds = self.bursts[i].rounds.iter().enumerate();
        let (bursts, within) = rounds.fold((0.0, 0.0), |(bursts, within), (round, &(b, w))| {
            (bursts + weight(round) * b as f64, within + weight(round) * w as f64)
        });
        within / bursts
    }

    /// Reads per second in a stream, each round weighted.
    fn rate(&self, i: usize, weight: impl Fn(usize) -> f64) -> f64 {
        let rounds = self.streams[i].rounds.iter().enumerate();
        let (reads, seconds) = rounds.fold((0.0, 0.0), |(reads, seconds), (round, &(r, s))| {
            (reads + weight(round) * r as f64, seconds + weight(round) * s)
        });
        reads / seconds
    }

    /// Without those that have no ratio: on a busy machine it happens that no single read is done within the
    /// window.
    fn points(&self, resamples: Option<&Resamples>) -> Vec<ChannelsPoint> {
        let of = |counts: &[u16], round: usize| f64::from(counts.get(round).copied().unwrap_or(0));
        let point = |i: usize| {
            let busy = self.within(i, |_| 1.0) / self.within(0, |_| 1.0);
            let speedup = self.rate(i, |_| 1.0) / self.rate(0, |_| 1.0);
            ChannelsPoint {
                requests: REQUESTS[i],
                bursts: self.bursts[i].rounds.iter().map(|(bursts, _)| bursts).sum(),
                busy_at_once: busy,
                busy_at_once_ci: interval(resamples, busy, |counts| {
                    self.within(i, |r| of(counts, r)) / self.within(0, |r| of(counts, r))
                }),
                iops: self.rate(i, |_| 1.0),
                speedup,
                speedup_ci: interval(resamples, speedup, |counts| {
                    self.rate(i, |r| of(counts, r)) / self.rate(0, |r| of(counts, r))
                }),
            }
        };
        let has_ratios = |point: &ChannelsPoint| point.busy_at_once.is_finite() && point.speedup.is_finite();
        (0..REQUESTS.len()).map(point).filter(has_ratios).collect()
    }

    fn seen(&self, weight: impl Fn(usize) -> f64 + Copy) -> Vec<Seen> {
        let point = |i: usize| Seen {
            requests: REQUESTS[i],
            busy: self.within(i, weight) / self.within(0, weight),
            speedup: self.rate(i, weight) / self.rate(0, weight),
        };
        (0..REQUESTS.len())
            .map(point)
            .filter(|seen| seen.busy.is_finite() && seen.speedup.is_finite())
            .collect()
    }

    fn fit(&self, resamples: Option<&Resamples>) -> Option<ChannelsFit> {
        let mut fitter = Fitter::new(&REQUESTS, self.alone.variation);
        let mut found = fitter.fit(&self.seen(|_| 1.0))?;
        if let Some(resamples) = resamples {
            let mut again: Vec<f64> = resamples
                .iter()
                .take(RESAMPLES)
                .filter_map(|counts| {
                    let weight = |round: usize| f64::from(counts.get(round).copied().unwrap_or(0));
                    Some(f64::from(fitter.fit(&self.seen(weight))?.channels))
                })
                .collect();
            if !again.is_empty() {
                let n = f64::from(found.channels);
                let [low, high] = [0.025, 0.975].map(|level| percentile(&mut again, level));
                found.channels_ci = Some([low.min(n), high.max(n)]);
            }
        }
        Some(found)
    }
}

impl InRounds for Scenes {
    fn count(&self) -> usize {
        self.bursts.len() + self.streams.len()
    }

    fn writes(&self, _: usize) -> bool {
        false
    }

    /// Reads one at a time, to find the window.
    fn pilot(&mut self, context: &mut ExperimentContext, lane: &mut Lane) -> Result<(), Stop> {
        let mut latencies = Vec::with_capacity(PILOT);
        let until = (PILOT_SHARE * context.plan.seconds * 1e9) as Nanos + lane.queue.now();
        while latencies.len() < PILOT && (lane.queue.now() < until || latencies.len() < 10) {
            let began = lane.queue.now();
            burst(lane, &mut self.stream, 1, 0).map_err(Stop::Failed)?;
            latencies.push((lane.queue.now() - began) as f64);
            context.cancelled()?;
        }
        self.alone = alone(&mut latencies);
        Ok(())
    }

    fn slice(
        &mut self,
        context: &mut ExperimentContext,
        lane: &mut Lane,
        i: usize,
        seconds: f64,
    ) -> Result<(), Stop> {
        let Some(bursts) = self.bursts.get_mut(i) else {
            let stream = &mut self.streams[i - REQUESTS.len()];
            let done = closed(context, lane, &mut self.stream, stream.requests, seconds, &mut self.recorder)?;
            stream.rounds.push(done);
            return Ok(());
        };
        let most = match context.device.clock() {
            Clock::Wall => u64::MAX,
            Clock::Virtual => context.plan.max_ops_per_slice / u64::from(bursts.requests),
        };
        let until = lane.queue.now() + (seconds * 1e9) as Nanos;
        let (mut count, mut within) = (0, 0);
        while count < FEWEST_BURSTS || (count < most && lane.queue.now() < until) {
            within +=
                burst(lane, &mut self.stream, bursts.requests, self.alone.window).map_err(Stop::Failed)?;
            count += 1;
            context.cancelled()?;
        }
        bursts.rounds.push((count, within));
        Ok(())
    }

    fn describe(&self, i: usize) -> String {
        match self.bursts.get(i) {
            Some(bursts) => format!("{} reads at once", bursts.requests),
            None => format!("{} reads in flight", self.streams[i - REQUESTS.len()].requests),
        }
    }
}

/// Sends that many reads at once to the idle device and waits for all; how many are done within `window`.
fn burst(
    lane: &mut Lane,
    stream: &mut AddressStream,
    requests: u32,
    window: Nanos,
) -> Result<u64, MeasureError> {
    let began = lane.queue.now();
    for slot in 0..requests {
        lane.send(stream, slot, began)?;
    }
    let (mut left, mut within) = (requests as usize, 0);
    let mut give_up = began.saturating_add(WATCHDOG);
    while left > 0 {
        if !lane.wait(1, give_up)? {
            if lane.queue.now() >= give_up {
                return Err(lane.stalled(WATCHDOG));
            }
            continue;
        }
        for completion in &lane.completions {
            if completion.result != stream.block_bytes() as i32 {
                return Err(lane.failed(stream, *completion));
            }
            within += u64::from(completion.at.saturating_sub(began) <= window);
        }
        left -= lane.completions.len();
        give_up = lane.queue.now().saturating_add(WATCHDOG);
    }
    Ok(within)
}

/// What one read alone takes, and the longest time in which hardly any channel serves two.
fn alone(latencies: &mut [f64]) -> Alone {
    let median = percentile(latencies, 0.5);
    let n = latencies.len();
    let mean = latencies.iter().sum::<f64>() / n as f64;
    let variance = latencies.iter().map(|us| (us - mean).powi(2)).sum::<f64>() / n as f64;
    let mut others = latencies.to_vec();
    fastrand::Rng::with_seed(1).shuffle(&mut others);
    let mut twice: Vec<f64> = latencies.iter().zip(others).map(|(one, other)| one + other).collect();
    twice.sort_unstable_by(f64::total_cmp);
    let within = |sorted: &[f64], time: f64| sorted.partition_point(|&latency| latency <= time) as f64;
    let candidate = |i: usize| LONGEST_WINDOW * median * (i + 1) as f64 / WINDOWS as f64;
    let fits = |time: &f64| {
        let one = within(latencies, *time);
        one > 0.0 && within(&twice, *time) <= TWO * one
    };
    let window = (0..WINDOWS).rev().map(candidate).find(fits).unwrap_or(median);
    Alone { median, window: window as Nanos, variation: variance / mean.powi(2) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::Region;

    #[test]
    fn the_window_holds_one_read_and_hardly_ever_two() {
        let mut random = fastrand::Rng::with_seed(3);
        let same = alone(&mut [80_000.0; 500]);
        assert_eq!((same.window, same.variation), (104_000, 0.0));
        let mut exponential: Vec<f64> = (0..2000).map(|_| -(1.0 - random.f64()).ln() * 1e5).collect();
        let found = alone(&mut exponential);
        // Two in 0.1 means are half a percent, one is 9.5 percent.
        assert!((5_000..20_000).contains(&found.window), "{}", found.window);
        assert!((found.variation - 1.0).abs() < 0.15, "{}", found.variation);
        let mut three: Vec<f64> = (0..999).map(|i| [5e4, 7e4, 1e5][i % 3]).collect();
        let found = alone(&mut three);
        assert!((50_000..=100_000).contains(&found.window), "{}", found.window);
    }

    #[test]
    fn where_no_single_read_was_done_in_the_window_nothing_is_said_of_bursts() {
        let whole = Region { start: 0, len: 1 << 20 };
        let reads = workload(OpKind::Read, Pattern::Random, false, PAGE_BYTES);
        let mut scenes = Scenes {
            stream: AddressStream::new(reads, whole, 1),
            alone: Alone { median: 1e5, window: 1, variation: 0.0 },
            bursts: REQUESTS.map(|requests| Bursts { requests, rounds: vec![(10, 0)] }).to_vec(),
            streams: REQUESTS.map(|requests| Stream { requests, rounds: vec![(100, 1.0)] }).to_vec(),
            recorder: Recorder::new(),
        };
        assert_eq!(scenes.points(None), []);
        scenes.bursts[0].rounds[0].1 = 5;
        let points = scenes.points(None);
        assert_eq!(points.len(), REQUESTS.len());
        assert_eq!((points[0].busy_at_once, points[1].busy_at_once), (1.0, 0.0));
    }
}
