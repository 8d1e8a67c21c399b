//! What `pressure` shows: one request at a time under background load.

use leadline_figures::Part;
use leadline_figures::number::{bandwidth, block, micros};
use leadline_profile::{BackgroundCapacity, OpKind, Pattern, Pressure, PressurePoint};

use crate::experiment::figures::{FOREGROUNDS, table};
use crate::experiment::timed::words as requests;

pub(super) fn text(found: &Pressure) -> Vec<Part> {
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
