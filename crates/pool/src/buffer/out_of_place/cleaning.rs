//! Cleaning: pages move out of segments that hold few, so that these become free. It happens in the path of
//! whoever writes, client or background cleaner, one at a time. Moved pages have a segment of their own: they
//! have not been changed for some time, and will not be soon.

use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

use leadline_device::Request;

use super::checkpoint::MapWrite;
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
    /// Reads in flight.
    reads: Vec<Reading>,
    /// Pages that were read and must move.
    moving: Vec<Moving>,
}

/// Neighbouring places that are read with one request.
struct Reading {
    places: Range<Place>,
    slot: u32,
}

/// Pages that must move, as they were read: each in the slot's buffer where its place is in the run, which
/// begins at `first`.
struct Chosen {
    slot: u32,
    first: Place,
    found: Vec<(Place, Found)>,
}

/// Pages that must move to neighbouring places, one after the other in a slot's buffer.
struct Moving {
    pages: Vec<Moved>,
    slot: u32,
}

impl Passage {
    fn moving_pages(&self) -> u32 {
        self.moving.iter().map(|run| run.pages.len() as u32).sum()
    }
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
            self.make_durable(io, places, MapWrite::Yes, None)?;
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
                && let Some(victim) = segments.victim(passage.moving_pages())
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
        moving: &[Moving],
        outcome: &mut IoResults,
    ) -> Result<(), PoolError> {
        let page_bytes = self.config.page_bytes;
        let mut sent = Ok(());
        for Moving { pages, slot } in moving {
            let at = places.layout.device_page(pages[0].to) * u64::from(page_bytes);
            let request = Request::write(*slot, at, pages.len() as u32 * page_bytes);
            // One that was refused counts as failed, like those after it.
            match sent {
                Ok(()) => match io.submit(request, Job::Other) {
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
        let mut left = self.config.moved_at_once() / 2;
        while left > 0 && !passage.unread.is_empty() {
            let pages = self.config.run_pages().min(left).min(passage.unread.len() as u32);
            let first = passage.unread.start;
            (passage.unread.start, left) = (first + pages, left - pages);
            let slot = io.large_slot();
            let at = places.layout.device_page(first) * u64::from(page_bytes);
            let request = Request::read(slot, at, pages * page_bytes);
            io.submit(request, Job::Other).map_err(|(_, error)| error)?;
            outcome.others += 1;
            passage.reads.push(Reading { places: first..first + pages, slot });
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
        let page_bytes = self.config.page_bytes;
        let mut failed = Ok(());
        let mut segments = places.segments();
        for Moving { pages, slot } in passage.moving.drain(..) {
            let result = outcome.result(slot);
            for (i, moved) in (0..).zip(pages) {
                let fault = Fault::in_run(result, i, page_bytes);
                segments.moved(moved, fault.is_none(), &places.map);
                self.counters.moves.add(1);
                if let Some(fault) = fault {
                    self.counters.write_errors.add(1);
                    failed = failed.and(Err(fault.error(PageOp::Write, moved.page, page_bytes)));
                }
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
        let mut runs = Vec::with_capacity(passage.reads.len());
        let mut chosen = Ok(());
        for Reading { places: read, slot } in std::mem::take(&mut passage.reads) {
            // The slot is free again, and nobody has used it since.
            io.take_back(slot);
            match self.found_in(io, places, read.clone(), (slot, outcome.result(slot))) {
                Ok(found) if !found.is_empty() => runs.push(Chosen { slot, first: read.start, found }),
                Ok(_) => io.give_back(slot),
                Err(error) => {
                    io.give_back(slot);
                    chosen = Err(error);
                }
            }
        }
        let pages = runs.iter().map(|run| run.found.len()).sum();
        if pages == 0 {
            return chosen;
        }
        let tickets = chosen.and_then(|()| self.tickets(io, places, pages, Writer::Cleaning));
        let mut tickets =
            tickets.inspect_err(|_| runs.iter().for_each(|run| io.give_back(run.slot)))?.into_iter();
        let mut lost = Ok(());
        for run in runs {
            let tickets = tickets.by_ref().take(run.found.len());
            lost = lost.and(self.make_ready(io, places, passage, run, tickets));
        }
        lost.inspect_err(|_| self.drop_moving(io, places, passage))
    }

    /// The pages of a run that was read which must move, each with its place.
    fn found_in(
        &self,
        io: &mut IoQueueGuard<'_>,
        places: &Places,
        read: Range<Place>,
        (slot, result): (u32, i32),
    ) -> Result<Vec<(Place, Found)>, PoolError> {
        let page_bytes = self.config.page_bytes as usize;
        let bytes = self.run_read(io, places.layout.device_page(read.start), read.len(), (slot, result))?;
        let pages = read.clone().zip(bytes.chunks_exact(page_bytes));
        let said = pages.filter_map(|(place, bytes)| Some((place, Found::said_by(bytes)?)));
        let mut found: Vec<(Place, Found)> = said.collect();
        {
            let segments = places.segments();
            found.retain(|(place, found)| segments.is_needed(found.page, *place, &places.map));
        }
        found.retain(|(place, found)| {
            let at = (place - read.start) as usize * page_bytes;
            checksum::verify(&bytes[at..at + page_bytes], found.page).is_ok()
        });
        Ok(found)
    }

    /// Moves the pages of a run together in its buffer, and stamps them. Where their new places are not all
    /// neighbours, the rest goes to another slot.
    fn make_ready(
        &self,
        io: &mut IoQueueGuard<'_>,
        places: &Places,
        passage: &mut Passage,
        Chosen { slot, first, found }: Chosen,
        tickets: impl Iterator<Item = Ticket>,
    ) -> Result<(), PoolError> {
        let page_bytes = self.config.page_bytes as usize;
        let mut lost = Ok(());
        let mut next = None;
        for ((from, found), ticket) in found.into_iter().zip(tickets) {
            if next != Some(ticket.place) {
                let slot = if next.is_none() { slot } else { io.large_slot() };
                passage.moving.push(Moving { pages: Vec::new(), slot });
            }
            next = Some(ticket.place + 1);
            let run = passage.moving.last_mut().expect("the first page begins one");
            let (page, version) = (found.page, found.version);
            let moved = Moved { page, from, to: ticket.place, version };
            let (at, to) = ((from - first) as usize * page_bytes, run.pages.len() * page_bytes);
            if copy_moving(io, (slot, at), (run.slot, to), page_bytes, &found, ticket) {
                run.pages.push(moved);
            } else {
                places.segments().moved(moved, false, &places.map);
                lost = Err(Fault::Errno(EIO).error(PageOp::Read, found.page, self.config.page_bytes));
            }
        }
        lost
    }

    /// Pages that do not move after all.
    fn drop_moving(&self, io: &mut IoQueueGuard<'_>, places: &Places, passage: &mut Passage) {
        let mut segments = places.segments();
        for Moving { pages, slot } in passage.moving.drain(..) {
            io.give_back(slot);
            pages.into_iter().for_each(|moved| segments.moved(moved, false, &places.map));
        }
    }
}

/// Copies a page from a byte of one slot's buffer to a byte of another's, or of the same one, and stamps it;
/// false where the queue pair broke while places were found, and its buffers are gone.
fn copy_moving(
    io: &mut IoQueueGuard<'_>,
    (from_slot, at): (u32, usize),
    (to_slot, to): (u32, usize),
    page_bytes: usize,
    found: &Found,
    ticket: Ticket,
) -> bool {
    let Ok(buffer) = io.buffer(from_slot) else { return false };
    let from = at..at + page_bytes;
    if !stamp::is_write(&buffer[from.clone()], found.write) {
        return false;
    }
    let buffer = if from_slot == to_slot {
        buffer.copy_within(from, to);
        buffer
    } else {
        let bytes = buffer[from].to_vec();
        let Ok(buffer) = io.buffer(to_slot) else { return false };
        buffer[to..to + page_bytes].copy_from_slice(&bytes);
        buffer
    };
    let bytes = &mut buffer[to..to + page_bytes];
    Ticket { version: found.version, ..ticket }.stamp(bytes);
    checksum::seal(bytes, found.page);
    true
}
