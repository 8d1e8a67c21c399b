//! In which order variants run.

/// Every one of `count` variants once, in an order of its own for each round.
pub(crate) fn of_round(count: usize, round: u32, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    random(seed, round).shuffle(&mut order);
    order
}

/// Random numbers that belong to a round, the same in every run with this seed.
pub(crate) fn random(seed: u64, round: u32) -> fastrand::Rng {
    // Neighbouring seeds would begin alike.
    let mut seeds = fastrand::Rng::with_seed(seed);
    let mut own = seeds.u64(..);
    (0..round).for_each(|_| own = seeds.u64(..));
    fastrand::Rng::with_seed(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_round_has_every_variant_once_and_rounds_differ() {
        let rounds: Vec<Vec<usize>> = (0..4).map(|round| of_round(9, round, 1)).collect();
        for round in &rounds {
            let mut sorted = round.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..9).collect::<Vec<_>>());
        }
        assert!(rounds.windows(2).all(|pair| pair[0] != pair[1]));
        assert_eq!(of_round(9, 2, 1), rounds[2]);
        assert_ne!(of_round(9, 2, 2), rounds[2]);
    }
}
