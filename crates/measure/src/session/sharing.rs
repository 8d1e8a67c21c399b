//! How time and bytes are shared over the slices to come: the length of a slice, how many of them decisive
//! points get, and what the write slices may write.

use leadline_profile::OpKind;

use super::{SLICE, Session};
use crate::driven::{DECISIVE_SLICES, Driven};
use crate::write_allowance::{WriteAllowance, WriteSlice};

impl Session<'_> {
    /// More slices for decisive points, unless they would be shorter than the device's cycle of bursts and
    /// stalls: such a device takes longer than its budget anyway.
    pub(super) fn share_slices(&mut self, epoch: u32, target: u32) {
        let each = |driven: &mut [Driven], slices| driven.iter_mut().for_each(|d| d.decisive_slices = slices);
        each(&mut self.driven, DECISIVE_SLICES);
        if self.slice_length(epoch, target) * 1e9 < self.stalls.slice() as f64 {
            each(&mut self.driven, 1);
        }
    }

    /// What is left of the budget, shared out over the slices that are still to come.
    pub(super) fn slice_length(&self, epoch: u32, target: u32) -> f64 {
        let Some(budget) = self.plan.budget_seconds() else { return 0.1 };
        let slices: usize = self.driven.iter().map(|d| d.slices().count()).sum();
        let epochs = f64::from(target.saturating_sub(epoch).max(1));
        ((budget - self.spent()) / epochs / slices.max(1) as f64 / self.overhead).clamp(SLICE.0, SLICE.1)
    }

    /// Shares the bytes that may still be written over the write slices to come. The time that this saves
    /// goes to the reads.
    pub(super) fn share_writes(&mut self, epoch: u32, target: u32) {
        let Some(left) = self.write_budget_left() else { return };
        let epochs = target.saturating_sub(epoch).max(1);
        let left = left.saturating_sub(self.uncounted_writes() * u64::from(epochs));
        let mut allowance = WriteAllowance::new(&self.write_slices(), left, epochs);
        if allowance.epochs < 1.0 {
            self.driven.iter_mut().filter(|d| d.curve.id.op == OpKind::Write).for_each(|d| d.sparing = true);
            allowance = WriteAllowance::new(&self.write_slices(), left, epochs);
        }
        if allowance.shortens() {
            self.outcome.writes_shortened = true;
            self.outcome.slice_seconds = self.read_slice_length(&allowance, epochs);
            allowance = WriteAllowance::new(&self.write_slices(), left, epochs);
        }
        self.allowance = Some(allowance);
    }

    /// Length of a slice where writes take no more time than `allowance` gives them, seconds.
    fn read_slice_length(&self, allowance: &WriteAllowance, epochs: u32) -> f64 {
        let usual = self.outcome.slice_seconds;
        let Some(budget) = self.plan.budget_seconds() else { return usual };
        let reads = self.driven.iter().filter(|d| d.curve.id.op == OpKind::Read);
        let reads: usize = reads.map(|d| d.slices().count()).sum();
        let epoch = (budget - self.spent()) / f64::from(epochs) / self.overhead;
        let each = (epoch - allowance.epochs * allowance.seconds) / reads.max(1) as f64;
        each.min(SLICE.1).max(usual)
    }

    /// The write slices of an epoch.
    fn write_slices(&self) -> Vec<WriteSlice> {
        let full = self.outcome.slice_seconds;
        let writes = (0..self.driven.len()).filter(|&i| self.driven[i].curve.id.op == OpKind::Write);
        writes.flat_map(|i| self.driven[i].slices().map(move |k| self.write_slice(i, k, full))).collect()
    }

    pub(super) fn write_slice(&self, i: usize, k: u32, full: f64) -> WriteSlice {
        let driven = &self.driven[i];
        WriteSlice {
            k,
            block_bytes: driven.curve.id.block_bytes,
            iops: driven.expected_iops(k).unwrap_or(0.0),
            full,
            floor: self.stalls.slice() as f64 / 1e9,
        }
    }

    /// Bytes that the write budget has left; `None` where the plan has none.
    pub(super) fn write_budget_left(&self) -> Option<u64> {
        self.write_budget.map(|budget| budget.left(self.written()))
    }

    /// Bytes written so far, preparation included.
    pub(super) fn written(&self) -> u64 {
        self.written_before + self.rig.traffic().1
    }

    /// Whether the search may try `k` and still leave the epochs their share of the write budget.
    pub(super) fn search_affords(&self, i: usize, k: u32) -> bool {
        let slice = self.write_slice(i, k, SLICE.0);
        self.write_budget.is_none_or(|budget| budget.search_affords(self.written(), &slice))
    }

    /// Length of a slice of the search, `full` where bytes do not matter, seconds.
    pub(super) fn search_slice_length(&self, i: usize, k: u32, full: f64) -> f64 {
        let writes = |driven: &&Driven| driven.curve.id.op == OpKind::Write;
        match self.write_budget {
            Some(budget) if writes(&&self.driven[i]) => {
                // Where nothing was measured yet, how much it will write is not known.
                let known = self.driven[i].expected_iops(k).is_some();
                let full = if known { full } else { full.min(SLICE.0) };
                let curves = self.driven.iter().filter(writes).count();
                budget.search_length(&self.write_slice(i, k, full), curves)
            }
            _ => full,
        }
    }
}
