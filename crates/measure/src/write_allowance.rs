//! Writes within a budget: the bytes that are left are shared over the slices to come, so that every curve is
//! measured to the end.

/// A shortened window lasts for at least that many rounds of k requests: a shorter one would count waves, not
/// a rate.
const LEAST_ROUNDS: f64 = 2.0;

/// No window is shortened below this, seconds.
const LEAST_SECONDS: f64 = 0.001;

/// Share of the bytes left that is never planned for, because a slice may write more than was expected of it.
const RESERVE: f64 = 1.0 / 16.0;

/// Share of the budget after which the search only doubles, and the share that it never exceeds.
const SEARCH: (f64, f64) = (0.2, 0.5);

/// Write slices per curve that the search plans for.
const SEARCH_SLICES: f64 = 30.0;

/// Bytes that a whole run may write.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WriteBudget {
    total: u64,
    /// Written before measuring began.
    before: u64,
}

impl WriteBudget {
    /// `total` bytes, of which preparing took `before`.
    pub(crate) fn new(total: u64, before: u64) -> Self {
        WriteBudget { total, before }
    }

    /// What is left where `written` bytes were written, preparation included.
    pub(crate) fn left(&self, written: u64) -> u64 {
        self.total.saturating_sub(written)
    }

    /// Whether the search has bytes left for more than doubling.
    pub(crate) fn search_may_bisect(&self, written: u64) -> bool {
        self.searched(written) < SEARCH.0 * self.at_first()
    }

    /// Whether the search can write a slice and leave the epochs their share.
    pub(crate) fn search_affords(&self, written: u64, slice: &WriteSlice) -> bool {
        self.searched(written) + slice.least_bytes() <= SEARCH.1 * self.at_first()
    }

    /// Length of a slice of the search over that many curves that write, seconds.
    pub(crate) fn search_length(&self, slice: &WriteSlice, curves: usize) -> f64 {
        slice.length(SEARCH.0 * self.at_first() / (SEARCH_SLICES * curves as f64))
    }

    /// Bytes for search and epochs.
    fn at_first(&self) -> f64 {
        self.left(self.before) as f64
    }

    fn searched(&self, written: u64) -> f64 {
        written.saturating_sub(self.before) as f64
    }
}

/// A write slice to come.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WriteSlice {
    /// Requests in flight.
    pub(crate) k: u32,
    /// Bytes per request.
    pub(crate) block_bytes: u32,
    /// Expected throughput, operations per second.
    pub(crate) iops: f64,
    /// Length that it has where bytes do not matter, seconds.
    pub(crate) full: f64,
    /// Length below which the device cannot be measured at all, seconds.
    pub(crate) floor: f64,
}

impl WriteSlice {
    /// Expected bytes of a slice of `seconds`: k requests in the ramp, k in the drain, and the window between
    /// them, which opens after a twentieth of the slice.
    fn bytes(&self, seconds: f64) -> f64 {
        f64::from(self.block_bytes) * (2.0 * f64::from(self.k) + 1.05 * self.iops * seconds)
    }

    /// The shortest that is still a measurement, seconds.
    fn shortest(&self) -> f64 {
        let rounds = LEAST_ROUNDS * f64::from(self.k) / self.iops.max(1e-9);
        rounds.max(LEAST_SECONDS).max(self.floor).min(self.full.max(self.floor))
    }

    /// Expected bytes of the shortest slice.
    pub(crate) fn least_bytes(&self) -> f64 {
        self.bytes(self.shortest())
    }

    /// The length that writes about `most` bytes, seconds: never longer than the full length, never shorter
    /// than the shortest.
    pub(crate) fn length(&self, most: f64) -> f64 {
        let fixed = self.bytes(0.0);
        let each = self.bytes(1.0) - fixed;
        ((most - fixed) / each.max(1e-9)).min(self.full).max(self.shortest())
    }
}

/// What the write slices of one epoch may write.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct WriteAllowance {
    /// Most bytes per slice; infinite where no slice is shortened.
    pub(crate) most: f64,
    /// Share of the epochs to come in which writes can be measured, 0 to 1.
    pub(crate) epochs: f64,
    /// Expected time of the write slices of an epoch that has them, seconds.
    pub(crate) seconds: f64,
}

impl WriteAllowance {
    /// Shares `left` bytes over `epochs` epochs of these slices. Slices that write little keep their length;
    /// the others get the same number of bytes. Where even the shortest do not fit into every epoch, some
    /// epochs go without writes.
    pub(crate) fn new(slices: &[WriteSlice], left: u64, epochs: u32) -> WriteAllowance {
        let left = left as f64 * (1.0 - RESERVE);
        let epochs = f64::from(epochs.max(1));
        let least: f64 = slices.iter().map(WriteSlice::least_bytes).sum();
        let affordable = (left / least.max(1.0)).floor().min(epochs);
        let total = |most: f64| slices.iter().map(|s| s.bytes(s.length(most))).sum::<f64>();
        let share = left / affordable.max(1.0);
        let most = if total(f64::INFINITY) <= share { f64::INFINITY } else { largest(share, total) };
        let seconds = slices.iter().map(|s| s.length(most)).sum();
        WriteAllowance { most, epochs: affordable / epochs, seconds }
    }

    /// Whether anything is measured for less time than it would be without a budget.
    pub(crate) fn shortens(&self) -> bool {
        self.most.is_finite() || self.epochs < 1.0
    }
}

/// The largest x up to `limit` for which the non-decreasing `total(x)` is at most `limit`, by bisection.
fn largest(limit: f64, total: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, limit);
    for _ in 0..50 {
        let middle = (low + high) / 2.0;
        if total(middle) <= limit { low = middle } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slice(k: u32, iops: f64) -> WriteSlice {
        WriteSlice { k, block_bytes: 4096, iops, full: 0.1, floor: 0.0 }
    }

    /// Expected bytes of an epoch under an allowance.
    fn written(slices: &[WriteSlice], allowance: &WriteAllowance) -> f64 {
        slices.iter().map(|s| s.bytes(s.length(allowance.most))).sum()
    }

    #[test]
    fn with_bytes_to_spare_nothing_is_shortened() {
        let slices = [slice(1, 1e4), slice(8, 8e4)];
        let allowance = WriteAllowance::new(&slices, 1 << 40, 24);
        assert!(!allowance.shortens() && (allowance.seconds - 0.2).abs() < 1e-12, "{allowance:?}");
        assert!(slices.iter().all(|s| s.length(allowance.most) == 0.1));
    }

    #[test]
    fn the_slices_that_write_most_are_shortened_and_the_budget_is_used() {
        let slices = [slice(1, 1e4), slice(32, 3e5), slice(64, 3e5)];
        let (left, epochs) = (1u64 << 30, 10);
        let allowance = WriteAllowance::new(&slices, left, epochs);
        assert!(allowance.shortens() && allowance.epochs == 1.0, "{allowance:?}");
        let lengths = slices.map(|s| s.length(allowance.most));
        assert!(lengths[0] == 0.1 && lengths[1] < 0.1 && lengths[2] < 0.1, "{lengths:?}");
        let used = written(&slices, &allowance) * f64::from(epochs) / left as f64;
        assert!(used > 0.9 && used <= 1.0 - RESERVE + 1e-6, "{used}");
    }

    #[test]
    fn where_the_shortest_do_not_fit_fewer_epochs_have_writes() {
        let slices = [slice(1024, 1e6); 10];
        let least: f64 = slices.iter().map(WriteSlice::least_bytes).sum();
        let allowance = WriteAllowance::new(&slices, (least * 5.5) as u64, 10);
        assert_eq!(allowance.epochs, 0.5);
        assert!(written(&slices, &allowance) * 5.0 <= least * 5.5);
        assert_eq!(WriteAllowance::new(&slices, 0, 10).epochs, 0.0);
    }
}
