//! The page of a validation: figures 5 and 6 of "The Multi-Queue SSD model" on the user's device, and every
//! prediction beside what was measured.

use leadline_lsm::validate::{Comparison, Kind, LayoutName, Record, SCAN_PAIRS, Term};
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Serialize;

use super::cells::{Cell, cells};
use super::charts::{Charts, Has};
use super::page;
use crate::ReportError;
use crate::format::{bytes, count, micros, seconds, significant, with_interval};
use crate::html::facts::{self, Fact, fact};
use crate::lsm::comparison::{lsm_comparison_sentences, percent};
use crate::lsm::lsm_processor_costs;
use crate::lsm::question::counted;

const SCRIPT: &str = include_str!("../../../assets/lsm_validation.js");

/// A cell in the table, as text.
#[derive(Serialize)]
struct Row {
    kind: &'static str,
    layout: String,
    jobs: u32,
    clients: String,
    measured: String,
    predicted: String,
    error: String,
    off: String,
}

/// The single level against the layout for flash: times of the latter over those of the former.
#[derive(Serialize)]
struct Ratio {
    clients: u32,
    /// Point queries, measured and predicted, then scans.
    times: [String; 4],
}

/// A large number with what it means.
#[derive(Serialize)]
struct Tile {
    value: String,
    meaning: String,
}

/// One self-contained page of a validation, with predictions where it has them. It makes no network requests,
/// and everything from the record is escaped.
///
/// # Errors
/// [`ReportError::TooLarge`] beyond [`PAGE_LIMIT_BYTES`](crate::PAGE_LIMIT_BYTES), some ten thousand cells;
/// [`ReportError::Template`].
pub fn render_lsm_validation_page(record: &Record) -> Result<String, ReportError> {
    let cells = cells(record);
    let comparison = record.comparison.as_ref();
    let words = context! {
        title => title(record),
        sub => sub(record),
        notes => notes(record),
        tiles => Value::from(Serde(comparison.map(tiles).unwrap_or_default())),
        sentences => comparison.map(lsm_comparison_sentences).unwrap_or_default(),
        scan_pairs => SCAN_PAIRS,
        has => Value::from(Serde(Has::new(&cells))),
        ratios => Value::from(Serde(ratios(record, &cells))),
        rows => Value::from(Serde(cells.iter().map(row).collect::<Vec<_>>())),
        device => Value::from(Serde(facts::device(&record.machine))),
        run => Value::from(Serde(run(record))),
        processor => processor(record),
    };
    page("lsm_validation.html", SCRIPT, Charts::new(&cells), words)
}

fn title(record: &Record) -> String {
    let machine = &record.machine;
    let device = machine.model.as_ref().unwrap_or(&machine.name);
    format!("RocksDB {} on {device}", record.rocksdb)
}

fn sub(record: &Record) -> String {
    let data = &record.plan.data;
    format!(
        "{} in {} pairs of {} bytes · {} · {}",
        bytes(data.bytes() as u64),
        count(data.pairs),
        data.pair_bytes(),
        counted(record.plan.repeats, "repeat"),
        record.measured_at
    )
}

/// What makes the numbers worth less.
fn notes(record: &Record) -> Vec<&'static str> {
    let mut notes = Vec::new();
    if record.comparison.is_none() {
        notes.push("The device was not measured beside RocksDB, so there are no predictions.");
    }
    if record.plan.repeats == 1 {
        notes.push("Measured once: there are no intervals around what was measured.");
    }
    notes
}

/// The median error of each kind of cells, and how many pairs are in the order that was predicted.
fn tiles(comparison: &Comparison) -> Vec<Tile> {
    let errors = comparison.errors.iter().map(|errors| Tile {
        value: percent(errors.median),
        meaning: format!("median error of {}", errors.kind.words()),
    });
    let orders = comparison.orders.iter().filter(|order| order.pairs > 0).map(|order| Tile {
        value: format!("{} of {}", order.right, order.pairs),
        meaning: format!("pairs of {} in the predicted order", order.kind.words()),
    });
    errors.chain(orders).collect()
}

/// Empty where not both layouts were measured.
fn ratios(record: &Record, cells: &[Cell]) -> Vec<Ratio> {
    let ratio = |kind, clients, of: fn(&Cell) -> Option<f64>| {
        let time = |layout| {
            let found = |c: &&Cell| (c.kind, c.layout, c.clients) == (kind, layout, Some(clients));
            cells.iter().find(found).and_then(of)
        };
        Some(time(LayoutName::Flash)? / time(LayoutName::Single)?)
    };
    let rows = record.plan.clients.iter().map(|&clients| {
        [Kind::Point, Kind::Scan]
            .map(|kind| {
                let measured = ratio(kind, clients, |cell| Some(cell.measured.median));
                [measured, ratio(kind, clients, |cell| Some(cell.compared?.predicted.value))]
            })
            .as_flattened()
            .to_vec()
    });
    let shown = |ratio: Option<f64>| ratio.map_or_else(none, |ratio| format!("{}×", significant(ratio)));
    rows.zip(&record.plan.clients)
        .filter(|(ratios, _)| ratios.iter().any(Option::is_some))
        .map(|(ratios, &clients)| Ratio { clients, times: std::array::from_fn(|i| shown(ratios[i])) })
        .collect()
}

/// Each cost with what it is for.
fn processor(record: &Record) -> Vec<(&'static str, String)> {
    lsm_processor_costs(&record.processor).map(|(name, us)| (name, format!("{us:.2} µs"))).to_vec()
}

fn none() -> String {
    "–".to_owned()
}

fn row(cell: &Cell) -> Row {
    let show = if cell.kind == Kind::Fill { seconds } else { micros };
    let off = |c: &leadline_lsm::validate::ComparedCell| -> String {
        let off = c.terms.iter().filter(|term| c.off.contains(&term.name)).map(term);
        off.collect::<Vec<_>>().join("; ")
    };
    Row {
        kind: cell.kind.words(),
        layout: cell.layout.to_string(),
        jobs: cell.jobs,
        clients: cell.clients.map_or_else(none, |clients| clients.to_string()),
        measured: with_interval(cell.measured.median, cell.measured.interval, show),
        predicted: cell
            .compared
            .map_or_else(none, |c| with_interval(c.predicted.value, Some(c.predicted.ci), show)),
        error: cell.compared.map_or_else(none, |c| format!("{:+.1} %", 100.0 * c.error)),
        off: cell.compared.map(off).unwrap_or_default(),
    }
}

/// `reads 3.10 against 2.30`.
fn term(term: &Term) -> String {
    let name = term.name.replace(", us", ", µs");
    format!("{name} {} against {}", significant(term.predicted), significant(term.measured))
}

/// What was measured.
fn run(record: &Record) -> Vec<Fact> {
    let plan = &record.plan;
    let list = |counts: &[u32]| counts.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    let layouts: Vec<String> = plan.layouts.iter().map(ToString::to_string).collect();
    let mut facts = vec![
        fact("RocksDB", record.rocksdb.clone(), ""),
        fact(
            "Data",
            format!(
                "{}, keys of {} bytes, values of {}",
                bytes(plan.data.bytes() as u64),
                plan.data.key_bytes,
                plan.data.value_bytes
            ),
            "",
        ),
        fact("Layouts", layouts.join(", "), ""),
        fact("Compaction threads", list(&plan.jobs), ""),
        fact("Clients", list(&plan.clients), ""),
        fact("Repeats", plan.repeats.to_string(), ""),
        fact(
            "Time of queries",
            format!("{} s per cell and repeat, after as long a warm-up", plan.seconds),
            "",
        ),
    ];
    if let Some(first) = record.layouts.first() {
        facts.push(fact("Files", format!("{} each", bytes(first.layout.file_bytes)), ""));
    }
    if let Some(files) = record.files {
        facts.push(fact("Sync of a file", micros(files.sync_us), ""));
        let [alone, .., many] = files.file_us;
        let times = format!("{}; {} each by 16 threads at a time", micros(alone), micros(many));
        facts.push(fact("Making, syncing and removing a file", times, ""));
    }
    let profiles = record.devices.len() as u32;
    if profiles > 0 {
        facts.push(fact("Device measured", counted(profiles, "time"), ""));
    }
    facts.push(fact("Leadline", record.leadline.clone(), ""));
    facts
}
