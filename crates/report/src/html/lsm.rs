//! The pages of LSM trees: predictions beside a measured RocksDB, and the advice on a layout.

mod advice;
mod cells;
mod charts;
mod validation;

use minijinja::{Value, context};
use serde::Serialize;

use super::{AXES, BASE, CSS, DRAW, ECHARTS, PAGE_LIMIT_BYTES, SERIES, environment, script_json};
use crate::ReportError;

pub use advice::render_lsm_advice_page;
pub use validation::render_lsm_validation_page;

/// What the scripts read. `base.js` looks for profiles; here are none.
#[derive(Serialize)]
struct Data<T> {
    profiles: [(); 0],
    lsm: T,
}

/// Fills a template. `script` draws `charts`.
fn page(
    template: &str,
    script: &'static str,
    charts: impl Serialize,
    words: Value,
) -> Result<String, ReportError> {
    let scripts = [BASE, AXES, DRAW, SERIES, script].map(|text| Value::from_safe_string(text.to_owned()));
    let page = environment()?.get_template(template)?.render(context! {
        leadline => env!("CARGO_PKG_VERSION"),
        css => Value::from_safe_string(CSS.to_owned()),
        echarts => Value::from_safe_string(ECHARTS.to_owned()),
        scripts => Value::from(scripts.to_vec()),
        data => Value::from_safe_string(script_json(&Data { profiles: [], lsm: charts })),
        ..words
    })?;
    match page.len() {
        bytes if bytes > PAGE_LIMIT_BYTES => Err(ReportError::TooLarge { bytes, limit: PAGE_LIMIT_BYTES }),
        _ => Ok(page),
    }
}

#[cfg(test)]
mod tests {
    use leadline_lsm::options::{OptionsFile, RocksVersion};
    use leadline_lsm::validate::{Kind, LayoutName, Record};

    use super::*;
    use crate::sample::lsm::{
        SampleAdvice, sample_advice, sample_validation, small_validation, unpredicted_validation,
    };

    const EVIL: &str = "</script><img src=x onerror=alert(1)>";

    fn validation(record: &Record) -> String {
        render_lsm_validation_page(record).expect("a page").replace(ECHARTS, "")
    }

    fn advice(sample: &SampleAdvice) -> String {
        let advice = sample.advice();
        let options = OptionsFile::new(&advice.chosen.prediction.layout, RocksVersion::V8_6);
        let page = render_lsm_advice_page(&advice, &sample.wanted, &sample.question(), &options);
        page.expect("a page").replace(ECHARTS, "")
    }

    #[track_caller]
    fn is_closed(page: &str) {
        assert!(!page.contains("<img") && page.contains("&lt;img"));
        let page = page.replace("src=x", "");
        for word in ["http:", "https:", "src=", "url(", "@import", "fetch(", "XMLHttp"] {
            assert!(!page.contains(word), "{word} in the page");
        }
    }

    #[test]
    fn the_pages_ask_nobody_for_anything_and_nothing_becomes_markup() {
        let mut record = small_validation();
        record.machine.model = Some(EVIL.into());
        record.rocksdb = EVIL.into();
        record.measured_at = EVIL.into();
        let comparison = record.comparison.as_mut().expect("predictions");
        comparison.choices[0].mix = EVIL.into();
        comparison.cells[0].terms[0].name = EVIL.into();
        comparison.cells[0].off = vec![EVIL.into()];
        is_closed(&validation(&record));
        is_closed(&advice(&sample_advice("point=50,insert=50")));
    }

    #[test]
    fn every_cell_stands_in_the_table_with_its_prediction_and_what_is_off() {
        let record = sample_validation();
        let page = validation(&record);
        let compared = &record.comparison.as_ref().expect("predictions").cells;
        // Points and scans of five layouts by three numbers of clients; fills with two numbers of threads,
        // and with one for flash.
        assert_eq!(compared.len(), 2 * 5 * 3 + 4 * 2 + 1);
        let table = page.split("<h2>All cells</h2>").nth(1).expect("a table").split("</table>").next();
        let table = table.expect("an end");
        assert_eq!(table.matches("<tr><th").count(), compared.len() + 1);
        for cell in compared {
            let error = format!("<td>{:+.1} %</td>", 100.0 * cell.error);
            assert!(table.contains(&error), "no {error} of {} {:?}", cell.layout, cell.kind);
        }
        let off = compared.iter().find(|cell| !cell.off.is_empty()).expect("a term that is off");
        let term = off.terms.iter().find(|term| term.name == off.off[0]).expect("the term");
        let words = format!("{} {} against", term.name, crate::format::significant(term.predicted));
        assert!(table.contains(&words.replace(", us", ", µs")), "no {words}");
        assert!(page.contains("Example NVMe 980") && page.contains("per pair merged"));
        assert!(page.contains("Error of point queries: ") && page.contains("For point=100 by 16 clients"));
    }

    #[test]
    fn ratios_are_those_of_flash_over_the_single_level() {
        let record = sample_validation();
        let time = |layout| {
            let cells = &record.comparison.as_ref().expect("predictions").cells;
            let cell = |c: &&leadline_lsm::validate::ComparedCell| {
                (c.kind, c.layout, c.clients) == (Kind::Scan, layout, Some(16))
            };
            let found = cells.iter().find(cell).expect("a cell");
            [found.measured.median, found.predicted.value]
        };
        let [flash, single] = [time(LayoutName::Flash), time(LayoutName::Single)];
        let page = validation(&record);
        let row = page.split("<tr><th class=\"left\">16</th>").nth(1).expect("a row");
        let row = row.split("</tr>").next().expect("an end");
        let cells: Vec<&str> = row.split("<td>").filter_map(|cell| cell.strip_suffix("</td>")).collect();
        let ratio = |i: usize| format!("{}×", crate::format::significant(flash[i] / single[i]));
        assert_eq!(cells[2..], [ratio(0), ratio(1)]);
    }

    #[test]
    fn what_was_not_measured_has_no_chart() {
        let charts = |record: &Record| {
            let page = validation(record);
            let all = ["point", "scan", "fill", "flash-point", "flash-scan", "scatter"];
            all.map(|name| page.contains(&format!("<figure class=\"card chart\" id=\"v-{name}\"")))
        };
        assert_eq!(charts(&sample_validation()), [true; 6]);
        assert_eq!(charts(&small_validation()), [true, true, true, false, false, true]);
        assert_eq!(charts(&unpredicted_validation()), [true, true, true, false, false, false]);
        let page = validation(&unpredicted_validation());
        assert!(page.contains("there are no predictions") && page.contains("Measured once"));
    }

    #[test]
    fn an_advice_has_its_layouts_and_the_options_of_the_chosen_one() {
        let sample = sample_advice("point=60,scan=10,insert=30");
        let (found, page) = (sample.advice(), advice(&sample));
        assert_eq!(page.matches("<tr class=\"chosen\">").count(), 1);
        for other in &found.neighbours {
            assert!(page.contains(&format!("<th class=\"left\">{}</th>", other.change)), "{}", other.change);
        }
        let options = leadline_lsm::options::write(&found.chosen.prediction.layout, RocksVersion::V8_6);
        let line = options.lines().find(|line| line.contains("write_buffer_size")).expect("an option");
        assert!(page.contains(line.trim()), "{line}");
        assert!(page.contains("For RocksDB 8.6"));
    }
}
