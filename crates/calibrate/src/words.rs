//! A drive that was fitted to a profile, for people and for scripts.

use leadline_figures::number::{block, significant};
use leadline_figures::{Table, Text};
use leadline_profile::requests;
use serde_json::{Value, json};

use crate::{Calibration, Checked, Fitted, IDENTIFIED, Origin, Residual};

/// The parameters with what the profile shows of them, how far the drive is from each measured curve, and how
/// far from experiments that were not fitted to (`checks`, where they were made), for a terminal.
pub fn calibration_text(fitted: &Calibration, checks: Option<&[Checked]>) -> Text {
    let shown = fitted.parameters.iter().filter(|one| one.origin == Origin::Identified).count();
    let mut text = Text::new();
    text.say(format!(
        "Flash drive fitted to {}: of {} parameters the profile shows {shown}",
        fitted.name,
        fitted.parameters.len()
    ));
    text.table(parameters(&fitted.parameters));
    text.say(format!(
        "Other values: with which a drive fits about as well, the other parameters making up for it; shown: \
         they are within a factor of {IDENTIFIED}"
    ));
    text.gap();
    text.table(residuals(&fitted.residuals));
    text.say(
        "Median errors over the points of a curve, percent; measured: half width of its 95 % intervals; * \
         nothing was fitted to it but read-ahead and the buffer's protection",
    );
    if let Some(checks) = checks {
        text.gap();
        text.table(checked(checks));
        text.say(
            "Median errors, percent, of experiments that nothing was fitted to. Allowed: 15 %, or 1.5 times what \
             the experiment differs by when it is made again; model: the best analytic model of the same \
             profile, in the ladder by Little's law",
        );
    }
    text.say_all(fitted.notes.iter().map(|note| format!("Note: {note}")));
    text
}

fn parameters(all: &[Fitted]) -> Table {
    let row = |one: &Fitted| {
        let unit = one.parameter.unit();
        let value = if unit.is_empty() { number(one.value) } else { format!("{} {unit}", number(one.value)) };
        let from = match one.origin {
            Origin::Identified => "the profile".to_owned(),
            Origin::Fitted => "best fit; not shown".to_owned(),
            Origin::Default { from } => format!("default: {from}"),
        };
        [one.parameter.name().to_owned(), value, one.range_words(), from]
    };
    Table::new(["parameter", "value", "other values", "from"]).words(3).rows(all.iter().map(row))
}

fn residuals(all: &[Residual]) -> Table {
    let row = |one: &Residual| {
        let kind = &one.kind;
        let star = if one.fitted { "" } else { " *" };
        let name = requests(kind.op, kind.pattern, kind.durable);
        [
            format!("{} {name}{star}", block(kind.block_bytes)),
            one.points.to_string(),
            significant(one.throughput_percent),
            one.latency_percent.map_or("-".to_owned(), significant),
            significant(one.measured_percent),
        ]
    };
    Table::new(["curve", "points", "throughput", "median latency", "measured"]).rows(all.iter().map(row))
}

fn checked(all: &[Checked]) -> Table {
    let row = |one: &Checked| {
        let verdict = if one.holds() { "" } else { " !" };
        [
            format!("{}: {}", one.experiment, one.quantity),
            one.points.to_string(),
            format!("{}{verdict}", significant(one.drive_percent)),
            significant(one.allowed_percent()),
            one.model.map_or("-".to_owned(), |(name, percent)| format!("{} ({name})", significant(percent))),
            one.repeat_percent.map_or("-".to_owned(), significant),
        ]
    };
    Table::new(["experiment", "points", "drive", "allowed", "model", "made again"]).rows(all.iter().map(row))
}

/// As in the description: whole where it is.
fn number(value: f64) -> String {
    if value == value.trunc() { format!("{value:.0}") } else { significant(value) }
}

/// The same for programs: `parameters`, `residuals`, `checks` (`null` where none were made), `notes`, and the
/// `description` itself. Errors are in percent; an open end of a range is `null`.
pub fn calibration_json(fitted: &Calibration, checks: Option<&[Checked]>) -> Value {
    let parameters: Vec<Value> = fitted.parameters.iter().map(parameter_json).collect();
    let residuals: Vec<Value> = fitted.residuals.iter().map(residual_json).collect();
    json!({
        "device": fitted.name,
        "identified_within_factor": IDENTIFIED,
        "parameters": parameters,
        "residuals": residuals,
        "checks": checks.map(|all| all.iter().map(check_json).collect::<Vec<Value>>()),
        "curves_simulated": fitted.simulated,
        "notes": fitted.notes,
        "description": fitted.text,
    })
}

fn parameter_json(one: &Fitted) -> Value {
    let end = |at: usize| (!one.open[at]).then_some(one.range[at]);
    let (origin, from) = match one.origin {
        Origin::Identified => ("identified", None),
        Origin::Fitted => ("fitted", None),
        Origin::Default { from } => ("default", Some(from)),
    };
    json!({
        "name": one.parameter.name(),
        "unit": one.parameter.unit(),
        "value": one.value,
        "range": [end(0), end(1)],
        "origin": origin,
        "default_of": from,
    })
}

fn residual_json(one: &Residual) -> Value {
    let kind = &one.kind;
    json!({
        "op": kind.op.name(),
        "pattern": kind.pattern.name(),
        "block_bytes": kind.block_bytes,
        "durable": kind.durable,
        "points": one.points,
        "throughput_percent": one.throughput_percent,
        "latency_percent": one.latency_percent,
        "measured_percent": one.measured_percent,
        "fitted": one.fitted,
    })
}

fn check_json(one: &Checked) -> Value {
    json!({
        "experiment": one.experiment,
        "quantity": one.quantity,
        "points": one.points,
        "drive_percent": one.drive_percent,
        "allowed_percent": one.allowed_percent(),
        "holds": one.holds(),
        "model": one.model.map(|(name, _)| name),
        "model_percent": one.model.map(|(_, percent)| percent),
        "repeat_percent": one.repeat_percent,
    })
}
