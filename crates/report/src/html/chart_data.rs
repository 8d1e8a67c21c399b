//! What the charts draw, as compact JSON: the profile without its slices, with histograms and timeline
//! thinned.

use leadline_profile::{DeviceProfile, Parameters, Point, RunPhase, TimelineSample};
use serde::Serialize;

use super::chart_numbers::round;
use super::distribution::slower_than;
use super::experiments::ExperimentCharts;
use super::models::ModelCharts;
use super::reference::{self, GranularityRow};
use crate::format;
use crate::sentences::is_published;

/// How finely histograms and the timeline are drawn.
#[derive(Debug, Clone, Copy)]
pub(super) struct Detail {
    /// Most points a latency distribution has.
    bins: usize,
    /// Most samples the timeline has.
    samples: usize,
}

impl Detail {
    /// Finer than any screen shows, for so many profiles on one page.
    pub(super) fn for_profiles(profiles: usize) -> Detail {
        Detail { bins: (320 / profiles.max(1)).max(80), samples: 2400 }
    }

    /// Half of it, as long as that still is a curve.
    pub(super) fn less(self) -> Option<Detail> {
        (self.bins > 16).then_some(Detail { bins: self.bins / 2, samples: self.samples / 2 })
    }
}

/// All profiles of a page.
#[derive(Debug, Serialize)]
pub(super) struct ChartData<'a> {
    profiles: Vec<ProfileData>,
    models: Option<&'a ModelCharts>,
    /// Of a page of one profile.
    experiments: Option<&'a ExperimentCharts>,
    /// Published asymmetry and concurrency by size, next to one profile's.
    granularity: Vec<GranularityRow>,
}

#[derive(Debug, Serialize)]
struct ProfileData {
    label: String,
    curves: Vec<Curve>,
    parameters: Vec<Parameters>,
    phases: Vec<RunPhase>,
    /// `[at_seconds, phase, bytes_per_second, written_bytes]`
    timeline: Vec<(f64, usize, f64, u64)>,
    cliffs: Vec<CliffMark>,
}

/// A point, without names: a page has hundreds.
type Row = (u32, f64, Option<f64>, Option<f64>, f64, f64, f64, f64, f64, bool);

/// One line of the charts: an operation at a pattern and block size.
#[derive(Debug, Serialize)]
struct Curve {
    op: &'static str,
    pattern: &'static str,
    block: u32,
    /// `[k, iops, iops_low, iops_high, bandwidth, mean, p50, p99, p99.9, cpu_bound]`; no interval, no ends.
    points: Vec<Row>,
    k: Option<u32>,
    k_ci: Option<[u32; 2]>,
    plateau: Option<f64>,
    censored: bool,
    cdfs: Vec<Cdf>,
}

/// The share of requests slower than each latency, at one concurrency.
#[derive(Debug, Serialize)]
struct Cdf {
    k: u32,
    /// `one`, `knee` or `most`.
    at: &'static str,
    /// `[latency_us, share that is slower]`, to the last bin, which none exceeds.
    points: Vec<(f64, f64)>,
}

#[derive(Debug, Serialize)]
struct CliffMark {
    at_seconds: Option<f64>,
    words: String,
}

impl<'a> ChartData<'a> {
    pub(super) fn new(
        profiles: &[DeviceProfile],
        labels: &[String],
        models: Option<&'a ModelCharts>,
        experiments: Option<&'a ExperimentCharts>,
        detail: Detail,
    ) -> Self {
        let drawn = profiles
            .iter()
            .zip(labels)
            .map(|(profile, label)| ProfileData::new(profile, label, detail, profiles.len() == 1))
            .collect();
        let mut data = ChartData { profiles: drawn, models, experiments, granularity: Vec::new() };
        let one = profiles.len() == 1 && !is_published(&profiles[0]);
        if one && data.has_block_sizes() {
            data.granularity = reference::granularity();
        }
        data
    }

    pub(super) fn has_cdfs(&self) -> bool {
        self.profiles.iter().any(|p| p.curves.iter().any(|c| !c.cdfs.is_empty()))
    }

    pub(super) fn has_timeline(&self) -> bool {
        self.profiles.iter().any(|p| p.timeline.len() > 1)
    }

    /// Whether there are published numbers by block size.
    pub(super) fn has_published_sizes(&self) -> bool {
        !self.granularity.is_empty()
    }

    /// Whether one pattern was measured at two block sizes or more.
    pub(super) fn has_block_sizes(&self) -> bool {
        self.profiles.iter().any(|p| {
            p.parameters.iter().any(|a| {
                p.parameters.iter().any(|b| a.pattern == b.pattern && a.block_bytes != b.block_bytes)
            })
        })
    }
}

impl ProfileData {
    fn new(profile: &DeviceProfile, label: &str, detail: Detail, with_timeline: bool) -> ProfileData {
        let mut phases: Vec<RunPhase> = Vec::new();
        let samples =
            if with_timeline { thin_timeline(&profile.timeline, detail.samples) } else { Vec::new() };
        let timeline = samples
            .iter()
            .map(|sample| {
                let phase = phases.iter().position(|p| *p == sample.phase).unwrap_or_else(|| {
                    phases.push(sample.phase.clone());
                    phases.len() - 1
                });
                (round(sample.at_seconds), phase, round(sample.bytes_per_second), sample.written_bytes)
            })
            .collect();
        let curves = profile
            .parameters
            .iter()
            .flat_map(|of| ["read", "write", "durable"].map(|op| Curve::new(profile, of, op, detail)))
            // Published numbers have a point at depth one at most, without percentiles: no curve.
            .filter(|curve| !curve.points.is_empty() && !is_published(profile))
            .collect();
        ProfileData {
            label: label.to_owned(),
            curves,
            parameters: profile.parameters.clone(),
            phases,
            timeline,
            cliffs: cliffs(profile),
        }
    }
}

impl Curve {
    fn new(profile: &DeviceProfile, of: &Parameters, op: &'static str, detail: Detail) -> Curve {
        let points = format::curve_points(profile, of, op);
        let (k, k_ci, plateau, censored) = match op {
            "read" => (of.k_r, of.k_r_ci, of.max_read_iops, of.censored.read),
            "write" => (of.k_w, of.k_w_ci, of.max_write_iops, of.censored.write),
            _ => (None, None, of.max_durable_write_iops, false),
        };
        let row = |p: &&Point| {
            let l = &p.latency_us;
            let (low, high) = p.iops_ci.map(|ci| (round(ci[0]), round(ci[1]))).unzip();
            let (mean, p50, p99, p99_9) = (round(l.mean), round(l.p50), round(l.p99), round(l.p99_9));
            let bandwidth = round(p.bandwidth_bytes);
            (p.concurrency, round(p.iops), low, high, bandwidth, mean, p50, p99, p99_9, p.cpu_bound)
        };
        Curve {
            op,
            pattern: format::pattern(of.pattern),
            block: of.block_bytes,
            cdfs: cdfs(&points, k.or(of.k_w), detail.bins),
            points: points.iter().map(row).collect(),
            k,
            k_ci,
            plateau,
            censored,
        }
    }
}

/// Distributions at depth one, at the point nearest to the knee, and at the highest depth.
fn cdfs(points: &[&Point], knee: Option<u32>, bins: usize) -> Vec<Cdf> {
    let nearest = |k: u32| points.iter().min_by_key(|p| p.concurrency.abs_diff(k));
    let chosen = [
        ("one", points.iter().find(|p| p.concurrency == 1)),
        ("knee", knee.and_then(nearest)),
        ("most", points.last()),
    ];
    let mut seen = Vec::new();
    let mut cdfs = Vec::new();
    for (at, point) in chosen {
        let Some(point) = point.filter(|p| !p.histogram.is_empty() && !seen.contains(&p.concurrency)) else {
            continue;
        };
        seen.push(point.concurrency);
        cdfs.push(Cdf { k: point.concurrency, at, points: slower_than(&point.histogram, bins) });
    }
    cdfs
}

/// Joins neighbours of one phase until there are few enough; bandwidth is then their mean.
fn thin_timeline(samples: &[TimelineSample], most: usize) -> Vec<TimelineSample> {
    let width = samples.len().div_ceil(most.max(1)).max(1);
    samples
        .chunk_by(|a, b| a.phase == b.phase)
        .flat_map(|run| run.chunks(width))
        .map(|chunk| {
            let mean = chunk.iter().map(|s| s.bytes_per_second).sum::<f64>() / chunk.len() as f64;
            let written_bytes = chunk.last().map_or(0, |s| s.written_bytes);
            TimelineSample { bytes_per_second: mean, written_bytes, ..chunk[0].clone() }
        })
        .collect()
}

fn cliffs(profile: &DeviceProfile) -> Vec<CliffMark> {
    let words = |cliff: &leadline_profile::Cliff| {
        format!(
            "{} → {} after {}",
            format::bandwidth(cliff.before_bytes_per_second),
            format::bandwidth(cliff.after_bytes_per_second),
            format::bytes(cliff.at_bytes)
        )
    };
    let at = |cliff: &leadline_profile::Cliff| {
        profile.timeline.iter().find(|s| s.written_bytes >= cliff.at_bytes).map(|s| round(s.at_seconds))
    };
    profile.validity.cliffs.iter().map(|c| CliffMark { at_seconds: at(c), words: words(c) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::sample_profile;

    #[test]
    fn a_thinned_distribution_keeps_its_ends_and_never_rises() {
        let profile = sample_profile();
        let histogram = &profile.points[3].histogram;
        let curve = slower_than(histogram, 60);
        assert!(curve.len() <= 62 && curve.len() > 30, "{} points", curve.len());
        assert!(curve.is_sorted_by(|a, b| a.0 <= b.0 && a.1 >= b.1));
        assert_eq!(curve.last().map(|p| p.1), Some(0.0), "none is slower than the slowest");
        let p99 = profile.points[3].latency_us.p99;
        let near =
            curve.iter().min_by(|a, b| (a.0 - p99).abs().total_cmp(&(b.0 - p99).abs())).expect("points");
        assert!((0.005..0.02).contains(&near.1), "{near:?} should be near one in a hundred");
        assert!(slower_than(&[], 60).is_empty());
    }

    #[test]
    fn a_thinned_timeline_keeps_phases_apart() {
        let profile = sample_profile();
        let thin = thin_timeline(&profile.timeline, 100);
        assert!(thin.len() < 150, "{} samples", thin.len());
        let runs = |samples: &[TimelineSample]| samples.chunk_by(|a, b| a.phase == b.phase).count();
        assert_eq!(runs(&thin), runs(&profile.timeline));
        assert_eq!(thin.last().map(|s| s.written_bytes), profile.timeline.last().map(|s| s.written_bytes));
    }

    #[test]
    fn distributions_are_at_one_the_knee_and_the_most() {
        let profile = sample_profile();
        let data = ChartData::new(
            std::slice::from_ref(&profile),
            &["x".into()],
            None,
            None,
            Detail::for_profiles(1),
        );
        let curve = &data.profiles[0].curves[0];
        let depths: Vec<u32> = curve.cdfs.iter().map(|cdf| cdf.k).collect();
        assert_eq!(depths, [1, profile.parameters[0].k_r.expect("k_r"), 256]);
        assert_eq!(round(123_456.0), 123_460.0);
        assert_eq!(round(0.001_234_567), 0.001_234_6);
    }
}
