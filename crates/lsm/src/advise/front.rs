//! The Pareto front.

use super::searched::Searched;

/// Of all layouts, those that no other one beats in everything: at most `most` of them, spread from the
/// fastest queries to the slowest.
pub(super) fn front(searched: &[Searched], most: usize) -> Vec<Searched> {
    let mut front: Vec<Searched> =
        searched.iter().filter(|s| !searched.iter().any(|other| beats(other, s))).copied().collect();
    front.sort_by(|a, b| a.read_us.total_cmp(&b.read_us));
    front.dedup_by(|a, b| costs(a) == costs(b));
    if front.len() <= most {
        return front;
    }
    (0..most).map(|i| front[i * (front.len() - 1) / (most - 1)]).collect()
}

/// What is to be small.
fn costs(s: &Searched) -> [f64; 4] {
    [s.read_us, -s.insert_per_s, s.space_amplification, s.write_amplification]
}

/// No worse in anything, and better in something.
fn beats(a: &Searched, b: &Searched) -> bool {
    let pairs = || costs(a).into_iter().zip(costs(b));
    pairs().all(|(a, b)| a <= b) && pairs().any(|(a, b)| a < b)
}
