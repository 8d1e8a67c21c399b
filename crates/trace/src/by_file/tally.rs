//! What is counted of one file.

use super::Usage;
use super::distinct::{Distinct, Sample};
use super::runs::{Extent, Runs, Span};
use crate::capture::Operation;

/// Counts the requests to a file.
#[derive(Debug, Default)]
pub(super) struct Tally {
    reads: Side,
    writes: Side,
    syncs: u64,
    others: u64,
    distinct: Distinct,
    busy: Busy,
}

/// Reads, or writes.
#[derive(Debug, Default)]
struct Side {
    requests: u64,
    bytes: u64,
    pages: u64,
    runs: Runs,
}

impl Tally {
    /// A read or write. Says how many chunks of the map of pages were added.
    #[inline]
    pub(super) fn moved(&mut self, write: bool, span: &Span, extent: Extent, sample: Sample) -> usize {
        let side = if write { &mut self.writes } else { &mut self.reads };
        side.requests += 1;
        side.bytes += span.bytes;
        side.pages += span.pages;
        side.runs.add(span, extent);
        self.distinct.add(span.first, span.pages, sample)
    }

    /// A request that moved nothing: a sync, another operation, or a read or write that failed.
    pub(super) fn moved_nothing(&mut self, operation: Operation) {
        match operation {
            Operation::Sync => self.syncs += 1,
            _ if !operation.moves_bytes() => self.others += 1,
            _ => {}
        }
    }

    /// A request was in flight from one time to the other.
    #[inline]
    pub(super) fn in_flight(&mut self, issued_ns: u64, completed_ns: u64) {
        self.busy.add(issued_ns, completed_ns);
    }

    /// Forgets what is not in the sample any more; says how many chunks are left.
    pub(super) fn thin(&mut self, sample: Sample) -> usize {
        self.distinct.thin(sample)
    }

    pub(super) fn finish(mut self, page_bytes: u32, extent: Extent, sample: Sample, timed: bool) -> Usage {
        let (sequential_page_reads, random_page_reads) = self.reads.runs.finish(extent);
        let (sequential_page_writes, random_page_writes) = self.writes.runs.finish(extent);
        let distinct_pages = self.distinct.count(sample);
        Usage {
            reads: self.reads.requests,
            writes: self.writes.requests,
            syncs: self.syncs,
            other_operations: self.others,
            read_bytes: self.reads.bytes,
            written_bytes: self.writes.bytes,
            page_reads: self.reads.pages,
            page_writes: self.writes.pages,
            sequential_page_reads,
            random_page_reads,
            sequential_page_writes,
            random_page_writes,
            distinct_pages,
            footprint_bytes: distinct_pages.saturating_mul(page_bytes.into()),
            io_seconds: timed.then(|| self.busy.seconds()),
            ..Usage::default()
        }
        .with_shares()
    }
}

/// The time during which something was in flight: the union of intervals that come by their beginnings.
#[derive(Debug, Default)]
pub(super) struct Busy {
    total_ns: u64,
    until_ns: u64,
}

impl Busy {
    #[inline]
    pub(super) fn add(&mut self, from_ns: u64, to_ns: u64) {
        let from_ns = from_ns.max(self.until_ns);
        if to_ns > from_ns {
            self.total_ns += to_ns - from_ns;
            self.until_ns = to_ns;
        }
    }

    pub(super) fn seconds(&self) -> f64 {
        self.total_ns as f64 / 1e9
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_overlaps_counts_once() {
        let mut busy = Busy::default();
        for (from, to) in [(0, 10), (5, 8), (5, 20), (30, 40), (40, 41), (40, 40)] {
            busy.add(from, to);
        }
        assert_eq!(busy.total_ns, 20 + 11);
    }
}
