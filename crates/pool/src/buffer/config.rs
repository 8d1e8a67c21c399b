//! How a pool is made.

use std::fmt;
use std::sync::Arc;

use leadline_device::{Device, Geometry, QueueShape};
use leadline_profile::{DeviceProfile, Parameters, Pattern};

use super::error::PoolError;
use super::places::{OutOfPlace, stamp};
use super::{checksum, double_write, hit_log, state};
use crate::ace::{Ace, Cleaner};
use crate::config_error::{ConfigError, check_page_bytes};
use crate::policy::{Page, PolicyKind};
use crate::setters::setters;

/// An adaptive n goes no higher, unless it begins there.
const MOST_ADAPTIVE: u32 = 256;

/// Most pages written at once, and most read ahead on one I/O queue, whatever is asked for.
const MOST_AT_ONCE: u32 = 1024;

/// Bytes in flight, at least, where pages get new places, and pages at least.
const MOVED_BYTES: u32 = 1 << 20;
const MOVED_PAGES: u32 = 16;

/// Most bytes of a request where pages are neighbours on the device: what drives and the kernel take whole.
const RUN_BYTES: u32 = 128 << 10;

/// How a pool is made. [`PoolConfig::new`] has a default for everything but the sizes.
#[derive(Clone)]
#[non_exhaustive]
pub struct PoolConfig {
    /// Bytes of a page, a power of two from 4,096 to 65,536.
    pub page_bytes: u32,
    /// Pages held in memory, 1 to 2^26.
    pub frames: u32,
    /// Replacement.
    pub policy: PolicyKind,
    /// Write-back when a victim is dirty.
    pub ace: Ace,
    /// Pages written at once, at least 1; no more than there are frames, and no more than 1,024 (with
    /// `double_write` and pages of 4 KiB 338), whatever is asked for.
    pub n: u32,
    /// Whether `n` is where a search begins that watches the device ([`BatchSearch`](crate::BatchSearch)) and
    /// goes up to 256. Not with `double_write`: the size of its area is fixed.
    pub adaptive: bool,
    /// Write-back in the background.
    pub cleaner: Cleaner,
    /// The log that must reach the disk before a page does.
    pub wal: Option<Arc<dyn WalHook>>,
    /// Whether the last 8 bytes of a page are a checksum, written with it and verified when it is read.
    pub checksums: bool,
    /// Whether batches are first written to an area at the device's end, so that a page torn by a crash can
    /// be put right when the pool is opened. Needs `checksums`. Every batch then costs two writes per page
    /// and a flush. `n` must stay what it was when the area was first used.
    pub double_write: bool,
    /// Whether pages get a new place whenever they are written, and how. Needs `checksums`, and excludes
    /// `double_write`: no write tears what is durable.
    pub out_of_place: Option<OutOfPlace>,
    /// Reads ahead in flight on one I/O queue at most, at least 1; no more than 1,024, whatever is asked for.
    pub reads_ahead: u32,
    /// Frames, half of them at most, that no page comes into until one cannot be written. From then on until
    /// writing goes well only pages that are read come into them, and clean pages cannot be changed: a device
    /// that is full stays readable, though every other frame may be dirty.
    pub kept_for_readers: u32,
    /// Whether pages are changed in memory only, as far as the frames hold them: nothing is written, and the
    /// device may be open for reading only.
    pub changes_in_memory: bool,
    /// The first page that [`new_page`](super::Pool::new_page) gives out. An engine keeps it across restarts.
    pub next_page: Page,
}

/// The log's side of the WAL rule.
pub trait WalHook: Send + Sync {
    /// Makes the log durable up to and with `lsn`; called once per batch, before its pages go out, unless an
    /// earlier call went as far. Must not call the pool.
    ///
    /// # Errors
    /// Why it could not: no page of the batch is written then.
    fn flush_until(&self, lsn: u64) -> std::io::Result<()>;
}

impl PoolConfig {
    /// LRU, checksums, dirty victims written one at a time, no cleaner, no log.
    pub fn new(page_bytes: u32, frames: u32) -> Self {
        PoolConfig {
            page_bytes,
            frames,
            policy: PolicyKind::Lru,
            ace: Ace::Off,
            n: 1,
            adaptive: false,
            cleaner: Cleaner::Off,
            wal: None,
            checksums: true,
            double_write: false,
            out_of_place: None,
            reads_ahead: 8,
            kept_for_readers: 0,
            changes_in_memory: false,
            next_page: 0,
        }
    }

    setters! {
        /// Sets [`PoolConfig::policy`].
        policy: PolicyKind,
        /// Sets [`PoolConfig::ace`].
        ace: Ace,
        /// Sets [`PoolConfig::n`].
        n: u32,
        /// Sets [`PoolConfig::adaptive`].
        adaptive: bool,
        /// Sets [`PoolConfig::cleaner`].
        cleaner: Cleaner,
        /// Sets [`PoolConfig::checksums`].
        checksums: bool,
        /// Sets [`PoolConfig::double_write`].
        double_write: bool,
        /// Sets [`PoolConfig::reads_ahead`].
        reads_ahead: u32,
        /// Sets [`PoolConfig::kept_for_readers`].
        kept_for_readers: u32,
        /// Sets [`PoolConfig::changes_in_memory`].
        changes_in_memory: bool,
        /// Sets [`PoolConfig::next_page`].
        next_page: Page,
    }

    /// Sets [`PoolConfig::out_of_place`].
    #[must_use]
    pub fn out_of_place(mut self, out_of_place: OutOfPlace) -> Self {
        self.out_of_place = Some(out_of_place);
        self
    }

    /// Sets [`PoolConfig::wal`].
    #[must_use]
    pub fn wal(mut self, wal: Arc<dyn WalHook>) -> Self {
        self.wal = Some(wal);
        self
    }

    /// For a measured device: COW-X with as many pages at once as give 90 % of its random writes (k_w_90),
    /// and as many reads ahead as give 90 % of its random reads (k_r_90), both of the measured block size
    /// nearest to the page. A profile older than these numbers gives k_w and k_r instead.
    ///
    /// # Errors
    /// [`PoolError::NoWriteConcurrency`] where the profile has neither k_w_90 nor k_w of random requests.
    pub fn for_profile(profile: &DeviceProfile, page_bytes: u32, frames: u32) -> Result<Self, PoolError> {
        let distance = |p: &&Parameters| p.block_bytes.max(1).ilog2().abs_diff(page_bytes.max(1).ilog2());
        let random = profile.parameters.iter().filter(|p| p.pattern == Pattern::Random);
        let nearest = random.filter(|p| p.advised_writes().is_some()).min_by_key(distance);
        let Some((nearest, n)) = nearest.and_then(|p| Some((p, p.advised_writes()?.max(1)))) else {
            return Err(PoolError::NoWriteConcurrency { name: profile.device.name.clone() });
        };
        let reads_ahead = nearest.advised_reads().unwrap_or(n).max(1);
        Ok(PoolConfig::new(page_bytes, frames).ace(Ace::CowX).n(n).reads_ahead(reads_ahead))
    }

    /// Refuses a configuration that no pool can be made of.
    pub(crate) fn check(&self, geometry: &Geometry) -> Result<(), ConfigError> {
        let PoolConfig { page_bytes, frames, .. } = *self;
        let Geometry { block_bytes, capacity_bytes, .. } = *geometry;
        check_page_bytes(page_bytes, 4096, 65_536)?;
        let refused = match () {
            () if page_bytes % block_bytes != 0 => ConfigError::Alignment { page_bytes, block_bytes },
            () if !(1..=hit_log::FRAMES).contains(&frames) => {
                ConfigError::Frames { frames, most: hit_log::FRAMES }
            }
            () if self.n == 0 => ConfigError::NoBatch,
            () if self.reads_ahead == 0 => ConfigError::NoReadsAhead,
            () if self.double_write && !self.checksums => ConfigError::DoubleWriteWithoutChecksums,
            () if self.double_write && self.adaptive => ConfigError::DoubleWriteAdaptive,
            () if self.out_of_place.is_some() && !self.checksums => ConfigError::OutOfPlaceWithoutChecksums,
            () if self.out_of_place.is_some() && self.double_write => ConfigError::OutOfPlaceDoubleWrite,
            () if capacity_bytes < u64::from(page_bytes) => {
                ConfigError::DeviceTooSmall { capacity_bytes, page_bytes }
            }
            () => return Ok(()),
        };
        Err(refused)
    }

    /// Pages written at once to begin with: no more than there are frames.
    pub(crate) fn batch(&self) -> u32 {
        let listed = if self.double_write { double_write::most_pages(self.page_bytes) } else { MOST_AT_ONCE };
        self.n.min(self.frames).min(listed).min(MOST_AT_ONCE)
    }

    /// Frames that are kept for readers.
    pub(crate) fn kept_frames(&self) -> u32 {
        self.kept_for_readers.min(self.frames / 2)
    }

    /// Reads ahead in flight on one I/O queue at most.
    pub(crate) fn most_ahead(&self) -> u32 {
        self.reads_ahead.min(MOST_AT_ONCE)
    }

    /// The requests that one I/O queue has in flight at most, and their buffers.
    pub(crate) fn queue_shape(&self) -> QueueShape {
        // A batch; twice and its list where it goes to the double-write area first.
        let writes = match self.double_write {
            true => 2 * self.batch() + 1,
            false if self.out_of_place.is_some() => self.pages_at_once(),
            false => self.most_at_once(),
        };
        // Beside them one page that was asked for, one that is read again because it was moved, and one
        // flush.
        let small = QueueShape::new(self.most_ahead() + writes + 3, self.page_bytes);
        let Some(options) = self.out_of_place else { return small };
        // Cleaning reads and writes half of this each. Where a segment ends, a run does; a victim's end may
        // be one more.
        let segment_pages = (options.segment_bytes / self.page_bytes).max(1);
        let ends = self.most_together().div_ceil(segment_pages) + 2;
        let large = 2 * self.most_together().div_ceil(self.run_pages()) + ends;
        QueueShape { depth: small.depth + large, ..small.large(large, self.run_pages() * self.page_bytes) }
    }

    /// Single pages past the frames that are read or written at once where pages get new places.
    pub(crate) fn pages_at_once(&self) -> u32 {
        self.run_pages().max(MOVED_PAGES)
    }

    /// Most pages of one request, where they are neighbours: 1 where pages are written in place.
    pub(crate) fn run_pages(&self) -> u32 {
        let most = (RUN_BYTES / self.page_bytes).max(1);
        self.out_of_place.map_or(1, |options| most.min((options.segment_bytes / self.page_bytes).max(1)))
    }

    /// Pages in flight where they get new places: half of them are read and half are written by cleaning, and
    /// all are written by whoever writes batch after batch.
    pub(crate) fn moved_at_once(&self) -> u32 {
        (2 * self.most_at_once()).max(MOVED_BYTES / self.page_bytes).max(MOVED_PAGES)
    }

    /// Most pages that are sent together.
    pub(crate) fn most_together(&self) -> u32 {
        if self.out_of_place.is_some() { self.moved_at_once() / 2 } else { self.most_at_once() }
    }

    /// Most pages that are ever written at once.
    pub(crate) fn most_at_once(&self) -> u32 {
        if self.adaptive { self.frames.min(MOST_ADAPTIVE).max(self.batch()) } else { self.batch() }
    }

    /// Bytes of a page that belong to its user.
    pub(crate) fn page_len(&self) -> usize {
        self.page_bytes as usize
            - match (self.checksums, self.out_of_place) {
                (_, Some(_)) => stamp::STAMP,
                (true, None) => checksum::TRAILER,
                (false, None) => 0,
            }
    }

    /// Pages that the device holds, the double-write area included.
    pub(crate) fn device_pages(&self, device: &dyn Device) -> Page {
        (device.geometry().capacity_bytes / u64::from(self.page_bytes)).min(state::PAGES)
    }
}

impl fmt::Debug for PoolConfig {
    /// All but the log, of which only is said whether there is one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PoolConfig")
            .field("page_bytes", &self.page_bytes)
            .field("frames", &self.frames)
            .field("policy", &self.policy)
            .field("ace", &self.ace)
            .field("n", &self.n)
            .field("adaptive", &self.adaptive)
            .field("cleaner", &self.cleaner)
            .field("wal", &self.wal.is_some())
            .field("checksums", &self.checksums)
            .field("double_write", &self.double_write)
            .field("out_of_place", &self.out_of_place)
            .field("reads_ahead", &self.reads_ahead)
            .field("kept_for_readers", &self.kept_for_readers)
            .field("changes_in_memory", &self.changes_in_memory)
            .field("next_page", &self.next_page)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters(pattern: Pattern, block_bytes: u32, k_r: Option<u32>, k_w: Option<u32>) -> Parameters {
        Parameters { k_r, k_w, ..Parameters::new(pattern, block_bytes) }
    }

    #[test]
    fn a_profile_gives_n_and_reads_ahead_of_the_nearest_block() {
        let all = vec![
            parameters(Pattern::Sequential, 8192, Some(1), Some(1)),
            parameters(Pattern::Random, 4096, Some(80), Some(8)),
            parameters(Pattern::Random, 65_536, Some(20), Some(4)),
            parameters(Pattern::Random, 32_768, Some(30), None),
        ];
        let mut profile = DeviceProfile { parameters: all, ..DeviceProfile::default() };
        for (page_bytes, n, reads_ahead) in [(4096, 8, 80), (8192, 8, 80), (32_768, 4, 20), (65_536, 4, 20)] {
            let config = PoolConfig::for_profile(&profile, page_bytes, 100).expect("it has both");
            assert_eq!((config.n, config.reads_ahead, config.ace), (n, reads_ahead, Ace::CowX));
        }
        (profile.parameters[1].k_r_90, profile.parameters[1].k_w_90) = (Some(50), Some(6));
        let config = PoolConfig::for_profile(&profile, 4096, 100).expect("it has both");
        assert_eq!((config.n, config.reads_ahead), (6, 50), "the numbers at 90 % are for advice");
        profile.parameters.truncate(1);
        profile.device.name = "nvme7".into();
        let error = PoolConfig::for_profile(&profile, 4096, 100).expect_err("no random writes").to_string();
        assert!(error.contains("nvme7") && error.contains("k_w"), "{error}");
    }
}
