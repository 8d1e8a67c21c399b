//! What `buffer` and `read-disturb` found, as sentences and tables.

use leadline_profile::{Buffer, BufferPoint, DisturbSeries, ReadDisturb};

use super::table::{Line, titled};
use super::wrap;
use crate::format::{bytes, count, micros, percent, probability};
use crate::inside;

pub(super) fn buffer(found: &Buffer, width: usize) -> Vec<String> {
    let head = ["p30", "p40", "mean", "first pass", "later ones", "held"].map(str::to_owned).to_vec();
    let row = |point: &BufferPoint| -> Line {
        let us =
            [point.p30_us, point.p40_us, point.mean_us, point.first_mean_us, point.later_mean_us].map(micros);
        (bytes(point.size_bytes), us.map(Some).into_iter().chain([point.held_share.map(percent)]).collect())
    };
    let title = format!("Random reads of regions, each {} times: latency by size", found.passes);
    let rows = found.points.iter().map(row).collect();
    vec![wrap(&inside::buffer(found).join(" "), width, "  "), titled(&title, head, rows, width)]
}

pub(super) fn read_disturb(found: &ReadDisturb, width: usize) -> Vec<String> {
    let head = ["reads", "mean", "p50", "p99", "max", "p-value"].map(str::to_owned).to_vec();
    let row = |name: String, series: &DisturbSeries| -> Line {
        let l = &series.latency_us;
        let us = [l.mean, l.p50, l.p99, l.max].map(|us| Some(micros(us)));
        let ends = (count(series.reads as f64), probability(series.p_value));
        (name, [Some(ends.0)].into_iter().chain(us).chain([Some(ends.1)]).collect())
    };
    let mut rows = vec![row("nothing".to_owned(), &found.repeating)];
    rows.extend(found.evicting.iter().map(|series| row(bytes(found.evicted_bytes), series)));
    let title = "One page read again and again: latency by what is read between";
    let explained =
        format!("A period is found in {} at most of drives without one.", percent(found.false_alarm_rate));
    vec![
        wrap(&inside::disturb(found).join(" "), width, "  "),
        titled(title, head, rows, width),
        wrap(&explained, width, "  "),
    ]
}

#[cfg(test)]
mod tests {
    use crate::render_experiment;
    use crate::sample::{sample_profile, tried_profile};

    #[test]
    fn the_numbers_are_there_and_fit_the_width() {
        let expected: [(&str, &[&str]); 2] = [
            ("buffer", &["buffer of 13.4 MiB", "256 KiB", "first pass", "64.0 MiB", "82 µs", "100 %", "0 %"]),
            ("read-disturb", &["every 30.0", "20.0 MiB", "p-value", "100k", "2 % at most"]),
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
}
