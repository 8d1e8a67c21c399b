//! What `burst` shows: its sentences, its loads as a table, and throughput over time.

use leadline_figures::Part;
use leadline_figures::chart::round;
use leadline_figures::number::{bandwidth, block, bytes, count, seconds, with_interval};
use leadline_profile::{Burst, BurstLoad, OpKind};
use serde::Serialize;

use crate::experiment::figures::{Curve, Line, said, table};

/// A load of so many seconds outlasts the credit of most cloud volumes.
const LONG: f64 = 3600.0;

const GIB: f64 = (1u64 << 30) as f64;

/// How fast, for how long, and what then: a few sentences.
pub(super) fn sentences(burst: &Burst) -> Vec<String> {
    let reads = operation(burst.operation);
    let rate = |iops, ci| with_interval(iops, ci, count);
    let size = block(burst.block_bytes);
    let peak = rate(burst.peak_iops, burst.peak_ci);
    let each = f64::from(burst.block_bytes);
    let (Some(baseline), Some(credit)) = (burst.baseline_iops, burst.credit_ops) else {
        let moved = bytes(burst.moved_bytes);
        let time = seconds(burst.procedure.measured_seconds);
        let none = format!(
            "No stall seen in {time} and {moved}: random {size} {reads} stayed at {peak} IOPS ({}).",
            bandwidth(burst.peak_iops * each)
        );
        return [Some(none), longer(burst)].into_iter().flatten().collect();
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

/// What finds the credit of a cloud volume, where the load ended before such credit does.
fn longer(burst: &Burst) -> Option<String> {
    if burst.procedure.measured_seconds >= LONG {
        return None;
    }
    let gib = (1.1 * burst.peak_iops * f64::from(burst.block_bytes) * LONG / GIB).ceil();
    Some(format!(
        "A longer load may still find one: the burst credit of a cloud volume, such as Amazon's gp2, lasts \
         for 30 min to an hour. --seconds {LONG} --max-bytes {gib}G covers that."
    ))
}

/// `reads` or `writes`.
pub(crate) fn operation(op: OpKind) -> &'static str {
    match op {
        OpKind::Read => "reads",
        OpKind::Write => "writes",
    }
}

pub(super) fn text(burst: &Burst) -> Vec<Part> {
    let mut out = vec![said(sentences(burst).join(" "))];
    if burst.credit_ops.is_none() {
        return out;
    }
    let head = ["fell after", "beyond the baseline"].map(str::to_owned).to_vec();
    let row = |load: &BurstLoad| {
        let rested = match load.rest_seconds {
            0.0 => "at first".to_owned(),
            rest => format!("after {} of rest", seconds(rest)),
        };
        (rested, vec![load.fell_at_seconds.map(seconds), load.credit_ops.map(count)])
    };
    let rows: Vec<Line> = burst.loads.iter().map(row).collect();
    let title = format!("Loads of {}, {} in flight", operation(burst.operation), burst.concurrency);
    out.push(table(&title, head, rows));
    out
}

/// Throughput over time, of every load.
#[derive(Debug, Serialize)]
pub(super) struct BurstChart {
    op: &'static str,
    baseline: Option<f64>,
    loads: Vec<LoadLine>,
}

#[derive(Debug, Serialize)]
struct LoadLine {
    /// Seconds of rest before it.
    rest: f64,
    /// Seconds until throughput fell.
    fell: Option<f64>,
    /// Operations beyond the baseline.
    credit: Option<f64>,
    /// `[seconds, iops]`
    samples: Curve,
}

impl BurstChart {
    pub(super) fn new(burst: &Burst) -> BurstChart {
        let of = |load: &BurstLoad| LoadLine {
            rest: round(load.rest_seconds),
            fell: load.fell_at_seconds.map(round),
            credit: load.credit_ops.map(round),
            samples: load.samples.iter().map(|&(at, iops)| (round(at), round(iops))).collect(),
        };
        BurstChart {
            op: operation(burst.operation),
            baseline: burst.baseline_iops.map(round),
            loads: burst.loads.iter().map(of).collect(),
        }
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
        let said = sentences(&burst).join(" ");
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
        let said = sentences(&burst).join(" ");
        assert!(
            said.contains("No stall seen in 12.0 s and 3.00 GiB: random 4K reads stayed at 3.00k"),
            "{said}"
        );
        assert!(said.ends_with("30 min to an hour. --seconds 3600 --max-bytes 46G covers that."), "{said}");
        burst.procedure.measured_seconds = 3600.0;
        assert_eq!(sentences(&burst).len(), 1, "an hour is long enough");
    }
}
