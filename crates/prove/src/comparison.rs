//! What was measured of every variant, and what it says.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Ratio, Role, Spread, Variant};

/// A default that differs from itself by less is the same. Where hardly anything else runs, and on emulated
/// drives, an interval can be narrower than a thousandth, and what remains is not noise of the kind that
/// hides an advice.
const MATTERS: f64 = 1.02;

/// One run of one variant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The variant's name.
    pub variant: String,
    /// The round, from 0: in each, every variant runs once on the same work.
    pub round: u32,
    /// The place in the round, from 0.
    pub place: u32,
    /// What is compared: a time, in the unit of the comparison.
    pub time: f64,
    /// What else was counted, by names with units.
    pub counts: BTreeMap<String, f64>,
}

/// All variants by one measure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// What was done.
    pub work: String,
    /// What was timed.
    pub measure: String,
    /// The unit of times.
    pub unit: String,
    /// Each variant, the default first.
    pub results: Vec<VariantResult>,
    /// The best of all but the default, and how far the advice is from it; `None` without advice or grid.
    pub best: Option<Best>,
    /// Every run, in the order in which they were made.
    pub runs: Vec<Run>,
}

/// What came of a variant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VariantResult {
    /// Its settings.
    pub variant: Variant,
    /// What it is there for.
    pub role: Role,
    /// Its times.
    pub times: Option<Spread>,
    /// Its time over the default's in the same round.
    pub against_default: Option<Ratio>,
}

/// The best of the grid. It was chosen by the same runs, so that it looks a little better than it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Best {
    /// Its name.
    pub name: String,
    /// The advice's time over its time.
    pub advice_over_best: Ratio,
}

impl Comparison {
    /// Puts runs together. `seed` is that of the intervals.
    pub(crate) fn of(
        [work, measure, unit]: [&str; 3],
        variants: &[(Role, Variant)],
        runs: Vec<Run>,
        seed: u64,
    ) -> Comparison {
        let against = |name: &str, other: &str| Ratio::of(&pairs(&runs, name, other), seed);
        let default = variants.first().map_or("", |(_, variant)| variant.name.as_str());
        let results: Vec<VariantResult> = variants
            .iter()
            .map(|(role, variant)| VariantResult {
                variant: variant.clone(),
                role: role.clone(),
                times: Spread::of(&times(&runs, &variant.name)),
                against_default: match role {
                    Role::Default => None,
                    _ => against(&variant.name, default),
                },
            })
            .collect();
        let best = best_of_grid(&results).and_then(|name| {
            let advice = results.iter().find(|result| result.role == Role::Advice)?;
            Some(Best { advice_over_best: against(&advice.variant.name, &name)?, name })
        });
        let [work, measure, unit] = [work, measure, unit].map(str::to_owned);
        Comparison { work, measure, unit, results, best, runs }
    }

    /// The result of the advice.
    pub fn advice(&self) -> Option<&VariantResult> {
        self.results.iter().find(|result| result.role == Role::Advice)
    }

    /// The default's second run over its first, in the same rounds.
    pub fn control(&self) -> Option<Ratio> {
        self.results.iter().find(|result| result.role == Role::Control)?.against_default
    }

    /// Whether the default differed from itself by more than is negligible: then nothing is said about the
    /// other variants, whose differences may be of the same kind.
    pub fn control_differs(&self) -> bool {
        let matters = |[low, high]: [f64; 2]| low < 1.0 / MATTERS || high > MATTERS;
        self.control().is_some_and(|control| !control.may_be_one() && control.interval.is_none_or(matters))
    }

    /// The keys of the advice that ran alone, the one that saved the most first.
    pub fn keys(&self) -> Vec<(&str, Ratio)> {
        let mut keys: Vec<(&str, Ratio)> = self
            .results
            .iter()
            .filter_map(|result| match (&result.role, result.against_default) {
                (Role::Key(key), Some(ratio)) => Some((key.as_str(), ratio)),
                _ => None,
            })
            .collect();
        keys.sort_by(|(_, one), (_, other)| one.ratio.total_cmp(&other.ratio));
        keys
    }
}

/// Whether more rounds could tell the advice from the default, or how far it is from it: not where it has
/// none of the keys.
pub(crate) fn is_open(variants: &[(Role, Variant)], runs: &[Run], seed: u64) -> bool {
    let name = |role: &Role| variants.iter().find(|(of, _)| of == role).map(|(_, variant)| &variant.name);
    let (Some(default), Some(advice)) = (name(&Role::Default), name(&Role::Advice)) else { return false };
    Ratio::of(&pairs(runs, advice, default), seed).is_none_or(|ratio| ratio.may_be_one() && ratio.is_wide())
}

fn times(runs: &[Run], name: &str) -> Vec<f64> {
    runs.iter().filter(|run| run.variant == name).map(|run| run.time).collect()
}

/// Of each round in which both ran.
fn pairs(runs: &[Run], name: &str, other: &str) -> Vec<(f64, f64)> {
    let of = |name: &str, round| runs.iter().find(|run| run.variant == name && run.round == round);
    let first = runs.iter().filter(|run| run.variant == name);
    first.filter_map(|run| Some((run.time, of(other, run.round)?.time))).collect()
}

/// The default is part of the grid: an advice that is worse than it is not near the best.
fn best_of_grid(results: &[VariantResult]) -> Option<String> {
    let ratio = |result: &VariantResult| match result.role {
        Role::Default => Some(1.0),
        Role::Grid => result.against_default.map(|against| against.ratio),
        Role::Control | Role::Advice | Role::Key(_) => None,
    };
    let grid = results.iter().filter_map(|result| Some((ratio(result)?, &result.variant.name)));
    grid.min_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, name)| name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare<const N: usize>(times: &[(&str, Role, [f64; N])]) -> Comparison {
        let variant = |name: &str| Variant { name: name.into(), settings: Vec::new() };
        let variants: Vec<_> = times.iter().map(|(name, role, _)| (role.clone(), variant(name))).collect();
        let run = |(name, _, times): &(&str, Role, [f64; N]), round: usize| Run {
            variant: (*name).into(),
            round: round as u32,
            place: 0,
            time: times[round],
            counts: BTreeMap::new(),
        };
        let runs = (0..N).flat_map(|round| times.iter().map(move |of| run(of, round))).collect();
        Comparison::of(["scans", "time", "seconds"], &variants, runs, 1)
    }

    #[test]
    fn the_advice_is_compared_with_the_default_and_the_best_round_by_round() {
        let found = compare(&[
            ("default", Role::Default, [8.0, 80.0]),
            ("advice", Role::Advice, [2.0, 20.0]),
            ("a", Role::Key("a".into()), [8.0, 80.0]),
            ("b", Role::Key("b".into()), [2.0, 20.0]),
            ("x", Role::Grid, [4.0, 40.0]),
            ("y", Role::Grid, [1.0, 10.0]),
        ]);
        assert!((found.advice().unwrap().against_default.unwrap().ratio - 0.25).abs() < 1e-12);
        let best = found.best.as_ref().unwrap();
        assert_eq!(best.name, "y");
        assert!((best.advice_over_best.ratio - 2.0).abs() < 1e-12);
        assert_eq!(found.keys().iter().map(|(key, _)| *key).collect::<Vec<_>>(), ["b", "a"]);
        assert_eq!(found.results[0].against_default, None);
        assert_eq!(found.results[0].times.unwrap().median, 44.0);
    }

    #[test]
    fn a_default_that_differs_from_itself_is_told_and_is_not_of_the_grid() {
        let control = |factor: f64| {
            let times = [1.0, 1.1, 0.9, 1.05];
            compare(&[
                ("default", Role::Default, times),
                ("again", Role::Control, times.map(|time| factor * time * (0.01 * time).exp())),
                ("advice", Role::Advice, times),
                ("x", Role::Grid, times.map(|time| 2.0 * time)),
            ])
        };
        let differs = control(0.8);
        assert!(differs.control_differs() && differs.best.unwrap().name == "default");
        assert!(!control(0.99).control_differs());
        // Certain, and too little to matter.
        let times = [1.0, 1.1, 0.9, 1.05];
        let narrow = compare(&[
            ("default", Role::Default, times),
            ("again", Role::Control, times.map(|time| 1.003 * time * (1.0 + 0.0001 * time))),
            ("advice", Role::Advice, times),
        ]);
        assert!(!narrow.control().unwrap().may_be_one() && !narrow.control_differs());
    }

    #[test]
    fn rounds_go_on_while_the_advice_cannot_be_told_from_the_default() {
        let variants =
            [(Role::Default, Variant::default_settings()), (Role::Advice, Variant::single("x", "1"))];
        let runs = |advice: &[f64]| -> Vec<Run> {
            let run = |variant: &str, round: usize, time: f64| Run {
                variant: variant.into(),
                round: round as u32,
                place: 0,
                time,
                counts: BTreeMap::new(),
            };
            let of_round =
                |(round, &time): (usize, &f64)| [run("default", round, 1.0), run("x=1", round, time)];
            advice.iter().enumerate().flat_map(of_round).collect()
        };
        assert!(is_open(&variants, &runs(&[1.5, 0.7, 1.2, 0.9]), 1), "wide, and holds 1");
        assert!(!is_open(&variants, &runs(&[0.5, 0.6, 0.55, 0.52]), 1), "decided");
        assert!(
            !is_open(&variants, &runs(&[1.01, 0.99, 1.0, 1.005]), 1),
            "narrow: there is nothing to decide"
        );
        assert!(is_open(&variants, &runs(&[0.5, 0.6]), 1), "two rounds have no interval");
        assert!(!is_open(&variants[..1], &runs(&[0.5, 0.6]), 1), "no advice");
    }

    #[test]
    fn where_nothing_beats_the_default_it_is_the_best() {
        let found = compare(&[
            ("default", Role::Default, [1.0, 1.0]),
            ("advice", Role::Advice, [2.0, 2.0]),
            ("x", Role::Grid, [4.0, 4.0]),
        ]);
        assert_eq!(found.best.unwrap().name, "default");
    }
}
