//! Cleaning: pages move out of segments that hold few, so that these become free. It happens in the path of
//! whoever writes, client or background cleaner, one at a time. Moved pages have a segment of their own: they
//! have not been changed for some time, and will not be soon.

use std::sync::atomic::Ordering::Relaxed;

use leadline_device::Request;

use crate::buffer::checksum;
use crate::buffer::core::Core;
use crate::buffer::error::PoolError;
use crate::buffer::io_queue::IoQueueGuard;
use crate::buffer::places::Places;
use crate::buffer::places::layout::Place;
use crate::buffer::places::segments::{Segments, Writer};
use crate::buffer::places::stamp::{Found, Ticket};
use crate::policy::Page;

/// Most segments that are cleaned for one flush.
const AT_ONCE: u32 = 4;

/// A page that moves.
struct Moving {
    page: Page,
    from: Place,
    version: u64,
    bytes: Vec<u8>,
}

impl Core {
    /// Makes segments free, at least one.
    ///
    /// # Errors
    /// [`PoolError::Full`] where every place is needed; what moving pages or the flush came to.
    pub(super) fn clean_segments(&self, io: &mut IoQueueGuard<'_>, places: &Places) -> Result<(), PoolError> {
        let _one = places.cleaning();
        self.recycle(io, places)?;
        if places.segments().is_roomy() {
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
        let mut cleaned = 0;
        while cleaned < AT_ONCE && is_worth_while(&places.segments()) {
            let Some(victim) = places.segments().victim() else { break };
            if let Err(error) = self.move_pages(io, places, victim) {
                places.segments().spare_victim(victim);
                return Err(error);
            }
            cleaned += 1;
        }
        Ok(cleaned)
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

    /// Moves what is needed out of a segment. A page that cannot be read, or is corrupt, stays.
    fn move_pages(&self, io: &mut IoQueueGuard<'_>, places: &Places, victim: u32) -> Result<(), PoolError> {
        let all: Vec<Place> = places.layout.range(victim).collect();
        for some in all.chunks(self.config.moved_at_once() as usize) {
            let pages: Vec<u64> = some.iter().map(|place| places.layout.device_page(*place)).collect();
            let read = self.read_pages(io, &pages)?;
            let moving = some.iter().zip(read).filter_map(|(from, bytes)| {
                let bytes = bytes.ok()?;
                let Found { page, version, .. } = Found::in_bytes(&bytes)?;
                let is_needed = places.segments().is_needed(page, *from, &places.map);
                is_needed.then_some(Moving { page, from: *from, version, bytes })
            });
            let moving: Vec<Moving> = moving.collect();
            if !moving.is_empty() {
                self.write_moving(io, places, moving)?;
            }
        }
        Ok(())
    }

    fn write_moving(
        &self,
        io: &mut IoQueueGuard<'_>,
        places: &Places,
        mut moving: Vec<Moving>,
    ) -> Result<(), PoolError> {
        let tickets = self.tickets(io, places, moving.len(), Writer::Cleaning)?;
        let mut pages = Vec::with_capacity(moving.len());
        for (moving, ticket) in moving.iter_mut().zip(&tickets) {
            let mut bytes = std::mem::take(&mut moving.bytes);
            Ticket { version: moving.version, ..*ticket }.stamp(&mut bytes);
            checksum::seal(&mut bytes, moving.page);
            pages.push((places.layout.device_page(ticket.place), bytes));
        }
        let written = self.write_pages(io, &pages);
        let mut segments = places.segments();
        for (moving, ticket) in moving.iter().zip(&tickets) {
            let Moving { page, from, .. } = *moving;
            segments.moved(page, from, ticket.place, written.is_ok(), &places.map);
        }
        self.counters.moves.add(moving.len() as u64);
        let named = |error| match error {
            PoolError::Io { op, page, source } => {
                PoolError::Io { op, page: name(&moving, &pages, page), source }
            }
            other => other,
        };
        written.map_err(named)
    }
}

/// The page that was to be written to a page of the device.
fn name(moving: &[Moving], pages: &[(u64, Vec<u8>)], at: u64) -> Page {
    let found = moving.iter().zip(pages).find(|(_, page)| page.0 == at);
    found.map_or(at, |(moving, _)| moving.page)
}
