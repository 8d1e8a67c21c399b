//! The page of placement against caching.

use leadline_device::format_size;
use leadline_placement::{Study, labels};
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Serialize;

use super::{AXES, BASE, CSS, DRAW, ECHARTS, environment, script_json};
use crate::ReportError;
use crate::place::{SIZE_COLUMNS, migration, query_columns, query_lines, seconds, size_lines};

const PLACE: &str = include_str!("../../assets/place.js");

/// What the scripts read. `base.js` looks for profiles; here are none.
#[derive(Serialize)]
struct Data<'a> {
    profiles: [(); 0],
    place: &'a Study,
    labels: Vec<String>,
}

/// A page for a study of placement: which to take at each size, the times over the size of the fast device
/// (as figure 16 of Yang, Li and Lilja, 2020), and by the files that are placed (as figure 15).
/// Self-contained as [`render_page`](crate::render_page)'s.
///
/// # Errors
/// [`ReportError::Template`].
pub fn render_place_page(study: &Study) -> Result<String, ReportError> {
    let scripts = [BASE, AXES, DRAW, PLACE].map(|script| Value::from_safe_string(script.to_owned()));
    let data = Data { profiles: [], place: study, labels: labels(&study.files) };
    let rows = |lines: Vec<(String, Vec<String>)>| -> Vec<Vec<String>> {
        lines.into_iter().map(|(name, cells)| [vec![name], cells].concat()).collect()
    };
    let file = |(label, file): (&String, &leadline_placement::FileSize)| {
        vec![label.clone(), file.name.clone(), format_size(file.bytes)]
    };
    let words: Vec<String> = study.all.sizes.iter().map(|size| size.words.clone()).collect();
    let page = context! {
        title => format!("{} beside {}: placement or caching", study.fast, study.slow),
        slow => study.slow.clone(),
        fast => study.fast.clone(),
        block => format_size(study.block_bytes.into()),
        migration => migration(study),
        words => words,
        notes => study.notes.clone(),
        many => study.queries.len() > 1,
        queries => study.queries.len(),
        slow_seconds => seconds(study.all.slow_seconds),
        fast_seconds => seconds(study.all.fast_seconds),
        size_columns => SIZE_COLUMNS.to_vec(),
        sizes => rows(size_lines(study)),
        query_columns => query_columns(study),
        query_rows => rows(query_lines(study)),
        files => Value::from(Serde(data.labels.iter().zip(&study.files).map(file).collect::<Vec<_>>())),
        leadline => env!("CARGO_PKG_VERSION"),
        css => Value::from_safe_string(CSS.to_owned()),
        echarts => Value::from_safe_string(ECHARTS.to_owned()),
        scripts => Value::from(scripts.to_vec()),
        data => Value::from_safe_string(script_json(&data)),
    };
    Ok(environment()?.get_template("place.html")?.render(page)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::place::sample_study;

    const EVIL: &str = "</script><img src=x onerror=alert(1)>";

    fn ours(study: &Study) -> String {
        render_place_page(study).expect("a page").replace(ECHARTS, "")
    }

    #[test]
    fn nothing_from_a_trace_becomes_markup_and_nobody_is_asked() {
        let mut study = sample_study();
        study.queries[0].name = EVIL.to_owned();
        study.files[0].name = EVIL.to_owned();
        study.fast = EVIL.to_owned();
        study.notes = vec![EVIL.to_owned()];
        let page = ours(&study);
        assert!(!page.contains("<img") && page.contains("&lt;img"));
        let page = ours(&sample_study());
        for word in ["http:", "https:", "src=", "url(", "@import", "fetch(", "XMLHttp"] {
            assert!(!page.contains(word), "{word} in the page");
        }
    }

    #[test]
    fn every_size_and_query_stands_in_the_tables() {
        let study = sample_study();
        let page = ours(&study);
        for size in &study.all.sizes {
            assert!(page.contains(&size.words), "{}", size.words);
        }
        for name in ["q3", "q16", "lineitem", "second-miss"] {
            assert!(page.contains(name), "{name}");
        }
        // One query alone is all queries.
        let mut alone = study;
        alone.queries.truncate(1);
        alone.each.truncate(1);
        assert!(!ours(&alone).contains("Each query by itself"));
    }
}
