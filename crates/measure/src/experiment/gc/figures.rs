//! What `gc` shows: what collection takes from bandwidth, pass by pass.

use leadline_figures::Part;
use leadline_figures::chart::round;
use leadline_figures::number::{bandwidth, block, bytes, seconds, significant};
use leadline_profile::{Gc, GcPass, GcPassKind};
use serde::Serialize;

use crate::experiment::figures::{Curve, Line, said, table};

/// Drive, and its fastest and slowest bandwidth while it is overwritten, bytes per second: Yang, Li and Lilja
/// (ACM TOMPECS 5(1), 2020), figure 7.
const REFERENCE: &str = include_str!("../../../data/optane_gc.csv");

/// What collection takes, in the same order and in another, and what a rest gives back: a few sentences.
pub(super) fn sentences(found: &Gc) -> Vec<String> {
    let overwritten = |kind: GcPassKind, order: &str| {
        let pass = found.pass(kind)?;
        Some(format!(
            "Overwritten in {order}, {} at a time of {}: {}.",
            found.concurrency,
            block(found.block_bytes),
            drop(pass)
        ))
    };
    let mut said: Vec<String> = [
        overwritten(GcPassKind::SameOrder, "the random order of the fill"),
        overwritten(GcPassKind::OtherOrder, "another random order"),
    ]
    .into_iter()
    .flatten()
    .collect();
    if let Some(recovery) = &found.recovery {
        let (before, after) = (recovery.before_bytes_per_second, recovery.after_bytes_per_second);
        let lasted = recovery
            .lasted_bytes
            .map_or(String::new(), |lasted| format!("; it fell again after {}", bytes(lasted as u64)));
        said.push(format!(
            "After {} of rest it writes at {}, {:.0} % of the {} before it{lasted}.",
            seconds(recovery.rest_seconds),
            bandwidth(after),
            100.0 * after / before,
            bandwidth(before)
        ));
    }
    said
}

/// `bandwidth falls by 19 % (from 2.00 GB/s to 1.62 GB/s), robustly by 15 % (13–17 %)`.
fn drop(pass: &GcPass) -> String {
    format!(
        "bandwidth falls by {} (from {} to {}), robustly by {}",
        exactly(pass.drop),
        bandwidth(pass.max_bytes_per_second),
        bandwidth(pass.min_bytes_per_second),
        robust(pass)
    )
}

/// The robust drop with its interval.
fn robust(pass: &GcPass) -> String {
    let interval = pass.drop_robust_ci.map_or(String::new(), |[low, high]| {
        format!(" ({}–{})", exactly(low).trim_end_matches(" %"), exactly(high))
    });
    format!("{}{interval}", exactly(pass.drop_robust))
}

/// `0.5 %`, `19 %`: small drops are what an even drive is about.
fn exactly(share: f64) -> String {
    let percent = 100.0 * share;
    if percent < 9.95 { format!("{percent:.1} %") } else { format!("{percent:.0} %") }
}

pub(super) fn text(found: &Gc) -> Vec<Part> {
    let mut out = vec![said(sentences(found).join(" "))];
    let row = |pass: &GcPass| -> Line {
        let rates = [pass.mean_bytes_per_second, pass.max_bytes_per_second, pass.min_bytes_per_second];
        let drops = [exactly(pass.drop), robust(pass)].map(Some);
        let amplification = pass.write_amplification.map(significant);
        let cells = rates.map(|rate| Some(bandwidth(rate))).into_iter().chain(drops).chain([amplification]);
        (pass.kind.words().to_owned(), cells.collect())
    };
    let head = ["mean", "fastest", "slowest", "drop", "robust drop", "amplification"];
    let title = format!("Overwriting {}, pass by pass", bytes(found.part_bytes));
    let rows = found.passes.iter().map(row).collect();
    out.push(table(&title, head.map(str::to_owned).to_vec(), rows));
    out
}

fn reference() -> Vec<(&'static str, f64, f64)> {
    let number = |text: &str| text.parse().unwrap_or(f64::NAN);
    let row = |line: &'static str| {
        let mut cells = line.split(',').map(str::trim);
        Some((cells.next()?, number(cells.next()?), number(cells.next()?)))
    };
    REFERENCE.lines().filter(|line| !line.starts_with('#')).skip(1).filter_map(row).collect()
}

/// Bandwidth over time, pass after pass.
#[derive(Debug, Serialize)]
pub(super) struct GcChart {
    block: u32,
    k: u32,
    passes: Vec<PassLine>,
    reference: Vec<(&'static str, f64, f64)>,
}

#[derive(Debug, Serialize)]
struct PassLine {
    name: &'static str,
    drop: f64,
    robust: f64,
    amplification: Option<f64>,
    /// `[seconds, bytes per second]`
    windows: Curve,
}

impl GcChart {
    /// `None` where there is nothing to draw.
    pub(super) fn new(found: &Gc) -> Option<GcChart> {
        let of = |pass: &GcPass| PassLine {
            name: pass.kind.words(),
            drop: round(pass.drop),
            robust: round(pass.drop_robust),
            amplification: pass.write_amplification.map(round),
            windows: pass.windows.iter().map(|&(at, rate)| (round(at), round(rate))).collect(),
        };
        let passes: Vec<PassLine> = found.passes.iter().map(of).collect();
        (!passes.is_empty()).then(|| GcChart {
            block: found.block_bytes,
            k: found.concurrency,
            passes,
            reference: reference(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_drops_have_a_digit_more() {
        assert_eq!((exactly(0.005), exactly(0.2)), ("0.5 %".to_owned(), "20 %".to_owned()));
    }

    #[test]
    fn the_reference_is_the_papers() {
        assert_eq!(reference()[1], ("NAND P3700", 2e9, 1.62e9));
    }
}
