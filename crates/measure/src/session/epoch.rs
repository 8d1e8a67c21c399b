//! One epoch: every point of the grid, kinds of requests apart, each kind run in before it counts.

use leadline_profile::OpKind;

use super::Session;
use crate::curve::CurveId;
use crate::disturbed::is_disturbed;
use crate::driven::describe;
use crate::load::Recorder;
use crate::outcome::Stop;
use crate::progress::Progress;

/// What is measured together and never mixed: what one kind leaves behind (dirty pages, a full write buffer,
/// a flush) is not to be charged to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Reads,
    Writes,
    DurableWrites,
}

impl Kind {
    fn holds(self, id: CurveId) -> bool {
        let kind = match (id.op, id.durable) {
            (OpKind::Read, _) => Kind::Reads,
            (OpKind::Write, false) => Kind::Writes,
            (OpKind::Write, true) => Kind::DurableWrites,
        };
        kind == self
    }

    /// The order of an epoch: reads first and last in turn, and of the writes either kind first in turn, so
    /// that over four epochs no kind always follows the same other.
    fn order(turn: u32) -> [Kind; 3] {
        match turn % 4 {
            0 => [Kind::Reads, Kind::Writes, Kind::DurableWrites],
            1 => [Kind::Writes, Kind::DurableWrites, Kind::Reads],
            2 => [Kind::Reads, Kind::DurableWrites, Kind::Writes],
            _ => [Kind::DurableWrites, Kind::Writes, Kind::Reads],
        }
    }
}

/// One thing to run in an epoch.
#[derive(Debug, Clone, Copy)]
struct Item {
    /// Which curve.
    curve: usize,
    k: u32,
    /// A long stretch, that slices are held against.
    stretch: bool,
}

/// Requests in flight while a kind is run in, and at most in a long stretch: shallow, where a slice has few
/// requests and what came before weighs most.
const SHALLOW: u32 = 16;

/// Share of the bytes left that load which does not count may write at a time.
const SMALL: f64 = 0.005;

/// Share of the slices so far that may be repeated because they were disturbed.
const REPEATS: f64 = 0.25;

impl Session<'_> {
    /// Runs one epoch: the points of each kind in random order, the decisive ones more than once, and now and
    /// then two long stretches of reads and of plain writes.
    pub(super) fn epoch(
        &mut self,
        epoch: u32,
        turn: u32,
        target: u32,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), Stop> {
        let before = self.spent();
        let (mut in_slices, mut done) = (0.0, 0usize);
        let total: usize = self.driven.iter().map(|d| d.slices().count()).sum();
        let writes = self.plan.writes && self.writes_in(epoch);
        let order = Kind::order(turn).map(|kind| (kind, kind == Kind::Reads || writes));
        for (place, &(kind, runs)) in order.iter().enumerate() {
            if !runs {
                continue;
            }
            self.run_in(kind)?;
            for item in self.items(kind, epoch) {
                in_slices += self.item(epoch, item)?;
                done += usize::from(!item.stretch);
                let share = self.progress_share(epoch, done as f64 / total.max(1) as f64, target);
                progress(Progress {
                    phase: "measure",
                    done: share.min(1.0),
                    detail: describe(self.driven[item.curve].curve.id, item.k),
                });
            }
            // Another kind of writes is run in itself, by a flush and by writing.
            let reads_next = order.get(place + 1).is_none_or(|next| next.0 == Kind::Reads);
            if kind != Kind::Reads && reads_next {
                self.washout(self.outcome.slice_seconds)?;
            }
        }
        if in_slices > 0.0 {
            self.overhead = ((self.spent() - before) / in_slices).clamp(1.05, 20.0);
        }
        Ok(())
    }

    /// Before writes count: what was written before is flushed, then writes of this kind run for a moment
    /// and are forgotten, so that the first slices see what a program that keeps writing sees.
    fn run_in(&mut self, kind: Kind) -> Result<(), Stop> {
        // Before reads there was a washout.
        let Some(curve) = self.first_of(kind).filter(|_| kind != Kind::Reads) else { return Ok(()) };
        self.rig.settle(0).map_err(Stop::Failed)?;
        let (seconds, k) = (self.run_in_seconds(), self.shallow(curve));
        if !self.affords(curve, k, seconds) {
            return Ok(());
        }
        match self.slice(curve, k, seconds, &mut Recorder::new()) {
            Err(Stop::WritesSpent) => Ok(()), // the slices that follow say so
            other => other.map(drop),
        }
    }

    /// The deepest point of a curve that is still shallow.
    fn shallow(&self, curve: usize) -> u32 {
        let grid = self.driven[curve].grid.iter();
        grid.copied().filter(|&k| k <= SHALLOW).max().unwrap_or(1).min(self.plan.max_concurrency)
    }

    /// Whether load that does not count is a small part of what may still be written.
    fn affords(&self, curve: usize, k: u32, seconds: f64) -> bool {
        let left = self.plan.most_written().map_or(u64::MAX, |most| most.saturating_sub(self.written()));
        self.expected_writes(curve, k, seconds) < SMALL * left as f64
    }

    /// Bytes that a curve is expected to write at `k` in `seconds`; 0 where its throughput is not known.
    fn expected_writes(&self, curve: usize, k: u32, seconds: f64) -> f64 {
        let driven = &self.driven[curve];
        match driven.curve.id.op {
            OpKind::Read => 0.0,
            OpKind::Write => {
                let iops = driven.expected_iops(k).unwrap_or(0.0);
                iops * seconds * f64::from(driven.curve.id.block_bytes)
            }
        }
    }

    /// Bytes that an epoch writes although they do not count: running in, and long stretches.
    pub(super) fn uncounted_writes(&self) -> u64 {
        let affordable = |curve: usize, k: u32, seconds: f64| {
            let bytes = self.expected_writes(curve, k, seconds);
            if self.affords(curve, k, seconds) { bytes } else { 0.0 }
        };
        let mut bytes = 0.0;
        for kind in [Kind::Writes, Kind::DurableWrites] {
            let Some(curve) = self.first_of(kind) else { continue };
            let deep = self.shallow(curve);
            bytes += affordable(curve, deep, self.run_in_seconds());
            if kind == Kind::Writes {
                bytes += [1, deep].map(|k| affordable(curve, k, self.stretch_seconds())).iter().sum::<f64>();
            }
        }
        bytes as u64
    }

    /// The first curve of a kind.
    fn first_of(&self, kind: Kind) -> Option<usize> {
        (0..self.driven.len()).find(|&i| kind.holds(self.driven[i].curve.id))
    }

    /// How long a kind is run in.
    fn run_in_seconds(&self) -> f64 {
        (self.plan.budget_seconds().unwrap_or(150.0) / 1500.0).clamp(0.005, 0.1)
    }

    /// What an epoch runs of a kind, in random order.
    fn items(&mut self, kind: Kind, epoch: u32) -> Vec<Item> {
        let curves = (0..self.driven.len()).filter(|&i| kind.holds(self.driven[i].curve.id));
        let curves: Vec<usize> = curves.collect();
        let slices = |i: usize| self.driven[i].slices().map(move |k| Item { curve: i, k, stretch: false });
        let mut items: Vec<Item> = curves.iter().flat_map(|&i| slices(i)).collect();
        // About ten times in a run.
        let turn = epoch.is_multiple_of((self.plan.budget.epochs() / 10).max(1));
        if let (true, Some(&curve), true) = (turn, curves.first(), kind != Kind::DurableWrites) {
            let mut depths = vec![1, self.shallow(curve)];
            depths.retain(|k| self.driven[curve].grid.contains(k));
            depths.dedup();
            depths.retain(|&k| self.affords(curve, k, self.stretch_seconds()));
            items.extend(depths.into_iter().map(|k| Item { curve, k, stretch: true }));
        }
        self.random.shuffle(&mut items);
        items
    }

    /// Length of a long stretch: many slices long, and short enough that all of them together take less than
    /// a tenth of the budget.
    fn stretch_seconds(&self) -> f64 {
        (self.plan.budget_seconds().unwrap_or(250.0) / 500.0).clamp(0.02, 0.5)
    }

    /// Runs one item; returns the time that slices were to take, seconds. What does not count is overhead.
    fn item(&mut self, epoch: u32, item: Item) -> Result<f64, Stop> {
        if item.stretch {
            return self.stretch(epoch, item).map(|()| 0.0);
        }
        let (seconds, disturbed) = self.epoch_slice(epoch, item.curve, item.k)?;
        let budget = self.plan.budget_seconds().unwrap_or(f64::INFINITY);
        if !disturbed || self.repeats >= REPEATS * f64::from(self.order) || self.spent() > budget {
            return Ok(seconds);
        }
        self.repeats += 1.0;
        self.epoch_slice(epoch, item.curve, item.k)?;
        Ok(seconds)
    }

    /// Runs one long stretch and keeps it apart.
    fn stretch(&mut self, epoch: u32, Item { curve, k, .. }: Item) -> Result<(), Stop> {
        let result = match self.long_slice(curve, k, self.stretch_seconds()) {
            Err(Stop::WritesSpent) => return Ok(()), // the slices that follow say so
            other => other?,
        };
        let record = self.record(curve, epoch, &result);
        if record.ops > 0 {
            self.driven[curve].curve.points.entry(k).or_default().stretches.push(record);
        }
        Ok(())
    }

    /// Whether this epoch has writes: every epoch does where the bytes suffice; else the first does, and as
    /// many of the others as can, at random.
    fn writes_in(&mut self, epoch: u32) -> bool {
        let share = self.allowance.map_or(1.0, |allowance| allowance.epochs);
        share >= 1.0 || epoch == self.first_epoch || self.random.f64() < share
    }

    fn progress_share(&self, epoch: u32, within: f64, target: u32) -> f64 {
        match self.plan.budget_seconds() {
            Some(budget) => (self.spent() / budget).min(1.0),
            None => ((f64::from(epoch) + within) / f64::from(target)).min(0.99),
        }
    }

    /// Measures one point for one epoch; returns the time aimed at, seconds, and whether the slice was
    /// disturbed.
    fn epoch_slice(&mut self, epoch: u32, i: usize, k: u32) -> Result<(f64, bool), Stop> {
        let mut seconds = self.outcome.slice_seconds;
        if let (OpKind::Write, Some(allowance)) = (self.driven[i].curve.id.op, self.allowance) {
            let slice = self.write_slice(i, k, seconds);
            if slice.least_bytes() > self.write_budget_left().unwrap_or(u64::MAX) as f64 {
                return Ok((0.0, false));
            }
            seconds = slice.length(allowance.most);
        }
        // Taken out whole: to leave an empty histogram in its place would allocate one.
        let mut point = self.driven[i].curve.points.remove(&k).unwrap_or_default();
        let result = self.slice(i, k, seconds, &mut point.latencies);
        self.driven[i].curve.points.insert(k, point);
        let result = match result {
            // Writing is over, reading goes on.
            Err(Stop::WritesSpent) => {
                self.outcome.stopped_by = Some(Stop::WritesSpent);
                return Ok((0.0, false));
            }
            other => other?,
        };
        let record = self.record(i, epoch, &result);
        let driven = &mut self.driven[i];
        let point = driven.curve.points.entry(k).or_default();
        let disturbed = is_disturbed(&record, &point.slices);
        if record.ops > 0 {
            point.slices.push(record);
            // What the search saw is not needed any more, and its histograms are large.
            driven.found = Vec::new();
        }
        if let Some(cpu) = result.cpu_seconds {
            *point.cpu_seconds.get_or_insert(0.0) += cpu;
        }
        Ok((seconds, disturbed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn over_four_epochs_every_kind_follows_every_other() {
        let orders: Vec<[Kind; 3]> = (0..4).map(Kind::order).collect();
        let sequence: Vec<Kind> = orders.iter().chain(&orders[..1]).flatten().copied().collect();
        for kind in [Kind::Reads, Kind::Writes, Kind::DurableWrites] {
            for other in [Kind::Reads, Kind::Writes, Kind::DurableWrites] {
                let follows = sequence.windows(2).any(|pair| pair == [other, kind]);
                assert!(follows || kind == other, "{kind:?} never follows {other:?}");
            }
        }
    }
}
