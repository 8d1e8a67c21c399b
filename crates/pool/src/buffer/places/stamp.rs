//! What a page says of itself on the device: the 24 bytes at its end.
//!
//! ```text
//! page_bytes - 24   8 bytes  number of the write, from 1: each page that is written gets the next one
//! page_bytes - 16   8 bytes  version of the page: the number it got when it was written, and which it keeps
//!                            when cleaning moves it
//! page_bytes -  8   8 bytes  checksum and page, as any page has them
//! ```
//!
//! So no write is needed that says where pages are, and pages that are moved never pass for newer ones.

use super::layout::Place;
use crate::buffer::checksum;
use crate::policy::Page;

/// Bytes at the end of a page that are not its user's.
pub(crate) const STAMP: usize = 16 + checksum::TRAILER;

/// The number under which a list of discarded pages is written.
pub(crate) const RECORD: Page = u32::MAX as Page;

/// Numbers of writes and versions are smaller: no device lives long enough for more, and what may be added to
/// them does not overflow.
pub(crate) const NUMBERS: u64 = 1 << 62;

/// The place that a write goes to, and its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ticket {
    pub(crate) place: Place,
    pub(crate) write: u64,
    pub(crate) version: u64,
}

/// A page as it is found in a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) page: Page,
    pub(crate) write: u64,
    pub(crate) version: u64,
}

impl Ticket {
    /// Writes the stamp, without the checksum.
    pub(crate) fn stamp(&self, bytes: &mut [u8]) {
        let at = bytes.len() - STAMP;
        bytes[at..at + 8].copy_from_slice(&self.write.to_le_bytes());
        bytes[at + 8..at + 16].copy_from_slice(&self.version.to_le_bytes());
    }
}

/// Whether a page was written: zeros were not.
pub(crate) fn is_stamped(bytes: &[u8]) -> bool {
    bytes[bytes.len() - STAMP..].iter().take(8).any(|byte| *byte != 0)
}

/// Whether a page has the number of this write.
pub(crate) fn is_write(bytes: &[u8], write: u64) -> bool {
    bytes[bytes.len() - STAMP..].starts_with(&write.to_le_bytes())
}

impl Found {
    /// `None` where there is no page, or part of one.
    pub(crate) fn in_bytes(bytes: &[u8]) -> Option<Found> {
        Found::said_by(bytes).filter(|found| checksum::verify(bytes, found.page).is_ok())
    }

    /// What the end of a page says, whether or not its checksum fits.
    pub(crate) fn said_by(bytes: &[u8]) -> Option<Found> {
        let number = |at: usize| {
            let bytes = bytes.get(at..at + 8)?.try_into().ok()?;
            Some(u64::from_le_bytes(bytes))
        };
        let at = bytes.len().checked_sub(STAMP)?;
        let page = number(at + 16)? >> 32;
        let found = Found { page, write: number(at)?, version: number(at + 8)? };
        (found.write > 0 && found.write.max(found.version) < NUMBERS).then_some(found)
    }
}
