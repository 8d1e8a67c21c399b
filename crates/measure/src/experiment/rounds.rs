//! Rounds of slices: everything once a round, in random order, what writes apart from what only reads.

use super::context::{ExperimentContext, MOST_EPOCHS, SHORTEST_SLICE};
use crate::load::Lane;
use crate::outcome::Stop;

/// Share of a round's time that is planned: a slice ends with its last request, and after writes comes a
/// flush, and for want of a moment the last round would not be made.
pub(super) const PLANNED: f64 = 0.98;

/// What is measured once a round.
pub(super) trait InRounds {
    /// How many things.
    fn count(&self) -> usize;

    /// Whether thing `i` writes.
    fn writes(&self, i: usize) -> bool;

    /// Measures thing `i` for about `seconds`.
    fn slice(&mut self, context: &mut ExperimentContext, lane: &mut Lane, i: usize, seconds: f64) -> Result<(), Stop>;

    /// Thing `i`, in words, for the progress.
    fn describe(&self, i: usize) -> String;
}

/// Runs as many rounds as the budget has time for and returns how many were begun, and why they ended early.
///
/// After what writes the device is flushed and left alone, so that a write buffer or garbage collection is
/// not charged to what only reads.
pub(super) fn in_rounds(
    context: &mut ExperimentContext,
    lane: &mut Lane,
    things: &mut impl InRounds,
) -> (u32, Result<(), Stop>) {
    let mut epochs = 0;
    let mut longest = 0f64;
    while context.goes_on(epochs, longest, lane.queue.now()) {
        let began = lane.queue.now();
        let left = context.left(began);
        let seconds = PLANNED * left / f64::from(MOST_EPOCHS - epochs) / things.count() as f64;
        epochs += 1;
        if let Err(stop) = round(context, lane, things, seconds.max(SHORTEST_SLICE)) {
            return (epochs, Err(stop));
        }
        longest = longest.max((lane.queue.now() - began) as f64 / 1e9);
    }
    (epochs, Ok(()))
}

fn round(context: &mut ExperimentContext, lane: &mut Lane, things: &mut impl InRounds, seconds: f64) -> Result<(), Stop> {
    let writes_first = context.random.bool();
    for writes in [writes_first, !writes_first] {
        let mut group: Vec<usize> = (0..things.count()).filter(|&i| things.writes(i) == writes).collect();
        context.random.shuffle(&mut group);
        for &i in &group {
            things.slice(context, lane, i, seconds)?;
            context.report(lane.queue.now(), things.describe(i));
        }
        if writes && !group.is_empty() {
            context.settle(lane)?;
        }
    }
    Ok(())
}
