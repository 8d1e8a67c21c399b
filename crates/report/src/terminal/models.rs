//! The I/O models in the terminal: how wrong each is, which one was chosen, and its parameters.

use leadline_figures::Table;
use leadline_model::{Assessment, ModelComparison, WorkloadClass};

use super::grid::render_table;
use super::{NARROWEST, wrap};
use crate::model_words::{self, Errors, Sorted};

/// Every model's errors, which was chosen and why, what the rest lack, and the parameters of the chosen
/// one, `width` columns wide (60 at least); `label` names the device. Ends with a newline.
pub fn render_models(label: &str, comparison: &ModelComparison, width: usize) -> String {
    let width = width.max(NARROWEST);
    let points = comparison.models.iter().map(|m| m.points).max().unwrap_or(0);
    let title =
        format!("Models of {label}, simplest first: mean error of predicted times in %, {points} points");
    let legend = "fitted: over the points it was fitted to. held out (95 % interval) and the kinds of requests: over \
                  points left out of the fit, a whole k, random fraction or mix at a time. k: requests in flight. \
                  *: chosen.";
    let mut out = vec![wrap(&title, width, "  "), String::new(), errors(comparison, width)];
    out.extend([String::new(), wrap(legend, width, ""), String::new()]);
    out.push(wrap(&model_words::chosen(comparison), width, ""));
    out.extend(
        model_words::unmet_needs(comparison).iter().map(|line| wrap(&format!("{line}."), width, "  ")),
    );
    out.extend(model_words::remarks(comparison).iter().map(|line| wrap(line, width, "  ")));
    if let Some(best) = comparison.best.and_then(|name| comparison.get(name)) {
        out.extend([String::new(), parameters(best, width)]);
    }
    out.join("\n") + "\n"
}

/// One row per model.
fn errors(comparison: &ModelComparison, width: usize) -> String {
    let heads = ["fitted", "held out"].into_iter().chain(WorkloadClass::ALL.map(WorkloadClass::name));
    let heads: Vec<String> = heads.map(str::to_owned).collect();
    let cells = |of: &Errors| {
        let [value, interval] = &of.held_out;
        let held_out = if interval.is_empty() { value.clone() } else { format!("{value} ({interval})") };
        [vec![of.fitted.clone(), held_out], of.classes.clone()].concat()
    };
    let rows: Vec<(String, Vec<String>)> = model_words::errors(comparison)
        .iter()
        .map(|of| (format!("{}{}", of.name, if of.chosen { " *" } else { "" }), cells(of)))
        .collect();
    grid("model", &heads, &rows, 0..heads.len(), width)
}

fn parameters(best: &Assessment, width: usize) -> String {
    let Sorted { single, columns, rows } = model_words::sorted(&best.parameters);
    let mut out = vec![format!("Parameters of {} (95 % interval):", best.name)];
    let longest = single.iter().map(|[name, _]| name.chars().count()).max().unwrap_or(0);
    out.extend(
        single.iter().map(|[name, value]| wrap(&format!("  {name:longest$}  {value}"), width, "    ")),
    );
    // k, and a cost with its interval: `123 (118-130)` and the blanks between.
    let (k, column) = (5, 22);
    let fit = ((width - k) / column).max(1);
    for from in (0..columns.len()).step_by(fit) {
        let part = from..(from + fit).min(columns.len());
        out.extend([String::new(), grid("k", &columns, &rows, part, width)]);
    }
    out.join("\n")
}

/// A table of some columns, each row with its name in front.
fn grid(
    corner: &str,
    heads: &[String],
    rows: &[(String, Vec<String>)],
    columns: std::ops::Range<usize>,
    width: usize,
) -> String {
    let heads = heads[columns.clone()].iter().map(String::as_str);
    let mut table = Table::new(std::iter::once(corner).chain(heads));
    // A k at which none of these columns has a cost would be a row of dashes; a model that has no error is
    // not.
    let empty = |cells: &[String]| corner == "k" && cells.iter().all(|cell| cell == "–");
    for (name, cells) in rows.iter().filter(|(_, cells)| !empty(&cells[columns.clone()])) {
        table.row(std::iter::once(name).chain(&cells[columns.clone()]));
    }
    render_table(&table, width)
}

#[cfg(test)]
mod tests {
    use leadline_model::{Observations, Parameter};
    use leadline_profile::DeviceProfile;

    use super::*;
    use crate::format::significant;
    use crate::sample::{assessed, studied_profile};

    fn of(profile: &DeviceProfile) -> ModelComparison {
        ModelComparison::new(Observations::from_profile(profile))
    }

    #[test]
    fn every_model_has_its_row_and_the_chosen_one_a_mark() {
        let comparison = of(&studied_profile());
        let text = render_models("x", &comparison, 120);
        for model in &comparison.models {
            let mark = if comparison.best == Some(model.name) { " * " } else { "   " };
            let start = format!("{}{mark}", model.name);
            let mut lines = text.lines().map(str::trim_start);
            let row = lines.find(|line| line.starts_with(&start)).unwrap_or_else(|| panic!("{text}"));
            match model.held_out {
                Some(held) => assert!(row.contains(&significant(held.percent)), "{row}"),
                None => assert!(row.contains('–'), "{row}"),
            }
            if let Some(needs) = &model.needs {
                assert!(text.contains(&format!("{} needs {needs}", model.name)), "{text}");
            }
        }
        let best = comparison.best.expect("a model");
        assert!(text.contains(&format!("{best} was chosen: its held-out error")), "{text}");
        assert!(text.contains(&format!("Parameters of {best} (95 % interval)")), "{text}");
    }

    #[test]
    fn it_fits_the_width_it_is_given() {
        let mut many = assessed("mqssd", Some(4.0), 1.0);
        for name in ["setup_read", "transfer_read", "setup_write", "transfer_write"] {
            many.parameters.extend([1, 8, 128].map(|k| {
                (Parameter::new(format!("{name}({k})"), 1234.5 / f64::from(k), "us"), Some([1000.0, 2345.6]))
            }));
        }
        many.remarks.push(["setup and transfer of reads cannot be told apart"; 5].join("; "));
        let lacking =
            Assessment::unfitted("pio", "2 different concurrencies of reads or of writes".repeat(3));
        let models = vec![lacking, many];
        let observations = Observations::default();
        for comparison in
            [of(&DeviceProfile::default()), ModelComparison { models, best: Some("mqssd"), observations }]
        {
            for width in [60, 80, 100, 120, 200] {
                let text = render_models("a device with quite a long name that goes on", &comparison, width);
                let whole = comparison.best.is_none() || text.contains(" 4.00 (3.20–4.80)");
                assert!(whole, "a cell is broken at {width}:\n{text}");
                for line in text.lines() {
                    assert!(line.chars().count() <= width, "wider than {width}: {line}\n{text}");
                    assert_eq!(line.trim_end(), line, "blanks at the end");
                }
            }
        }
    }

    #[test]
    fn nothing_measured_is_said() {
        let text = render_models("x", &of(&DeviceProfile::default()), 100);
        assert!(text.contains("No model was chosen") && text.contains("dam needs"), "{text}");
    }
}
