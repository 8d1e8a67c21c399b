//! A trace on the real pool, on a real device, with its contents verified.
//!
//! [`Footprint::of`] reads the trace once and says how much room its pages need. [`ReplayArea::lay_out`]
//! writes all of them; [`ReplayArea::replay`] runs the trace on a new [`Pool`], any number of times, and
//! [`ReplayArea::verify`] reads every page back. A page carries its number in the trace and a version, which
//! an array in memory counts along; each access looks at both.

mod clients;
mod device_range;
mod error;
mod footprint;
mod outcome;
mod stamp;
mod whole;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::time::Instant;

use leadline_device::{Clock, Device, Geometry};
use leadline_trace::Trace;

use crate::ace::{Ace, Cleaner};
use crate::buffer::checksum;
use crate::config_error::check_page_bytes;
use crate::simulate::Config;
use crate::{ConfigError, Pool, PoolConfig, PoolError};
use device_range::DeviceRange;

pub use error::{ReplayError, ReplayPhase};
pub use footprint::Footprint;
pub use outcome::{Checkpoint, ReplayReport};

/// Fewest reads ahead that an I/O queue of the pool has room for.
const READS_AHEAD: u32 = 8;

/// How a caller watches a replay and ends it.
pub struct Watch<'a> {
    /// Setting it ends what is under way.
    pub cancel: &'a AtomicBool,
    /// Called now and then with the share that is done, 0 to 1.
    pub progress: &'a mut dyn FnMut(f64),
}

/// The pages of a trace, laid out on a device, with what each must hold.
pub struct ReplayArea {
    window: Arc<DeviceRange>,
    /// Where it begins on the device, bytes.
    start: u64,
    footprint: Footprint,
    page_bytes: u32,
    checksums: bool,
    /// How often each page was written, modulo 2^32. Changed only while the page is held.
    versions: Box<[AtomicU32]>,
    /// Whether the device holds just these versions.
    known: bool,
}

impl ReplayArea {
    /// Writes all pages of `footprint` to `device`, from byte `start` on, and overwrites what is there.
    ///
    /// `page_bytes` is a power of two from 4,096 to 65,536 and divides `start`. With `checksums` each page
    /// carries one. Takes 4 bytes of memory a page in addition to the footprint's.
    ///
    /// # Errors
    /// [`ReplayError::Config`] where the device is too small, read-only or simulated, or a number cannot be;
    /// what a write came to; [`ReplayError::Cancelled`].
    pub fn lay_out(
        device: Arc<dyn Device>,
        start: u64,
        footprint: Footprint,
        page_bytes: u32,
        checksums: bool,
        watch: &mut Watch<'_>,
    ) -> Result<ReplayArea, ReplayError> {
        check_device(&*device, start, &footprint, page_bytes)?;
        let bytes = u64::from(footprint.pages()) * u64::from(page_bytes);
        let mut ground = ReplayArea {
            window: Arc::new(DeviceRange::new(device, start, bytes)),
            start,
            versions: (0..footprint.pages()).map(|_| AtomicU32::new(0)).collect(),
            footprint,
            page_bytes,
            checksums,
            known: false,
        };
        ground.write_all(watch)?;
        ground.known = true;
        Ok(ground)
    }

    /// Replays `trace`, the one that the footprint is of, on a new, empty pool; then writes what is dirty and
    /// makes it durable. One thread per client, each of which takes 16 operations at a time, in order: with
    /// one client the pool sees the trace's order. Memory is the pool's, constant in the trace's length.
    ///
    /// Cancelled, it returns what was done so far, not [complete](ReplayReport::complete); after that, and
    /// after an error, the pages are [unknown](ReplayError::Unknown).
    ///
    /// # Errors
    /// [`ReplayError::Config`] where no pool can be made of `config`;
    /// [`ReplayError::Mismatch`] where an access finds a wrong page; what went wrong first in trace or pool.
    pub fn replay(
        &mut self,
        trace: &mut dyn Trace,
        config: &Config,
        watch: &mut Watch<'_>,
    ) -> Result<ReplayReport, ReplayError> {
        check_config(config)?;
        if config.page_bytes != self.page_bytes {
            let (page_bytes, laid_out) = (config.page_bytes, self.page_bytes);
            return Err(ConfigError::OtherPageBytes { page_bytes, laid_out }.into());
        }
        self.check_known()?;
        let device: Arc<dyn Device> = Arc::<DeviceRange>::clone(&self.window);
        let pool = Pool::open(device, self.pool_config(config)).map_err(|error| match error {
            PoolError::Config(error) => ReplayError::Config(error),
            error => self.pool_error(error),
        })?;
        self.known = false;
        let ran = clients::run(self, &pool, trace, config.clients, watch)?;
        let stats = pool.stats();
        let mut replayed = ReplayReport::new(config, self.footprint.pages(), self.checksums, &ran, &stats);
        if ran.complete {
            let began = Instant::now();
            pool.checkpoint().map_err(|error| self.pool_error(error))?;
            let seconds = began.elapsed().as_secs_f64();
            replayed.checkpoint = Some(Checkpoint { writes: pool.stats().writes - stats.writes, seconds });
            self.known = true;
        }
        Ok(replayed)
    }

    /// The pages that it holds.
    pub fn footprint(&self) -> &Footprint {
        &self.footprint
    }

    fn pool_config(&self, config: &Config) -> PoolConfig {
        // The pool has no more writes in flight than n; where clients write one at a time, n is the cleaner's
        // alone.
        let n = match (config.ace, config.cleaner) {
            (Ace::Off, Cleaner::Depth(depth)) => config.n.max(depth),
            _ => config.n,
        };
        PoolConfig::new(self.page_bytes, config.frames)
            .policy(config.policy)
            .ace(config.ace)
            .n(n)
            .cleaner(config.cleaner)
            .checksums(self.checksums)
            .reads_ahead(n.max(READS_AHEAD))
            .adaptive(config.adaptive)
    }

    /// Bytes of a page that are not its checksum.
    fn page_len(&self) -> usize {
        self.page_bytes as usize - if self.checksums { checksum::TRAILER } else { 0 }
    }

    fn check_known(&self) -> Result<(), ReplayError> {
        if self.known { Ok(()) } else { Err(ReplayError::Unknown) }
    }

    /// Whoever holds the page for themselves writes its next version.
    #[inline]
    fn write_next(&self, place: u32, bytes: &mut [u8]) {
        let version = &self.versions[place as usize];
        let next = version.load(Relaxed).wrapping_add(1);
        stamp::put(bytes, self.footprint.page(place), next);
        version.store(next, Relaxed);
    }

    /// Whoever holds the page sees the version that the last who changed it left: the pool's latches order
    /// the two.
    #[inline]
    fn glance(&self, place: u32, bytes: &[u8]) -> Result<(), ReplayError> {
        let version = self.versions[place as usize].load(Relaxed);
        let found = stamp::glance(bytes, self.footprint.page(place), version);
        found.map_err(|found| self.mismatch(place, found))
    }

    fn check_stamps(&self, place: u32, bytes: &[u8]) -> Result<(), ReplayError> {
        let version = self.versions[place as usize].load(Relaxed);
        let found = stamp::check(bytes, self.footprint.page(place), version);
        found.map_err(|found| self.mismatch(place, found))
    }

    fn mismatch(&self, place: u32, found: String) -> ReplayError {
        ReplayError::Mismatch { page: self.footprint.page(place), found }
    }

    fn pool_error(&self, source: PoolError) -> ReplayError {
        let named = match &source {
            PoolError::Io { page, .. }
            | PoolError::Short { page, .. }
            | PoolError::Corrupt { page, .. }
            | PoolError::NoFrame { page, .. }
            | PoolError::NotDurable { page, .. } => Some(*page),
            _ => None,
        };
        let place = named.filter(|&place| place < u64::from(self.footprint.pages()));
        let both = place.map(|place| (place, self.footprint.page(place as u32)));
        ReplayError::Pool { source, place_and_page: both.filter(|(place, page)| place != page) }
    }
}

/// Finds what is wrong with the pool before anything is laid out.
///
/// # Errors
/// [`ConfigError`] names the field.
pub fn check_config(config: &Config) -> Result<(), ConfigError> {
    config.check()?;
    if config.clients > config.frames {
        let (clients, frames) = (config.clients, config.frames);
        return Err(ConfigError::ClientsWithoutFrames { clients, frames });
    }
    check_page_bytes(config.page_bytes, 4096, 65_536)
}

fn check_device(
    device: &dyn Device,
    start: u64,
    footprint: &Footprint,
    page_bytes: u32,
) -> Result<(), ConfigError> {
    check_page_bytes(page_bytes, 4096, 65_536)?;
    let Geometry { block_bytes, capacity_bytes, writable, .. } = device.geometry();
    if device.clock() == Clock::Virtual {
        return Err(ConfigError::SimulatedDevice);
    }
    if !writable {
        return Err(ConfigError::ReadOnlyDevice);
    }
    if !page_bytes.is_multiple_of(block_bytes) || !start.is_multiple_of(u64::from(page_bytes)) {
        return Err(ConfigError::Alignment { page_bytes, block_bytes });
    }
    let pages = footprint.pages();
    let bytes = u64::from(pages) * u64::from(page_bytes);
    let room = capacity_bytes.saturating_sub(start);
    if bytes > room {
        return Err(ConfigError::NoRoom { pages, page_bytes, bytes, room });
    }
    Ok(())
}
