//! Channels, each of which serves one request at a time.

use leadline_device::{Nanos, Request};

use super::{Inside, PAGE};

/// Which channel a request goes to.
#[derive(Clone, Copy, PartialEq)]
pub enum Goes {
    /// The one that its address has.
    ByAddress,
    /// The one that is free first.
    ToTheFirstFree,
}

pub struct Channelled {
    goes: Goes,
    free_at: Vec<Nanos>,
    service_ns: f64,
    elsewhere_ns: Nanos,
    exponential: bool,
    random: fastrand::Rng,
}

impl Channelled {
    pub fn new(channels: usize, goes: Goes, service_ns: f64, elsewhere_ns: Nanos) -> Self {
        let free_at = vec![0; channels];
        let random = fastrand::Rng::with_seed(17);
        Channelled { goes, free_at, service_ns, elsewhere_ns, exponential: false, random }
    }

    /// With service times that vary.
    pub fn exponential(self) -> Self {
        Channelled { exponential: true, ..self }
    }

    /// With the service times of this seed.
    pub fn with_seed(self, seed: u64) -> Self {
        Channelled { random: fastrand::Rng::with_seed(seed), ..self }
    }
}

impl Inside for Channelled {
    fn done(&mut self, request: &Request, at: Nanos) -> Nanos {
        let channel = match self.goes {
            // Neighbours are far from each other, as a hash has them.
            Goes::ByAddress => {
                let mixed = (request.offset / PAGE).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
                mixed as usize % self.free_at.len()
            }
            Goes::ToTheFirstFree => {
                let all = 0..self.free_at.len();
                all.min_by_key(|&channel| self.free_at[channel]).unwrap_or(0)
            }
        };
        let factor = if self.exponential { -(1.0 - self.random.f64()).ln() } else { 1.0 };
        let done = self.free_at[channel].max(at) + (self.service_ns * factor) as Nanos;
        self.free_at[channel] = done;
        done + self.elsewhere_ns
    }
}
