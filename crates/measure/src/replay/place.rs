//! Where on the target a request of a trace goes: traces come from larger devices, and count other blocks.

use leadline_trace::{Request, Unit};

use crate::load::Region;

/// 2^64 over the golden ratio: its multiples lie as far from one another as can be, modulo 2^64.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The mapping from a trace's addresses to a region of the target.
#[derive(Debug, Clone, Copy)]
pub(super) struct Places {
    start: u64,
    /// Whole blocks, at least one.
    len: u64,
    block: u64,
    piece: u64,
    unit_bytes: u64,
}

/// A request on the target, or what is left of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Placed {
    /// From the region's start, a multiple of the block.
    at: u64,
    /// Bytes, a multiple of the block.
    pub(super) left: u64,
    /// Whether it lay or ended beyond the region.
    pub(super) wrapped: bool,
    /// Whether it began or ended within a block.
    pub(super) widened: bool,
}

impl Places {
    /// `region` must hold a block; `piece` is the longest request, a multiple of the block.
    pub(super) fn new(region: Region, block_bytes: u32, piece: u32, unit: Unit, page_bytes: u32) -> Self {
        let block = u64::from(block_bytes);
        Places {
            start: region.start,
            len: region.len / block * block,
            block,
            piece: u64::from(piece),
            unit_bytes: if unit == Unit::Page { u64::from(page_bytes) } else { 1 },
        }
    }

    /// Outward to whole blocks, then modulo the region. Volumes begin at places of their own, far from one
    /// another.
    pub(super) fn place(&self, request: &Request) -> Placed {
        let (block, unit) = (u128::from(self.block), u128::from(self.unit_bytes));
        let begin = u128::from(request.address) * unit;
        let end = begin + u128::from(request.length.max(1)) * unit;
        let (first, last) = (begin / block * block, end.div_ceil(block) * block);
        let apart = (u128::from(GOLDEN.wrapping_mul(u64::from(request.volume))) * u128::from(self.len)) >> 64;
        Placed {
            at: ((first + apart / block * block) % u128::from(self.len)) as u64,
            left: (last - first) as u64,
            wrapped: last > u128::from(self.len),
            widened: (first, last) != (begin, end),
        }
    }

    /// Takes the next piece off: where on the device it begins, and how long it is.
    pub(super) fn next_piece(&self, placed: &mut Placed) -> (u64, u32) {
        let len = placed.left.min(self.piece).min(self.len - placed.at);
        let offset = self.start + placed.at;
        placed.left -= len;
        placed.at = (placed.at + len) % self.len;
        (offset, len as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn places(len: u64, unit: Unit) -> Places {
        Places::new(Region { start: 1 << 20, len }, 4096, 256 << 10, unit, 8192)
    }

    fn request(volume: u32, address: u64, length: u32) -> Request {
        Request { at_ns: 0, volume, write: false, address, length }
    }

    fn pieces(places: &Places, request: Request) -> Vec<(u64, u32)> {
        let mut placed = places.place(&request);
        let mut pieces = Vec::new();
        while placed.left > 0 {
            pieces.push(places.next_piece(&mut placed));
        }
        pieces
    }

    #[test]
    fn what_fits_goes_where_it_says() {
        let bytes = places(1 << 20, Unit::Byte);
        assert_eq!(pieces(&bytes, request(0, 8192, 4096)), [((1 << 20) + 8192, 4096)]);
        let placed = bytes.place(&request(0, 8192, 4096));
        assert!(!placed.wrapped && !placed.widened);
        assert_eq!(pieces(&places(1 << 20, Unit::Page), request(0, 3, 2)), [((1 << 20) + 24576, 16384)]);
    }

    #[test]
    fn parts_of_blocks_become_whole_and_long_requests_pieces() {
        let bytes = places(1 << 20, Unit::Byte);
        assert!(bytes.place(&request(0, 512, 512)).widened);
        assert_eq!(pieces(&bytes, request(0, 4095, 2)), [(1 << 20, 8192)]);
        let long = pieces(&bytes, request(0, 0, 600 << 10));
        assert_eq!(long.iter().map(|p| p.1 >> 10).collect::<Vec<_>>(), [256, 256, 88]);
    }

    #[test]
    fn beyond_the_end_it_goes_on_at_the_start() {
        let bytes = places(64 << 10, Unit::Byte);
        assert_eq!(pieces(&bytes, request(0, 64 << 10, 4096)), [(1 << 20, 4096)]);
        assert!(bytes.place(&request(0, 64 << 10, 4096)).wrapped);
        let over = pieces(&bytes, request(0, 60 << 10, 8192));
        assert_eq!(over, [((1 << 20) + (60 << 10), 4096), (1 << 20, 4096)]);
    }

    #[test]
    fn volumes_do_not_lie_on_one_another() {
        let bytes = places(1 << 30, Unit::Byte);
        let mut starts: Vec<u64> = (0..16).map(|volume| bytes.place(&request(volume, 0, 4096)).at).collect();
        assert_eq!(starts[0], 0);
        starts.sort_unstable();
        assert!(starts.windows(2).all(|w| w[1] - w[0] > (1 << 30) / 64), "{starts:?}");
    }

    proptest! {
        #[test]
        fn every_piece_is_one_the_device_takes(
            blocks in 1..100u64, volume in any::<u32>(), address in any::<u64>(), length in 1..3_000_000u32, page in any::<bool>(),
        ) {
            let places = places(blocks * 4096 + 100, if page { Unit::Page } else { Unit::Byte });
            let length = if page { length / 10_000 + 1 } else { length };
            let all = pieces(&places, request(volume, address, length));
            for &(offset, len) in &all {
                prop_assert!(len > 0 && len % 4096 == 0 && len <= 256 << 10 && offset % 4096 == 0);
                prop_assert!(offset >= 1 << 20 && offset + u64::from(len) <= (1 << 20) + blocks * 4096);
            }
            let bytes = u128::from(length) * if page { 8192 } else { 1 };
            let moved: u128 = all.iter().map(|p| u128::from(p.1)).sum();
            prop_assert!(moved >= bytes && moved < bytes + 2 * 4096);
        }
    }
}
