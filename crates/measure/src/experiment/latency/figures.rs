//! What `latency` shows: how long one request at a time takes.

use leadline_figures::Part;
use leadline_figures::number::{block, borne_out, count, micros, percent, with_interval};
use leadline_profile::{LatencyDistribution, LatencyDistributions};

use crate::experiment::figures::{said, table};
use crate::experiment::timed::words as requests;

pub(super) fn text(found: &LatencyDistributions) -> Vec<Part> {
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
    vec![table(&title, head.map(str::to_owned).to_vec(), rows), said(explained)]
}
