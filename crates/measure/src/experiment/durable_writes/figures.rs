//! What `durable-writes` shows: reads next to durable writes.

use leadline_figures::Part;
use leadline_figures::number::{block, count, micros, percent, with_interval};
use leadline_profile::{DurableWrites, DurableWritesPoint};
use serde::Serialize;

use crate::experiment::beside_figures::{BesideRow, beside};
use crate::experiment::figures::{Line, said, table};

/// The p99 of reads may be this many times what it is alone, in the sentence on how many writes that allows.
const SLOWER: f64 = 2.0;

/// What the device can do of durable writes, and what reads take next to them.
pub(super) fn sentences(found: &DurableWrites) -> Vec<String> {
    let size = block(found.block_bytes);
    let capacity = with_interval(found.capacity_writes_per_second, found.capacity_ci, count);
    let Some((alone, rest)) = found.points.split_first() else { return Vec::new() };
    let mut said = vec![format!(
        "The device makes {capacity} random writes of {size} per second durable, {} at a time; each takes {} \
         (p99 {}) then.",
        found.capacity_concurrency,
        micros(found.capacity_latency_us.mean),
        micros(found.capacity_latency_us.p99)
    )];
    let limit = SLOWER * alone.latency_us.p99;
    let most = found.most_writes(limit).filter(|point| point.write_share > 0.0);
    let up_to = match most {
        Some(point) => format!(
            "During up to {} durable writes per second ({} of that) it stays within twice as long.",
            count(point.writes_per_second),
            percent(point.write_share)
        ),
        None => "During a tenth of that it is already more than twice as long.".to_owned(),
    };
    said.push(format!(
        "One random {size} read takes {} alone, p99 {}. {up_to}",
        micros(alone.latency_us.mean),
        micros(alone.latency_us.p99)
    ));
    if let Some(first) = rest.iter().find(|point| point.fell_behind) {
        said.push(format!(
            "During reads, the device does not keep up with {} of the durable writes.",
            percent(first.write_share)
        ));
    }
    said
}

pub(super) fn text(found: &DurableWrites) -> Vec<Part> {
    let row = |point: &DurableWritesPoint| -> Line {
        let l = &point.latency_us;
        let slower = [(0.5, l.p50), (0.1, l.p90), (0.01, l.p99), (1e-3, l.p99_9)];
        let percentiles = slower.map(|(share, us)| (point.ops as f64 * share >= 10.0).then(|| micros(us)));
        let behind = if point.fell_behind { " of " } else { "" };
        let offered = if point.fell_behind { count(point.offered_writes_per_second) } else { String::new() };
        let written = format!("{}{behind}{offered}", count(point.writes_per_second));
        let mean = with_interval(l.mean, point.mean_us_ci, micros);
        let first = [written, count(point.ops as f64), mean].map(Some);
        (percent(point.write_share), first.into_iter().chain(percentiles).collect())
    };
    let mut out: Vec<Part> = sentences(found).into_iter().map(said).collect();
    let size = block(found.block_bytes);
    let title = format!(
        "Random reads of {size} one at a time during durable writes: latency by share of these writes"
    );
    let head = ["writes/s", "reads", "mean", "p50", "p90", "p99", "p99.9"].map(str::to_owned).to_vec();
    out.push(table(&title, head, found.points.iter().map(row).collect()));
    out
}

/// Of durable writes.
fn beside_durable(point: &DurableWritesPoint) -> BesideRow {
    let written = point.writes_per_second;
    beside(point.write_share, written, point.ops, &point.latency_us, point.mean_us_ci)
}

/// Latency of reads over durable writes next to them.
#[derive(Debug, Serialize)]
pub(super) struct DurableChart {
    latencies: Vec<BesideRow>,
}

impl DurableChart {
    pub(super) fn new(found: &DurableWrites) -> DurableChart {
        DurableChart { latencies: found.points.iter().map(beside_durable).collect() }
    }
}
