//! What a pool and its cleaner share.

use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use leadline_device::Device;

use super::batch_size::BatchSize;
use super::cleaner_control::CleanerControl;
use super::config::PoolConfig;
use super::double_write::DoubleWrite;
use super::durability::Durability;
use super::error::PoolError;
use super::frames::{Frames, WriteBack};
use super::hit_log::HitLog;
use super::io_queue::{IoQueueGuard, IoQueues};
use super::places::Places;
use super::replacer::Replacer;
use super::stats::Counters;
use super::table::Table;
use crate::policy::{Frame, Page, Policy};

/// All of a pool but its cleaner's thread.
pub(crate) struct Core {
    pub(crate) config: PoolConfig,
    /// Pages that users may ask for.
    pub(crate) pages: Page,
    /// Whether pages are written to the device.
    pub(crate) writable: bool,
    /// Whether clean pages may become dirty.
    pub(crate) may_change: AtomicBool,
    /// Held by who makes it so.
    pub(super) regaining: Mutex<()>,
    pub(crate) capacity_bytes: u64,
    pub(crate) frames: Frames,
    pub(crate) table: Table,
    pub(crate) hits: HitLog,
    pub(super) replacer: Mutex<Replacer>,
    pub(crate) io_queues: IoQueues,
    pub(crate) counters: Counters,
    pub(crate) durability: Durability,
    pub(crate) cleaning: CleanerControl,
    pub(crate) batch_size: BatchSize,
    pub(crate) double_write: Option<DoubleWrite>,
    /// Where pages are that are written out of place.
    pub(crate) places: Option<Places>,
    /// The page that is given out next. Relaxed: each step gives a number to one thread alone.
    pub(crate) next_page: AtomicU64,
    /// The log is durable up to here. Only ever raised, after the log has said so; who sees an older number
    /// asks the log once more.
    pub(crate) log_durable: AtomicU64,
}

/// How many writes a thread keeps in flight, and how many it sends together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WritesInFlight {
    pub(crate) most: u32,
    pub(crate) together: u32,
}

impl WritesInFlight {
    /// How many more may be sent now.
    pub(crate) fn room(&self, writing: u32) -> u32 {
        let room = self.most.saturating_sub(writing);
        match self.together {
            1 => room,
            together if room < together => 0,
            together => together,
        }
    }

    /// How many requests to wait for, before more are sent.
    pub(crate) fn wait_for(&self, writing: u32) -> u32 {
        let excess = (writing + self.together).saturating_sub(self.most);
        if self.together == 1 { excess.max(1) } else { excess.min(1) }
    }
}

impl Core {
    pub(crate) fn new(device: Arc<dyn Device>, config: PoolConfig) -> Result<Core, PoolError> {
        Core::with_policy(device, config, |config| config.policy.build(config.frames))
    }

    /// With the policy that `build` makes instead of the configured one.
    pub(crate) fn with_policy(
        device: Arc<dyn Device>,
        config: PoolConfig,
        build: impl FnOnce(&PoolConfig) -> Box<dyn Policy>,
    ) -> Result<Core, PoolError> {
        let geometry = device.geometry();
        config.check(&geometry)?;
        let PoolConfig { page_bytes, frames: count, .. } = config;
        let memory = |source| PoolError::Memory { frames: count, page_bytes, source };
        let (frames, free) = Frames::new(count, page_bytes).map_err(memory)?;
        let all_pages = config.device_pages(&*device);
        let double_write =
            config.double_write.then(|| DoubleWrite::new(config.batch(), all_pages)).transpose()?;
        let pages = double_write.as_ref().map_or(all_pages, |area| area.first_page());
        let mut core = Core {
            pages,
            writable: geometry.writable && !config.changes_in_memory,
            may_change: AtomicBool::new(geometry.writable || config.changes_in_memory),
            regaining: Mutex::new(()),
            capacity_bytes: geometry.capacity_bytes,
            table: Table::new(count, pages),
            hits: HitLog::new(),
            replacer: Mutex::new(Replacer::new(build(&config), &config, free)),
            io_queues: IoQueues::new(device, config.queue_shape()),
            counters: Counters::default(),
            durability: Durability::default(),
            cleaning: CleanerControl::new(&config),
            batch_size: BatchSize::new(&config),
            double_write,
            places: None,
            next_page: AtomicU64::new(config.next_page),
            log_durable: AtomicU64::new(0),
            frames,
            config,
        };
        // Now rather than at the first miss: a device that gives no queue pair, or keeps no data.
        let mut io = core.io_queues.take(&core.frames)?;
        if let (Some(area), true) = (&core.double_write, core.writable) {
            area.repair(&core, &mut io)?;
        }
        let places =
            core.config.out_of_place.map(|options| core.open_places(&mut io, &options)).transpose()?;
        drop(io);
        if let Some(places) = places {
            core.pages = places.layout.pages;
            core.places = Some(places);
        }
        Ok(core)
    }

    pub(crate) fn replacer(&self) -> MutexGuard<'_, Replacer> {
        self.replacer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn io(&self) -> Result<IoQueueGuard<'_>, PoolError> {
        Ok(self.io_queues.take(&self.frames)?)
    }

    /// Whether a batch is complete before the next one is sent: the double-write area takes one at a time,
    /// and a search for n measures batches where they go out of place.
    pub(crate) fn writes_in_batches(&self) -> bool {
        self.double_write.is_some() || self.places.is_some() && self.batch_size.is_search()
    }

    /// Writes that one thread keeps in flight, where `n` are written at once: new ones join those of a batch
    /// one by one, but whole batches where they are neighbours, which reach the device as one request.
    pub(crate) fn writes_in_flight(&self, n: u32) -> WritesInFlight {
        match self.places {
            None => WritesInFlight { most: n, together: 1 },
            Some(_) => {
                let most = self.config.moved_at_once();
                WritesInFlight { most, together: n.max(self.config.run_pages()).min(most / 2) }
            }
        }
    }

    /// A dirty page that nobody changes goes out.
    pub(crate) fn begin_write_back(&self, frame: Frame) -> Option<WriteBack> {
        self.frames.begin_write_back(frame, self.durability.failures())
    }
}
