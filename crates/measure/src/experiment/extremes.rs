//! The largest requests and concurrencies of the experiments, as far as a plan must know them.

use crate::load::Region;

/// Bytes per request of the background of `pressure` and `tail`: the least with which a fast drive reaches
/// its full bandwidth within the 127 requests that may be in flight.
pub(super) const BACKGROUND_BYTES: u32 = 16 << 10;

/// The sizes of `unaligned` are multiples of this: the largest block that its target may have, bytes.
pub(super) const UNALIGNED_STEP: u32 = 1 << 10;

/// The largest size of `unaligned`, bytes.
pub(super) const UNALIGNED_LARGEST: u32 = 64 << 10;

/// Bytes per request of `gc`, and how many of them are in flight: those of the paper.
pub(super) const GC_BYTES: u32 = 16 << 10;
pub(super) const GC_IN_FLIGHT: u32 = 256;

/// The smallest region of `buffer`, bytes: smaller buffers are not found.
pub(super) const SMALLEST_BUFFER: u64 = 256 << 10;

/// Bytes per request of what `read-disturb` reads between two reads of its page: some of a drive's pages, so
/// that it takes few requests, and each is a jump all the same.
pub(super) const EVICTED_BLOCK: u32 = 64 << 10;

/// Bytes per sequential write of `sustained`: large enough for any drive's full bandwidth with a few in
/// flight.
pub(super) const SUSTAINED_BYTES: u32 = 128 << 10;

/// Bytes per request of `durable-writes`: a page of InnoDB.
pub(super) const DATABASE_PAGE: u32 = 16 << 10;

/// Most writers of `fsync`.
pub(super) const MOST_WRITERS: u32 = 16;

/// Most reads of `channels`, at once and in flight.
pub(super) const CHANNELS_IN_FLIGHT: u32 = 256;

/// Bytes per request of `interleaving`.
pub(super) const INTERLEAVING_SIZES: [u32; 7] =
    [4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10];

/// Most requests in flight of `interleaving`, and the fewest of one size that the region must hold: each has
/// a place of its own then.
pub(super) const INTERLEAVING_CONCURRENCY: u32 = 256;

/// The sizes of `interleaving` of which the region holds enough, ascending.
pub(super) fn interleaving_sizes(region: Region) -> Vec<u32> {
    let holds = |size: u32| region.len / u64::from(size);
    INTERLEAVING_SIZES
        .into_iter()
        .filter(|&size| holds(size) >= u64::from(INTERLEAVING_CONCURRENCY))
        .collect()
}
