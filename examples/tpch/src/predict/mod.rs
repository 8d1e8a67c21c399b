//! Seconds predicted from the traces of another drive, beside the seconds that were measured.

mod lines;
mod order;

use leadline_placement::{Captured, Prediction, Waits, predict};

pub use lines::lines;
pub use order::{Agreement, agreement};

use crate::queries::{Plans, Query};
use crate::run::{Measured, RunResult};
use crate::{Interrupt, TpchError};

/// One query with one plan on two drives.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// Which.
    pub query: Query,
    /// With which plan.
    pub plans: Plans,
    /// On each drive.
    pub on: [OnDrive; 2],
}

/// One query on one drive.
#[derive(Debug, Clone, PartialEq)]
pub struct OnDrive {
    /// Measured, each run, in ascending order.
    pub seconds: Vec<f64>,
    /// Predicted from each run's trace on the other drive, in ascending order.
    pub predicted: Vec<f64>,
    /// Of the run's own trace, the share of its time that was computing; the median.
    pub computing: f64,
}

impl OnDrive {
    /// The median of the runs.
    pub fn measured(&self) -> f64 {
        median(&self.seconds)
    }

    /// The median of the predictions.
    pub fn prediction(&self) -> f64 {
        median(&self.predicted)
    }

    /// How far the prediction is off, as a share of what was measured.
    pub fn error(&self) -> f64 {
        self.prediction() / self.measured() - 1.0
    }
}

impl Compared {
    /// How many times as fast the second drive is.
    pub fn speedup(&self) -> f64 {
        self.on[0].measured() / self.on[1].measured()
    }

    /// The same, predicted by what each drive's traces say of the other.
    pub fn predicted_speedup(&self) -> f64 {
        self.on[0].prediction() / self.on[1].prediction()
    }

    /// The least and the greatest speed-up of any two runs.
    pub fn speedup_range(&self) -> [f64; 2] {
        let [first, second] = [&self.on[0].seconds, &self.on[1].seconds];
        [first[0] / second[second.len() - 1], first[first.len() - 1] / second[0]]
    }
}

/// What was predicted from one run's trace.
struct FromTrace {
    elsewhere: Prediction,
    recorded: Prediction,
}

/// Predicts every query of two results, which have traces, on the drive of the other. Runs that did not
/// finish are left out. `said` is called with each capture before it is read.
///
/// # Errors
/// [`TpchError::Input`] where a result has no traces, or they have no query in common.
pub fn compare(
    results: &[RunResult; 2],
    interrupt: &Interrupt,
    said: &mut dyn FnMut(&Measured),
) -> Result<Vec<Compared>, TpchError> {
    let mut compared = Vec::new();
    for query in Query::all() {
        for plans in [Plans::Default, Plans::Paper] {
            let runs = [0, 1].map(|i| finished(&results[i], query, plans));
            if runs.iter().any(Vec::is_empty) {
                continue;
            }
            let from = [
                predictions(&runs[0], &results[1].device, interrupt, said)?,
                predictions(&runs[1], &results[0].device, interrupt, said)?,
            ];
            let on = [0, 1].map(|i| OnDrive {
                seconds: ascending(runs[i].iter().map(|run| run.seconds)),
                predicted: ascending(from[1 - i].iter().map(|of| of.elsewhere.seconds())),
                computing: median(&ascending(from[i].iter().map(|of| computing_share(of.recorded)))),
            });
            compared.push(Compared { query, plans, on });
        }
    }
    if compared.is_empty() {
        let reason = "the results have no query in common that finished; run the same ones on both drives";
        return Err(TpchError::Input(reason.to_owned()));
    }
    Ok(compared)
}

/// Runs of a query with these plans; where the plan is MariaDB's in any case, with plans of its own.
fn finished(result: &RunResult, query: Query, plans: Plans) -> Vec<&Measured> {
    let wanted = |run: &&Measured| {
        let own = run.plans == Plans::Default || !query.is_forced();
        run.query == query && run.finished && own == (plans == Plans::Default)
    };
    result.queries.iter().filter(wanted).collect()
}

fn predictions(
    runs: &[&Measured],
    device: &str,
    interrupt: &Interrupt,
    said: &mut dyn FnMut(&Measured),
) -> Result<Vec<FromTrace>, TpchError> {
    runs.iter().map(|run| from_trace(run, device, interrupt, said)).collect()
}

fn from_trace(
    run: &Measured,
    device: &str,
    interrupt: &Interrupt,
    said: &mut dyn FnMut(&Measured),
) -> Result<FromTrace, TpchError> {
    interrupt.check()?;
    let Some(capture) = &run.capture else {
        let reason = format!("{}: its run has no trace; run it with --traces", run.query);
        return Err(TpchError::Input(reason));
    };
    said(run);
    let input = |error: &dyn std::fmt::Display| TpchError::Input(error.to_string());
    let path = capture.display().to_string();
    let captured = Captured::load(&path, &mut |_| true).map_err(|error| input(&error))?;
    let waits = Waits::of(&captured);
    let mut opened = leadline_tiers::open(device, None).map_err(|error| input(&error))?;
    let elsewhere = predict(&captured, &waits, device, &mut opened).map_err(|error| input(&error))?;
    Ok(FromTrace { elsewhere, recorded: waits.recorded(&captured) })
}

fn computing_share(of: Prediction) -> f64 {
    of.computing_ns as f64 / of.total_ns.max(1) as f64
}

fn ascending(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}

/// Of values in ascending order, at least one.
pub(crate) fn median(values: &[f64]) -> f64 {
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}
