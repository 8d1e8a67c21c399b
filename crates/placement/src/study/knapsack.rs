//! The best sets of files for a size: an exact knapsack, by branch and bound.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// A file and what it saves.
struct Item {
    file: usize,
    bytes: u64,
    saving: f64,
}

/// A set found: what it saves, and its files.
#[derive(Debug, PartialEq)]
struct Found(f64, BTreeSet<usize>);

impl Eq for Found {}

impl PartialOrd for Found {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Found {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        // Of sets that save the same, the smaller is better, and then the first: the result is one.
        let same = other.1.len().cmp(&self.1.len()).then_with(|| other.1.cmp(&self.1));
        self.0.total_cmp(&other.0).then(same)
    }
}

/// The `count` sets of files that save most of all that fit `size_bytes`, the best first; `files` has the
/// bytes and the saving of each. Files that save nothing are in none, and the empty set is not among them.
pub fn best_sets(files: &[(u64, f64)], size_bytes: u64, count: usize) -> Vec<BTreeSet<usize>> {
    let items = files.iter().enumerate().map(|(file, &(bytes, saving))| Item { file, bytes, saving });
    let mut items: Vec<Item> = items.filter(|item| item.saving > 0.0 && item.bytes <= size_bytes).collect();
    // Those that save most per byte first, so that the bound is tight.
    let density = |item: &Item| item.saving / item.bytes.max(1) as f64;
    items.sort_by(|one, other| density(other).total_cmp(&density(one)).then(one.file.cmp(&other.file)));
    let mut search = Search { items, count, best: BinaryHeap::new(), chosen: BTreeSet::new() };
    if count > 0 {
        search.from(0, size_bytes, 0.0);
    }
    let mut found: Vec<Found> = search.best.into_iter().map(|Reverse(found)| found).collect();
    found.sort_by(|one, other| other.cmp(one));
    found.into_iter().map(|Found(_, files)| files).collect()
}

struct Search {
    items: Vec<Item>,
    count: usize,
    /// The best so far, the worst of them on top.
    best: BinaryHeap<Reverse<Found>>,
    chosen: BTreeSet<usize>,
}

impl Search {
    /// With what was chosen of the items before `next`, of which `left` bytes are free.
    fn from(&mut self, next: usize, left: u64, saving: f64) {
        let hopeless = |best: &BinaryHeap<Reverse<Found>>, bound: f64| {
            // A bound that rounding has made too low must not cut off a set that is as good.
            best.peek().is_some_and(|Reverse(worst)| bound * (1.0 + 1e-12) < worst.0)
        };
        if self.best.len() == self.count && hopeless(&self.best, saving + self.bound(next, left)) {
            return;
        }
        let Some(item) = self.items.get(next) else {
            return self.add(saving);
        };
        let (file, bytes, more) = (item.file, item.bytes, item.saving);
        if bytes <= left {
            self.chosen.insert(file);
            self.from(next + 1, left - bytes, saving + more);
            self.chosen.remove(&file);
        }
        self.from(next + 1, left, saving);
    }

    fn add(&mut self, saving: f64) {
        if self.chosen.is_empty() {
            return;
        }
        self.best.push(Reverse(Found(saving, self.chosen.clone())));
        if self.best.len() > self.count {
            self.best.pop();
        }
    }

    /// What the items from `next` on save at most in that many bytes: with a part of the first that is too
    /// large.
    fn bound(&self, next: usize, mut left: u64) -> f64 {
        let mut bound = 0.0;
        for item in &self.items[next..] {
            if item.bytes > left {
                return bound + item.saving * left as f64 / item.bytes as f64;
            }
            left -= item.bytes;
            bound += item.saving;
        }
        bound
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// All sets that fit, tried one by one.
    fn all_sets(files: &[(u64, f64)], size: u64) -> Vec<Found> {
        let mut sets = Vec::new();
        for choice in 1..1u32 << files.len() {
            let set: BTreeSet<usize> = (0..files.len()).filter(|i| choice >> i & 1 == 1).collect();
            let bytes: u64 = set.iter().map(|&file| files[file].0).sum();
            if bytes <= size && set.iter().all(|&file| files[file].1 > 0.0) {
                sets.push(Found(set.iter().map(|&file| files[file].1).sum(), set));
            }
        }
        sets.sort_by(|one, other| other.cmp(one));
        sets
    }

    fn saving(files: &[(u64, f64)], set: &BTreeSet<usize>) -> f64 {
        set.iter().map(|&file| files[file].1).sum()
    }

    proptest! {
        #[test]
        fn the_best_sets_are_those_of_trying_all(
            files in prop::collection::vec((0..40u64, -5..30i32), 0..11),
            size in 0..120u64,
            count in 0..7usize,
        ) {
            let files: Vec<(u64, f64)> = files.into_iter().map(|(b, s)| (b, f64::from(s))).collect();
            let all = all_sets(&files, size);
            let best = best_sets(&files, size, count);
            prop_assert_eq!(best.len(), all.len().min(count));
            for (set, expected) in best.iter().zip(&all) {
                prop_assert_eq!(saving(&files, set), expected.0);
                prop_assert!(set.iter().map(|&file| files[file].0).sum::<u64>() <= size);
            }
            let distinct: BTreeSet<_> = best.iter().collect();
            prop_assert_eq!(distinct.len(), best.len());
        }
    }

    #[test]
    fn a_larger_file_is_not_always_better() {
        // Table 6 of Yang, Li and Lilja (2020): ORDERS saves more than LINEITEM, and both do not fit.
        let (customer, orders, lineitem) = ((2, 3.0), (14, 1600.0), (62, 1490.0));
        let files = [customer, orders, lineitem];
        assert_eq!(best_sets(&files, 70, 1), [BTreeSet::from([0, 1])]);
        assert_eq!(best_sets(&files, 78, 1), [BTreeSet::from([0, 1, 2])]);
        assert_eq!(best_sets(&files, 15, 2), [BTreeSet::from([1]), BTreeSet::from([0])]);
    }

    #[test]
    fn many_files_take_no_time() {
        let mut random = fastrand::Rng::with_seed(3);
        let files: Vec<(u64, f64)> = (0..200).map(|_| (random.u64(1..1 << 30), random.f64())).collect();
        assert_eq!(best_sets(&files, 20 << 30, 5).len(), 5);
    }
}
