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

/// Steps towards the least logarithmic errors; the second is already below what noise of 10 % leaves.
const STEPS: usize = 3;

/// Largest logarithmic error of a row at which all are taken for noise.
const NOISE: f64 = std::f64::consts::LN_2;

/// A request's random accesses, its pages, and its share of the time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    random: f64,
    pages: f64,
    seconds: f64,
    /// Of the squared error.
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

/// Least squares of the logarithmic errors of `random * setup + pages * transfer`, neither of them negative.
/// `None` where the rows cannot tell the two apart.
///
/// Errors relative to what was measured come first: they make the problem linear, but a time that came out
/// too short counts for more than one that came out too long, and costs come out too low by 1.5 variances of
/// the noise. A few steps of Gauss and Newton's go from there to the logarithmic errors, which have no such
/// bias. Not where a row is off by more than a factor of two: such an error is the model's, and logarithms
/// would give up all other rows for one that the model takes to cost next to nothing.
pub(super) fn solve(rows: &[Row]) -> Option<SetupTransfer> {
    let relative = rows.iter().map(|&row| Linear { row, target: row.seconds, scale: row.seconds });
    let mut best = least_squares(&relative.collect::<Vec<_>>())?;
    let off = |row: &Row| (row.seconds / row.cost(&best)).ln().abs();
    if !rows.iter().all(|row| off(row) < NOISE) {
        return Some(best);
    }
    let mut squares = log_squares(rows, &best);
    for _ in 0..STEPS {
        let near: Option<Vec<Linear>> = rows.iter().map(|row| row.near(&best)).collect();
        let Some(next) = near.and_then(|near| least_squares(&near)) else { break };
        let reached = log_squares(rows, &next);
        if reached.is_nan() || reached >= squares {
            break;
        }
        (best, squares) = (next, reached);
    }
    Some(best)
}

/// A row of a linear problem: errors from `target` count relative to `scale`, both in seconds.
struct Linear {
    row: Row,
    target: f64,
    scale: f64,
}

impl Row {
    /// The linear problem next to `costs` whose solution has the smaller logarithmic errors; `None` where
    /// they say that the request costs nothing.
    fn near(&self, costs: &SetupTransfer) -> Option<Linear> {
        let scale = self.cost(costs);
        let target = scale * (1.0 + (self.seconds / scale).ln());
        (scale > 0.0).then_some(Linear { row: *self, target, scale })
    }

    fn cost(&self, costs: &SetupTransfer) -> f64 {
        costs.setup * self.random + costs.transfer * self.pages
    }
}

fn log_squares(rows: &[Row], costs: &SetupTransfer) -> f64 {
    rows.iter().map(|row| row.weight * (row.seconds / row.cost(costs)).ln().powi(2)).sum()
}

fn least_squares(rows: &[Linear]) -> Option<SetupTransfer> {
    let sum = |of: &dyn Fn(&Row, f64) -> f64| {
        rows.iter().map(|l| l.row.weight / (l.scale * l.scale) * of(&l.row, l.target)).sum::<f64>()
    };
    let (aa, bb) = (sum(&|r, _| r.random * r.random), sum(&|r, _| r.pages * r.pages));
    let slope = sum(&|r, _| r.random * r.pages) / aa;
    // What is left of the pages when the random accesses are taken out: exact where a difference of sums
    // would not be.
    let rest = |r: &Row| r.pages - slope * r.random;
    let rest_squares = sum(&|r, _| rest(r).powi(2));
    let distinct = rest_squares / bb;
    if aa <= 0.0 || !distinct.is_finite() || distinct < COLLINEAR {
        return None;
    }
    let mut transfer = sum(&|r, t| rest(r) * t) / rest_squares;
    let mut setup = sum(&|r, t| r.random * (t - transfer * r.pages)) / aa;
    if setup < 0.0 {
        (setup, transfer) = (0.0, (sum(&|r, t| r.pages * t) / bb).max(0.0));
    } else if transfer < 0.0 {
        (setup, transfer) = ((sum(&|r, t| r.random * t) / aa).max(0.0), 0.0);
    }
    let squares = sum(&|r, t| (t - setup * r.random - transfer * r.pages).powi(2));
    let mean = sum(&|_, t| t) / sum(&|_, _| 1.0);
    let total = sum(&|_, t| (t - mean).powi(2));
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
