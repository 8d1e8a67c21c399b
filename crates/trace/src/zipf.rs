//! Zipf-distributed ranks without a table.
//!
//! Rejection-inversion (Hörmann and Derflinger, "Rejection-inversion to generate variates from monotone
//! discrete distributions", TOMACS 1996): constant time and space whatever the number of ranks, and exact for
//! every theta.

/// Samples ranks 0 to n - 1, of which rank i has weight 1 / (i + 1)^theta.
#[derive(Debug, Clone)]
pub struct Zipf {
    n: f64,
    theta: f64,
    h_half: f64,
    h_n: f64,
    s: f64,
}

impl Zipf {
    /// `n` from 1 to 2^53, `theta` from 0 (uniform) to 2; at exactly 1 the integral has another form, so that
    /// it is moved aside by 1e-9.
    pub fn new(n: u64, theta: f64) -> Zipf {
        let theta = if (theta - 1.0).abs() < 1e-9 { 1.0 + 1e-9 } else { theta };
        let mut zipf = Zipf { n: 1.0, theta, h_half: 0.0, h_n: 0.0, s: 0.0 };
        zipf.h_half = zipf.h(1.5) - 1.0;
        zipf.s = 2.0 - zipf.h_inverse(zipf.h(2.5) - 2f64.powf(-theta));
        zipf.resize(n);
        zipf
    }

    /// Samples of `n` ranks from now on.
    pub fn resize(&mut self, n: u64) {
        self.n = n.max(1) as f64;
        self.h_n = self.h(self.n + 0.5);
    }

    /// One rank.
    pub fn sample(&self, random: &mut fastrand::Rng) -> u64 {
        loop {
            let u = self.h_n + random.f64() * (self.h_half - self.h_n);
            let x = self.h_inverse(u);
            let rank = x.round().clamp(1.0, self.n);
            if rank - x <= self.s || u >= self.h(rank + 0.5) - rank.powf(-self.theta) {
                return rank as u64 - 1;
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

/// Scatters 0 to n - 1 over themselves, so that popular ranks are not neighbours; no two meet.
#[derive(Debug, Clone)]
pub struct Scatter {
    n: u64,
    /// Shares no factor with `n`.
    step: u64,
}

impl Scatter {
    /// `n` is at least 1.
    pub fn new(n: u64) -> Scatter {
        let n = n.max(1);
        Scatter { n, step: coprime(n) }
    }

    /// Where `rank`, below n, goes.
    pub fn place(&self, rank: u64) -> u64 {
        (u128::from(rank) * u128::from(self.step) % u128::from(self.n)) as u64
    }
}

/// A number near n times the golden ratio that shares no factor with n: multiplying by it permutes 0 to n -
/// 1.
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
    fn frequencies_follow_the_law_also_after_the_ranks_grew() {
        for theta in [0.0, 0.5, 0.99, 1.0, 1.4] {
            let n = 1000;
            let mut zipf = Zipf::new(10, theta);
            zipf.resize(n);
            let mut random = fastrand::Rng::with_seed(3);
            let draws = 400_000;
            let mut seen = vec![0u32; n as usize];
            for _ in 0..draws {
                seen[zipf.sample(&mut random) as usize] += 1;
            }
            let norm: f64 = (1..=n).map(|i| (i as f64).powf(-theta)).sum();
            for rank in [1u64, 2, 10, 100, 1000] {
                let expected = f64::from(draws) * (rank as f64).powf(-theta) / norm;
                let got = f64::from(seen[rank as usize - 1]);
                assert!(
                    (got - expected).abs() < 6.0 * expected.sqrt(),
                    "theta {theta} rank {rank}: {got} {expected}"
                );
            }
        }
    }

    #[test]
    fn one_rank_is_always_that_rank() {
        assert_eq!(Zipf::new(1, 0.9).sample(&mut fastrand::Rng::with_seed(1)), 0);
    }

    #[test]
    fn ranks_are_permuted_not_merged() {
        for n in [1u64, 2, 6, 1000, 1 << 21, 999_983] {
            let scatter = Scatter::new(n);
            let distinct: std::collections::HashSet<u64> =
                (0..n.min(5000)).map(|rank| scatter.place(rank)).collect();
            assert_eq!(distinct.len() as u64, n.min(5000));
            assert!(distinct.iter().all(|&place| place < n));
        }
    }
}
