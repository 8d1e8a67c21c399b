//! A smooth saturating curve through the upper part of a throughput curve.
//!
//! X(k) = X_inf (1 + (k_0 / k)^g)^(-1/g): proportional to k far below k_0, flat far above it. g says how
//! sharp the bend is: an ideal device of S servers has k_0 = S and g without limit; one that hashes requests
//! with exponential service times to S channels has k_0 = S - 1 and g = 1, exactly. Three numbers are found
//! from all points together, so that the place where the curve crosses a level does not hang on the luck of
//! the two points next to it.

use crate::fit::{CurveFit, CurvePoint, typical_error};

/// Points below a share of the top say nothing about the bend, and often follow another law (a processor or a
/// link that sleeps between requests, a second limit far below the top): all but the highest of them are left
/// out. The first share of these is taken that leaves points which are on one curve. The last is well below
/// what k is read off at.
const LOWEST_SHARES: [f64; 3] = [0.4, 0.6, 0.75];

/// Fewest points that say anything about three numbers.
const FEWEST_POINTS: usize = 5;

/// How far a real device may be off the curve where noise alone would show it.
const TOLERANCE: f64 = 0.005;

/// Mean squared residual, in expected squared errors, from which the curve is not believed.
const WORST_FIT: f64 = 2.5;

/// Range of ln g.
const SHARPNESS: (f64, f64) = (-0.7, 6.0);

/// Steps of Gauss and Newton from a start near the answer.
const MOST_STEPS: usize = 25;

/// A curve of the family, fitted to the points above a share of the top.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SmoothCurve {
    lowest_share: f64,
    numbers: Numbers,
}

/// ln X_inf, ln k_0 and ln g.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Numbers {
    top: f64,
    bend: f64,
    sharpness: f64,
}

/// A point as the fit takes it: ln k, ln X, and the weight of its squared residual.
struct Sample {
    ln_k: f64,
    ln_x: f64,
    weight: f64,
}

impl SmoothCurve {
    /// Fits the points that `fit` has kept; `None` where there are fewer than five in the upper part of the
    /// curve, or where that part is not of this family.
    pub fn new(points: &[CurvePoint], fit: &CurveFit) -> Option<Self> {
        LOWEST_SHARES.into_iter().find_map(|lowest_share| {
            let samples = samples(points, fit, lowest_share);
            let numbers = (samples.len() >= FEWEST_POINTS).then(|| Numbers::fitted(&samples))?;
            let freedom = (samples.len() - 3) as f64;
            let believed = numbers.residual(&samples) <= WORST_FIT * freedom;
            believed.then_some(SmoothCurve { lowest_share, numbers })
        })
    }

    /// The same fit to a resample of the points, begun at this curve.
    pub fn refitted(&self, points: &[CurvePoint], fit: &CurveFit) -> Self {
        let numbers = self.numbers.improved(&samples(points, fit, self.lowest_share));
        SmoothCurve { numbers, ..*self }
    }

    /// Throughput at k, operations per second.
    pub fn at(&self, k: f64) -> f64 {
        self.numbers.ln_at(k.ln()).exp()
    }

    /// The concurrency, not rounded, at which the curve reaches `share` of its value at `highest`.
    pub fn reaching(&self, share: f64, highest: u32) -> f64 {
        let Numbers { top, bend, sharpness } = self.numbers;
        let goal = self.numbers.ln_at(f64::from(highest).ln()) + share.ln() - top;
        let g = sharpness.exp();
        // (1 + (k_0 / k)^g)^(-1/g) = e^goal, solved for ln k; exp_m1 keeps what a sharp bend leaves of it.
        (bend - (-g * goal).exp_m1().ln() / g).exp()
    }
}

impl Numbers {
    /// The best of many starts, improved. There is at least one sample.
    fn fitted(samples: &[Sample]) -> Self {
        let last = samples[samples.len() - 1].ln_k;
        let starts = [-0.3, 0.3, 0.9, 1.6, 2.6, 4.0].into_iter().flat_map(|sharpness| {
            (0..=12).map(move |step| (sharpness, (last + 0.5) * f64::from(step) / 12.0))
        });
        let curves = starts.map(|(sharpness, bend)| {
            let fitted = Fitted::raised(Numbers { top: 0.0, bend, sharpness }, samples);
            (fitted.residual(), fitted.numbers)
        });
        let (_, best) = curves.min_by(|a, b| a.0.total_cmp(&b.0)).expect("there are starts");
        best.improved(samples)
    }

    fn ln_at(&self, ln_k: f64) -> f64 {
        let g = self.sharpness.exp();
        self.top - softplus(g * (self.bend - ln_k)) / g
    }

    fn residual(self, samples: &[Sample]) -> f64 {
        Fitted::new(self, samples).residual()
    }

    /// Levenberg and Marquardt's steps from here to the nearest least sum of squares.
    fn improved(self, samples: &[Sample]) -> Self {
        let (mut best, mut damping) = (Fitted::new(self, samples), 1e-3);
        let mut least = best.residual();
        for _ in 0..MOST_STEPS {
            let Some(step) = best.step(damping) else { break };
            let Numbers { top, bend, sharpness } = best.numbers;
            let next = Numbers {
                top: top + step[0],
                bend: (bend + step[1].clamp(-1.0, 1.0)).max(-2.0),
                sharpness: (sharpness + step[2].clamp(-1.0, 1.0)).clamp(SHARPNESS.0, SHARPNESS.1),
            };
            let next = Fitted::raised(next, samples);
            let residual = next.residual();
            if residual < least {
                let gained = least - residual;
                (best, least, damping) = (next, residual, damping * 0.2);
                if gained <= 1e-7 * (1.0 + least) {
                    break;
                }
            } else {
                damping *= 8.0;
            }
        }
        best.numbers
    }
}

/// A curve next to the points: what each step of the fit asks of it more than once.
struct Fitted<'a> {
    numbers: Numbers,
    samples: &'a [Sample],
    g: f64,
    curve: Vec<Place>,
}

/// The curve at a point.
struct Place {
    /// g (ln k_0 - ln k), and e^-|u|.
    u: f64,
    small: f64,
    /// How far below the top the curve is, times g, and that distance.
    plus: f64,
    below: f64,
}

impl Fitted<'_> {
    fn new(numbers: Numbers, samples: &[Sample]) -> Fitted<'_> {
        let g = numbers.sharpness.exp();
        let place = |s: &Sample| {
            let u = g * (numbers.bend - s.ln_k);
            let small = (-u.abs()).exp();
            let plus = u.max(0.0) + small.ln_1p();
            Place { u, small, plus, below: plus / g }
        };
        Fitted { numbers, samples, g, curve: samples.iter().map(place).collect() }
    }

    /// The curve moved up or down to where it fits best.
    fn raised(numbers: Numbers, samples: &[Sample]) -> Fitted<'_> {
        let mut fitted = Fitted::new(numbers, samples);
        let (sum, weight) = fitted
            .offs()
            .fold((0.0, 0.0), |(sum, weight), (s, off)| (sum + s.weight * off, weight + s.weight));
        fitted.numbers.top += sum / weight;
        fitted
    }

    /// Each point, and how far above the curve it is.
    fn offs(&self) -> impl Iterator<Item = (&Sample, f64)> {
        let with = self.samples.iter().zip(&self.curve);
        with.map(|(s, place)| (s, s.ln_x - (self.numbers.top - place.below)))
    }

    fn residual(&self) -> f64 {
        self.offs().map(|(s, off)| s.weight * off.powi(2)).sum()
    }

    /// The damped normal equations' solution for (top, bend, sharpness).
    fn step(&self, damping: f64) -> Option<[f64; 3]> {
        let (mut matrix, mut vector) = ([[0.0; 3]; 3], [0.0; 3]);
        for ((s, off), Place { u, small, plus, .. }) in self.offs().zip(&self.curve) {
            let slope = 1.0 / (1.0 + if *u >= 0.0 { *small } else { (-u).exp() });
            let row = [1.0, -slope, (plus - slope * u) / self.g];
            for i in 0..3 {
                vector[i] += s.weight * row[i] * off;
                for j in 0..3 {
                    matrix[i][j] += s.weight * row[i] * row[j];
                }
            }
        }
        for (i, row) in matrix.iter_mut().enumerate() {
            row[i] += damping * row[i] + 1e-9;
        }
        solved(matrix, vector)
    }
}

/// ln(1 + e^u), also where e^u overflows.
fn softplus(u: f64) -> f64 {
    u.max(0.0) + (-u.abs()).exp().ln_1p()
}

/// Cramer's rule; `None` for a singular matrix.
fn solved(m: [[f64; 3]; 3], v: [f64; 3]) -> Option<[f64; 3]> {
    let determinant = |m: &[[f64; 3]; 3]| {
        m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
            + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
    };
    let whole = determinant(&m);
    let solution = std::array::from_fn(|column| {
        let mut replaced = m;
        for (row, value) in replaced.iter_mut().zip(v) {
            row[column] = value;
        }
        determinant(&replaced) / whole
    });
    solution.iter().all(|x: &f64| x.is_finite()).then_some(solution)
}

/// The upper part of the curve, weighted by the expected error of each point: the typical one, less where
/// more time was spent.
fn samples(points: &[CurvePoint], fit: &CurveFit, lowest_share: f64) -> Vec<Sample> {
    let used = &points[..points.len().min(fit.ks.len())];
    let first = fit.fit.iter().position(|&x| x >= lowest_share * fit.fit[fit.fit.len() - 1]).unwrap_or(0);
    let used = &used[first.saturating_sub(1).min(used.len())..];
    if used.is_empty() {
        return Vec::new();
    }
    let error = typical_error(used).powi(2);
    let mean_time = used.iter().map(|p| p.weight).sum::<f64>() / used.len() as f64;
    used.iter()
        .map(|p| Sample {
            ln_k: f64::from(p.k).ln(),
            ln_x: p.iops.ln(),
            weight: 1.0 / (error * mean_time / p.weight + TOLERANCE * TOLERANCE),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points of a curve at concurrencies that grow by half, each with a relative error of 1 %.
    fn points(throughput: impl Fn(f64) -> f64) -> Vec<CurvePoint> {
        let mut ks: Vec<u32> = (0..17).map(|i| 1.5f64.powi(i).ceil() as u32).collect();
        ks.dedup();
        let point = |k: u32| {
            let iops = throughput(f64::from(k));
            CurvePoint { k, iops, error: 0.01 * iops, weight: 1.0 }
        };
        ks.into_iter().map(point).collect()
    }

    fn curve(throughput: impl Fn(f64) -> f64) -> Option<SmoothCurve> {
        let points = points(throughput);
        SmoothCurve::new(&points, &CurveFit::new(&points))
    }

    fn assert_near(found: f64, truth: f64) {
        assert!((found / truth - 1.0).abs() < 0.02, "{found} is not near {truth}");
    }

    #[test]
    fn an_ideal_device_and_one_that_hashes_are_found_again() {
        let ideal = curve(|k| 1000.0 * k.min(40.0)).unwrap();
        assert_near(ideal.reaching(0.9, 1000), 36.0);
        assert_near(ideal.at(500.0), 40_000.0);
        // 30 channels: k / (k + 29) of the top, so that 90 % of what k = 1000 gives is reached where
        // k / (k + 29) = 0.9 * 1000 / 1029.
        let hashed = curve(|k| 90_000.0 * k / (k + 29.0)).unwrap();
        let share = 0.9 * 1000.0 / 1029.0;
        assert_near(hashed.reaching(0.9, 1000), 29.0 * share / (1.0 - share));
    }

    #[test]
    fn a_second_law_far_below_the_top_does_not_matter() {
        // Slow to wake below 10 in flight; above that, an ideal device of 60 servers.
        let woken = |k: f64| if k < 10.0 { 300.0 * k.powf(1.3) } else { 1000.0 * k.min(60.0) };
        assert_near(curve(woken).unwrap().reaching(0.9, 600), 54.0);
    }

    #[test]
    fn where_the_lower_part_is_of_another_kind_the_upper_part_is_used() {
        // A limit at half of the top, from k = 15 to 30; from there on in proportion to k.
        let two = |k: f64| if k < 30.0 { 2000.0 * k.min(15.0) } else { 1000.0 * k.min(60.0) };
        let found = curve(two).unwrap();
        assert!(found.lowest_share > LOWEST_SHARES[0]);
        assert_near(found.reaching(0.9, 600), 54.0);
    }

    #[test]
    fn a_staircase_is_not_believed() {
        assert_eq!(curve(|k| 1000.0 * 2f64.powf(k.log2().floor().min(6.0))), None);
    }
}
