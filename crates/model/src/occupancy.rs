//! How many of a device's channels are busy with m requests in flight: Papon and Athanassoulis, DaMoN 2021,
//! appendix A, and what becomes of it when the requests keep coming.
//!
//! The appendix throws m requests at n channels **once** and finds 95 % of the channels busy for m = 3n. A
//! device under load is a **closed loop**: each completion is answered with the next request, which again
//! goes to a random channel. Requests to a busy channel queue there, longer and longer queues on a few
//! channels while others run dry. So 3n sustain about 85 % of the channels where every request takes equally
//! long, and 76 % where service times are exponential; 95 % take some 10n or 19n. It also takes placement at
//! random: a device that stripes addresses, or a controller that picks idle channels, does better.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Completions that a simulation counts, at least; gives the share within 1 %.
const COMPLETIONS: u64 = 400_000;

/// Completions at each channel, at least.
const COMPLETIONS_EACH: u64 = 50;

/// How long a channel works on a request; the mean is the unit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Service {
    /// Always equally long.
    Deterministic,
    /// Exponentially distributed.
    Exponential,
}

/// Expected share of `n` channels that have something to do when `m` requests are thrown at them at random,
/// once: 1 - ((n - 1) / n)^m (appendix A). 0 without channels.
pub fn one_shot(n: u32, m: u32) -> f64 {
    if n == 0 {
        return 0.0;
    }
    1.0 - (1.0 - 1.0 / f64::from(n)).powf(m.into())
}

/// Share of `n` channels that are busy, on average over time, with `m` requests in flight all the time:
/// each goes to a channel at random and waits there for its turn. Simulated, within 1 % for `m` up to some
/// 100 times `n`; the same `seed` gives the same share. 0 without channels or requests.
///
/// For large `n` it tends to 1 + x - sqrt(1 + x^2) with x = m / n where service is deterministic (each
/// channel an M/D/1 queue), and for exponential service it is [`sustained_exponential`].
pub fn sustained(n: u32, m: u32, service: Service, seed: u64) -> f64 {
    if n == 0 || m == 0 {
        return 0.0;
    }
    ClosedLoop::new(n, m, service, seed).busy_share()
}

/// [`sustained`] with exponential service, exactly: m / (m + n - 1). (All ways to spread m requests over n
/// channels are equally likely then, and that share of them has something at a given channel: a closed
/// network of n like exponential servers, Gordon and Newell, Operations Research 1967.) 0 without channels or
/// requests.
pub fn sustained_exponential(n: u32, m: u32) -> f64 {
    if n == 0 || m == 0 {
        return 0.0;
    }
    f64::from(m) / (f64::from(m) + f64::from(n) - 1.0)
}

/// The fewest requests in flight that keep `share` of `n` channels busy; `None` without channels, for shares
/// outside 0 to 1, both excluded, and where the number does not fit into a `u32`. Exact for exponential
/// service; simulated, and good to a few percent, for deterministic service.
pub fn needed(n: u32, share: f64, service: Service) -> Option<u32> {
    if n == 0 || !(share > 0.0 && share < 1.0) {
        return None;
    }
    let exponential = (share * (f64::from(n) - 1.0) / (1.0 - share)).ceil().max(1.0);
    if exponential > f64::from(u32::MAX) {
        return None;
    }
    // Variable service times never keep more channels busy: what is enough for them is enough.
    let (mut too_few, mut enough) = (0, exponential as u32);
    while service == Service::Deterministic && enough - too_few > 1 {
        let middle = too_few + (enough - too_few) / 2;
        if sustained(n, middle, service, 1) >= share {
            enough = middle;
        } else {
            too_few = middle;
        }
    }
    Some(enough)
}

/// The device: a queue at each channel, and a new request for each that completes.
struct ClosedLoop {
    service: Service,
    random: fastrand::Rng,
    /// Requests at each channel, the one in service included.
    at: Vec<u32>,
    busy: u32,
    /// When the request in service will be done, for each busy channel. Bits of positive floats sort as the
    /// floats do.
    done: BinaryHeap<Reverse<(u64, u32)>>,
    now: f64,
}

impl ClosedLoop {
    /// Starts near the equilibrium, which long queues would take long to reach: exponential parts of the
    /// whole.
    fn new(n: u32, m: u32, service: Service, seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let parts: Vec<f64> = (0..n).map(|_| exponential(&mut random)).collect();
        let whole: f64 = parts.iter().sum();
        let at: Vec<u32> = parts.iter().map(|part| (part / whole * f64::from(m)) as u32).collect();
        let placed: u64 = at.iter().copied().map(u64::from).sum();
        let mut lp = ClosedLoop {
            service,
            random,
            at: vec![0; n as usize],
            busy: 0,
            done: BinaryHeap::new(),
            now: 0.0,
        };
        for (channel, &requests) in at.iter().enumerate() {
            lp.put(channel, requests);
        }
        // Rounding down left at most one request per channel; those go to random channels.
        for _ in placed..u64::from(m) {
            let channel = lp.random.usize(..n as usize);
            lp.put(channel, 1);
        }
        lp
    }

    fn busy_share(mut self) -> f64 {
        let completions = COMPLETIONS.max(COMPLETIONS_EACH * self.at.len() as u64);
        for _ in 0..completions / 4 {
            self.complete();
        }
        let (start, mut busy_time) = (self.now, 0.0);
        for _ in 0..completions {
            let (busy, since) = (self.busy, self.now);
            self.complete();
            busy_time += f64::from(busy) * (self.now - since);
        }
        busy_time / (self.at.len() as f64 * (self.now - start))
    }

    /// The next completion, answered with a request at a random channel.
    fn complete(&mut self) {
        let Some(Reverse((time, channel))) = self.done.pop() else { return };
        self.now = f64::from_bits(time);
        let channel = channel as usize;
        self.at[channel] -= 1;
        if self.at[channel] > 0 {
            self.begin(channel);
        } else {
            self.busy -= 1;
        }
        let next = self.random.usize(..self.at.len());
        self.put(next, 1);
    }

    fn put(&mut self, channel: usize, requests: u32) {
        let was_idle = self.at[channel] == 0;
        self.at[channel] += requests;
        if was_idle && requests > 0 {
            self.busy += 1;
            self.begin(channel);
        }
    }

    fn begin(&mut self, channel: usize) {
        let takes = match self.service {
            Service::Deterministic => 1.0,
            Service::Exponential => exponential(&mut self.random),
        };
        self.done.push(Reverse(((self.now + takes).to_bits(), channel as u32)));
    }
}

/// An exponential variate of mean 1.
fn exponential(random: &mut fastrand::Rng) -> f64 {
    -(1.0 - random.f64()).ln()
}
