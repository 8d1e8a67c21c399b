//! Nodes written from their first entry to their last.

use super::{HAS_HIGH, HEADER, LONG, Page, SLOT, VALUE_LEN, Value, at, common_prefix, head_of};

/// What a node is but its entries.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NodeHead<'a> {
    pub(crate) stamp: u64,
    pub(crate) level: u8,
    pub(crate) low: &'a [u8],
    /// The upper bound and the next node, if there is one.
    pub(crate) high: Option<(&'a [u8], Page)>,
}

/// A node to which entries are appended.
#[derive(Debug)]
pub(crate) struct NodeBuilder<'b> {
    bytes: &'b mut [u8],
    count: usize,
    prefix_len: usize,
    slots_end: usize,
    heap: usize,
}

impl<'b> NodeBuilder<'b> {
    /// Makes the page a node without entries.
    ///
    /// # Panics
    /// Where the bounds do not fit in the page ([`bounds_fit`]).
    pub(crate) fn begin(bytes: &'b mut [u8], head: &NodeHead<'_>) -> NodeBuilder<'b> {
        let high = head.high.map(|(high, _)| high);
        // Of a node without an upper bound, keys may begin with anything.
        let prefix_len = high.map_or(0, |high| common_prefix(head.low, high));
        bytes[..HEADER].fill(0);
        put_u64(bytes, at::STAMP, head.stamp);
        put_u64(bytes, at::NEXT, head.high.map_or(0, |(_, next)| next));
        bytes[at::LEVEL] = head.level;
        bytes[at::FLAGS] = if high.is_some() { HAS_HIGH } else { 0 };
        let low_suffix = &head.low[prefix_len..];
        let high_suffix = high.map_or(&[][..], |high| &high[prefix_len..]);
        put_u16(bytes, at::PREFIX, prefix_len);
        put_u16(bytes, at::LOW, low_suffix.len());
        put_u16(bytes, at::HIGH, high_suffix.len());
        let mut end = HEADER;
        for part in [&head.low[..prefix_len], low_suffix, high_suffix] {
            bytes[end..end + part.len()].copy_from_slice(part);
            end += part.len();
        }
        let heap = bytes.len();
        put_u32(bytes, at::HEAP, heap);
        NodeBuilder { bytes, count: 0, prefix_len, slots_end: end, heap }
    }

    /// Appends an entry, if it fits; its key is after all others and within the bounds. In damaged nodes
    /// there are keys without the prefix: they do not fit.
    pub(crate) fn push(&mut self, key: &[u8], value: Value<'_>) -> bool {
        let suffix = key.strip_prefix(&self.bytes[HEADER..HEADER + self.prefix_len]);
        suffix.is_some_and(|suffix| self.push_suffix(suffix, value))
    }

    /// The same, of a key without the prefix.
    pub(super) fn push_suffix(&mut self, suffix: &[u8], value: Value<'_>) -> bool {
        let bytes = VALUE_LEN + suffix.len() + value.len();
        if self.heap - self.slots_end < bytes + SLOT {
            return false;
        }
        self.heap -= bytes;
        write_entry(self.bytes, self.heap, suffix, value);
        write_slot(self.bytes, self.slots_end, self.heap, suffix);
        self.slots_end += SLOT;
        self.count += 1;
        put_u16(self.bytes, at::COUNT, self.count);
        put_u32(self.bytes, at::HEAP, self.heap);
        true
    }
}

/// Whether a node may have these bounds. Within [`super::Limits`], and in order, they do; those of damaged
/// nodes may be neither.
pub(crate) fn bounds_fit(low: &[u8], high: Option<&[u8]>, page_len: usize) -> bool {
    high.is_none_or(|high| low < high) && HEADER + low.len() + high.map_or(0, <[u8]>::len) <= page_len
}

/// Bytes that an entry takes with its slot, its key without a prefix.
pub(crate) fn entry_bytes(key: usize, value: usize) -> usize {
    SLOT + VALUE_LEN + key + value
}

pub(super) fn write_slot(bytes: &mut [u8], at: usize, offset: usize, suffix: &[u8]) {
    put_u16(bytes, at, offset);
    put_u16(bytes, at + 2, suffix.len());
    bytes[at + 4..at + 8].copy_from_slice(&head_of(suffix).to_le_bytes());
}

pub(super) fn write_entry(bytes: &mut [u8], at: usize, suffix: &[u8], value: Value<'_>) {
    let key = at + VALUE_LEN;
    let end = key + suffix.len();
    bytes[key..end].copy_from_slice(suffix);
    write_value(bytes, at, end, value);
}

/// Writes a value and its length.
pub(super) fn write_value(bytes: &mut [u8], len_at: usize, at: usize, value: Value<'_>) {
    match value {
        Value::Inline(value) => {
            put_u16(bytes, len_at, value.len());
            bytes[at..at + value.len()].copy_from_slice(value);
        }
        Value::Long(long) => {
            put_u16(bytes, len_at, usize::from(LONG));
            let packed = long.pack();
            bytes[at..at + packed.len()].copy_from_slice(&packed);
        }
    }
}

pub(super) fn put_u16(bytes: &mut [u8], at: usize, value: usize) {
    debug_assert!(value <= usize::from(u16::MAX));
    bytes[at..at + 2].copy_from_slice(&(value as u16).to_le_bytes());
}

pub(super) fn put_u32(bytes: &mut [u8], at: usize, value: usize) {
    bytes[at..at + 4].copy_from_slice(&(value as u32).to_le_bytes());
}

pub(super) fn put_u64(bytes: &mut [u8], at: usize, value: u64) {
    bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
}
