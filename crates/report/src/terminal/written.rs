//! What the experiments on writes found, as sentences and tables.

use leadline_profile::{WriteAmplification, WriteAmplificationRun};

use super::table::{Line, titled};
use super::wrap;
use crate::amplification;
use crate::format::{bytes, percent, with_interval};

pub(super) fn write_amplification(found: &WriteAmplification, width: usize) -> Vec<String> {
    let mut out = vec![wrap(&amplification::summary(found).join(" "), width, "  ")];
    let row = |run: &WriteAmplificationRun| -> Line {
        let value =
            with_interval(run.write_amplification, run.write_amplification_ci, |value| format!("{value:.2}"));
        let settled = if run.settled { "yes" } else { "no" };
        let cells = [value, percent(run.fill), bytes(run.host_bytes), settled.to_owned()];
        (run.pattern.to_string(), cells.map(Some).to_vec())
    };
    let head = ["write amplification", "fill", "written", "settled"].map(str::to_owned).to_vec();
    out.push(titled("By pattern, the latest last", head, found.runs().map(row).collect(), width));
    out
}
