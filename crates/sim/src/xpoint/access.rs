//! How long the medium takes, from request to request.

use leadline_device::Nanos;

use super::{XpointSpec, XpointStall};
use crate::lognormal::lognormal;
use crate::nearest::nearest;

/// Times of reads and writes: lognormal, now and then with a stall.
pub(super) struct Access {
    read_ns: f64,
    write_ns: f64,
    sigma: f64,
    stall: Option<XpointStall>,
    random: fastrand::Rng,
}

impl Access {
    pub(super) fn new(spec: &XpointSpec) -> Self {
        Access {
            read_ns: spec.timing.read_us * 1e3,
            write_ns: spec.timing.write_us * 1e3,
            sigma: spec.timing.sigma,
            stall: spec.stall.clone(),
            random: fastrand::Rng::with_seed(spec.seed),
        }
    }

    /// The next request's time.
    pub(super) fn time(&mut self, write: bool) -> Nanos {
        let mut ns = if write { self.write_ns } else { self.read_ns };
        if self.sigma > 0.0 {
            ns *= lognormal(&mut self.random, self.sigma);
        }
        if let Some(stall) = &self.stall
            && self.random.f64() < stall.share
        {
            ns -= (1.0 - self.random.f64()).ln() * stall.mean_us * 1e3;
        }
        nearest(ns)
    }
}
