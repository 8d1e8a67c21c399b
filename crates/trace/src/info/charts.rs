//! The charts of a trace.

use std::collections::BTreeMap;

use leadline_figures::chart::{Datum, IntoRow, Panel, Scale, Series, Symbol};
use leadline_figures::number::{exact, short, size};
use leadline_figures::{Axis, Chart, Colour};

use super::{Info, Rates, ReuseInfo, VolumeHeat};

const READ: Colour = Colour::Named("read");
const WRITE: Colour = Colour::Named("write");
const ALPHA: Colour = Colour::Named("alpha");
const SOFT: Colour = Colour::Named("soft");

/// More sizes of requests are gathered by powers of two.
const MOST_SIZES: usize = 16;

/// Of accesses.
fn of_accesses() -> Axis {
    Axis { unit: "share", grid: true, ..Axis::of_share("") }
}

/// What all alike would be, or the least there is: thin and dashed.
fn dashed(label: &str, rows: impl IntoIterator<Item = impl IntoRow>) -> Series {
    Series::line(label, SOFT, 1.0, rows).style("dashed")
}

/// Alone, a curve of a point or two is hard to see.
fn seen<T>(curve: &[T]) -> Option<Symbol> {
    if curve.len() < 3 { Symbol::circle(6.0) } else { None }
}

/// The miss ratio of LRU caches over their size.
pub(super) fn misses(info: &Info) -> Chart {
    let curve = &info.reuse.lru_miss_ratios;
    let bytes = |pages: u64| pages as f64 * f64::from(info.page_bytes);
    let row =
        |&(pages, ratio): &(u64, f64)| (bytes(pages), ratio, pages, pages as f64 / info.footprint_pages);
    let low = curve.first().map_or(1.0, |(pages, _)| bytes(*pages));
    let high = curve.last().map_or(1.0, |(pages, _)| bytes(*pages));
    let series = Series::line("misses", READ, 2.0, curve.iter().map(row));
    let series = Series { area: 0.1, symbol: seen(curve), title: "{0|bytes}".to_owned(), ..series };
    let first = info.reuse.first_share.unwrap_or(0.0);
    let page = size(info.page_bytes.into());
    let ticks = if low == high { vec![(low, String::new())] } else { Vec::new() };
    let x = Axis {
        scale: Scale::Log2,
        name: format!("size of the cache, in pages of {page}"),
        unit: "size",
        min: Some(low),
        max: Some(high.max(2.0 * low)),
        ticks,
        ..Axis::default()
    };
    let said = "({2|whole} pages, {3|share} of the footprint)\nmisses {1|share} of the accesses";
    let panel = Panel {
        series: vec![
            series.tip(said),
            dashed("first accesses", [(low, first), (high.max(2.0 * low), first)]),
        ],
        x,
        y: of_accesses(),
        along: true,
        nothing: "No accesses.".to_owned(),
        ..Panel::default()
    };
    Chart::new("t-misses", panel)
}

/// Bars over names.
fn bars(id: &str, name: &str, names: Vec<(f64, String)>, series: Vec<Series>) -> Chart {
    let x =
        Axis { scale: Scale::Bars, name: name.to_owned(), unit: "count", ticks: names, ..Axis::default() };
    let y = Axis { unit: "share", ..Axis::from_zero("", 0, "") };
    Chart::new(id, Panel { x, y, series, along: true, ..Panel::default() })
}

fn bar(colour: Colour, rows: Vec<(usize, f64, String)>) -> Series {
    Series { bars: true, title: "{2}".to_owned(), ..Series::line("", colour, 0.0, rows) }
}

/// How many other pages are accessed before a page is again.
pub(super) fn distances(reuse: &ReuseInfo) -> Chart {
    let bins = &reuse.distances;
    let name = |(i, bin): (usize, &super::DistanceBin)| {
        let from = exact(bin.from as f64);
        let range = if bin.to > bin.from { format!("{from}–{}", exact(bin.to as f64)) } else { from };
        (i, bin.share, format!("{range} pages"))
    };
    let again = bar(READ, bins.iter().enumerate().map(name).collect());
    let first = bar(SOFT, vec![(bins.len(), reuse.first_share.unwrap_or(0.0), "first access".to_owned())]);
    let of = "{1|share} of the accesses";
    let mut names: Vec<(f64, String)> = bins.iter().map(|bin| (bin.from as f64, String::new())).collect();
    names.push((0.0, "first".to_owned()));
    bars("t-distances", "reuse distance, pages, from", names, vec![again.tip(of), first.tip(of)])
}

/// How many of the accesses go to the hottest pages, over decades of pages and over all of them.
pub(super) fn hot(info: &Info) -> Chart {
    let curve = &info.hotness.curve;
    let panel = |log: bool| {
        let name = "share of the pages, hottest first";
        let x = match log {
            true => Axis { grid: false, ..Axis::decades("share") }.named(name, 24),
            false => Axis { unit: "share", ..Axis::of_share(name) },
        };
        let start = (!log && !curve.is_empty()).then_some((0.0, 0.0));
        let rows = start
            .iter()
            .chain(curve)
            .map(|&(pages, accesses)| (pages, accesses, exact(pages * info.footprint_pages)));
        let accesses = Series::line("accesses", ALPHA, 2.0, rows);
        let accesses = Series { symbol: seen(curve), title: "{0|share}".to_owned(), ..accesses };
        let even: Vec<(f64, f64)> = match log {
            true => curve.iter().map(|&(pages, _)| (pages, pages)).collect(),
            false => vec![(0.0, 0.0), (1.0, 1.0)],
        };
        let sets = info.hotness.hot_sets.iter().take(3);
        let sets = sets.map(|hot| (hot.share_of_pages, hot.share_of_accesses));
        let sets = Series {
            symbol: Symbol::circle(8.0),
            words: "{0|share}".to_owned(),
            words_at: "left",
            ..Series::line("hot sets", ALPHA, 0.0, sets)
        };
        Panel {
            x,
            y: of_accesses(),
            series: vec![
                accesses.tip("of the pages ({2}) get {1|share} of the accesses"),
                dashed("equally hot", even),
                sets,
            ],
            along: true,
            nothing: "No accesses.".to_owned(),
            ..Panel::default()
        }
    };
    Chart::by_choice(
        "t-hot",
        "Pages",
        [("logarithmic".to_owned(), panel(true)), ("linear".to_owned(), panel(false))],
    )
}

/// A line of steps.
fn steps(label: &str, colour: Colour, width: f64, rows: Vec<Vec<Datum>>) -> Series {
    Series { steps: true, ..Series::line(label, colour, width, rows) }
}

/// Where requests begin: one panel for each volume.
pub(super) fn heat(info: &Info) -> Chart {
    let panels = info.requests.heat.iter().map(|heat| (heat.volume.to_string(), of_volume(heat, info.unit)));
    Chart::by_choice("t-heat", "Volume", panels)
}

fn of_volume(heat: &VolumeHeat, unit: &str) -> Panel {
    let of_bytes = unit == "byte";
    let words = |width: u64| if of_bytes { size(width as f64) } else { short(width as f64) };
    let side = |label, colour, of: fn(&(u64, u64, u64)) -> u64| {
        let mut rows: Vec<Vec<Datum>> = Vec::new();
        for (i, cell) in heat.cells.iter().enumerate() {
            let place = format!("{unit} {} on ({})", exact(cell.0 as f64), words(heat.cell_width));
            rows.push((cell.0, of(cell), place).into_row());
            let end = cell.0 + heat.cell_width;
            match heat.cells.get(i + 1) {
                Some(next) if next.0 > end => rows.push((end, 0u64, "nothing here").into_row()),
                Some(_) => {}
                None => rows.push((end, of(cell), "nothing here").into_row()),
            }
        }
        Series { area: 0.35, ..steps(label, colour, 1.0, rows) }.tip("{1|whole}").in_legend()
    };
    let ends = heat.cells.first().zip(heat.cells.last());
    let (low, high) = ends.map_or((0, 1), |(first, last)| (first.0, last.0 + heat.cell_width));
    let x = Axis {
        name: if of_bytes { "address, bytes" } else { "page" }.to_owned(),
        unit: if of_bytes { "size" } else { "count" },
        min: Some(low as f64),
        max: Some(high as f64),
        ticks: if of_bytes { round_addresses(low as f64, high as f64) } else { Vec::new() },
        no_first: true,
        no_last: true,
        ..Axis::default()
    };
    let panel = Panel {
        x,
        y: Axis::from_zero("", 0, "count"),
        series: vec![side("reads", READ, |cell| cell.1), side("writes", WRITE, |cell| cell.2)],
        along: true,
        head: "{2}".to_owned(),
        ..Panel::default()
    };
    panel.with_legend()
}

/// Multiples of a power of two, ten or fewer.
fn round_addresses(low: f64, high: f64) -> Vec<(f64, String)> {
    let step = 2f64.powf(((high - low).max(8.0) / 8.0).log2().ceil());
    let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
    (first..=last).map(|i| (i as f64 * step, String::new())).collect()
}

/// Requests by size.
pub(super) fn sizes(info: &Info) -> Chart {
    let all = info.requests.sizes.as_ref().map_or(&[][..], |sizes| &sizes.histogram);
    let mut groups: Vec<(u64, u64)> = all.to_vec();
    if groups.len() > MOST_SIZES {
        let mut by_power: BTreeMap<u64, u64> = BTreeMap::new();
        for &(size, n) in all {
            *by_power.entry(size.next_power_of_two()).or_default() += n;
        }
        groups = by_power.into_iter().collect();
    }
    let grouped = groups.len() < all.len();
    let of_bytes = info.unit == "byte";
    let name = |&(bytes, _): &(u64, u64)| {
        let name = if of_bytes { size(bytes as f64) } else { bytes.to_string() };
        (bytes as f64, format!("{}{name}", if grouped { "≤ " } else { "" }))
    };
    let rows = groups.iter().enumerate().map(|(i, &(bytes, n))| {
        let up_to = if grouped { "up to " } else { "" };
        let unit = if of_bytes { "bytes" } else { "pages" };
        let title = format!("{up_to}{} {unit}", exact(bytes as f64));
        (i, n as f64 / info.requests.count as f64, title, n)
    });
    let series = Series { bars: true, title: "{2}".to_owned(), ..Series::line("", READ, 0.0, rows) };
    let said = "{3|whole} requests, {1|share}";
    let axis = if of_bytes { "size of a request" } else { "pages of a request" };
    bars("t-sizes", axis, groups.iter().map(name).collect(), vec![series.tip(said)])
}

/// Requests and bytes over time.
pub(super) fn rates(rates: &Rates) -> Chart {
    let end = rates.cells.last().map_or(0.0, |cell| cell.at_seconds + rates.cell_seconds);
    let side = |label, colour, of: fn(&super::RateCell) -> u64| {
        let mut rows: Vec<Vec<Datum>> = rates
            .cells
            .iter()
            .map(|cell| (cell.at_seconds, of(cell) as f64 / rates.cell_seconds).into_row())
            .collect();
        rows.extend(rates.cells.last().map(|cell| (end, of(cell) as f64 / rates.cell_seconds).into_row()));
        steps(label, colour, 1.2, rows)
    };
    let panel = |unit, series| Panel {
        x: Axis::of_time(end),
        y: Axis::from_zero("", 0, unit),
        series,
        along: true,
        head: "{0|whole} s".to_owned(),
        ..Panel::default()
    };
    let of = "{1|count} requests/s";
    let sides = vec![
        side("reads", READ, |cell| cell.reads).tip(of).in_legend(),
        side("writes", WRITE, |cell| cell.writes).tip(of).in_legend(),
    ];
    let all = vec![side("all", ALPHA, |cell| cell.bytes).tip("{1|bandwidth}")];
    Chart::by_choice(
        "t-rates",
        "Unit",
        [
            ("requests/s".to_owned(), panel("count", sides).with_legend()),
            ("bytes/s".to_owned(), panel("bandwidth", all)),
        ],
    )
}
