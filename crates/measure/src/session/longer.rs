//! Whether a run goes on past its budget: while what is advised is known badly and more time still helps.

use leadline_profile::Limit;

use super::Session;
use crate::curve::Curve;
use crate::plan::{Budget, Plan};
use crate::summary::advised_width;

/// Epochs between two looks at whether the intervals have narrowed.
const STEP: u32 = 2;

/// Where more epochs of the same noise help, n of them instead of m narrow an interval by sqrt(m / n). More
/// time is not worth it where the intervals narrowed by less than half of that.
const WORTH: f64 = 0.5;

/// Where a run that may go on past its budget stands.
pub(super) struct Longer {
    /// Seconds that it may take in all; `None` where its length is the user's.
    most: Option<f64>,
    /// Epochs and the width of the intervals when it last looked.
    looked: Option<(u32, f64)>,
    /// What ended it although the intervals are wide.
    pub(super) limit: Option<Limit>,
}

impl Longer {
    pub(super) fn new(plan: &Plan) -> Self {
        let named = matches!(plan.budget, Budget::Quick | Budget::Default);
        let most = plan.budget_seconds().filter(|_| named).map(|budget| Budget::MOST * budget);
        Longer { most, looked: None, limit: None }
    }

    /// Whether another epoch is worth its time after `epochs` of them; `width` of the intervals is asked for
    /// only where it matters, and is 0 where nothing advised is known badly.
    fn worth(&mut self, epochs: u32, time_left: bool, width: impl FnOnce() -> f64) -> bool {
        match self.looked {
            Some((at, _)) if epochs < at + STEP && time_left => return true,
            _ => {}
        }
        let width = width();
        let expected = |at: u32| 1.0 - (f64::from(at) / f64::from(epochs)).sqrt();
        self.limit = match self.looked {
            _ if width == 0.0 => None,
            Some((at, before)) if 1.0 - width / before < WORTH * expected(at) => Some(Limit::Noise),
            _ if !time_left => Some(Limit::Time),
            _ => {
                self.looked = Some((epochs, width));
                return true;
            }
        };
        false
    }
}

impl Session<'_> {
    /// Whether epoch `epoch`, past the budget, is to be measured; `longest` is how long one takes, seconds.
    pub(super) fn goes_on(&self, longer: &mut Longer, epoch: u32, longest: f64) -> bool {
        let Some(most) = longer.most else { return false };
        let curves: Vec<&Curve> = self.driven.iter().map(|d| &d.curve).collect();
        let time_left = self.spent() + longest <= most;
        longer.worth(epoch, time_left, || advised_width(&curves, epoch, self.plan.seed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Epochs measured in all and what ended the run, where 10 epochs are the budget, 15 the most, and the
    /// intervals are so wide after n epochs.
    fn run(width: impl Fn(u32) -> f64) -> (u32, Option<Limit>) {
        let mut longer = Longer { most: Some(1.0), looked: None, limit: None };
        let mut epochs = 10;
        while longer.worth(epochs, epochs < 15, || width(epochs)) {
            epochs += 1;
        }
        (epochs, longer.limit)
    }

    #[test]
    fn a_run_whose_numbers_are_known_ends_with_its_budget() {
        assert_eq!(run(|_| 0.0), (10, None));
    }

    #[test]
    fn a_run_goes_on_while_more_time_narrows_its_intervals_and_by_half_at_most() {
        assert_eq!(run(|n| 1.0 / f64::from(n).sqrt()), (15, Some(Limit::Time)));
        assert_eq!(run(|n| if n < 12 { 1.0 } else { 0.0 }), (12, None), "known well enough");
    }

    #[test]
    fn where_more_time_does_not_help_noise_is_the_limit() {
        assert_eq!(run(|_| 1.0), (12, Some(Limit::Noise)));
        assert_eq!(run(f64::from), (12, Some(Limit::Noise)), "it can get worse");
    }
}
