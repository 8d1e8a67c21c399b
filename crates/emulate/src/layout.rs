//! How the device is divided, and which files go where.

use std::ffi::OsStr;

use leadline_tiers::Placement;

use crate::extents::{Allocator, Zone};

/// The device as files are laid out on it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Layout {
    capacity: u64,
    placement: Option<Placement>,
}

impl Layout {
    /// Of a device with that many bytes, some of them for files that the placement names.
    pub(crate) fn new(capacity: u64, placement: Option<Placement>) -> Layout {
        Layout { capacity, placement }
    }

    /// All of it free.
    pub(crate) fn allocator(&self) -> Allocator {
        match &self.placement {
            Some(placement) => Allocator::new(placement.border_bytes, placement.fast_bytes),
            None => Allocator::new(self.capacity, 0),
        }
    }

    /// Which files lie where, where not all are alike.
    pub(crate) fn placement(&self) -> Option<&Placement> {
        self.placement.as_ref()
    }

    /// Where the blocks of the file with this path, from the root, are to lie.
    pub(crate) fn zone(&self, path: &OsStr) -> Zone {
        match &self.placement {
            Some(placement) if placement.is_fast(&path.to_string_lossy()) => Zone::Fast,
            _ => Zone::Slow,
        }
    }
}
