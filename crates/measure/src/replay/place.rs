//! Where on the target a request of a trace goes: traces come from larger devices, and count other blocks.

use leadline_trace::{Request, Trace, Unit};

use super::fast::{EXTENT_BYTES, FastExtents};
use crate::load::Region;

/// 2^64 over the golden ratio: its multiples lie as far from one another as can be, modulo 2^64.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The mapping from a trace's addresses to a region of the target.
#[derive(Debug, Clone)]
pub(super) struct Places {
    start: u64,
    /// Whole blocks, at least one.
    len: u64,
    block: u64,
    piece: u64,
    unit_bytes: u64,
    /// Where some files go instead.
    pub(super) fast: Option<FastExtents>,
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
    /// Of a file that belongs on the fast part: its volume, and the address there.
    fast: Option<(u32, u64)>,
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
            fast: None,
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
            fast: None,
        }
    }

    /// The same where some files of the trace go elsewhere; whether this one does, and `None` where it does
    /// not belong there.
    pub(super) fn place_file(&mut self, request: &Request, trace: &dyn Trace) -> (Placed, Option<bool>) {
        let mut placed = self.place(request);
        let begin = u128::from(request.address) * u128::from(self.unit_bytes);
        // Files end before 2^64, as addresses of bytes do.
        let first = u64::try_from(begin).unwrap_or(u64::MAX) / self.block * self.block;
        let Some(fast) = &mut self.fast else { return (placed, None) };
        if !fast.is_for(request.volume, trace) {
            return (placed, None);
        }
        placed.fast = Some((request.volume, first));
        (placed, Some(fast.locate(request.volume, first).is_some()))
    }

    /// Takes the next piece off: where on the device it begins, and how long it is.
    pub(super) fn next_piece(&mut self, placed: &mut Placed) -> (u64, u32) {
        let mut len = placed.left.min(self.piece).min(self.len - placed.at);
        let mut offset = self.start + placed.at;
        if let (Some((volume, address)), Some(fast)) = (&mut placed.fast, &mut self.fast) {
            len = len.min(EXTENT_BYTES - *address % EXTENT_BYTES);
            offset = fast.locate(*volume, *address).unwrap_or(offset);
            *address += len;
        }
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

    fn pieces(places: &mut Places, request: Request) -> Vec<(u64, u32)> {
        let mut placed = places.place(&request);
        let mut pieces = Vec::new();
        while placed.left > 0 {
            pieces.push(places.next_piece(&mut placed));
        }
        pieces
    }

    #[test]
    fn what_fits_goes_where_it_says() {
        let mut bytes = places(1 << 20, Unit::Byte);
        assert_eq!(pieces(&mut bytes, request(0, 8192, 4096)), [((1 << 20) + 8192, 4096)]);
        let placed = bytes.place(&request(0, 8192, 4096));
        assert!(!placed.wrapped && !placed.widened);
        assert_eq!(pieces(&mut places(1 << 20, Unit::Page), request(0, 3, 2)), [((1 << 20) + 24576, 16384)]);
    }

    #[test]
    fn parts_of_blocks_become_whole_and_long_requests_pieces() {
        let mut bytes = places(1 << 20, Unit::Byte);
        assert!(bytes.place(&request(0, 512, 512)).widened);
        assert_eq!(pieces(&mut bytes, request(0, 4095, 2)), [(1 << 20, 8192)]);
        let long = pieces(&mut bytes, request(0, 0, 600 << 10));
        assert_eq!(long.iter().map(|p| p.1 >> 10).collect::<Vec<_>>(), [256, 256, 88]);
    }

    #[test]
    fn beyond_the_end_it_goes_on_at_the_start() {
        let mut bytes = places(64 << 10, Unit::Byte);
        assert_eq!(pieces(&mut bytes, request(0, 64 << 10, 4096)), [(1 << 20, 4096)]);
        assert!(bytes.place(&request(0, 64 << 10, 4096)).wrapped);
        let over = pieces(&mut bytes, request(0, 60 << 10, 8192));
        assert_eq!(over, [((1 << 20) + (60 << 10), 4096), (1 << 20, 4096)]);
    }

    /// Volumes 0 and 1 are called "a" and "b".
    struct Named;

    impl Trace for Named {
        fn unit(&self) -> Unit {
            Unit::Byte
        }

        fn next(&mut self) -> Result<Option<Request>, leadline_trace::TraceError> {
            Ok(None)
        }

        fn volume_name(&self, volume: u32) -> Option<&str> {
            ["t/a.ibd", "t/b.ibd"].get(volume as usize).copied()
        }
    }

    #[test]
    fn files_that_are_named_go_to_the_fast_part_as_far_as_there_is_room() {
        let mut all = places(1 << 30, Unit::Byte);
        let region = Region { start: 2 << 30, len: 2 << 20 };
        let files = vec![glob::Pattern::new("*/a*").unwrap()];
        all.fast = Some(FastExtents::new(super::super::FastPart { region, files }));
        let mut go = |volume, address, length| {
            let (mut placed, fast) = all.place_file(&request(volume, address, length), &Named);
            let mut pieces = Vec::new();
            while placed.left > 0 {
                pieces.push(all.next_piece(&mut placed));
            }
            (fast, pieces)
        };
        // In the order in which they are touched, a mebibyte at a time; longer ones are cut there.
        let mib = 1 << 20;
        assert_eq!(go(0, 5 * mib + 4096, 4096), (Some(true), vec![((2 << 30) + 4096, 4096)]));
        assert_eq!(
            go(0, 4 * mib - 8192, 16384),
            (Some(true), vec![((2 << 30) + 2 * mib - 8192, 8192), ((1 << 20) + 4 * mib, 8192)])
        );
        assert_eq!(go(0, 5 * mib, 4096), (Some(true), vec![(2 << 30, 4096)]));
        assert_eq!(go(0, 4 * mib, 4096), (Some(false), vec![((1 << 20) + 4 * mib, 4096)]));
        // Others, and volumes without names, stay where they were.
        for volume in [1, 2] {
            let (fast, pieces) = go(volume, 5 * mib, 4096);
            assert_eq!((fast, pieces[0].0 < 2 << 30), (None, true));
        }
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
            let mut places = places(blocks * 4096 + 100, if page { Unit::Page } else { Unit::Byte });
            let length = if page { length / 10_000 + 1 } else { length };
            let all = pieces(&mut places, request(volume, address, length));
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
