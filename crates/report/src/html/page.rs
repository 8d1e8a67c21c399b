//! Pages that a crate describes.

use leadline_figures::chart::Sweep;
use leadline_figures::{Chart, Page};
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Serialize;

use super::{
    AXES, BASE, CSS, DRAW, ECHARTS, NUMBERS, PAGE_LIMIT_BYTES, PLOT, SERIES, TOLD, environment, script_json,
};
use crate::ReportError;

const SWEEP: &str = include_str!("../../assets/sweep.js");
const SWEEP_HEAT: &str = include_str!("../../assets/sweep_heat.js");

/// What the scripts read. `base.js` looks for profiles; here are none.
#[derive(Serialize)]
struct Data<'a> {
    profiles: [(); 0],
    charts: Vec<&'a Chart>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sweep: Option<&'a Sweep>,
}

/// A page that a crate describes, self-contained as [`render_page`](crate::render_page)'s.
///
/// # Errors
/// [`ReportError::TooLarge`] beyond [`PAGE_LIMIT_BYTES`], [`ReportError::Template`].
pub fn render_figures(page: &Page) -> Result<String, ReportError> {
    let data = Data { profiles: [], charts: page.charts(), sweep: page.sweep.as_ref() };
    let mut scripts = vec![BASE, AXES, TOLD, DRAW, SERIES, NUMBERS, PLOT];
    match page.sweep {
        Some(_) => scripts.extend([SWEEP, SWEEP_HEAT, "poolControls();\nshowCharts(heat, ...POOL_CHARTS);"]),
        None => scripts.push("showCharts();"),
    }
    let scripts: Vec<Value> =
        scripts.into_iter().map(|text| Value::from_safe_string(text.to_owned())).collect();
    let html = environment()?.get_template("page.html")?.render(context! {
        title => page.title.clone(),
        page => Value::from(Serde(page)),
        leadline => env!("CARGO_PKG_VERSION"),
        css => Value::from_safe_string(CSS.to_owned()),
        echarts => Value::from_safe_string(ECHARTS.clone()),
        scripts => scripts,
        data => Value::from_safe_string(script_json(&data)),
    })?;
    match html.len() {
        bytes if bytes > PAGE_LIMIT_BYTES => Err(ReportError::TooLarge { bytes, limit: PAGE_LIMIT_BYTES }),
        _ => Ok(html),
    }
}
