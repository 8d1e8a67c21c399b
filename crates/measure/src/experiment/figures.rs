//! What the tables and charts of experiments have in common.

use leadline_figures::chart::round;
use leadline_figures::number::{known, micros};
use leadline_figures::{Part, Table};
use leadline_profile::{Latency, OpKind, Pattern};

/// A row of a table: its name and its cells, `None` for what was not measured.
pub(super) type Line = (String, Vec<Option<String>>);

/// A measured value of a chart with its 95 % interval: `[x, y, low, high]`.
pub(super) type Measured = (f64, f64, Option<f64>, Option<f64>);

/// A curve of a chart: `[x, y]` each.
pub(super) type Curve = Vec<(f64, f64)>;

/// The workloads with an operation and a pattern of their own.
pub(super) const FOREGROUNDS: [(OpKind, Pattern); 4] = [
    (OpKind::Read, Pattern::Sequential),
    (OpKind::Read, Pattern::Random),
    (OpKind::Write, Pattern::Sequential),
    (OpKind::Write, Pattern::Random),
];

/// A table under its title, whose first column has the rows' names.
pub(super) fn table(title: &str, head: Vec<String>, rows: Vec<Line>) -> Part {
    let row = |(name, cells): Line| std::iter::once(name).chain(cells.into_iter().map(known));
    Part::Table(Table::named(title, head).rows(rows.into_iter().map(row)))
}

/// Words, whose lines after the first are set in.
pub(super) fn said(words: impl Into<String>) -> Part {
    Part::Words { words: words.into(), margins: [0, 2] }
}

/// The ends of an interval as charts draw them.
pub(super) fn ends(ci: Option<[f64; 2]>) -> (Option<f64>, Option<f64>) {
    ci.map(|[low, high]| (round(low), round(high))).unzip()
}

/// The head of a table of rates and the latencies of what is made durable.
pub(super) fn rate_head(rate: &str) -> Vec<String> {
    [rate, "p50", "p90", "p99", "p99.9", "max"].map(str::to_owned).to_vec()
}

/// The latencies under such a head.
pub(super) fn sync_latencies(l: &Latency) -> impl Iterator<Item = Option<String>> {
    [l.p50, l.p90, l.p99, l.p99_9, l.max].map(|us| Some(micros(us))).into_iter()
}
