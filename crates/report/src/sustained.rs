//! What `sustained` says, in words, for the terminal and the page alike.

use leadline_profile::{Sustained, SustainedCliff, SustainedLoad};

use crate::format::{self, bandwidth, block, bytes, micros, percent, range, with_interval};

/// Burst and sustained writes, where bandwidth fell, and reads beside writes: a few sentences.
pub(crate) fn summary(found: &Sustained) -> Vec<String> {
    let mut said: Vec<String> = found.loads.iter().map(load).collect();
    let at = |share: f64| found.latencies.iter().find(|point| (point.write_share - share).abs() < 1e-9);
    if let (Some(alone), Some(half), Some(most)) = (at(0.0), at(0.5), found.latencies.last()) {
        said.push(format!(
            "One random {} read takes {} (p99 {}) alone, {} (p99 {}) beside half of the random writes that \
             the drive sustains, and {} (p99 {}) beside {} of them.",
            block(found.read_block_bytes),
            micros(alone.latency_us.mean),
            micros(alone.latency_us.p99),
            micros(half.latency_us.mean),
            micros(half.latency_us.p99),
            micros(most.latency_us.mean),
            micros(most.latency_us.p99),
            percent(most.write_share)
        ));
    }
    said
}

fn load(load: &SustainedLoad) -> String {
    let pattern = match format::pattern(load.pattern) {
        "random" => "Random",
        _ => "Sequential",
    };
    let rate = |value, ends| with_interval(value, ends, bandwidth);
    let ratio = with_interval(load.ratio, load.ratio_ci, percent);
    let falls: Vec<String> = load.cliffs.iter().map(fall).collect();
    let falls = match &falls[..] {
        [] => format!("no fall was seen within {}", bytes(load.written_bytes)),
        all => all.join("; "),
    };
    let unsettled = if load.settled { "" } else { " It had NOT settled." };
    format!(
        "{pattern} writes of {} run at {} at first and at {} for long, {ratio} of that: {falls}.{unsettled}",
        block(load.block_bytes),
        rate(load.burst_bytes_per_second, load.burst_ci),
        rate(load.sustained_bytes_per_second, load.sustained_ci)
    )
}

/// `it falls from 1.00 GB/s to 250 MB/s after 500 MiB (490 MiB–510 MiB), 375 MiB beyond the lower rate`.
fn fall(cliff: &SustainedCliff) -> String {
    let size = |amount: f64| bytes(amount as u64);
    format!(
        "it falls from {} to {} after {} ({}), of which {} are beyond the lower rate",
        bandwidth(cliff.before_bytes_per_second),
        bandwidth(cliff.after_bytes_per_second),
        size(cliff.at_bytes),
        range(cliff.at_ci, size),
        size(cliff.beyond_bytes)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::written_profile;

    #[test]
    fn falls_and_reads_beside_writes_are_told() {
        let mut found = written_profile().experiments.sustained.expect("measured");
        let said = summary(&found).join(" ");
        for part in [
            "Sequential writes of 128K run at 2.00 GB/s",
            "at 500 MB/s (495 MB/s–505 MB/s) for long, 25 % (24 %–26 %) of that",
            "it falls from 2.00 GB/s to 500 MB/s after 1.00 GiB (1004 MiB–1.02 GiB), of which 768 MiB",
            "Random writes of 4K",
            "no fall was seen within 8.00 GiB. It had NOT settled.",
            "One random 4K read takes 80 µs (p99 120 µs) alone",
            "beside 90 % of them",
        ] {
            assert!(said.contains(part), "no {part:?} in {said:?}");
        }
        found.latencies.clear();
        assert_eq!(summary(&found).len(), 2);
    }
}
