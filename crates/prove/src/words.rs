//! Settings that were compared on the system itself, in the terminal.

use leadline_figures::number::{count, known, significant};
use leadline_figures::{Table, Text};

use crate::postgresql::PlanChoices;
use crate::{Comparison, Estimate, Ratio, Role, Variant, etcd, seastar};

impl Comparison {
    /// Every variant's time and its ratio to the default's, then what that says of the advice.
    pub fn text(&self) -> Text {
        let time = format!("{}, {}", self.measure, self.unit);
        let mut table = Table::new(["variant", &time, "from–to", "time / default's"]);
        for result in &self.results {
            let ends = |low, high| format!("{}–{}", significant(low), significant(high));
            table.row([
                name(&result.role, &result.variant),
                known(result.times.map(|times| significant(times.median))),
                known(result.times.map(|times| ends(times.min, times.max))),
                known(result.against_default.map(ratio)),
            ]);
        }
        let mut text = Text::new();
        text.say(&self.work);
        text.table(table);
        text.say_all(says(self));
        text
    }
}

fn name(role: &Role, variant: &Variant) -> String {
    match role {
        Role::Key(_) => format!("only {}", variant.name),
        _ => variant.name.clone(),
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
            _ => "The advice and the default cannot be distinguished.".to_owned(),
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

/// A number with its interval, whose ends may be in either order.
fn interval_of(value: f64, [one, other]: [f64; 2]) -> String {
    let (low, high) = (significant(one.min(other)), significant(one.max(other)));
    format!("{} ({low}–{high})", significant(value))
}

impl PlanChoices {
    /// How the planner chose.
    pub fn text(&self) -> Text {
        let mut table = Table::new(["variant", "right choices", "regret"]);
        for choice in &self.choices {
            let right = format!("{} of {}", choice.right, self.queries.len());
            table.row([name(&choice.role, &choice.variant), right, format!("{:.3}", choice.regret)]);
        }
        let best = match (self.most_right, self.least_regret) {
            (Some(right), Some(regret)) => {
                format!("Best of the sweep of random_page_cost: {right} right, a regret of {regret:.3}.")
            }
            _ => String::new(),
        };
        let mut text = Text::new();
        text.say(
            "Plans that the planner chose for queries of 0.01 % to 60 % of a table, none of it in memory",
        );
        text.table(table);
        text.say(format!(
            "{best} Regret: the time of the chosen plans over the time of the best ones; plans within 10 % count as \
             the best."
        ));
        text
    }
}

impl etcd::Proof {
    /// The 99th percentile of fdatasync as it was predicted and seen.
    pub fn text(&self) -> Text {
        let shown = |found: &Estimate| match found.interval {
            Some(ends) => interval_of(found.value, ends),
            None => significant(found.value),
        };
        let mut table = Table::new(["99th percentile of fdatasync", "ms", "below 10 ms"]);
        if let (Some(predicted), Some(verdict)) = (&self.plan.predicted, self.verdicts.predicted) {
            table.row(["predicted by the profile", &significant(predicted.p99_ms), judged(verdict)]);
        }
        if let Some(own) = &self.own_p99_ms {
            table.row(["the same measurement, now", &shown(own), ""]);
        }
        let seen = [
            ("fio, the job of etcd's documentation", &self.fio_p99_ms, self.verdicts.fio),
            ("etcd, its own histogram", &self.etcd_p99_ms, self.verdicts.etcd),
        ];
        for (name, found, verdict) in seen {
            table.row([name, &shown(found), judged(verdict)]);
        }
        let mut text = Text::new();
        text.say(format!("etcd {} at {}", self.version, self.plan.target.display()));
        text.table(table);
        text.say_all(
            self.predicted_over_fio
                .as_ref()
                .map(|ratio| format!("The prediction is {} times what fio saw.", shown(ratio))),
        );
        text.say_all(self.own_over_fio.as_ref().map(|ratio| {
            format!("Leadline, measuring in turns with fio, sees {} times what fio does.", shown(ratio))
        }));
        text.say_all(&self.notes);
        text
    }
}

fn judged(verdict: etcd::Verdict) -> &'static str {
    match verdict {
        etcd::Verdict::FastEnough => "yes",
        etcd::Verdict::Near => "cannot be told",
        etcd::Verdict::TooSlow => "no",
    }
}

impl seastar::Proof {
    /// How far Seastar's four rates are from mixes of reads and writes.
    pub fn text(&self) -> Text {
        let mut table = Table::new(["mix", "measured, requests/s", "by the rates", "off by"]);
        for result in &self.mixes {
            let Estimate { value, interval, .. } = result.measured;
            let measured = match interval {
                Some([low, high]) => format!("{} ({}–{})", count(value), count(low), count(high)),
                None => count(value),
            };
            let error = format!("{:+.0} %", 100.0 * result.error);
            table.row([result.mix.to_string(), measured, count(result.predicted), error]);
        }
        let off = |errors: &seastar::Errors| {
            format!("{:.0} % in the median, {:.0} % at worst", 100.0 * errors.median, 100.0 * errors.worst)
        };
        let mut text = Text::new();
        text.say(format!("Seastar's rates before fio's mixes at {}", self.plan.target.display()));
        text.table(table);
        text.say(format!(
            "{} of {} mixes within {:.0} %; {}.",
            self.errors.within,
            self.mixes.len(),
            100.0 * self.plan.tolerance,
            off(&self.errors)
        ));
        text.say_all(self.best_errors.as_ref().map(|best| {
            format!("The rates that explain these mixes best, none better by this formula: {}.", off(best))
        }));
        text
    }
}
