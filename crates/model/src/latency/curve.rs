//! One percentile over load.

/// L0 (1 + a rho^g / (1 - rho)), microseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Curve {
    idle_us: f64,
    a: f64,
    g: f64,
}

impl Curve {
    pub(super) fn at(&self, load: f64) -> f64 {
        self.idle_us * (1.0 + self.a * shape(load, self.g))
    }

    /// Least squares of the logarithm over (load, microseconds, weight): a and g on a grid that closes in, L0
    /// follows.
    pub(super) fn fit(points: &[[f64; 3]]) -> Curve {
        let trial = |log_a: f64, log_g: f64| {
            let (a, g) = (log_a.exp(), log_g.exp());
            let (mut weights, mut sum, mut squares) = (0.0, 0.0, 0.0);
            for [load, us, weight] in points {
                let log = us.ln() - (a * shape(*load, g)).ln_1p();
                weights += weight;
                sum += weight * log;
                squares += weight * log * log;
            }
            let mean = sum / weights;
            (squares - weights * mean * mean, Curve { idle_us: mean.exp(), a, g })
        };
        let (mut centre, mut reach) = ([-1.0f64, 0.8], [6.0f64, 1.6]);
        let mut best = trial(centre[0], centre[1]);
        for _ in 0..9 {
            let around = centre;
            for i in -4..=4 {
                for j in -4..=4 {
                    let at = [
                        around[0] + reach[0] * f64::from(i) / 4.0,
                        (around[1] + reach[1] * f64::from(j) / 4.0).clamp(-0.8, 3.5),
                    ];
                    let tried = trial(at[0], at[1]);
                    if tried.0 < best.0 {
                        (best, centre) = (tried, at);
                    }
                }
            }
            reach = reach.map(|r| r * 0.5);
        }
        best.1
    }
}

fn shape(load: f64, g: f64) -> f64 {
    load.powf(g) / (1.0 - load)
}
