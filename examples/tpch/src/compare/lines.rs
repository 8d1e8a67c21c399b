//! The tables as text.

use super::Pattern;
use super::paper::{PaperQuery, PaperTable, Q3_TABLES, QUERIES};
use crate::queries::{Plans, Query};
use crate::run::{Measured, RunResult};

/// Where the counters and the recorded requests differ by less, only the counters' share is shown.
const SAME: f64 = 0.02;

/// The paper's tables 4, 5 and 6 beside the results', with the class of each query.
pub fn lines(results: &[RunResult]) -> Vec<String> {
    let mut lines = vec![
        "Pages read ahead, read at random and written, reads of each page, and the class.".to_owned(),
        format!("{:6}{:<42}{:<50}{}", "", "paper", "MariaDB's plans", "paper's plans"),
    ];
    let mut others: [Vec<String>; 2] = [Vec::new(), Vec::new()];
    for paper in &QUERIES {
        let Ok(query) = Query::parse(&format!("q{}", paper.number)) else { continue };
        let [default, forced] =
            [Plans::Default, Plans::Paper].map(|plans| Pattern::of(results, query, plans));
        for (pattern, other) in [&default, &forced].into_iter().zip(&mut others) {
            if let Some(pattern) = pattern.as_ref().filter(|pattern| !pattern.class().may_be(paper.class())) {
                other.push(format!("{query} ({}, here {})", paper.class(), pattern.class()));
            }
        }
        let forced = if query.is_forced() { cells(forced.as_ref()) } else { "the same".to_owned() };
        let line = format!("{query:<6}{:<42}{:<50}{forced}", paper_cells(paper), cells(default.as_ref()));
        lines.push(line.trim_end().to_owned());
    }
    for (plans, other) in ["MariaDB's plans", "the paper's plans"].iter().zip(others) {
        lines.push(match other.is_empty() {
            true => format!("With {plans}, no query that was measured has another class than in the paper."),
            false => format!("With {plans}, {} have another class: {}.", other.len(), other.join("; ")),
        });
    }
    lines.extend(q3(results));
    lines
}

fn paper_cells(paper: &PaperQuery) -> String {
    let PaperQuery { sequential, random, written, repeat, .. } = paper;
    format!("{sequential:>3}%{random:>5}%{written:>4}%{repeat:>6.1}  {}", paper.class())
}

fn cells(pattern: Option<&Pattern>) -> String {
    let Some(pattern) = pattern else { return "not measured".to_owned() };
    let Pattern { sequential, sequential_by_trace, written, repeat } = pattern;
    let by_trace = sequential_by_trace.filter(|share| (share - sequential).abs() >= SAME);
    let by_trace = by_trace.map_or(String::new(), |share| format!("({:.0}%)", 100.0 * share));
    let percent = |share: Option<f64>| share.map_or("-".to_owned(), |share| format!("{:.0}%", 100.0 * share));
    let repeat = repeat.map_or("-".to_owned(), |repeat| format!("{repeat:.1}"));
    let random = 1.0 - sequential - written.unwrap_or(0.0);
    format!(
        "{:>4}{by_trace:<6}{:>5}{:>5}{repeat:>6}  {}",
        percent(Some(*sequential)),
        percent(Some(random)),
        percent(*written),
        pattern.class()
    )
}

/// Table 6.
fn q3(results: &[RunResult]) -> Vec<String> {
    let mut lines = Vec::new();
    for result in results {
        let runs = result.queries.iter().filter(|run| run.query.number() == 3 && run.finished);
        let Some(run) = runs.into_iter().find(|run| run.access.is_some()) else { continue };
        lines.push(format!(
            "Q3's tables at scale {} on {}, and the paper's: size, read ahead, accessed, reads of each page.",
            result.scale, result.device
        ));
        lines.extend(Q3_TABLES.iter().map(|table| q3_line(result, run, table)));
    }
    lines
}

fn q3_line(result: &RunResult, run: &Measured, paper: &PaperTable) -> String {
    let size = result.tables.iter().find(|table| table.name == paper.name).map_or(0, |table| table.bytes);
    let access = run.access.as_ref().and_then(|access| access.tables.get(paper.name));
    let access = access.copied().unwrap_or_default();
    format!(
        "{:<10}{:>7.1} MB{:>6.1}%{:>8.1} MB{:>6.1}      paper:{:>6.1} GB{:>6.1}%{:>7.1} GB{:>6.1}",
        paper.name,
        size as f64 / 1e6,
        100.0 * access.sequential_share(),
        access.pages as f64 * 16_384.0 / 1e6,
        access.repeat_access_rate(),
        paper.size_gb,
        paper.sequential,
        paper.accessed_gb,
        paper.repeat
    )
}
