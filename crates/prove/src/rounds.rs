//! Rounds in which every variant runs once, each in an order of its own.

use std::collections::BTreeMap;

use crate::comparison::is_open;
use crate::order::of_round;
use crate::{Comparison, Progress, ProveError, Role, Run, Variant};

/// What one run of a variant came to.
#[derive(Debug)]
pub(crate) struct Measured {
    /// One of each measure.
    pub(crate) times: Vec<f64>,
    /// What else was counted.
    pub(crate) counts: BTreeMap<String, f64>,
}

/// The rounds planned, and how many there may be: `extension` times as many, where that is more.
pub(crate) fn extended(rounds: u32, extension: u32) -> [u32; 2] {
    [rounds, rounds.saturating_mul(extension.max(1))]
}

/// Runs a variant in a round, under this name.
type Measure<'a> = dyn FnMut(&Variant, u32, &str) -> Result<Option<Measured>, ProveError> + 'a;

/// What is compared.
pub(crate) struct Rounds<'a> {
    /// For progress.
    pub(crate) phase: &'static str,
    /// What a run is called, for progress and messages.
    pub(crate) name: &'a str,
    /// What is done, for who reads the result.
    pub(crate) work: &'a str,
    /// What is timed, and in which unit: a comparison of each.
    pub(crate) measures: &'a [[&'a str; 2]],
    pub(crate) variants: &'a [(Role, Variant)],
    /// Rounds, and how many there may be while the advice cannot be told from the default.
    pub(crate) rounds: [u32; 2],
    pub(crate) seed: u64,
}

impl Rounds<'_> {
    /// Lets `measure` run every variant in every round; it is told the round, and what to call the run. A run
    /// that came to nothing is left out.
    pub(crate) fn run(
        &self,
        progress: &mut dyn FnMut(Progress),
        measure: &mut Measure,
    ) -> Result<Vec<Comparison>, ProveError> {
        let mut runs: Vec<Vec<Run>> = self.measures.iter().map(|_| Vec::new()).collect();
        let (count, mut done) = (self.variants.len(), 0_u32);
        let [fewest, most] = self.rounds;
        for round in 0..most.max(fewest) {
            let open = |runs: &Vec<Run>| is_open(self.variants, runs, self.seed);
            if round >= fewest && !runs.iter().any(open) {
                break;
            }
            // Rounds beyond the planned ones begin the bar anew.
            let of = if round < fewest { fewest } else { most };
            for (place, which) in of_round(count, round, self.seed).into_iter().enumerate() {
                let (_, variant) = &self.variants[which];
                let Rounds { name, phase, .. } = *self;
                let detail = format!("round {} of {of}: {name} with {}", round + 1, variant.name);
                let share = f64::from(done) / (count as f64 * f64::from(of));
                progress(Progress { phase, done: share, detail: detail.clone() });
                done += 1;
                let Some(Measured { times, counts }) = measure(variant, round, &detail)? else { continue };
                for (runs, time) in runs.iter_mut().zip(times) {
                    let (variant, counts) = (variant.name.clone(), counts.clone());
                    runs.push(Run { variant, round, place: place as u32, time, counts });
                }
            }
        }
        let compare = |([measure, unit], runs): (&[&str; 2], Vec<Run>)| {
            Comparison::of([self.work, measure, unit], self.variants, runs, self.seed)
        };
        Ok(self.measures.iter().zip(runs).map(compare).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variant::line_up;

    #[test]
    fn every_variant_runs_once_per_round_and_each_measure_is_compared() {
        let variants = line_up(&[], &[], false, vec![Variant::single("a", "1"), Variant::single("a", "2")]);
        let rounds = Rounds {
            phase: "runs",
            name: "a test",
            work: "work",
            measures: &[["mean", "seconds"], ["99th percentile", "milliseconds"]],
            variants: &variants,
            rounds: [3, 3],
            seed: 1,
        };
        let mut told = Vec::new();
        let found = rounds
            .run(&mut |step| told.push(step), &mut |variant, round, during| {
                assert!(during.contains(&variant.name), "{during}");
                let time = f64::from(round + 1) * if variant.name == "a=2" { 2.0 } else { 1.0 };
                Ok(Some(Measured { times: vec![time, 1e3 * time], counts: BTreeMap::new() }))
            })
            .unwrap();
        assert_eq!(found.iter().map(|of| of.runs.len()).collect::<Vec<_>>(), [12, 12]);
        assert_eq!(found[1].runs[0].time, 1e3 * found[0].runs[0].time);
        let ratio = found[1].results[3].against_default.unwrap();
        assert!((ratio.ratio - 2.0).abs() < 1e-12 && ratio.rounds == 3);
        assert_eq!((told.len(), told[0].done, told[0].phase), (12, 0.0, "runs"));
        assert!(told.windows(2).all(|pair| pair[0].done < pair[1].done));
    }
}
