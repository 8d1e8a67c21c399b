//! A slotted page: rows of any length, each known by its slot for as long as it lives.
//!
//! | bytes | content |
//! | --- | --- |
//! | 0..8 | next page of the heap, 0 at its end |
//! | 8..16 | next page of the free list, 0 at its end |
//! | 16..18 | slots |
//! | 18..20 | first byte used by rows, which lie at the end of the page; 0 stands for the page's end |
//! | 20..22 | rows |
//! | 22..24 | 1 if the page is on the free list |
//! | 24.. | slots, 4 bytes each: first byte and length of the row; both 0 where there is none |

use crate::StoreError;
use crate::bytes::{get_u16, get_u64, put_u16, put_u64};

const NEXT: usize = 0;
const NEXT_FREE: usize = 8;
const SLOTS: usize = 16;
const LOW: usize = 18;
const ROWS: usize = 20;
const ON_FREE_LIST: usize = 22;
const HEADER: usize = 24;
const SLOT: usize = 4;

/// The longest row that a page of this size takes.
pub(super) fn longest_row(page_len: usize) -> usize {
    page_len - HEADER - SLOT
}

/// Rows of `row_bytes` that fit a page.
pub(super) fn rows_a_page(page_len: usize, row_bytes: usize) -> usize {
    (page_len - HEADER) / (row_bytes + SLOT)
}

pub(super) fn next(bytes: &[u8]) -> u64 {
    get_u64(bytes, NEXT)
}

pub(super) fn set_next(bytes: &mut [u8], page: u64) {
    put_u64(bytes, NEXT, page);
}

pub(super) fn next_free(bytes: &[u8]) -> u64 {
    get_u64(bytes, NEXT_FREE)
}

/// Puts the page on the free list before `next_free`.
pub(super) fn put_on_free_list(bytes: &mut [u8], next_free: u64) {
    put_u64(bytes, NEXT_FREE, next_free);
    put_u16(bytes, ON_FREE_LIST, 1);
}

pub(super) fn take_off_free_list(bytes: &mut [u8]) {
    put_u64(bytes, NEXT_FREE, 0);
    put_u16(bytes, ON_FREE_LIST, 0);
}

pub(super) fn is_on_free_list(bytes: &[u8]) -> bool {
    get_u16(bytes, ON_FREE_LIST) != 0
}

pub(super) fn slots(bytes: &[u8]) -> u16 {
    get_u16(bytes, SLOTS)
}

pub(super) fn rows(bytes: &[u8]) -> u16 {
    get_u16(bytes, ROWS)
}

/// Adds a row and returns its slot; `None` where it does not fit.
pub(super) fn insert(bytes: &mut [u8], row: &[u8]) -> Option<u16> {
    let slot = slots(bytes);
    let start = low(bytes).checked_sub(row.len())?;
    if start < HEADER + SLOT * (usize::from(slot) + 1) {
        return None;
    }
    bytes[start..start + row.len()].copy_from_slice(row);
    set_slot(bytes, slot, start, row.len());
    put_u16(bytes, SLOTS, slot + 1);
    put_u16(bytes, LOW, start as u16);
    let rows = rows(bytes) + 1;
    put_u16(bytes, ROWS, rows);
    Some(slot)
}

/// Where the row in `slot` lies; `None` where there is no row. A damaged page never leads out of its bytes.
pub(super) fn row(bytes: &[u8], slot: u16) -> Option<std::ops::Range<usize>> {
    let at = HEADER + SLOT * usize::from(slot);
    if slot >= slots(bytes) || at + SLOT > bytes.len() {
        return None;
    }
    let start = usize::from(get_u16(bytes, at));
    let end = start + usize::from(get_u16(bytes, at + 2));
    (start >= HEADER && end <= bytes.len()).then_some(start..end)
}

/// Removes the row in `slot` and says whether there was one. Its bytes are free again at once where it is the
/// newest of the page, else when the page is empty.
pub(super) fn delete(bytes: &mut [u8], slot: u16) -> bool {
    let Some(row) = row(bytes, slot) else { return false };
    set_slot(bytes, slot, 0, 0);
    let left = rows(bytes).saturating_sub(1);
    put_u16(bytes, ROWS, left);
    if left == 0 {
        put_u16(bytes, SLOTS, 0);
        put_u16(bytes, LOW, 0);
    } else if slot + 1 == slots(bytes) && row.start == low(bytes) {
        put_u16(bytes, SLOTS, slot);
        put_u16(bytes, LOW, (row.end % bytes.len()) as u16);
    }
    true
}

/// Whether the counts of a page read from outside fit its size.
pub(super) fn check(page: u64, bytes: &[u8]) -> Result<(), StoreError> {
    let end = HEADER + SLOT * usize::from(slots(bytes));
    if end <= low(bytes) && low(bytes) <= bytes.len() && rows(bytes) <= slots(bytes) {
        return Ok(());
    }
    Err(StoreError::Damaged { page, what: "is not a page of rows" })
}

fn low(bytes: &[u8]) -> usize {
    match get_u16(bytes, LOW) {
        // 65,536 does not fit: a new page is all zeros and has its rows begin at its end.
        0 => bytes.len(),
        low => usize::from(low),
    }
}

fn set_slot(bytes: &mut [u8], slot: u16, start: usize, len: usize) {
    let at = HEADER + SLOT * usize::from(slot);
    put_u16(bytes, at, start as u16);
    put_u16(bytes, at + 2, len as u16);
}
