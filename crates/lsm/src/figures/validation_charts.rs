//! The charts of a validation: over fanouts, over clients, and predicted against measured.

use std::collections::BTreeSet;

use leadline_figures::chart::{Choice, Datum, IntoRow, Key, Panel, Series, Symbol, round};
use leadline_figures::number::{counted, significant};
use leadline_figures::{Axis, Chart, Colour};

use super::cells::Cell;
use crate::validate::{Kind, LayoutName};

/// What times are of: see [`Chart::choices`].
const TIMES: [&str; 2] = ["per query, all clients together", "of one client's query"];

/// A chart with a panel for each way to state times, where there are several.
fn of_times(id: String, several: bool, panel: impl Fn(Times) -> Panel) -> Chart {
    if !several {
        return Chart::new(id, panel(Times { together: true }));
    }
    let options = TIMES.map(str::to_owned).to_vec();
    let choice = Choice { name: "Time".to_owned(), options, shared: true, in_bar: true };
    let panels = [true, false].into_iter().enumerate();
    let panels = panels.map(|(i, together)| Panel { when: vec![i], ..panel(Times { together }) });
    Chart { id, choices: vec![choice], panels: panels.collect() }
}

/// How times of queries are stated.
#[derive(Clone, Copy)]
struct Times {
    /// Of a query of all clients together, else of one client's query.
    together: bool,
}

impl Times {
    /// Microseconds of a time of the cell.
    fn us(self, cell: &Cell, value: f64) -> f64 {
        match (cell.kind, cell.clients) {
            (Kind::Fill, _) => round(value * 1e6),
            (_, Some(clients)) if self.together => round(value / f64::from(clients)),
            _ => round(value),
        }
    }

    fn ends(self, cell: &Cell, ends: Option<[f64; 2]>) -> (Option<f64>, Option<f64>) {
        ends.map(|[low, high]| (self.us(cell, low), self.us(cell, high))).unzip()
    }

    fn axis(self, kind: Kind) -> Axis {
        let name = match kind {
            Kind::Fill => "time of a fill",
            _ if self.together => "time per query, all clients together",
            _ => "time of one client's query",
        };
        Axis::decades("micros").named(name, 54)
    }

    /// `[x, measured, low, high, name, predicted, low, high, error, words beside it]`
    fn measured(self, cell: &Cell, x: f64, words: String) -> Vec<Datum> {
        let (low, high) = self.ends(cell, cell.measured.interval);
        let mut row = (x, self.us(cell, cell.measured.median), low, high, name(cell)).into_row();
        let predicted = cell.compared.map(|compared| compared.predicted);
        let ends = self.ends(cell, predicted.map(|found| found.ci));
        let error =
            predicted.map(|found| format!("{:.1}", 100.0 * (found.value / cell.measured.median - 1.0)));
        let us = predicted.map(|found| self.us(cell, found.value));
        row.extend((us, ends.0, ends.1, error, words).into_row());
        row
    }

    /// `[x, predicted, low, high]`
    fn predicted(self, cell: &Cell, x: f64) -> Option<(f64, f64, Option<f64>, Option<f64>)> {
        let found = cell.compared?.predicted;
        let (low, high) = self.ends(cell, Some(found.ci));
        Some((x, self.us(cell, found.value), low, high))
    }
}

/// Points of what was measured, with what was predicted in the tooltip.
fn points(label: &str, colour: Colour, predicted: bool, rows: Vec<Vec<Datum>>) -> Series {
    let measured = "\nmeasured {1|micros}{2-3|micros}";
    let said = match predicted {
        true => format!("{measured}\npredicted {{5|micros}}{{6-7|micros}}, error {{8}} %"),
        false => measured.to_owned(),
    };
    Series { title: "{4}".to_owned(), ..Series::measured(label, colour, rows).tip(said) }
}

fn name(cell: &Cell) -> String {
    let by = match cell.clients {
        None => counted(cell.jobs.into(), "compaction thread"),
        Some(clients) => counted(clients.into(), "client"),
    };
    format!("{}, {}, {by}", kind_words(cell.kind), cell.layout)
}

fn kind_words(kind: Kind) -> &'static str {
    match kind {
        Kind::Point => "point queries",
        Kind::Scan => "scans",
        Kind::Fill => "fills",
    }
}

/// Places of layouts: fanouts by their logarithm, other layouts in places of their own to the right.
struct Places {
    fanouts: BTreeSet<u32>,
    others: Vec<LayoutName>,
}

impl Places {
    fn new(cells: &[Cell]) -> Places {
        let mut places = Places { fanouts: BTreeSet::new(), others: Vec::new() };
        for cell in cells {
            match cell.layout {
                LayoutName::Fanout(fanout) => {
                    places.fanouts.insert(fanout);
                }
                other if places.others.contains(&other) => {}
                other => places.others.push(other),
            }
        }
        places
    }

    fn of(&self, layout: LayoutName) -> f64 {
        if let LayoutName::Fanout(fanout) = layout {
            return f64::from(fanout).log2();
        }
        let first = self.fanouts.last().map_or(0.0, |&fanout| f64::from(fanout).log2() + 1.2);
        first + self.others.iter().position(|&other| other == layout).unwrap_or(0) as f64
    }

    fn axis(&self) -> Axis {
        let fanouts = self.fanouts.iter().map(|&fanout| (LayoutName::Fanout(fanout), fanout.to_string()));
        let others = self.others.iter().map(|&layout| (layout, layout.to_string()));
        let ticks: Vec<(f64, String)> =
            fanouts.chain(others).map(|(layout, name)| (self.of(layout), name)).collect();
        let ends = ticks.first().zip(ticks.last());
        let (min, max) = ends.map(|(first, last)| (first.0 - 0.4, last.0 + 0.4)).unzip();
        Axis { name: "fanout, or layout".to_owned(), min, max, ticks, ..Axis::default() }
    }
}

/// Times over fanouts, one line per number of clients or, of fills, of compaction threads.
pub(super) fn over_fanouts(cells: &[Cell], kind: Kind) -> Chart {
    let here: Vec<&Cell> = cells.iter().filter(|cell| cell.kind == kind).collect();
    let by = |cell: &Cell| cell.clients.unwrap_or(cell.jobs);
    let groups: BTreeSet<u32> = here.iter().map(|cell| by(cell)).collect();
    let places = Places::new(cells);
    let panel = |times: Times| {
        let mut series = Vec::new();
        for (i, &group) in groups.iter().enumerate() {
            let word = if kind == Kind::Fill { "compaction thread" } else { "client" };
            let (label, colour) = (counted(group.into(), word), Colour::Ramp(i, groups.len()));
            let own: Vec<&Cell> = here.iter().filter(|cell| by(cell) == group).copied().collect();
            let is_fanout = |cell: &&&Cell| matches!(cell.layout, LayoutName::Fanout(_));
            let predicted = |cell: &&Cell| times.predicted(cell, places.of(cell.layout));
            let mut line: Vec<_> = own.iter().filter(is_fanout).filter_map(predicted).collect();
            line.sort_by(|a, b| a.0.total_cmp(&b.0));
            let alone = line.len() == 1;
            let dashes = own.iter().filter(|cell| alone || !is_fanout(cell)).filter_map(predicted);
            let dashes = Series::line(&*label, colour, 0.0, dashes);
            let dash = Symbol { shape: "dash", ..Symbol::default() };
            let rows = own.iter().map(|cell| times.measured(cell, places.of(cell.layout), String::new()));
            let has = own.iter().any(|cell| cell.compared.is_some());
            let line = Series { opacity: 0.75, ..Series::line(&*label, colour, 2.0, line) };
            series.extend(
                [line, Series { symbol: Some(dash), ..dashes }].map(|one| Series { reach: true, ..one }),
            );
            series.push(points(&label, colour, has, rows.collect()));
        }
        let series = series.into_iter().map(|one| Series { apart: true, ..one }.in_legend()).collect();
        let panel = Panel { x: places.axis(), y: times.axis(kind), series, apart: 0.07, ..nothing() };
        if groups.len() > 1 { panel.with_legend() } else { panel }
    };
    of_times(format!("v-{}", kind_name(kind)), kind != Kind::Fill && several_clients(cells), panel)
}

fn nothing() -> Panel {
    Panel { nothing: "Nothing is chosen.".to_owned(), ..Panel::default() }
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Point => "point",
        Kind::Scan => "scan",
        Kind::Fill => "fill",
    }
}

/// Whether it makes a difference whose time of a query is stated.
pub(super) fn several_clients(cells: &[Cell]) -> bool {
    cells.iter().any(|cell| cell.clients.is_some_and(|clients| clients > 1))
}

/// The single level against the layout for flash, over clients.
pub(super) fn against_flash(cells: &[Cell], kind: Kind) -> Chart {
    let of = |layout: LayoutName| cells.iter().filter(move |cell| (cell.kind, cell.layout) == (kind, layout));
    let ratio = |cell: &Cell, time: fn(&Cell) -> Option<f64>| {
        let single = of(LayoutName::Single).find(|other| other.clients == cell.clients)?;
        Some(format!("{:.2}×", time(cell)? / time(single)?))
    };
    let words = |cell: &Cell| {
        let measured = ratio(cell, |cell| Some(cell.measured.median)).unwrap_or_default();
        let predicted = ratio(cell, |cell| Some(cell.compared?.predicted.value));
        measured + &predicted.map_or(String::new(), |ratio| format!("\n({ratio})"))
    };
    let panel = |times: Times| {
        let mut panel = Panel {
            // Room for the ratios.
            x: Axis { pad: [0.25, 0.25], ..Axis::powers("clients") },
            y: Axis { pad: [0.0, 0.12], ..times.axis(kind) },
            ..nothing()
        };
        let mut legend = Vec::new();
        for (layout, colour) in [(LayoutName::Single, "p0"), (LayoutName::Flash, "p4")] {
            let (label, colour) = (layout.to_string(), Colour::Named(colour));
            let clients = |cell: &Cell| f64::from(cell.clients.unwrap_or(1));
            let mut own: Vec<&Cell> = of(layout).collect();
            own.sort_by_key(|cell| cell.clients);
            let predicted = own.iter().filter_map(|cell| times.predicted(cell, clients(cell)));
            let line = Series::line(&*label, colour, 2.0, predicted);
            panel.series.push(Series { opacity: 0.75, reach: true, ..line });
            let flash = layout == LayoutName::Flash;
            let beside = |cell: &Cell| if flash { words(cell) } else { String::new() };
            let rows = own.iter().map(|cell| times.measured(cell, clients(cell), beside(cell))).collect();
            let has = own.iter().any(|cell| cell.compared.is_some());
            let words = if flash { "{9}".to_owned() } else { String::new() };
            panel.series.push(Series { words, ..points(&label, colour, has, rows) });
            legend.push(Key { label, colour, fixed: true, ..Key::default() });
        }
        panel.legends.push(legend);
        panel
    };
    of_times(format!("v-flash-{}", kind_name(kind)), several_clients(cells), panel)
}

/// Predicted against measured, and where both are equal, and 15 % apart.
pub(super) fn scatter(cells: &[Cell]) -> Chart {
    let panel = |times: Times| {
        let both = |cell: &Cell| {
            let predicted = cell.compared?.predicted.value;
            Some((times.us(cell, cell.measured.median), times.us(cell, predicted)))
        };
        let parallel = |factor: f64, style| {
            let rows = [1.0, 10.0].map(|us| (us, factor * us));
            Series {
                loose: true,
                through: true,
                ..Series::line("", Colour::Named("soft"), 1.0, rows).style(style)
            }
        };
        let mut series = vec![parallel(1.0, "solid"), parallel(1.15, "dashed"), parallel(0.85, "dashed")];
        for (kind, colour) in [(Kind::Point, "p0"), (Kind::Scan, "p1"), (Kind::Fill, "p2")] {
            let row = |cell: &Cell| {
                let (x, y) = both(cell)?;
                let mut row = (x, y).into_row();
                row.extend(times.measured(cell, 0.0, String::new()).into_iter().skip(2));
                // The tooltip's places are those of the other charts: measured stands second there.
                row.push(x.into());
                Some(row)
            };
            let rows: Vec<Vec<Datum>> =
                cells.iter().filter(|cell| cell.kind == kind).filter_map(row).collect();
            if !rows.is_empty() {
                let said =
                    "\nmeasured {10|micros}{2-3|micros}\npredicted {5|micros}{6-7|micros}, error {8} %";
                let points = points(kind_words(kind), Colour::Named(colour), true, rows).tip(said);
                series.push(Series { whiskers: false, ..points }.in_legend());
            }
        }
        let axis = |name: &str, gap| Axis::decades("micros").named(name, gap);
        let kinds = series.len() - 3;
        let panel =
            Panel { x: axis("measured", 24), y: axis("predicted", 54), square: true, series, ..nothing() };
        if kinds > 1 { panel.with_legend() } else { panel }
    };
    of_times("v-scatter".to_owned(), several_clients(cells), panel)
}

/// How many times as long the layout for flash takes: point queries, measured and predicted, then scans.
pub(super) fn ratios(cells: &[Cell], clients: u32) -> [Option<String>; 4] {
    let ratio = |kind, of: fn(&Cell) -> Option<f64>| {
        let time = |layout| {
            let found =
                |cell: &&Cell| (cell.kind, cell.layout, cell.clients) == (kind, layout, Some(clients));
            cells.iter().find(found).and_then(of)
        };
        Some(format!("{}×", significant(time(LayoutName::Flash)? / time(LayoutName::Single)?)))
    };
    let measured = |cell: &Cell| Some(cell.measured.median);
    let predicted = |cell: &Cell| Some(cell.compared?.predicted.value);
    [
        ratio(Kind::Point, measured),
        ratio(Kind::Point, predicted),
        ratio(Kind::Scan, measured),
        ratio(Kind::Scan, predicted),
    ]
}
