//! What the charts of write amplification draw.

use std::collections::BTreeSet;

use leadline_profile::{WriteAmplification, WriteAmplificationRun};
use serde::Serialize;

use super::chart_numbers::{Line, round};

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
    windows: Line,
}

impl AmplificationChart {
    pub(super) fn new(found: &WriteAmplification) -> AmplificationChart {
        let fills: BTreeSet<u64> = found.runs().map(|run| run.part_bytes).collect();
        AmplificationChart { fills: fills.len() > 1, runs: found.runs().map(RunLine::new).collect() }
    }

    /// Whether there is a chart over fill levels.
    pub(super) fn has_fills(&self) -> bool {
        self.fills
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
