//! `sync-methods`: the ways to make a write to a file durable, compared, as pg_test_fsync does for
//! PostgreSQL.

mod figures;

use leadline_device::{Nanos, Payload, clock};
use leadline_figures::Part;
use leadline_profile::{DeviceProfile, Experiments, FileState, SyncMethod, SyncMethods, SyncPoint};
use serde_json::{Value, json};

use super::context::{ExperimentContext, SHORTEST_SLICE, rate};
use super::kind::Experiment;
use super::log_file::{LogFile, POSTGRES_SEGMENT_BYTES};
use super::rounds::{Round, Rounds, make_rounds};
use crate::bootstrap::Resamples;
use crate::load::Recorder;
use crate::outcome::Stop;
use crate::summary::latency;
use crate::{MeasureError, PlanError};

/// Bytes per write: a page of PostgreSQL.
const WRITE_BYTES: u32 = 8 << 10;

/// One method on a file in one state.
struct Cell {
    method: SyncMethod,
    state: FileState,
    /// Writes and the seconds they took, one entry per round.
    slices: Vec<(u64, f64)>,
    latencies: Recorder,
}

/// `sync-methods`.
pub(super) struct SyncMethodsExperiment;

impl Experiment for SyncMethodsExperiment {
    fn name(&self) -> &'static str {
        "sync-methods"
    }

    fn help(&self) -> &'static str {
        "fsync, fdatasync, O_DSYNC and RWF_DSYNC compared"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn needs_directory(&self) -> bool {
        true
    }

    fn own_file_bytes(&self) -> Option<u64> {
        Some(POSTGRES_SEGMENT_BYTES)
    }

    fn run(&self, context: &mut ExperimentContext) -> Result<(Experiments, Option<Stop>), MeasureError> {
        let (found, stop) = run(context)?;
        Ok((Experiments { sync_methods: Some(found), ..Experiments::default() }, stop))
    }

    fn text(&self, profile: &DeviceProfile) -> Option<Vec<Part>> {
        profile.experiments.sync_methods.as_ref().map(figures::text)
    }

    fn sentences(&self, profile: &DeviceProfile) -> Option<Vec<String>> {
        profile.experiments.sync_methods.as_ref().map(figures::sentences)
    }

    fn chart(&self, profile: &DeviceProfile) -> Option<Value> {
        profile.experiments.sync_methods.as_ref().map(|found| json!(figures::SyncChart::new(found)))
    }
}

fn run(context: &mut ExperimentContext) -> Result<(SyncMethods, Option<Stop>), MeasureError> {
    let experiment = context.plan.experiment.name();
    let dir = context.plan.own_file_in().ok_or(PlanError::NeedsDirectory { experiment })?;
    let log = LogFile::create(dir, POSTGRES_SEGMENT_BYTES)?;
    context.start_clock(clock::now());
    let mut data = vec![0; WRITE_BYTES as usize];
    Payload::new(context.plan.seed).fill(&mut data);
    let mut cells = Vec::new();
    for state in FileState::ALL {
        cells.extend(SyncMethod::ALL.map(|method| Cell {
            method,
            state,
            slices: Vec::new(),
            latencies: Recorder::new(),
        }));
    }
    let mut trial = Trial { context, log, data, cells, written: 0 };
    let (epochs, ended) = make_rounds(&mut trial);
    let has_all = trial.cells.iter().all(|cell| !cell.slices.is_empty());
    let stop = trial.context.stop_or_error(ended, has_all)?;
    Ok((trial.into_methods(epochs), stop))
}

struct Trial<'f, 'a> {
    context: &'f mut ExperimentContext<'a>,
    log: LogFile,
    data: Vec<u8>,
    cells: Vec<Cell>,
    /// Bytes, filling the file included.
    written: u64,
}

impl<'a> Rounds<'a> for Trial<'_, 'a> {
    fn context(&self) -> &ExperimentContext<'a> {
        self.context
    }

    fn now(&self) -> Nanos {
        clock::now()
    }

    fn round(&mut self, round: Round) -> Result<(), Stop> {
        let seconds = round.seconds_of_slice(self.cells.len()).max(SHORTEST_SLICE);
        for i in self.context.in_random_order(0..self.cells.len()) {
            self.slice(i, clock::now().saturating_add((seconds * 1e9) as Nanos))?;
            let Cell { method, state, .. } = self.cells[i];
            self.context.report(clock::now(), format!("{}, file {}", method.words(), state.words()));
        }
        Ok(())
    }
}

impl Trial<'_, '_> {
    /// Writes from the beginning of the file until `until`, and at least once. Bringing the file into its
    /// state is not timed.
    fn slice(&mut self, i: usize, until: Nanos) -> Result<(), Stop> {
        let (mut ops, mut time, mut offset) = (0, 0, self.log.len());
        loop {
            let Cell { method, state, latencies, .. } = &mut self.cells[i];
            if offset == self.log.len() {
                // What was overwritten can be overwritten again; the other states are used up.
                if ops == 0 || *state != FileState::Written {
                    let fill = if *state == FileState::Written { self.log.len() } else { 0 };
                    self.context.bytes_allowed(self.written, fill)?;
                    self.written += self.log.renew(*state).map_err(Stop::Failed)?;
                }
                offset = 0;
            }
            self.context.bytes_allowed(self.written, self.data.len() as u64)?;
            let began = clock::now();
            self.log.write(*method, &self.data, offset).map_err(Stop::Failed)?;
            self.log.sync(*method).map_err(Stop::Failed)?;
            let ended = clock::now();
            latencies.record(ended - began);
            self.written += self.data.len() as u64;
            offset += self.data.len() as u64;
            (ops, time) = (ops + 1, time + (ended - began));
            self.context.cancelled()?;
            if ended >= until {
                break;
            }
        }
        self.cells[i].slices.push((ops, time as f64 / 1e9));
        Ok(())
    }

    fn into_methods(self, epochs: u32) -> SyncMethods {
        let resamples = self.context.resamples(epochs);
        let procedure = self.context.procedure(epochs, (0, self.written), clock::now());
        let points = self.cells.iter().map(|cell| cell.point(resamples.as_ref())).collect();
        SyncMethods { procedure, block_bytes: WRITE_BYTES, points }
    }
}

impl Cell {
    fn point(&self, resamples: Option<&Resamples>) -> SyncPoint {
        let (iops, iops_ci) = rate(&self.slices, resamples);
        SyncPoint {
            method: self.method,
            file: self.state,
            ops: self.slices.iter().map(|slice| slice.0).sum(),
            seconds: self.slices.iter().map(|slice| slice.1).sum(),
            iops,
            iops_ci,
            latency_us: latency(&self.latencies, self.latencies.mean() / 1e3),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounds of a file system whose commits take exponential times, with a mean that differs from round to
    /// round by 10 %, as a journal and other programs make it differ.
    fn rounds(random: &mut fastrand::Rng, rounds: usize, per_second: f64) -> Vec<(u64, f64)> {
        let mut round = || {
            let normal: f64 = (0..12).map(|_| random.f64()).sum::<f64>() - 6.0;
            let mean = (0.005 - 0.1 * normal).exp() / per_second;
            let (mut ops, mut seconds) = (0, 0.0);
            while seconds < 0.2 {
                seconds -= mean * (1.0 - random.f64()).ln();
                ops += 1;
            }
            (ops, seconds)
        };
        (0..rounds).map(|_| round()).collect()
    }

    #[test]
    fn intervals_of_the_rates_of_methods_hold_them_in_about_95_of_100() {
        for epochs in [8, 20] {
            let mut random = fastrand::Rng::with_seed(5);
            let held = (0..400).filter(|seed| {
                let cell = Cell {
                    method: SyncMethod::ALL[0],
                    state: FileState::Written,
                    slices: rounds(&mut random, epochs, 1000.0),
                    latencies: Recorder::new(),
                };
                let found = cell.point(Resamples::new(epochs as u32, *seed).as_ref());
                let [low, high] = found.iops_ci.expect("an interval");
                low <= 1000.0 && 1000.0 <= high
            });
            // 380 expected, standard deviation 4.4.
            let held = held.count();
            assert!((366..=394).contains(&held), "{epochs} rounds: {held} of 400");
        }
    }
}
