use std::collections::{HashMap, HashSet, VecDeque};

use proptest::prelude::*;

use super::*;

/// A pool that reads ahead up to `ahead` pages at every miss and lets the oldest page go first.
struct TinyPool {
    prefetching: Prefetching,
    frames: usize,
    ahead: usize,
    /// Page to whether it was read ahead and not used yet.
    pages: HashMap<Page, bool>,
    order: VecDeque<Page>,
    misses: u64,
    issued: u64,
    used: u64,
}

impl TinyPool {
    fn new(frames: usize, ahead: usize) -> Self {
        TinyPool {
            prefetching: Prefetching::new(frames as u32),
            frames,
            ahead,
            pages: HashMap::new(),
            order: VecDeque::new(),
            misses: 0,
            issued: 0,
            used: 0,
        }
    }

    fn access(&mut self, page: Page) {
        match self.pages.get_mut(&page) {
            Some(fresh) => {
                if std::mem::take(fresh) {
                    self.used += 1;
                    self.prefetching.used(page);
                }
                self.prefetching.accessed(page, false);
            }
            None => self.miss(page),
        }
    }

    fn miss(&mut self, page: Page) {
        self.misses += 1;
        self.prefetching.accessed(page, true);
        let mut ahead = Vec::new();
        self.prefetching.propose(page, self.ahead, &mut ahead);
        assert!(ahead.len() <= self.ahead && !ahead.contains(&page));
        assert_eq!(ahead.iter().collect::<HashSet<_>>().len(), ahead.len(), "a page came twice");
        ahead.retain(|p| !self.pages.contains_key(p));
        ahead.iter().for_each(|&p| self.prefetching.issued(p));
        self.issued += ahead.len() as u64;
        self.read(page, false);
        ahead.into_iter().for_each(|p| self.read(p, true));
    }

    fn read(&mut self, page: Page, ahead: bool) {
        if self.order.len() == self.frames
            && let Some(victim) = self.order.pop_front()
            && self.pages.remove(&victim) == Some(true)
        {
            self.prefetching.evicted_unused(victim);
        }
        self.pages.insert(page, ahead);
        self.order.push_back(page);
    }

    fn run(&mut self, pages: impl IntoIterator<Item = Page>) {
        pages.into_iter().for_each(|page| self.access(page));
    }

    fn stats(&self, name: &str) -> PrefetcherStats {
        self.prefetching.stats().into_iter().find(|s| s.name == name).unwrap()
    }
}

fn random(seed: u64, below: u64, count: usize) -> impl Iterator<Item = Page> {
    let mut rng = fastrand::Rng::with_seed(seed);
    std::iter::repeat_with(move || rng.u64(..below)).take(count)
}

/// A cycle through `pages` pages that lie anywhere, in an order without any rule.
fn irregular(seed: u64, pages: usize) -> Vec<Page> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut cycle: Vec<Page> = (0..pages as u64).map(|i| i * 1000 + rng.u64(..1000)).collect();
    rng.shuffle(&mut cycle);
    cycle
}

fn proposals(prefetcher: &mut dyn Prefetcher, page: Page, most: usize) -> Vec<Page> {
    let mut out = Vec::new();
    prefetcher.propose(page, most, &mut out);
    out
}

#[test]
fn a_scan_is_read_ahead_and_nearly_all_of_it_used() {
    let mut pool = TinyPool::new(100, 7);
    pool.run(5_000..25_000);
    assert!(pool.misses < 20_000 / 8 + 10, "{} misses", pool.misses);
    assert!(pool.issued - pool.used <= 7, "{} of {} used", pool.used, pool.issued);
}

#[test]
fn twenty_interleaved_scans_are_each_followed() {
    let mut pool = TinyPool::new(1000, 7);
    pool.run((0..500).flat_map(|step| (0..20).map(move |scan| scan * 1_000_000 + step)));
    assert!(pool.misses < 10_000 / 8 + 20 * 4, "{} misses", pool.misses);
    assert!(pool.used * 100 > pool.issued * 95, "{} of {} used", pool.used, pool.issued);
}

#[test]
fn random_reads_are_not_read_ahead() {
    // Twice the pool: half of everything read ahead is used some day, and still gains nothing.
    for below in [2_000, 20_000, 1_000_000] {
        let mut pool = TinyPool::new(1000, 7);
        pool.run(random(1, below, 200_000));
        assert!(pool.issued * 100 < pool.misses * 5, "{below}: {} at {} misses", pool.issued, pool.misses);
        assert!(below > 20_000 || !pool.stats("history").on, "{below}");
    }
}

#[test]
fn strides_forwards_and_backwards_are_followed_through_each_other() {
    let mut pool = TinyPool::new(500, 7);
    pool.run((0..2000).flat_map(|i| [10_000 + 7 * i, 9_000_000 - 13 * i, 20_000_000 - i]));
    assert!(pool.misses < 6_000 / 8 + 20, "{} misses", pool.misses);
    assert!(pool.issued - pool.used <= 3 * 7, "{} of {} used", pool.used, pool.issued);
    assert!(pool.stats("stride").used_soon > 5_000);
}

#[test]
fn an_irregular_cycle_is_known_the_second_time() {
    let cycle = irregular(2, 3000);
    let mut pool = TinyPool::new(1000, 7);
    pool.run(cycle.iter().copied());
    assert_eq!(pool.misses, 3000, "nothing is known the first time");
    pool.run(cycle.iter().copied());
    pool.run(cycle.iter().copied());
    assert!(pool.misses - 3000 < 6000 / 5, "{} misses", pool.misses - 3000);
    assert!(pool.used * 10 > pool.issued * 9, "{} of {} used", pool.used, pool.issued);
}

#[test]
fn a_workload_that_turns_random_silences_history_and_one_that_turns_back_wakes_it() {
    let cycle = irregular(3, 3000);
    let mut pool = TinyPool::new(1000, 7);
    let replay = |pool: &mut TinyPool| (0..4).for_each(|_| pool.run(cycle.iter().copied()));
    replay(&mut pool);
    assert!(pool.stats("history").on);
    pool.run(random(4, 50_000, 100_000));
    assert!(!pool.stats("history").on);
    replay(&mut pool);
    assert!(pool.stats("history").on);
    let before = pool.misses;
    replay(&mut pool);
    assert!(pool.misses - before < 12_000 / 4, "{} misses of 12000", pool.misses - before);
}

#[test]
fn proposals_end_at_the_first_and_the_last_page_there_can_be() {
    let mut sequential = Sequential::default();
    (Page::MAX - 4..=Page::MAX - 1).for_each(|p| sequential.accessed(p, true));
    assert_eq!(proposals(&mut sequential, Page::MAX - 1, 8), [Page::MAX]);
    sequential.accessed(Page::MAX, true);
    assert!(proposals(&mut sequential, Page::MAX, 8).is_empty());
    sequential.accessed(0, true);
    assert!(proposals(&mut sequential, 0, 8).is_empty(), "the end does not lead to the beginning");

    let mut stride = Stride::default();
    [50, 40, 30, 20].into_iter().for_each(|p| stride.accessed(p, true));
    assert_eq!(proposals(&mut stride, 20, 8), [10, 0]);
}

#[test]
fn two_in_a_row_are_no_scan_and_three_are() {
    let mut sequential = Sequential::default();
    sequential.accessed(10, true);
    sequential.accessed(11, true);
    assert!(proposals(&mut sequential, 11, 4).is_empty());
    sequential.accessed(12, false);
    assert_eq!(proposals(&mut sequential, 12, 4), [13, 14, 15, 16]);
}

#[test]
fn a_cycle_shorter_than_the_proposal_is_proposed_once() {
    let mut history = History::new(100);
    (0..3).for_each(|_| [5, 9, 2].into_iter().for_each(|p| history.accessed(p, true)));
    assert_eq!(proposals(&mut history, 2, 8), [5, 9]);
    // A chain that runs into a cycle further on.
    [7, 5].into_iter().for_each(|p| history.accessed(p, true));
    assert_eq!(proposals(&mut history, 7, 8), [5, 9, 2]);
}

#[test]
fn what_was_read_ahead_rightly_is_not_unlearnt() {
    let mut prefetching = Prefetching::new(1000);
    let cycle = [70, 10, 50, 30, 90];
    cycle.iter().for_each(|&p| prefetching.accessed(p, true));
    for _ in 0..3 {
        let mut ahead = Vec::new();
        prefetching.accessed(cycle[0], true);
        prefetching.propose(cycle[0], 4, &mut ahead);
        assert_eq!(ahead, cycle[1..]);
        for page in ahead {
            prefetching.issued(page);
            prefetching.used(page);
            prefetching.accessed(page, false);
        }
    }
    assert_eq!(prefetching.stats().map(|s| (s.issued, s.used_soon)), [(0, 0), (0, 0), (12, 12)]);
}

proptest! {
    #[test]
    fn whatever_is_asked_for_proposals_are_few_distinct_and_not_the_page(
        pages in prop::collection::vec(prop_oneof![0u64..20, (Page::MAX - 20)..=Page::MAX, any::<u64>()], 1..300),
        most in 0usize..20,
    ) {
        let mut all: [Box<dyn Prefetcher>; 3] =
            [Box::new(Sequential::default()), Box::new(Stride::default()), Box::new(History::new(16))];
        let mut prefetching = Prefetching::new(16);
        for &page in &pages {
            for prefetcher in &mut all {
                prefetcher.accessed(page, true);
                let ahead = proposals(&mut **prefetcher, page, most);
                prop_assert!(ahead.len() <= most && !ahead.contains(&page));
                prop_assert_eq!(ahead.iter().collect::<HashSet<_>>().len(), ahead.len());
            }
            prefetching.accessed(page, true);
            let mut ahead = vec![page];
            prefetching.propose(page, most, &mut ahead);
            prop_assert!(ahead.len() <= most + 1);
            prop_assert_eq!(ahead.iter().collect::<HashSet<_>>().len(), ahead.len());
        }
    }
}
