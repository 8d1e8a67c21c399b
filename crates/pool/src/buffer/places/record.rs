//! Lists of discarded pages, written to segments as pages are.
//!
//! ```text
//!      0   8 bytes  pages in the list, m
//!      8  16 m      for each: its number, the version at which it was discarded
//!                   stamp and checksum, as a page has them
//! ```

use super::stamp::STAMP;
use crate::policy::Page;

/// A page that was discarded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Discard {
    pub(crate) page: Page,
    pub(crate) version: u64,
}

/// Discards that one list has room for.
pub(crate) fn most(page_bytes: u32) -> usize {
    (page_bytes as usize - STAMP - 8) / 16
}

/// A list as a page, without its stamp.
pub(crate) fn encode(discards: &[Discard], page_bytes: u32) -> Vec<u8> {
    assert!(discards.len() <= most(page_bytes));
    let mut bytes = (discards.len() as u64).to_le_bytes().to_vec();
    for discard in discards {
        bytes.extend_from_slice(&discard.page.to_le_bytes());
        bytes.extend_from_slice(&discard.version.to_le_bytes());
    }
    bytes.resize(page_bytes as usize, 0);
    bytes
}

/// The list in a page whose checksum is right.
pub(crate) fn decode(bytes: &[u8]) -> Vec<Discard> {
    let mut numbers = bytes.chunks_exact(8).map(|number| number.try_into().map_or(0, u64::from_le_bytes));
    let count = (numbers.next().unwrap_or(0) as usize).min(most(bytes.len() as u32));
    let mut next = || Some(Discard { page: numbers.next()?, version: numbers.next()? });
    (0..count).filter_map(|_| next()).collect()
}
