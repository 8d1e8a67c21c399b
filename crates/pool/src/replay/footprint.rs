//! Which pages a trace touches, and where each is in the file: one after the other, in the order of their
//! numbers.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};

use leadline_trace::{Access, Pages, Request, Trace, TraceError, Unit};

use super::{ReplayError, Watch};
use crate::ConfigError;

/// Operations between two looks at whether to stop.
const LOOK_EVERY: u64 = 1 << 14;

/// The pages that a trace touches.
///
/// Takes memory in proportion to the pages: next to nothing where their numbers have no gaps, else about 30
/// to 50 bytes per page; up to twice that while it is made.
#[derive(Debug)]
pub struct Footprint {
    numbering: Numbering,
    operations: u64,
}

#[derive(Debug)]
enum Numbering {
    /// Pages `first` to `first + pages - 1`, all of them.
    Run { first: u64, pages: u32 },
    /// Any, ascending, and the place of each.
    Listed { pages: Box<[u64]>, places: HashMap<u64, u32, PageHash> },
}

impl Footprint {
    /// Reads a trace to its end, or `limit` operations of it, in constant memory except for the pages.
    ///
    /// # Errors
    /// [`ReplayError::Trace`] where it cannot be read, [`ReplayError::Empty`] where it holds nothing,
    /// [`ReplayError::Config`] where it touches 2^32 pages or more, [`ReplayError::Cancelled`].
    pub fn of(
        trace: &mut dyn Trace,
        page_bytes: u32,
        limit: Option<u64>,
        watch: &mut Watch<'_>,
    ) -> Result<Footprint, ReplayError> {
        let mut seen: HashSet<u64, PageHash> = HashSet::default();
        let mut operations = 0;
        let most = limit.unwrap_or(u64::MAX);
        let share = AtomicU64::new(0);
        let mut accesses = Pages::new(MeteredTrace { trace, share: &share, countdown: 1 }, page_bytes);
        while operations < most {
            let Some(Access { page, .. }) = accesses.next()? else { break };
            seen.insert(page);
            operations += 1;
            if operations.is_multiple_of(LOOK_EVERY) {
                let of_limit = limit.map_or(0.0, |limit| operations as f64 / limit as f64);
                watch.look(of_limit.max(f64::from_bits(share.load(Ordering::Relaxed))))?;
            }
        }
        if operations == 0 {
            return Err(ReplayError::Empty);
        }
        Ok(Footprint { numbering: Numbering::new(seen)?, operations })
    }

    /// Pages, each once.
    pub fn pages(&self) -> u32 {
        match &self.numbering {
            Numbering::Run { pages, .. } => *pages,
            Numbering::Listed { pages, .. } => pages.len() as u32,
        }
    }

    /// Operations that were read, each an access to one page.
    pub fn operations(&self) -> u64 {
        self.operations
    }

    /// Where a page lies, in pages; `None` where the trace did not touch it.
    #[inline]
    pub(super) fn place(&self, page: u64) -> Option<u32> {
        match &self.numbering {
            Numbering::Run { first, pages } => {
                page.checked_sub(*first).filter(|place| *place < u64::from(*pages)).map(|place| place as u32)
            }
            Numbering::Listed { places, .. } => places.get(&page).copied(),
        }
    }

    /// The page that is there.
    #[inline]
    pub(super) fn page(&self, place: u32) -> u64 {
        match &self.numbering {
            Numbering::Run { first, .. } => first + u64::from(place),
            Numbering::Listed { pages, .. } => pages[place as usize],
        }
    }
}

impl Numbering {
    fn new(seen: HashSet<u64, PageHash>) -> Result<Numbering, ReplayError> {
        let Ok(count) = u32::try_from(seen.len()) else {
            return Err(ConfigError::TooManyPages { pages: seen.len() as u64 }.into());
        };
        let (first, last) = (seen.iter().min().copied(), seen.iter().max().copied());
        let (first, last) = (first.unwrap_or(0), last.unwrap_or(0));
        if last - first == u64::from(count) - 1 {
            return Ok(Numbering::Run { first, pages: count });
        }
        let mut pages: Box<[u64]> = seen.into_iter().collect();
        pages.sort_unstable();
        let places = pages.iter().zip(0..).map(|(&page, place)| (page, place)).collect();
        Ok(Numbering::Listed { pages, places })
    }
}

type PageHash = BuildHasherDefault<PageHasher>;

/// Hashes one number, quickly: page numbers need no protection from attacks (the finaliser of splitmix64).
#[derive(Debug, Default)]
struct PageHasher(u64);

impl Hasher for PageHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        let mut x = self.0 ^ number;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        self.0 = x ^ (x >> 31);
    }
}

/// A trace that tells how far it was read.
struct MeteredTrace<'a> {
    trace: &'a mut dyn Trace,
    /// The bits of a number from 0 to 1.
    share: &'a AtomicU64,
    countdown: u64,
}

impl Trace for MeteredTrace<'_> {
    fn unit(&self) -> Unit {
        self.trace.unit()
    }

    fn next(&mut self) -> Result<Option<Request>, TraceError> {
        self.countdown -= 1;
        if self.countdown == 0 {
            self.countdown = LOOK_EVERY;
            self.share.store(self.trace.progress().unwrap_or(0.0).to_bits(), Ordering::Relaxed);
        }
        self.trace.next()
    }
}

impl Watch<'_> {
    /// Shows how far it is, and says whether to stop.
    pub(super) fn look(&mut self, done: f64) -> Result<(), ReplayError> {
        (self.progress)(done);
        if self.cancel.load(Ordering::Relaxed) { Err(ReplayError::Cancelled) } else { Ok(()) }
    }
}
