//! What `write-amplification` shows: by pattern and fill level, and window by window.

use std::collections::BTreeSet;

use leadline_figures::Part;
use leadline_figures::chart::round;
use leadline_figures::number::{block, bytes, percent, significant, with_interval};
use leadline_profile::{WriteAmplification, WriteAmplificationRun, WritePattern};
use serde::Serialize;

use crate::experiment::figures::{Curve, Line, said, table};

/// What the latest run found, and how far it can be trusted: a few sentences.
pub(super) fn sentences(found: &WriteAmplification) -> Vec<String> {
    let run = &found.latest;
    let amplification =
        with_interval(run.write_amplification, run.write_amplification_ci, |value| format!("{value:.2}"));
    let mut said = vec![format!(
        "Under {} of {} to {}, each byte that is written costs {amplification} bytes on the medium (write \
         amplification).",
        pattern_words(run.pattern),
        block(run.block_bytes),
        part(run)
    )];
    let window = run.windows.first().map_or(0, |window| window.host_bytes);
    let windows = format!("{} windows of {}", run.used_windows, bytes(window));
    said.push(if run.settled {
        format!("It has settled: the last {windows} agree, after {} in all.", bytes(run.host_bytes))
    } else {
        format!("It has NOT settled after {}: this is the mean of the last {windows}.", bytes(run.host_bytes))
    });
    if let Some(spare) = run.greedy_spare_share().filter(|_| run.settled) {
        said.push(format!(
            "A drive that always collects the block with the fewest valid pages comes to that with {:.1} % \
             of spare area.",
            100.0 * spare
        ));
    }
    said
}

/// `uniform random writes`, `writes by Zipf's law, theta 0.99`.
fn pattern_words(pattern: WritePattern) -> String {
    match pattern {
        WritePattern::Uniform => "uniform random writes".to_owned(),
        WritePattern::Sequential => "sequential writes".to_owned(),
        WritePattern::Zipf(theta) => format!("writes by Zipf's law, theta {theta},"),
        WritePattern::Zones { pages, writes } => {
            format!("random writes, {} of them to {} of the pages,", percent(writes), percent(pages))
        }
    }
}

fn part(run: &WriteAmplificationRun) -> String {
    let size = bytes(run.part_bytes);
    if run.fill < 1.0 {
        format!("{size} ({} % of the used part)", significant(100.0 * run.fill))
    } else {
        size
    }
}

pub(super) fn text(found: &WriteAmplification) -> Vec<Part> {
    let mut out = vec![said(sentences(found).join(" "))];
    let row = |run: &WriteAmplificationRun| -> Line {
        let value =
            with_interval(run.write_amplification, run.write_amplification_ci, |value| format!("{value:.2}"));
        let settled = if run.settled { "yes" } else { "no" };
        let cells = [value, percent(run.fill), bytes(run.host_bytes), settled.to_owned()];
        (run.pattern.to_string(), cells.map(Some).to_vec())
    };
    let head = ["write amplification", "fill", "written", "settled"].map(str::to_owned).to_vec();
    out.push(table("By pattern, the latest last", head, found.runs().map(row).collect()));
    out
}

/// Every pattern and fill level that was measured.
#[derive(Debug, Serialize)]
pub(super) struct AmplificationChart {
    /// Whether several fill levels were.
    fills: bool,
    runs: Vec<RunLine>,
}

#[derive(Debug, Serialize)]
struct RunLine {
    pattern: String,
    /// Percent.
    fill: f64,
    level: f64,
    ci: Option<[f64; 2]>,
    settled: bool,
    /// Windows that the level is of: the last ones.
    used: u32,
    /// `[written, as a multiple of the part, write amplification]` at the end of each window.
    windows: Curve,
}

impl AmplificationChart {
    pub(super) fn new(found: &WriteAmplification) -> AmplificationChart {
        let fills: BTreeSet<u64> = found.runs().map(|run| run.part_bytes).collect();
        AmplificationChart { fills: fills.len() > 1, runs: found.runs().map(RunLine::new).collect() }
    }
}

impl RunLine {
    fn new(run: &WriteAmplificationRun) -> RunLine {
        let mut written = 0;
        let windows = run.windows.iter().map(|window| {
            written += window.host_bytes;
            (round(written as f64 / run.part_bytes as f64), round(window.write_amplification()))
        });
        RunLine {
            pattern: run.pattern.to_string(),
            fill: round(100.0 * run.fill),
            level: round(run.write_amplification),
            ci: run.write_amplification_ci.map(|ends| ends.map(round)),
            settled: run.settled,
            used: run.used_windows,
            windows: windows.collect(),
        }
    }
}
