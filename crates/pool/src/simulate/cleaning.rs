//! The background cleaner: keeps the pages that go next clean, so that a miss need not wait for a write.

use leadline_device::Nanos;

use super::engine::Engine;
use super::io::Task;
use super::{Config, SimulateError};
use crate::ace::{Cleaner, reserve};
use crate::policy::Policy;

/// What the cleaner knows.
#[derive(Debug)]
pub(super) struct Cleaning {
    /// Most writes in flight; 0 for no cleaner.
    depth: u32,
    /// Pages at the head of the virtual order that it keeps clean.
    pub(super) reserve: u32,
    /// Its writes in flight.
    pub(super) in_flight: u32,
    /// Evictions until it looks again.
    rest: u32,
    /// Since when, without a break, it has had all the writes in flight that it may, and how many were done since.
    full: Option<(Nanos, u32)>,
}

impl Cleaning {
    pub(super) fn new(config: &Config) -> Self {
        let n = config.batch();
        let depth = match config.cleaner {
            Cleaner::Off => 0,
            Cleaner::Depth(depth) => depth.min(config.frames),
            Cleaner::Auto => n,
        };
        Cleaning { depth, reserve: reserve(config.frames, n), in_flight: 0, rest: 0, full: None }
    }

    /// One of the reserve is used up.
    #[inline]
    pub(super) fn evicted(&mut self) {
        self.rest = self.rest.saturating_sub(1);
    }
}

impl<P: Policy> Engine<'_, P> {
    /// Lets the cleaner write what it finds dirty in its reserve.
    #[inline]
    pub(super) fn clean(&mut self) -> Result<(), SimulateError> {
        if self.config.cleaner == Cleaner::Auto {
            let n = self.batch_pages();
            (self.cleaning.depth, self.cleaning.reserve) = (n, reserve(self.config.frames, n));
        }
        let cleaning = &mut self.cleaning;
        if cleaning.in_flight >= cleaning.depth || cleaning.rest > 0 {
            return Ok(());
        }
        let (most, reserve) = (cleaning.depth - cleaning.in_flight, cleaning.reserve);
        let frames = &self.frames;
        let chosen =
            self.writer.dirty_everywhere(&mut self.policy, reserve, most, |frame| frames.state(frame));
        self.batch.clear();
        self.batch.extend_from_slice(chosen);
        let found = self.batch.len() as u32;
        if found < most {
            // All clean as far as it looked: an eighth of it may be used up before the next look.
            self.cleaning.rest = reserve / 8;
        }
        self.outcome.writes_by_cleaner += u64::from(found);
        if self.io.is_some() {
            self.cleaning.in_flight += found;
        }
        for i in 0..self.batch.len() {
            self.write(self.batch[i], Task::Clean)?;
        }
        Ok(())
    }

    /// One of the cleaner's writes is done.
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
