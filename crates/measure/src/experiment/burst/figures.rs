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

/// A load that ends below this share of its first half did not stay at its rate.
const FALLEN: f64 = 0.8;

/// What a load without a stall may be besides a fixed limit.
const SPENT: &str = "On a volume whose credit was spent before, this is the baseline.";

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
        let slower = slower_at_the_end(burst);
        let none = format!(
            "No stall seen in {time} and {moved}: random {size} {reads} {} {peak} IOPS ({}).",
            if slower.is_some() { "ran at" } else { "stayed at" },
            bandwidth(burst.peak_iops * each)
        );
        return [Some(none), slower, longer(burst), Some(SPENT.to_owned())].into_iter().flatten().collect();
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

/// A fall that came too late in a load for its baseline to be told.
fn slower_at_the_end(burst: &Burst) -> Option<String> {
    let mean =
        |samples: &[(f64, f64)]| samples.iter().map(|(_, iops)| iops).sum::<f64>() / samples.len() as f64;
    let load = burst.loads.iter().max_by_key(|load| load.samples.len())?;
    let end = load.samples.len() / 20;
    let (before, last) = load.samples.split_at(load.samples.len() - end);
    (end > 0 && mean(last) < FALLEN * mean(&before[..before.len() / 2])).then(|| {
        format!(
            "It ran at {} IOPS at the end, too late to tell whether that lasts: --seconds {:.0} tells.",
            count(mean(last)),
            (2.0 * burst.procedure.measured_seconds).ceil()
        )
    })
}

/// What finds the credit of a cloud volume, where the load ended before such credit does.
fn longer(burst: &Burst) -> Option<String> {
    if burst.procedure.measured_seconds >= LONG {
        return None;
    }
    let gib = (1.1 * burst.peak_iops * f64::from(burst.block_bytes) * LONG / GIB).ceil();
    Some(format!(
        "A longer load may still find one: the burst credit of a cloud volume, such as Amazon's gp2, lasts \
         for 30 min to an hour, on large volumes for hours. --seconds {LONG} --max-bytes {gib}G covers an hour."
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
        assert!(said.contains("--seconds 3600 --max-bytes 46G covers an hour."), "{said}");
        assert!(said.ends_with(SPENT), "{said}");
        burst.procedure.measured_seconds = 3600.0;
        assert!(!sentences(&burst).join(" ").contains("--seconds"), "an hour is long enough");

        // It fell in the last of twenty parts.
        let sample = |n: u32| (f64::from(n), if n < 95 { 3000.0 } else { 1200.0 });
        let samples = (0..100).map(sample).collect();
        burst.loads.push(BurstLoad { rest_seconds: 0.0, fell_at_seconds: None, credit_ops: None, samples });
        let said = sentences(&burst).join(" ");
        assert!(said.contains("ran at 3.00k"), "{said}");
        assert!(
            said.contains("It ran at 1.20k IOPS at the end") && said.contains("--seconds 7200"),
            "{said}"
        );
    }
}
