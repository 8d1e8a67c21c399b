//! What a pool and its cleaner share, and the way to a page: found in memory, waited for, or read.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use leadline_device::{Device, QueueShape};

use super::batch_size::BatchSize;
use super::cleaner::CleanerControl;
use super::config::PoolConfig;
use super::double_write::DoubleWrite;
use super::durability::Durability;
use super::error::PoolError;
use super::frames::{ExclusiveLatch, Frames, Latch, PendingLatch, SharedLatch, WriteBack};
use super::hit_log::{Hit, HitLog};
use super::io_queue::{IoQueueGuard, IoQueues};
use super::load::Lookup;
use super::replacer::Replacer;
use super::stats::Counters;
use super::table::Table;
use crate::policy::{Frame, Page, Policy};

/// All of a pool but its cleaner's thread.
pub(crate) struct Core {
    pub(crate) config: PoolConfig,
    /// Pages that users may ask for.
    pub(crate) pages: Page,
    pub(crate) writable: bool,
    pub(crate) capacity_bytes: u64,
    pub(crate) frames: Frames,
    pub(crate) table: Table,
    pub(crate) hits: HitLog,
    replacer: Mutex<Replacer>,
    pub(crate) io_queues: IoQueues,
    pub(crate) counters: Counters,
    pub(crate) durability: Durability,
    pub(crate) cleaning: CleanerControl,
    pub(crate) batch_size: BatchSize,
    pub(crate) double_write: Option<DoubleWrite>,
    pub(crate) next_page: AtomicU64,
    /// The log is durable up to here.
    pub(crate) log_durable: AtomicU64,
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
        // The pages of a batch, twice where they go to the double-write area first, one page asked for, one
        // flush.
        let writes = if config.double_write { 2 * config.batch() + 1 } else { config.most_at_once() };
        let depth = (config.reads_ahead.min(1024) + writes + 2).min(4096);
        let all_pages = config.device_pages(&*device);
        let double_write = config.double_write.then(|| DoubleWrite::new(&config, all_pages)).transpose()?;
        let core = Core {
            pages: double_write.as_ref().map_or(all_pages, |area| area.first_page()),
            writable: geometry.writable,
            capacity_bytes: geometry.capacity_bytes,
            table: Table::new(count),
            hits: HitLog::new(),
            replacer: Mutex::new(Replacer::new(build(&config), &config, free)),
            io_queues: IoQueues::new(device, QueueShape::new(depth, page_bytes)),
            counters: Counters::default(),
            durability: Durability::default(),
            cleaning: CleanerControl::new(&config),
            batch_size: BatchSize::new(&config),
            double_write,
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
        drop(io);
        Ok(core)
    }

    pub(crate) fn replacer(&self) -> MutexGuard<'_, Replacer> {
        self.replacer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn io(&self) -> Result<IoQueueGuard<'_>, PoolError> {
        Ok(self.io_queues.take(&self.frames)?)
    }

    /// A dirty page that nobody changes goes out.
    pub(crate) fn begin_write_back(&self, frame: Frame) -> Option<WriteBack> {
        self.frames.begin_write_back(frame, self.durability.failures())
    }

    /// The page, to be read.
    #[inline]
    pub(crate) fn read(&self, page: Page) -> Result<SharedLatch<'_>, PoolError> {
        if let Some(frame) = self.table.find(page) {
            match self.frames.share(frame, page) {
                Latch::Held { hold, ahead } => {
                    self.note(Hit { page, frame, write: false, ahead });
                    return Ok(hold);
                }
                Latch::Pending(pending) => return self.read_pending(pending, page),
                Latch::Busy | Latch::Gone => {}
            }
        }
        self.read_slowly(page)
    }

    /// The page, to be changed.
    #[inline]
    pub(crate) fn write(&self, page: Page) -> Result<ExclusiveLatch<'_>, PoolError> {
        if self.writable
            && let Some(frame) = self.table.find(page)
            && let Latch::Held { hold, ahead } = self.frames.exclusive(frame, page)
        {
            self.note(Hit { page, frame, write: true, ahead });
            return Ok(hold);
        }
        self.write_slowly(page)
    }

    /// Logs a hit, and tells the policy of all once many have gathered and the lock is free.
    #[inline]
    pub(crate) fn note(&self, note: Hit) {
        if self.hits.hit(note)
            && let Ok(mut replacer) = self.replacer.try_lock()
        {
            replacer.drain(self);
        }
    }

    /// Refuses pages that do not exist.
    pub(crate) fn check(&self, page: Page) -> Result<(), PoolError> {
        if page < self.pages {
            return Ok(());
        }
        let (pages, page_bytes) = (self.pages, self.config.page_bytes);
        Err(PoolError::BeyondDevice { page, pages, page_bytes, capacity_bytes: self.capacity_bytes })
    }

    #[cold]
    fn read_slowly(&self, page: Page) -> Result<SharedLatch<'_>, PoolError> {
        self.check(page)?;
        let mut known = self.table.find(page);
        loop {
            let frame = match known.take() {
                Some(frame) => frame,
                None => match self.fault(page, false)? {
                    Lookup::At(frame) => frame,
                    Lookup::Read(hold) => return Ok(hold),
                },
            };
            match self.frames.share(frame, page) {
                Latch::Held { hold, ahead } => {
                    self.note(Hit { page, frame, write: false, ahead });
                    return Ok(hold);
                }
                Latch::Pending(pending) => return self.read_pending(pending, page),
                Latch::Busy => {
                    self.counters.waits.add(1);
                    self.frames.wait_while(frame, |now| now.holds(page) && now.is_exclusive());
                    known = Some(frame);
                }
                Latch::Gone => {}
            }
        }
    }

    /// The page is being read for another thread, or ahead.
    #[cold]
    fn read_pending(&self, pending: PendingLatch, page: Page) -> Result<SharedLatch<'_>, PoolError> {
        self.counters.waits.add(1);
        let (frame, ahead) = (pending.frame, pending.ahead);
        let hold = self.wait_loaded(pending, page)?;
        self.note(Hit { page, frame, write: false, ahead });
        Ok(hold)
    }

    #[cold]
    fn write_slowly(&self, page: Page) -> Result<ExclusiveLatch<'_>, PoolError> {
        self.check(page)?;
        if !self.writable {
            return Err(PoolError::ReadOnly { page });
        }
        let mut known = self.table.find(page);
        // The first use of a page read ahead may be the wait for it.
        let mut first = false;
        loop {
            let frame = match known.take() {
                Some(frame) => frame,
                None => match self.fault(page, true)? {
                    Lookup::At(frame) => frame,
                    Lookup::Read(hold) => {
                        let frame = hold.frame();
                        match hold.upgrade() {
                            Ok(hold) => return Ok(hold),
                            // Others came to read it at once: as if it had been here.
                            Err(hold) => drop(hold),
                        }
                        frame
                    }
                },
            };
            match self.frames.exclusive(frame, page) {
                Latch::Held { hold, ahead } => {
                    self.note(Hit { page, frame, write: true, ahead: ahead || first });
                    return Ok(hold);
                }
                Latch::Gone => {}
                _ if self.frames.snapshot(frame).is_loading() => {
                    match self.frames.share(frame, page) {
                        Latch::Pending(pending) => {
                            self.counters.waits.add(1);
                            first |= pending.ahead;
                            drop(self.wait_loaded(pending, page)?);
                        }
                        Latch::Held { ahead, .. } => first |= ahead,
                        Latch::Busy | Latch::Gone => {}
                    }
                    known = Some(frame);
                }
                _ => {
                    self.counters.waits.add(1);
                    let busy =
                        |now: super::state::Snapshot| now.holds(page) && now.is_used() && !now.is_loading();
                    self.frames.wait_while(frame, busy);
                    known = Some(frame);
                }
            }
        }
    }
}
