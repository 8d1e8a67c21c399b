//! What `buffer` shows: how large the drive's read buffer is, and latency by size.

use leadline_figures::Part;
use leadline_figures::number::{bytes, micros, percent, probability, with_interval};
use leadline_profile::{Buffer, BufferPoint};

use crate::experiment::figures::{Line, said, table};

/// How large the read buffer is, or that there is none.
pub(super) fn sentences(found: &Buffer) -> Vec<String> {
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
        (None, None) => "from a buffer of unknown size".to_owned(),
    };
    vec![format!("Pages that were read before are answered in {fast} instead of {slow}, {how_large}.")]
}

pub(super) fn text(found: &Buffer) -> Vec<Part> {
    let head = ["p30", "p40", "mean", "first pass", "later ones", "held"].map(str::to_owned).to_vec();
    let row = |point: &BufferPoint| -> Line {
        let us =
            [point.p30_us, point.p40_us, point.mean_us, point.first_mean_us, point.later_mean_us].map(micros);
        (bytes(point.size_bytes), us.map(Some).into_iter().chain([point.held_share.map(percent)]).collect())
    };
    let title = format!("Random reads of regions, each {} times: latency by size", found.passes);
    let rows = found.points.iter().map(row).collect();
    vec![said(sentences(found).join(" ")), table(&title, head, rows)]
}

#[cfg(test)]
mod tests {
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
        let said = sentences(&none);
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
        let said = sentences(&found)[0].clone();
        assert!(
            said.contains("10.5 µs instead of 90.2 µs, from a buffer of 8.10 MiB (8.00 MiB–8.20 MiB)."),
            "{said}"
        );
        let large = Buffer { buffer_bytes: None, at_least_bytes: Some(256 << 20), ..found };
        assert!(sentences(&large)[0].contains("256 MiB or more; no larger"), "{:?}", sentences(&large));
        let unclear = Buffer { at_least_bytes: None, ..large };
        assert!(sentences(&unclear)[0].contains("unknown size"));
    }
}
