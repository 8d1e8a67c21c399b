//! The drive proper, behind the link.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use leadline_device::{Geometry, Nanos, Request, Wear};

/// A request at the drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Job {
    pub(crate) request: Request,
    /// Which request it is, in the order in which the host sent them.
    pub(crate) sequence: u64,
    /// When the last of a write's data is there; of other requests the time of arrival.
    pub(crate) data_at: Nanos,
}

/// What a drive is done with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Finished {
    pub(crate) at: Nanos,
    /// When the first of a read's data could leave the drive, at most `at`.
    pub(crate) first: Nanos,
    pub(crate) job: Job,
}

/// The inside of a drive: requests in with the time at which they are there, what is done out.
pub(crate) trait Drive: Send {
    /// What it presents itself as.
    fn geometry(&self) -> Geometry;

    /// A request is there at `at`, which is not before the last arrival nor before the last
    /// [`Drive::advance`]; all that was to happen before `at` has happened.
    fn arrive(&mut self, job: Job, at: Nanos);

    /// When something happens inside next, if nothing more arrives.
    fn next(&self) -> Option<Nanos>;

    /// Time passes to `now`: appends what is done by then, in the order of time.
    fn advance(&mut self, now: Nanos, finished: &mut Vec<Finished>);

    /// What it has done to its medium.
    fn wear(&self) -> Wear;
}

/// Requests whose end is known, by time; at the same time in the order of arrival.
#[derive(Default)]
pub(crate) struct Due {
    heap: BinaryHeap<Reverse<Finished>>,
}

impl Due {
    pub(crate) fn push(&mut self, finished: Finished) {
        self.heap.push(Reverse(finished));
    }

    pub(crate) fn next(&self) -> Option<Nanos> {
        self.heap.peek().map(|Reverse(finished)| finished.at)
    }

    /// The next one, if it is done by `now`.
    pub(crate) fn pop(&mut self, now: Nanos) -> Option<Finished> {
        if self.next()? > now {
            return None;
        }
        self.heap.pop().map(|Reverse(finished)| finished)
    }
}

impl Finished {
    fn key(&self) -> (Nanos, u64) {
        (self.at, self.job.sequence)
    }
}

impl Ord for Finished {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Finished {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
