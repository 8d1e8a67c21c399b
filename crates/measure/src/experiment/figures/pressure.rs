//! What `pressure` and `tail` show: one request at a time beside background load.

use leadline_figures::Part;
use leadline_figures::number::{bandwidth, block, borne_out, count, micros, percent};
use leadline_profile::{BackgroundCapacity, Latency, OpKind, Pattern, Pressure, PressurePoint};

use super::{FOREGROUNDS, said, table};
use crate::experiment::timed::words as requests;

pub(in crate::experiment) fn text(found: &Pressure) -> Vec<Part> {
    let foregrounds: Vec<_> = FOREGROUNDS
        .into_iter()
        .filter(|&foreground| found.points.iter().any(|p| (p.op, p.pattern) == foreground))
        .collect();
    let of = |capacity: &BackgroundCapacity| {
        let beside = |p: &PressurePoint| match p.background {
            None => Some(0.0),
            Some(b) => (b.op == capacity.op).then_some(b.offered_bytes_per_second),
        };
        let mut rates: Vec<f64> = found.points.iter().filter_map(beside).collect();
        rates.sort_by(f64::total_cmp);
        rates.dedup();
        let row = |rate: f64| {
            let cell = |&(op, pattern): &(OpKind, Pattern)| {
                let here = |p: &&PressurePoint| (p.op, p.pattern) == (op, pattern) && beside(p) == Some(rate);
                let l = &found.points.iter().find(here)?.latency_us;
                Some(format!("{} / {}", micros(l.mean), micros(l.p99)))
            };
            let name = if rate == 0.0 { "at rest".to_owned() } else { bandwidth(rate) };
            (name, foregrounds.iter().map(cell).collect())
        };
        let title = format!(
            "{} one at a time beside {} of {} (alone up to {}): mean / p99",
            block(found.block_bytes),
            requests(capacity.op, Pattern::Random, false),
            block(found.background_block_bytes),
            bandwidth(capacity.bandwidth_bytes)
        );
        let head = foregrounds.iter().map(|&(op, pattern)| requests(op, pattern, false)).collect();
        table(&title, head, rates.into_iter().map(row).collect())
    };
    found.capacities.iter().map(of).collect()
}

pub(in crate::experiment) fn tail(found: &Pressure) -> Vec<Part> {
    let head = ["requests", "p50", "p90", "p99", "p99.9", "p99.99"].map(str::to_owned).to_vec();
    let row = |p: &PressurePoint| {
        let Latency { p50, p90, p99, p99_9, p99_99, .. } = p.latency_us;
        let slower = [(0.5, p50), (0.1, p90), (0.01, p99), (1e-3, p99_9), (1e-4, p99_99)];
        let cells = slower.map(|(share, us)| borne_out(p.ops, share, us));
        let name = match (p.provokes, p.background) {
            (Some(work), _) => work.words().to_owned(),
            (None, None) => "at rest".to_owned(),
            (None, Some(b)) => {
                let share = found.capacity(b.op).map(|most| b.offered_bytes_per_second / most);
                let of = share.map(|share| format!(" ({} of capacity)", percent(share))).unwrap_or_default();
                let op = if b.op == OpKind::Read { "reads" } else { "writes" };
                format!("{op} at {}{of}", bandwidth(b.offered_bytes_per_second))
            }
        };
        (name, std::iter::once(Some(count(p.ops as f64))).chain(cells).collect())
    };
    let title = format!(
        "{} random reads one at a time, at rest and beside random requests of {}",
        block(found.block_bytes),
        block(found.background_block_bytes)
    );
    let explained = "–: fewer than ten requests were slower.";
    let rows = found.points.iter().map(row).collect();
    vec![table(&title, head, rows), said(explained)]
}
