//! Holding out whole concurrencies, whole random fractions and whole shares of reads.
//!
//! A random point left out has neighbours on every side, and its error says only how well a model
//! interpolates. Here all points of one k (or r, or mix) are left out together, and predicted from the rest.

use std::ops::Range;

use crate::{Model, Observation, Observations};

/// Fewest distinct concurrencies, or mixes, of which one may be held out.
const FEWEST: usize = 3;

/// Fewest random fractions: a profile without the `r-by-k` experiment has three kinds of requests
/// (sequential, and random ones of two sizes), of which none can be predicted from the others.
const FEWEST_R: usize = 5;

/// Which observations are held out together.
pub(crate) struct Folds {
    folds: Vec<Vec<usize>>,
}

/// What was predicted for held-out observations.
pub(crate) struct HeldOutPredictions {
    /// (observation, predicted seconds), fold after fold.
    pub(crate) predictions: Vec<(usize, Option<f64>)>,
    /// Which predictions are of which fold.
    pub(crate) folds: Vec<Range<usize>>,
}

impl Folds {
    /// Every k but the smallest (one request at a time is what all models start from), every r, and every mix
    /// of reads and writes, where there are enough of them.
    pub(crate) fn of(observations: &Observations) -> Self {
        let all = &observations.all;
        let ks = groups(all, |o| Some(u64::from(o.concurrency())));
        let rs = groups(all, |o| Some(scaled(o.workload.random_accesses_per_page())));
        let mixes = groups(all, |o| o.workload.only().is_none().then(|| scaled(o.workload.read_share())));
        let mut folds = Vec::new();
        if ks.len() >= FEWEST {
            folds.extend(ks.into_iter().skip(1));
        }
        if rs.len() >= FEWEST_R {
            folds.extend(rs);
        }
        if mixes.len() >= FEWEST {
            folds.extend(mixes);
        }
        Folds { folds }
    }

    /// Fits `model` again without each fold and predicts what was held out. A fold without which the model
    /// cannot be fitted is skipped.
    pub(crate) fn errors<M: Model>(&self, model: &M, observations: &Observations) -> HeldOutPredictions {
        let mut errors = HeldOutPredictions { predictions: Vec::new(), folds: Vec::new() };
        for fold in &self.folds {
            let mut held = vec![false; observations.all.len()];
            fold.iter().for_each(|&i| held[i] = true);
            let kept = observations.all.iter().zip(&held).filter(|(_, held)| !**held).map(|(o, _)| *o);
            let parameters = observations.parameters.clone();
            let rest = Observations { all: kept.collect(), parameters, ..Observations::default() };
            if let Ok(refit) = model.refit(&rest) {
                let from = errors.predictions.len();
                let predict = |&i: &usize| (i, refit.seconds(&observations.all[i].workload));
                errors.predictions.extend(fold.iter().map(predict));
                errors.folds.push(from..errors.predictions.len());
            }
        }
        errors
    }
}

/// A share as a key, to a hundredth of a decade: r is a ratio of sizes, a mix a ratio of counts.
fn scaled(share: f64) -> u64 {
    if share <= 0.0 { 0 } else { ((share.log10() + 12.0) * 100.0).round().max(1.0) as u64 }
}

/// Observations of the same key, by ascending key.
fn groups(all: &[Observation], key: impl Fn(&Observation) -> Option<u64>) -> Vec<Vec<usize>> {
    let mut groups = std::collections::BTreeMap::<u64, Vec<usize>>::new();
    for (i, o) in all.iter().enumerate() {
        if let Some(key) = key(o) {
            groups.entry(key).or_default().push(i);
        }
    }
    groups.into_values().collect()
}
