//! Fitting cost functions: least squares of logarithmic errors, by Levenberg and Marquardt from several
//! starts.

use levenberg_marquardt::{LeastSquaresProblem, LevenbergMarquardt};
use nalgebra::{DMatrix, DVector, Dyn, Owned};

use super::parameters::{descends, parameter, value};
use super::{CostFunction, CostPoint, CostShape};

/// Strength of the pull of each parameter's logarithm towards a common guess: enough to hold parameters that
/// the points do not determine, too little to show in those that they do.
const PULL: f64 = 1e-3;

/// Where the search starts for the changes from level to level, as shares of the measured range of ln(k): the
/// first and the last of a rational function. If the first comes after the last, a level is skipped.
const RATIONAL_STARTS: [[f64; 2]; 5] = [[0.3, 0.7], [0.1, 0.4], [0.1, 0.9], [0.6, 0.9], [0.6, 0.2]];

/// Likewise for a sigmoid: its middle and its steepness.
const SIGMOID_STARTS: [[f64; 2]; 6] =
    [[0.4, 1.0], [0.1, 1.0], [0.8, 1.0], [0.4, 2.0], [0.0, 2.0], [0.7, 3.0]];

/// Points in the units of the search.
pub(super) struct Points {
    rows: Vec<Row>,
    /// Geometric mean of the costs, the search's unit, in seconds.
    unit: f64,
    /// Weighted sum of the squared logarithmic errors of that constant.
    squares_of_mean: f64,
}

struct Row {
    k: f64,
    ln_cost: f64,
    root_weight: f64,
}

impl Points {
    /// `None` where there are none, or one is not positive and finite.
    pub(super) fn new(points: &[CostPoint]) -> Option<Self> {
        let positive = |value: f64| value > 0.0 && value.is_finite();
        let usable =
            |p: &CostPoint| positive(p.k) && positive(p.seconds) && p.weight.is_finite() && p.weight >= 0.0;
        let weights: f64 = points.iter().map(|p| p.weight).sum();
        if !points.iter().all(usable) || !positive(weights) {
            return None;
        }
        let mean = points.iter().map(|p| p.weight * p.seconds.ln()).sum::<f64>() / weights;
        // Weights of 1 on average, so that the pull does not depend on the unit of weight.
        let scale = points.len() as f64 / weights;
        let row = |p: &CostPoint| Row {
            k: p.k,
            ln_cost: p.seconds.ln() - mean,
            root_weight: (p.weight * scale).sqrt(),
        };
        let rows: Vec<Row> = points.iter().map(row).collect();
        let squares_of_mean = rows.iter().map(|r| (r.root_weight * r.ln_cost).powi(2)).sum();
        Some(Points { rows, unit: mean.exp(), squares_of_mean })
    }

    /// The best function of a shape, over all starts.
    pub(super) fn best(&self, shape: CostShape) -> Option<CostFunction> {
        let starts = self.starts(shape);
        let thorough = LevenbergMarquardt::new().with_tol(1e-8).with_patience(30);
        let found = starts.iter().map(|start| self.descend(&thorough, shape, start, &starts[0]));
        self.or_constant(shape, found.min_by(|a, b| a.1.total_cmp(&b.1))?)
    }

    /// The best function of the same shape near `function`.
    pub(super) fn best_from(&self, function: &CostFunction) -> Option<CostFunction> {
        if function.is_constant() {
            return self.best(CostShape::Sigmoid);
        }
        let shape = function.shape();
        let quick = LevenbergMarquardt::new().with_tol(1e-4).with_patience(4);
        let found = self.descend(&quick, shape, &self.logs_of(function), &self.starts(shape)[0]);
        self.or_constant(shape, found)
    }

    /// Searches from `start`: the parameters' logarithms and their weighted sum of squared errors.
    fn descend(
        &self,
        search: &LevenbergMarquardt<f64>,
        shape: CostShape,
        start: &DVector<f64>,
        guess: &DVector<f64>,
    ) -> (DVector<f64>, f64) {
        let (problem, _) =
            search.minimize(Problem { rows: &self.rows, shape, logs: start.clone(), guess: guess.clone() });
        let squares = problem.point_errors().map(|e| e * e).sum();
        (problem.logs, squares)
    }

    /// The function found, or a constant where that fits as well: then the costs do not fall.
    fn or_constant(&self, shape: CostShape, (logs, squares): (DVector<f64>, f64)) -> Option<CostFunction> {
        let falls = squares < 0.999 * self.squares_of_mean && self.squares_of_mean > 1e-18;
        if !falls {
            return Some(CostFunction::Sigmoid { a: self.unit, b: 0.0, k0: 1.0, g: 1.0 });
        }
        let p: Vec<f64> = logs.iter().enumerate().map(|(i, &log)| parameter(shape, i, log)).collect();
        Some(match shape {
            CostShape::Sigmoid => {
                CostFunction::Sigmoid { a: p[0] * self.unit, b: p[1] * self.unit, k0: p[2], g: p[3] }
            }
            CostShape::Rational(degree) => {
                let degree = usize::from(degree);
                let mut levels = vec![p[0] * self.unit];
                for drop in &p[1..=degree] {
                    let below = if descends(degree) { levels.len() - 1 } else { 0 };
                    levels.push(levels[below] + drop * self.unit);
                }
                levels.reverse();
                let weights = std::iter::once(1.0).chain(p[degree + 1..].iter().copied()).collect();
                CostFunction::Rational { levels, weights }
            }
        })
    }

    /// The logarithms that make up `function`; the reverse of what [`Points::or_constant`] does.
    fn logs_of(&self, function: &CostFunction) -> DVector<f64> {
        let values: Vec<f64> = match function {
            CostFunction::Sigmoid { a, b, k0, g } => vec![a / self.unit, b / self.unit, *k0, *g],
            CostFunction::Rational { levels, weights } => {
                let last = levels.len() - 1;
                let below = |i| levels[if descends(last) { i + 1 } else { last }];
                let drops = (0..last).rev().map(|i| (levels[i] - below(i)) / self.unit);
                let asymptote = function.asymptote() / self.unit;
                std::iter::once(asymptote).chain(drops).chain(weights[1..].iter().copied()).collect()
            }
        };
        // A drop of zero has no logarithm.
        DVector::from_iterator(values.len(), values.iter().map(|v| v.max(1e-12).ln()))
    }

    /// Where to search from; the first is the guess that parameters are pulled to.
    fn starts(&self, shape: CostShape) -> Vec<DVector<f64>> {
        let ends = |of: fn(&Row) -> f64| {
            self.rows
                .iter()
                .map(of)
                .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], v| [low.min(v), high.max(v)])
        };
        let [ln_low, ln_high] = ends(|r| r.ln_cost);
        let [first, last] = ends(|r| r.k.ln());
        let at = |share: f64| first + share * (last - first);
        // The asymptote lies below all points.
        let low = 0.9 * ln_low.exp();
        let high = ln_high.exp();
        match shape {
            CostShape::Sigmoid => SIGMOID_STARTS
                .iter()
                .map(|&[share, g]| DVector::from_vec(vec![low.ln(), (high - low).ln(), at(share), g.ln()]))
                .collect(),
            CostShape::Rational(degree) => RATIONAL_STARTS
                .iter()
                .map(|&shares| rational_start(degree, [low, high], shares.map(at)))
                .collect(),
        }
    }
}

/// Levels evenly spaced in their logarithms, and weights such that level i takes over from the one before at
/// its own concurrency, from `first` to `last` (both ln k).
fn rational_start(degree: u8, [low, high]: [f64; 2], [first, last]: [f64; 2]) -> DVector<f64> {
    let steps = f64::from(degree);
    let level = |i: u8| low * (high / low).powf(f64::from(i) / steps);
    let mut logs = vec![low.ln()];
    let below = |i| level(if descends(usize::from(degree)) { i - 1 } else { 0 });
    logs.extend((1..=degree).map(|i| (level(i) - below(i)).ln()));
    let mut ln_weight = 0.0;
    for i in 0..degree {
        ln_weight -= first + (last - first) * f64::from(i) / (steps - 1.0).max(1.0);
        logs.push(ln_weight);
    }
    DVector::from_vec(logs)
}

/// What the search minimizes: an error for each point, then a pull for each parameter.
struct Problem<'a> {
    rows: &'a [Row],
    shape: CostShape,
    logs: DVector<f64>,
    guess: DVector<f64>,
}

impl Problem<'_> {
    fn parameters(&self) -> Vec<f64> {
        self.logs.iter().enumerate().map(|(i, &log)| parameter(self.shape, i, log)).collect()
    }

    fn point_errors(&self) -> impl Iterator<Item = f64> {
        let (p, mut slopes) = (self.parameters(), vec![0.0; self.logs.len()]);
        self.rows
            .iter()
            .map(move |r| r.root_weight * (value(self.shape, &p, r.k, &mut slopes).ln() - r.ln_cost))
    }
}

impl LeastSquaresProblem<f64, Dyn, Dyn> for Problem<'_> {
    type ResidualStorage = Owned<f64, Dyn>;
    type JacobianStorage = Owned<f64, Dyn, Dyn>;
    type ParameterStorage = Owned<f64, Dyn>;

    fn set_params(&mut self, logs: &DVector<f64>) {
        self.logs.copy_from(logs);
    }

    fn params(&self) -> DVector<f64> {
        self.logs.clone()
    }

    fn residuals(&self) -> Option<DVector<f64>> {
        let pulls = self.logs.iter().zip(&self.guess).map(|(log, guess)| PULL * (log - guess));
        let count = self.rows.len() + self.logs.len();
        Some(DVector::from_iterator(count, self.point_errors().chain(pulls)))
    }

    fn jacobian(&self) -> Option<DMatrix<f64>> {
        let (p, mut slopes) = (self.parameters(), vec![0.0; self.logs.len()]);
        let mut jacobian = DMatrix::zeros(self.rows.len() + p.len(), p.len());
        for (i, row) in self.rows.iter().enumerate() {
            let cost = value(self.shape, &p, row.k, &mut slopes);
            for (j, slope) in slopes.iter().enumerate() {
                jacobian[(i, j)] = row.root_weight * slope / cost;
            }
        }
        for j in 0..p.len() {
            jacobian[(self.rows.len() + j, j)] = PULL;
        }
        Some(jacobian)
    }
}

#[cfg(test)]
mod tests {
    use levenberg_marquardt::differentiate_numerically;

    use super::*;

    #[test]
    fn the_derivatives_are_those_of_the_cost() {
        let costs = [90.0, 61.0, 40.0, 17.0, 9.0, 6.5, 5.0];
        let point = |(i, &seconds): (usize, &f64)| CostPoint {
            k: f64::from(1 << i),
            seconds,
            weight: 1.0 + i as f64,
        };
        let points = Points::new(&costs.iter().enumerate().map(point).collect::<Vec<_>>()).expect("costs");
        for shape in [CostShape::Sigmoid, CostShape::Rational(2), CostShape::Rational(3)] {
            for logs in points.starts(shape) {
                let guess = logs.map(|log| 0.5 * log);
                let mut problem = Problem { rows: &points.rows, shape, logs, guess };
                let numerically = differentiate_numerically(&mut problem).expect("finite");
                let difference = problem.jacobian().expect("finite") - numerically;
                assert!(difference.amax() < 1e-5, "{shape:?}: {difference}");
            }
        }
    }

    #[test]
    fn a_function_survives_the_way_to_logarithms_and_back() {
        let points = [1.0, 2.0, 4.0].map(|k| CostPoint { k, seconds: 1e-4 / k, weight: 1.0 });
        let points = Points::new(&points).expect("costs");
        let functions = [
            CostFunction::Sigmoid { a: 2e-6, b: 90e-6, k0: 6.0, g: 1.4 },
            CostFunction::Rational {
                levels: vec![9e-5, 4e-5, 2e-5, 2e-6],
                weights: vec![1.0, 0.2, 0.01, 0.004],
            },
        ];
        for function in functions {
            let again =
                points.or_constant(function.shape(), (points.logs_of(&function), 0.0)).expect("a function");
            for k in [1.0, 5.0, 700.0] {
                assert!((again.at(k) / function.at(k) - 1.0).abs() < 1e-12, "{again:?}");
            }
        }
    }
}
