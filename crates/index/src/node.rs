//! A node of the tree: a page that holds entries in the order of their keys.
//!
//! | bytes | content, little endian |
//! | --- | --- |
//! | 0..8 | version of the index when the node was last changed |
//! | 8..16 | page of the next node of the level; 0: this is the last |
//! | 16..18 | entries |
//! | 18 | level; 0: a leaf |
//! | 19 | 1: the node has an upper bound |
//! | 20..22 | bytes that all keys of the node begin with (the prefix) |
//! | 22..24, 24..26 | bytes of the lower and of the upper bound after the prefix |
//! | 26..28 | bytes of entries that are gone |
//! | 28..32 | where the entries begin, which grow down from the end of the page |
//! | 32.. | the prefix, the rest of the lower bound, the rest of the upper bound, then a slot per entry |
//!
//! A slot has 8 bytes: where the entry is (2), the length of its key after the prefix (2), and the first four
//! bytes of that (4), which most comparisons need no more than. An entry is the length of the value (2), the
//! key after the prefix, and the value. In an inner node the value is the page of a child, which has the keys
//! from the entry's on; the first entry's key is the lower bound.
//!
//! The nodes of a level form a list by their next pages, so that a reader who comes to a node that was split
//! meanwhile finds the key in the next one (Lehman and Yao, TODS 1981). He holds no node while he takes the
//! next.

mod build;
mod edit;

pub(crate) use build::{NodeBuilder, NodeHead, bounds_fit, entry_bytes};
pub(crate) use edit::{NodeMut, Put, split};

/// A page number.
pub(crate) type Page = u64;

pub(crate) const HEADER: usize = 32;
pub(crate) const SLOT: usize = 8;
/// Bytes of a value's length in front of an entry.
const VALUE_LEN: usize = 2;
/// Flag: the node has an upper bound.
const HAS_HIGH: u8 = 1;
/// A value's length that says: the value is a [`LongValue`].
const LONG: u16 = u16::MAX;
/// Levels of a tree at most; one of 2^48 pages has fewer.
pub(crate) const LEVELS: u8 = 40;

mod at {
    pub(super) const STAMP: usize = 0;
    pub(super) const NEXT: usize = 8;
    pub(super) const COUNT: usize = 16;
    pub(super) const LEVEL: usize = 18;
    pub(super) const FLAGS: usize = 19;
    pub(super) const PREFIX: usize = 20;
    pub(super) const LOW: usize = 22;
    pub(super) const HIGH: usize = 24;
    pub(super) const GONE: usize = 26;
    pub(super) const HEAP: usize = 28;
}

/// Bytes that are no node: they contradict themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BadNode;

/// A value that has pages of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LongValue {
    /// The first of its pages, which follow one another.
    pub(crate) first: Page,
    /// Its length in bytes.
    pub(crate) bytes: u64,
}

impl LongValue {
    pub(crate) const BYTES: usize = 16;

    pub(crate) fn pack(self) -> [u8; LongValue::BYTES] {
        let mut packed = [0; LongValue::BYTES];
        packed[..8].copy_from_slice(&self.first.to_le_bytes());
        packed[8..].copy_from_slice(&self.bytes.to_le_bytes());
        packed
    }

    fn unpack(bytes: &[u8]) -> Result<LongValue, BadNode> {
        Ok(LongValue { first: u64_at(bytes, 0)?, bytes: u64_at(bytes, 8)? })
    }
}

/// What an entry of a leaf holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    Inline(&'a [u8]),
    Long(LongValue),
}

impl Value<'_> {
    /// Bytes in the entry.
    pub(crate) fn len(&self) -> usize {
        match self {
            Value::Inline(bytes) => bytes.len(),
            Value::Long(_) => LongValue::BYTES,
        }
    }

    /// The value's pages, if it has some of its own.
    pub(crate) fn long(&self) -> Option<LongValue> {
        match self {
            Value::Inline(_) => None,
            Value::Long(long) => Some(*long),
        }
    }
}

/// How long keys and values of a node's entries may be, so that every node has room for four entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Bytes of a key.
    pub(crate) key: usize,
    /// Bytes of a key and its value in the same entry; longer values have pages of their own.
    pub(crate) entry: usize,
}

impl Limits {
    pub(crate) fn of(page_len: usize) -> Limits {
        let key = page_len / 8;
        Limits { key, entry: (page_len - HEADER - 2 * key) / 4 - SLOT - VALUE_LEN }
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Result<usize, BadNode> {
    let bytes = bytes.get(at..).and_then(<[u8]>::first_chunk).ok_or(BadNode)?;
    Ok(usize::from(u16::from_le_bytes(*bytes)))
}

fn u64_at(bytes: &[u8], at: usize) -> Result<u64, BadNode> {
    let bytes = bytes.get(at..).and_then(<[u8]>::first_chunk).ok_or(BadNode)?;
    Ok(u64::from_le_bytes(*bytes))
}

/// The first four bytes of a key, as a number that sorts as they do.
#[inline]
fn head_of(suffix: &[u8]) -> u32 {
    match suffix.first_chunk() {
        Some(bytes) => u32::from_be_bytes(*bytes),
        None => {
            let mut bytes = [0; 4];
            bytes[..suffix.len()].copy_from_slice(suffix);
            u32::from_be_bytes(bytes)
        }
    }
}

/// Bytes that two keys begin with alike.
pub(crate) fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// The shortest key after `left` that is not after `right`; `left` is before `right`.
pub(crate) fn separator<'a>(left: &[u8], right: &'a [u8]) -> &'a [u8] {
    &right[..(common_prefix(left, right) + 1).min(right.len())]
}

/// A node that is read. Whatever its bytes are, its methods do not panic.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node<'a> {
    bytes: &'a [u8],
    count: usize,
    prefix_len: usize,
    low_len: usize,
    high_len: usize,
    heap: usize,
}

/// An entry's place.
#[derive(Debug, Clone, Copy)]
struct Slot {
    offset: usize,
    key_len: usize,
    head: u32,
}

impl<'a> Node<'a> {
    /// # Errors
    /// [`BadNode`]: the parts overlap or end beyond the page.
    #[inline]
    pub(crate) fn new(bytes: &'a [u8]) -> Result<Node<'a>, BadNode> {
        let head: &[u8; HEADER] = bytes.first_chunk().ok_or(BadNode)?;
        let u16_of = |at: usize| usize::from(u16::from_le_bytes([head[at], head[at + 1]]));
        let node = Node {
            bytes,
            count: u16_of(at::COUNT),
            prefix_len: u16_of(at::PREFIX),
            low_len: u16_of(at::LOW),
            high_len: u16_of(at::HIGH),
            heap: u32::from_le_bytes([head[28], head[29], head[30], head[31]]) as usize,
        };
        let is_sound = node.slots_end() <= node.heap && node.heap <= bytes.len() && head[at::LEVEL] < LEVELS;
        if is_sound { Ok(node) } else { Err(BadNode) }
    }

    pub(crate) fn stamp(&self) -> u64 {
        u64_at(self.bytes, at::STAMP).unwrap_or_default()
    }

    /// The next node of the level.
    pub(crate) fn next(&self) -> Option<Page> {
        u64_at(self.bytes, at::NEXT).ok().filter(|page| *page != 0)
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    pub(crate) fn level(&self) -> u8 {
        self.bytes[at::LEVEL]
    }

    pub(crate) fn is_leaf(&self) -> bool {
        self.level() == 0
    }

    fn prefix(&self) -> &'a [u8] {
        &self.bytes[HEADER..HEADER + self.prefix_len]
    }

    fn low_suffix(&self) -> &'a [u8] {
        &self.bytes[HEADER + self.prefix_len..][..self.low_len]
    }

    fn high_suffix(&self) -> Option<&'a [u8]> {
        let has_high = self.bytes[at::FLAGS] & HAS_HIGH != 0;
        has_high.then(|| &self.bytes[HEADER + self.prefix_len + self.low_len..][..self.high_len])
    }

    /// The lower bound: no key of the node is before it.
    pub(crate) fn low(&self) -> Vec<u8> {
        [self.prefix(), self.low_suffix()].concat()
    }

    /// The upper bound: all keys of the node are before it.
    pub(crate) fn high(&self) -> Option<Vec<u8>> {
        self.high_suffix().map(|high| [self.prefix(), high].concat())
    }

    /// Where to look for a key that the node does not have because it is beyond its upper bound.
    #[inline]
    pub(crate) fn beyond(&self, key: &[u8]) -> Result<Option<Page>, BadNode> {
        let Some(high) = self.high_suffix() else { return Ok(None) };
        let (start, rest) = key.split_at(key.len().min(self.prefix_len));
        // A key that ends within the prefix is before all that begin with it.
        let is_beyond = start.cmp(self.prefix()).then_with(|| rest.cmp(high)).is_ge();
        match is_beyond {
            true => self.next().map(Some).ok_or(BadNode),
            false => Ok(None),
        }
    }

    fn slots(&self) -> usize {
        HEADER + self.prefix_len + self.low_len + self.high_len
    }

    fn slots_end(&self) -> usize {
        self.slots() + self.count * SLOT
    }

    #[inline]
    fn slot(&self, entry: usize) -> Result<Slot, BadNode> {
        let at = self.slots() + entry * SLOT;
        let bytes: &[u8; SLOT] =
            self.bytes[..self.slots_end()].get(at..).and_then(<[u8]>::first_chunk).ok_or(BadNode)?;
        let [a, b, c, d, e, f, g, h] = *bytes;
        Ok(Slot {
            offset: usize::from(u16::from_le_bytes([a, b])),
            key_len: usize::from(u16::from_le_bytes([c, d])),
            head: u32::from_le_bytes([e, f, g, h]),
        })
    }

    #[inline]
    fn suffix_at(&self, slot: Slot) -> Result<&'a [u8], BadNode> {
        let start = slot.offset + VALUE_LEN;
        self.bytes.get(start..start + slot.key_len).ok_or(BadNode)
    }

    /// The entry's key after the prefix.
    pub(crate) fn suffix(&self, entry: usize) -> Result<&'a [u8], BadNode> {
        self.suffix_at(self.slot(entry)?)
    }

    /// The entry's key, appended to `key`.
    pub(crate) fn put_key(&self, entry: usize, key: &mut Vec<u8>) -> Result<(), BadNode> {
        key.extend_from_slice(self.prefix());
        key.extend_from_slice(self.suffix(entry)?);
        Ok(())
    }

    pub(crate) fn key(&self, entry: usize) -> Result<Vec<u8>, BadNode> {
        let mut key = Vec::new();
        self.put_key(entry, &mut key)?;
        Ok(key)
    }

    /// The entry's value.
    #[inline]
    pub(crate) fn value(&self, entry: usize) -> Result<Value<'a>, BadNode> {
        let slot = self.slot(entry)?;
        let len = u16_at(self.bytes, slot.offset)?;
        let start = slot.offset + VALUE_LEN + slot.key_len;
        if len == usize::from(LONG) {
            let bytes = self.bytes.get(start..start + LongValue::BYTES).ok_or(BadNode)?;
            return Ok(Value::Long(LongValue::unpack(bytes)?));
        }
        Ok(Value::Inline(self.bytes.get(start..start + len).ok_or(BadNode)?))
    }

    /// Bytes of an entry, without its slot.
    fn entry_bytes(&self, entry: usize) -> Result<usize, BadNode> {
        Ok(VALUE_LEN + self.slot(entry)?.key_len + self.value(entry)?.len())
    }

    /// The child of an entry of an inner node.
    #[inline]
    pub(crate) fn child(&self, entry: usize) -> Result<Page, BadNode> {
        match self.value(entry)? {
            Value::Inline(bytes) if bytes.len() == 8 => match u64_at(bytes, 0)? {
                0 => Err(BadNode),
                page => Ok(page),
            },
            _ => Err(BadNode),
        }
    }

    /// The entry that has the key, or the place where it would be. The key is within the node's bounds.
    #[inline]
    pub(crate) fn search(&self, key: &[u8]) -> Result<Result<usize, usize>, BadNode> {
        let suffix = key.strip_prefix(self.prefix()).ok_or(BadNode)?;
        let head = head_of(suffix);
        let (mut from, mut to) = (0, self.count);
        while from < to {
            let middle = (from + to) / 2;
            let slot = self.slot(middle)?;
            let order = match slot.head.cmp(&head) {
                std::cmp::Ordering::Equal => self.suffix_at(slot)?.cmp(suffix),
                other => other,
            };
            match order {
                std::cmp::Ordering::Less => from = middle + 1,
                std::cmp::Ordering::Equal => return Ok(Ok(middle)),
                std::cmp::Ordering::Greater => to = middle,
            }
        }
        Ok(Err(from))
    }

    /// The entry of an inner node whose child has the key.
    #[inline]
    pub(crate) fn entry_for(&self, key: &[u8]) -> Result<usize, BadNode> {
        match self.search(key)? {
            Ok(entry) => Ok(entry),
            // The first entry's key is the lower bound.
            Err(place) => place.checked_sub(1).ok_or(BadNode),
        }
    }

    /// The first entry whose key is not before `key`, which may be anywhere.
    pub(crate) fn first_from(&self, key: &[u8]) -> Result<usize, BadNode> {
        match key.starts_with(self.prefix()) {
            true => Ok(match self.search(key)? {
                Ok(entry) | Err(entry) => entry,
            }),
            false => Ok(if *key < *self.prefix() { 0 } else { self.count }),
        }
    }

    /// Bytes that entries and their slots take.
    pub(crate) fn used(&self) -> usize {
        let gone = u16_at(self.bytes, at::GONE).unwrap_or_default();
        (self.bytes.len() - self.heap).saturating_sub(gone) + self.count * SLOT
    }

    /// Bytes that they may take.
    pub(crate) fn capacity(&self) -> usize {
        self.bytes.len() - self.slots()
    }

    /// Whether every key is in order and within the bounds, entries do not overlap, and what is said to be
    /// gone is.
    pub(crate) fn verify(&self) -> Result<(), &'static str> {
        let bad = |_| "an entry ends beyond the page";
        let (low, high) = (self.low(), self.high());
        if high.as_ref().is_some_and(|high| *high <= low) {
            return Err("the bounds are out of order");
        }
        if high.is_some() != self.next().is_some() {
            return Err("the upper bound and the next node contradict each other");
        }
        let (mut used, mut places) = (0, Vec::with_capacity(self.count));
        for entry in 0..self.count {
            let slot = self.slot(entry).map_err(bad)?;
            let suffix = self.suffix_at(slot).map_err(bad)?;
            let bytes = self.entry_bytes(entry).map_err(bad)?;
            if slot.offset < self.heap {
                return Err("an entry is in front of all entries");
            }
            if slot.head != head_of(suffix) {
                return Err("a slot has another beginning than its key");
            }
            if entry > 0 && self.suffix(entry - 1).map_err(bad)? >= suffix {
                return Err("keys are out of order");
            }
            if suffix < self.low_suffix() || self.high_suffix().is_some_and(|high| suffix >= high) {
                return Err("a key is not within the bounds");
            }
            if !self.is_leaf() {
                self.child(entry).map_err(|_| "an entry has no child")?;
            }
            used += bytes;
            places.push(slot.offset..slot.offset + bytes);
        }
        places.sort_unstable_by_key(|place| place.start);
        if places.windows(2).any(|two| two[0].end > two[1].start) {
            return Err("two entries overlap");
        }
        let gone = u16_at(self.bytes, at::GONE).unwrap_or_default();
        if used + gone != self.bytes.len() - self.heap {
            return Err("entries do not fill the place that they are said to fill");
        }
        if !self.is_leaf() && (self.count == 0 || self.suffix(0).map_err(bad)? != self.low_suffix()) {
            return Err("the first child does not begin with the lower bound");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
