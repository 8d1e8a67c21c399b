//! Changes of a node.

use super::build::{
    bounds_fit, entry_bytes, put_u16, put_u32, put_u64, write_entry, write_slot, write_value,
};
use super::{
    BadNode, LongValue, Node, NodeBuilder, NodeHead, Page, SLOT, VALUE_LEN, Value, at, separator, u16_at,
};

/// A node that is changed.
#[derive(Debug)]
pub(crate) struct NodeMut<'a> {
    bytes: &'a mut [u8],
}

/// What came of an entry that was to be put into a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Put {
    /// A key that was not there.
    New,
    /// The key's value was replaced; the old one had pages of its own.
    Replaced(Option<LongValue>),
    /// The node has no room. Nothing changed.
    Full,
}

impl<'a> NodeMut<'a> {
    pub(crate) fn new(bytes: &'a mut [u8]) -> Result<NodeMut<'a>, BadNode> {
        Node::new(bytes)?;
        Ok(NodeMut { bytes })
    }

    pub(crate) fn node(&self) -> Result<Node<'_>, BadNode> {
        Node::new(self.bytes)
    }

    pub(crate) fn set_stamp(&mut self, stamp: u64) {
        put_u64(self.bytes, at::STAMP, stamp);
    }

    /// Puts an entry into its place. The key is within the node's bounds.
    pub(crate) fn put(&mut self, key: &[u8], value: Value<'_>) -> Result<Put, BadNode> {
        let node = self.node()?;
        let found = node.search(key)?;
        let suffix_len = key.len() - node.prefix_len;
        match found {
            Ok(entry) => {
                let slot = node.slot(entry)?;
                let old = node.value(entry)?;
                let (long, old) = (old.long(), old.len());
                if value.len() == old {
                    write_value(self.bytes, slot.offset, slot.offset + VALUE_LEN + slot.key_len, value);
                    return Ok(Put::Replaced(long));
                }
                let needed = entry_bytes(suffix_len, value.len());
                if node.room()? + entry_bytes(slot.key_len, old) < needed {
                    return Ok(Put::Full);
                }
                self.remove(entry)?;
                self.insert(entry, key, value)?;
                Ok(Put::Replaced(long))
            }
            Err(_) if node.room()? < entry_bytes(suffix_len, value.len()) => Ok(Put::Full),
            Err(place) => {
                self.insert(place, key, value)?;
                Ok(Put::New)
            }
        }
    }

    /// Takes an entry out.
    pub(crate) fn remove(&mut self, entry: usize) -> Result<(), BadNode> {
        let node = self.node()?;
        let (count, slots_end, heap, offset) =
            (node.count, node.slots_end(), node.heap, node.slot(entry)?.offset);
        let (bytes, slot) = (node.entry_bytes(entry)?, node.slots() + entry * SLOT);
        let gone = u16_at(self.bytes, at::GONE)?;
        self.bytes.copy_within(slot + SLOT..slots_end, slot);
        put_u16(self.bytes, at::COUNT, count - 1);
        if offset == heap {
            put_u32(self.bytes, at::HEAP, heap + bytes);
        } else {
            put_u16(self.bytes, at::GONE, (gone + bytes).min(usize::from(u16::MAX)));
        }
        Ok(())
    }

    /// Inserts an entry for which there is room.
    fn insert(&mut self, place: usize, key: &[u8], value: Value<'_>) -> Result<(), BadNode> {
        let node = self.node()?;
        let suffix = &key[node.prefix_len..];
        let bytes = VALUE_LEN + suffix.len() + value.len();
        if node.heap - node.slots_end() < bytes + SLOT {
            self.compact()?;
        }
        let node = self.node()?;
        let (count, slots_end, slot) = (node.count, node.slots_end(), node.slots() + place * SLOT);
        let heap = node.heap.checked_sub(bytes).filter(|heap| *heap >= slots_end + SLOT).ok_or(BadNode)?;
        self.bytes.copy_within(slot..slots_end, slot + SLOT);
        write_entry(self.bytes, heap, suffix, value);
        write_slot(self.bytes, slot, heap, suffix);
        put_u16(self.bytes, at::COUNT, count + 1);
        put_u32(self.bytes, at::HEAP, heap);
        Ok(())
    }

    /// Closes the gaps between entries.
    fn compact(&mut self) -> Result<(), BadNode> {
        let old = self.bytes.to_vec();
        let node = Node::new(&old)?;
        let (mut heap, slots) = (self.bytes.len(), node.slots());
        for entry in 0..node.count {
            let (offset, bytes) = (node.slot(entry)?.offset, node.entry_bytes(entry)?);
            heap = heap.checked_sub(bytes).filter(|heap| *heap >= node.slots_end()).ok_or(BadNode)?;
            self.bytes[heap..heap + bytes].copy_from_slice(&old[offset..offset + bytes]);
            put_u16(self.bytes, slots + entry * SLOT, heap);
        }
        put_u32(self.bytes, at::HEAP, heap);
        put_u16(self.bytes, at::GONE, 0);
        Ok(())
    }
}

impl Node<'_> {
    /// Bytes for entries and their slots, after entries that are gone make room.
    fn room(&self) -> Result<usize, BadNode> {
        Ok(self.heap - self.slots_end() + u16_at(self.bytes, at::GONE)?)
    }

    /// Where to divide a node that has no room for an entry of `key`: the first entry of the right half.
    fn divide(&self, key: &[u8]) -> Result<usize, BadNode> {
        let is_last = self.next().is_none() && self.search(key)? == Err(self.count);
        // The bound may take as many bytes as the key.
        if is_last && self.room()? >= key.len() {
            // Keys come in order: nodes behind stay full.
            return Ok(self.count);
        }
        let mut all = 0;
        for entry in 0..self.count {
            all += self.entry_bytes(entry)? + SLOT;
        }
        let (mut left, mut at) = (0, 0);
        while at + 1 < self.count && left < all / 2 {
            left += self.entry_bytes(at)? + SLOT;
            at += 1;
        }
        Ok(at)
    }
}

/// Moves the upper half of a node to a new one, which comes behind it, to make room for `key`: the new node's
/// lower bound.
pub(crate) fn split(
    left: &mut [u8],
    right: &mut [u8],
    right_page: Page,
    key: &[u8],
    stamp: u64,
) -> Result<Vec<u8>, BadNode> {
    let old = left.to_vec();
    let node = Node::new(&old)?;
    let at = node.divide(key)?;
    if node.count < 2 {
        return Err(BadNode);
    }
    let bound = match node.is_leaf() {
        true => {
            let next = if at < node.count { node.key(at)? } else { key.to_vec() };
            separator(&node.key(at - 1)?, &next).to_vec()
        }
        // The child's lower bound.
        false if at < node.count => node.key(at)?,
        false => key.to_vec(),
    };
    let (low, high) = (node.low(), node.high());
    let high = high.as_deref().zip(node.next());
    if !bounds_fit(&low, Some(&bound), old.len()) || !bounds_fit(&bound, high.map(|high| high.0), old.len()) {
        return Err(BadNode);
    }
    let level = node.level();
    let mut scratch = Vec::new();
    let mut fill = |bytes: &mut [u8], head: &NodeHead<'_>, entries: std::ops::Range<usize>| {
        let mut builder = NodeBuilder::begin(bytes, head);
        for entry in entries {
            scratch.clear();
            node.put_key(entry, &mut scratch)?;
            if !builder.push(&scratch, node.value(entry)?) {
                return Err(BadNode);
            }
        }
        Ok(())
    };
    fill(right, &NodeHead { stamp, level, low: &bound, high }, at..node.count)?;
    fill(left, &NodeHead { stamp, level, low: &low, high: Some((&bound, right_page)) }, 0..at)?;
    Ok(bound)
}
