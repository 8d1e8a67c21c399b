//! A bounded number of pages, chosen by their hash, stand for all.

use std::collections::BinaryHeap;

use super::hash::{PageMap, place};
use super::order::StackDistances;
use crate::bins::LogBins;

/// What is known of a page that is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampledPage {
    /// Its number.
    pub page: u64,
    /// Accesses to it.
    pub accesses: u64,
    /// Accesses that wrote.
    pub writes: u64,
}

/// Reuse distances of all accesses and the accesses of each page, exact up to a number of pages and estimated
/// beyond.
///
/// A page is followed while its hash is below a threshold. The threshold starts at the top, so all are
/// followed and all is exact. When there are more than `most_pages`, the page with the highest hash is
/// dropped and the threshold falls to its hash: from then on an access counts as 1 / rate accesses, and a
/// distance among followed pages as distance / rate, where the rate is the share of hashes below the
/// threshold. What was counted before keeps its weight, which is what the paper's rescaling amounts to.
/// Weights are finally made to add up to the true number of accesses, by the shortest distance (SHARDS-adj of
/// the paper).
#[derive(Debug, Clone)]
pub struct Reuse {
    most_pages: usize,
    /// Pages whose hash is below are followed; [`u64::MAX`] while all are.
    threshold: u64,
    order: StackDistances,
    counts: PageMap<(u64, u64)>,
    /// The followed pages by hash, highest on top.
    by_place: BinaryHeap<(u64, u64)>,
    distances: LogBins,
    /// Accesses with each distance, from 1 on, while all pages are followed; then empty.
    by_distance: Vec<u64>,
    first_accesses: f64,
    accesses: u64,
}

impl Reuse {
    /// Exact while at most `most_pages` distinct pages (at least 1) are accessed.
    pub fn new(most_pages: usize) -> Self {
        Reuse {
            most_pages: most_pages.max(1),
            threshold: u64::MAX,
            order: StackDistances::new(),
            counts: PageMap::default(),
            by_place: BinaryHeap::new(),
            distances: LogBins::default(),
            by_distance: Vec::new(),
            first_accesses: 0.0,
            accesses: 0,
        }
    }

    /// Takes the next access.
    #[inline]
    pub fn access(&mut self, page: u64, write: bool) {
        self.accesses += 1;
        let place = place(page);
        if place >= self.threshold && self.threshold != u64::MAX {
            return;
        }
        let rate = self.rate();
        match self.order.access(page) {
            Some(distance) => {
                self.distances.add(scaled(distance, rate), 1.0 / rate);
                if self.is_exact() {
                    self.count(distance);
                }
            }
            None => {
                self.first_accesses += 1.0 / rate;
                self.by_place.push((place, page));
            }
        }
        let (accesses, writes) = self.counts.entry(page).or_default();
        *accesses += 1;
        *writes += u64::from(write);
        if self.by_place.len() > self.most_pages {
            self.drop_highest();
        }
    }

    /// Counts a distance by itself, of which there are no more than pages.
    #[inline]
    fn count(&mut self, distance: u64) {
        let at = distance as usize - 1;
        if at >= self.by_distance.len() {
            self.by_distance.resize(at + 1, 0);
        }
        self.by_distance[at] += 1;
    }

    fn drop_highest(&mut self) {
        if let Some((place, page)) = self.by_place.pop() {
            self.threshold = place;
            self.by_distance = Vec::new();
            self.order.remove(page);
            self.counts.remove(&page);
        }
    }

    /// Share of all pages that are followed; 1 while everything is exact.
    pub fn rate(&self) -> f64 {
        if self.is_exact() { 1.0 } else { (self.threshold as f64 / u64::MAX as f64).max(f64::MIN_POSITIVE) }
    }

    /// Whether every page is followed.
    pub fn is_exact(&self) -> bool {
        self.threshold == u64::MAX
    }

    /// All accesses.
    pub fn accesses(&self) -> u64 {
        self.accesses
    }

    /// Distinct pages of the trace.
    pub fn pages(&self) -> f64 {
        self.order.len() as f64 / self.rate()
    }

    /// Distances of accesses to pages that were accessed before; weights are accesses.
    pub fn distances(&self) -> &LogBins {
        &self.distances
    }

    /// Share of accesses that an LRU cache misses, at each of `cache_pages` (ascending). Exact while every
    /// page is followed; of a sample, linear within the bins of [`Reuse::distances`].
    pub fn miss_ratios(&self, cache_pages: &[u64]) -> Vec<f64> {
        if self.is_exact() {
            return self.exact_miss_ratios(cache_pages);
        }
        let counted = self.distances.total() + self.first_accesses;
        // What sampling counted too much or too little: hot pages that are in the sample, or are not.
        let missing = self.accesses as f64 - counted;
        let mut bins = self.distances.iter().peekable();
        let mut hits = missing;
        let all = self.accesses.max(1) as f64;
        let ratio = |hits: f64| ((all - hits) / all).clamp(0.0, 1.0);
        let at = |&pages: &u64| {
            while let Some((_, _, weight)) = bins.next_if(|(_, last, _)| *last <= pages) {
                hits += weight;
            }
            let partly =
                bins.peek().filter(|(first, ..)| *first <= pages).map_or(0.0, |(first, last, weight)| {
                    weight * (pages - first + 1) as f64 / (last - first + 1) as f64
                });
            ratio(hits + partly)
        };
        cache_pages.iter().map(at).collect()
    }

    fn exact_miss_ratios(&self, cache_pages: &[u64]) -> Vec<f64> {
        let (mut hits, mut counted) = (0, 0);
        let at = |&pages: &u64| {
            let until = (pages as usize).clamp(counted, self.by_distance.len().max(counted));
            hits += self.by_distance[counted..until].iter().sum::<u64>();
            counted = until;
            (self.accesses - hits) as f64 / self.accesses.max(1) as f64
        };
        cache_pages.iter().map(at).collect()
    }

    /// The pages that are followed, in no order. Of each, all accesses were seen.
    pub fn followed(&self) -> impl Iterator<Item = SampledPage> {
        self.counts.iter().map(|(&page, &(accesses, writes))| SampledPage { page, accesses, writes })
    }
}

/// A distance among followed pages as one among all. The page itself is one of them, the others stand for 1 /
/// rate each.
fn scaled(distance: u64, rate: f64) -> u64 {
    if rate >= 1.0 { distance } else { 1 + ((distance - 1) as f64 / rate).round() as u64 }
}
