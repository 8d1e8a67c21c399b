//! Pages written out of place: where they are, and where they go. Without I/O, which is in
//! [`out_of_place`](super::out_of_place).
//!
//! | file | concept |
//! | --- | --- |
//! | `options`, `layout` | how, and where everything is on the device |
//! | `superblock` | which page map is in force |
//! | `stamp`, `record` | what pages and lists of changes say of themselves |
//! | `map` | where each page is |
//! | `segments` | which places are free, needed, and worth cleaning |

pub(super) mod layout;
pub(super) mod map;
mod options;
pub(super) mod record;
pub(super) mod segments;
pub(super) mod stamp;
pub(super) mod superblock;

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::sync::{Mutex, MutexGuard, PoisonError};

use self::layout::Layout;
use self::map::PlaceMap;
use self::segments::{Segments, Writer};
use self::superblock::Superblock;
use crate::policy::Page;

pub use self::options::OutOfPlace;

/// The superblock in force.
#[derive(Debug)]
pub(super) struct InForce {
    pub(super) superblock: Superblock,
    /// A place where it is.
    pub(super) turn: usize,
    /// Another one, or part of one, may be at the other place: writing failed, or was interrupted.
    pub(super) doubtful: bool,
}

/// Where the pages of a device are. Locks are taken in the order `checkpoint`, `cleaning`, `superblock`,
/// segments.
#[derive(Debug)]
pub(crate) struct Places {
    pub(super) layout: Layout,
    pub(super) map: PlaceMap,
    segments: Mutex<Segments>,
    superblock: Mutex<InForce>,
    cleaning: Mutex<()>,
    checkpoint: Mutex<()>,
    /// Checkpoints under way. Relaxed: a write that sees one too few or too many gets its place a little
    /// sooner or later.
    pub(super) checkpoints: AtomicU32,
    /// Whether segments are trimmed; false once the device has said that it cannot.
    pub(super) trims: AtomicBool,
    /// A page of zeros.
    pub(super) zeros: Box<[u8]>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Places {
    pub(super) fn new(
        layout: Layout,
        map: PlaceMap,
        segments: Segments,
        superblock: InForce,
        trims: bool,
    ) -> Places {
        let zeros = vec![0; layout.page_bytes as usize].into();
        let (segments, superblock) = (Mutex::new(segments), Mutex::new(superblock));
        let checkpoints = AtomicU32::new(0);
        let (cleaning, trims) = (Mutex::default(), AtomicBool::new(trims));
        Places {
            layout,
            map,
            segments,
            superblock,
            cleaning,
            checkpoint: Mutex::default(),
            checkpoints,
            trims,
            zeros,
        }
    }

    pub(super) fn segments(&self) -> MutexGuard<'_, Segments> {
        lock(&self.segments)
    }

    pub(super) fn superblock(&self) -> MutexGuard<'_, InForce> {
        lock(&self.superblock)
    }

    /// One cleans at a time.
    pub(super) fn cleaning(&self) -> MutexGuard<'_, ()> {
        lock(&self.cleaning)
    }

    /// One checkpoint at a time.
    pub(super) fn checkpoint(&self) -> MutexGuard<'_, ()> {
        lock(&self.checkpoint)
    }

    /// Who writes users' pages: a checkpoint while one is under way.
    pub(super) fn user(&self) -> Writer {
        if self.checkpoints.load(Relaxed) > 0 { Writer::Checkpoint } else { Writer::User }
    }

    /// The byte at which a page is; `None` where it is zeros.
    #[inline]
    pub(super) fn offset(&self, page: Page) -> Option<u64> {
        let place = self.map.get(page)?;
        Some(self.layout.device_page(place) * u64::from(self.layout.page_bytes))
    }
}
