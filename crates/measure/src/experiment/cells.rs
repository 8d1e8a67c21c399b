//! Cells over epochs: every workload at every concurrency once a round, in random order. `r-by-k`, `mixed`,
//! `interleaving` and `unaligned` are this.

use leadline_device::{Nanos, format_size};
use leadline_profile::{Work, WorkPoint};

use super::context::{ExperimentContext, FEWEST_EPOCHS, MOST_EPOCHS, interval};
use super::rounds::{Round, Rounds, make_rounds};
use super::volume::{Cost, WINDOW_WAVES, too_expensive, window};
use crate::MeasureError;
use crate::bootstrap::Resamples;
use crate::load::{AddressStream, Limits, Recorder, Workload};
use crate::outcome::Stop;
use crate::rig::Rig;
use crate::stalls::Stalls;
use crate::summary::{CPU_BOUND, latency};

/// The pilot looks at each workload's lowest concurrency and at its highest up to this; between the two it
/// interpolates, and beyond it takes the last for a lower bound.
const PILOT_AT_MOST: u32 = 16;

/// Share of the budget that the fewest rounds, as short as they can be, may take; dearer cells are left out.
const LEAST_SHARE: f64 = 0.75;

/// One workload at one concurrency.
struct Cell {
    workload: Workload,
    k: u32,
    streams: Vec<AddressStream>,
    /// (epoch, requests, seconds) of each slice.
    slices: Vec<(u32, u64, f64)>,
    latencies: Recorder,
    cpu_shares: Vec<f64>,
    /// Bytes of reads and of writes sent, ramps included.
    sent: (u64, u64),
    /// Requests per second, as far as known.
    rate: f64,
}

/// Measures every one of `wanted` in every round.
///
/// # Errors
/// As [`super::run`].
pub(super) fn measure(
    context: &mut ExperimentContext,
    wanted: &[(Workload, u32)],
    notes: Vec<String>,
) -> Result<(Work, Option<Stop>), MeasureError> {
    let buffer = context.plan.experiment.largest_request(context.plan.region);
    let rig = Rig::new(context.device, &context.plan.for_preparing(), buffer, context.cancel.clone())?;
    context.start_clock(rig.now());
    let cells = wanted
        .iter()
        .map(|&(workload, k)| Cell {
            workload,
            k,
            streams: rig.streams(workload, context.plan.region, context.random.u64(..)),
            slices: Vec::new(),
            latencies: Recorder::new(),
            cpu_shares: Vec::new(),
            sent: (0, 0),
            rate: 0.0,
        })
        .collect();
    let mut cells = Cells { context, rig, cells, notes, flip: false, stalls: Stalls::default() };
    let (epochs, ended) = make_rounds(&mut cells);
    let has_all = epochs > 0 && cells.cells.iter().all(|cell| !cell.slices.is_empty());
    let stop = cells.context.stop_or_error(ended, has_all)?;
    Ok((cells.into_work(epochs), stop))
}

struct Cells<'f, 'a> {
    context: &'f mut ExperimentContext<'a>,
    rig: Rig,
    cells: Vec<Cell>,
    notes: Vec<String>,
    /// Whether the first round begins with what writes not.
    flip: bool,
    stalls: Stalls,
}

impl<'a> Rounds<'a> for Cells<'_, 'a> {
    fn context(&self) -> &ExperimentContext<'a> {
        self.context
    }

    fn now(&self) -> Nanos {
        self.rig.now()
    }

    fn pilot(&mut self) -> Result<(), Stop> {
        self.find_rates()?;
        self.leave_out();
        self.flip = self.context.random.bool();
        Ok(())
    }

    /// Every cell once. What only reads is kept apart from what writes, so that a write buffer or garbage
    /// collection is not charged to reads that do not share the device with writes.
    fn round(&mut self, round: Round) -> Result<(), Stop> {
        let window = self.window(round);
        let writes_first = (round.number + 1).is_multiple_of(2) != self.flip;
        for writes in [writes_first, !writes_first] {
            let is_kind = |&i: &usize| self.cells[i].writes() == writes;
            let group = self.context.in_random_order((0..self.cells.len()).filter(is_kind));
            for &i in &group {
                self.timed_slice(i, window, round.number)?;
                let detail = self.describe(i);
                self.context.report(self.rig.now(), detail);
            }
            if writes && !group.is_empty() {
                self.settle()?;
            }
        }
        Ok(())
    }
}

impl Cells<'_, '_> {
    /// Finds out roughly what each workload costs: a few requests each, thrown away.
    fn find_rates(&mut self) -> Result<(), Stop> {
        let ends: Vec<[u32; 2]> = self.cells.iter().map(|cell| self.pilot_ends(cell.workload)).collect();
        for (i, ends) in ends.iter().enumerate() {
            if !ends.contains(&self.cells[i].k) {
                continue;
            }
            let (k, block) = (self.cells[i].k, u64::from(self.cells[i].workload.block_bytes));
            let requests = u64::from(2 * k).max(8);
            let limits = Limits { max_bytes: requests * block, ..Limits::of(Nanos::MAX / 4) };
            let began = self.rig.now();
            self.slice(i, limits, &mut Recorder::new())?;
            self.cells[i].rate = requests as f64 * 1e9 / (self.rig.now() - began).max(1) as f64;
        }
        if self.cells.iter().any(Cell::writes) {
            self.settle()?;
        }
        for (i, [low, high]) in ends.into_iter().enumerate() {
            let (workload, k) = (self.cells[i].workload, self.cells[i].k);
            let at = |pilot: u32| {
                let same = self.cells.iter().find(|c| c.workload == workload && c.k == pilot);
                same.map_or(1.0, |c| c.rate)
            };
            // A straight line where both are on logarithmic axes.
            let place = |k: u32| (f64::from(k) / f64::from(low)).ln();
            let share = if high > low { (place(k) / place(high)).min(1.0) } else { 0.0 };
            self.cells[i].rate = at(low).powf(1.0 - share) * at(high).powf(share);
        }
        Ok(())
    }

    /// The concurrencies of a workload at which the pilot looks.
    fn pilot_ends(&self, workload: Workload) -> [u32; 2] {
        let ks = || self.cells.iter().filter(|cell| cell.workload == workload).map(|cell| cell.k);
        let low = ks().min().unwrap_or(1);
        [low, ks().filter(|&k| k <= PILOT_AT_MOST).max().unwrap_or(low)]
    }

    /// Leaves out the dearest cells where the fewest rounds would not fit into the budget with them.
    fn leave_out(&mut self) {
        let left = self.context.plan.seconds - self.context.seconds_spent(self.rig.now());
        let mut out = too_expensive(&self.costs(), LEAST_SHARE * left / f64::from(FEWEST_EPOCHS));
        out.sort_unstable();
        if !out.is_empty() {
            let names: Vec<String> = out.iter().map(|&i| self.describe(i)).collect();
            self.notes.push(format!("left out, too slow for the time allowed: {}", names.join("; ")));
        }
        let mut index = 0..;
        self.cells.retain(|_| index.next().is_none_or(|i| out.binary_search(&i).is_err()));
    }

    fn costs(&self) -> Vec<Cost> {
        self.cells.iter().map(|cell| Cost { k: cell.k, rate: cell.rate }).collect()
    }

    /// Length of a round's windows: what is left, shared out over as many rounds as are worth it.
    fn window(&self, Round { number, left }: Round) -> f64 {
        let costs = self.costs();
        let least: f64 = costs.iter().map(Cost::least).sum();
        // Not so many that most of it is ramps.
        let worth = (left / (2.0 * least)) as u32;
        let rounds = worth.clamp(FEWEST_EPOCHS.saturating_sub(number).max(1), MOST_EPOCHS - number);
        window(&costs, left / f64::from(rounds))
    }

    fn settle(&mut self) -> Result<(), Stop> {
        self.rig.settle(self.context.pause()).map_err(Stop::Failed)
    }

    fn timed_slice(&mut self, i: usize, window: f64, round: u32) -> Result<(), Stop> {
        let limits = Limits {
            min_ops: WINDOW_WAVES * u64::from(self.cells[i].k),
            max_ops: self.context.plan.max_ops_per_slice,
            ..Limits::of(((window * 1e9) as Nanos).max(self.stalls.slice()))
        };
        let mut latencies = std::mem::take(&mut self.cells[i].latencies);
        let result = self.slice(i, limits, &mut latencies);
        let cell = &mut self.cells[i];
        cell.latencies = latencies;
        let (ops, seconds) = result?;
        if ops > 0 && seconds > 0.0 {
            cell.slices.push((round, ops, seconds));
            let (ops, seconds) = cell.total(|_| 1.0);
            cell.rate = ops / seconds;
        }
        Ok(())
    }

    /// Runs one slice within what may still be written; requests and seconds of its window.
    fn slice(&mut self, i: usize, limits: Limits, latencies: &mut Recorder) -> Result<(u64, f64), Stop> {
        let cell = &mut self.cells[i];
        let mut limits = limits;
        let sent = self.rig.traffic();
        if cell.writes() {
            let least = 4 * u64::from(cell.k) * u64::from(cell.workload.block_bytes);
            limits.max_bytes = limits.max_bytes.min(self.context.bytes_allowed(sent.1, least)?);
        }
        let result = self.rig.slice(&mut cell.streams, cell.k, &limits, latencies).map_err(Stop::Failed)?;
        self.context.cancelled()?;
        let now_sent = self.rig.traffic();
        cell.sent = (cell.sent.0 + now_sent.0 - sent.0, cell.sent.1 + now_sent.1 - sent.1);
        cell.cpu_shares.extend(result.cpu_share);
        self.stalls.record(result.longest_stall);
        Ok((result.ops, result.seconds))
    }

    /// `64K, 70 % reads, k = 8`.
    fn describe(&self, i: usize) -> String {
        let Cell { workload: Workload { read_share, block_bytes, random_fraction, .. }, k, .. } =
            self.cells[i];
        let kind = match read_share {
            1.0 => "reads".to_owned(),
            0.0 => "writes".to_owned(),
            share => format!("{:.0} % reads", share * 100.0),
        };
        let pattern = if random_fraction == 0.0 { "sequential " } else { "" };
        format!("{} {pattern}{kind}, k = {k}", format_size(block_bytes.into()))
    }

    fn into_work(self, epochs: u32) -> Work {
        let resamples = self.context.resamples(epochs);
        let mut procedure = self.context.procedure(epochs, self.rig.traffic(), self.rig.now());
        procedure.notes = self.notes;
        let points = self.cells.iter().map(|cell| cell.point(resamples.as_ref())).collect();
        Work { procedure, points }
    }
}

impl Cell {
    fn writes(&self) -> bool {
        self.workload.read_share < 1.0
    }

    /// Requests and seconds of all slices, each weighted by its epoch.
    fn total(&self, weight: impl Fn(u32) -> f64) -> (f64, f64) {
        self.slices.iter().fold((0.0, 0.0), |(requests, time), &(epoch, ops, seconds)| {
            (requests + weight(epoch) * ops as f64, time + weight(epoch) * seconds)
        })
    }

    fn point(&self, resamples: Option<&Resamples>) -> WorkPoint {
        let (requests, seconds) = self.total(|_| 1.0);
        let cost_ci = interval(resamples, seconds / requests, |counts| {
            let (requests, seconds) = self.total(|epoch| f64::from(counts[epoch as usize]));
            seconds / requests
        });
        // Windows do not tell reads from writes; the share is that of all that was sent, ramps included.
        let (read, written) = (self.sent.0 as f64, self.sent.1 as f64);
        let reads = (requests * read / (read + written)).round() as u64;
        let cpu_share = self.cpu_shares.iter().sum::<f64>() / self.cpu_shares.len().max(1) as f64;
        WorkPoint {
            reads,
            writes: requests as u64 - reads,
            block_bytes: self.workload.block_bytes,
            random_fraction: self.workload.random_fraction,
            concurrency: self.k,
            seconds,
            seconds_ci: cost_ci.map(|ci| ci.map(|cost| cost * requests)),
            latency_us: latency(&self.latencies, self.latencies.mean() / 1e3),
            cpu_bound: cpu_share >= CPU_BOUND,
        }
    }
}
