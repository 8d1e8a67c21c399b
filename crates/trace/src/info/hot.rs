//! How unevenly accesses are spread over pages.

use serde::Serialize;

use super::reuse::steps;
use crate::reuse::Reuse;

/// Shares of the accesses whose hot sets are told.
const HOT_SHARES: [f64; 4] = [0.5, 0.8, 0.9, 0.99];

/// Steps of a doubling in the Lorenz curve.
const CURVE_STEPS: u64 = 8;

/// Hot pages.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hotness {
    /// The smallest sets of pages that get 50, 80, 90 and 99 % of the accesses.
    pub hot_sets: Vec<HotSet>,
    /// (share of pages, hottest first; share of the accesses that they get), ascending.
    pub curve: Vec<(f64, f64)>,
}

/// The smallest set of pages that gets a share of the accesses.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct HotSet {
    /// Of all accesses.
    pub share_of_accesses: f64,
    /// Of all distinct pages.
    pub share_of_pages: f64,
    /// Pages; a whole number where exact.
    pub pages: f64,
}

impl Hotness {
    /// Of the pages followed: all, or a sample of pages of each of which all accesses were seen.
    pub(super) fn of(reuse: &Reuse) -> Self {
        let mut accesses: Vec<u64> = reuse.followed().map(|page| page.accesses).collect();
        accesses.sort_unstable_by(|a, b| b.cmp(a));
        let mut sum = 0;
        // Accesses to the hottest 1, 2, 3 ... pages.
        let sums: Vec<u64> = accesses
            .into_iter()
            .map(|accesses| {
                sum += accesses;
                sum
            })
            .collect();
        let pages = sums.len() as f64;
        let hot_set = |share: f64| {
            let enough = sums.partition_point(|&reached| (reached as f64) < share * sum as f64) + 1;
            HotSet {
                share_of_accesses: share,
                share_of_pages: enough as f64 / pages,
                pages: enough as f64 / reuse.rate(),
            }
        };
        let point = |rank: u64| (rank as f64 / pages, sums[rank as usize - 1] as f64 / sum as f64);
        Hotness {
            hot_sets: if sums.is_empty() { Vec::new() } else { HOT_SHARES.map(hot_set).to_vec() },
            curve: steps(sums.len() as u64, CURVE_STEPS).into_iter().map(point).collect(),
        }
    }
}
