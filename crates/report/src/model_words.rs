//! What the comparison of models says, in words and numbers, for the terminal and the page alike.

use leadline_model::{Assessment, ModelComparison, Parameter, WorkloadClass};
use serde::Serialize;

use crate::format::{self, bandwidth, count, range, significant};

/// Which model was chosen, and why: one sentence.
pub(crate) fn chosen(comparison: &ModelComparison) -> String {
    let Some(best) = comparison.best.and_then(|name| comparison.get(name)) else {
        return "No model was chosen: none could be fitted.".to_owned();
    };
    let all = &comparison.observations.all;
    if best.held_out.is_none() && !all.is_empty() && all.iter().all(|o| o.concurrency() == 1) {
        return format!(
            "{} was chosen: there are only latencies of one request in flight, and no model can be judged by those.",
            best.name
        );
    }
    let error = |model: &Assessment| model.error_percent().unwrap_or(f64::INFINITY);
    let candidates: Vec<&Assessment> =
        comparison.models.iter().filter(|m| m.fitted.is_some() && !m.excluded).collect();
    let Some(smallest) = candidates.iter().min_by(|a, b| error(a).total_cmp(&error(b))) else {
        return format!("{} was chosen.", best.name);
    };
    let what = if best.held_out.is_some() { "held-out error" } else { "error" };
    let caveat = match best.held_out {
        Some(_) => "",
        None => " Nothing could be held out: the errors are over the points that the models were fitted to.",
    };
    let points = smallest.held_out.map_or(0.0, |h| h.standard_error);
    let why = if smallest.name != best.name {
        format!(
            "is within one standard error ({} percentage points) of the smallest ({}, {} %), and no simpler model \
             is.",
            number(points),
            smallest.name,
            number(error(smallest))
        )
    } else if candidates[0].name == best.name {
        "is the smallest, and no fitted model is simpler.".to_owned()
    } else {
        format!(
            "is the smallest, and no simpler model comes within one standard error ({} percentage points).",
            number(points)
        )
    };
    format!("{} was chosen: its {what}, {} %, {why}{caveat}", best.name, number(error(best)))
}

/// What each model that was not fitted needs: `pio needs ...`.
pub(crate) fn unmet_needs(comparison: &ModelComparison) -> Vec<String> {
    let needs = |m: &Assessment| Some(format!("{} needs {}", m.name, m.needs.as_ref()?));
    comparison.models.iter().filter_map(needs).collect()
}

/// Remarks, each with its model's name in front.
pub(crate) fn remarks(comparison: &ModelComparison) -> Vec<String> {
    let of = |m: &Assessment| -> Vec<String> {
        m.remarks.iter().map(|remark| format!("{}: {remark}", m.name)).collect()
    };
    comparison.models.iter().flat_map(of).collect()
}

/// A model's line in the table of errors, each in percent, a dash where it is not known.
#[derive(Debug, Serialize)]
pub(crate) struct Errors {
    pub(crate) name: &'static str,
    /// Whether it was chosen.
    pub(crate) chosen: bool,
    /// Over what it was fitted to.
    pub(crate) fitted: String,
    /// Over what was held out, and the interval (empty where there is none).
    pub(crate) held_out: [String; 2],
    /// In the order of [`WorkloadClass::ALL`].
    pub(crate) classes: Vec<String>,
}

/// The table of errors, simplest model first.
pub(crate) fn errors(comparison: &ModelComparison) -> Vec<Errors> {
    let line = |m: &Assessment| Errors {
        name: m.name,
        chosen: comparison.best == Some(m.name),
        fitted: error(m.mape_percent),
        held_out: [
            error(m.held_out.map(|h| h.percent)),
            m.held_out.and_then(|h| h.percent_ci).map(|ends| range(ends, number)).unwrap_or_default(),
        ],
        classes: WorkloadClass::ALL.map(|class| error(m.class_percent(class))).to_vec(),
    };
    comparison.models.iter().map(line).collect()
}

/// An error in percent without the sign, or a dash where it is not known.
fn error(percent: Option<f64>) -> String {
    percent.map_or_else(|| "–".to_owned(), number)
}

/// Three significant digits, also of what is below one; four decimals at most.
fn number(value: f64) -> String {
    match value.abs() {
        v if v > 0.0 && v < 0.00005 => "0".to_owned(),
        v if v > 0.0 && v < 0.0995 => {
            let decimals = (2.0 - v.log10().floor()).clamp(2.0, 4.0) as usize;
            format!("{value:.decimals$}")
        }
        _ => significant(value),
    }
}

/// `30 requests (28–32)`: a parameter with its unit and interval; `about 30 requests` without one.
fn with_unit(parameter: &Parameter, interval: Option<[f64; 2]>) -> String {
    let unit = unit(parameter.unit);
    let gap = if unit.is_empty() { "" } else { " " };
    let value = bare(parameter, parameter.value);
    match interval {
        Some(ends) => format!("{value}{gap}{unit} ({})", range(ends, |v| bare(parameter, v))),
        None => format!("about {value}{gap}{unit}"),
    }
}

/// The unit as people write it.
fn unit(unit: &'static str) -> &'static str {
    match unit {
        "us" => "µs",
        "us/page" => "µs/page",
        // Part of the number: kB/s or MB/s.
        "bytes/s" => "",
        other => other,
    }
}

fn bare(parameter: &Parameter, value: f64) -> String {
    match parameter.unit {
        "requests" if value.fract() == 0.0 => format!("{value:.0}"),
        "requests/s" => count(value),
        "bytes/s" => bandwidth(value),
        _ => number(value),
    }
}

/// Parameters sorted for people: those that stand alone, and the costs of each k as a table.
#[derive(Debug, Default, PartialEq, Serialize)]
pub(crate) struct Sorted {
    /// Name, and value with unit and interval.
    pub(crate) single: Vec<[String; 2]>,
    /// Heads of the table's columns after k, each with its unit.
    pub(crate) columns: Vec<String>,
    /// k, and one cell per column.
    pub(crate) rows: Vec<(String, Vec<String>)>,
}

/// Takes names such as `setup_read(8)` apart.
pub(crate) fn sorted(parameters: &[(Parameter, Option<[f64; 2]>)]) -> Sorted {
    let mut sorted = Sorted::default();
    for (parameter, interval) in parameters {
        let parts = parameter.name.strip_suffix(')').and_then(|name| name.split_once('('));
        let Some((name, k)) = parts else {
            sorted.single.push([parameter.name.clone(), with_unit(parameter, *interval)]);
            continue;
        };
        let head = format!("{}, {}", name.replace('_', " "), unit(parameter.unit));
        let column = sorted.columns.iter().position(|c| *c == head).unwrap_or_else(|| {
            sorted.columns.push(head);
            sorted.columns.len() - 1
        });
        let row = sorted.rows.iter().position(|(at, _)| at == k).unwrap_or_else(|| {
            sorted.rows.push((k.to_owned(), Vec::new()));
            sorted.rows.len() - 1
        });
        let cells = &mut sorted.rows[row].1;
        cells.resize(cells.len().max(column + 1), String::new());
        cells[column] = match interval {
            Some(_) => format::with_interval(parameter.value, *interval, number),
            None => format!("about {}", number(parameter.value)),
        };
    }
    for (_, cells) in &mut sorted.rows {
        cells.resize(sorted.columns.len(), String::new());
        cells.iter_mut().filter(|cell| cell.is_empty()).for_each(|cell| *cell = "–".to_owned());
    }
    // `inf`, the asymptote, comes last.
    sorted.rows.sort_by_key(|(k, _)| k.parse::<u32>().unwrap_or(u32::MAX));
    sorted
}

#[cfg(test)]
mod tests {
    use leadline_model::Observations;

    use super::*;
    use crate::sample::{assessed, published_profile};

    fn comparison(models: Vec<Assessment>, best: &'static str) -> ModelComparison {
        ModelComparison { models, best: Some(best), observations: Default::default() }
    }

    #[test]
    fn the_sentence_has_the_numbers_that_decided() {
        let simple = assessed("pdam", Some(5.0), 0.9);
        let better = assessed("mqssd", Some(4.2), 1.0);
        let words = chosen(&comparison(vec![simple, better], "pdam"));
        assert_eq!(
            words,
            "pdam was chosen: its held-out error, 5.00 %, is within one standard error (1.00 percentage points) of the \
             smallest (mqssd, 4.20 %), and no simpler model is."
        );
        let words = chosen(&comparison(
            vec![assessed("pdam", Some(9.0), 0.9), assessed("mqssd", Some(4.2), 1.0)],
            "mqssd",
        ));
        assert!(words.contains("4.20 %, is the smallest") && words.contains("no simpler"), "{words}");
        let words = chosen(&comparison(vec![assessed("dam", None, 0.0)], "dam"));
        assert!(words.contains("no fitted model is simpler") && words.contains("Nothing could be held out"));
    }

    #[test]
    fn published_numbers_are_nothing_to_choose_by() {
        let words = chosen(&ModelComparison::new(Observations::from_profile(&published_profile())));
        assert!(words.starts_with("pio was chosen: there are only latencies of one request"), "{words}");
    }

    #[test]
    fn a_model_left_out_of_the_choice_is_not_the_one_it_is_held_against() {
        let mut shared = assessed("shared", Some(1.0), 0.1);
        shared.excluded = true;
        let words = chosen(&comparison(vec![assessed("mqssd", Some(4.2), 1.0), shared], "mqssd"));
        assert!(words.contains("is the smallest") && !words.contains("shared"), "{words}");
    }

    #[test]
    fn costs_of_each_k_become_a_table() {
        let cost = |name: &str, value| (Parameter::new(name, value, "us"), Some([value * 0.9, value * 1.1]));
        let sorted = sorted(&[
            cost("setup_read(inf)", 1.0),
            cost("setup_read(8)", 10.0),
            cost("setup_read(1)", 70.0),
            cost("setup_write(8)", 20.0),
            (Parameter::new("p", 0.8, ""), None),
        ]);
        assert_eq!(sorted.single, [["p".to_owned(), "about 0.80".to_owned()]]);
        assert_eq!(sorted.columns, ["setup read, µs", "setup write, µs"]);
        let ks: Vec<&str> = sorted.rows.iter().map(|(k, _)| k.as_str()).collect();
        assert_eq!(ks, ["1", "8", "inf"]);
        assert_eq!(sorted.rows[0].1, ["70.0 (63.0–77.0)", "–"]);
    }

    #[test]
    fn parameters_have_units_and_small_ones_digits() {
        let shown = |value, unit| with_unit(&Parameter::new("x", value, unit), None);
        assert_eq!(shown(30.0, "requests"), "about 30 requests");
        assert_eq!(shown(0.0123, "us/page"), "about 0.0123 µs/page");
        assert_eq!(shown(60_000.0, "requests/s"), "about 60.0k requests/s");
        assert_eq!(shown(5e8, "bytes/s"), "about 500 MB/s");
        assert_eq!(shown(2.8, ""), "about 2.80");
    }
}
