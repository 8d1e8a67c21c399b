//! Places for a batch: cleaning comes first where too few segments are free.

use crate::buffer::core::Core;
use crate::buffer::error::PoolError;
use crate::buffer::frames::WriteBack;
use crate::buffer::io_queue::IoQueueGuard;
use crate::buffer::places::Places;
use crate::buffer::places::segments::{Allocation, Writer};
use crate::buffer::places::stamp::Ticket;
use crate::buffer::reap::IoResults;

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
        match self.tickets(io, places, batch.len(), places.user()) {
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

    /// As [`Core::find_places`], if it takes no I/O; the batch as it was otherwise.
    fn places_at_hand(&self, mut batch: Vec<WriteBack>) -> Result<Vec<WriteBack>, Vec<WriteBack>> {
        let Some(places) = &self.places else { return Ok(batch) };
        match places.segments().allocate(batch.len(), places.user()) {
            Allocation::Tickets(tickets) => {
                batch.iter_mut().zip(tickets).for_each(|(write, ticket)| write.ticket = Some(ticket));
                Ok(batch)
            }
            _ => Err(batch),
        }
    }

    /// Sends a batch that may still be in flight afterwards, like others before it, which `outcome` counts.
    ///
    /// # Errors
    /// What finding places, waiting for the others first where that takes I/O, and staging came to.
    pub(crate) fn send_batch(
        &self,
        io: &mut IoQueueGuard<'_>,
        batch: Vec<WriteBack>,
        outcome: &mut IoResults,
    ) -> Result<(), PoolError> {
        let batch = match self.places_at_hand(batch) {
            Ok(batch) => batch,
            Err(batch) => {
                // Cleaning has the I/O queue for itself.
                if let Err(error) = self.reap_written(io, outcome) {
                    batch.into_iter().for_each(|write| self.end_write(write, false));
                    return Err(error);
                }
                self.find_places(io, batch).inspect_err(|_| self.write_failed())?
            }
        };
        let runs = self.runs(batch);
        let mut reaped = Ok(());
        // Batches that are in flight may be in many small runs.
        while self.places.is_some() && io.large_slots() < runs.len() && outcome.writing > 0 && reaped.is_ok()
        {
            reaped = self.reap(io, 1, outcome);
        }
        if let Err(error) = reaped {
            runs.into_iter().flatten().for_each(|write| self.end_write(write, false));
            return Err(error);
        }
        let staged = self.stage(io, runs).inspect_err(|_| self.write_failed())?;
        self.send(io, staged, outcome);
        Ok(())
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
                Allocation::Map => self.write_first_map(io, places)?,
                Allocation::Announce(segments) => self.announce(io, places, segments)?,
                Allocation::Full => return Err(self.full(places)),
                Allocation::Clean if writer == Writer::Cleaning => return Err(self.full(places)),
                Allocation::Clean => self.clean_segments(io, places, count)?,
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
            places.segments().written(write.page, ticket, ok, &places.map);
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
