//! What a pool and its cleaner share, and the way to a page: found in memory, waited for, or read.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use leadline_device::{Device, QueueShape, Request};

use super::checksum;
use super::cleaner::Cleaning;
use super::config::PoolConfig;
use super::directory::{Directory, Room};
use super::double_write::DoubleWrite;
use super::durability::Durability;
use super::error::{Fault, PoolError};
use super::frames::{Exclusive, Frames, FreeFrame, Load, Pending, Settled, Shared, Take, WriteBack};
use super::lane::{Done, HeldLane, Job, Lanes};
use super::notes::{Note, Notes};
use super::sizing::Sizing;
use super::stats::Counters;
use super::table::Table;
use crate::policy::{Frame, Page};

/// Looks at the directory before every frame counts as pinned: guards that move from frame to frame while it is walked
/// may make it seem so.
const LOOKS: u32 = 100;

/// All of a pool but its cleaner's thread.
pub(crate) struct Core {
    pub(crate) config: PoolConfig,
    /// Pages that users may ask for.
    pub(crate) pages: Page,
    pub(crate) writable: bool,
    pub(crate) capacity_bytes: u64,
    pub(crate) frames: Frames,
    pub(crate) table: Table,
    pub(crate) notes: Notes,
    directory: Mutex<Directory>,
    pub(crate) lanes: Lanes,
    pub(crate) counters: Counters,
    pub(crate) durability: Durability,
    pub(crate) cleaning: Cleaning,
    pub(crate) sizing: Sizing,
    pub(crate) double_write: Option<DoubleWrite>,
    pub(crate) next_page: AtomicU64,
    /// The log is durable up to here.
    pub(crate) log_durable: AtomicU64,
}

/// Where a page that was not found at first is.
enum Found<'a> {
    /// In this frame after all.
    At(Frame),
    /// Read, and held.
    Read(Shared<'a>),
}

impl Core {
    pub(crate) fn new(device: Arc<dyn Device>, config: PoolConfig) -> Result<Core, PoolError> {
        let geometry = device.geometry();
        config.check(&geometry)?;
        let PoolConfig { page_bytes, frames: count, .. } = config;
        let memory = |source| PoolError::Memory { frames: count, page_bytes, source };
        let (frames, free) = Frames::new(count, page_bytes).map_err(memory)?;
        // The pages of a batch, twice where they go to the double-write area first, one page asked for, one flush.
        let writes = if config.double_write { 2 * config.batch() + 1 } else { config.most_at_once() };
        let depth = (config.reads_ahead.min(1024) + writes + 2).min(4096);
        let all_pages = config.device_pages(&*device);
        let double_write = config.double_write.then(|| DoubleWrite::new(&config, all_pages)).transpose()?;
        let core = Core {
            pages: double_write.as_ref().map_or(all_pages, |area| area.first_page()),
            writable: geometry.writable,
            capacity_bytes: geometry.capacity_bytes,
            table: Table::new(count),
            notes: Notes::new(),
            directory: Mutex::new(Directory::new(&config, free)),
            lanes: Lanes::new(device, QueueShape::new(depth, page_bytes)),
            counters: Counters::default(),
            durability: Durability::default(),
            cleaning: Cleaning::new(&config),
            sizing: Sizing::new(&config),
            double_write,
            next_page: AtomicU64::new(config.next_page),
            log_durable: AtomicU64::new(0),
            frames,
            config,
        };
        // Now rather than at the first miss: a device that gives no queue pair, or keeps no data.
        let mut lane = core.lanes.take(&core.frames)?;
        if let (Some(area), true) = (&core.double_write, core.writable) {
            area.repair(&core, &mut lane)?;
        }
        drop(lane);
        Ok(core)
    }

    pub(crate) fn directory(&self) -> MutexGuard<'_, Directory> {
        self.directory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn lane(&self) -> Result<HeldLane<'_>, PoolError> {
        Ok(self.lanes.take(&self.frames)?)
    }

    /// A dirty page that nobody changes goes out.
    pub(crate) fn begin_write_back(&self, frame: Frame) -> Option<WriteBack> {
        self.frames.begin_write_back(frame, self.durability.failures())
    }

    /// The page, to be read.
    #[inline]
    pub(crate) fn read(&self, page: Page) -> Result<Shared<'_>, PoolError> {
        if let Some(frame) = self.table.find(page) {
            match self.frames.share(frame, page) {
                Take::Held { hold, ahead } => {
                    self.note(Note { page, frame, write: false, ahead });
                    return Ok(hold);
                }
                Take::Pending(pending) => return self.read_pending(pending, page),
                Take::Busy | Take::Gone => {}
            }
        }
        self.read_slowly(page)
    }

    /// The page, to be changed.
    #[inline]
    pub(crate) fn write(&self, page: Page) -> Result<Exclusive<'_>, PoolError> {
        if self.writable
            && let Some(frame) = self.table.find(page)
            && let Take::Held { hold, ahead } = self.frames.exclusive(frame, page)
        {
            self.note(Note { page, frame, write: true, ahead });
            return Ok(hold);
        }
        self.write_slowly(page)
    }

    /// Notes a hit, and tells the policy when many have come together and nobody is at it.
    #[inline]
    pub(crate) fn note(&self, note: Note) {
        if self.notes.hit(note)
            && let Ok(mut directory) = self.directory.try_lock()
        {
            directory.drain(self);
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
    fn read_slowly(&self, page: Page) -> Result<Shared<'_>, PoolError> {
        self.check(page)?;
        let mut known = self.table.find(page);
        loop {
            let frame = match known.take() {
                Some(frame) => frame,
                None => match self.fault(page, false)? {
                    Found::At(frame) => frame,
                    Found::Read(hold) => return Ok(hold),
                },
            };
            match self.frames.share(frame, page) {
                Take::Held { hold, ahead } => {
                    self.note(Note { page, frame, write: false, ahead });
                    return Ok(hold);
                }
                Take::Pending(pending) => return self.read_pending(pending, page),
                Take::Busy => {
                    self.counters.waits.add(1);
                    self.frames.wait_while(frame, |now| now.holds(page) && now.is_exclusive());
                    known = Some(frame);
                }
                Take::Gone => {}
            }
        }
    }

    /// The page is being read for somebody else, or ahead.
    #[cold]
    fn read_pending(&self, pending: Pending, page: Page) -> Result<Shared<'_>, PoolError> {
        self.counters.waits.add(1);
        let (frame, ahead) = (pending.frame, pending.ahead);
        let hold = self.wait_loaded(pending, page)?;
        self.note(Note { page, frame, write: false, ahead });
        Ok(hold)
    }

    #[cold]
    fn write_slowly(&self, page: Page) -> Result<Exclusive<'_>, PoolError> {
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
                    Found::At(frame) => frame,
                    Found::Read(hold) => {
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
                Take::Held { hold, ahead } => {
                    self.note(Note { page, frame, write: true, ahead: ahead || first });
                    return Ok(hold);
                }
                Take::Gone => {}
                _ if self.frames.snapshot(frame).is_loading() => {
                    match self.frames.share(frame, page) {
                        Take::Pending(pending) => {
                            self.counters.waits.add(1);
                            first |= pending.ahead;
                            drop(self.wait_loaded(pending, page)?);
                        }
                        Take::Held { ahead, .. } => first |= ahead,
                        Take::Busy | Take::Gone => {}
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

    /// The page is not where it was looked for: finds it, or makes room and reads it.
    fn fault(&self, page: Page, write: bool) -> Result<Found<'_>, PoolError> {
        let mut room = RoomMaker::new(page);
        loop {
            let mut lane = self.lane()?;
            let mut directory = self.directory();
            directory.drain(self);
            if let Some(frame) = self.table.find(page) {
                return Ok(Found::At(frame));
            }
            room.missed(&mut directory);
            let found = directory.make_room(self, room.clean_only());
            if let Room::Frame(free) = found {
                let (load, pending) = self.frames.begin_load(free, page, lane.index);
                directory.enter(self, load.frame, page, write);
                let ahead =
                    if room.wrote { self.choose_ahead(&mut directory, &mut lane, page) } else { vec![] };
                drop(directory);
                self.counters.misses.add(1);
                self.cleaning.evicted(self.reserve());
                self.send_read(&mut lane, load);
                ahead.into_iter().for_each(|load| self.send_read(&mut lane, load));
                return self.reap_loaded(&mut lane, pending, page).map(Found::Read);
            }
            drop(directory);
            room.make(self, lane, found)?;
        }
    }

    /// What the prefetcher proposes beside `page`, with frames for it.
    fn choose_ahead(&self, directory: &mut Directory, lane: &mut HeldLane<'_>, page: Page) -> Vec<Load> {
        let most = self.sizing.n().saturating_sub(1);
        let most = most.min(self.config.reads_ahead.saturating_sub(*lane.ahead()));
        let mut loads = Vec::new();
        for ahead in directory.propose(self, page, most as usize) {
            if self.table.find(ahead).is_some() {
                continue; // proposed twice
            }
            let Some(free) = directory.spare(self) else { break };
            if let Some(prefetching) = &mut directory.prefetching {
                prefetching.issued(ahead);
            }
            loads.push(self.begin_ahead(directory, lane, free, ahead));
        }
        loads
    }

    fn begin_ahead(
        &self,
        directory: &mut Directory,
        lane: &mut HeldLane<'_>,
        free: FreeFrame,
        page: Page,
    ) -> Load {
        let load = self.frames.begin_load_ahead(free, page, lane.index);
        directory.enter(self, load.frame, page, false);
        *lane.ahead() += 1;
        self.counters.prefetches.add(1);
        load
    }

    /// Reads pages ahead, none beyond `last`, as far as there are frames without a write and room on a lane.
    pub(crate) fn prefetch(
        &self,
        last: Page,
        pages: impl IntoIterator<Item = Page>,
    ) -> Result<(), PoolError> {
        self.check(last)?;
        let mut lane = self.lane()?;
        if *lane.ahead() >= self.config.reads_ahead {
            // Some may be there by now.
            self.reap(&mut lane, 0, &mut Outcome::default())?;
        }
        let mut directory = self.directory();
        directory.drain(self);
        let mut loads = Vec::new();
        for page in pages {
            if *lane.ahead() >= self.config.reads_ahead {
                break;
            }
            if self.table.find(page).is_some() {
                continue;
            }
            let Some(free) = directory.spare(self) else { break };
            loads.push(self.begin_ahead(&mut directory, &mut lane, free, page));
        }
        drop(directory);
        loads.into_iter().for_each(|load| self.send_read(&mut lane, load));
        self.reap(&mut lane, 0, &mut Outcome::default())
    }

    /// Sends the read of a frame that loads.
    fn send_read(&self, lane: &mut HeldLane<'_>, load: Load) {
        let page_bytes = self.config.page_bytes;
        let offset = load.page * u64::from(page_bytes);
        let ahead = load.ahead;
        let refused = match lane.slot() {
            Some(slot) => match lane.submit(Request::read(slot, offset, page_bytes), Job::Read(load)) {
                Ok(()) => return,
                Err((Job::Read(load), _)) => Some(load),
                Err(_) => None,
            },
            None => Some(load),
        };
        if let Some(load) = refused {
            *lane.ahead() -= u32::from(ahead);
            self.load_failed(load, Fault::Errno(EIO));
        }
    }

    /// The page could not be read: it is gone before anybody sees it.
    fn load_failed(&self, load: Load, fault: Fault) {
        self.counters.read_errors.add(1);
        self.counters.corrupt.add(u64::from(matches!(fault, Fault::Damaged(_))));
        let mut directory = self.directory();
        directory.leave(self, load.frame, load.page);
        match self.frames.failed(load, fault.pack()) {
            Some(free) => directory.free.push(free),
            None => directory.limbo += 1,
        }
    }

    /// Reaps the lane until the page is there.
    fn reap_loaded(
        &self,
        lane: &mut HeldLane<'_>,
        mut pending: Pending,
        page: Page,
    ) -> Result<Shared<'_>, PoolError> {
        loop {
            match self.settle(pending, page)? {
                Ok(hold) => return Ok(hold),
                Err(still) => pending = still,
            }
            // A queue that broke has failed the load: the error is found there.
            let _ = self.reap(lane, 1, &mut Outcome::default());
        }
    }

    /// Waits until a page that somebody else's request reads is there.
    fn wait_loaded(&self, mut pending: Pending, page: Page) -> Result<Shared<'_>, PoolError> {
        loop {
            match self.settle(pending, page)? {
                Ok(hold) => return Ok(hold),
                Err(still) => pending = still,
            }
            self.wait_in_flight(pending.frame);
        }
    }

    /// Whether the load is over; the error is the load's own.
    fn settle(&self, pending: Pending, page: Page) -> Result<Result<Shared<'_>, Pending>, PoolError> {
        match self.frames.settle(pending) {
            Settled::Ready(hold) => Ok(Ok(hold)),
            Settled::Loading(pending) => Ok(Err(pending)),
            Settled::Failed { fault, free } => {
                if let Some(free) = free {
                    let mut directory = self.directory();
                    directory.limbo -= 1;
                    directory.free.push(free);
                }
                Err(Fault::unpack(fault).error("read", page, self.config.page_bytes))
            }
        }
    }

    /// Waits for a frame's I/O, or does some of it.
    pub(crate) fn wait_in_flight(&self, frame: Frame) {
        if self.frames.snapshot(frame).is_loading() {
            let index = self.frames.lane(frame);
            if let Some(mut lane) = self.lanes.try_take(index, &self.frames) {
                if self.frames.snapshot(frame).is_loading() && self.frames.lane(frame) == index {
                    // A queue that broke has failed its loads: that is seen there.
                    let _ = self.reap(&mut lane, 1, &mut Outcome::default());
                }
                return;
            }
            self.lanes.wait_for_load(index, &self.frames, frame);
        } else {
            self.frames.wait_while(frame, |now| now.is_writing());
        }
    }

    /// Waits until `min` of a lane's requests are over and does what follows from them.
    pub(crate) fn reap(
        &self,
        lane: &mut HeldLane<'_>,
        min: u32,
        outcome: &mut Outcome,
    ) -> Result<(), PoolError> {
        let mut done = std::mem::take(&mut outcome.done);
        let reaped = lane.reap(min, &mut done);
        for Done { slot, job, result } in done.drain(..) {
            let fault = Fault::of(result, self.config.page_bytes);
            match job {
                Job::Read(load) => self.read_done(lane, slot, load, fault),
                Job::Write(write) => self.write_done(write, fault, outcome),
                Job::Other => outcome.other(result),
            }
            lane.give_back(slot);
        }
        outcome.done = done;
        Ok(reaped?)
    }

    fn read_done(&self, lane: &mut HeldLane<'_>, slot: u32, load: Load, mut fault: Option<Fault>) {
        *lane.ahead() -= u32::from(load.ahead);
        let bytes: &[u8] = match lane.buffer(slot) {
            Ok(buffer) => buffer,
            Err(_) => &[],
        };
        if fault.is_none() && bytes.len() != self.frames.page_bytes() {
            fault = Some(Fault::Errno(EIO));
        }
        if fault.is_none() && self.config.checksums {
            fault = checksum::verify(bytes, load.page).err().map(Fault::Damaged);
        }
        match fault {
            None => self.frames.loaded(load, bytes),
            Some(fault) => self.load_failed(load, fault),
        }
    }

    fn write_done(&self, write: WriteBack, fault: Option<Fault>, outcome: &mut Outcome) {
        let (frame, page) = (write.frame, write.page);
        outcome.writing -= 1;
        match fault {
            None if self.durability.written(frame, page, write.epoch) => {
                self.frames.end_write_back(write, true);
                self.counters.writes.add(1);
                outcome.written.push((frame, page));
            }
            // A flush failed meanwhile, and may have lost it.
            None => self.frames.end_write_back(write, false),
            Some(fault) => {
                self.frames.end_write_back(write, false);
                self.counters.write_errors.add(1);
                let error = fault.error("write", page, self.config.page_bytes);
                outcome.error.get_or_insert(error);
            }
        }
    }
}

/// EIO, for a request that the queue pair did not take.
pub(crate) const EIO: i32 = 5;

/// What came of the requests that were reaped, beside pages loaded.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) done: Vec<Done>,
    /// Writes of pages in flight; whoever sends them counts them here.
    pub(crate) writing: u32,
    pub(crate) written: Vec<(Frame, Page)>,
    /// The first write that failed.
    pub(crate) error: Option<PoolError>,
    /// Other requests in flight, and the results of those that are over.
    pub(crate) others: u32,
    pub(crate) results: Vec<i32>,
}

impl Outcome {
    fn other(&mut self, result: i32) {
        self.others -= 1;
        self.results.push(result);
    }
}

/// Makes room for a page, step by step, with what it learnt on the way.
pub(crate) struct RoomMaker {
    page: Page,
    told: bool,
    /// Dirty victims were written for it.
    pub(crate) wrote: bool,
    /// Writing failed: only a clean page can help now.
    error: Option<PoolError>,
    looks: u32,
}

impl RoomMaker {
    pub(crate) fn new(page: Page) -> Self {
        RoomMaker { page, told: false, wrote: false, error: None, looks: 0 }
    }

    /// Tells the policy of the miss, once.
    pub(crate) fn missed(&mut self, directory: &mut Directory) {
        if !std::mem::replace(&mut self.told, true) {
            directory.policy.missed(self.page);
            if let Some(prefetching) = &mut directory.prefetching {
                prefetching.accessed(self.page, true);
            }
        }
    }

    pub(crate) fn clean_only(&self) -> bool {
        self.error.is_some()
    }

    /// Does what must happen before there is a frame.
    pub(crate) fn make(&mut self, core: &Core, mut lane: HeldLane<'_>, room: Room) -> Result<(), PoolError> {
        match room {
            Room::Frame(free) => core.directory().free.push(free),
            Room::Write(batch) => {
                self.wrote = true;
                core.counters.batches.add(1);
                self.error = core.write_out(&mut lane, batch).err();
            }
            Room::InFlight(frame) => {
                drop(lane);
                core.counters.waits.add(1);
                core.wait_in_flight(frame);
            }
            Room::Cleaner => {
                drop(lane);
                core.counters.cleaner_waits.add(1);
                core.cleaning.wait();
            }
            Room::Nothing => {
                drop(lane);
                if let Some(error) = self.error.take() {
                    return Err(error);
                }
                self.looks += 1;
                if self.looks > LOOKS && core.directory().limbo == 0 {
                    return Err(PoolError::NoFrame { page: self.page, frames: core.frames.count() });
                }
                std::thread::yield_now();
            }
        }
        Ok(())
    }
}
