//! Channels with other costs, against a simulation written here, and against the laws without them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use leadline_model::channels::{Channels, Placement};
use leadline_model::occupancy::{Service, needed, sustained_exponential};

fn hashed(channels: u32, service_share: f64, variation: f64) -> Channels {
    Channels { channels, placement: Placement::Hashed, service_share, variation }
}

/// Requests per unit of time of k clients that think for `elsewhere`, then queue at a random one of n
/// channels.
fn simulated(n: usize, k: u32, elsewhere: f64, service: impl Fn(&mut fastrand::Rng) -> f64) -> f64 {
    let mut random = fastrand::Rng::with_seed(5);
    let mut free_at = vec![0.0f64; n];
    // When each client arrives at the channels next, in order.
    let bits = |time: f64| Reverse(time.to_bits());
    let mut arrivals: BinaryHeap<Reverse<u64>> = (0..k).map(|_| bits(elsewhere * random.f64())).collect();
    let (mut done, mut last) = (0, 0.0);
    let (warm, all) = (20_000, 220_000);
    let mut from = 0.0;
    while done < all {
        let Some(Reverse(time)) = arrivals.pop() else { break };
        let now = f64::from_bits(time);
        let channel = random.usize(..n);
        let ends = free_at[channel].max(now) + service(&mut random);
        free_at[channel] = ends;
        arrivals.push(bits(ends + elsewhere));
        done += 1;
        last = now;
        if done == warm {
            from = now;
        }
    }
    f64::from(all - warm) / (last - from)
}

#[test]
fn exponential_service_is_exact() {
    for (n, k) in [(1, 1), (4, 3), (16, 48), (16, 304)] {
        let share = hashed(n, 1.0, 1.0).speedups(k)[k as usize - 1] / f64::from(n);
        assert!((share / sustained_exponential(n, k) - 1.0).abs() < 1e-9, "{n} {k}: {share}");
    }
}

#[test]
fn other_service_and_time_elsewhere_are_within_some_percent_of_a_simulation() {
    let exponential = |random: &mut fastrand::Rng| -(1.0 - random.f64()).ln();
    for n in [4u32, 16] {
        for k in [1, 2, n / 2, n, 3 * n, 10 * n] {
            for elsewhere in [0.0, 0.5] {
                let one = 1.0 + elsewhere;
                let ours = |variation| hashed(n, 1.0 / one, variation).speedups(k)[k as usize - 1] / one;
                for (ours, theirs) in [
                    (ours(0.0), simulated(n as usize, k, elsewhere, |_| 1.0)),
                    (ours(1.0), simulated(n as usize, k, elsewhere, exponential)),
                ] {
                    let what = format!("{n} channels, {k} requests, {elsewhere} elsewhere: {ours} {theirs}");
                    assert!((ours / theirs - 1.0).abs() < 0.06, "{what}");
                }
            }
        }
    }
}

#[test]
fn three_a_channel_are_enough_at_once_and_many_more_are_needed_in_a_stream() {
    let n = 16;
    assert!(hashed(n, 1.0, 0.0).busy_at_once(3 * n) > 0.95 * f64::from(n));
    for (variation, service) in [(0.0, Service::Deterministic), (1.0, Service::Exponential)] {
        let ours = hashed(n, 1.0, variation).needed(0.95, 1000).expect("enough");
        let exactly = needed(n, 0.95, service).expect("enough");
        let off = f64::from(ours) / f64::from(exactly) - 1.0;
        assert!(off.abs() < 0.1, "{variation}: {ours} and not {exactly}");
    }
    assert_eq!(hashed(n, 1.0, 1.0).needed(0.95, 100), None);
}

#[test]
fn any_free_channel_is_as_good_as_it_gets() {
    let any = Channels { placement: Placement::Any, ..hashed(8, 0.5, 0.0) };
    assert_eq!((any.busy_at_once(5), any.busy_at_once(100)), (5.0, 8.0));
    let speedups = any.speedups(32);
    assert_eq!((speedups[0], speedups[7], speedups[15], speedups[31]), (1.0, 8.0, 16.0, 16.0));
    assert_eq!(any.needed(1.0, 32), Some(16));
    for (any, hashed) in speedups.iter().zip(hashed(8, 0.5, 0.0).speedups(32)) {
        assert!(hashed <= any + 1e-9);
    }
}
