//! What Affine and MQSSD share: a setup cost for each random access and a transfer cost for each page, by
//! least squares.

use super::pages::pages;
use crate::{Observation, Observations};
use leadline_profile::OpKind;

/// Condition number above which setup and transfer are told apart poorly: an error in the times may grow by
/// that factor in the costs.
pub(super) const POOR_CONDITION: f64 = 30.0;

/// Least 1 - (correlation of random accesses and pages)^2 at which the two are told apart at all.
const COLLINEAR: f64 = 1e-8;

/// A request's random accesses, its pages, and its share of the time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    random: f64,
    pages: f64,
    seconds: f64,
    /// Of the squared relative error.
    weight: f64,
}

impl Row {
    fn of(o: &Observation) -> Self {
        let random = o.workload.random_fraction;
        Row { random, pages: pages(o.workload.block_bytes), seconds: o.cost(), weight: o.weight }
    }

    fn usable(&self) -> bool {
        self.seconds > 0.0 && self.seconds.is_finite() && self.pages > 0.0 && self.weight > 0.0
    }
}

/// The observations of `op` alone, each with its concurrency.
pub(super) fn rows(observations: &Observations, op: OpKind) -> impl Iterator<Item = (u32, Row)> {
    observations.pure(op).map(|o| (o.concurrency(), Row::of(o))).filter(|(_, row)| row.usable())
}

/// How many different numbers of random accesses per page there are: two or more are needed to tell setup
/// from transfer.
pub(super) fn mixtures(rows: &[Row]) -> usize {
    let mut ratios: Vec<f64> = rows.iter().map(|row| row.random / row.pages).collect();
    ratios.sort_unstable_by(f64::total_cmp);
    ratios.dedup_by(|a, b| (*a - *b).abs() <= 1e-6 * *a);
    ratios.len()
}

/// Both costs, and how well they are known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SetupTransfer {
    /// Seconds per random access; 0 or more.
    pub setup: f64,
    /// Seconds per page; 0 or more.
    pub transfer: f64,
    /// Standard errors of both, in seconds, if times are off by 100 %.
    pub errors: [f64; 2],
    /// Share of the weighted variance of the times that they explain.
    pub r2: f64,
    /// Condition number of the design matrix, weighted and each column scaled to length 1; at least 1.
    pub condition: f64,
    /// Weighted sum of squared relative errors.
    pub squares: f64,
    /// Rows.
    pub points: usize,
}

/// Least squares of the relative errors of `random * setup + pages * transfer`, neither of them negative.
/// `None` where the rows cannot tell the two apart.
pub(super) fn solve(rows: &[Row]) -> Option<SetupTransfer> {
    let sum = |of: &dyn Fn(&Row) -> f64| {
        rows.iter().map(|r| r.weight / (r.seconds * r.seconds) * of(r)).sum::<f64>()
    };
    let (aa, bb) = (sum(&|r| r.random * r.random), sum(&|r| r.pages * r.pages));
    let slope = sum(&|r| r.random * r.pages) / aa;
    // What is left of the pages when the random accesses are taken out: exact where a difference of sums
    // would not be.
    let rest = |r: &Row| r.pages - slope * r.random;
    let rest_squares = sum(&|r| rest(r).powi(2));
    let distinct = rest_squares / bb;
    if aa <= 0.0 || !distinct.is_finite() || distinct < COLLINEAR {
        return None;
    }
    let mut transfer = sum(&|r| rest(r) * r.seconds) / rest_squares;
    let mut setup = sum(&|r| r.random * (r.seconds - transfer * r.pages)) / aa;
    if setup < 0.0 {
        (setup, transfer) = (0.0, sum(&|r| r.pages * r.seconds) / bb);
    } else if transfer < 0.0 {
        (setup, transfer) = (sum(&|r| r.random * r.seconds) / aa, 0.0);
    }
    let squares = sum(&|r| (r.seconds - setup * r.random - transfer * r.pages).powi(2));
    let mean = sum(&|r| r.seconds) / sum(&|_| 1.0);
    let total = sum(&|r| (r.seconds - mean).powi(2));
    let correlation = (1.0 - distinct).max(0.0).sqrt();
    Some(SetupTransfer {
        setup,
        transfer,
        errors: [1.0 / (aa * distinct).sqrt(), 1.0 / rest_squares.sqrt()],
        r2: if total > 0.0 { 1.0 - squares / total } else { 1.0 },
        // Columns of length 1 have the singular values sqrt(1 +- correlation), and (1 - c)(1 + c) = distinct.
        condition: (1.0 + correlation) / distinct.sqrt(),
        squares,
        points: rows.len(),
    })
}

/// How well setup and transfer are told apart, in words; `k` is where it is worst.
pub(super) fn told_apart(op: &str, condition: f64, k: Option<u32>) -> String {
    let how = if condition > POOR_CONDITION { "poorly" } else { "well" };
    let at = k.map(|k| format!(" at worst, k = {k}")).unwrap_or_default();
    format!("{op}s: setup and transfer are told apart {how} (condition number {condition:.1}{at})")
}
