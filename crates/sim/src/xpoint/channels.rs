//! The channels, and whose turn it is on them.

use std::collections::VecDeque;

use leadline_device::Nanos;

use super::{PAGE_BYTES, XpointSpec};
use crate::host::Job;
use crate::nearest::nearest;

/// A read or write whose data the channels move.
#[derive(Debug, Clone, Copy)]
pub(super) struct Transfer {
    pub(super) job: Job,
    pub(super) write: bool,
    /// What it takes after its data was moved.
    pub(super) after: Nanos,
    /// The next byte to move.
    at: u64,
    /// When its first page had its turn.
    begun: Option<Nanos>,
    /// When the last that was moved is through.
    through: Nanos,
}

impl Transfer {
    pub(super) fn new(job: Job, write: bool, after: Nanos) -> Self {
        Transfer { job, write, after, at: job.request.offset, begun: None, through: 0 }
    }

    /// From the first byte on a channel to the last.
    pub(super) fn took(&self) -> Nanos {
        self.through - self.begun.unwrap_or(self.through)
    }

    pub(super) fn through(&self) -> Nanos {
        self.through
    }

    fn end(&self) -> u64 {
        self.job.request.offset + u64::from(self.job.request.len)
    }

    /// The end of its next page.
    fn page_end(&self) -> u64 {
        self.end().min((self.at / PAGE_BYTES + 1) * PAGE_BYTES)
    }
}

/// The channels. Requests take turns page by page, so that a small one does not wait for all of a large one.
pub(super) struct Channels {
    /// When each is free again.
    free: Vec<Nanos>,
    part_bytes: u64,
    /// What a part takes on its channel.
    read_part: Nanos,
    write_part: Nanos,
    turns: VecDeque<Transfer>,
    /// When the first of `turns` has its turn.
    next: Option<Nanos>,
}

impl Channels {
    pub(super) fn new(spec: &XpointSpec) -> Self {
        let (channels, part) = (spec.geometry.channels, spec.geometry.part_bytes);
        let part_time = |mb_per_s: f64| nearest(f64::from(part * channels) * 1e3 / mb_per_s).max(1);
        Channels {
            free: vec![0; channels as usize],
            part_bytes: part.into(),
            read_part: part_time(spec.timing.read_mb_per_s),
            write_part: part_time(spec.timing.write_mb_per_s),
            turns: VecDeque::new(),
            next: None,
        }
    }

    /// Bytes that are moved for a request, in whole parts.
    pub(super) fn moved_bytes(&self, offset: u64, len: u32) -> u64 {
        let end = offset + u64::from(len);
        end.next_multiple_of(self.part_bytes) - offset / self.part_bytes * self.part_bytes
    }

    /// A request wants its turns from `now` on.
    pub(super) fn join(&mut self, transfer: Transfer, now: Nanos) {
        self.turns.push_back(transfer);
        if self.turns.len() == 1 {
            self.next = self.free_at().map(|at| at.max(now));
        }
    }

    /// When the next page has its turn.
    pub(super) fn next(&self) -> Option<Nanos> {
        self.next
    }

    /// Gives the next page its turn, at [`Channels::next`]: the request, if that was its last page.
    pub(super) fn turn(&mut self, now: Nanos) -> Option<Transfer> {
        let mut transfer = self.turns.pop_front()?;
        let (end, time) =
            (transfer.page_end(), if transfer.write { self.write_part } else { self.read_part });
        for channel in self.used(&transfer) {
            self.free[channel] = now.max(self.free[channel]).saturating_add(time);
            transfer.through = transfer.through.max(self.free[channel]);
        }
        transfer.begun.get_or_insert(now);
        transfer.at = end;
        let over = end == transfer.end();
        if !over {
            self.turns.push_back(transfer);
        }
        self.next = self.free_at().map(|at| at.max(now));
        over.then_some(transfer)
    }

    /// When all channels that the next page needs are free.
    fn free_at(&self) -> Option<Nanos> {
        let transfer = self.turns.front()?;
        self.used(transfer).map(|channel| self.free[channel]).max()
    }

    /// The channels of the parts of a request's next page.
    fn used(&self, transfer: &Transfer) -> impl Iterator<Item = usize> + use<> {
        let channels = self.free.len() as u64;
        let (first, last) = (transfer.at / self.part_bytes, (transfer.page_end() - 1) / self.part_bytes);
        (first..=last).map(move |part| (part % channels) as usize)
    }
}
