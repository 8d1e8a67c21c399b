//! Lists of what changed in the page map since the list before, written to segments as pages are. A
//! superblock of an atomic checkpoint names the newest list, and each list the one before it, back to the
//! page map: so a page that was durable and is damaged is known by its number, whatever is left of it.
//!
//! ```text
//!      0   8 bytes  entries, m
//!      8  16 m      for each: page (4), its place and 1, or 0 where it was discarded (4), version (8)
//!                   page 2^32 - 1: the list before, and the number of its write
//!                   stamp and checksum, as a page has them
//! ```

use super::layout::Place;
use super::stamp::{RECORD, STAMP};
use crate::policy::Page;

/// Where a page is from a version on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) page: Page,
    pub(crate) version: u64,
    /// None where it was discarded.
    pub(crate) place: Option<Place>,
}

/// A list on the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ListAt {
    pub(crate) place: Place,
    pub(crate) write: u64,
}

/// A list, and the one before it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct List {
    pub(crate) before: Option<ListAt>,
    pub(crate) changes: Vec<Change>,
}

/// Changes that one list has room for.
pub(crate) fn most(page_bytes: u32) -> usize {
    (page_bytes as usize - STAMP - 8) / 16 - 1
}

/// A list as a page, without its stamp.
pub(crate) fn encode(changes: &[Change], before: Option<ListAt>, page_bytes: u32) -> Vec<u8> {
    assert!(changes.len() <= most(page_bytes));
    let link = before.map(|at| Change { page: RECORD, version: at.write, place: Some(at.place) });
    let mut bytes = ((changes.len() + usize::from(link.is_some())) as u64).to_le_bytes().to_vec();
    for Change { page, version, place } in link.iter().chain(changes) {
        bytes.extend_from_slice(&(*page as u32).to_le_bytes());
        bytes.extend_from_slice(&place.map_or(0, |place| place + 1).to_le_bytes());
        bytes.extend_from_slice(&version.to_le_bytes());
    }
    bytes.resize(page_bytes as usize, 0);
    bytes
}

/// The list in a page whose checksum is right.
pub(crate) fn decode(bytes: &[u8]) -> List {
    let mut numbers = bytes.chunks_exact(8).map(|number| number.try_into().map_or(0, u64::from_le_bytes));
    let count = (numbers.next().unwrap_or(0) as usize).min(most(bytes.len() as u32) + 1);
    let mut list = List::default();
    for _ in 0..count {
        let (Some(at), Some(version)) = (numbers.next(), numbers.next()) else { break };
        let (page, place) = (at & 0xFFFF_FFFF, ((at >> 32) as Place).checked_sub(1));
        match place {
            Some(place) if page == RECORD => list.before = Some(ListAt { place, write: version }),
            _ => list.changes.push(Change { page, version, place }),
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_list_is_read_as_it_was_written() {
        let change = |i: u64| Change {
            page: i * 7,
            version: i << 40,
            place: (!i.is_multiple_of(3)).then_some(i as u32),
        };
        let changes: Vec<Change> = (0..most(4096) as u64).map(change).collect();
        for before in [None, Some(ListAt { place: 0, write: 1 << 50 })] {
            let bytes = encode(&changes, before, 4096);
            assert_eq!(decode(&bytes), List { before, changes: changes.clone() });
            assert!(bytes[4096 - STAMP..].iter().all(|byte| *byte == 0));
        }
    }
}
