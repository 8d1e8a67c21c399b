//! What multiplies service times: the jitter of each request, and the noise of the whole device.

use leadline_device::Nanos;

use super::spec::{Jitter, ParametricSpec};
use crate::lognormal::lognormal;
use crate::scramble::scramble;

/// Factors drawn at a time: logarithms of one loop overlap, and one by one each is waited for.
const DRAWN: usize = 32;

/// The factor of each request.
pub(super) struct RequestJitter {
    jitter: Jitter,
    sigma: f64,
    random: fastrand::Rng,
    /// The next factors, and how many of them were used.
    drawn: [f64; DRAWN],
    used: usize,
}

impl RequestJitter {
    pub(super) fn new(spec: &ParametricSpec) -> Self {
        RequestJitter {
            jitter: spec.jitter,
            sigma: spec.sigma,
            random: fastrand::Rng::with_seed(spec.seed),
            drawn: [1.0; DRAWN],
            used: DRAWN,
        }
    }

    /// The next request's, of mean 1.
    #[inline]
    pub(super) fn factor(&mut self) -> f64 {
        if self.jitter == Jitter::None {
            return 1.0;
        }
        if self.used == DRAWN {
            self.draw();
        }
        self.used += 1;
        self.drawn[self.used - 1]
    }

    #[inline(never)]
    fn draw(&mut self) {
        let RequestJitter { random, sigma, .. } = self;
        self.drawn = std::array::from_fn(|_| match self.jitter {
            Jitter::None => 1.0,
            Jitter::Exponential => -(1.0 - random.f64()).ln(),
            Jitter::Lognormal => lognormal(random, *sigma),
        });
        self.used = 0;
    }
}

/// The speed of the whole device, drawn again every so often.
pub(super) struct Noise {
    /// Standard deviation of the logarithm; 0 for a device of constant speed.
    sigma: f64,
    lasts: Nanos,
    seed: u64,
    /// Which speed is in force, and that speed.
    current: (Nanos, f64),
}

impl Noise {
    pub(super) fn new(spec: &ParametricSpec) -> Self {
        let sigma = spec.noise.powi(2).ln_1p().sqrt();
        let lasts = ((spec.noise_ms * 1e6) as Nanos).max(1);
        Noise { sigma, lasts, seed: spec.noise_seed, current: (Nanos::MAX, 1.0) }
    }

    /// Speed at `at`, of mean 1. It depends on the moment and the seed alone, not on what was asked before.
    #[inline]
    pub(super) fn speed(&mut self, at: Nanos) -> f64 {
        if self.sigma == 0.0 {
            return 1.0;
        }
        let period = at / self.lasts;
        if self.current.0 != period {
            let mut random = fastrand::Rng::with_seed(scramble(self.seed) ^ scramble(!period));
            self.current = (period, lognormal(&mut random, self.sigma));
        }
        self.current.1
    }
}
