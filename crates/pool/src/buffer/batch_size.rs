//! How many pages are written at once: as configured, or as a search finds that watches the pool's own
//! writes.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};

use leadline_device::Nanos;

use super::config::PoolConfig;
use crate::batch_search::BatchSearch;

/// The n of a pool.
#[derive(Debug)]
pub(crate) struct BatchSize {
    /// Pages to write at once now. Relaxed, as nothing else follows from it: a thread may see the one before
    /// a little longer, and a queue has slots for the largest.
    n: AtomicU32,
    most: u32,
    search: Option<Mutex<BatchSearch>>,
}

impl BatchSize {
    pub(crate) fn new(config: &PoolConfig) -> Self {
        let (begin, most) = (config.batch(), config.most_at_once());
        let search = config.adaptive.then(|| BatchSearch::new(begin, most));
        let n = search.as_ref().map_or(begin, BatchSearch::n);
        BatchSize { n: AtomicU32::new(n), most, search: search.map(Mutex::new) }
    }

    /// Pages to write at once now.
    #[inline]
    pub(crate) fn n(&self) -> u32 {
        self.n.load(Relaxed)
    }

    /// What the search has settled on so far; without one, what was configured.
    pub(crate) fn settled(&self) -> u32 {
        match &self.search {
            Some(search) => search.lock().unwrap_or_else(PoisonError::into_inner).settled(),
            None => self.n(),
        }
    }

    /// Whether anybody wants to know how long writes take.
    pub(crate) fn is_search(&self) -> bool {
        self.search.is_some()
    }

    /// `pages` were written in `nanos`, `at_once` in flight. Only writes of the size that is being tried tell
    /// anything.
    pub(crate) fn wrote(&self, at_once: u32, pages: u32, nanos: Nanos) {
        let Some(search) = &self.search else { return };
        let mut search = search.lock().unwrap_or_else(PoisonError::into_inner);
        if at_once == search.n() {
            search.wrote(pages, nanos);
            assert!((1..=self.most).contains(&search.n()), "{} pages at once, of {}", search.n(), self.most);
            self.n.store(search.n(), Relaxed);
        }
    }
}

/// Watches a thread that keeps writes in flight all the time: only while it is never short of dirty pages do
/// its writes tell how fast that many at once go.
#[derive(Debug, Default)]
pub(crate) struct Span {
    /// That many in flight without a break, since then, and the writes that were done meanwhile.
    full: Option<(u32, Nanos, u32)>,
}

impl Span {
    /// `writing` are in flight again after `done` more have completed; `wanted` should be. Gives writes in
    /// flight, writes done and their nanoseconds once there are enough for the last wave not to matter much.
    pub(crate) fn refilled(
        &mut self,
        (writing, wanted): (u32, u32),
        done: u32,
        now: Nanos,
    ) -> Option<(u32, u32, Nanos)> {
        if writing != wanted {
            self.full = None;
            return None;
        }
        match &mut self.full {
            Some((depth, since, sum)) if *depth == wanted => {
                *sum += done;
                if *sum < 2 * wanted {
                    return None;
                }
                let span = (wanted, *sum, now.saturating_sub(*since));
                self.full = Some((wanted, now, 0));
                Some(span)
            }
            _ => {
                self.full = Some((wanted, now, 0));
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_unbroken_span_of_one_depth_counts() {
        let mut span = Span::default();
        assert_eq!(span.refilled((4, 4), 0, 100), None, "begins");
        assert_eq!(span.refilled((4, 4), 7, 200), None, "too few");
        assert_eq!(span.refilled((4, 4), 1, 250), Some((4, 8, 150)));
        assert_eq!(span.refilled((4, 4), 4, 300), None, "the next begins where it ended");
        assert_eq!(span.refilled((3, 4), 3, 400), None, "short of dirty pages");
        assert_eq!(span.refilled((4, 4), 9, 500), None, "begins again");
        assert_eq!(span.refilled((5, 5), 9, 600), None, "another depth");
        assert_eq!(span.refilled((5, 5), 10, 700), Some((5, 10, 100)));
    }

    #[test]
    fn writes_of_other_sizes_tell_the_search_nothing() {
        let config = PoolConfig::new(4096, 64).adaptive(true).n(4);
        let batch_size = BatchSize::new(&config);
        let tried = batch_size.n();
        (0..100_000).for_each(|_| batch_size.wrote(tried + 1, tried + 1, 1000));
        assert_eq!((batch_size.n(), batch_size.settled()), (tried, 4));
        (0..100_000).for_each(|_| batch_size.wrote(batch_size.n(), batch_size.n(), 1000));
        assert_eq!(batch_size.settled(), 64, "as long for 64 pages as for one: bounded by the frames");
    }
}
