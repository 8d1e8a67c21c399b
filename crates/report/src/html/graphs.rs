//! The page of a graph store.

use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Serialize;

use super::{AXES, BASE, CSS, DRAW, ECHARTS, environment, script_json};
use crate::ReportError;
use crate::format::{bytes, count, significant};
use crate::graph::{self, GraphInfo};

const GRAPH: &str = include_str!("../../assets/graph.js");

/// What the scripts read. `base.js` looks for profiles; here are none.
#[derive(Serialize)]
struct Data<'a> {
    profiles: [(); 0],
    graph: &'a GraphInfo,
}

/// A large number with what it means.
#[derive(Serialize)]
struct Tile {
    value: String,
    meaning: &'static str,
}

/// A page for a graph store: what it holds, and the distribution of degrees. Self-contained as
/// [`render_page`](crate::render_page)'s.
///
/// # Errors
/// [`ReportError::Template`].
pub fn render_graph_page(info: &GraphInfo) -> Result<String, ReportError> {
    let scripts = [BASE, AXES, DRAW, GRAPH].map(|script| Value::from_safe_string(script.to_owned()));
    let page = environment()?.get_template("graph.html")?.render(context! {
        title => info.store.clone(),
        info => Value::from(Serde(info)),
        tiles => Value::from(Serde(tiles(info))),
        rows => Value::from(Serde(graph::rows(info))),
        degrees => Value::from(Serde(graph::degrees(info))),
        leadline => env!("CARGO_PKG_VERSION"),
        css => Value::from_safe_string(CSS.to_owned()),
        echarts => Value::from_safe_string(ECHARTS.to_owned()),
        scripts => Value::from(scripts.to_vec()),
        data => Value::from_safe_string(script_json(&Data { profiles: [], graph: info })),
    })?;
    Ok(page)
}

fn tiles(info: &GraphInfo) -> Vec<Tile> {
    let tile = |value: String, meaning| Tile { value, meaning };
    vec![
        tile(count(info.vertices as f64), "vertices"),
        tile(count(info.edges as f64), if info.directed { "directed edges" } else { "undirected edges" }),
        tile(graph::average(info), "outgoing edges of a vertex"),
        tile(count(info.max_degree as f64), "of the vertex that has most"),
        tile(info.bytes_per_edge.map_or("–".to_owned(), significant), "bytes per edge"),
        tile(bytes(info.file_bytes), "in the file"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::graphs::{empty_graph, sample_graph};

    fn ours(info: &GraphInfo) -> String {
        render_graph_page(info).expect("a page").replace(ECHARTS, "")
    }

    #[test]
    fn the_page_asks_nobody_for_anything_and_nothing_becomes_markup() {
        let mut info = sample_graph();
        info.store = "</script><img src=x onerror=alert(1)>".to_owned();
        let page = ours(&info);
        assert!(!page.contains("<img") && page.contains("&lt;img"));
        for word in ["http:", "https:", "url(", "@import", "fetch(", "XMLHttp"] {
            assert!(!page.contains(word), "{word} in the page");
        }
    }

    #[test]
    fn a_graph_without_vertices_has_a_page_without_a_chart() {
        assert!(ours(&sample_graph()).contains("class=\"plot\""));
        assert!(!ours(&empty_graph()).contains("class=\"plot\""));
    }
}
