//! What the charts of the experiments draw, with the models' curves through them.

use leadline_model::{InFlight, LatencyModel, ModelComparison, Percentile, Predict, Workload};
use leadline_profile::{Ladder, LadderMix, OpKind, Rung, Work, WorkPoint};
use serde::Serialize;

use super::chart_numbers::{Line, Measured, point, round};
use super::model_charts::{curves, name};

/// Drawn of a ladder.
const PERCENTILES: [Percentile; 4] = [Percentile::P50, Percentile::P90, Percentile::P99, Percentile::P99_9];

/// Completed / offered below which the device did not keep up.
const KEPT_UP: f64 = 0.97;

/// Steps of a curve over a share from 0 to 1.
const STEPS: u32 = 40;

/// Bandwidth over r and k, by operation.
#[derive(Debug, Serialize)]
pub(super) struct Surface {
    op: &'static str,
    lines: Vec<SurfaceLine>,
}

/// One k of a surface.
#[derive(Debug, Serialize)]
struct SurfaceLine {
    k: u32,
    /// `[r, bytes per second, low, high]`, r being random accesses per page.
    measured: Vec<Measured>,
    /// `[r, bytes per second]` of the best model.
    curve: Line,
}

/// Throughput over the share of reads, at one block size and k.
#[derive(Debug, Serialize)]
pub(super) struct Mixed {
    block: u32,
    k: u32,
    /// `[share of reads, iops, low, high]`
    measured: Vec<Measured>,
    /// Name of the model and its `[share of reads, iops]`.
    curves: Vec<(&'static str, Line)>,
}

/// Latency over offered load, of one mix.
#[derive(Debug, Serialize)]
pub(super) struct LoadChart {
    /// Share of reads, 0 to 1.
    reads: f64,
    block: u32,
    /// Closed loop, operations per second.
    capacity: f64,
    capacity_k: u32,
    percentiles: [&'static str; PERCENTILES.len()],
    /// `[offered iops, completed iops, whether it kept up, microseconds of each percentile]`
    rungs: Vec<(f64, f64, bool, Vec<f64>)>,
    /// `[offered iops, microseconds]` of each percentile; empty where nothing could be fitted.
    curves: Vec<Line>,
}

/// The points of `r-by-k`, and the best model's curves through them.
pub(super) fn surfaces(work: &Work, comparison: &ModelComparison) -> Vec<Surface> {
    let of = |op: OpKind| {
        let points = || work.points.iter().filter(move |p| only(p) == Some(op) && p.random_fraction >= 1.0);
        let blocks = || points().map(|p| p.block_bytes);
        let lengths = lengths(blocks().min()?, blocks().max()?);
        let line = |k: u32| {
            let at = |block: u32| {
                let workload = Workload::pure(op, 1.0, block, 1.0, k);
                let seconds = comparison.best()?.seconds(&workload)?;
                point(workload.random_accesses_per_page(), f64::from(block) / seconds)
            };
            let mut here: Vec<&WorkPoint> = points().filter(|p| p.concurrency == k).collect();
            here.sort_by_key(|p| p.block_bytes);
            let shown = |p: &&WorkPoint| measured(p, r(p.block_bytes), f64::from(p.block_bytes));
            SurfaceLine {
                k,
                measured: here.iter().filter_map(shown).collect(),
                curve: lengths.iter().filter_map(|&block| at(block)).collect(),
            }
        };
        let lines = distinct(points().map(|p| p.concurrency)).into_iter().map(line).collect();
        Some(Surface { op: name(op), lines })
    };
    [OpKind::Read, OpKind::Write].into_iter().filter_map(of).collect()
}

/// The points of `mixed`, and the curves of `mqssd` and `shared` through them.
pub(super) fn mixed(work: &Work, comparison: &ModelComparison) -> Vec<Mixed> {
    let mut groups = Vec::new();
    for block in distinct(work.points.iter().map(|p| p.block_bytes)) {
        let of_block = || work.points.iter().filter(move |p| p.block_bytes == block);
        groups.extend(distinct(of_block().map(|p| p.concurrency)).into_iter().map(|k| (block, k)));
    }
    let of = |(block, k): (u32, u32)| {
        let mut here: Vec<&WorkPoint> =
            work.points.iter().filter(|p| p.block_bytes == block && p.concurrency == k).collect();
        here.sort_by(|a, b| reads(a).total_cmp(&reads(b)));
        let random_fraction = here.first().map_or(1.0, |p| p.random_fraction);
        let at = |model: &dyn Predict, step: u32| {
            let reads = f64::from(step) / f64::from(STEPS);
            let in_flight = InFlight::Together(k);
            let workload =
                Workload { reads, writes: 1.0 - reads, block_bytes: block, random_fraction, in_flight };
            point(reads, 1.0 / model.seconds(&workload)?)
        };
        let mut curves = curves(comparison, |model| (0..=STEPS).filter_map(|step| at(model, step)).collect());
        curves.retain(|(name, _)| matches!(*name, "mqssd" | "shared"));
        Mixed { block, k, measured: here.iter().filter_map(|p| measured(p, reads(p), 1.0)).collect(), curves }
    };
    groups.into_iter().map(of).collect()
}

/// The rungs of every mix, and the fitted latency curves.
pub(super) fn loads(ladder: &Ladder) -> Vec<LoadChart> {
    let model = LatencyModel::fit(ladder).ok();
    let kept_up = |rung: &Rung| rung.iops >= KEPT_UP * rung.offered_iops;
    let curve = |mix: &LadderMix, percentile: Percentile| -> Option<Line> {
        let model = model.as_ref()?;
        let share = |rung: &Rung| rung.offered_iops / mix.capacity_iops;
        let kept = || mix.rungs.iter().filter(|r| kept_up(r)).map(share).filter(|load| *load < 1.0);
        let (low, high) = (kept().reduce(f64::min)?, kept().reduce(f64::max)?);
        let at = |step: u32| {
            let load = low + (high - low) * f64::from(step) / f64::from(STEPS);
            point(round(load * mix.capacity_iops), model.latency_us(percentile, mix.read_share, load)?)
        };
        // A mix with too few rungs would otherwise be drawn from its neighbours.
        let own = model.read_shares().iter().any(|s| (s - mix.read_share).abs() < 1e-9);
        own.then(|| (0..=STEPS).filter_map(at).collect())
    };
    let of = |mix: &LadderMix| LoadChart {
        reads: round(mix.read_share),
        block: ladder.block_bytes,
        capacity: round(mix.capacity_iops),
        capacity_k: mix.capacity_concurrency,
        percentiles: PERCENTILES.map(Percentile::name),
        rungs: mix
            .rungs
            .iter()
            .map(|rung| {
                let latency = PERCENTILES.map(|p| round(p.of(&rung.latency_us))).to_vec();
                (round(rung.offered_iops), round(rung.iops), kept_up(rung), latency)
            })
            .collect(),
        curves: PERCENTILES.map(|p| curve(mix, p).unwrap_or_default()).to_vec(),
    };
    ladder.mixes.iter().filter(|mix| !mix.rungs.is_empty()).map(of).collect()
}

/// The kind, where all requests are of one.
fn only(p: &WorkPoint) -> Option<OpKind> {
    match (p.reads, p.writes) {
        (1.., 0) => Some(OpKind::Read),
        (0, 1..) => Some(OpKind::Write),
        _ => None,
    }
}

fn reads(p: &WorkPoint) -> f64 {
    p.reads as f64 / (p.reads + p.writes).max(1) as f64
}

/// Random accesses per page.
fn r(block_bytes: u32) -> f64 {
    Workload::pure(OpKind::Read, 1.0, block_bytes, 1.0, 1).random_accesses_per_page()
}

/// Requests per second times `scale`, with its interval: the longer it may have taken, the slower it may be.
fn measured(p: &WorkPoint, x: f64, scale: f64) -> Option<Measured> {
    let requests = (p.reads + p.writes) as f64 * scale;
    let (x, y) = point(x, requests / p.seconds)?;
    let ends = p.seconds_ci.filter(|[low, _]| *low > 0.0);
    let (low, high) = ends.map(|[low, high]| (round(requests / high), round(requests / low))).unzip();
    Some((x, y, low, high))
}

/// Request sizes from `small` to `large`, two between each two doublings.
fn lengths(small: u32, large: u32) -> Vec<u32> {
    let step = |i: u32| (f64::from(small) * 2f64.powf(f64::from(i) / 2.0)).round();
    let mut lengths: Vec<u32> =
        (0..64).map(step).take_while(|b| *b < f64::from(large)).map(|b| b as u32).collect();
    lengths.push(large);
    lengths
}

fn distinct(values: impl Iterator<Item = u32>) -> Vec<u32> {
    values.collect::<std::collections::BTreeSet<u32>>().into_iter().collect()
}

#[cfg(test)]
mod tests {
    use leadline_model::Observations;
    use leadline_profile::DeviceProfile;

    use super::*;
    use crate::sample::studied_profile;

    fn comparison(profile: &DeviceProfile) -> ModelComparison {
        ModelComparison::new(Observations::from_profile(profile))
    }

    #[test]
    fn a_surface_is_bandwidth_by_r() {
        let profile = studied_profile();
        let work = profile.experiments.r_by_k.as_ref().expect("measured");
        let surfaces = surfaces(work, &comparison(&profile));
        assert_eq!(surfaces.iter().map(|s| s.op).collect::<Vec<_>>(), ["read", "write"]);
        let p = work.points.iter().find(|p| p.block_bytes == 1 << 20 && p.writes > 0).expect("a point");
        let line = surfaces[1].lines.iter().find(|l| l.k == p.concurrency).expect("its line");
        let m = line.measured.iter().find(|m| m.0 == 1.0 / 256.0).expect("its r");
        assert!((m.1 / (p.writes as f64 * 1048576.0 / p.seconds) - 1.0).abs() < 1e-4);
        assert!(m.2.expect("low") < m.1 && m.1 < m.3.expect("high"));
        let ends = (line.curve.first().map(|p| p.0), line.curve.last().map(|p| p.0));
        assert_eq!(ends, (Some(1.0), Some(1.0 / 1024.0)));
    }

    #[test]
    fn mixes_are_by_k_over_the_share_of_reads() {
        let profile = studied_profile();
        let work = profile.experiments.mixed.as_ref().expect("measured");
        let groups = mixed(work, &comparison(&profile));
        assert_eq!(
            groups.iter().map(|g| (g.block, g.k)).collect::<Vec<_>>(),
            [(4096, 1), (4096, 4), (4096, 16), (4096, 64)]
        );
        assert_eq!(groups[0].measured.iter().map(|m| m.0).collect::<Vec<_>>(), [0.1, 0.3, 0.5, 0.7, 0.9]);
        assert!(groups[0].curves.iter().all(|(name, _)| matches!(*name, "mqssd" | "shared")));
    }

    #[test]
    fn rungs_that_overloaded_the_drive_are_marked_and_have_no_curve() {
        let profile = studied_profile();
        let charts = loads(profile.experiments.ladder.as_ref().expect("measured"));
        assert_eq!(charts.len(), 3);
        for chart in &charts {
            let kept: Vec<bool> = chart.rungs.iter().map(|r| r.2).collect();
            assert_eq!(kept.iter().filter(|k| !**k).count(), 1);
            assert!(!kept[kept.len() - 1]);
            let last = chart.curves[2].last().expect("a curve of p99").0;
            assert!(last < chart.capacity, "{last}");
        }
        let mut few = profile.experiments.ladder.clone().expect("measured");
        few.mixes[1].rungs.truncate(2);
        assert!(loads(&few)[1].curves[0].is_empty(), "two rungs are not a curve");
    }
}
