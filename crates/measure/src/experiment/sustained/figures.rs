//! What `sustained` shows: burst and sustained writes, and reads during writes.

use leadline_figures::Part;
use leadline_figures::chart::round;
use leadline_figures::number::{bandwidth, block, bytes, count, micros, percent, range, with_interval};
use leadline_profile::{Pattern, Sustained, SustainedCliff, SustainedLoad, UnderLoad};
use serde::Serialize;

use crate::experiment::beside_figures::{BesideRow, beside};
use crate::experiment::figures::{Curve, Line, said, table};

/// Burst and sustained writes, where bandwidth fell, and reads during writes: a few sentences.
pub(super) fn sentences(found: &Sustained) -> Vec<String> {
    let mut said: Vec<String> = found.loads.iter().map(sentence).collect();
    let at = |share: f64| found.latencies.iter().find(|point| (point.write_share - share).abs() < 1e-9);
    if let (Some(alone), Some(half), Some(most)) = (at(0.0), at(0.5), found.latencies.last()) {
        said.push(format!(
            "One random {} read takes {} (p99 {}) alone, {} (p99 {}) during half of the random writes that \
             the drive sustains, and {} (p99 {}) during {} of them.",
            block(found.read_block_bytes),
            micros(alone.latency_us.mean),
            micros(alone.latency_us.p99),
            micros(half.latency_us.mean),
            micros(half.latency_us.p99),
            micros(most.latency_us.mean),
            micros(most.latency_us.p99),
            percent(most.write_share)
        ));
    }
    said
}

fn sentence(load: &SustainedLoad) -> String {
    let pattern = match load.pattern {
        Pattern::Random => "Random",
        Pattern::Sequential => "Sequential",
    };
    let rate = |value, ends| with_interval(value, ends, bandwidth);
    let ratio = with_interval(load.ratio, load.ratio_ci, percent);
    let falls: Vec<String> = load.cliffs.iter().map(fall).collect();
    let falls = match &falls[..] {
        [] => format!("no fall was seen within {}", bytes(load.written_bytes)),
        all => all.join("; "),
    };
    let unsettled = if load.settled { "" } else { " It had NOT settled." };
    format!(
        "{pattern} writes of {} run at {} at first and sustain {}, {ratio} of that: {falls}.{unsettled}",
        block(load.block_bytes),
        rate(load.burst_bytes_per_second, load.burst_ci),
        rate(load.sustained_bytes_per_second, load.sustained_ci)
    )
}

/// `it falls from 1.00 GB/s to 250 MB/s after 500 MiB (490 MiB–510 MiB), 375 MiB beyond the lower rate`.
fn fall(cliff: &SustainedCliff) -> String {
    let size = |amount: f64| bytes(amount as u64);
    format!(
        "it falls from {} to {} after {} ({}), of which {} are beyond the lower rate",
        bandwidth(cliff.before_bytes_per_second),
        bandwidth(cliff.after_bytes_per_second),
        size(cliff.at_bytes),
        range(cliff.at_ci, size),
        size(cliff.beyond_bytes)
    )
}

pub(super) fn text(found: &Sustained) -> Vec<Part> {
    let mut out: Vec<Part> = sentences(found).into_iter().map(said).collect();
    if found.latencies.is_empty() {
        return out;
    }
    let row = |point: &UnderLoad| -> Line {
        let l = &point.latency_us;
        let slower = [(0.5, l.p50), (0.1, l.p90), (0.01, l.p99), (1e-3, l.p99_9)];
        let percentiles = slower.map(|(share, us)| (point.ops as f64 * share >= 10.0).then(|| micros(us)));
        let written = [Some(bandwidth(point.bytes_per_second)), Some(count(point.ops as f64))];
        let mean = with_interval(l.mean, point.mean_us_ci, micros);
        (percent(point.write_share), written.into_iter().chain([Some(mean)]).chain(percentiles).collect())
    };
    let title = format!(
        "Random reads of {} one at a time during random writes: latency by share of the sustained rate",
        block(found.read_block_bytes)
    );
    let head = ["written", "reads", "mean", "p50", "p90", "p99", "p99.9"].map(str::to_owned).to_vec();
    out.push(table(&title, head, found.latencies.iter().map(row).collect()));
    out
}

/// Bandwidth over bytes written, and latency of reads during writes.
#[derive(Debug, Serialize)]
pub(super) struct SustainedChart {
    loads: Vec<LoadLine>,
    latencies: Vec<BesideRow>,
}

#[derive(Debug, Serialize)]
struct LoadLine {
    pattern: &'static str,
    block: u32,
    k: u32,
    sustained: f64,
    ratio: f64,
    /// `[bytes, low, high]` of each cliff.
    cliffs: Vec<(f64, f64, f64)>,
    /// `[bytes written, bytes per second]`
    samples: Curve,
}

impl SustainedChart {
    pub(super) fn new(found: &Sustained) -> SustainedChart {
        SustainedChart {
            loads: found.loads.iter().map(load).collect(),
            latencies: found.latencies.iter().map(beside_random).collect(),
        }
    }
}

fn load(load: &SustainedLoad) -> LoadLine {
    LoadLine {
        pattern: pattern(load.pattern),
        block: load.block_bytes,
        k: load.concurrency,
        sustained: round(load.sustained_bytes_per_second),
        ratio: round(load.ratio),
        cliffs: load
            .cliffs
            .iter()
            .map(|cliff| (round(cliff.at_bytes), round(cliff.at_ci[0]), round(cliff.at_ci[1])))
            .collect(),
        samples: load.samples.iter().map(|&(at, rate)| (round(at), round(rate))).collect(),
    }
}

/// Of the random writes that a drive sustains.
fn beside_random(point: &UnderLoad) -> BesideRow {
    let written = point.bytes_per_second;
    beside(point.write_share, written, point.ops, &point.latency_us, point.mean_us_ci)
}

fn pattern(pattern: Pattern) -> &'static str {
    match pattern {
        Pattern::Random => "random",
        Pattern::Sequential => "sequential",
    }
}
