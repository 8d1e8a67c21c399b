//! Channels with a request's other costs: what throughput k requests in flight reach on n channels, each of
//! which serves one request at a time, where a request also spends time outside of them (controller, bus,
//! software).
//!
//! [`crate::occupancy`] has the laws for requests that are nothing but service; this is what is fitted to a
//! drive.

/// How requests find a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// Each goes to the channel that its address has, as good as at random, and waits there for its turn.
    Hashed,
    /// Each goes to any channel that is free.
    Any,
}

/// A device of channels, in units of the latency of one request alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Channels {
    /// How many.
    pub channels: u32,
    /// How requests find one.
    pub placement: Placement,
    /// Share of the latency of one request alone that is service by a channel, above 0 and at most 1. The
    /// rest passes elsewhere, where nothing queues.
    pub service_share: f64,
    /// Variance of the service time / its mean squared: 0 where it is always the same, 1 where it is
    /// exponentially distributed.
    pub variation: f64,
}

impl Channels {
    /// Channels that have something to do when `m` requests are thrown at an idle device, once: appendix A of
    /// Papon and Athanassoulis, DaMoN 2021, where placement is hashed.
    pub fn busy_at_once(&self, m: u32) -> f64 {
        match self.placement {
            Placement::Hashed => f64::from(self.channels) * crate::occupancy::one_shot(self.channels, m),
            Placement::Any => f64::from(m.min(self.channels)),
        }
    }

    /// Throughput with 1, 2, ..., `most` requests in flight all the time, as a multiple of that with one.
    ///
    /// Hashed: mean value analysis of a closed network (Reiser and Lavenberg, J. ACM 1980) with the
    /// correction for service that is not exponential: who arrives finds one in service with the probability
    /// that the channel is busy, and waits for the rest of it, (1 + variation) / 2 of a service time on
    /// average. Exact for exponential service, within some percent otherwise. Any: the smaller of k and what
    /// all channels do.
    pub fn speedups(&self, most: u32) -> Vec<f64> {
        let n = f64::from(self.channels);
        let (service, elsewhere) = (self.service_share, 1.0 - self.service_share);
        let limit = n / service;
        let (mut throughput, mut queued) = (0.0, 0.0);
        (1..=most)
            .map(|k| {
                let k = f64::from(k);
                throughput = match self.placement {
                    Placement::Any => k.min(limit),
                    Placement::Hashed => {
                        let busy: f64 = throughput * service / n;
                        let response = service * (1.0 + queued / n - busy * (1.0 - self.variation) / 2.0);
                        let reached = (k / (elsewhere + response)).min(limit);
                        queued = reached * response;
                        reached
                    }
                };
                throughput
            })
            .collect()
    }

    /// The fewest requests in flight all the time that keep `share` of the channels busy; `None` where that
    /// takes more than `most`.
    pub fn needed(&self, share: f64, most: u32) -> Option<u32> {
        let all = f64::from(self.channels) / self.service_share;
        let speedups = self.speedups(most);
        speedups.iter().position(|&reached| reached >= share * all).map(|at| at as u32 + 1)
    }
}
