//! How a pool is made.

use std::sync::Arc;

use leadline_device::{Device, Geometry};
use leadline_model::{DeviceProfile, Parameters, Pattern};

use super::error::PoolError;
use super::{checksum, double_write, state, table};
use crate::ace::{Ace, Cleaner};
use crate::policy::{Page, PolicyKind};

/// An adaptive n goes no higher, unless it begins there.
const MOST_ADAPTIVE: u32 = 256;

/// How a pool is made. [`PoolConfig::new`] has a default for everything but the sizes.
#[derive(Clone)]
pub struct PoolConfig {
    /// Bytes of a page, a power of two from 4,096 to 65,536.
    pub page_bytes: u32,
    /// Pages held in memory, 1 to 2^26.
    pub frames: u32,
    /// Replacement.
    pub policy: PolicyKind,
    /// Write-back when a victim is dirty.
    pub ace: Ace,
    /// Pages written at once, at least 1; no more than there are frames, whatever is asked for.
    pub n: u32,
    /// Whether `n` is where a search begins that watches the device ([`Adaptive`](crate::Adaptive)) and goes up to 256.
    /// Not with `double_write`: the size of its area is fixed.
    pub adaptive: bool,
    /// Write-back in the background.
    pub cleaner: Cleaner,
    /// The log that must reach the disk before a page does.
    pub wal: Option<Arc<dyn WalHook>>,
    /// Whether the last 8 bytes of a page are a checksum, written with it and verified when it is read.
    pub checksums: bool,
    /// Whether batches are first written to an area at the device's end, so that a page torn by a crash can be put
    /// right when the pool is opened. Needs `checksums`. Every batch then costs two writes a page and a flush.
    pub double_write: bool,
    /// Reads ahead in flight on one lane at most, at least 1.
    pub reads_ahead: u32,
    /// The first page that [`new_page`](super::Pool::new_page) gives out. An engine keeps it across restarts.
    pub next_page: Page,
}

/// The log's side of the WAL rule.
pub trait WalHook: Send + Sync {
    /// Makes the log durable up to and with `lsn`; called once a batch, before its pages go out, unless an earlier call
    /// went as far. Must not call the pool.
    ///
    /// # Errors
    /// Why it could not: no page of the batch is written then.
    fn flush_until(&self, lsn: u64) -> std::io::Result<()>;
}

impl PoolConfig {
    /// LRU, checksums, one page written at a time, nobody in the background, no log.
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
            reads_ahead: 8,
            next_page: 0,
        }
    }

    /// For a measured device: COW-X with as many pages at once as the device writes at once (k_w), and as many reads
    /// ahead as it reads at once (k_r), both for random requests of the measured block size nearest to the page.
    ///
    /// # Errors
    /// [`PoolError::Profile`] where the profile has no k_w for random requests.
    pub fn for_profile(profile: &DeviceProfile, page_bytes: u32, frames: u32) -> Result<Self, PoolError> {
        let distance = |p: &&Parameters| p.block_bytes.max(1).ilog2().abs_diff(page_bytes.max(1).ilog2());
        let random = profile.parameters.iter().filter(|p| p.pattern == Pattern::Random && p.k_w.is_some());
        let Some(nearest) = random.min_by_key(distance) else {
            return Err(PoolError::Profile {
                name: profile.device.name.clone(),
                reason: "it has no k_w of random writes; measure with writes",
            });
        };
        let n = nearest.k_w.unwrap_or(1).max(1);
        let reads_ahead = nearest.k_r.unwrap_or(n).max(1);
        Ok(PoolConfig { ace: Ace::CowX, n, reads_ahead, ..PoolConfig::new(page_bytes, frames) })
    }

    /// Refuses what no pool can be made of.
    pub(crate) fn check(&self, geometry: &Geometry) -> Result<(), PoolError> {
        let refuse = |reason: String| Err(PoolError::Config { reason });
        let PoolConfig { page_bytes, frames, .. } = *self;
        if !page_bytes.is_power_of_two() || !(4096..=65536).contains(&page_bytes) {
            return refuse(format!("page_bytes is {page_bytes}: not a power of two from 4096 to 65536"));
        }
        if page_bytes % geometry.block_bytes != 0 {
            let block = geometry.block_bytes;
            return refuse(format!(
                "page_bytes is {page_bytes}: not a multiple of the device's block, {block}"
            ));
        }
        if !(1..=table::FRAMES).contains(&frames) {
            return refuse(format!("frames is {frames}: not from 1 to {}", table::FRAMES));
        }
        if self.n == 0 || self.reads_ahead == 0 {
            return refuse("n and reads_ahead are at least 1".into());
        }
        if self.double_write && !self.checksums {
            return refuse(
                "double_write needs checksums: only they tell a torn page from a whole one".into(),
            );
        }
        if self.double_write && self.adaptive {
            return refuse(
                "adaptive and double_write exclude each other: n fixes the size of the area".into(),
            );
        }
        if geometry.capacity_bytes < u64::from(page_bytes) {
            let capacity = geometry.capacity_bytes;
            return refuse(format!("the device has {capacity} bytes: less than one page of {page_bytes}"));
        }
        Ok(())
    }

    /// Pages written at once to begin with: no more than there are frames.
    pub(crate) fn batch(&self) -> u32 {
        let listed = if self.double_write { double_write::most_pages(self.page_bytes) } else { 1024 };
        self.n.min(self.frames).min(listed)
    }

    /// Most pages that are ever written at once.
    pub(crate) fn most_at_once(&self) -> u32 {
        if self.adaptive { self.frames.min(MOST_ADAPTIVE).max(self.batch()) } else { self.batch() }
    }

    /// Bytes of a page that belong to its user.
    pub(crate) fn page_len(&self) -> usize {
        self.page_bytes as usize - if self.checksums { checksum::TRAILER } else { 0 }
    }

    /// Pages that the device holds, the double-write area included.
    pub(crate) fn device_pages(&self, device: &dyn Device) -> Page {
        (device.geometry().capacity_bytes / u64::from(self.page_bytes)).min(state::PAGES)
    }
}

#[cfg(test)]
mod tests {
    use leadline_model::Capped;

    use super::*;

    fn parameters(pattern: Pattern, block_bytes: u32, k_r: Option<u32>, k_w: Option<u32>) -> Parameters {
        Parameters {
            pattern,
            block_bytes,
            alpha: None,
            alpha_ci: None,
            alpha_1: None,
            alpha_1_ci: None,
            alpha_durable: None,
            alpha_durable_ci: None,
            alpha_1_durable: None,
            alpha_1_durable_ci: None,
            k_r,
            k_r_ci: None,
            k_r_little: None,
            k_r_knee: None,
            k_w,
            k_w_ci: None,
            k_w_little: None,
            k_w_knee: None,
            max_read_iops: None,
            max_read_iops_ci: None,
            max_write_iops: None,
            max_write_iops_ci: None,
            max_durable_write_iops: None,
            capped: Capped::Unknown,
            censored: Default::default(),
            extra: Default::default(),
        }
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
        profile.parameters.truncate(1);
        profile.device.name = "nvme7".into();
        let error = PoolConfig::for_profile(&profile, 4096, 100).err().expect("no random writes").to_string();
        assert!(error.contains("nvme7") && error.contains("k_w"), "{error}");
    }
}
