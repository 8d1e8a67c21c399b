//! Rounds: everything once a round, in random order, and as many rounds as the budget has time for.

use leadline_device::Nanos;

use super::context::{ExperimentContext, MOST_EPOCHS, SHORTEST_SLICE};
use crate::load::Lane;
use crate::outcome::Stop;

/// Share of a round's time that is planned where its slices end with their last request, and a flush comes
/// after writes: for want of a moment the last round would not be made.
pub(super) const PLANNED: f64 = 0.98;

/// A round to come.
#[derive(Clone, Copy)]
pub(super) struct Round {
    /// Rounds before it.
    pub(super) number: u32,
    /// Seconds left of the budget.
    pub(super) left: f64,
}

impl Round {
    /// What each of that many slices has of the time that is left, seconds, if all rounds are made.
    pub(super) fn seconds_of_slice(&self, slices: usize) -> f64 {
        self.left / f64::from(MOST_EPOCHS - self.number) / slices as f64
    }
}

/// What is measured in rounds.
pub(super) trait Rounds<'a> {
    fn context(&self) -> &ExperimentContext<'a>;

    /// The clock that it goes by.
    fn now(&self) -> Nanos;

    /// What comes before the rounds: what must be known of the device to plan them.
    fn pilot(&mut self) -> Result<(), Stop> {
        Ok(())
    }

    /// Measures everything once.
    fn round(&mut self, round: Round) -> Result<(), Stop>;

    /// Seconds that there must be left for another round, after rounds of which the longest and the last took
    /// that many.
    fn seconds_of_round(&self, longest: f64, last: f64) -> f64 {
        longest.max(last)
    }
}

/// Runs the pilot and as many rounds as there is time for; returns how many were begun, and why they ended
/// early.
pub(super) fn make_rounds<'a>(of: &mut impl Rounds<'a>) -> (u32, Result<(), Stop>) {
    let (mut begun, mut longest) = (0, 0f64);
    if let Err(stop) = of.pilot() {
        return (begun, Err(stop));
    }
    while of.context().has_time_for_round(begun, longest, of.now()) {
        let began = of.now();
        let round = Round { number: begun, left: of.context().seconds_left(began) };
        begun += 1;
        if let Err(stop) = of.round(round) {
            return (begun, Err(stop));
        }
        longest = of.seconds_of_round(longest, (of.now() - began) as f64 / 1e9);
    }
    (begun, Ok(()))
}

/// Slices that share one queue pair: what writes is kept apart from what only reads.
pub(super) trait InRounds {
    /// How many things.
    fn count(&self) -> usize;

    /// Whether thing `i` writes.
    fn writes(&self, i: usize) -> bool;

    /// As [`Rounds::pilot`].
    fn pilot(&mut self, _context: &mut ExperimentContext, _lane: &mut Lane) -> Result<(), Stop> {
        Ok(())
    }

    /// Measures thing `i` for about `seconds`.
    fn slice(
        &mut self,
        context: &mut ExperimentContext,
        lane: &mut Lane,
        i: usize,
        seconds: f64,
    ) -> Result<(), Stop>;

    /// Thing `i`, in words, for the progress.
    fn describe(&self, i: usize) -> String;
}

/// As [`make_rounds`].
///
/// After what writes the device is flushed and left alone, so that a write buffer or garbage collection is
/// not charged to what only reads.
pub(super) fn in_rounds(
    context: &mut ExperimentContext,
    lane: &mut Lane,
    things: &mut impl InRounds,
) -> (u32, Result<(), Stop>) {
    make_rounds(&mut Apart { context, lane, things })
}

struct Apart<'f, 'a, T> {
    context: &'f mut ExperimentContext<'a>,
    lane: &'f mut Lane,
    things: &'f mut T,
}

impl<'a, T: InRounds> Rounds<'a> for Apart<'_, 'a, T> {
    fn context(&self) -> &ExperimentContext<'a> {
        self.context
    }

    fn now(&self) -> Nanos {
        self.lane.queue.now()
    }

    fn pilot(&mut self) -> Result<(), Stop> {
        self.things.pilot(self.context, self.lane)
    }

    fn round(&mut self, round: Round) -> Result<(), Stop> {
        let Apart { context, lane, things } = self;
        let seconds = (PLANNED * round.seconds_of_slice(things.count())).max(SHORTEST_SLICE);
        let writes_first = context.random.bool();
        for writes in [writes_first, !writes_first] {
            let group = context.in_random_order((0..things.count()).filter(|&i| things.writes(i) == writes));
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
}
