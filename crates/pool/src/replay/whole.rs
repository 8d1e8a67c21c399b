//! All pages one after the other, in large requests: laid out before the first run, compared after the last.

use std::io;

use leadline_device::{Device, NEVER, Op, Payload, QueuePair, QueueShape, Request};

use super::{ReplayArea, ReplayError, ReplayPhase, Watch, stamp};
use crate::buffer::checksum;

/// Bytes of a request, where pages are no larger.
const REQUEST_BYTES: u32 = 1 << 20;

/// Requests in flight.
const DEPTH: u32 = 8;

/// Seed of the content of pages, in addition to their stamps.
const SEED: u64 = 7;

/// What is done with a page: its place and its bytes.
type Work<'a> = &'a mut dyn FnMut(u32, &mut [u8]) -> Result<(), ReplayError>;

impl ReplayArea {
    /// Writes every page in version 0, and makes that durable.
    pub(super) fn write_all(&self, watch: &mut Watch<'_>) -> Result<(), ReplayError> {
        let mut payload = Payload::new(SEED);
        let mut queue = self.over_all(Op::Write, watch, &mut |place, bytes| {
            payload.fill(bytes);
            stamp::put(&mut bytes[..self.page_len()], self.footprint.page(place), 0);
            if self.checksums {
                checksum::seal(bytes, u64::from(place));
            }
            Ok(())
        })?;
        queue.submit(Request::flush(0))?;
        let mut completions = Vec::new();
        while completions.is_empty() {
            queue.reap(1, NEVER, &mut completions)?;
        }
        match completions[0].result {
            result if result < 0 => Err(self.failed(ReplayPhase::Flushing, 0, result)),
            _ => Ok(()),
        }
    }

    /// Reads every page, and compares it with what the runs left there; how many those were.
    ///
    /// # Errors
    /// [`ReplayError::Mismatch`] names the first page that holds something else; what a read came to;
    /// [`ReplayError::Unknown`] after a run that did not end well; [`ReplayError::Cancelled`].
    pub fn verify(&self, watch: &mut Watch<'_>) -> Result<u32, ReplayError> {
        self.check_known()?;
        self.over_all(Op::Read, watch, &mut |place, bytes| {
            if self.checksums && checksum::verify(bytes, u64::from(place)).is_err() {
                return Err(self.mismatch(place, "its checksum does not fit".into()));
            }
            self.check_stamps(place, &bytes[..self.page_len()])
        })?;
        Ok(self.footprint.pages())
    }

    /// Reads or writes all pages; `work` has each, before it is written or after it was read.
    fn over_all(
        &self,
        op: Op,
        watch: &mut Watch<'_>,
        work: Work<'_>,
    ) -> Result<Box<dyn QueuePair>, ReplayError> {
        let page_bytes = self.page_bytes;
        let (pages, at_once) = (self.footprint.pages(), (REQUEST_BYTES / page_bytes).max(1));
        let mut queue = self.window.queue_pair(QueueShape::new(DEPTH, at_once * page_bytes))?;
        let mut each = |queue: &mut dyn QueuePair, slot: u32, first: u32, count: u32| {
            let buffer = &mut queue.buffer(slot)[..(count * page_bytes) as usize];
            (first..first + count)
                .zip(buffer.chunks_exact_mut(page_bytes as usize))
                .try_for_each(|(place, bytes)| work(place, bytes))
        };
        // First page and number of pages in each slot.
        let mut spans = [(0, 0); DEPTH as usize];
        let mut free: Vec<u32> = (0..DEPTH).collect();
        let (mut next, mut done, mut completions) = (0, 0, Vec::new());
        while done < pages {
            watch.look(f64::from(done) / f64::from(pages))?;
            while next < pages
                && let Some(slot) = free.pop()
            {
                let count = at_once.min(pages - next);
                spans[slot as usize] = (next, count);
                let (offset, len) = (u64::from(next) * u64::from(page_bytes), count * page_bytes);
                if op == Op::Write {
                    each(&mut *queue, slot, next, count)?;
                    queue.submit(Request::write(slot, offset, len))?;
                } else {
                    queue.submit(Request::read(slot, offset, len))?;
                }
                next += count;
            }
            queue.reap(1, NEVER, &mut completions)?;
            for completion in completions.drain(..) {
                let (first, count) = spans[completion.slot as usize];
                if completion.result != (count * page_bytes) as i32 {
                    let phase = match op {
                        Op::Write => ReplayPhase::LayingOut,
                        Op::Read | Op::Flush | Op::Trim => ReplayPhase::Verifying,
                    };
                    return Err(self.failed(phase, first, completion.result));
                }
                if op == Op::Read {
                    each(&mut *queue, completion.slot, first, count)?;
                }
                done += count;
                free.push(completion.slot);
            }
        }
        Ok(queue)
    }

    /// A request failed, or moved too little.
    fn failed(&self, phase: ReplayPhase, place: u32, result: i32) -> ReplayError {
        let source = if result < 0 {
            io::Error::from_raw_os_error(-result)
        } else {
            io::Error::new(
                io::ErrorKind::UnexpectedEof,
                format!("{result} bytes were moved, fewer than asked for"),
            )
        };
        let offset = self.start + u64::from(place) * u64::from(self.page_bytes);
        ReplayError::Io { phase, offset, source }
    }
}
