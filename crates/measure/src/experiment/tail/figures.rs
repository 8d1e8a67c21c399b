//! What `tail` shows: percentiles of random reads, at rest and under background load.

use leadline_figures::Part;
use leadline_figures::number::{bandwidth, block, borne_out, count, percent};
use leadline_profile::{Latency, OpKind, Pressure, PressurePoint};

use crate::experiment::figures::{said, table};

pub(super) fn text(found: &Pressure) -> Vec<Part> {
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
        "{} random reads one at a time, at rest and during random requests of {}",
        block(found.block_bytes),
        block(found.background_block_bytes)
    );
    let explained = "–: fewer than ten requests were slower.";
    let rows = found.points.iter().map(row).collect();
    vec![table(&title, head, rows), said(explained)]
}
