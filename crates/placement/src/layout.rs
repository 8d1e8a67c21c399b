//! Where the files of a capture are on a device.

use leadline_tiers::Placement;

use crate::Captured;

/// Files begin at multiples of this.
const ALIGNMENT: u64 = 1 << 20;

/// Where each file of a capture begins on the device, bytes.
pub type Layout = [u64];

/// Whole multiples; the most that there is where a file says that it ends behind the last one, which then
/// fits on no device.
fn aligned(bytes: u64) -> u64 {
    bytes.checked_next_multiple_of(ALIGNMENT).unwrap_or(u64::MAX)
}

/// Files one after the other from address 0 on; and where the last one ends.
pub fn side_by_side(captured: &Captured) -> (Vec<u64>, u64) {
    let mut end = 0u64;
    let starts = captured.files.iter().map(|file| {
        let start = end;
        end = end.saturating_add(aligned(file.bytes));
        start
    });
    (starts.collect(), end)
}

/// The same on a device made of two: files whose names `placement` has are on its fast part while there is
/// room for them whole, all other files on its slow part; and where the last one there ends.
pub fn placed(captured: &Captured, placement: &Placement) -> (Vec<u64>, u64) {
    let (mut slow, mut fast) = (0u64, 0u64);
    let starts = captured.files.iter().map(|file| {
        let bytes = aligned(file.bytes);
        let fits = file.bytes <= placement.fast_bytes.saturating_sub(fast);
        if placement.is_fast(&file.name) && fits {
            fast += bytes;
            return placement.border_bytes + fast - bytes;
        }
        let start = slow;
        slow = slow.saturating_add(bytes);
        start
    });
    (starts.collect(), slow)
}
