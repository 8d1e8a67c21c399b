//! The page of an advice on the layout of an LSM tree.

use leadline_figures::chart::{Key, Panel, Series, Symbol, round};
use leadline_figures::number::bytes;
use leadline_figures::{Axis, Block, Chart, Colour, Page, Row, Table};

use super::advice::{COLUMNS, MEANINGS, decided, difference, is_chosen, loads, reasons, row, searched, tied};
use super::question::Question;
use super::words;
use crate::options::OptionsFile;
use crate::{Advice, Candidate, Operation, Wanted};

/// A page of an advice: the layouts of the front, the chosen one with its OPTIONS file, and its neighbours.
pub fn advice_page(advice: &Advice, wanted: &Wanted, asked: &Question, options: &OptionsFile) -> Page {
    let title = format!("A layout for {}: {}", bytes(asked.data.bytes() as u64), asked.demands.mix);
    let mut page = Page {
        brand: "leadline lsm advise",
        title: title.clone(),
        heading: title,
        sub: asked.words().to_vec(),
        ..Page::default()
    };
    page.section("", asked.warnings.iter().map(Block::quiet).collect());
    page.section("means", chosen(advice, asked));
    page.section("charts", front(advice, wanted, asked));
    if !advice.neighbours.is_empty() {
        page.section("neighbours", neighbours(advice));
    }
    let notes = format!(
        "Processor: {}. What is searched, and what predictions are made from: leadline docs lsm-advise.",
        asked.processor
    );
    page.section(
        "options",
        vec![
            Block::heading("OPTIONS file"),
            Block::hint(format!("For RocksDB {} and later.", options.release())),
            Block::Text { text: options.to_string() },
            Block::quiet(notes),
        ],
    );
    page
}

fn chosen(advice: &Advice, asked: &Question) -> Vec<Block> {
    let mut sentences =
        vec![words::layout(&advice.chosen.prediction.layout), format!("{}.", decided(advice))];
    sentences.extend(reasons(&advice.chosen, asked));
    let mut blocks = vec![Block::heading("The chosen layout"), Block::Sentences { sentences, small: true }];
    let items: Vec<String> = advice.tied.iter().skip(1).map(|other| tied(advice, other)).collect();
    if !items.is_empty() {
        let summary = format!("All {} layouts that are tied with it", items.len());
        blocks.push(Block::Details { summary, items });
    }
    blocks
}

fn front(advice: &Advice, wanted: &Wanted, asked: &Question) -> Vec<Block> {
    let queries = reads(asked);
    let of = if queries { "Time of a query" } else { "Bytes written" };
    let mut table = Table::new(COLUMNS);
    table.rows = advice.front.iter().map(|other| of_cells(row(other), is_chosen(advice, other))).collect();
    vec![
        Block::heading("The front"),
        Block::Charts { choices: false },
        Block::chart(
            format!("{of} against inserts"),
            "The larger a point, the more bytes are written per byte inserted. The upper left is best. Both axes \
             logarithmic. Hollow: one step away from the chosen layout.",
            chart(advice, queries),
        ),
        Block::Zoom,
        Block::Lead { words: "Layouts of the front".to_owned() },
        Block::quiet(format!("{}. Columns: {MEANINGS}. {}.", searched(advice, wanted), loads(advice))),
        Block::table(table),
    ]
}

fn neighbours(advice: &Advice) -> Vec<Block> {
    let mut table = Table::new(["change", "against the chosen"].into_iter().chain(COLUMNS));
    for other in &advice.neighbours {
        let first = [other.change.clone(), difference(&advice.chosen, &other.candidate)];
        table.row(first.into_iter().chain(row(&other.candidate)));
    }
    let hint = "Differences from the chosen layout, and their effect in operations of the mix per second.";
    vec![Block::heading("One step away"), Block::hint(hint), Block::table(table)]
}

fn of_cells(cells: [String; 12], marked: bool) -> Row {
    Row { cells: cells.to_vec(), marked }
}

/// Whether the mix has queries at all.
fn reads(asked: &Question) -> bool {
    let reads = [Operation::Point, Operation::Absent, Operation::Scan];
    reads.into_iter().any(|operation| asked.demands.mix.share(operation) > 0.0)
}

/// Time of a query, or bytes written, against inserts per second.
fn chart(advice: &Advice, queries: bool) -> Chart {
    let neighbours = advice.neighbours.iter();
    let neighbours = || neighbours.clone().map(|other| (other.change.clone(), &other.candidate));
    let front = advice.front.iter();
    let front = || front.clone().map(|other| (words::layout(&other.prediction.layout), other));
    let all = neighbours().chain(front()).map(|(_, other)| round(other.prediction.write_amplification.value));
    let most = all.fold(1e-9, f64::max);
    let row = |(name, other): (String, &Candidate)| {
        let found = &other.prediction;
        let written = round(found.write_amplification.value);
        let across = if queries { round(other.read_us) } else { written };
        // Areas are as the bytes written per byte inserted.
        let diameter = (34.0 * (written / most).sqrt()).max(6.0);
        let space = round(found.space_amplification.value);
        let rates = [found.insert_per_s, found.mix.per_second].map(|rate| round(rate.value));
        (across, rates[0], diameter, name, written, space, rates[1])
    };
    let query = if queries { "query {0|micros}, " } else { "" };
    let said = format!(
        "\n{query}{{1|count}} inserts/s\n{{4|significant}} bytes written per byte inserted, {{5|significant}} bytes \
         of space per byte\nmix: {{6|count}} operations/s"
    );
    let series = |label: &str, colour, shape, rows: Vec<(String, &Candidate)>| Series {
        symbol: Some(Symbol { shape, size_of: Some(2), opacity: 0.8, ..Symbol::default() }),
        title: "{3}".to_owned(),
        words: if label == "chosen" { "chosen".to_owned() } else { String::new() },
        strong: true,
        ..Series::line(label, Colour::Named(colour), 0.0, rows.into_iter().map(row)).tip(&*said).in_legend()
    };
    let (chosen, others) = front().partition(|(_, other)| is_chosen(advice, other));
    let series = vec![
        series("one step away", "soft", "ring", neighbours().collect()),
        series("the front", "p0", "circle", others),
        series("chosen", "p4", "circle", chosen),
    ];
    let drawn = series.iter().rev().filter(|one| !one.rows.is_empty());
    let key = |one: &Series| Key { label: one.label.clone(), colour: one.colour, ..Key::default() };
    let legend = drawn.map(key).collect();
    // Room for large points at the edges.
    let wide = |axis: Axis| Axis { grid: true, pad: [0.06, 0.06], ..axis };
    let time = if queries { "time of a query of the mix" } else { "bytes written per byte inserted" };
    let panel = Panel {
        x: wide(Axis::decades(if queries { "micros" } else { "count" }).named(time, 24)),
        y: wide(Axis::decades("count").named("inserts/s", 44)),
        series,
        legends: vec![legend],
        nothing: "Nothing is chosen.".to_owned(),
        ..Panel::default()
    };
    Chart::new("a-front", panel)
}
