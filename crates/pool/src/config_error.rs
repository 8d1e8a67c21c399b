//! What can be wrong with a configuration, of a pool, a simulation or a replay.

use crate::policy::Page;

/// A configuration that no pool can be made of: the field, its value, and what it may be.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The size of a page.
    #[error("page size: {page_bytes}: must be a power of two from {least} to {most}")]
    PageBytes {
        /// Bytes asked for.
        page_bytes: u32,
        /// Fewest possible.
        least: u32,
        /// Most possible.
        most: u32,
    },
    /// A page that is not made of whole blocks, or does not begin with one.
    #[error("page size: {page_bytes}: not a multiple of the device's block, {block_bytes} bytes")]
    Alignment {
        /// Bytes asked for.
        page_bytes: u32,
        /// Bytes of the device's block.
        block_bytes: u32,
    },
    /// The number of frames.
    #[error("frames: {frames}: must be from 1 to {most}")]
    Frames {
        /// Frames asked for.
        frames: u32,
        /// Most possible.
        most: u32,
    },
    /// No page would ever be written.
    #[error("n: 0: at least 1 page is written at once")]
    NoBatch,
    /// No page would ever be read ahead.
    #[error("reads_ahead: 0: at least 1 page is read ahead at once")]
    NoReadsAhead,
    /// A cleaner that never writes.
    #[error("cleaner: 0: a cleaner has at least 1 write in flight; or turn it off")]
    IdleCleaner,
    /// The number of clients.
    #[error("clients: {clients}: must be from 1 to {most}")]
    Clients {
        /// Clients asked for.
        clients: u32,
        /// Most possible.
        most: u32,
    },
    /// More clients than frames.
    #[error("clients: {clients}: each needs a frame of its own, and the pool has {frames}")]
    ClientsWithoutFrames {
        /// Clients asked for.
        clients: u32,
        /// Frames of the pool.
        frames: u32,
    },
    /// More requests in flight than a queue pair takes.
    #[error("{clients} clients with {n} pages each are {depth} requests in flight; a device takes {most}")]
    TooManyInFlight {
        /// Clients asked for.
        clients: u32,
        /// Pages each of them writes at once.
        n: u32,
        /// Requests that could be in flight.
        depth: u64,
        /// Most possible.
        most: u64,
    },
    /// A cache of that many bytes with what only pages of one size have.
    #[error("cache_bytes: is simulated for one client, without a device, and with ACE and cleaner off")]
    ObjectCache,
    /// A cache of that many bytes with a policy that needs to know how many objects fit.
    #[error(
        "policy: {policy}: works with shares of a number of frames, which a cache of bytes does not have; \
         choose from {growing}"
    )]
    ObjectPolicy {
        /// The policy asked for.
        policy: &'static str,
        /// The policies that can.
        growing: String,
    },
    /// A double-write area without checksums.
    #[error("double_write needs checksums: only they tell a torn page from a whole one")]
    DoubleWriteWithoutChecksums,
    /// A double-write area and a batch size that changes.
    #[error("adaptive and double_write exclude each other: n fixes the size of the area")]
    DoubleWriteAdaptive,
    /// A device that has no room for the double-write area and one more page.
    #[error("the device has {pages} pages: too few for a double-write area of {area}")]
    DoubleWriteTooLarge {
        /// Pages of the device.
        pages: Page,
        /// Pages of the area.
        area: Page,
    },
    /// A double-write area that was made for batches of another size.
    #[error(
        "n: {asked} pages at once (no more than frames): the device's double-write area was made for {made_for}; \
         open the pool with n = {made_for}"
    )]
    DoubleWriteBatch {
        /// Pages written at once by the pool that made the area.
        made_for: u32,
        /// Pages asked for.
        asked: u32,
    },
    /// Pages written out of place without checksums.
    #[error("out_of_place needs checksums: only they tell a torn page from a whole one")]
    OutOfPlaceWithoutChecksums,
    /// Pages written out of place, and in place.
    #[error("out_of_place and double_write exclude each other: no write out of place tears a page")]
    OutOfPlaceDoubleWrite,
    /// Segments of a size that cannot be.
    #[error("segment_bytes: {segment_bytes}: must be at least 4 pages, and whole pages of {page_bytes}")]
    SegmentBytes {
        /// Bytes asked for.
        segment_bytes: u32,
        /// Bytes of a page.
        page_bytes: u32,
    },
    /// A share that cannot be.
    #[error("spare: {spare}: must be from 0.02 to 0.9")]
    Spare {
        /// The share asked for.
        spare: f64,
    },
    /// A device that has no room for segments to clean.
    #[error(
        "the device has {capacity_bytes} bytes: too few for segments of {segment_bytes}; make them smaller"
    )]
    TooFewSegments {
        /// Bytes of the device.
        capacity_bytes: u64,
        /// Bytes of a segment.
        segment_bytes: u32,
    },
    /// A device with segments of another size.
    #[error("segment_bytes: {asked}: the device has segments of {laid_out}; open it with these")]
    OtherSegmentBytes {
        /// Bytes asked for.
        asked: u64,
        /// Bytes of a segment on the device.
        laid_out: u64,
    },
    /// A device that had another size.
    #[error(
        "the device has {capacity_bytes} bytes, and had another size when it was made for pages written out of \
         place (segments of {laid_out} bytes in all); open all of it, and no more"
    )]
    OtherCapacity {
        /// Bytes of the device.
        capacity_bytes: u64,
        /// Bytes of all segments.
        laid_out: u64,
    },
    /// A device whose pages were written out of place by another version.
    #[error("the device's pages were written out of place in format {version}: this version reads format 1")]
    PlacesVersion {
        /// The format.
        version: u32,
    },
    /// A device that holds something else.
    #[error(
        "the device is not empty, and its pages were not written out of place: open it without out_of_place, or \
         clear it first"
    )]
    NotOutOfPlace,
    /// A device that is smaller than a page.
    #[error("the device has {capacity_bytes} bytes: less than one page of {page_bytes}")]
    DeviceTooSmall {
        /// Bytes of the device.
        capacity_bytes: u64,
        /// Bytes of a page.
        page_bytes: u32,
    },
    /// A device that has no room for all pages of a trace.
    #[error("{pages} pages of {page_bytes} bytes need {bytes} bytes, and there is room for {room}")]
    NoRoom {
        /// Pages of the trace.
        pages: u32,
        /// Bytes of a page.
        page_bytes: u32,
        /// Bytes of all pages.
        bytes: u64,
        /// Bytes that the device has room for.
        room: u64,
    },
    /// A simulated device keeps no data.
    #[error("the device is simulated: simulate the pool too")]
    SimulatedDevice,
    /// The device is open for reading only.
    #[error("the device is open for reading only")]
    ReadOnlyDevice,
    /// Pages of another size were laid out.
    #[error("page size: {page_bytes}: {laid_out} were laid out")]
    OtherPageBytes {
        /// Bytes asked for.
        page_bytes: u32,
        /// Bytes of the pages on the device.
        laid_out: u32,
    },
    /// A trace that touches too many pages.
    #[error("the trace touches {pages} pages: at most 2^32 - 1 are replayed")]
    TooManyPages {
        /// Pages of the trace.
        pages: u64,
    },
}

/// Refuses pages that are not a power of two of bytes from `least` to `most`.
pub(crate) fn check_page_bytes(page_bytes: u32, least: u32, most: u32) -> Result<(), ConfigError> {
    match page_bytes.is_power_of_two() && (least..=most).contains(&page_bytes) {
        true => Ok(()),
        false => Err(ConfigError::PageBytes { page_bytes, least, most }),
    }
}
