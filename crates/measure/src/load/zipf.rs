//! Zipf-distributed block numbers without a table.
//!
//! Rejection-inversion (Hörmann and Derflinger, "Rejection-inversion to generate variates from monotone discrete
//! distributions", TOMACS 1996): constant time and space whatever the number of blocks.

/// Samples blocks 0 to n-1; the block of rank i has weight 1 / i^theta, ranks scattered over the blocks.
#[derive(Debug, Clone)]
pub(super) struct Zipf {
    n: u64,
    theta: f64,
    h_half: f64,
    h_n: f64,
    s: f64,
    /// Multiplier coprime to n that scatters the ranks.
    scatter: u64,
}

impl Zipf {
    /// `theta` from 0 to 2; at exactly 1 the integral has another form, so that it is moved aside by 1e-9.
    pub(super) fn new(n: u64, theta: f64) -> Self {
        let theta = if (theta - 1.0).abs() < 1e-9 { 1.0 + 1e-9 } else { theta };
        let mut zipf = Zipf { n, theta, h_half: 0.0, h_n: 0.0, s: 0.0, scatter: coprime(n) };
        zipf.h_half = zipf.h(1.5) - 1.0;
        zipf.h_n = zipf.h(n as f64 + 0.5);
        zipf.s = 2.0 - zipf.h_inverse(zipf.h(2.5) - 2f64.powf(-theta));
        zipf
    }

    pub(super) fn sample(&self, random: &mut fastrand::Rng) -> u64 {
        loop {
            let u = self.h_n + random.f64() * (self.h_half - self.h_n);
            let x = self.h_inverse(u);
            let rank = x.round().clamp(1.0, self.n as f64);
            if rank - x <= self.s || u >= self.h(rank + 0.5) - rank.powf(-self.theta) {
                let rank = rank as u64 - 1;
                return (u128::from(rank) * u128::from(self.scatter) % u128::from(self.n)) as u64;
            }
        }
    }

    /// Integral of x^-theta.
    fn h(&self, x: f64) -> f64 {
        x.powf(1.0 - self.theta) / (1.0 - self.theta)
    }

    fn h_inverse(&self, y: f64) -> f64 {
        (y * (1.0 - self.theta)).powf(1.0 / (1.0 - self.theta))
    }
}

/// A number near n times the golden ratio that shares no factor with n: multiplying by it permutes 0 to n-1.
fn coprime(n: u64) -> u64 {
    let gcd = |mut a: u64, mut b: u64| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let mut candidate = ((n as f64 * 0.618_033_988_749_895) as u64).max(1);
    while gcd(candidate, n) != 1 {
        candidate += 1;
    }
    candidate
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequencies_follow_the_law() {
        for theta in [0.5, 0.99, 1.0, 1.4] {
            let n = 1000;
            let zipf = Zipf::new(n, theta);
            let mut random = fastrand::Rng::with_seed(3);
            let draws = 400_000;
            let mut seen = vec![0u32; n as usize];
            for _ in 0..draws {
                seen[zipf.sample(&mut random) as usize] += 1;
            }
            let norm: f64 = (1..=n).map(|i| (i as f64).powf(-theta)).sum();
            for rank in [1u64, 2, 10, 100] {
                let block = (rank - 1) * zipf.scatter % n;
                let expected = f64::from(draws) * (rank as f64).powf(-theta) / norm;
                let got = f64::from(seen[block as usize]);
                assert!(
                    (got - expected).abs() < 6.0 * expected.sqrt(),
                    "theta {theta} rank {rank}: {got} {expected}"
                );
            }
        }
    }

    #[test]
    fn one_block_is_always_that_block() {
        let zipf = Zipf::new(1, 0.9);
        assert_eq!(zipf.sample(&mut fastrand::Rng::with_seed(1)), 0);
    }

    #[test]
    fn ranks_are_permuted_not_merged() {
        for n in [1u64, 2, 6, 1000, 1 << 21, 999_983] {
            let step = coprime(n);
            let distinct: std::collections::HashSet<u64> =
                (0..n.min(5000)).map(|i| (u128::from(i) * u128::from(step) % u128::from(n)) as u64).collect();
            assert_eq!(distinct.len() as u64, n.min(5000));
        }
    }
}
