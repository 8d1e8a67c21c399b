//! How well constants fitted to some cells predict the rest.

use super::fit::{positive_constants, sum};
use super::tables::Cell;

/// Random halves over which the error is averaged; each has its own seed.
const HALVES: u64 = 20;

/// Concurrencies that are fitted to; the others are predicted.
const FITTED_K: [u32; 3] = [1, 4, 16];

/// Mean absolute errors, relative to the measured time, on cells that took no part in the fit.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldOut {
    /// Constants fitted to all cells, seconds per unit of each term.
    pub constants: Vec<f64>,
    /// Fitted to all cells, error on the same.
    pub in_sample: f64,
    /// Fitted to a random half, error on the other half: mean over 20 seeded halves.
    pub random_halves: f64,
    /// Fitted to k = 1, 4 and 16, error at the other concurrencies.
    pub other_concurrencies: f64,
    /// Predicted over measured for each cell, with [`constants`](Self::constants).
    pub ratios: Vec<f64>,
}

/// Judges a model by its `terms`, each to be multiplied by a positive constant. There must be cells at k = 1,
/// 4 or 16 and at others, and every term must be above 0 in some cell of each half.
pub fn held_out(cells: &[Cell], terms: impl Fn(&Cell) -> Vec<f64>) -> HeldOut {
    let all: Vec<(Vec<f64>, f64)> = cells.iter().map(|cell| (terms(cell), cell.seconds)).collect();
    let judge = |fitted: &[usize], others: &[usize]| {
        let taken = |of: &[usize]| of.iter().map(|&i| all[i].clone()).collect::<Vec<_>>();
        error(&positive_constants(&taken(fitted)), &taken(others))
    };
    let mut order: Vec<usize> = (0..cells.len()).collect();
    let random_halves: f64 = (0..HALVES)
        .map(|seed| {
            order.sort_unstable();
            fastrand::Rng::with_seed(seed).shuffle(&mut order);
            let (fitted, others) = order.split_at(cells.len() / 2);
            judge(fitted, others)
        })
        .sum();
    let (fitted, others): (Vec<usize>, Vec<usize>) =
        (0..cells.len()).partition(|&i| FITTED_K.contains(&cells[i].k));
    let constants = positive_constants(&all);
    HeldOut {
        in_sample: error(&constants, &all),
        random_halves: random_halves / HALVES as f64,
        other_concurrencies: judge(&fitted, &others),
        ratios: all.iter().map(|(terms, seconds)| sum(&constants, terms) / seconds).collect(),
        constants,
    }
}

/// Mean absolute error of given constants, relative to the measured time.
pub fn mean_error(cells: &[Cell], constants: &[f64], terms: impl Fn(&Cell) -> Vec<f64>) -> f64 {
    let all: Vec<(Vec<f64>, f64)> = cells.iter().map(|cell| (terms(cell), cell.seconds)).collect();
    error(constants, &all)
}

fn error(constants: &[f64], observations: &[(Vec<f64>, f64)]) -> f64 {
    let errors = observations.iter().map(|(terms, seconds)| (sum(constants, terms) / seconds - 1.0).abs());
    errors.sum::<f64>() / observations.len().max(1) as f64
}
