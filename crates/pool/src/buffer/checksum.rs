//! The last 8 bytes of a page, where pages carry a checksum.
//!
//! ```text
//! page_bytes - 8   4 bytes  CRC-32 (IEEE 802.3) of the bytes before, then of the page's number (8 bytes)
//! page_bytes - 4   4 bytes  the low half of the page's number
//! ```
//!
//! Little-endian. The number is in the sum, so that a page which was written to or read from the wrong place
//! does not pass. A page of zeros throughout was never written, and passes.

use std::fmt;

use crate::policy::Page;

/// Bytes of a page that hold the sum.
pub(crate) const TRAILER: usize = 8;

/// What is wrong with a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Damage {
    /// The sum does not fit: torn, or bits changed.
    Sum,
    /// The sum would fit another page, with this low half of its number.
    Misplaced(u32),
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Damage::Sum => f.write_str("its checksum does not fit (torn or changed)"),
            Damage::Misplaced(number) => {
                write!(f, "it holds page {number} (written to or read from the wrong place)")
            }
        }
    }
}

/// The checksum of all but the trailer, for a page of this number.
fn sum(bytes: &[u8], page: Page) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(bytes);
    hasher.update(&page.to_le_bytes());
    hasher.finalize()
}

/// Writes the trailer.
pub(crate) fn seal(bytes: &mut [u8], page: Page) {
    let (content, trailer) = bytes.split_at_mut(bytes.len() - TRAILER);
    trailer[..4].copy_from_slice(&sum(content, page).to_le_bytes());
    trailer[4..].copy_from_slice(&(page as u32).to_le_bytes());
}

/// The sum in the trailer.
pub(crate) fn stored(bytes: &[u8]) -> u32 {
    let at = bytes.len() - TRAILER;
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// Checks the trailer.
pub(crate) fn verify(bytes: &[u8], page: Page) -> Result<(), Damage> {
    let (content, trailer) = bytes.split_at(bytes.len() - TRAILER);
    let half =
        |at: usize| u32::from_le_bytes([trailer[at], trailer[at + 1], trailer[at + 2], trailer[at + 3]]);
    let (stored, number) = (half(0), half(4));
    if number == page as u32 && stored == sum(content, page) {
        return Ok(());
    }
    if stored == 0 && number == 0 && content.iter().all(|byte| *byte == 0) {
        return Ok(());
    }
    let other = page & !0xFFFF_FFFF | Page::from(number);
    if other != page && stored == sum(content, other) {
        return Err(Damage::Misplaced(number));
    }
    Err(Damage::Sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_is_seen() {
        let mut page: Vec<u8> = (0..4096).map(|i| (i * 7) as u8).collect();
        seal(&mut page, 5);
        assert_eq!(verify(&page, 5), Ok(()));
        for bit in 0..4096 * 8 {
            page[bit / 8] ^= 1 << (bit % 8);
            assert!(verify(&page, 5).is_err(), "bit {bit}");
            page[bit / 8] ^= 1 << (bit % 8);
        }
    }

    #[test]
    fn a_page_of_another_number_is_named() {
        let mut page = vec![1; 4096];
        seal(&mut page, 5);
        assert_eq!(verify(&page, 6), Err(Damage::Misplaced(5)));
        assert_eq!(verify(&page, 5 + (1 << 32)), Err(Damage::Sum));
    }

    #[test]
    fn zeros_pass_and_zeros_with_anything_else_do_not() {
        let mut page = vec![0; 4096];
        for number in [0, 1, 1 << 35] {
            assert_eq!(verify(&page, number), Ok(()));
        }
        // Half of a page that had been written, over zeros.
        seal(&mut page, 9);
        page[4092..].fill(0);
        assert!(verify(&page, 9).is_err());
    }
}
