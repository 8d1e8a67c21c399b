//! What `ladder` shows: latency over load.

use leadline_figures::Part;
use leadline_figures::number::{count, micros, with_interval};
use leadline_profile::{Ladder, LadderMix};

use crate::experiment::figures::table;

pub(super) fn text(ladder: &Ladder) -> Vec<Part> {
    let of = |mix: &LadderMix| {
        let title = format!(
            "{:.0} % reads: {} IOPS with {} in flight; latency from the intended start",
            mix.read_share * 100.0,
            with_interval(mix.capacity_iops, mix.capacity_ci, count),
            mix.capacity_concurrency
        );
        let head = ["offered", "done", "mean", "p50", "p90", "p99", "p99.9"].map(str::to_owned).to_vec();
        let rows = mix.rungs.iter().map(|rung| {
            let l = &rung.latency_us;
            let cells = [l.mean, l.p50, l.p90, l.p99, l.p99_9].map(|us| Some(micros(us)));
            let rates = [rung.offered_iops, rung.iops].map(|iops| Some(count(iops)));
            let load = format!("{:.0} % load", rung.offered_iops / mix.capacity_iops * 100.0);
            (load, rates.into_iter().chain(cells).collect())
        });
        table(&title, head, rows.collect())
    };
    ladder.mixes.iter().map(of).collect()
}
