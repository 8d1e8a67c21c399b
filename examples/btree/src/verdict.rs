//! For which pairs of node sizes the order was foretold.

use leadline_lsm::Estimate;
use leadline_lsm::btree::Operation;
use statrs::distribution::{ContinuousCDF as _, StudentsT};

use crate::Cell;

/// Two node sizes whose measured intervals do not overlap, so that one is faster beyond doubt.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    /// What was done.
    pub operation: Operation,
    /// By how many clients.
    pub clients: u32,
    /// The node size that was faster, bytes.
    pub faster: u32,
    /// The other one, bytes.
    pub slower: u32,
    /// Whether the forecast had them in this order.
    pub foretold: bool,
}

/// The mean of `values` and its 95 % interval by Student's t; no narrower than the number itself with one
/// value, which then says nothing: from 0 to infinity.
pub fn interval(values: &[f64]) -> Estimate {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n.max(1.0);
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    let Ok(t) = StudentsT::new(0.0, 1.0, n - 1.0) else {
        return Estimate { value: mean, ci: [0.0, f64::INFINITY] };
    };
    let half = t.inverse_cdf(0.975) * (squares / (n - 1.0) / n).sqrt();
    Estimate { value: mean, ci: [(mean - half).max(0.0), mean + half] }
}

/// A verdict for every pair of cells of the same operation and clients whose intervals do not overlap.
pub fn verdicts(cells: &[Cell]) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    for (at, one) in cells.iter().enumerate() {
        for other in &cells[at + 1..] {
            if (one.operation, one.clients) != (other.operation, other.clients) {
                continue;
            }
            let (a, b) = (interval(&one.measured), interval(&other.measured));
            let (fast, slow) = if a.value > b.value { (one, other) } else { (other, one) };
            let (fast_ci, slow_ci) = if a.value > b.value { (a.ci, b.ci) } else { (b.ci, a.ci) };
            if fast_ci[0] > slow_ci[1] {
                verdicts.push(Verdict {
                    operation: one.operation,
                    clients: one.clients,
                    faster: fast.node_bytes,
                    slower: slow.node_bytes,
                    foretold: fast.forecast.per_second.value > slow.forecast.per_second.value,
                });
            }
        }
    }
    verdicts
}
