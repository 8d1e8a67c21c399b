//! What the charts of the models draw: what was measured, and each fitted model's curve.

use leadline_model::{ModelComparison, Observation, Predict, Workload};
use leadline_profile::{OpKind, PAGE_BYTES};
use serde::Serialize;

use super::chart_numbers::{Line, Measured, point, round};

/// Half-width of a 95 % interval in standard errors.
const NORMAL_95: f64 = 1.96;

/// Throughput of random requests of one size over k, by operation.
#[derive(Debug, Serialize)]
pub(super) struct Throughput {
    op: &'static str,
    block: u32,
    /// `[k, iops, low, high]`
    measured: Vec<Measured>,
    /// Name of the model and its `[k, iops]`.
    curves: Vec<(&'static str, Line)>,
}

/// How far each model is from one observation.
#[derive(Debug, Serialize)]
pub(super) struct Residual {
    k: u32,
    /// `read`, `write` or `mixed`.
    kind: &'static str,
    block: u32,
    /// Share of random requests, 0 to 1.
    random: f64,
    /// Share of reads, 0 to 1.
    reads: f64,
    /// Predicted / measured time, one per fitted model; `null` where it knows no such requests.
    ratios: Vec<Option<f64>>,
}

/// The fitted models, simplest first.
fn fitted(comparison: &ModelComparison) -> impl Iterator<Item = (&'static str, &dyn Predict)> {
    comparison.models.iter().filter_map(|m| Some((m.name, m.fitted.as_deref()?)))
}

/// Names of the fitted models, simplest first.
pub(super) fn names(comparison: &ModelComparison) -> Vec<&'static str> {
    fitted(comparison).map(|(name, _)| name).collect()
}

/// One curve per fitted model; those that have none are left out.
pub(super) fn curves(
    comparison: &ModelComparison,
    curve: impl Fn(&dyn Predict) -> Line,
) -> Vec<(&'static str, Line)> {
    fitted(comparison)
        .map(|(name, model)| (name, curve(model)))
        .filter(|(_, line)| !line.is_empty())
        .collect()
}

/// Random requests of a page; of the smallest size where no page was measured. Empty with fewer than two k.
pub(super) fn throughput(comparison: &ModelComparison) -> Vec<Throughput> {
    let all = &comparison.observations.all;
    let random = |o: &&Observation| o.workload.random_fraction >= 1.0 && o.workload.only().is_some();
    let blocks = || all.iter().filter(random).map(|o| o.workload.block_bytes);
    let Some(block) = blocks().find(|&b| b == PAGE_BYTES).or_else(|| blocks().min()) else {
        return Vec::new();
    };
    let of = |op: OpKind| {
        let here = |o: &&Observation| random(o) && o.workload.block_bytes == block;
        let mut points: Vec<&Observation> = comparison.observations.pure(op).filter(here).collect();
        points.sort_by_key(|o| o.concurrency());
        let ks = depths(&points.iter().map(|o| o.concurrency()).collect::<Vec<u32>>())?;
        let at = |model: &dyn Predict, k: u32| {
            let seconds = model.seconds(&Workload::pure(op, 1.0, block, 1.0, k))?;
            point(f64::from(k), 1.0 / seconds)
        };
        Some(Throughput {
            op: name(op),
            block,
            measured: points.iter().filter_map(|o| measured(o)).collect(),
            curves: curves(comparison, |model| ks.iter().filter_map(|&k| at(model, k)).collect()),
        })
    };
    [OpKind::Read, OpKind::Write].into_iter().filter_map(of).collect()
}

/// Every observation against every fitted model.
pub(super) fn residuals(comparison: &ModelComparison) -> Vec<Residual> {
    let models: Vec<&dyn Predict> = fitted(comparison).map(|(_, model)| model).collect();
    let ratio = |model: &dyn Predict, o: &Observation| {
        let ratio = model.seconds(&o.workload)? / o.seconds;
        (ratio.is_finite() && ratio > 0.0).then(|| round(ratio))
    };
    let of = |o: &Observation| Residual {
        k: o.concurrency(),
        kind: o.workload.only().map_or("mixed", name),
        block: o.workload.block_bytes,
        random: round(o.workload.random_fraction),
        reads: round(o.workload.read_share()),
        ratios: models.iter().map(|model| ratio(*model, o)).collect(),
    };
    if models.is_empty() { Vec::new() } else { comparison.observations.all.iter().map(of).collect() }
}

/// As in the page's data.
pub(super) fn name(op: OpKind) -> &'static str {
    match op {
        OpKind::Read => "read",
        OpKind::Write => "write",
    }
}

/// `[k, iops, low, high]`
fn measured(o: &Observation) -> Option<Measured> {
    let (k, iops) = point(f64::from(o.concurrency()), 1.0 / o.cost())?;
    let factor = (NORMAL_95 * o.relative_error).exp();
    let (low, high) = (factor > 1.0).then(|| (round(iops / factor), round(iops * factor))).unzip();
    Some((k, iops, low, high))
}

/// The measured k and four between each two powers of two, ascending; `None` with fewer than two measured.
fn depths(measured: &[u32]) -> Option<Vec<u32>> {
    let (first, last) = (*measured.iter().min()?, *measured.iter().max()?);
    let between = (0..128).map(|i| 2f64.powf(f64::from(i) / 4.0).round() as u32);
    let mut ks: Vec<u32> = between.filter(|k| (first..=last).contains(k)).chain(measured.to_vec()).collect();
    ks.sort_unstable();
    ks.dedup();
    (first < last).then_some(ks)
}

#[cfg(test)]
mod tests {
    use leadline_model::Observations;
    use leadline_profile::DeviceProfile;

    use super::*;
    use crate::sample::{reads_only, studied_profile};

    fn of(profile: &DeviceProfile) -> ModelComparison {
        ModelComparison::new(Observations::from_profile(profile))
    }

    #[test]
    fn curves_are_at_every_measured_k() {
        let comparison = of(&studied_profile());
        let charts = throughput(&comparison);
        assert_eq!(
            charts.iter().map(|c| (c.op, c.block)).collect::<Vec<_>>(),
            [("read", 4096), ("write", 4096)]
        );
        for chart in &charts {
            assert_eq!(chart.curves.len(), names(&comparison).len());
            for ((_, curve), m) in
                chart.curves.iter().flat_map(|c| chart.measured.iter().map(move |m| (c, m)))
            {
                assert!(curve.iter().any(|p| p.0 == m.0), "no curve at k = {}", m.0);
            }
        }
        assert_eq!(throughput(&of(&reads_only())).len(), 1, "no writes, no curve of writes");
        assert!(throughput(&of(&DeviceProfile::default())).is_empty());
    }

    #[test]
    fn a_residual_is_predicted_over_measured() {
        let comparison = of(&studied_profile());
        let all = &comparison.observations.all;
        let residuals = residuals(&comparison);
        assert_eq!(residuals.len(), all.len());
        let dam = comparison.get("dam").and_then(|m| m.fitted.as_ref()).expect("dam");
        let expected = dam.seconds(&all[3].workload).expect("known") / all[3].seconds;
        assert!((residuals[3].ratios[0].expect("known") / expected - 1.0).abs() < 1e-4);
        assert!(residuals.iter().any(|r| r.kind == "mixed" && r.reads == 0.3));
    }
}
