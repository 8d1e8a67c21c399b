//! Which ids that lie close together occur: a bit each, in pages that exist where there are ids.

use std::sync::atomic::{AtomicU64, Ordering};

use super::plan::{ImportPlan, Reservation};
use super::sort::Key;

/// Ids of a page.
const PAGE_IDS: u64 = 1 << 16;
const WORDS: usize = PAGE_IDS as usize / 64;

/// A bit for each of 64 ids, and how many lower ids occur: side by side, so that to rank an id takes one line
/// of the cache.
#[derive(Debug, Default)]
struct Word {
    bits: AtomicU64,
    before: u64,
}

type Page = [Word; WORDS];

/// The ids that occur, none of which is above a limit.
#[derive(Debug)]
pub(crate) struct IdSet {
    pages: Vec<Option<Box<Page>>>,
    /// The largest id that it takes.
    limit: u64,
    most: u64,
    bytes: u64,
    taken: Reservation,
}

impl IdSet {
    /// Of ids that fit in 32 bits.
    pub(crate) fn new(plan: &ImportPlan) -> IdSet {
        IdSet { limit: u32::MAX.into(), pages: Vec::new(), most: plan.seen(), bytes: 0, taken: plan.take(0) }
    }

    /// The same set, which from now on takes ids up to `limit`.
    pub(crate) fn up_to(self, limit: u64) -> IdSet {
        IdSet { limit, ..self }
    }

    /// Notes an id; false where its page is missing.
    #[inline]
    pub(crate) fn note(&self, id: u64) -> bool {
        let Some(Some(page)) = self.pages.get((id / PAGE_IDS) as usize) else { return false };
        let (bits, bit) = (&page[(id % PAGE_IDS / 64) as usize].bits, 1 << (id % 64));
        // Most are noted already, and what is only read the processors can share.
        if bits.load(Ordering::Relaxed) & bit == 0 {
            bits.fetch_or(bit, Ordering::Relaxed);
        }
        true
    }

    /// Notes an id whose page may be missing; false where it would take more memory than there is, or is too
    /// large.
    pub(crate) fn add(&mut self, id: u64) -> bool {
        self.note(id) || self.add_page(id) && self.note(id)
    }

    #[cold]
    fn add_page(&mut self, id: u64) -> bool {
        let number = (id / PAGE_IDS) as usize;
        if id > self.limit {
            return false;
        }
        let pages = (number + 1).max(self.pages.len());
        let more = size_of::<Page>() + 2 * (pages - self.pages.len()) * size_of::<Option<Box<Page>>>();
        if self.bytes + more as u64 > self.most {
            return false;
        }
        self.bytes += more as u64;
        self.taken.set(self.bytes);
        self.pages.resize_with(pages, || None);
        self.pages[number] = Some(Box::new(std::array::from_fn(|_| Word::default())));
        true
    }

    /// Counts the ids, so that [`IdSet::rank`] knows them; after the last note.
    pub(crate) fn count(&mut self) -> u64 {
        let mut count = 0;
        for word in self.pages.iter_mut().flatten().flat_map(|page| page.iter_mut()) {
            word.before = count;
            count += u64::from(word.bits.get_mut().count_ones());
        }
        count
    }

    /// Whether all ids below the largest occur; after [`IdSet::count`].
    pub(crate) fn is_dense(&self) -> bool {
        let mut ended = false;
        for page in &self.pages {
            let Some(page) = page else { return false };
            for word in page.iter() {
                // All bits, until some are missing at the upper end of a word; none from then on.
                let bits = word.bits.load(Ordering::Relaxed);
                if ended && bits != 0 || bits & bits.wrapping_add(1) != 0 {
                    return false;
                }
                ended |= bits != u64::MAX;
            }
        }
        true
    }

    /// How many ids are below one that occurs; after [`IdSet::count`].
    ///
    /// # Panics
    /// Where the id does not occur: it would be given another's rank.
    #[inline]
    pub(crate) fn rank(&self, id: u64) -> u64 {
        let Some(Some(page)) = self.pages.get((id / PAGE_IDS) as usize) else { missing(id) };
        let Word { bits, before } = &page[(id % PAGE_IDS / 64) as usize];
        let (bits, bit) = (bits.load(Ordering::Relaxed), 1 << (id % 64));
        if bits & bit == 0 {
            missing(id);
        }
        before + u64::from((bits & (bit - 1)).count_ones())
    }

    /// Both ids of a key by their ranks.
    pub(crate) fn rank_both<K: Key>(&self, key: K) -> K {
        K::join(self.rank(key.high()), self.rank(key.low()))
    }

    /// All ids, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u64> {
        self.pages.iter().enumerate().flat_map(|(number, page)| {
            page.iter().flat_map(move |page| {
                page.iter().enumerate().flat_map(move |(word, Word { bits, .. })| {
                    let first = number as u64 * PAGE_IDS + word as u64 * 64;
                    let mut left = bits.load(Ordering::Relaxed);
                    std::iter::from_fn(move || {
                        let bit = left.trailing_zeros();
                        left &= left.wrapping_sub(1);
                        (bit < 64).then(|| first + u64::from(bit))
                    })
                })
            })
        })
    }
}

#[cold]
fn missing(id: u64) -> ! {
    panic!("id {id} was never noted")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn ranks_and_order_are_those_of_a_set() {
        let mut random = fastrand::Rng::with_seed(3);
        let mut seen = IdSet::new(&ImportPlan::new(1 << 30, Default::default()));
        let mut ids: BTreeSet<u64> = (0..5000).map(|_| random.u64(..1 << 20)).collect();
        ids.extend(1 << 16..2 << 16);
        ids.extend([u64::from(u32::MAX), u64::from(u32::MAX) - 1]);
        assert!(ids.iter().all(|id| seen.add(*id)));
        assert!(!seen.add(1 << 32));
        assert_eq!(seen.count(), ids.len() as u64);
        assert!(seen.iter().eq(ids.iter().copied()));
        assert!(!seen.is_dense());
        assert!(ids.iter().enumerate().all(|(rank, id)| seen.rank(*id) == rank as u64));
    }

    #[test]
    fn ids_are_dense_where_none_is_missing() {
        for (ids, dense) in [
            (0..0, true),
            (0..1, true),
            (1..2, false),
            (0..1 << 16, true),
            (0..100_000, true),
            (1..100_000, false),
        ] {
            let mut seen = IdSet::new(&ImportPlan::new(1 << 30, Default::default()));
            assert!(ids.clone().all(|id| seen.add(id)));
            seen.count();
            assert_eq!(seen.is_dense(), dense, "{ids:?}");
        }
    }

    #[test]
    fn ids_far_apart_are_refused_when_memory_ends() {
        let mut seen = IdSet::new(&ImportPlan::new(1 << 20, Default::default()));
        assert!((0..200_000).all(|id| seen.add(id)));
        assert!(!(0..1000).all(|page| seen.add(page * PAGE_IDS)));
    }
}
