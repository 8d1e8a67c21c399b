//! What the settings of other systems are derived from, as sentences and tables.

use leadline_profile::{DurableWrites, DurableWritesPoint, IoCost, Work};

use super::experiments::{over_concurrencies, r_by_k};
use super::table::{Line, titled};
use super::wrap;
use crate::for_settings::{self, Mix, per_second, twentieths};
use crate::format::{block, count, micros, percent, with_interval};

pub(super) fn mix_line(work: &Work, width: usize) -> Vec<String> {
    let mixes = Mix::all(work);
    let table = |mix: &Mix| {
        let shares = mix.shares();
        let head = shares.iter().map(|share| format!("{} % reads", 5 * share)).collect();
        let mut rows = over_concurrencies(mix.points.iter().copied(), |k| {
            let at = |share: u32| mix.points.iter().find(|p| twentieths(p) == share && p.concurrency == k);
            shares.iter().map(|&share| at(share).map(|p| count(per_second(p)))).collect()
        });
        rows.push(("best / line".to_owned(), shares.iter().map(|&s| mix.of_line(s).map(percent)).collect()));
        let title = format!("{} random, IOPS by share of reads and requests in flight", block(mix.block));
        titled(&title, head, rows, width)
    };
    let mut out: Vec<String> = mixes.iter().map(table).collect();
    let pure = work.points.iter().filter(|p| p.reads == 0 || p.writes == 0).cloned().collect();
    out.extend(r_by_k(&Work { points: pure, ..Work::default() }, width));
    out.extend(for_settings::mix_line(work).iter().map(|sentence| wrap(sentence, width, "  ")));
    out
}

pub(super) fn durable_writes(found: &DurableWrites, width: usize) -> Vec<String> {
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
    let mut out: Vec<String> =
        for_settings::durable_writes(found).iter().map(|sentence| wrap(sentence, width, "  ")).collect();
    let size = block(found.block_bytes);
    let title =
        format!("Random reads of {size} one at a time beside durable writes: latency by share of those");
    let head = ["writes/s", "reads", "mean", "p50", "p90", "p99", "p99.9"].map(str::to_owned).to_vec();
    out.push(titled(&title, head, found.points.iter().map(row).collect(), width));
    out
}

pub(super) fn io_cost(found: &IoCost, width: usize) -> Vec<String> {
    let row = |[name, rate, of]: [String; 3]| -> Line { (name, vec![Some(rate), Some(of)]) };
    let rows = for_settings::rate_rows(found).into_iter().map(row).collect();
    let head = ["rate", "of"].map(str::to_owned).to_vec();
    let mut out = vec![titled("Linux's io.cost.model", head, rows, width)];
    out.extend(for_settings::io_cost(found).iter().map(|sentence| wrap(sentence, width, "  ")));
    out
}

#[cfg(test)]
mod tests {
    use crate::render_experiment;
    use crate::sample::studied_profile;

    #[test]
    fn the_numbers_are_there_and_fit_the_width() {
        let expected: [(&str, &[&str]); 3] = [
            (
                "mix-line",
                &["256K random, IOPS", "25 % reads", "k = 128", "best / line", "100 %", "16K", "1M"],
            ),
            (
                "durable-writes",
                &["2.00k (1.96k–2.04k)", "beside durable writes", "90 %", "p99.9", " of 1.80k"],
            ),
            ("io-cost", &["rrandiops", "2.80 GB/s", "sequential reads of 128M", "wbps fell from", "=linear"]),
        ];
        for (name, said) in expected {
            for width in [60, 80, 120] {
                let text = render_experiment(&studied_profile(), name, width).unwrap();
                let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
                assert!(widest <= width, "{widest} > {width}:\n{text}");
            }
            let text = render_experiment(&studied_profile(), name, 120).unwrap();
            for word in said {
                assert!(text.contains(word), "no {word:?} in\n{text}");
            }
        }
    }
}
