//! Predictions next to measurements: errors, the order of pairs, which term is off, which layout is
//! chosen.

use super::comparison::{Choice, ComparedCell, Comparison, Errors, Kind, Order, Term};
use super::plan::SCAN_PAIRS;
use super::read::Query;
use super::record::{LayoutCell, Record};
use super::scale::LayoutName;
use super::summary::Summary;
use crate::{
    Demands, DeviceCosts, Estimate, Machine, Mix, Operation, Prediction, QueryPrediction, predict_loaded,
};

/// Terms further from what was measured than this are named as off.
const OFF: f64 = 0.15;

/// Mixes for which the choice is looked at: reads, scans, writes, one of both, and mixgraph's.
const MIXES: [&str; 5] = ["point=100", "scan=100", "insert=100", "point=60,scan=10,insert=30", Mix::MIXGRAPH];

impl Comparison {
    /// Predicts every cell of a record from its profiles and processor costs alone, and compares.
    pub fn of(record: &Record, device: &DeviceCosts, cores: u32) -> Self {
        let machine = Machine { device, processor: &record.processor, cores };
        let mut cells = Vec::new();
        for layout in &record.layouts {
            cells.extend(layout_cells(record, layout, &machine));
        }
        let of_kind = |kind| cells.iter().filter(move |cell: &&ComparedCell| cell.kind == kind);
        let errors = Kind::ALL.into_iter().filter_map(|kind| errors(kind, of_kind(kind))).collect();
        let orders =
            Kind::ALL.into_iter().map(|kind| order(kind, &of_kind(kind).collect::<Vec<_>>())).collect();
        let choices = MIXES.iter().filter_map(|mix| choice(record, &cells, mix)).collect();
        Comparison { cells, errors, orders, choices }
    }
}

/// The cells of one layout with one number of compaction threads.
fn layout_cells(record: &Record, cell: &LayoutCell, machine: &Machine) -> Vec<ComparedCell> {
    // The mix does not matter to single queries, and the clients not to the fill.
    let mix = "point=100".parse().expect("a mix");
    let scan_pairs = f64::from(SCAN_PAIRS);
    let demands: Vec<Demands> =
        record.plan.clients.iter().map(|&clients| Demands { mix, clients, scan_pairs }).collect();
    let predicted = predict_loaded(&record.plan.data, &cell.layout, machine, &demands);
    let mut cells = Vec::new();
    cells.extend(predicted.first().and_then(|predicted| fill_cell(record, cell, predicted)));
    if cell.queried {
        for (&clients, predicted) in record.plan.clients.iter().zip(&predicted) {
            cells.extend(query_cell(record, cell, Query::Point, clients, &predicted.point));
            cells.extend(query_cell(record, cell, Query::Scan, clients, &predicted.scan));
        }
    }
    cells
}

fn fill_cell(record: &Record, cell: &LayoutCell, predicted: &Prediction) -> Option<ComparedCell> {
    let measured = record.fill(cell.name, cell.jobs, |fill| fill.fill_seconds)?;
    let median =
        |of: fn(&super::Fill) -> f64| record.fill(cell.name, cell.jobs, of).map_or(f64::NAN, |s| s.median);
    let load = &predicted.load;
    let term = |name: &str, predicted, measured| Term { name: name.to_owned(), predicted, measured };
    let terms = vec![
        term("write amplification", load.write_amplification.value, median(|fill| fill.write_amplification)),
        term("compactions at a time", load.concurrency, median(|fill| fill.background.mean_subcompactions)),
        term("processor, s", load.processor_seconds, median(|fill| fill.processor_seconds)),
        term("inserting, s", load.insert_seconds, median(|fill| fill.insert_seconds)),
    ];
    Some(compared(Kind::Fill, cell, None, load.seconds, measured, terms))
}

fn query_cell(
    record: &Record,
    cell: &LayoutCell,
    query: Query,
    clients: u32,
    predicted: &QueryPrediction,
) -> Option<ComparedCell> {
    let of = |of: fn(&super::Read) -> f64| record.query(cell.name, query, clients, of);
    let measured = of(|read| read.wall_us)?;
    let median = |of_read: fn(&super::Read) -> f64| of(of_read).map_or(f64::NAN, |s| s.median);
    let term = |name: &str, predicted, measured| Term { name: name.to_owned(), predicted, measured };
    let reads = median(|read| read.device_reads);
    let terms = vec![
        term("reads", predicted.requests, reads),
        term("KiB read", predicted.bytes / 1024.0, median(|read| read.device_bytes / 1024.0)),
        term("processor, us", predicted.processor_us, median(|read| read.processor_us)),
        term(
            "waiting per read, us",
            (predicted.us.value - predicted.processor_us).max(0.0) / predicted.requests.max(1e-9),
            median(|read| (read.wall_us - read.processor_us).max(0.0) / read.device_reads.max(1e-9)),
        ),
    ];
    let kind = if query == Query::Point { Kind::Point } else { Kind::Scan };
    Some(compared(kind, cell, Some(clients), predicted.us, measured, terms))
}

fn compared(
    kind: Kind,
    cell: &LayoutCell,
    clients: Option<u32>,
    predicted: Estimate,
    measured: Summary,
    terms: Vec<Term>,
) -> ComparedCell {
    let off = terms.iter().filter(|term| term.error().abs() > OFF).map(|term| term.name.clone()).collect();
    ComparedCell {
        kind,
        layout: cell.name,
        jobs: cell.jobs,
        clients,
        predicted,
        measured,
        error: predicted.value / measured.median - 1.0,
        terms,
        off,
    }
}

fn errors<'a>(kind: Kind, cells: impl Iterator<Item = &'a ComparedCell>) -> Option<Errors> {
    let errors: Vec<f64> = cells.map(|cell| cell.error.abs()).collect();
    let median = Summary::of(errors.iter().copied())?.median;
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    Some(Errors { kind, median, mean, largest: errors.into_iter().fold(0.0, f64::max) })
}

/// Every pair of cells whose intervals are apart. Queries are compared by their rate: the time of one of many
/// clients' queries says how many there are before it says anything else.
fn order(kind: Kind, cells: &[&ComparedCell]) -> Order {
    let share = |cell: &ComparedCell| 1.0 / f64::from(cell.clients.unwrap_or(1));
    let (mut pairs, mut right) = (0, 0);
    for (i, a) in cells.iter().enumerate() {
        for b in &cells[i + 1..] {
            let (Some(of_a), Some(of_b)) = (a.measured.interval, b.measured.interval) else { continue };
            let (x, y) = (share(a), share(b));
            let below = of_a[1] * x < of_b[0] * y;
            let above = of_b[1] * y < of_a[0] * x;
            if below || above {
                pairs += 1;
                right += usize::from((a.predicted.value * x < b.predicted.value * y) == below);
            }
        }
    }
    Order { kind, pairs, right }
}

/// The best layout for a mix by predictions and by measurements. An operation takes the time of its query
/// by the most clients, over their number; a write takes its share of the fill.
fn choice(record: &Record, cells: &[ComparedCell], mix: &str) -> Option<Choice> {
    let shares: Mix = mix.parse().ok()?;
    let clients = *record.plan.clients.iter().max()?;
    let of = |value: fn(&ComparedCell) -> f64, layout: LayoutName, jobs: u32| -> Option<f64> {
        let find = |kind, clients| {
            let found = cells.iter().find(|cell| {
                (cell.kind, cell.layout, cell.clients) == (kind, layout, clients)
                    && (kind != Kind::Fill || cell.jobs == jobs)
            });
            found.map(value)
        };
        let query = |kind| Some(find(kind, Some(clients))? / f64::from(clients));
        let insert = find(Kind::Fill, None)? * 1e6 / record.plan.data.pairs;
        let points = shares.share(Operation::Point) + shares.share(Operation::Absent);
        Some(
            points * query(Kind::Point)?
                + shares.share(Operation::Scan) * query(Kind::Scan)?
                + shares.writes() * insert,
        )
    };
    let best = |value: fn(&ComparedCell) -> f64| {
        let layouts = record.layouts.iter();
        let times =
            layouts.filter_map(|cell| Some(((cell.name, cell.jobs), of(value, cell.name, cell.jobs)?)));
        times.min_by(|a, b| a.1.total_cmp(&b.1))
    };
    let measured: fn(&ComparedCell) -> f64 = |cell| cell.measured.median;
    let (predicted, _) = best(|cell| cell.predicted.value)?;
    let (best, least) = best(measured)?;
    let regret = of(measured, predicted.0, predicted.1)? / least - 1.0;
    Some(Choice { mix: mix.to_owned(), clients, predicted, measured: best, regret })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(
        kind: Kind,
        fanout: u32,
        clients: Option<u32>,
        predicted: f64,
        measured: [f64; 3],
    ) -> ComparedCell {
        let [low, median, high] = measured;
        ComparedCell {
            kind,
            layout: LayoutName::Fanout(fanout),
            jobs: 4,
            clients,
            predicted: Estimate { value: predicted, ci: [predicted; 2] },
            measured: Summary { repeats: 3, median, interval: Some([low, high]) },
            error: predicted / median - 1.0,
            terms: Vec::new(),
            off: Vec::new(),
        }
    }

    #[test]
    fn only_pairs_whose_intervals_are_apart_count_and_only_those_in_order_are_right() {
        let cells = [
            cell(Kind::Fill, 2, None, 10.0, [9.0, 10.0, 11.0]),
            cell(Kind::Fill, 4, None, 20.0, [19.0, 20.0, 21.0]),
            // Overlaps with the second, and is predicted below the first although it is above it.
            cell(Kind::Fill, 8, None, 5.0, [20.5, 22.0, 23.0]),
        ];
        let order = order(Kind::Fill, &cells.iter().collect::<Vec<_>>());
        assert_eq!((order.pairs, order.right), (2, 1));
    }

    #[test]
    fn queries_are_compared_by_their_rate() {
        // 100 us with one client is slower than 400 us with sixteen.
        let cells = [
            cell(Kind::Point, 4, Some(1), 100.0, [95.0, 100.0, 105.0]),
            cell(Kind::Point, 4, Some(16), 400.0, [390.0, 400.0, 410.0]),
        ];
        let order = order(Kind::Point, &cells.iter().collect::<Vec<_>>());
        assert_eq!((order.pairs, order.right), (1, 1));
    }

    #[test]
    fn errors_are_absolute_and_relative() {
        let cells = [
            cell(Kind::Scan, 2, Some(1), 90.0, [99.0, 100.0, 101.0]),
            cell(Kind::Scan, 4, Some(1), 130.0, [99.0, 100.0, 101.0]),
        ];
        let found = errors(Kind::Scan, cells.iter()).unwrap();
        assert!((found.median - 0.2).abs() < 1e-9 && (found.largest - 0.3).abs() < 1e-9, "{found:?}");
        assert_eq!(errors(Kind::Point, [].iter()), None);
    }
}
