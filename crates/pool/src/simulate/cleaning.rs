//! The background cleaner: keeps the pages that go next clean, so that a miss need not wait for a write.

use super::SimulateError;
use super::io::Task;
use super::simulator::Simulator;
use crate::ace::Cleaner;
use crate::evict::reserve;
use crate::policy::Policy;

impl<P: Policy> Simulator<'_, P> {
    /// Lets the cleaner write what it finds dirty in its reserve.
    #[inline]
    pub(super) fn clean(&mut self) -> Result<(), SimulateError> {
        let n = self.batch_pages();
        if self.config.cleaner == Cleaner::Auto {
            self.cleaning.depth = n;
        }
        let cleaning = &mut self.cleaning;
        if cleaning.in_flight >= cleaning.depth || self.frames.evictions < cleaning.look_at {
            return Ok(());
        }
        let most = cleaning.depth - cleaning.in_flight;
        let found = self.evictor.clean(&mut self.frames, n, most);
        if found < most {
            // All clean as far as it looked: an eighth of it may be used up before the next look.
            cleaning.look_at = self.frames.evictions + u64::from(reserve(self.config.frames, n) / 8);
        }
        self.outcome.writes_by_cleaner += u64::from(found);
        if self.io.is_some() {
            self.cleaning.in_flight += found;
        }
        self.send_batch(Task::Clean)
    }

    /// One of the cleaner's writes has completed.
    pub(super) fn cleaned_one(&mut self) -> Result<(), SimulateError> {
        let (before, depth) = (self.cleaning.in_flight, self.cleaning.depth);
        self.cleaning.in_flight -= 1;
        self.clean()?;
        let (Some(adaptive), Some(io)) = (&mut self.adaptive, &self.io) else { return Ok(()) };
        if self.config.cleaner != Cleaner::Auto {
            return Ok(());
        }
        // Only a cleaner that is never short of dirty pages tells how fast so many writes at once go.
        let kept_full = before == depth && self.cleaning.in_flight == depth;
        self.cleaning.full = match self.cleaning.full {
            Some((since, done)) if kept_full && done + 1 >= 2 * depth => {
                adaptive.wrote(done + 1, io.now() - since);
                Some((io.now(), 0))
            }
            Some((since, done)) if kept_full => Some((since, done + 1)),
            _ if kept_full => Some((io.now(), 0)),
            _ => None,
        };
        Ok(())
    }
}
