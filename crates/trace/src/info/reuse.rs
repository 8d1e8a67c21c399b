//! Reuse distances and what caches make of them.

use serde::Serialize;

use crate::reuse::Reuse;

/// Steps of a doubling in the miss-ratio curve.
const CURVE_STEPS: u64 = 8;

/// Sizes of a cache, as shares of the footprint, that the curve has in addition to its steps.
pub const CACHE_SHARES: [f64; 8] = [0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0];

/// Steps of a doubling in the distribution of distances.
const DISTANCE_STEPS: u64 = 2;

/// How many pages were followed, and of how many.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Sampling {
    /// Whether every page was.
    pub exact: bool,
    /// Share of pages that were; 1 where exact.
    pub rate: f64,
    /// Pages followed at the end.
    pub followed_pages: u64,
    /// Pages up to which all are.
    pub most_pages: u64,
}

impl Sampling {
    pub(super) fn of(reuse: &Reuse, most_pages: usize) -> Self {
        Sampling {
            exact: reuse.is_exact(),
            rate: reuse.rate(),
            followed_pages: reuse.followed().count() as u64,
            most_pages: most_pages as u64,
        }
    }
}

/// Reuse distances: distinct pages accessed since the last access to the page, itself included.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReuseInfo {
    /// Share of accesses to pages never accessed before.
    pub first_share: Option<f64>,
    /// Of accesses to pages accessed before, half have no longer a distance, pages.
    pub median_distance: Option<u64>,
    /// And 90 % of them.
    pub p90_distance: Option<u64>,
    /// Distances of accesses to pages accessed before, ascending.
    pub distances: Vec<DistanceBin>,
    /// (pages of an LRU cache, share of accesses that it misses), ascending, up to the footprint.
    pub lru_miss_ratios: Vec<(u64, f64)>,
}

/// Distances from `from` to `to` pages.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct DistanceBin {
    /// The shortest in it.
    pub from: u64,
    /// The longest in it.
    pub to: u64,
    /// Share of all accesses.
    pub share: f64,
}

impl ReuseInfo {
    pub(super) fn of(reuse: &Reuse) -> Self {
        let accesses = reuse.accesses() as f64;
        if accesses == 0.0 {
            return ReuseInfo {
                first_share: None,
                median_distance: None,
                p90_distance: None,
                distances: Vec::new(),
                lru_miss_ratios: Vec::new(),
            };
        }
        let sizes = cache_sizes(reuse.pages().round() as u64);
        let ratios = reuse.miss_ratios(&sizes);
        ReuseInfo {
            first_share: Some((reuse.pages() / accesses).min(1.0)),
            median_distance: reuse.distances().quantile(0.5),
            p90_distance: reuse.distances().quantile(0.9),
            distances: distances(reuse),
            lru_miss_ratios: sizes.into_iter().zip(ratios).collect(),
        }
    }
}

/// Where the miss-ratio curve has its points.
fn cache_sizes(footprint: u64) -> Vec<u64> {
    let mut sizes = steps(footprint, CURVE_STEPS);
    sizes.extend(CACHE_SHARES.map(|share| (share * footprint as f64).round() as u64));
    sizes.retain(|size| (1..=footprint).contains(size));
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// Fine bins put together to two a doubling. Their sum is what repeats: the sample's weights are scaled to
/// it.
fn distances(reuse: &Reuse) -> Vec<DistanceBin> {
    let counted = reuse.distances().total();
    let repeats = (reuse.accesses() as f64 - reuse.pages()).max(0.0);
    let scale = if counted > 0.0 { repeats / counted / reuse.accesses() as f64 } else { 0.0 };
    let longest = reuse.distances().iter().last().map_or(0, |(first, ..)| first);
    let mut starts = steps(longest, DISTANCE_STEPS);
    starts.push(longest + 1);
    let mut bins: Vec<DistanceBin> =
        starts.windows(2).map(|ends| DistanceBin { from: ends[0], to: ends[1] - 1, share: 0.0 }).collect();
    for (first, _, weight) in reuse.distances().iter() {
        let index = bins.partition_point(|bin| bin.to < first);
        if let Some(bin) = bins.get_mut(index) {
            bin.share += weight * scale;
        }
    }
    bins
}

/// 1 to `most`, with `per_doubling` (a power of two) steps a doubling, and `most` itself.
pub(super) fn steps(most: u64, per_doubling: u64) -> Vec<u64> {
    let doublings = (0..=u64::from(most.checked_ilog2().unwrap_or(0))).map(|shift| 1u64 << shift);
    let mut all: Vec<u64> = doublings
        .flat_map(|base| {
            (0..per_doubling)
                .map(move |i| base + (u128::from(base) * u128::from(i) / u128::from(per_doubling)) as u64)
        })
        .take_while(|&step| step < most)
        .chain((most > 0).then_some(most))
        .collect();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_rise_from_one_to_the_end() {
        assert_eq!(steps(0, 2), [0_u64; 0]);
        assert_eq!(steps(1, 2), [1]);
        assert_eq!(steps(13, 2), [1, 2, 3, 4, 6, 8, 12, 13]);
        assert_eq!(steps(9, 8), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
        assert!(steps(u64::MAX, 8).windows(2).all(|w| w[0] < w[1]));
    }
}
