//! The vote of one vertex.

/// A list of no more labels is compared with itself and not ordered.
const FEW: usize = 16;

/// The most frequent of some labels, the smallest of these; none of none. May order them.
pub(super) fn vote(labels: &mut [u32]) -> Option<u32> {
    match *labels {
        [] => None,
        // As most in a grid, and as long as the compiler must know.
        [a, b, c, d] => Some(most_frequent(&[a, b, c, d])),
        _ if labels.len() <= FEW => Some(most_frequent(labels)),
        _ => Some(majority(labels).unwrap_or_else(|| longest_run(labels))),
    }
}

/// The most frequent of a few labels, the smallest of these.
#[inline]
fn most_frequent(labels: &[u32]) -> u32 {
    let score = |label: &u32| {
        let count: u32 = labels.iter().map(|other| u32::from(other == label)).sum();
        u64::from(count) << 32 | u64::from(!label)
    };
    !(labels.iter().map(score).fold(0, u64::max) as u32)
}

/// The label that more than half of them are, if there is one (Boyer, Moore, "MJRTY: A Fast Majority Vote
/// Algorithm", in "Automated Reasoning", 1991): communities have grown together, and there is.
fn majority(labels: &[u32]) -> Option<u32> {
    let (mut label, mut lead) = (0, 0u32);
    for other in labels {
        match lead {
            0 => (label, lead) = (*other, 1),
            _ if *other == label => lead += 1,
            _ => lead -= 1,
        }
    }
    let count = labels.iter().filter(|other| **other == label).count();
    (2 * count > labels.len()).then_some(label)
}

/// The most frequent of some labels, the smallest of these; orders them.
fn longest_run(labels: &mut [u32]) -> u32 {
    labels.sort_unstable();
    let (mut best, mut most) = (0, 0);
    for run in labels.chunk_by(|a, b| a == b) {
        if run.len() > most {
            (best, most) = (run[0], run.len());
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_label_wins_and_of_several_the_smallest() {
        let mut rng = fastrand::Rng::with_seed(1);
        for round in 0..4000 {
            let most = [1, 2, 3, 10, 1000][round % 5];
            let labels: Vec<u32> = (0..rng.usize(0..60)).map(|_| u32::MAX - rng.u32(0..most)).collect();
            let count = |label: u32| labels.iter().filter(|other| **other == label).count();
            let right = labels.iter().copied().max_by_key(|label| (count(*label), !label));
            assert_eq!(vote(&mut labels.clone()), right, "{labels:?}");
        }
    }
}
