//! Costs as smooth functions of concurrency.

mod fit;
mod parameters;

/// A cost that falls with the concurrency k to an asymptote: positive, without poles, never below the
/// asymptote. Only the rational function of degree 3 may rise before it falls.
#[derive(Debug, Clone, PartialEq)]
pub enum CostFunction {
    /// sum(d_i rho_i k^i) / sum(d_i k^i) with d_0 = 1, all d_i >= 0 and rho_i > 0: a rational function
    /// (equations 5 and 6 of the MQSSD paper) that is a weighted mean of its rho_i, whose weight moves to the
    /// later ones as k grows. So it goes from rho_0 to the last rho, which is the smallest, and has no pole.
    /// In degree 2 the rho_i descend and the cost with them; in degree 3, which the paper takes for the
    /// transfer cost of writes, those before the last are free: two writes in flight may cost more than one.
    Rational {
        /// rho_i, seconds; the last is the smallest.
        levels: Vec<f64>,
        /// d_i; the first is 1.
        weights: Vec<f64>,
    },
    /// a + b / (1 + (k / k0)^g), all positive; b is 0 where the cost does not fall.
    Sigmoid {
        /// Asymptote, seconds.
        a: f64,
        /// How far it falls from k = 0 on, seconds.
        b: f64,
        /// The concurrency at which half of the fall is done.
        k0: f64,
        /// How steeply it falls.
        g: f64,
    },
}

/// The two families of [`CostFunction`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CostShape {
    /// A sigmoid: four parameters.
    Sigmoid,
    /// A rational function of this degree: 2 (five parameters) or 3 (seven).
    Rational(u8),
}

impl std::fmt::Display for CostShape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CostShape::Sigmoid => write!(f, "a + b / (1 + (k / k0)^g)"),
            CostShape::Rational(degree) => write!(f, "rational of degree {degree}"),
        }
    }
}

/// A cost at one concurrency, to be fitted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CostPoint {
    /// Concurrency, at least 1.
    pub k: f64,
    /// Seconds; positive.
    pub seconds: f64,
    /// Weight of its squared logarithmic error, relative to the other points; 0 or more.
    pub weight: f64,
}

/// How far a function is from points, weighted as they are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CostErrors {
    /// Share of the variance of ln(cost) that it explains; 1 at best, and 1 where there is none to explain.
    pub r2_log: f64,
    /// Largest |fitted - cost| / cost, whatever the weight.
    pub largest_relative: f64,
    /// Mean |fitted - cost| / cost.
    pub mape: f64,
}

/// Fewest concurrencies to fit a function to: as many as the sigmoid has parameters.
pub(crate) const FEWEST: usize = 4;

/// Fewest concurrencies for a rational function of each degree: with one left out there are still as many as
/// parameters.
const FEWEST_RATIONAL: [(u8, usize); 2] = [(2, 6), (3, 8)];

/// A function that misses no point by more than this goes through them all.
const GOES_THROUGH: f64 = 0.05;

/// Leave-one-out errors within this factor of the smallest do not decide between shapes.
const AS_GOOD: f64 = 1.5;

impl CostFunction {
    /// The function of this shape whose weighted squared logarithmic errors are smallest. Where the best one
    /// does not fall (costs that rise with k, or stay), it is a constant, a sigmoid with b = 0.
    ///
    /// `None` where there is no point, or one that is not positive and finite. With fewer points
    /// than parameters the fit is one of many: see [`CostFunction::choose`].
    pub fn fit(points: &[CostPoint], shape: CostShape) -> Option<Self> {
        fit::Points::new(points)?.best(shape)
    }

    /// Fits the same shape to other points, starting from here: for points much like the earlier ones.
    pub fn refit(&self, points: &[CostPoint]) -> Option<Self> {
        fit::Points::new(points)?.best_from(self)
    }

    /// The shape with the smallest leave-one-out error, among the shapes with enough points: four
    /// concurrencies for the sigmoid, six and eight for the rational functions of degree 2 and 3. Among
    /// shapes that predict about equally well, one that goes through all points is preferred. `None` with
    /// fewer than four concurrencies.
    pub fn choose(points: &[CostPoint]) -> Option<Self> {
        let mut ks: Vec<f64> = points.iter().map(|p| p.k).collect();
        ks.sort_unstable_by(f64::total_cmp);
        ks.dedup();
        if ks.len() < FEWEST {
            return None;
        }
        let rational = FEWEST_RATIONAL.iter().filter(|(_, fewest)| ks.len() >= *fewest);
        let shapes = std::iter::once(CostShape::Sigmoid)
            .chain(rational.map(|(degree, _)| CostShape::Rational(*degree)));
        // A cost that rises over the whole measured range is not one that rises before it falls.
        let falls = |function: &Self| function.at(ks[ks.len() - 1]) <= function.at(ks[0]);
        let tried: Vec<(Self, f64)> = shapes
            .filter_map(|shape| Self::fit(points, shape))
            .filter(|function| falls(function) && !function.falls_again(ks[ks.len() - 1]))
            .map(|function| {
                let left_out = function.left_out(points).unwrap_or(f64::INFINITY);
                (function, left_out)
            })
            .collect();
        let smallest = tried.iter().map(|(_, left_out)| *left_out).fold(f64::INFINITY, f64::min);
        let misses = |function: &Self| function.errors(points).largest_relative > GOES_THROUGH;
        tried
            .into_iter()
            .filter(|(_, left_out)| *left_out <= AS_GOOD * smallest)
            .min_by(|a, b| misses(&a.0).cmp(&misses(&b.0)).then(a.1.total_cmp(&b.1)))
            .map(|(function, _)| function)
            .or_else(|| Self::fit(points, CostShape::Sigmoid))
    }

    /// Whether it falls more steeply beyond `last`, the largest concurrency measured, than just before: a
    /// fall that was not measured.
    fn falls_again(&self, last: f64) -> bool {
        const STEEPER: f64 = 0.1;
        let fall = |k: f64| (self.at(k) / self.at(2.0 * k)).ln();
        let seen = fall(last / 2.0);
        (0..16).any(|octave| fall(last * f64::from(1 << octave)) > seen + STEEPER)
    }

    /// Its shape.
    pub fn shape(&self) -> CostShape {
        match self {
            CostFunction::Rational { levels, .. } => CostShape::Rational((levels.len() - 1) as u8),
            CostFunction::Sigmoid { .. } => CostShape::Sigmoid,
        }
    }

    /// Whether it is the same at every concurrency.
    pub fn is_constant(&self) -> bool {
        matches!(self, CostFunction::Sigmoid { b, .. } if *b == 0.0)
    }

    /// How many numbers it has.
    pub(crate) fn numbers(&self) -> usize {
        match self {
            CostFunction::Rational { levels, weights } => levels.len() + weights.len() - 1,
            CostFunction::Sigmoid { .. } if self.is_constant() => 1,
            CostFunction::Sigmoid { .. } => 4,
        }
    }

    /// Seconds at concurrency `k`, from 1 to 1e6: positive and finite.
    pub fn at(&self, k: f64) -> f64 {
        match self {
            CostFunction::Rational { levels, weights } => {
                let (mut power, mut sum, mut weighted) = (1.0, 0.0, 0.0);
                for (level, weight) in levels.iter().zip(weights) {
                    sum += weight * power;
                    weighted += weight * power * level;
                    power *= k;
                }
                weighted / sum
            }
            CostFunction::Sigmoid { a, b, k0, g } => a + b / (1.0 + (k / k0).powf(*g)),
        }
    }

    /// The asymptote, seconds.
    pub fn asymptote(&self) -> f64 {
        match self {
            CostFunction::Rational { levels, .. } => levels[levels.len() - 1],
            CostFunction::Sigmoid { a, .. } => *a,
        }
    }

    /// How far it is from `points`, which are positive and at least one.
    pub fn errors(&self, points: &[CostPoint]) -> CostErrors {
        let weights: f64 = points.iter().map(|p| p.weight).sum();
        let mean = points.iter().map(|p| p.weight * p.seconds.ln()).sum::<f64>() / weights;
        let (mut residual, mut total, mut absolute, mut largest) = (0.0, 0.0, 0.0, 0.0f64);
        for p in points {
            let relative = self.relative_error(p);
            residual += p.weight * (self.at(p.k) / p.seconds).ln().powi(2);
            total += p.weight * (p.seconds.ln() - mean).powi(2);
            absolute += p.weight * relative;
            largest = largest.max(relative);
        }
        let r2_log = if total > 1e-18 * weights { 1.0 - residual / total } else { 1.0 };
        CostErrors { r2_log, largest_relative: largest, mape: absolute / weights }
    }

    /// Weighted mean of |predicted - cost| / cost, each point predicted from the rest alone. `None` where
    /// nothing can be fitted, or no point remains.
    pub fn leave_one_out(points: &[CostPoint], shape: CostShape) -> Option<f64> {
        Self::fit(points, shape)?.left_out(points)
    }

    /// [`CostFunction::leave_one_out`] of a shape whose best function is this one: fits to
    /// the remaining points start from here.
    fn left_out(&self, points: &[CostPoint]) -> Option<f64> {
        if points.len() < 2 {
            return None;
        }
        let (mut sum, mut weights) = (0.0, 0.0);
        for (left_out, point) in points.iter().enumerate() {
            let mut others = points.to_vec();
            others.remove(left_out);
            sum += point.weight * self.refit(&others)?.relative_error(point);
            weights += point.weight;
        }
        (weights > 0.0).then(|| sum / weights)
    }

    fn relative_error(&self, point: &CostPoint) -> f64 {
        (self.at(point.k) - point.seconds).abs() / point.seconds
    }
}
