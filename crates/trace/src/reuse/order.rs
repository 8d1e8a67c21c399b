//! Exact stack distances in logarithmic time: a Fenwick tree over the times of last accesses.

use super::hash::PageMap;

/// Times a tree has room for at least, a multiple of 64.
const LEAST_TIMES: usize = 1 << 10;

/// The pages accessed so far, in the order of their last access.
///
/// Each access gets the next time; a bit marks the times that are some page's last. A distance is the number
/// of marks after the page's own, counted in O(log n) by a Fenwick tree over words of 64 bits (Fenwick,
/// Software: Practice and Experience 1994). When times run out, the marked ones are numbered again from 0, so
/// that memory follows the number of pages and not of accesses.
#[derive(Debug, Clone)]
pub struct StackDistances {
    /// Last access of each page.
    last: PageMap<u32>,
    /// The page accessed at each time so far.
    page_at: Vec<u64>,
    /// Whether a time is its page's last.
    marks: Vec<u64>,
    /// Entry i (from 1) holds the marks of the `i & i.wrapping_neg()` words that end with word i - 1.
    tree: Vec<u32>,
}

impl Default for StackDistances {
    fn default() -> Self {
        Self::new()
    }
}

impl StackDistances {
    /// No page yet.
    pub fn new() -> Self {
        let mut order = StackDistances {
            last: PageMap::default(),
            page_at: Vec::new(),
            marks: Vec::new(),
            tree: Vec::new(),
        };
        order.renumber();
        order
    }

    /// Distinct pages.
    pub fn len(&self) -> usize {
        self.last.len()
    }

    /// Whether no page is known.
    pub fn is_empty(&self) -> bool {
        self.last.is_empty()
    }

    /// Accesses a page: its distance, 1 when it was the last one too, `None` when it is new.
    #[inline]
    pub fn access(&mut self, page: u64) -> Option<u64> {
        if self.page_at.len() == self.marks.len() * 64 {
            self.renumber();
        }
        let now = self.page_at.len() as u32;
        self.page_at.push(page);
        let distance = self.last.insert(page, now).map(|before| {
            let distance = self.last.len() as u64 - self.marked_before(before);
            self.flip(before);
            distance
        });
        self.flip(now);
        distance
    }

    /// Forgets a page, as if it had never been accessed.
    pub fn remove(&mut self, page: u64) {
        if let Some(before) = self.last.remove(&page) {
            self.flip(before);
        }
    }

    /// Marks before a time.
    #[inline]
    fn marked_before(&self, time: u32) -> u64 {
        let (mut word, bit) = ((time / 64) as usize, time % 64);
        let mut count = u64::from((self.marks[word] & ((1 << bit) - 1)).count_ones());
        while word > 0 {
            count += u64::from(self.tree[word]);
            word &= word - 1;
        }
        count
    }

    /// Sets the mark of a time, or takes it away.
    #[inline]
    fn flip(&mut self, time: u32) {
        let (word, bit) = ((time / 64) as usize, time % 64);
        self.marks[word] ^= 1 << bit;
        let set = self.marks[word] >> bit & 1 == 1;
        let mut i = word + 1;
        while i < self.tree.len() {
            self.tree[i] = if set { self.tree[i] + 1 } else { self.tree[i] - 1 };
            i += i & i.wrapping_neg();
        }
    }

    /// Numbers the marked times from 0, with as many free behind them.
    #[cold]
    fn renumber(&mut self) {
        let marked = |time: &usize| self.marks[time / 64] >> (time % 64) & 1 == 1;
        let pages: Vec<u64> = (0..self.page_at.len()).filter(marked).map(|time| self.page_at[time]).collect();
        let words = (2 * pages.len()).max(LEAST_TIMES).div_ceil(64);
        self.marks = vec![0; words];
        self.tree = vec![0; words + 1];
        for (time, page) in pages.iter().enumerate() {
            self.last.insert(*page, time as u32);
            self.flip(time as u32);
        }
        self.page_at = pages;
    }
}
