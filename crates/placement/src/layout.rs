//! Where the files of a capture lie on a device.

use leadline_tiers::Placement;

use crate::Captured;

/// Files begin at multiples of this.
const ALIGNMENT: u64 = 1 << 20;

/// Where each file of a capture begins on the device, bytes.
pub type Layout = [u64];

/// Files one after the other from address 0 on; and where the last one ends.
pub fn side_by_side(captured: &Captured) -> (Vec<u64>, u64) {
    let mut end = 0;
    let starts = captured.files.iter().map(|file| {
        let start = end;
        end += file.bytes.next_multiple_of(ALIGNMENT);
        start
    });
    (starts.collect(), end)
}

/// The same on a device made of two: files whose names `placement` has are on its fast part while there is
/// room for them whole, the others on its slow part; and where the last one there ends.
pub fn placed(captured: &Captured, placement: &Placement) -> (Vec<u64>, u64) {
    let (mut slow, mut fast) = (0, 0);
    let starts = captured.files.iter().map(|file| {
        let bytes = file.bytes.next_multiple_of(ALIGNMENT);
        if placement.is_fast(&file.name) && fast + file.bytes <= placement.fast_bytes {
            fast += bytes;
            return placement.border_bytes + fast - bytes;
        }
        slow += bytes;
        slow - bytes
    });
    (starts.collect(), slow)
}
