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
        "Pages read ahead, read one at a time, and written; reads of each page; class.".to_owned(),
        format!("{:6}{:<38}{:<38}{}", "", "paper", "MariaDB's plans", "paper's plans"),
    ];
    let (mut notes, mut others) = (Vec::new(), [Vec::new(), Vec::new()]);
    for paper in &QUERIES {
        let Ok(query) = Query::parse(&format!("q{}", paper.number)) else { continue };
        let patterns = [Plans::Default, Plans::Paper].map(|plans| Pattern::of(results, query, plans));
        for (pattern, other) in patterns.iter().zip(&mut others) {
            let differs = |pattern: &&Pattern| !pattern.class().may_be(paper.class());
            if let Some(pattern) = pattern.as_ref().filter(differs) {
                other.push(format!("{query} ({}, here {})", paper.class(), pattern.class()));
            }
        }
        notes.extend(notes_on(query, &patterns));
        let [default, forced] = patterns.map(|pattern| cells(pattern.as_ref()));
        let forced = if query.is_forced() { forced } else { "the same".to_owned() };
        lines
            .push(format!("{query:<6}{:<38}{default:<38}{forced}", paper_cells(paper)).trim_end().to_owned());
    }
    lines.extend(notes);
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
    format!("{sequential:>3}%{random:>4}%{written:>3}%{repeat:>6.1}  {}", paper.class())
}

fn cells(pattern: Option<&Pattern>) -> String {
    let Some(pattern) = pattern else { return "not measured".to_owned() };
    let percent = |share: f64| format!("{:.0}%", 100.0 * share);
    let written = pattern.written.unwrap_or(0.0);
    format!(
        "{:>4}{:>5}{:>4}{:>6}  {}{}",
        percent(pattern.sequential * (1.0 - written)),
        percent(pattern.random()),
        pattern.written.map_or("-".to_owned(), percent),
        pattern.repeat.map_or("-".to_owned(), |repeat| format!("{repeat:.1}")),
        pattern.class(),
        if pattern.finished { "" } else { "*" }
    )
}

/// What the cells of a query leave out.
fn notes_on(query: Query, patterns: &[Option<Pattern>; 2]) -> Vec<String> {
    let mut notes = Vec::new();
    if patterns.iter().flatten().any(|pattern| !pattern.finished) {
        notes.push(format!("* {query} did not finish within the limit; its numbers are up to it."));
    }
    // Without hints both are the same.
    let plans = if query.is_forced() { ["MariaDB's", "the paper's"].as_slice() } else { &["MariaDB's"] };
    for (pattern, plans) in patterns.iter().zip(plans) {
        if let Some(Pattern { sequential, sequential_by_trace: Some(by_trace), .. }) = pattern
            && (by_trace - sequential).abs() >= SAME
        {
            notes.push(format!(
                "{query} with {plans} plan: {:.0} % read ahead by the counters, {:.0} % by the requests.",
                100.0 * sequential,
                100.0 * by_trace
            ));
        }
    }
    notes
}

/// Table 6, once for each drive.
fn q3(results: &[RunResult]) -> Vec<String> {
    let (mut lines, mut devices) = (Vec::new(), Vec::new());
    for result in results {
        let runs = result.queries.iter().filter(|run| run.query.number() == 3 && run.finished);
        let Some(run) = runs.into_iter().find(|run| run.access.is_some()) else { continue };
        if devices.contains(&&result.device) {
            continue;
        }
        devices.push(&result.device);
        lines.push(format!("Q3's tables, scale {}, {}:", result.scale, result.device));
        lines.push(format!(
            "{:10}{:>10}{:>8}{:>11}{:>6}      the paper's",
            "", "size", "ahead", "read", "rate"
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
        "{:<10}{:>7.1} MB{:>7.1}%{:>8.1} MB{:>6.1}      {:>4.1} GB{:>6.1}%{:>7.1} GB{:>6.1}",
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
