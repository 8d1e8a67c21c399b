//! The number of channels that explains best what bursts and streams of requests do.

use std::collections::HashMap;

use leadline_model::channels::{Channels, Placement};
use leadline_profile::{ChannelPlacement, ChannelsFit};

/// Channels that are tried at most.
const MOST_CHANNELS: u32 = 2048;

/// Shares of service in the latency that are tried.
const SHARES: std::ops::RangeInclusive<u32> = 4..=20;
const SHARE_STEP: f64 = 0.05;

/// Service time varies no more than this: a few accidents say nothing of the channels.
const MOST_VARIATION: f64 = 4.0;

/// If that many times as many channels leave an error that is larger by no more than this, or by this share
/// of it, the number is a lower bound.
const MANY: u32 = 4;
const AS_WELL: f64 = 0.01;
const AS_WELL_SHARE: f64 = 0.1;

/// Logarithms that differ by no more than this are of the same number of channels.
const AGREE: f64 = 0.15;

/// Points that are worth a fit.
const FEWEST_POINTS: usize = 4;

/// What was measured with that many requests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Seen {
    pub(super) requests: u32,
    /// Channels busy at once.
    pub(super) busy: f64,
    /// Throughput in a stream, as a multiple of that with one.
    pub(super) speedup: f64,
}

/// Fits channels to measurements with given numbers of requests; what the laws say of each number of channels
/// is computed once for all fits.
pub(super) struct Fitter {
    requests: Vec<u32>,
    /// Variance of the latency of one request alone / its mean squared.
    variation: f64,
    /// By placement and number of channels: one for each share of service.
    laws: HashMap<(bool, u32), Vec<Law>>,
}

/// What channels say of each number of requests: logarithms.
struct Law {
    channels: Channels,
    busy: Vec<f64>,
    speedups: Vec<f64>,
}

/// A measurement as the laws have it.
struct Logs {
    /// Of the number of requests.
    at: usize,
    busy: f64,
    speedup: f64,
}

/// A fit and what it leaves.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    channels: Channels,
    /// Sum of the squared errors of the logarithms.
    squares: f64,
}

impl Fitter {
    /// For measurements with these numbers of requests; `variation` is that of the latency of one alone.
    pub(super) fn new(requests: &[u32], variation: f64) -> Self {
        Fitter { requests: requests.to_vec(), variation, laws: HashMap::new() }
    }

    /// The better of the two placements; `None` where too little was measured.
    pub(super) fn fit(&mut self, seen: &[Seen]) -> Option<ChannelsFit> {
        let of = |point: &Seen| {
            let at = self.requests.iter().position(|&requests| requests == point.requests)?;
            let usable = point.busy > 0.0 && point.speedup > 0.0;
            usable.then(|| Logs { at, busy: point.busy.ln(), speedup: point.speedup.ln() })
        };
        let points: Vec<Logs> = seen.iter().filter_map(of).collect();
        if points.len() < FEWEST_POINTS {
            return None;
        }
        let [hashed, any] =
            [Placement::Hashed, Placement::Any].map(|placement| self.best(&points, placement));
        let (better, other) = if hashed.squares <= any.squares { (hashed, any) } else { (any, hashed) };
        let error = |candidate: Candidate| (candidate.squares / (2 * points.len()) as f64).sqrt();
        let more = better.channels.channels.saturating_mul(MANY).min(MOST_CHANNELS);
        let with_more = error(self.shares(&points, better.channels.placement, more));
        let [busy, speedup] =
            [|point: &Logs| point.busy, |point: &Logs| point.speedup].map(|of| highest(&points, of));
        // A curve that ends is all that tells how many of them any of which is as good there are. But what is
        // not the channels would hardly end both at the same height.
        let agree = better.channels.placement == Placement::Any && (busy - speedup).abs() < AGREE;
        Some(ChannelsFit {
            channels: better.channels.channels,
            channels_ci: None,
            placement: match better.channels.placement {
                Placement::Hashed => ChannelPlacement::Hashed,
                Placement::Any => ChannelPlacement::Any,
            },
            service_share: better.channels.service_share,
            variation: better.channels.variation,
            error: error(better),
            other_error: error(other),
            lower_bound: !agree && with_more <= error(better) + (AS_WELL_SHARE * error(better)).max(AS_WELL),
            highest_busy: busy.exp(),
            highest_speedup: speedup.exp(),
        })
    }

    /// Best of all numbers of channels: coarsely over all magnitudes, then one by one near the best.
    fn best(&mut self, points: &[Logs], placement: Placement) -> Candidate {
        let mut coarse = vec![1u32];
        while let Some(&last) = coarse.last().filter(|&&last| last < MOST_CHANNELS) {
            coarse.push((last + last.div_ceil(6)).min(MOST_CHANNELS));
        }
        let mut of = |channels: u32| self.shares(points, placement, channels);
        let all: Vec<Candidate> = coarse.iter().map(|&channels| of(channels)).collect();
        let at = (0..all.len()).min_by(|&a, &b| all[a].squares.total_cmp(&all[b].squares)).unwrap_or(0);
        let (low, high) = (coarse[at.saturating_sub(1)], coarse[(at + 1).min(coarse.len() - 1)]);
        // Between neighbours so far apart that one by one would take long, in steps of a hundredth.
        let step = (coarse[at] / 100).max(1);
        let near = (low..=high).step_by(step as usize).map(of);
        near.min_by(|a, b| a.squares.total_cmp(&b.squares)).unwrap_or(all[at])
    }

    /// Best of all shares of service.
    fn shares(&mut self, points: &[Logs], placement: Placement, channels: u32) -> Candidate {
        let limit = highest(points, |point| point.speedup);
        let limit_once = highest(points, |point| point.busy);
        let (requests, variation) = (&self.requests, self.variation);
        let key = (placement == Placement::Hashed, channels);
        let laws = self.laws.entry(key).or_insert_with(|| {
            let of = |step| Law::new(requests, placement, channels, f64::from(step) * SHARE_STEP, variation);
            // Of equals the first is taken: all is service where nothing tells.
            SHARES.rev().map(of).collect()
        });
        let candidate = |law: &Law| {
            let squares = points.iter().map(|point| {
                let once = point.busy - law.busy[point.at].min(limit_once);
                let stream = point.speedup - law.speedups[point.at].min(limit);
                once * once + stream * stream
            });
            Candidate { channels: law.channels, squares: squares.sum() }
        };
        let all = laws.iter().map(candidate);
        all.min_by(|a, b| a.squares.total_cmp(&b.squares)).expect("there are shares to be tried")
    }
}

impl Law {
    fn new(
        requests: &[u32],
        placement: Placement,
        channels: u32,
        service_share: f64,
        variation: f64,
    ) -> Self {
        // What varies of the latency is taken to be service.
        let variation = (variation / service_share.powi(2)).min(MOST_VARIATION);
        let channels = Channels { channels, placement, service_share, variation };
        let speedups = channels.speedups(requests.iter().copied().max().unwrap_or(1));
        Law {
            channels,
            busy: requests.iter().map(|&requests| channels.busy_at_once(requests).ln()).collect(),
            speedups: requests.iter().map(|&requests| speedups[requests as usize - 1].ln()).collect(),
        }
    }
}

/// The highest that was measured, as a logarithm.
fn highest(points: &[Logs], of: fn(&Logs) -> f64) -> f64 {
    points.iter().map(of).fold(f64::NEG_INFINITY, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    const REQUESTS: [u32; 16] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256];

    fn fit(points: &[Seen], variation: f64) -> Option<ChannelsFit> {
        Fitter::new(&REQUESTS, variation).fit(points)
    }

    fn seen(law: Channels, limit: f64, noise: f64, seed: u64) -> Vec<Seen> {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut noisy = |value: f64| value * (1.0 + noise * (random.f64() - 0.5));
        let speedups = law.speedups(256);
        let point = |requests: u32| Seen {
            requests,
            busy: noisy(law.busy_at_once(requests)),
            speedup: noisy(speedups[requests as usize - 1].min(limit)),
        };
        REQUESTS.into_iter().map(point).collect()
    }

    #[test]
    fn channels_of_either_placement_are_found_again() {
        for (i, channels) in [1u32, 4, 16, 40].into_iter().enumerate() {
            for placement in [Placement::Hashed, Placement::Any] {
                for service_share in [1.0, 0.6] {
                    let law = Channels { channels, placement, service_share, variation: 0.05 };
                    let points = seen(law, f64::INFINITY, 0.04, i as u64);
                    let found = fit(&points, 0.05 * service_share * service_share).expect("a fit");
                    let what = format!("{law:?}: {found:?}");
                    let off = f64::from(found.channels) / f64::from(channels) - 1.0;
                    assert!(off.abs() <= 0.06, "{what}");
                    assert!((found.service_share - service_share).abs() < 0.11 || channels == 1, "{what}");
                    assert!(found.error < 0.03 && found.error <= found.other_error, "{what}");
                    let hashed = found.placement == ChannelPlacement::Hashed;
                    // One channel is the same either way.
                    assert!(channels == 1 || hashed == (placement == Placement::Hashed), "{what}");
                }
            }
        }
    }

    #[test]
    fn a_limit_that_is_not_the_channels_does_not_hide_them() {
        let law = Channels { channels: 32, placement: Placement::Hashed, service_share: 1.0, variation: 0.0 };
        let found = fit(&seen(law, 9.0, 0.02, 3), 0.0).expect("a fit");
        assert!(found.channels.abs_diff(32) <= 2 && found.highest_speedup < 9.2, "{found:?}");
        assert!(!found.lower_bound, "{found:?}");
        // Nor does one of what is sent before the first reads are done.
        let mut late = seen(law, f64::INFINITY, 0.02, 4);
        late.iter_mut().for_each(|point| point.busy = point.busy.min(18.0));
        let found = fit(&late, 0.0).expect("a fit");
        assert!(found.channels.abs_diff(32) <= 2 && found.highest_busy < 18.1, "{found:?}");
    }

    #[test]
    fn where_something_else_ends_both_curves_early_the_number_is_a_lower_bound() {
        let law = Channels { channels: 64, placement: Placement::Any, service_share: 1.0, variation: 0.0 };
        let mut points = seen(law, 4.0, 0.01, 5);
        points.iter_mut().for_each(|point| point.busy = point.busy.min(3.0));
        let found = fit(&points, 0.0).expect("a fit");
        assert!(found.lower_bound && found.channels <= 8, "{found:?}");
    }

    #[test]
    fn too_few_points_are_not_fitted() {
        let law = Channels { channels: 4, placement: Placement::Hashed, service_share: 1.0, variation: 0.0 };
        assert_eq!(fit(&seen(law, 4.0, 0.0, 1)[..3], 0.0), None);
    }
}
