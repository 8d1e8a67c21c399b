//! Places for a batch: cleaning comes first where too few segments are free.

use std::sync::atomic::Ordering::Relaxed;

use crate::buffer::core::Core;
use crate::buffer::error::PoolError;
use crate::buffer::frames::WriteBack;
use crate::buffer::io_queue::IoQueueGuard;
use crate::buffer::places::Places;
use crate::buffer::places::segments::{Allocation, Writer};
use crate::buffer::places::stamp::Ticket;

impl Core {
    /// Gives each page of a batch a place, where pages are written out of place.
    ///
    /// # Errors
    /// [`PoolError::Full`], and what cleaning came to; the pages are dirty as before.
    pub(crate) fn find_places(
        &self,
        io: &mut IoQueueGuard<'_>,
        mut batch: Vec<WriteBack>,
    ) -> Result<Vec<WriteBack>, PoolError> {
        let Some(places) = &self.places else { return Ok(batch) };
        let is_checkpoint = places.checkpoints.load(Relaxed) > 0;
        let writer = if is_checkpoint { Writer::Checkpoint } else { Writer::User };
        match self.tickets(io, places, batch.len(), writer) {
            Ok(tickets) => {
                batch.iter_mut().zip(tickets).for_each(|(write, ticket)| write.ticket = Some(ticket));
                Ok(batch)
            }
            Err(error) => {
                self.counters.write_errors.add(batch.len() as u64);
                batch.into_iter().for_each(|write| self.end_write(write, false));
                Err(error)
            }
        }
    }

    /// Places for consecutive writes.
    pub(super) fn tickets(
        &self,
        io: &mut IoQueueGuard<'_>,
        places: &Places,
        count: usize,
        writer: Writer,
    ) -> Result<Vec<Ticket>, PoolError> {
        loop {
            let allocation = places.segments().allocate(count, writer);
            match allocation {
                Allocation::Tickets(tickets) => return Ok(tickets),
                Allocation::Announce(segments) => self.announce(io, places, segments)?,
                Allocation::Full => return Err(self.full(places)),
                Allocation::Clean if writer == Writer::Cleaning => return Err(self.full(places)),
                Allocation::Clean => self.clean_segments(io, places)?,
                Allocation::Tidy => self.tidy_segments(io, places)?,
            }
        }
    }

    /// Says that there is no room.
    pub(super) fn full(&self, places: &Places) -> PoolError {
        let (_, kept) = places.segments().room();
        PoolError::Full { segments: places.layout.segments, kept }
    }

    /// The write of a page is over, or is not to be; not `ok`, the page is dirty again.
    pub(crate) fn end_write(&self, write: WriteBack, ok: bool) {
        if let (Some(places), Some(ticket)) = (&self.places, write.ticket) {
            places.segments().written(write.page, ticket.place, ok, &places.map);
        }
        self.frames.end_write_back(write, ok);
    }

    /// The byte of the device at which a page is; `None` where it is zeros.
    #[inline]
    pub(crate) fn offset(&self, page: crate::policy::Page) -> Option<u64> {
        match &self.places {
            Some(places) => places.offset(page),
            None => Some(page * u64::from(self.config.page_bytes)),
        }
    }
}
