//! Keeping an experiment within what it may write.

use super::plan::ExperimentPlan;

/// Bytes per second that no drive takes more of, while nothing is known of this one: large requests, and
/// those that are made durable one by one.
const FASTEST: f64 = 8e9;
const FASTEST_COMMITS: f64 = 0.4e9;

impl ExperimentPlan {
    /// This plan within its budget, where the layout took `laid_out` bytes: what ends an experiment whole is
    /// shortened, and a limit stops what would write on.
    pub(super) fn within_budget(&self, laid_out: u64) -> ExperimentPlan {
        let Some(budget) = self.write_budget else { return self.clone() };
        let cap = laid_out.saturating_add(budget);
        let max_bytes = self.experiment.max_bytes_within(self.max_bytes, budget);
        let max_writes = Some(self.max_writes.map_or(cap, |max| max.min(cap)));
        ExperimentPlan { max_bytes, max_writes, ..self.clone() }
    }

    /// Seconds for which the `left` bytes last, where rounds have written `written` of them in `spent`
    /// seconds, reads included. Before the first round the drive is taken for the fastest there is.
    pub(super) fn seconds_of_bytes(&self, left: u64, written: u64, spent: f64) -> f64 {
        /// A slice ends with its last request, and not all rounds write alike.
        const SPARE: f64 = 0.7;
        let rate = if written > 0 && spent > 0.0 {
            written as f64 / spent
        } else if self.experiment.own_file_bytes().is_some() {
            FASTEST_COMMITS
        } else {
            FASTEST
        };
        SPARE * left as f64 / rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{self, Experiment};
    use leadline_device::{Clock, Geometry};

    fn plan(experiment: &'static dyn Experiment, budget: Option<u64>) -> ExperimentPlan {
        let geometry = Geometry { capacity_bytes: 1 << 30, block_bytes: 512, writable: true };
        let mut plan = ExperimentPlan::new(experiment, geometry, Clock::Wall);
        plan.write_budget = budget;
        plan
    }

    #[test]
    fn the_budget_comes_on_top_of_the_layout_and_below_a_limit_of_the_users() {
        let mut mixed = plan(experiment::MIXED, Some(100));
        assert_eq!(mixed.within_budget(50).max_writes, Some(150));
        mixed.max_writes = Some(120);
        assert_eq!(mixed.within_budget(50).max_writes, Some(120));
        assert_eq!(plan(experiment::MIXED, None).within_budget(50).max_writes, None);
    }

    #[test]
    fn both_loads_of_sustained_and_what_it_reads_beside_fit_into_its_budget() {
        let region: u64 = 1 << 30;
        let budget = experiment::SUSTAINED.write_budget(region);
        let sequential = plan(experiment::SUSTAINED, Some(budget)).within_budget(0).max_bytes;
        assert!(sequential >= 4 * region && sequential + sequential / 4 < budget, "{sequential} of {budget}");
    }

    #[test]
    fn bytes_last_as_long_as_they_have_so_far() {
        let plan = plan(experiment::MIXED, Some(1 << 30));
        assert!((plan.seconds_of_bytes(1_000_000, 1_000_000, 10.0) - 7.0).abs() < 1e-9);
        assert!(plan.seconds_of_bytes(8_000_000_000, 0, 0.0) < 1.0);
    }
}
