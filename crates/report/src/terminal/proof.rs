//! Settings that were compared on the system itself, in the terminal.

use leadline_prove::postgresql::PlanChoices;
use leadline_prove::{Comparison, Estimate, Ratio, Role, VariantResult, etcd, seastar};

use super::table::{finish, new_table};
use super::wrap;
use crate::format::{count, significant};

/// One comparison, in a terminal `width` columns wide: every variant's time and its ratio to the default's,
/// then what that says of the advice. Ends with a newline.
pub fn render_comparison_of_settings(comparison: &Comparison, width: usize) -> String {
    let mut table = new_table(width);
    let time = format!("{}, {}", comparison.measure, comparison.unit);
    table.set_header(["variant".to_owned(), time, "from–to".to_owned(), "time / default's".to_owned()]);
    for result in &comparison.results {
        let (median, ends) = match result.times {
            Some(times) => {
                (significant(times.median), format!("{}–{}", significant(times.min), significant(times.max)))
            }
            None => ("–".to_owned(), "–".to_owned()),
        };
        let against = result.against_default.map_or_else(|| "–".to_owned(), ratio);
        table.add_row([name(result), median, ends, against]);
    }
    let mut lines = vec![wrap(&comparison.work, width, "  "), finish(table, usize::MAX)];
    lines.extend(says(comparison).iter().map(|text| wrap(text, width, "  ")));
    lines.join("\n") + "\n"
}

fn name(result: &VariantResult) -> String {
    match &result.role {
        Role::Key(_) => format!("only {}", result.variant.name),
        _ => result.variant.name.clone(),
    }
}

/// `0.25 (0.2–0.3)`.
fn ratio(ratio: Ratio) -> String {
    let interval = ratio
        .interval
        .map_or(String::new(), |[low, high]| format!(" ({}–{})", significant(low), significant(high)));
    format!("{}{interval}", significant(ratio.ratio))
}

/// Whether the advice wins, by how much, which key did it, and how far it is from the best of the grid.
fn says(comparison: &Comparison) -> Vec<String> {
    if comparison.control_differs() {
        let against = comparison.control().map_or_else(String::new, ratio);
        return vec![format!(
            "No verdict: run twice in each round, the default took {against} times as long as itself. What \
             differs between others may be of the same kind: let nothing else run, or give more --rounds."
        )];
    }
    let Some(advice) = comparison.advice() else {
        return vec!["No key of the advice matters here.".to_owned()];
    };
    let mut said = Vec::new();
    if let Some(against) = advice.against_default {
        let interval = against.interval.unwrap_or([0.0, f64::INFINITY]);
        said.push(match interval {
            [_, high] if high < 1.0 => format!(
                "The advice is {} times as fast as the default.",
                interval_of(1.0 / against.ratio, interval.map(|end| 1.0 / end))
            ),
            [low, _] if low > 1.0 => {
                format!("The advice takes {} times as long as the default.", ratio(against))
            }
            _ => "The advice cannot be told from the default.".to_owned(),
        });
    }
    if let Some(best) = &comparison.best {
        said.push(format!(
            "The best of the grid is {}; the advice takes {} times as long as it.",
            best.name,
            ratio(best.advice_over_best)
        ));
    }
    if let Some((key, alone)) = comparison.keys().first() {
        said.push(format!("Alone, {key} did most: {} of the default's time.", ratio(*alone)));
    }
    said
}

/// A number with its interval, whose ends may stand in either order.
fn interval_of(value: f64, [one, other]: [f64; 2]) -> String {
    let (low, high) = (significant(one.min(other)), significant(one.max(other)));
    format!("{} ({low}–{high})", significant(value))
}

/// How the planner chose, in a terminal `width` columns wide. Ends with a newline.
pub fn render_plan_choices(choices: &PlanChoices, width: usize) -> String {
    let mut table = new_table(width);
    table.set_header(["variant", "right choices", "regret"]);
    for choice in &choices.choices {
        let name = match &choice.role {
            Role::Key(_) => format!("only {}", choice.variant.name),
            _ => choice.variant.name.clone(),
        };
        let right = format!("{} of {}", choice.right, choices.queries.len());
        table.add_row([name, right, format!("{:.3}", choice.regret)]);
    }
    let best = match (choices.most_right, choices.least_regret) {
        (Some(right), Some(regret)) => {
            format!("Best of the sweep of random_page_cost: {right} right, a regret of {regret:.3}.")
        }
        _ => String::new(),
    };
    let explained = "Regret: the time of the chosen plans over that of the best ones; plans within 10 % count as \
                     the best.";
    [
        "Plans that the planner chose for queries of 0.01 % to 60 % of a table, none of it in memory"
            .to_owned(),
        finish(table, usize::MAX),
        wrap(&format!("{best} {explained}"), width, "  "),
    ]
    .join("\n")
        + "\n"
}

/// The 99th percentile of fdatasync as it was predicted and seen, in a terminal `width` columns wide. Ends
/// with a newline.
pub fn render_etcd_proof(proof: &etcd::Proof, width: usize) -> String {
    let shown = |found: &Estimate| match found.interval {
        Some(ends) => interval_of(found.value, ends),
        None => significant(found.value),
    };
    let mut table = new_table(width);
    table.set_header(["99th percentile of fdatasync", "ms", "below 10 ms"]);
    if let (Some(predicted), Some(verdict)) = (&proof.plan.predicted, proof.verdicts.predicted) {
        table.add_row([
            "predicted by the profile".to_owned(),
            significant(predicted.p99_ms),
            judged(verdict),
        ]);
    }
    if let Some(own) = &proof.own_p99_ms {
        table.add_row(["the same measurement, now".to_owned(), shown(own), String::new()]);
    }
    let seen = [
        ("fio, the job of etcd's documentation", &proof.fio_p99_ms, proof.verdicts.fio),
        ("etcd, its own histogram", &proof.etcd_p99_ms, proof.verdicts.etcd),
    ];
    for (name, found, verdict) in seen {
        table.add_row([name.to_owned(), shown(found), judged(verdict)]);
    }
    let mut lines =
        vec![format!("etcd {} at {}", proof.version, proof.plan.target.display()), finish(table, usize::MAX)];
    if let Some(ratio) = &proof.predicted_over_fio {
        let text = format!("The prediction is {} times what fio saw.", shown(ratio));
        lines.push(wrap(&text, width, "  "));
    }
    if let Some(ratio) = &proof.own_over_fio {
        let text =
            format!("Leadline, measuring in turns with fio, sees {} times what fio does.", shown(ratio));
        lines.push(wrap(&text, width, "  "));
    }
    lines.extend(proof.notes.iter().map(|note| wrap(note, width, "  ")));
    lines.join("\n") + "\n"
}

fn judged(verdict: etcd::Verdict) -> String {
    match verdict {
        etcd::Verdict::FastEnough => "yes",
        etcd::Verdict::Near => "cannot be told",
        etcd::Verdict::TooSlow => "no",
    }
    .to_owned()
}

/// How far Seastar's four rates are from mixes of reads and writes, in a terminal `width` columns wide. Ends
/// with a newline.
pub fn render_seastar_proof(proof: &seastar::Proof, width: usize) -> String {
    let mut table = new_table(width);
    table.set_header(["mix", "measured, requests/s", "by the rates", "off by"]);
    for result in &proof.mixes {
        let measured = match result.measured.interval {
            Some([low, high]) => {
                format!("{} ({}–{})", count(result.measured.value), count(low), count(high))
            }
            None => count(result.measured.value),
        };
        let error = format!("{:+.0} %", 100.0 * result.error);
        table.add_row([result.mix.to_string(), measured, count(result.predicted), error]);
    }
    let off = |errors: &seastar::Errors| {
        format!("{:.0} % in the median, {:.0} % at worst", 100.0 * errors.median, 100.0 * errors.worst)
    };
    let within = format!(
        "{} of {} mixes within {:.0} %; {}.",
        proof.errors.within,
        proof.mixes.len(),
        100.0 * proof.plan.tolerance,
        off(&proof.errors)
    );
    let mut lines = vec![
        format!("Seastar's rates before fio's mixes at {}", proof.plan.target.display()),
        finish(table, usize::MAX),
        wrap(&within, width, "  "),
    ];
    if let Some(best) = &proof.best_errors {
        let text =
            format!("The rates that explain these mixes best, none better by this formula: {}.", off(best));
        lines.push(wrap(&text, width, "  "));
    }
    lines.join("\n") + "\n"
}
