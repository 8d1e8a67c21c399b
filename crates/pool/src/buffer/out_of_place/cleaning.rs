//! Cleaning: pages move out of segments that hold few, so that these become free. It happens in the path of
//! whoever writes, client or background cleaner, one at a time. Moved pages have a segment of their own: they
//! have not been changed for some time, and will not be soon.

use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

use leadline_device::Request;

use crate::buffer::checksum;
use crate::buffer::core::Core;
use crate::buffer::error::{Fault, PageOp, PoolError};
use crate::buffer::io_queue::{IoQueueGuard, Job};
use crate::buffer::places::Places;
use crate::buffer::places::layout::Place;
use crate::buffer::places::segments::{Moved, Segments, Writer};
use crate::buffer::places::stamp::{self, Found, Ticket};
use crate::buffer::reap::{EIO, IoResults};

/// Most segments that are cleaned for one flush.
const AT_ONCE: u32 = 8;

/// Pages of segments that are being cleaned, on their way.
#[derive(Default)]
struct Passage {
    /// Segments that are being cleaned, in turn.
    victims: Vec<u32>,
    /// Places of the last one that were not read yet.
    unread: Range<Place>,
    /// Reads in flight, with their slots.
    reads: Vec<(Place, u32)>,
    /// Pages that were read and must move, with their slots and places.
    moving: Vec<(Moved, u32)>,
}

impl Core {
    /// Makes segments free, at least one, unless users find places for that many pages meanwhile.
    ///
    /// # Errors
    /// [`PoolError::Full`] where every place is needed; what moving pages or the flush came to.
    pub(super) fn clean_segments(
        &self,
        io: &mut IoQueueGuard<'_>,
        places: &Places,
        pages: usize,
    ) -> Result<(), PoolError> {
        let _one = places.cleaning();
        self.recycle(io, places)?;
        if places.segments().has_places(pages, Writer::User) {
            return Ok(());
        }
        let cleaned = self.clean_some(io, places, |_| true)?;
        // Releases what was moved, and places whose pages were written elsewhere.
        let used = places.segments().used();
        self.sync(io)?;
        let mut freed = self.recycle(io, places)?;
        if cleaned + freed == 0 && !self.atomic() && places.segments().has_records() {
            // Lists of discards are needed no longer once the page map knows of them.
            self.make_durable(io, places, true)?;
            freed = self.recycle(io, places)? + u32::from(!places.segments().has_records());
        }
        if cleaned + freed > 0 || places.segments().used() < used {
            return Ok(());
        }
        if places.segments().is_changing() {
            // Other threads' writes and flushes release places, which makes segments worth cleaning.
            std::thread::yield_now();
            return Ok(());
        }
        Err(self.full(places))
    }

    /// Cleans segments, and gives back those that hold nothing, where what is written takes more room than it
    /// is to take.
    pub(super) fn tidy_segments(&self, io: &mut IoQueueGuard<'_>, places: &Places) -> Result<(), PoolError> {
        let _one = places.cleaning();
        self.recycle(io, places)?;
        if self.clean_some(io, places, Segments::is_sparse)? > 0 {
            // Releases what was moved.
            self.sync(io)?;
            self.recycle(io, places)?;
        }
        places.segments().end_tidying();
        Ok(())
    }

    /// Cleans some segments as long as that is worth while: how many.
    fn clean_some(
        &self,
        io: &mut IoQueueGuard<'_>,
        places: &Places,
        is_worth_while: impl Fn(&Segments) -> bool,
    ) -> Result<u32, PoolError> {
        let mut passage = Passage::default();
        let more = |passage: &mut Passage| {
            let mut segments = places.segments();
            if passage.victims.len() < AT_ONCE as usize
                && is_worth_while(&segments)
                && let Some(victim) = segments.victim(passage.moving.len() as u32)
            {
                passage.victims.push(victim);
                passage.unread = places.layout.range(victim);
            }
        };
        let moved = self.move_pages(io, places, &mut passage, more);
        if moved.is_err() {
            // Which of them still hold pages that should move is not known.
            let mut segments = places.segments();
            passage.victims.iter().for_each(|victim| segments.spare_victim(*victim));
        }
        moved.map(|()| passage.victims.len() as u32)
    }

    pub(super) fn atomic(&self) -> bool {
        self.config.out_of_place.is_some_and(|options| options.atomic_checkpoints)
    }

    /// Trims dead segments, which are free then: how many.
    fn recycle(&self, io: &mut IoQueueGuard<'_>, places: &Places) -> Result<u32, PoolError> {
        let dead = places.segments().take_dead();
        let layout = &places.layout;
        for segment in &dead {
            if !places.trims.load(Relaxed) {
                break;
            }
            let page = layout.device_page(layout.range(*segment).start);
            let (at, bytes) = (page * u64::from(layout.page_bytes), layout.page_bytes * layout.segment_pages);
            let trimmed = self.request(io, None, |slot| Request::trim(slot, at, bytes));
            // Not every device and file system can; the segment is overwritten as well.
            places.trims.fetch_and(trimmed.is_ok_and(|result| result >= 0), Relaxed);
        }
        let freed = dead.len() as u32;
        places.segments().recycle(dead);
        Ok(freed)
    }

    /// Moves what is needed out of segments, one after the other, which `more` finds. The next pages are read
    /// while those before are written, and both are neighbours. A page that cannot be read, or is corrupt,
    /// stays.
    fn move_pages(
        &self,
        io: &mut IoQueueGuard<'_>,
        places: &Places,
        passage: &mut Passage,
        more: impl Fn(&mut Passage),
    ) -> Result<(), PoolError> {
        loop {
            if passage.unread.is_empty() {
                more(passage);
            }
            if passage.unread.is_empty() && passage.moving.is_empty() {
                return Ok(());
            }
            let mut outcome = IoResults::default();
            let sent = self
                .send_moving(io, places, &passage.moving, &mut outcome)
                .and_then(|()| self.send_reads(io, places, passage, &mut outcome));
            let reaped = self.reap_others(io, &mut outcome);
            let written = self.moving_written(places, passage, &outcome);
            sent.and(reaped).and(written)?;
            self.choose_moving(io, places, passage, &outcome)?;
        }
    }

    /// Sends pages to their new places.
    fn send_moving(
        &self,
        io: &mut IoQueueGuard<'_>,
        places: &Places,
        moving: &[(Moved, u32)],
        outcome: &mut IoResults,
    ) -> Result<(), PoolError> {
        let page_bytes = self.config.page_bytes;
        let mut sent = Ok(());
        for (moved, slot) in moving {
            let at = places.layout.device_page(moved.to) * u64::from(page_bytes);
            // One that was refused counts as failed, like those after it.
            match sent {
                Ok(()) => match io.submit(Request::write(*slot, at, page_bytes), Job::Other) {
                    Ok(()) => outcome.others += 1,
                    Err((_, error)) => sent = Err(error.into()),
                },
                Err(_) => io.give_back(*slot),
            }
        }
        sent
    }

    /// Sends reads of the next places.
    fn send_reads(
        &self,
        io: &mut IoQueueGuard<'_>,
        places: &Places,
        passage: &mut Passage,
        outcome: &mut IoResults,
    ) -> Result<(), PoolError> {
        let page_bytes = self.config.page_bytes;
        for place in passage.unread.by_ref().take(self.config.moved_at_once() as usize / 2) {
            let slot = io.slot();
            let at = places.layout.device_page(place) * u64::from(page_bytes);
            io.submit(Request::read(slot, at, page_bytes), Job::Other).map_err(|(_, error)| error)?;
            outcome.others += 1;
            passage.reads.push((place, slot));
        }
        Ok(())
    }

    /// The writes of pages that move are over.
    fn moving_written(
        &self,
        places: &Places,
        passage: &mut Passage,
        outcome: &IoResults,
    ) -> Result<(), PoolError> {
        let mut failed = Ok(());
        let mut segments = places.segments();
        for (moved, slot) in passage.moving.drain(..) {
            let fault = outcome.fault(slot, self.config.page_bytes);
            segments.moved(moved, fault.is_none(), &places.map);
            self.counters.moves.add(1);
            if let Some(fault) = fault {
                self.counters.write_errors.add(1);
                failed = failed.and(Err(fault.error(PageOp::Write, moved.page, self.config.page_bytes)));
            }
        }
        failed
    }

    /// Of the pages that were read, those that must move get new places, and are made ready in their slots.
    fn choose_moving(
        &self,
        io: &mut IoQueueGuard<'_>,
        places: &Places,
        passage: &mut Passage,
        outcome: &IoResults,
    ) -> Result<(), PoolError> {
        let mut found = Vec::with_capacity(passage.reads.len());
        for (from, slot) in passage.reads.drain(..) {
            if outcome.fault(slot, self.config.page_bytes).is_none() {
                // The slot is free again, and nobody has used it since.
                found.extend(Found::in_bytes(io.buffer(slot)?).map(|found| (from, slot, found)));
            }
        }
        {
            let segments = places.segments();
            found.retain(|(from, _, found)| segments.is_needed(found.page, *from, &places.map));
        }
        if found.is_empty() {
            return Ok(());
        }
        found.iter().for_each(|(_, slot, _)| io.take_back(*slot));
        let tickets = match self.tickets(io, places, found.len(), Writer::Cleaning) {
            Ok(tickets) => tickets,
            Err(error) => {
                found.iter().for_each(|(_, slot, _)| io.give_back(*slot));
                return Err(error);
            }
        };
        let mut lost = Ok(());
        for ((from, slot, Found { page, version, write }), ticket) in found.into_iter().zip(tickets) {
            let moved = Moved { page, from, to: ticket.place };
            match io.buffer(slot) {
                Ok(bytes) if stamp::is_write(bytes, write) => {
                    Ticket { version, ..ticket }.stamp(bytes);
                    checksum::seal(bytes, page);
                    passage.moving.push((moved, slot));
                }
                // The queue pair broke while places were found, and its buffers are gone.
                _ => {
                    io.give_back(slot);
                    places.segments().moved(moved, false, &places.map);
                    lost = Err(Fault::Errno(EIO).error(PageOp::Read, page, self.config.page_bytes));
                }
            }
        }
        lost.inspect_err(|_| self.drop_moving(io, places, passage))
    }

    /// Pages that do not move after all.
    fn drop_moving(&self, io: &mut IoQueueGuard<'_>, places: &Places, passage: &mut Passage) {
        let mut segments = places.segments();
        for (moved, slot) in passage.moving.drain(..) {
            io.give_back(slot);
            segments.moved(moved, false, &places.map);
        }
    }
}
