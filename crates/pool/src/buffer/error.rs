//! What can go wrong in a pool.

use std::{fmt, io};

use leadline_device::{DeviceError, error_in_words};

use super::checksum::Damage;
use crate::config_error::ConfigError;
use crate::policy::Page;

/// Why the pool could not. Pages whose write failed stay in memory, dirty, and are written again later.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PoolError {
    /// A configuration no pool can be made of.
    #[error("pool: {0}")]
    Config(#[from] ConfigError),
    /// A profile without the write concurrency of random requests.
    #[error("profile of {name}: it has no k_w of random writes; measure with writes")]
    NoWriteConcurrency {
        /// The device's name in the profile.
        name: String,
    },
    /// A page that the device does not have.
    #[error(
        "page {page} lies beyond the device: it has {pages} pages of {page_bytes} bytes ({capacity_bytes} bytes)"
    )]
    BeyondDevice {
        /// The page.
        page: Page,
        /// Pages the device has room for.
        pages: Page,
        /// Bytes of a page.
        page_bytes: u32,
        /// Bytes of the device.
        capacity_bytes: u64,
    },
    /// The device is open for reading only.
    #[error("page {page} cannot be changed: the device is open for reading only")]
    ReadOnly {
        /// The page.
        page: Page,
    },
    /// The frames cannot hold all pages that were changed, and nothing is written.
    #[error(
        "the changed pages do not fit in {frames} frames, and nothing is written to the device; make the pool \
         larger"
    )]
    ChangesDoNotFit {
        /// Frames of the pool.
        frames: u32,
    },
    /// Every frame is pinned by a guard.
    #[error(
        "no frame for page {page}: all {frames} are pinned by guards; drop some, or make the pool larger"
    )]
    NoFrame {
        /// The page that was asked for.
        page: Page,
        /// Frames of the pool.
        frames: u32,
    },
    /// The device failed a read or write.
    #[error("{op} of page {page} failed: {}", error_in_words(.source))]
    Io {
        /// What was done with the page.
        op: PageOp,
        /// The page.
        page: Page,
        /// The device's reason.
        source: io::Error,
    },
    /// The device moved fewer bytes than it was asked to.
    #[error("{op} of page {page} moved {moved} bytes of {page_bytes}")]
    Short {
        /// What was done with the page.
        op: PageOp,
        /// The page.
        page: Page,
        /// Bytes it moved.
        moved: u32,
        /// Bytes of a page.
        page_bytes: u32,
    },
    /// A page whose checksum does not fit.
    #[error("page {page} is corrupt: {damage}; restore it from a backup or the log")]
    Corrupt {
        /// The page.
        page: Page,
        /// What does not fit.
        damage: Damage,
    },
    /// The log could not be made durable, so that pages which depend on it were not written.
    #[error("{pages} pages not written: the log could not be made durable up to {lsn}: {source}")]
    Log {
        /// How far it should have been.
        lsn: u64,
        /// Pages of the batch.
        pages: usize,
        /// The log's reason.
        source: io::Error,
    },
    /// The device could not make durable what was written to it.
    #[error(
        "flush of the device failed: {source}; pages written since the last good flush will be written again"
    )]
    Flush {
        /// The device's reason.
        source: io::Error,
    },
    /// A flush failed, and pages written before it are no longer in memory to be written again.
    #[error(
        "not durable: a flush of the device failed after {lost} pages (one is page {page}) were written and had left \
         the pool; recover them from the log, then open the pool again"
    )]
    NotDurable {
        /// Pages whose last write may be lost.
        lost: u64,
        /// One of them.
        page: Page,
    },
    /// No place is free for a page that is written out of place.
    #[error(
        "no room to write more pages: what all {segments} segments hold is needed ({kept} places only until the \
         next checkpoint completes); discard pages, or use a larger device"
    )]
    Full {
        /// Segments of the device.
        segments: u32,
        /// Places that are kept for the last checkpoint.
        kept: u64,
    },
    /// The page map, a superblock or a list of changes could not be written.
    #[error("the page map could not be written, and the one before stays in force: {source}")]
    PageMap {
        /// What the write came to.
        source: Box<PoolError>,
    },
    /// No superblock can be read, or one of a version without copies: to go on from the other could bring
    /// back an older state.
    #[error(
        "the superblock at byte {at} of the device cannot be read: {source}; restore the device from a backup"
    )]
    Superblock {
        /// Where it is.
        at: u64,
        /// What the read came to.
        source: Box<PoolError>,
    },
    /// The page map cannot be read.
    #[error("the page map is corrupt at byte {at} of the device; restore the device from a backup")]
    PageMapCorrupt {
        /// Where on the device.
        at: u64,
    },
    /// The device itself or its queue broke.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The memory for the frames could not be had.
    #[error("{frames} frames of {page_bytes} bytes: {source}")]
    Memory {
        /// Frames asked for.
        frames: u32,
        /// Bytes of a page.
        page_bytes: u32,
        /// The kernel's reason.
        source: io::Error,
    },
}

/// What a request did with a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageOp {
    /// It read the page.
    Read,
    /// It wrote the page.
    Write,
}

impl fmt::Display for PageOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PageOp::Read => "read",
            PageOp::Write => "write",
        })
    }
}

/// Why a request failed, in one word that a frame's header can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The device's errno.
    Errno(i32),
    /// Bytes moved, fewer than a page.
    Short(u32),
    /// The checksum.
    Damaged(Damage),
}

impl Fault {
    /// From the result of a request for `page_bytes`.
    pub(crate) fn of(result: i32, page_bytes: u32) -> Option<Fault> {
        match u32::try_from(result) {
            Ok(moved) if moved == page_bytes => None,
            Ok(moved) => Some(Fault::Short(moved)),
            Err(_) => Some(Fault::Errno(-result)),
        }
    }

    /// What the result of a request for several pages says of page `i` of them.
    pub(crate) fn in_run(result: i32, i: u32, page_bytes: u32) -> Option<Fault> {
        let moved = u32::try_from(result).map(|all| all.saturating_sub(i * page_bytes).min(page_bytes));
        Fault::of(moved.map_or(result, |moved| moved as i32), page_bytes)
    }

    pub(crate) fn pack(self) -> u64 {
        let (kind, value) = match self {
            Fault::Errno(errno) => (0, errno as u32),
            Fault::Short(moved) => (1, moved),
            Fault::Damaged(Damage::Sum) => (2, 0),
            Fault::Damaged(Damage::Misplaced(number)) => (3, number),
        };
        kind << 32 | u64::from(value)
    }

    pub(crate) fn unpack(word: u64) -> Self {
        let value = word as u32;
        match word >> 32 {
            0 => Fault::Errno(value as i32),
            1 => Fault::Short(value),
            2 => Fault::Damaged(Damage::Sum),
            _ => Fault::Damaged(Damage::Misplaced(value)),
        }
    }

    /// As the caller sees it.
    pub(crate) fn error(self, op: PageOp, page: Page, page_bytes: u32) -> PoolError {
        match self {
            Fault::Errno(errno) => PoolError::Io { op, page, source: io::Error::from_raw_os_error(errno) },
            Fault::Short(moved) => PoolError::Short { op, page, moved, page_bytes },
            Fault::Damaged(damage) => PoolError::Corrupt { page, damage },
        }
    }
}
