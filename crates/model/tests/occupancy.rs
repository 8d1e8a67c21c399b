//! Busy channels: the formulas and the simulation against other simulations, written here from the text
//! alone.

use leadline_model::occupancy::{Service, needed, one_shot, sustained, sustained_exponential};

const SIZES: [(u32, u32); 6] = [(1, 3), (4, 4), (8, 8), (8, 24), (16, 32), (32, 100)];

#[test]
fn one_throw_fills_the_share_that_appendix_a_says() {
    let mut random = fastrand::Rng::with_seed(7);
    for (n, m) in SIZES {
        let mut occupied = 0;
        const THROWS: u32 = 20_000;
        for _ in 0..THROWS {
            let mut hit = vec![false; n as usize];
            (0..m).for_each(|_| hit[random.usize(..n as usize)] = true);
            occupied += hit.iter().filter(|&&hit| hit).count();
        }
        let share = occupied as f64 / f64::from(n * THROWS);
        assert!((one_shot(n, m) - share).abs() < 0.005, "{n} {m}: {} {share}", one_shot(n, m));
    }
    // The appendix: 37 % idle for m = n, 5 % for m = 3n.
    assert!((one_shot(1000, 1000) - 0.632).abs() < 0.001);
    assert!((one_shot(1000, 3000) - 0.950).abs() < 0.001);
}

/// Equally long requests that all began together go in lockstep: in each round every busy channel is done
/// with one, and as many are thrown again.
fn rounds(n: u32, m: u32) -> f64 {
    let mut random = fastrand::Rng::with_seed(11);
    let mut at = vec![0u32; n as usize];
    (0..m).for_each(|_| at[random.usize(..n as usize)] += 1);
    let (mut busy_sum, mut counted) = (0, 0);
    for round in 0..60_000 {
        let done = at.iter().filter(|&&requests| requests > 0).count();
        at.iter_mut().for_each(|requests| *requests = requests.saturating_sub(1));
        (0..done).for_each(|_| at[random.usize(..n as usize)] += 1);
        if round >= 10_000 {
            busy_sum += done;
            counted += n;
        }
    }
    busy_sum as f64 / f64::from(counted)
}

/// With exponential service any busy channel is equally likely to be done next, and b busy ones take 1 / b on
/// average.
fn jumps(n: u32, m: u32) -> f64 {
    let mut random = fastrand::Rng::with_seed(13);
    let mut at = vec![0u32; n as usize];
    (0..m).for_each(|_| at[random.usize(..n as usize)] += 1);
    let (mut jumps, mut time) = (0.0, 0.0);
    for jump in 0..600_000 {
        let busy: Vec<usize> = (0..n as usize).filter(|&channel| at[channel] > 0).collect();
        at[busy[random.usize(..busy.len())]] -= 1;
        at[random.usize(..n as usize)] += 1;
        if jump >= 100_000 {
            jumps += 1.0;
            time += 1.0 / busy.len() as f64;
        }
    }
    jumps / time / f64::from(n)
}

#[test]
fn the_closed_loop_sustains_what_an_independent_simulation_does() {
    for (n, m) in SIZES {
        let [ours, theirs] = [sustained(n, m, Service::Deterministic, 3), rounds(n, m)];
        assert!((ours / theirs - 1.0).abs() < 0.01, "deterministic {n} {m}: {ours} {theirs}");
        let [ours, theirs] = [sustained(n, m, Service::Exponential, 3), jumps(n, m)];
        assert!((ours / theirs - 1.0).abs() < 0.01, "exponential {n} {m}: {ours} {theirs}");
    }
}

#[test]
fn exponential_service_has_its_closed_form() {
    for (n, m) in [(1, 1), (2, 2), (8, 3), (8, 24), (8, 152), (64, 64), (64, 640)] {
        let [simulated, exact] = [sustained(n, m, Service::Exponential, 5), sustained_exponential(n, m)];
        assert!((simulated / exact - 1.0).abs() < 0.01, "{n} {m}: {simulated} {exact}");
    }
}

#[test]
fn many_channels_of_deterministic_service_are_queues_of_their_own() {
    for x in [1u32, 3, 10] {
        let limit = 1.0 + f64::from(x) - (1.0 + f64::from(x * x)).sqrt();
        let simulated = sustained(1000, 1000 * x, Service::Deterministic, 5);
        assert!((simulated / limit - 1.0).abs() < 0.01, "{x}: {simulated} {limit}");
    }
}

#[test]
fn three_requests_a_channel_do_not_sustain_95_percent() {
    for n in [8, 16, 32] {
        let deterministic = sustained(n, 3 * n, Service::Deterministic, 1);
        let exponential = sustained(n, 3 * n, Service::Exponential, 1);
        assert!((0.83..0.88).contains(&deterministic), "{n}: {deterministic}");
        assert!((0.74..0.79).contains(&exponential), "{n}: {exponential}");
        assert!(one_shot(n, 3 * n) > 0.95);
    }
}

#[test]
fn the_fewest_requests_that_sustain_a_share() {
    for n in [8, 32] {
        let exponential = needed(n, 0.95, Service::Exponential).unwrap();
        assert_eq!(exponential, 19 * (n - 1));
        assert!(sustained_exponential(n, exponential) >= 0.95 - 1e-12);
        assert!(sustained_exponential(n, exponential - 1) < 0.95);
        let deterministic = f64::from(needed(n, 0.95, Service::Deterministic).unwrap()) / f64::from(n);
        assert!((8.0..11.0).contains(&deterministic), "{n}: {deterministic} n");
    }
    assert_eq!(needed(1, 0.99, Service::Deterministic), Some(1));
    assert_eq!(needed(8, 0.1, Service::Deterministic), Some(1));
}

#[test]
fn the_same_seed_gives_the_same_share_and_nothing_gives_nothing() {
    let share = |seed| sustained(8, 24, Service::Exponential, seed);
    assert_eq!(share(1).to_bits(), share(1).to_bits());
    assert_ne!(share(1).to_bits(), share(2).to_bits());
    for (n, m) in [(0, 0), (0, 5), (5, 0)] {
        assert_eq!(one_shot(n, m), 0.0);
        assert_eq!(sustained(n, m, Service::Deterministic, 1), 0.0);
        assert_eq!(sustained_exponential(n, m), 0.0);
    }
    for share in [0.0, 1.0, -1.0, f64::NAN] {
        assert_eq!(needed(8, share, Service::Deterministic), None);
        assert_eq!(needed(8, share, Service::Exponential), None);
    }
    assert_eq!(needed(0, 0.5, Service::Exponential), None);
    assert_eq!(needed(8, 1.0 - 1e-15, Service::Deterministic), None);
}
