//! What `burst` says, in words, for the terminal and the page alike.

use leadline_profile::{Burst, OpKind};

use crate::format::{bandwidth, block, bytes, count, seconds, with_interval};

/// How fast, for how long, and what then: a few sentences.
pub(crate) fn summary(burst: &Burst) -> Vec<String> {
    let reads = operation(burst.operation);
    let rate = |iops, ci| with_interval(iops, ci, count);
    let size = block(burst.block_bytes);
    let peak = rate(burst.peak_iops, burst.peak_ci);
    let each = f64::from(burst.block_bytes);
    let (Some(baseline), Some(credit)) = (burst.baseline_iops, burst.credit_ops) else {
        let moved = bytes(burst.moved_bytes);
        let time = seconds(burst.procedure.measured_seconds);
        return vec![format!(
            "No limit seen within {moved} and {time}: random {size} {reads} stayed at {peak} IOPS ({}).",
            bandwidth(burst.peak_iops * each)
        )];
    };
    let mut said = vec![format!(
        "Random {size} {reads} run at {peak} IOPS ({}) while there is credit, then at {} IOPS ({}).",
        bandwidth(burst.peak_iops * each),
        rate(baseline, burst.baseline_ci),
        bandwidth(baseline * each)
    )];
    said.push(format!(
        "The credit is {} operations beyond the baseline{}.",
        rate(credit, burst.credit_ci),
        if burst.peak_iops > baseline {
            format!(": {} at full speed", seconds(credit / (burst.peak_iops - baseline)))
        } else {
            String::new()
        }
    ));
    if let Some(refill) = burst.refill_per_second {
        said.push(format!(
            "At rest {} operations come back per second: all of it in {}.",
            rate(refill, burst.refill_ci),
            seconds(credit / refill)
        ));
    }
    said
}

/// `reads` or `writes`.
pub(crate) fn operation(op: OpKind) -> &'static str {
    match op {
        OpKind::Read => "reads",
        OpKind::Write => "writes",
    }
}

#[cfg(test)]
mod tests {
    use leadline_profile::Procedure;

    use super::*;

    #[test]
    fn a_credit_is_told_with_its_duration_and_none_with_what_was_moved() {
        let mut burst = Burst {
            procedure: Procedure { measured_seconds: 12.0, ..Procedure::default() },
            operation: OpKind::Read,
            block_bytes: 4096,
            concurrency: 128,
            moved_bytes: 3 << 30,
            peak_iops: 3000.0,
            peak_ci: Some([2990.0, 3010.0]),
            baseline_iops: Some(100.0),
            baseline_ci: None,
            credit_ops: Some(58_000.0),
            credit_ci: None,
            refill_per_second: Some(100.0),
            refill_ci: None,
            loads: Vec::new(),
        };
        let said = summary(&burst).join(" ");
        for part in [
            "3.00k (2.99k–3.01k) IOPS",
            "then at 100 IOPS (410 kB/s)",
            "58.0k operations",
            "20.0 s at full",
            "9 min 40 s",
        ] {
            assert!(said.contains(part), "no {part:?} in {said:?}");
        }
        (burst.baseline_iops, burst.credit_ops) = (None, None);
        assert!(summary(&burst).concat().contains("No limit seen within 3.00 GiB and 12.0 s"));
    }
}
