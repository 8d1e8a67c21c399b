//! Making pages durable: one of them, all of them, and the flush of the device that both end with.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use leadline_device::Request;

use super::core::Core;
use super::error::PoolError;
use super::io_queue::{IoQueueGuard, Job};
use super::reap::IoResults;
use crate::policy::{Frame, Page};

impl Core {
    /// Makes durable all that was written before.
    ///
    /// # Errors
    /// [`PoolError::Flush`]; what may be lost is dirty again, or [`PoolError::NotDurable`] from now on.
    pub(crate) fn sync(&self, io: &mut IoQueueGuard<'_>) -> Result<(), PoolError> {
        let released = self.places.as_ref().map(|places| (places, places.segments().begin_sync()));
        let flushed = self.durability.flush(
            || {
                self.counters.flushes.add(1);
                let flushed = self.flush_device(io);
                self.counters.flush_errors.add(u64::from(flushed.is_err()));
                flushed
            },
            |frame, page| self.frames.redirty(frame, page),
        );
        if let Some((places, released)) = released {
            places.segments().end_sync(released, flushed.is_ok(), &places.map);
        }
        flushed
    }

    fn flush_device(&self, io: &mut IoQueueGuard<'_>) -> Result<(), PoolError> {
        let failed = |source| PoolError::Flush { source };
        let mut outcome = IoResults::default();
        let slot = io.slot();
        io.submit(Request::flush(slot), Job::Other)
            .map_err(|(_, error)| failed(std::io::Error::other(error)))?;
        outcome.others += 1;
        self.reap_others(io, &mut outcome)?;
        match outcome.results.first() {
            Some((_, result)) if *result < 0 => Err(failed(std::io::Error::from_raw_os_error(-result))),
            _ => Ok(()),
        }
    }

    /// Fails if a flush has failed since there had been `before`: it may have covered what the caller wrote.
    pub(super) fn no_flush_failed_since(&self, before: u64) -> Result<(), PoolError> {
        if self.durability.failures() == before {
            return Ok(());
        }
        let source = std::io::Error::other("another flush failed at the same time");
        self.durability.check().and(Err(PoolError::Flush { source }))
    }

    /// Writes one page if it is dirty, and makes it durable.
    pub(crate) fn flush_page(&self, page: Page) -> Result<(), PoolError> {
        self.check(page)?;
        self.durability.check()?;
        let failures = self.durability.failures();
        loop {
            let mut io = self.io()?;
            let frame = {
                let replacer = self.replacer();
                let frame = self.table.find(page);
                drop(replacer);
                frame
            };
            let now = frame.map(|frame| (frame, self.frames.snapshot(frame)));
            let Some((frame, now)) = now.filter(|(_, now)| now.holds(page)) else { break };
            if now.is_dirty()
                && let Some(write) = self.begin_write_back(frame)
            {
                self.write_out(&mut io, vec![write])?;
            } else if now.is_dirty() || now.is_writing() {
                drop(io);
                self.wait_writable(frame, page);
            } else {
                break;
            }
        }
        self.sync(&mut self.io()?)?;
        self.no_flush_failed_since(failures)
    }

    /// Waits until a dirty page is not being changed, and its write is over.
    fn wait_writable(&self, frame: Frame, page: Page) {
        self.frames.wait_while(frame, |now| {
            now.holds(page) && (now.is_writing() || now.is_dirty() && now.is_exclusive())
        });
    }

    /// Writes all that is dirty now, and makes it durable.
    pub(crate) fn checkpoint(&self) -> Result<(), PoolError> {
        let failures = self.durability.failures();
        self.write_dirty(true)?;
        match &self.places {
            Some(places) => self.commit(&mut self.io()?, places)?,
            None => self.sync(&mut self.io()?)?,
        }
        self.no_flush_failed_since(failures)
    }

    /// Writes all that is dirty now. `wait`: also pages that somebody changes just now.
    pub(crate) fn write_dirty(&self, wait: bool) -> Result<(), PoolError> {
        self.durability.check()?;
        if !self.writable {
            return Ok(());
        }
        let mut dirty: Vec<(Page, Frame)> = (0..self.frames.count())
            .filter_map(|frame| {
                let now = self.frames.snapshot(frame);
                let page = now.page().filter(|_| now.is_dirty() || now.is_writing())?;
                Some((page, frame))
            })
            .collect();
        // In the order of the device, which some devices like better.
        dirty.sort_unstable();
        let mut later = Vec::new();
        let under_way =
            |step: fn(&AtomicU32)| self.places.iter().for_each(|places| step(&places.checkpoints));
        under_way(|count| _ = count.fetch_add(1, Relaxed));
        let mut written = self.write_all(&dirty, &mut later);
        for (page, frame) in later.into_iter().filter(|_| wait) {
            written = written.and(self.write_later(page, frame));
        }
        under_way(|count| _ = count.fetch_sub(1, Relaxed));
        written
    }

    /// Writes pages, always as many in flight as are written at once. Those that could not be begun go to
    /// `later`.
    ///
    /// # Errors
    /// The first one; the other pages are written all the same.
    fn write_all(&self, dirty: &[(Page, Frame)], later: &mut Vec<(Page, Frame)>) -> Result<(), PoolError> {
        let mut io = self.io()?;
        let mut error = None;
        let mut outcome = IoResults::default();
        let mut next = dirty.iter().copied();
        loop {
            let in_flight = self.writes_in_flight(self.batch_size.n());
            let room = in_flight.room(outcome.writing) as usize;
            let mut begin = |(page, frame): (Page, Frame)| {
                let begun = self.begin_write_back(frame);
                if begun.is_none() {
                    later.push((page, frame));
                }
                begun
            };
            let batch: Vec<_> = next.by_ref().filter_map(&mut begin).take(room).collect();
            let failed = if batch.is_empty() {
                None
            } else if self.writes_in_batches() {
                self.write_out(&mut io, batch).err()
            } else {
                self.send_batch(&mut io, batch, &mut outcome).err()
            };
            let wait_for =
                if next.len() == 0 { outcome.write_requests } else { in_flight.wait_for(outcome.writing) };
            let reaped =
                if outcome.writing > 0 { self.reap(&mut io, wait_for, &mut outcome) } else { Ok(()) };
            error = error.or(failed).or(outcome.error.take()).or(reaped.err());
            if outcome.writing == 0 && next.len() == 0 {
                break;
            }
        }
        self.replacer().written(self, &outcome.written);
        error.map_or(Ok(()), Err)
    }

    /// Writes a page that was in use or being written before.
    fn write_later(&self, page: Page, frame: Frame) -> Result<(), PoolError> {
        loop {
            self.wait_writable(frame, page);
            let now = self.frames.snapshot(frame);
            if !now.holds(page) || !(now.is_dirty() || now.is_writing()) {
                return Ok(());
            }
            let mut io = self.io()?;
            if let Some(write) = self.begin_write_back(frame) {
                return self.write_out(&mut io, vec![write]);
            }
        }
    }
}
