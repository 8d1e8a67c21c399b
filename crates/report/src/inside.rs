//! What `buffer` and `read-disturb` say of the inside of a drive, in words, for the terminal and the page
//! alike.

use leadline_profile::{Buffer, Detectable, DisturbSeries, ReadDisturb};

use crate::format::{bytes, count, micros, percent, probability, significant, with_interval};

/// How large the read buffer is, or that there is none.
pub(crate) fn buffer(found: &Buffer) -> Vec<String> {
    let smallest = found.points.first().map_or(0, |point| point.size_bytes);
    let slow = micros(found.slow_us);
    let Some(fast) = found.fast_us.filter(|_| found.detected).map(micros) else {
        return vec![format!(
            "No read buffer of {} or more: pages that were read before take as long as at first, {slow}. (A \
             buffer would make their distributions differ by 30 % or more, with p at most 0.01; they differ \
             by {}, p = {}.)",
            bytes(smallest),
            percent(found.distance),
            probability(found.p_value)
        )];
    };
    let size = |amount: f64| bytes(amount.round() as u64);
    let how_large = match (found.buffer_bytes, found.at_least_bytes) {
        (Some(buffer), _) => format!("from a buffer of {}", with_interval(buffer, found.buffer_ci, size)),
        (None, Some(least)) => {
            format!("from a buffer of {} or more; no larger region was read", bytes(least))
        }
        (None, None) => "from a buffer whose size could not be told".to_owned(),
    };
    vec![format!("Pages that were read before are answered in {fast} instead of {slow}, {how_large}.")]
}

/// Whether every so many reads one is slow, with nothing and with others read between.
pub(crate) fn disturb(found: &ReadDisturb) -> Vec<String> {
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

#[cfg(test)]
mod tests {
    use leadline_profile::BufferPoint;

    use super::*;

    #[test]
    fn a_buffer_is_told_with_its_size_and_none_with_what_was_looked_for() {
        let point = BufferPoint {
            size_bytes: 256 << 10,
            reads: 768,
            p30_us: 90.0,
            p40_us: 90.0,
            mean_us: 90.0,
            first_mean_us: 90.0,
            later_mean_us: 90.0,
            held_share: None,
        };
        let none = Buffer {
            p_value: 0.004,
            distance: 0.04,
            slow_us: 90.2,
            points: vec![point],
            ..Buffer::default()
        };
        let said = buffer(&none);
        assert!(said[0].starts_with("No read buffer of 256 KiB or more"), "{said:?}");
        assert!(said[0].contains("at first, 90.2 µs") && said[0].contains("4 %, p = 0.004"), "{said:?}");
        let mib = f64::from(1 << 20);
        let found = Buffer {
            detected: true,
            fast_us: Some(10.5),
            buffer_bytes: Some(8.1 * mib),
            buffer_ci: Some([8.0 * mib, 8.2 * mib]),
            ..none
        };
        let said = buffer(&found)[0].clone();
        assert!(
            said.contains("10.5 µs instead of 90.2 µs, from a buffer of 8.10 MiB (8.00 MiB–8.20 MiB)."),
            "{said}"
        );
        let large = Buffer { buffer_bytes: None, at_least_bytes: Some(256 << 20), ..found };
        assert!(buffer(&large)[0].contains("256 MiB or more; no larger"), "{:?}", buffer(&large));
        let unclear = Buffer { at_least_bytes: None, ..large };
        assert!(buffer(&unclear)[0].contains("could not be told"));
    }

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
        let said = disturb(&found).join(" ");
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
