//! What `read-disturb` shows: whether every that many reads one is slow.

use leadline_figures::Part;
use leadline_figures::number::{bytes, count, micros, percent, probability, significant, with_interval};
use leadline_profile::{Detectable, DisturbSeries, ReadDisturb};

use crate::experiment::figures::{Line, said, table};

/// Whether every that many reads one is slow, with nothing and with others read between.
pub(super) fn sentences(found: &ReadDisturb) -> Vec<String> {
    let mut said = of_series("Read again and again, one page", &found.repeating);
    if let Some(buffer) = found.buffer_bytes.filter(|&buffer| buffer > 0) {
        said.push(format!(
            "The drive's buffer of {} answers those reads: only with others between they reach the medium.",
            bytes(buffer)
        ));
    }
    let between = format!("With {} of others read between, it", bytes(found.evicted_bytes));
    said.extend(found.evicting.iter().flat_map(|series| of_series(&between, series)));
    said
}

fn of_series(subject: &str, series: &DisturbSeries) -> Vec<String> {
    let reads = count(series.reads as f64);
    if let (Some(period), Some(penalty)) = (series.period_reads, series.penalty_us) {
        let mut said = vec![format!(
            "{subject} is slow every {} reads, by {} (p = {}, {reads} reads).",
            with_interval(period, series.period_ci, significant),
            with_interval(penalty, series.penalty_ci, micros),
            probability(series.p_value)
        )];
        if let Some(share) = series.detection_probability {
            said.push(format!("Of series with this noise, {} would show as much.", percent(share)));
        }
        return said;
    }
    let mut said =
        vec![format!("{subject} shows no period in {reads} reads (p = {}).", probability(series.p_value))];
    let one = |of: &Detectable| format!("{:.0} from {} on", of.period_reads, micros(of.penalty_us));
    let list: Vec<String> = series.detectable.iter().map(one).collect();
    if !list.is_empty() {
        said.push(format!("A slow read would have been found: one in {}.", list.join(", one in ")));
    }
    said
}

pub(super) fn text(found: &ReadDisturb) -> Vec<Part> {
    let head = ["reads", "mean", "p50", "p99", "max", "p-value"].map(str::to_owned).to_vec();
    let row = |name: String, series: &DisturbSeries| -> Line {
        let l = &series.latency_us;
        let us = [l.mean, l.p50, l.p99, l.max].map(|us| Some(micros(us)));
        let ends = (count(series.reads as f64), probability(series.p_value));
        (name, [Some(ends.0)].into_iter().chain(us).chain([Some(ends.1)]).collect())
    };
    let mut rows = vec![row("nothing".to_owned(), &found.repeating)];
    rows.extend(found.evicting.iter().map(|series| row(bytes(found.evicted_bytes), series)));
    let title = "One page read again and again: latency by the reads in between";
    let explained =
        format!("A period is found in {} at most of drives without one.", percent(found.false_alarm_rate));
    vec![said(sentences(found).join(" ")), table(title, head, rows), said(explained)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_is_told_with_its_penalty_and_none_with_what_would_have_been_found() {
        let none = DisturbSeries {
            reads: 50_000,
            p_value: 0.5,
            detectable: vec![Detectable { period_reads: 30.0, penalty_us: 4.0 }],
            ..DisturbSeries::default()
        };
        let period = DisturbSeries {
            detected: true,
            p_value: 0.01,
            period_reads: Some(30.0),
            period_ci: Some([29.8, 30.2]),
            penalty_us: Some(20.0),
            penalty_ci: Some([19.0, 21.0]),
            detection_probability: Some(1.0),
            ..none.clone()
        };
        let found = ReadDisturb {
            evicted_bytes: 20 << 20,
            buffer_bytes: Some(10 << 20),
            repeating: none,
            evicting: Some(period),
            ..ReadDisturb::default()
        };
        let said = sentences(&found).join(" ");
        for words in [
            "one page shows no period in 50.0k reads (p = 0.50).",
            "found: one in 30 from 4 µs on.",
            "buffer of 10.0 MiB answers those reads",
            "With 20.0 MiB of others read between, it is slow every 30.0 (29.8–30.2) reads, by 20 µs",
            "(p = 0.01, 50.0k reads). Of series with this noise, 100 % would show as much.",
        ] {
            assert!(said.contains(words), "no {words:?} in {said}");
        }
    }
}
