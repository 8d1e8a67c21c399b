//! What the experiments on writes found, as sentences and tables.

use leadline_profile::{Gc, GcPass, Sustained, UnderLoad, WriteAmplification, WriteAmplificationRun};

use super::table::{Line, titled};
use super::wrap;
use crate::format::{bandwidth, block, bytes, count, micros, percent, significant, with_interval};
use crate::{amplification, gc, sustained};

pub(super) fn write_amplification(found: &WriteAmplification, width: usize) -> Vec<String> {
    let mut out = vec![wrap(&amplification::summary(found).join(" "), width, "  ")];
    let row = |run: &WriteAmplificationRun| -> Line {
        let value =
            with_interval(run.write_amplification, run.write_amplification_ci, |value| format!("{value:.2}"));
        let settled = if run.settled { "yes" } else { "no" };
        let cells = [value, percent(run.fill), bytes(run.host_bytes), settled.to_owned()];
        (run.pattern.to_string(), cells.map(Some).to_vec())
    };
    let head = ["write amplification", "fill", "written", "settled"].map(str::to_owned).to_vec();
    out.push(titled("By pattern, the latest last", head, found.runs().map(row).collect(), width));
    out
}

pub(super) fn gc(found: &Gc, width: usize) -> Vec<String> {
    let mut out = vec![wrap(&gc::summary(found).join(" "), width, "  ")];
    let row = |pass: &GcPass| -> Line {
        let rates = [pass.mean_bytes_per_second, pass.max_bytes_per_second, pass.min_bytes_per_second];
        let drops = [gc::exactly(pass.drop), gc::robust(pass)].map(Some);
        let amplification = pass.write_amplification.map(significant);
        let cells = rates.map(|rate| Some(bandwidth(rate))).into_iter().chain(drops).chain([amplification]);
        (gc::pass_name(pass.kind).to_owned(), cells.collect())
    };
    let head = ["mean", "fastest", "slowest", "drop", "robust drop", "amplification"];
    let title = format!("Overwriting {}, pass by pass", bytes(found.part_bytes));
    let rows = found.passes.iter().map(row).collect();
    out.push(titled(&title, head.map(str::to_owned).to_vec(), rows, width));
    out
}

pub(super) fn sustained(found: &Sustained, width: usize) -> Vec<String> {
    let mut out: Vec<String> =
        sustained::summary(found).iter().map(|sentence| wrap(sentence, width, "  ")).collect();
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
        "Random reads of {} one at a time beside random writes: latency by share of what is sustained",
        block(found.read_block_bytes)
    );
    let head = ["written", "reads", "mean", "p50", "p90", "p99", "p99.9"].map(str::to_owned).to_vec();
    out.push(titled(&title, head, found.latencies.iter().map(row).collect(), width));
    out
}

#[cfg(test)]
mod tests {
    use crate::render_experiment;
    use crate::sample::written_profile;

    #[test]
    fn the_numbers_are_there_and_fit_the_width() {
        let expected: [(&str, &[&str]); 3] = [
            ("write-amplification", &["3.19 (3.16–3.22)", "zones:10/90", "70 %", "no", "12.0 GiB"]),
            ("sustained", &["Sequential writes", "1.00 GiB", "90 %", "NOT settled", "p99.9", "80 µs"]),
            ("gc", &["same order", "1.62 GB/s", "19 %", "15 % (13–17 %)", "1.30", "after a rest"]),
        ];
        for (name, said) in expected {
            for width in [60, 80, 120] {
                let text = render_experiment(&written_profile(), name, width).unwrap();
                let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
                assert!(widest <= width, "{widest} > {width}:\n{text}");
            }
            let text = render_experiment(&written_profile(), name, 120).unwrap();
            for word in said {
                assert!(text.contains(word), "no {word:?} in\n{text}");
            }
        }
    }
}
