//! A node of a B+-tree: keys of one length, sorted, each with a number.
//!
//! | bytes | leaf | inner node |
//! | --- | --- | --- |
//! | 0 | 1 (3 for a page on the free list) | 2 |
//! | 2..4 | entries | entries |
//! | 8..16 | next leaf, 0 at the end | first child |
//! | 16.. | key, row | key, child with this key and those above |

use crate::StoreError;
use crate::bytes::{get_u16, get_u64, put_u16, put_u64};

const KIND: usize = 0;
const COUNT: usize = 2;
const LINK: usize = 8;
const HEADER: usize = 16;
const VALUE: usize = 8;

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Leaf = 1,
    Inner = 2,
    /// Given up; the link is the next page of the free list.
    Free = 3,
}

/// How entries lie in the nodes of one tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) key_len: usize,
}

impl Layout {
    /// Entries that a node takes.
    pub(super) fn capacity(self, page_len: usize) -> usize {
        (page_len - HEADER) / self.entry()
    }

    /// Makes an empty node of a page.
    pub(super) fn format(self, bytes: &mut [u8], kind: Kind, link: u64) {
        bytes[KIND] = kind as u8;
        put_u16(bytes, COUNT, 0);
        put_u64(bytes, LINK, link);
    }

    /// Whether a page read from outside is such a node.
    pub(super) fn check(self, page: u64, bytes: &[u8], kind: Kind) -> Result<(), StoreError> {
        if bytes[KIND] == kind as u8 && self.count(bytes) <= self.capacity(bytes.len()) {
            return Ok(());
        }
        let what = match kind {
            Kind::Leaf => "is not a leaf of an index",
            Kind::Inner => "is not an inner node of an index",
            Kind::Free => "is on the free list of an index and in use",
        };
        Err(StoreError::Damaged { page, what })
    }

    pub(super) fn count(self, bytes: &[u8]) -> usize {
        usize::from(get_u16(bytes, COUNT))
    }

    pub(super) fn is_full(self, bytes: &[u8]) -> bool {
        self.count(bytes) == self.capacity(bytes.len())
    }

    /// Next leaf, or first child.
    pub(super) fn link(self, bytes: &[u8]) -> u64 {
        get_u64(bytes, LINK)
    }

    pub(super) fn set_link(self, bytes: &mut [u8], page: u64) {
        put_u64(bytes, LINK, page);
    }

    pub(super) fn key(self, bytes: &[u8], at: usize) -> &[u8] {
        let start = self.start(at);
        &bytes[start..start + self.key_len]
    }

    pub(super) fn value(self, bytes: &[u8], at: usize) -> u64 {
        get_u64(bytes, self.start(at) + self.key_len)
    }

    /// Entries below `key`: where it is, or would be.
    pub(super) fn lower_bound(self, bytes: &[u8], key: &[u8]) -> usize {
        self.partition(bytes, |other| other < key)
    }

    /// Which child leads to `key`: 0 is the first, `i` the one of entry `i - 1`.
    pub(super) fn child_index(self, bytes: &[u8], key: &[u8]) -> usize {
        self.partition(bytes, |other| other <= key)
    }

    /// The page of child `index`, as [`Layout::child_index`] counts.
    pub(super) fn child(self, bytes: &[u8], index: usize) -> u64 {
        if index == 0 { self.link(bytes) } else { self.value(bytes, index - 1) }
    }

    /// Inserts an entry before entry `at`. The node must not be full.
    pub(super) fn insert(self, bytes: &mut [u8], at: usize, key: &[u8], value: u64) {
        let (start, end) = (self.start(at), self.start(self.count(bytes)));
        bytes.copy_within(start..end, start + self.entry());
        bytes[start..start + self.key_len].copy_from_slice(key);
        put_u64(bytes, start + self.key_len, value);
        self.set_count(bytes, self.count(bytes) + 1);
    }

    /// Removes entry `at`.
    pub(super) fn remove(self, bytes: &mut [u8], at: usize) {
        let (start, end) = (self.start(at), self.start(self.count(bytes)));
        bytes.copy_within(start + self.entry()..end, start);
        self.set_count(bytes, self.count(bytes) - 1);
    }

    /// Removes the child `index` of an inner node that has another.
    pub(super) fn remove_child(self, bytes: &mut [u8], index: usize) {
        if index == 0 {
            let second = self.value(bytes, 0);
            self.set_link(bytes, second);
            self.remove(bytes, 0);
        } else {
            self.remove(bytes, index - 1);
        }
    }

    /// Moves the entries from `at` on into the empty node `right`.
    pub(super) fn split(self, left: &mut [u8], right: &mut [u8], at: usize) {
        let (start, end) = (self.start(at), self.start(self.count(left)));
        right[HEADER..HEADER + end - start].copy_from_slice(&left[start..end]);
        self.set_count(right, self.count(left) - at);
        self.set_count(left, at);
    }

    fn set_count(self, bytes: &mut [u8], count: usize) {
        put_u16(bytes, COUNT, count as u16);
    }

    fn entry(self) -> usize {
        self.key_len + VALUE
    }

    fn start(self, at: usize) -> usize {
        HEADER + at * self.entry()
    }

    fn partition(self, bytes: &[u8], before: impl Fn(&[u8]) -> bool) -> usize {
        let (mut low, mut high) = (0, self.count(bytes));
        while low < high {
            let middle = (low + high) / 2;
            if before(self.key(bytes, middle)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}
