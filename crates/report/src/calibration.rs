//! A drive that was fitted to a profile, for people and for scripts.

use leadline_calibrate::{Calibration, Checked, Fitted, IDENTIFIED, Origin, Residual};
use serde_json::{Value, json};

use crate::format::{block, operation, pattern, requests, significant};
use crate::terminal::{finish, new_table, wrap};

/// The parameters with what the profile shows of them, how far the drive is from each measured curve, and how
/// far from experiments that were not fitted to (`checks`, where they were made), for a terminal `width`
/// columns wide. Ends with a newline.
pub fn render_calibration(fitted: &Calibration, checks: Option<&[Checked]>, width: usize) -> String {
    let shown = |fits: fn(Origin) -> bool| fitted.parameters.iter().filter(|one| fits(one.origin)).count();
    let mut lines = vec![
        wrap(
            &format!(
                "Flash drive fitted to {}: of {} parameters the profile shows {}",
                fitted.name,
                fitted.parameters.len(),
                shown(|origin| origin == Origin::Identified)
            ),
            width,
            "  ",
        ),
        parameters(&fitted.parameters, width),
        wrap(
            &format!(
                "Other values: with which a drive fits about as well, the other parameters making up for \
                 it; shown: they are within a factor of {IDENTIFIED}"
            ),
            width,
            "  ",
        ),
        String::new(),
        residuals(&fitted.residuals, width),
        wrap(
            "Median errors over the points of a curve, percent; measured: half width of its 95 % intervals; \
             * nothing was fitted to it but read-ahead and the buffer's protection",
            width,
            "  ",
        ),
    ];
    if let Some(checks) = checks {
        lines.extend([String::new(), checked(checks, width)]);
        lines.push(wrap(
            "Median errors, percent, of experiments that nothing was fitted to. Allowed: 15 %, or 1.5 times \
             what the experiment differs by when it is made again; model: the best analytic model of the \
             same profile, in the ladder by Little's law",
            width,
            "  ",
        ));
    }
    lines.extend(fitted.notes.iter().map(|note| wrap(&format!("Note: {note}"), width, "  ")));
    lines.join("\n") + "\n"
}

fn parameters(all: &[Fitted], width: usize) -> String {
    let mut table = new_table(width);
    table.set_header(["parameter", "value", "other values", "from"]);
    for one in all {
        let unit = one.parameter.unit();
        let value = if unit.is_empty() { number(one.value) } else { format!("{} {unit}", number(one.value)) };
        let from = match one.origin {
            Origin::Identified => "the profile".to_owned(),
            Origin::Fitted => "best fit; not shown".to_owned(),
            Origin::Default { from } => format!("default: {from}"),
        };
        table.add_row([one.parameter.name().to_owned(), value, one.range_words(), from]);
    }
    finish(table, 0)
}

fn residuals(all: &[Residual], width: usize) -> String {
    let mut table = new_table(width);
    table.set_header(["curve", "points", "throughput", "median latency", "measured"]);
    for one in all {
        let kind = &one.kind;
        let star = if one.fitted { "" } else { " *" };
        let name = requests(kind.op, kind.pattern, kind.durable);
        table.add_row([
            format!("{} {name}{star}", block(kind.block_bytes)),
            one.points.to_string(),
            significant(one.throughput_percent),
            one.latency_percent.map_or("-".to_owned(), significant),
            significant(one.measured_percent),
        ]);
    }
    finish(table, 0)
}

fn checked(all: &[Checked], width: usize) -> String {
    let mut table = new_table(width);
    table.set_header(["experiment", "points", "drive", "allowed", "model", "made again"]);
    for one in all {
        let verdict = if one.holds() { "" } else { " !" };
        table.add_row([
            format!("{}: {}", one.experiment, one.quantity),
            one.points.to_string(),
            format!("{}{verdict}", significant(one.drive_percent)),
            significant(one.allowed_percent()),
            one.model.map_or("-".to_owned(), |(name, percent)| format!("{} ({name})", significant(percent))),
            one.repeat_percent.map_or("-".to_owned(), significant),
        ]);
    }
    finish(table, 0)
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
        "op": operation(kind.op),
        "pattern": pattern(kind.pattern),
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
