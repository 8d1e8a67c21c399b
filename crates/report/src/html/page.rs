//! Pages that a crate describes.

use leadline_figures::{Chart, Page};
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Serialize;

use super::{AXES, BASE, CSS, DRAW, ECHARTS, PAGE_LIMIT_BYTES, PLOT, SERIES, environment, script_json};
use crate::ReportError;

/// What the scripts read. `base.js` looks for profiles; here are none.
#[derive(Serialize)]
struct Data<'a> {
    profiles: [(); 0],
    charts: Vec<&'a Chart>,
}

/// A page that a crate describes, self-contained as [`render_page`](crate::render_page)'s.
///
/// # Errors
/// [`ReportError::TooLarge`] beyond [`PAGE_LIMIT_BYTES`], [`ReportError::Template`].
pub fn render_figures(page: &Page) -> Result<String, ReportError> {
    let data = Data { profiles: [], charts: page.charts() };
    let scripts = [BASE, AXES, DRAW, SERIES, PLOT, "showCharts();"];
    let html = environment()?.get_template("page.html")?.render(context! {
        title => page.title.clone(),
        page => Value::from(Serde(page)),
        leadline => env!("CARGO_PKG_VERSION"),
        css => Value::from_safe_string(CSS.to_owned()),
        echarts => Value::from_safe_string(ECHARTS.to_owned()),
        scripts => Value::from(scripts.map(|script| Value::from_safe_string(script.to_owned())).to_vec()),
        data => Value::from_safe_string(script_json(&data)),
    })?;
    match html.len() {
        bytes if bytes > PAGE_LIMIT_BYTES => Err(ReportError::TooLarge { bytes, limit: PAGE_LIMIT_BYTES }),
        _ => Ok(html),
    }
}
