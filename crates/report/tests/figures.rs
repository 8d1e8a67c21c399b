//! What other crates describe, in a terminal and on a page.

mod common;

use leadline_figures::{Page, Text};
use leadline_report::{render_figures, render_text};

use common::graphs::{empty_graph, sample_graph};

/// All that is described.
fn texts() -> Vec<Text> {
    vec![sample_graph().text(), empty_graph().text()]
}

fn pages() -> Vec<Page> {
    vec![sample_graph().page(), empty_graph().page()]
}

/// What is ours of a page, without ECharts.
fn ours(page: &Page) -> String {
    let html = render_figures(page).expect("a page");
    let library = include_str!("../vendor/echarts/echarts.min.js");
    html.replace(library, "")
}

#[test]
fn a_text_fits_the_width_it_is_given() {
    for width in [60, 80, 120] {
        for text in texts() {
            let text = render_text(&text, width);
            assert!(text.lines().all(|line| line.chars().count() <= width), "{width}:\n{text}");
        }
    }
}

#[test]
fn a_page_asks_nobody_for_anything_and_nothing_becomes_markup() {
    for mut page in pages() {
        page.title = "</script><img src=x onerror=alert(1)>".to_owned();
        page.heading.clone_from(&page.title);
        let html = ours(&page);
        assert!(!html.contains("<img") && html.contains("&lt;img"));
        for word in ["http:", "https:", "url(", "@import", "fetch(", "XMLHttp"] {
            assert!(!html.contains(word), "{word} in the page");
        }
    }
}

#[test]
fn what_a_graph_store_holds_is_shown() {
    let text = render_text(&sample_graph().text(), 100);
    for part in ["61,728,394, directed", "2.00 bytes per edge", "98.7 % full", "524,288-1,048,575", "12.5 s"]
    {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
    assert!(!render_text(&empty_graph().text(), 100).contains('#'));
    assert!(ours(&sample_graph().page()).contains("class=\"plot\""));
    assert!(!ours(&empty_graph().page()).contains("class=\"plot\""), "a chart of nothing");
}

#[test]
fn an_undirected_edge_has_two_ends() {
    let mut info = sample_graph();
    (info.vertices, info.edges, info.self_loops, info.directed) = (4, 4, 0, true);
    assert!(render_text(&info.text(), 100).contains("1.00 on average"));
    info.directed = false;
    assert!(render_text(&info.text(), 100).contains("2.00 on average"));
}

#[test]
fn degrees_are_gathered_by_powers_of_two() {
    let text = render_text(&sample_graph().text(), 100);
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let head = lines.iter().position(|line| line.starts_with("degree  ") && line.ends_with("share"));
    let starts = lines[head.expect("a table") + 1..].iter().map(|line| line.split(' ').next().unwrap_or(""));
    assert_eq!(starts.take(5).collect::<Vec<_>>(), ["0", "1", "2-3", "4-7", "8-15"], "{text}");
}
