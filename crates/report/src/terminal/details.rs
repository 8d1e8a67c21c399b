//! What follows the first screen where details were asked for.

use leadline_profile::{Check, CheckStatus, DeviceProfile, DeviceState, ImportedFile};

use super::experiments::render_experiment;
use super::lines::{red, wrap};
use super::plot::{PlotOptions, render_plot};
use super::table;
use crate::format;
use crate::headline;
use crate::origin::{is_imported, is_published};

/// What the names in the table mean.
const NAMES: &str = "alpha: maximum of reads / maximum of writes; alpha_1: the same with one request at a time. \
                     k_r, k_w: requests in flight for 95 % of the maximum; _90: for 90 %; X_max R_1 and Kneedle: the \
                     same k by other rules. capped: the maximum is a limit that was set. censored: throughput still \
                     grew at the highest k.";

/// The tables, the plot, how it was measured, every check, and what experiments found: parts with empty lines
/// between them, each without a newline at its end.
pub(super) fn details(profile: &DeviceProfile, width: usize, color: bool) -> Vec<String> {
    let mut parts = vec![table::parameters(profile, width)];
    if !profile.parameters.is_empty() {
        parts.push(wrap(NAMES, width, ""));
    }
    if let Some(entry) = headline(profile).filter(|_| !is_published(profile)) {
        parts.push(render_plot(profile, entry, PlotOptions::new(width).color(color)));
    }
    parts.push(circumstances(profile, width));
    parts.push(checks(profile, width, color));
    let experiments = profile.experiments.procedures();
    parts.extend(experiments.filter_map(|(name, _)| {
        let text = render_experiment(profile, name, width)?;
        Some(format!("Experiment {name}\n\n{}", text.trim_end()))
    }));
    parts.retain(|part| !part.is_empty());
    let between = parts.len().saturating_sub(1);
    let gaps = std::iter::repeat_n(String::new(), between).map(Some).chain([None]);
    parts.into_iter().zip(gaps).flat_map(|(part, gap)| [Some(part), gap]).flatten().collect()
}

/// State, amounts of data, and what a completed write means; of imported numbers what of which file.
fn circumstances(profile: &DeviceProfile, width: usize) -> String {
    let (validity, method) = (&profile.validity, &profile.method);
    let mut lines = Vec::new();
    let state = match validity.state.as_str() {
        "" => "not known",
        state => state,
    };
    let own = !matches!(validity.state, DeviceState::Published) && !is_imported(profile);
    lines.push(if own {
        let used = format::bytes(method.footprint_bytes);
        let written = format::bytes(validity.bytes_written);
        format!("state: {state}; {used} of the device used; {written} written")
    } else {
        format!("state: {state}")
    });
    if let (Some(bytes), Some(true)) = (method.write_budget_bytes, method.writes_shortened) {
        lines.push(format!(
            "writes were shortened to stay within {}, the default bound; --max-writes sets another",
            format::bytes(bytes)
        ));
    }
    if !validity.durability.is_empty() {
        lines.push(format!("durability: {}", validity.durability));
    }
    for ImportedFile { file, read, skipped, assumed, .. } in &method.imported {
        for (what, of_file) in [("read", read), ("skipped", skipped), ("assumed", assumed)] {
            lines.extend(of_file.iter().map(|line| format!("{file}: {what}: {line}")));
        }
    }
    lines.iter().map(|line| wrap(line, width, "  ")).collect::<Vec<_>>().join("\n")
}

/// Every check, those that failed first; remarks last.
fn checks(profile: &DeviceProfile, width: usize, color: bool) -> String {
    let order = |check: &&Check| match (check.status, check.is_remark()) {
        (CheckStatus::Violated, _) => 0,
        (CheckStatus::Ok, _) => 1,
        (CheckStatus::Unknown, false) => 2,
        (CheckStatus::Unknown, true) => 3,
    };
    let mut checks: Vec<&Check> = profile.validity.checks.iter().collect();
    checks.sort_by_key(order);
    let line = |check: &&Check| {
        let mark = match (check.status, check.is_remark()) {
            (CheckStatus::Violated, _) => "FAILED  ",
            (CheckStatus::Ok, _) => "ok      ",
            (CheckStatus::Unknown, false) => "unknown ",
            (CheckStatus::Unknown, true) => "        ",
        };
        let text = wrap(&format!("{mark} {}: {}", check.name, check.detail), width, "           ");
        if check.status == CheckStatus::Violated { red(&text, color) } else { text }
    };
    checks.iter().map(line).collect::<Vec<_>>().join("\n")
}
