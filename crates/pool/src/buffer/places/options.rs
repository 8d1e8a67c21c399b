//! How pages are written out of place.

use crate::setters::setters;

/// Pages get a new place whenever they are written: for
/// [`PoolConfig::out_of_place`](crate::PoolConfig::out_of_place).
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct OutOfPlace {
    /// Bytes of a segment, which is written from its beginning to its end and cleaned as a whole: at least 4
    /// pages. A device keeps the size with which it was first opened. With segments no smaller than what a
    /// flash drive erases together, it has next to nothing to move itself.
    pub segment_bytes: u32,
    /// The share of the device's segments that holds no page, from 0.02 to 0.9: with more of it, cleaning
    /// moves fewer pages. Decides how many pages a new device has.
    pub spare: f64,
    /// Whether a crash brings back the state of the last completed
    /// [`Pool::checkpoint`](crate::Pool::checkpoint), exactly, rather than the newest version of each page.
    pub atomic_checkpoints: bool,
    /// Whether segments that hold nothing any more are trimmed, and the device is used only as far as what it
    /// holds needs, with half as much again for cleaning. Without it the whole device is used, which leaves
    /// cleaning less to do.
    pub trim: bool,
}

impl OutOfPlace {
    setters! {
        /// Sets [`OutOfPlace::segment_bytes`].
        segment_bytes: u32,
        /// Sets [`OutOfPlace::spare`].
        spare: f64,
        /// Sets [`OutOfPlace::atomic_checkpoints`].
        atomic_checkpoints: bool,
        /// Sets [`OutOfPlace::trim`].
        trim: bool,
    }
}

impl Default for OutOfPlace {
    /// Segments of 8 MiB, 10 % spare, the newest version of each page, trims.
    fn default() -> Self {
        OutOfPlace { segment_bytes: 8 << 20, spare: 0.1, atomic_checkpoints: false, trim: true }
    }
}
