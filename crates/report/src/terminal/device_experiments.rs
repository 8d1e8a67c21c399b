//! What `latency`, `interleaving`, `pressure`, `tail` and `unaligned` found, as tables.

use std::collections::BTreeSet;

use leadline_profile::{
    Interleaving, Latency, LatencyDistribution, LatencyDistributions, OpKind, PAGE_BYTES, Pattern, Pressure,
    PressurePoint, Unaligned, UnalignedPoint,
};

use super::table::{Line, titled};
use super::wrap;
use crate::format::{
    bandwidth, block, count, internal_work, micros, operation, percent, requests, significant, with_interval,
};

/// The workloads with an operation and a pattern of their own.
const FOREGROUNDS: [(OpKind, Pattern); 4] = [
    (OpKind::Read, Pattern::Sequential),
    (OpKind::Read, Pattern::Random),
    (OpKind::Write, Pattern::Sequential),
    (OpKind::Write, Pattern::Random),
];

pub(super) fn latency(found: &LatencyDistributions, width: usize) -> Vec<String> {
    let head = ["requests", "mean", "p50", "p99", "p99.9", "p99.99", "program", "software"];
    let row = |w: &LatencyDistribution| {
        let l = &w.latency_us;
        let name = requests(w.op, w.pattern, w.durable);
        let [p50, p99, p99_9, p99_99] = [(0.5, l.p50), (0.01, l.p99), (1e-3, l.p99_9), (1e-4, l.p99_99)]
            .map(|(share, us)| borne_out(w.ops, share, us));
        let mean = Some(with_interval(l.mean, w.mean_us_ci, micros));
        let shares = [w.program_share(), w.software_share()].map(|share| share.map(percent));
        let timed = Some(count(w.ops as f64));
        let cells = [timed, mean, p50, p99, p99_9, p99_99].into_iter().chain(shares).collect();
        (name, cells)
    };
    let title = format!("{}, one request at a time: latency (95 % interval)", block(found.block_bytes));
    let rows = found.workloads.iter().map(row).collect();
    let explained = "Program: share of the mean outside of the system call. Software: share above the block \
                     layer, by the disk's counters. –: cannot be told here, or fewer than ten requests were \
                     slower.";
    vec![titled(&title, head.map(str::to_owned).to_vec(), rows, width), wrap(explained, width, "  ")]
}

pub(super) fn interleaving(found: &Interleaving, width: usize) -> Vec<String> {
    let of = |(op, pattern): (OpKind, Pattern)| {
        let here = || found.points.iter().filter(move |p| (p.op, p.pattern) == (op, pattern));
        let sizes: BTreeSet<u32> = here().map(|p| p.block_bytes).collect();
        let ks: BTreeSet<u32> = here().map(|p| p.concurrency).collect();
        let row = |k: u32| {
            let cell = |&size: &u32| {
                let point = here().find(|p| (p.block_bytes, p.concurrency) == (size, k))?;
                Some(significant(point.bandwidth_bytes / 1e6))
            };
            (format!("k = {k}"), sizes.iter().map(cell).collect())
        };
        let title =
            format!("{}, MB/s by size and requests in flight", capital(&requests(op, pattern, false)));
        let head = sizes.iter().map(|&size| block(size)).collect();
        (!sizes.is_empty()).then(|| titled(&title, head, ks.into_iter().map(row).collect(), width))
    };
    FOREGROUNDS.into_iter().filter_map(of).collect()
}

pub(super) fn pressure(found: &Pressure, width: usize) -> Vec<String> {
    let foregrounds: Vec<_> = FOREGROUNDS
        .into_iter()
        .filter(|&foreground| found.points.iter().any(|p| (p.op, p.pattern) == foreground))
        .collect();
    let of = |capacity: &leadline_profile::BackgroundCapacity| {
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
        titled(&title, head, rates.into_iter().map(row).collect(), width)
    };
    found.capacities.iter().map(of).collect()
}

pub(super) fn tail(found: &Pressure, width: usize) -> Vec<String> {
    let head = ["requests", "p50", "p90", "p99", "p99.9", "p99.99"].map(str::to_owned).to_vec();
    let row = |p: &PressurePoint| {
        let Latency { p50, p90, p99, p99_9, p99_99, .. } = p.latency_us;
        let slower = [(0.5, p50), (0.1, p90), (0.01, p99), (1e-3, p99_9), (1e-4, p99_99)];
        let cells = slower.map(|(share, us)| borne_out(p.ops, share, us));
        let name = match (p.provokes, p.background) {
            (Some(work), _) => internal_work(work).to_owned(),
            (None, None) => "at rest".to_owned(),
            (None, Some(b)) => {
                let share = found.capacity(b.op).map(|most| b.offered_bytes_per_second / most);
                let of = share.map(|share| format!(" ({} of capacity)", percent(share))).unwrap_or_default();
                format!("{}s at {}{of}", operation(b.op), bandwidth(b.offered_bytes_per_second))
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
    vec![titled(&title, head, rows, width), wrap(explained, width, "  ")]
}

pub(super) fn unaligned(found: &Unaligned, width: usize) -> Vec<String> {
    const STEP: u32 = 1 << 10;
    let largest = found.points.iter().map(|p| p.block_bytes).max().unwrap_or(0);
    let steps = PAGE_BYTES / STEP;
    let row = |page: u32| -> Line {
        let cell = |step: u32| {
            let size = page * PAGE_BYTES + step * STEP;
            let point: &UnalignedPoint = found.points.iter().find(|p| p.block_bytes == size)?;
            Some(micros(point.latency_us.mean))
        };
        let from = if page == 0 { "0".to_owned() } else { block(page * PAGE_BYTES) };
        (from, (1..=steps).map(cell).collect())
    };
    let how = match (found.procedure.direct, found.durable) {
        (true, _) => "direct",
        (false, true) => "through the page cache, each durable",
        (false, false) => "through the page cache",
    };
    let title = format!(
        "Sequential writes one at a time, {how}: mean latency by size; last column: multiples of {}",
        block(PAGE_BYTES)
    );
    let head = (1..=steps).map(|step| format!("+{}", block(step * STEP))).collect();
    vec![titled(&title, head, (0..largest.div_ceil(PAGE_BYTES)).map(row).collect(), width)]
}

/// A percentile, where at least ten of the requests were slower.
fn borne_out(ops: u64, share: f64, us: f64) -> Option<String> {
    (ops as f64 * share >= 10.0).then(|| micros(us))
}

fn capital(words: &str) -> String {
    format!("{}{}", words[..1].to_uppercase(), &words[1..])
}

#[cfg(test)]
mod tests {
    use crate::render_experiment;
    use crate::sample::{sample_profile, tried_profile};

    #[test]
    fn the_numbers_are_there_and_fit_the_width() {
        let expected: [(&str, &[&str]); 5] = [
            ("latency", &["durable random writes", "82 µs (81.2 µs–82.8 µs)", "20 %", "3 %", "–"]),
            ("interleaving", &["Random writes, MB/s", "k = 256", "256K", "2500", "220"]),
            ("pressure", &["beside random reads of 16K", "1.00 GB/s", "at rest", "400 MB/s", "82 µs / 164"]),
            ("tail", &["reads at 300 MB/s (30 % of capacity)", "writes at 700 MB/s (88 %", "p99.99", "400k"]),
            ("unaligned", &["direct", "60K", "+4K", "46.5 µs", "48 µs"]),
        ];
        for (name, said) in expected {
            for width in [60, 80, 120] {
                let text = render_experiment(&tried_profile(), name, width).unwrap();
                let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
                assert!(widest <= width, "{widest} > {width}:\n{text}");
            }
            let text = render_experiment(&tried_profile(), name, 160).unwrap();
            for word in said {
                assert!(text.contains(word), "no {word:?} in\n{text}");
            }
            assert_eq!(render_experiment(&sample_profile(), name, 80), None);
        }
    }

    #[test]
    fn the_path_of_unaligned_writes_is_said() {
        let mut profile = tried_profile();
        let unaligned = profile.experiments.unaligned.as_mut().unwrap();
        (unaligned.procedure.direct, unaligned.durable) = (false, true);
        let text = render_experiment(&profile, "unaligned", 120).unwrap();
        assert!(text.contains("through the page cache, each durable"), "{text}");
    }
}
