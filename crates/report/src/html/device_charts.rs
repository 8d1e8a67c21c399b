//! What the charts of the experiments on a drive draw, with the paper's numbers.

use leadline_profile::{
    DeviceProfile, Experiments, Interleaving, InterleavingPoint, LatencyDistributions, OpKind, Pattern,
    Pressure, PressurePoint, Unaligned,
};
use serde::Serialize;

use super::chart_numbers::{Measured, point, round};
use super::distribution::slower_than;
use super::inside_charts::{BufferChart, DisturbChart};
use super::reference;
use crate::format::{self, operation};

/// Most points of a latency distribution.
const BINS: usize = 320;

/// The charts of the section; absent where the experiment was not run.
#[derive(Debug, Default, Serialize)]
pub(super) struct DeviceCharts {
    latency: Option<Latencies>,
    interleaving: Option<Bandwidths>,
    pressure: Option<Pressures>,
    tail: Option<Tails>,
    unaligned: Option<Sizes>,
    buffer: Option<BufferChart>,
    disturb: Option<DisturbChart>,
}

#[derive(Debug, Serialize)]
struct Latencies {
    block: u32,
    lines: Vec<LatencyLine>,
    reference: Vec<(&'static str, &'static str, &'static str, f64)>,
}

/// One workload.
#[derive(Debug, Serialize)]
struct LatencyLine {
    op: &'static str,
    pattern: &'static str,
    durable: bool,
    ops: u64,
    /// `[latency_us, share that is slower]`
    points: Vec<(f64, f64)>,
}

#[derive(Debug, Serialize)]
struct Bandwidths {
    lines: Vec<BandwidthLine>,
    reference: Vec<(&'static str, &'static str, f64, f64, f64)>,
}

/// One operation, pattern and size.
#[derive(Debug, Serialize)]
struct BandwidthLine {
    op: &'static str,
    pattern: &'static str,
    block: u32,
    /// `[k, bytes per second, low, high]`, and whether the profile had it already.
    points: Vec<(Measured, bool)>,
}

#[derive(Debug, Serialize)]
struct Pressures {
    block: u32,
    background_block: u32,
    lines: Vec<PressureLine>,
    reference: Vec<reference::PressureRow>,
}

/// One foreground under one kind of background.
#[derive(Debug, Serialize)]
struct PressureLine {
    op: &'static str,
    pattern: &'static str,
    background: &'static str,
    /// `[MB/s of background, requests timed, mean, p50, p99]`, microseconds; at rest 0 MB/s.
    points: Vec<(f64, u64, f64, f64, f64)>,
}

#[derive(Debug, Serialize)]
struct Tails {
    block: u32,
    lines: Vec<TailLine>,
    reference: Vec<(&'static str, &'static str, [f64; 4])>,
}

/// One scene.
#[derive(Debug, Serialize)]
struct TailLine {
    name: String,
    ops: u64,
    /// Microseconds at p50, p90, p99, p99.9, p99.99; absent where fewer than ten requests were slower.
    us: [Option<f64>; 5],
}

/// `[bytes, mean, low, high, p99]`, microseconds.
type SizeRow = (u32, f64, Option<f64>, Option<f64>, f64);

#[derive(Debug, Serialize)]
struct Sizes {
    direct: bool,
    points: Vec<SizeRow>,
    reference: Vec<(&'static str, f64, f64)>,
}

/// Which charts there are.
#[derive(Debug, Serialize)]
pub(super) struct Has {
    latency: bool,
    interleaving: bool,
    pressure: bool,
    tail: bool,
    unaligned: bool,
    buffer: bool,
    disturb: bool,
}

impl DeviceCharts {
    /// `None` where none of these experiments was run.
    pub(super) fn new(profile: &DeviceProfile) -> Option<DeviceCharts> {
        let Experiments { latency, interleaving, pressure, tail, unaligned, buffer, read_disturb, .. } =
            &profile.experiments;
        let charts = DeviceCharts {
            latency: latency.as_ref().map(latencies),
            interleaving: interleaving.as_ref().filter(|i| !i.points.is_empty()).map(bandwidths),
            pressure: pressure.as_ref().filter(|p| !p.points.is_empty()).map(pressures),
            tail: tail.as_ref().filter(|t| !t.points.is_empty()).map(tails),
            unaligned: unaligned.as_ref().filter(|u| !u.points.is_empty()).map(sizes),
            buffer: buffer.as_ref().filter(|b| !b.points.is_empty()).map(BufferChart::new),
            disturb: read_disturb.as_ref().map(DisturbChart::new),
        };
        let Has { latency, interleaving, pressure, tail, unaligned, buffer, disturb } = charts.has();
        (latency || interleaving || pressure || tail || unaligned || buffer || disturb).then_some(charts)
    }

    pub(super) fn has(&self) -> Has {
        Has {
            latency: self.latency.is_some(),
            interleaving: self.interleaving.is_some(),
            pressure: self.pressure.is_some(),
            tail: self.tail.is_some(),
            unaligned: self.unaligned.is_some(),
            buffer: self.buffer.is_some(),
            disturb: self.disturb.is_some(),
        }
    }
}

fn latencies(found: &LatencyDistributions) -> Latencies {
    let line = |workload: &leadline_profile::LatencyDistribution| LatencyLine {
        op: operation(workload.op),
        pattern: format::pattern(workload.pattern),
        durable: workload.durable,
        ops: workload.ops,
        points: slower_than(&workload.histogram, BINS),
    };
    Latencies {
        block: found.block_bytes,
        lines: found.workloads.iter().map(line).collect(),
        reference: reference::latency(),
    }
}

fn bandwidths(found: &Interleaving) -> Bandwidths {
    let mut lines: Vec<BandwidthLine> = Vec::new();
    let mut points: Vec<&InterleavingPoint> = found.points.iter().collect();
    points.sort_by_key(|p| (p.pattern, p.op, p.block_bytes, p.concurrency));
    for p in points {
        let (op, pattern, block) = (operation(p.op), format::pattern(p.pattern), p.block_bytes);
        let Some((k, value)) = point(f64::from(p.concurrency), p.bandwidth_bytes) else { continue };
        let (low, high) = p.bandwidth_ci.map(|[low, high]| (round(low), round(high))).unzip();
        let drawn = ((k, value, low, high), p.from_profile);
        match lines.last_mut() {
            Some(line) if (line.op, line.pattern, line.block) == (op, pattern, block) => {
                line.points.push(drawn);
            }
            _ => lines.push(BandwidthLine { op, pattern, block, points: vec![drawn] }),
        }
    }
    Bandwidths { lines, reference: reference::interleaving() }
}

fn pressures(found: &Pressure) -> Pressures {
    let mut lines = Vec::new();
    for background in [OpKind::Read, OpKind::Write] {
        for pattern in [Pattern::Sequential, Pattern::Random] {
            for op in [OpKind::Read, OpKind::Write] {
                let here = |p: &&PressurePoint| {
                    (p.op, p.pattern) == (op, pattern) && p.background.is_none_or(|b| b.op == background)
                };
                let drawn = |p: &PressurePoint| {
                    let rate = p.background.map_or(0.0, |b| b.offered_bytes_per_second / 1e6);
                    let l = &p.latency_us;
                    (round(rate), p.ops, round(l.mean), round(l.p50), round(l.p99))
                };
                let mut points: Vec<_> = found.points.iter().filter(here).map(drawn).collect();
                points.sort_by(|a, b| a.0.total_cmp(&b.0));
                // A line at rest alone would say nothing about this background.
                if points.last().is_some_and(|last| last.0 > 0.0) {
                    let (op, pattern) = (operation(op), format::pattern(pattern));
                    lines.push(PressureLine { op, pattern, background: operation(background), points });
                }
            }
        }
    }
    Pressures {
        block: found.block_bytes,
        background_block: found.background_block_bytes,
        lines,
        reference: reference::pressure(),
    }
}

fn tails(found: &Pressure) -> Tails {
    let line = |p: &PressurePoint| {
        let l = &p.latency_us;
        let slower = [(0.5, l.p50), (0.1, l.p90), (0.01, l.p99), (1e-3, l.p99_9), (1e-4, l.p99_99)];
        TailLine {
            name: scene(p),
            ops: p.ops,
            us: slower.map(|(share, us)| (p.ops as f64 * share >= 10.0).then(|| round(us))),
        }
    };
    Tails {
        block: found.block_bytes,
        lines: found.points.iter().map(line).collect(),
        reference: reference::tail(),
    }
}

fn sizes(found: &Unaligned) -> Sizes {
    let drawn = |p: &leadline_profile::UnalignedPoint| {
        let (low, high) = p.mean_us_ci.map(|[low, high]| (round(low), round(high))).unzip();
        (p.block_bytes, round(p.latency_us.mean), low, high, round(p.latency_us.p99))
    };
    Sizes {
        direct: found.procedure.direct,
        points: found.points.iter().map(drawn).collect(),
        reference: reference::unaligned(),
    }
}

/// `at rest`, `during reads at 84.9 MB/s`.
fn scene(point: &PressurePoint) -> String {
    match (point.provokes, point.background) {
        (Some(work), _) => work.words().to_owned(),
        (None, None) => "at rest".to_owned(),
        (None, Some(b)) => {
            let rate = format::bandwidth(b.offered_bytes_per_second);
            format!("during {}s at {rate}", operation(b.op))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{sample_profile, tried_profile};

    #[test]
    fn there_is_a_chart_for_each_experiment_that_was_run() {
        assert!(DeviceCharts::new(&sample_profile()).is_none());
        let mut profile = tried_profile();
        let Has { latency, interleaving, pressure, tail, unaligned, buffer, disturb } =
            DeviceCharts::new(&profile).expect("all of them").has();
        assert!(latency && interleaving && pressure && tail && unaligned && buffer && disturb);
        profile.experiments = Experiments { tail: profile.experiments.tail, ..Experiments::default() };
        let has = DeviceCharts::new(&profile).expect("one of them").has();
        assert!(has.tail && !has.latency && !has.pressure && !has.buffer && !has.disturb);
    }

    #[test]
    fn lines_are_by_foreground_and_background_and_begin_at_rest() {
        let profile = tried_profile();
        let charts = DeviceCharts::new(&profile).expect("charts");
        let lines = charts.pressure.expect("measured").lines;
        assert_eq!(lines.len(), 8);
        for line in &lines {
            let rates: Vec<f64> = line.points.iter().map(|p| p.0).collect();
            assert_eq!(rates, [0.0, 50.0, 100.0, 200.0, 400.0], "{line:?}");
        }
    }

    #[test]
    fn a_percentile_that_ten_requests_do_not_bear_out_is_not_drawn() {
        let mut profile = tried_profile();
        let tail = profile.experiments.tail.as_mut().expect("measured");
        tail.points[0].ops = 9_999;
        let lines = DeviceCharts::new(&profile).expect("charts").tail.expect("measured").lines;
        assert_eq!(lines[0].us.map(|us| us.is_some()), [true, true, true, false, false]);
        let names: Vec<&str> = lines.iter().map(|line| line.name.as_str()).collect();
        assert_eq!(names[..2], ["at rest", "during reads at 300 MB/s"]);
        assert_eq!(names[5..], ["during overwriting", "over and over"]);
    }

    #[test]
    fn bandwidth_has_a_line_for_each_size_and_marks_what_the_profile_had() {
        let profile = tried_profile();
        let lines = DeviceCharts::new(&profile).expect("charts").interleaving.expect("measured").lines;
        assert_eq!(lines.len(), 4 * 3);
        for line in &lines {
            assert!(line.points.windows(2).all(|pair| pair[0].0.0 < pair[1].0.0), "{line:?}");
            assert_eq!(line.points.iter().all(|p| p.1), line.block == 4096);
        }
    }
}
