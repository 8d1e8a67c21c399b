//! The page of a validation: figures 5 and 6 of "The Multi-Queue SSD model" on the user's device, and every
//! prediction next to the measurement.

use leadline_figures::number::{bytes, count, counted, known, micros, seconds, significant, with_interval};
use leadline_figures::{Block, Page, Section, Table};

use super::cells::{Cell, cells};
use super::comparison::{comparison_sentences, percent};
use super::processor_costs;
use super::validation_charts::{against_flash, over_fanouts, ratios, scatter, several_clients};
use crate::validate::{ComparedCell, Comparison, Kind, LayoutName, Record, SCAN_PAIRS, Term};

/// A page of a validation, with predictions where it has them.
pub fn validation_page(record: &Record) -> Page {
    let cells = cells(record);
    let machine = &record.machine;
    let device = machine.model.as_ref().unwrap_or(&machine.name);
    let data = &record.plan.data;
    let sub = format!(
        "{} in {} pairs of {} bytes · {} · {}",
        bytes(data.bytes() as u64),
        count(data.pairs),
        data.pair_bytes(),
        counted(record.plan.repeats.into(), "repeat"),
        record.measured_at
    );
    let title = format!("RocksDB {} on {device}", record.rocksdb);
    let mut page = Page {
        brand: "leadline lsm validate",
        title: title.clone(),
        heading: title,
        sub: vec![sub],
        ..Page::default()
    };
    page.section("", notes(record));
    if let Some(comparison) = &record.comparison {
        let sentences = comparison_sentences(comparison);
        let sentences = Block::Sentences { sentences, small: true };
        page.section("means", vec![tiles(comparison), Block::heading("What it says"), sentences]);
    }
    page.section("charts", charts(&cells));
    page.sections.extend(flash(record, &cells));
    page.section("cells", table(&cells));
    page.section("measured", measured(record));
    page
}

/// What makes the numbers worth less.
fn notes(record: &Record) -> Vec<Block> {
    let mut notes = Vec::new();
    if record.comparison.is_none() {
        notes.push("The device was not measured together with RocksDB, so there are no predictions.");
    }
    if record.plan.repeats == 1 {
        notes.push("Measured once: the measured numbers have no intervals.");
    }
    notes.into_iter().map(Block::quiet).collect()
}

/// The median error of each kind of cells, and how many pairs are in the order that was predicted.
fn tiles(comparison: &Comparison) -> Block {
    let errors = comparison.errors.iter();
    let errors =
        errors.map(|errors| (percent(errors.median), format!("median error of {}", errors.kind.words())));
    let orders = comparison.orders.iter().filter(|order| order.pairs > 0).map(|order| {
        let right = format!("{} of {}", order.right, order.pairs);
        (right, format!("pairs of {} in the predicted order", order.kind.words()))
    });
    Block::tiles(errors.chain(orders))
}

fn charts(cells: &[Cell]) -> Vec<Block> {
    let any = |kind| cells.iter().any(|cell| cell.kind == kind);
    let queried = |name| cells.iter().any(|cell| cell.kind != Kind::Fill && cell.layout == name);
    let hint = "Points: measured, with 95 % intervals over the repeats. Lines and dashes: predicted. Layouts \
                without a fanout of their own stand to the right of the fanouts. All axes of time are logarithmic.";
    let mut blocks =
        vec![Block::heading("Charts"), Block::Charts { choices: several_clients(cells) }, Block::hint(hint)];
    let mut queries = Vec::new();
    for (kind, title) in [
        (Kind::Point, "Point queries over the fanout".to_owned()),
        (Kind::Scan, format!("Scans of {SCAN_PAIRS} pairs over the fanout")),
    ] {
        if any(kind) {
            queries.push(Block::chart(title, "One line per number of clients.", over_fanouts(cells, kind)));
        }
    }
    blocks.push(Block::pair(queries));
    if any(Kind::Fill) {
        let hint = "From the first insert to the end of the last compaction. One line per number of compaction \
                    threads.";
        blocks.push(Block::chart("Fills over the fanout", hint, over_fanouts(cells, Kind::Fill)));
    }
    if queried(LayoutName::Single) && queried(LayoutName::Flash) {
        let hint = "At the points: how many times as long the layout for flash takes, measured (predicted).";
        let chart = |kind, words: &str| {
            let title = format!("Single level against flash: {words}");
            Block::chart(title, hint, against_flash(cells, kind))
        };
        blocks.push(Block::pair(vec![chart(Kind::Point, "point queries"), chart(Kind::Scan, "scans")]));
    }
    if cells.iter().any(|cell| cell.compared.is_some()) {
        let hint = "Each cell of the grid. Solid: where both are equal. Dashed: 15 % more and less.";
        blocks.push(Block::chart("Predicted against measured", hint, scatter(cells)));
    }
    blocks.push(Block::Zoom);
    blocks
}

/// The single level against the layout for flash; nothing where not both were measured.
fn flash(record: &Record, cells: &[Cell]) -> Option<Section> {
    let columns = ["Clients", "Point queries, measured", "predicted", "Scans, measured", "predicted"];
    let mut table = Table::new(columns);
    for &clients in &record.plan.clients {
        let ratios = ratios(cells, clients);
        if ratios.iter().any(Option::is_some) {
            table.row(std::iter::once(clients.to_string()).chain(ratios.map(known)));
        }
    }
    let hint = "Time of a query with the layout for flash over its time with a single level.";
    (!table.rows.is_empty()).then(|| Section {
        id: "flash",
        blocks: vec![
            Block::heading("Single level against the layout for flash"),
            Block::hint(hint),
            Block::table(table),
        ],
    })
}

fn table(cells: &[Cell]) -> Vec<Block> {
    let columns = ["Cells", "Layout", "Threads", "Clients", "Measured", "Predicted", "Error", "Off"];
    let table = Table::new(columns).words(1).words(7).rows(cells.iter().map(row));
    let hint = "Medians of the repeats; in parentheses 95 % intervals. Times of queries are the times of one client's \
                query. The error is predicted over measured, less 1. Off: what a prediction is made of, where it is \
                off by more than 15 %, predicted against measured.";
    vec![Block::heading("All cells"), Block::hint(hint), Block::Table { table, tall: true }]
}

fn row(cell: &Cell) -> [String; 8] {
    let show = if cell.kind == Kind::Fill { seconds } else { micros };
    let off = |c: &ComparedCell| -> String {
        let off = c.terms.iter().filter(|term| c.off.contains(&term.name)).map(term);
        off.collect::<Vec<_>>().join("; ")
    };
    [
        cell.kind.words().to_owned(),
        cell.layout.to_string(),
        cell.jobs.to_string(),
        known(cell.clients.map(|clients| clients.to_string())),
        with_interval(cell.measured.median, cell.measured.interval, show),
        known(cell.compared.map(|c| with_interval(c.predicted.value, Some(c.predicted.ci), show))),
        known(cell.compared.map(|c| format!("{:+.1} %", 100.0 * c.error))),
        cell.compared.map(off).unwrap_or_default(),
    ]
}

/// `reads 3.10 against 2.30`.
fn term(term: &Term) -> String {
    let name = term.name.replace(", us", ", µs");
    format!("{name} {} against {}", significant(term.predicted), significant(term.measured))
}

/// What was measured on what, and what RocksDB costs the processor.
fn measured(record: &Record) -> Vec<Block> {
    let named = |facts: Vec<(&'static str, String)>| {
        facts.into_iter().map(|(name, value)| [name.to_owned(), value]).collect()
    };
    let groups = vec![
        ("RocksDB".to_owned(), named(run(record))),
        ("Device and machine".to_owned(), named(record.machine.named())),
    ];
    let costs = processor_costs(&record.processor).map(|(name, us)| [name.to_owned(), format!("{us:.2} µs")]);
    vec![
        Block::heading("What was measured on what"),
        Block::Facts { groups },
        Block::heading("Processor time of RocksDB"),
        Block::hint("Of one core, measured on databases of other shapes."),
        Block::table(Table::new(["Work", "Time"]).rows(costs)),
        Block::quiet("Procedure and comparison: leadline docs lsm-validate."),
    ]
}

fn run(record: &Record) -> Vec<(&'static str, String)> {
    let plan = &record.plan;
    let list = |counts: &[u32]| counts.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    let layouts: Vec<String> = plan.layouts.iter().map(ToString::to_string).collect();
    let (key, value) = (plan.data.key_bytes, plan.data.value_bytes);
    let data = bytes(plan.data.bytes() as u64);
    let mut facts = vec![
        ("RocksDB", record.rocksdb.clone()),
        ("Data", format!("{data}, keys of {key} bytes, values of {value}")),
        ("Layouts", layouts.join(", ")),
        ("Compaction threads", list(&plan.jobs)),
        ("Clients", list(&plan.clients)),
        ("Repeats", plan.repeats.to_string()),
        ("Time of queries", format!("{} s per cell and repeat, after as long a warm-up", plan.seconds)),
    ];
    if let Some(first) = record.layouts.first() {
        facts.push(("Files", format!("{} each", bytes(first.layout.file_bytes))));
    }
    if let Some(files) = record.files {
        facts.push(("Sync of a file", micros(files.sync_us)));
        let [alone, .., many] = files.file_us;
        let times = format!("{}; {} each by 16 threads at a time", micros(alone), micros(many));
        facts.push(("Making, syncing and removing a file", times));
    }
    let profiles = record.devices.len() as u64;
    if profiles > 0 {
        facts.push(("Device measured", counted(profiles, "time")));
    }
    facts.push(("Leadline", record.leadline.clone()));
    facts
}
