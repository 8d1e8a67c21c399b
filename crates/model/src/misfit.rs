//! How far a model is from what was measured, near a given workload.
//!
//! A model that is right for random reads may be wrong for sequential writes; one number for both would make
//! the one prediction look worse than it is and the other better. So errors of observations like the workload
//! count most.

use crate::{InFlight, Observation, Workload};
use leadline_profile::OpKind;

/// Distances at which an error has e^(-1/2) of its weight: doublings of k, doublings of the request, share of
/// reads, share of random requests.
const REACH: [f64; 4] = [1.5, 2.0, 0.25, 0.3];

/// Least weight of an error, however far away, so that there is always something to take an interval from.
const FLOOR: f64 = 1e-6;

/// ln(predicted / measured) of each observation.
#[derive(Debug, Clone, Default)]
pub struct Misfit {
    errors: Vec<([f64; 4], f64)>,
}

impl Misfit {
    /// From observations and what was predicted for them; those without a prediction are left out.
    pub fn new<'a>(predicted: impl Iterator<Item = (&'a Observation, Option<f64>)>) -> Self {
        let error = |o: &Observation, seconds: Option<f64>| {
            let log = (seconds? / o.seconds).ln();
            log.is_finite().then(|| (place(&o.workload), log))
        };
        Misfit { errors: predicted.filter_map(|(o, seconds)| error(o, seconds)).collect() }
    }

    /// Root mean square of the errors near `workload`; 0 without any.
    pub fn near(&self, workload: &Workload) -> f64 {
        let here = place(workload);
        let (mut weights, mut squares) = (0.0, 0.0);
        for (there, log) in &self.errors {
            let distance: f64 =
                here.iter().zip(there).zip(REACH).map(|((a, b), reach)| ((a - b) / reach).powi(2)).sum();
            let weight = (-0.5 * distance).exp() + FLOOR;
            weights += weight;
            squares += weight * log * log;
        }
        if weights > 0.0 { (squares / weights).sqrt() } else { 0.0 }
    }
}

fn place(w: &Workload) -> [f64; 4] {
    let k = match w.in_flight {
        InFlight::Together(k) => f64::from(k),
        // Reads and writes take turns: the kind with more requests stands for both.
        InFlight::Batches { .. } => {
            f64::from(w.in_flight.of(if w.reads >= w.writes { OpKind::Read } else { OpKind::Write }))
        }
    };
    [k.log2(), f64::from(w.block_bytes).log2(), w.read_share(), w.random_fraction]
}
