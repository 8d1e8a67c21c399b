//! Runs the pools of a sweep, each with its trace and its device newly opened.

use std::sync::atomic::AtomicBool;

use leadline_device::Device as _;
use leadline_measure::Progress;
use leadline_pool::simulate::{Config, Inputs, Outcome, SimulateError, SweepError, sweep};
use leadline_trace::ReadAs;

use super::device::SimulatedDevice;
use super::plan::Cell;
use crate::console;
use crate::failure::Failure;
use crate::progress::Display;
use crate::source::open_trace;

/// What every pool of the sweep has in common.
pub(super) struct Common<'a> {
    pub(super) read_as: &'a ReadAs,
    pub(super) device: Option<&'a SimulatedDevice>,
    pub(super) threads: usize,
}

/// Runs all; the outcomes are in the cells' order.
///
/// # Errors
/// What went wrong first, by the cells' order; [`Failure::Operation`] where `cancel` was set.
pub(super) fn run(cells: &[Cell], common: &Common, cancel: &AtomicBool) -> Result<Vec<Outcome>, Failure> {
    let configs: Vec<Config> = cells.iter().map(|cell| cell.config.clone()).collect();
    let call = console::call();
    let open = |index: usize| {
        // Each pool is simulated on a thread of its own.
        let _call = console::work_for(call.clone());
        let cell: &Cell = &cells[index];
        let trace = open_trace(&cell.trace, common.read_as)?;
        let device = match common.device {
            Some(device) => {
                let device = device.spec(cell.alpha_1).device();
                Some(device.queue_pair(cell.config.queue_shape()?)?)
            }
            None => None,
        };
        Ok(Inputs { trace, device })
    };
    let mut display = Display::new();
    let outcomes = sweep(&configs, &open, common.threads, cancel, &mut |progress| {
        let detail = format!("{} of {} pools", progress.finished, cells.len());
        display.show(&Progress { phase: "simulate", done: progress.done, detail });
    });
    display.finish();
    let outcomes =
        outcomes.map_err(|error| failure(&cells[error.index].trace.display().to_string(), error))?;
    let outcomes =
        outcomes.ok_or_else(|| Failure::Operation("interrupted; nothing was written".to_owned()))?;
    match cells.iter().zip(&outcomes).find(|(_, outcome)| outcome.operations == 0) {
        Some((cell, _)) => Err(Failure::Input(format!("{}: holds no request", cell.trace.display()))),
        None => Ok(outcomes),
    }
}

fn failure(trace: &str, SweepError { error, .. }: SweepError) -> Failure {
    match error {
        SimulateError::Trace(error) => error.into(),
        SimulateError::Config(_) => Failure::Input(error.to_string()),
        SimulateError::NoSizes => Failure::Input(format!(
            "--cache-size: {trace} has no sizes of objects, as traces of caches have (twitter, cachelib, \
             oraclegeneral); give --frames"
        )),
        SimulateError::BeyondDevice { .. } => {
            Failure::Input(format!("{trace}: {error}; name a larger --device, or smaller --page-size"))
        }
        _ => Failure::Operation(format!("{trace}: {error}")),
    }
}
