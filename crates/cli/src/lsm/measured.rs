//! A validation's results as tables.

use super::compared;
use leadline_figures::{Table, Text};
use leadline_lsm::ProcessorCosts;
use leadline_lsm::figures::processor_costs;
use leadline_lsm::validate::{Fill, LayoutCell, Query, Read, Record, Summary};

/// All that was measured: medians, and 95 % intervals where there are repeats.
pub(super) fn text(record: &Record) -> Text {
    let mut text = Text::new();
    text.say(format!(
        "RocksDB {}, {:.0} pairs of {:.0} bytes, {} repeats; medians with 95 % intervals",
        record.rocksdb,
        record.plan.data.pairs,
        record.plan.data.pair_bytes(),
        record.plan.repeats
    ));
    text.gap();
    text.table(fills(record));
    for operation in Query::ALL {
        text.gap();
        text.table(queries(record, operation));
    }
    text.gap();
    text.say("processor time, us");
    text.table(processor(&record.processor));
    if let Some(comparison) = &record.comparison {
        text.gap();
        compared::add(&mut text, comparison);
    }
    text
}

fn fills(record: &Record) -> Table {
    let names = ["fill", "threads", "seconds", "", "write ampl.", "compactions at a time", "stalled s"];
    let row = |LayoutCell { name, jobs, .. }: &LayoutCell| {
        let of = |of: fn(&Fill) -> f64| record.fill(*name, *jobs, of);
        let seconds = of(|fill| fill.fill_seconds);
        [
            name.to_string(),
            jobs.to_string(),
            median(seconds, 1),
            interval(seconds, 1),
            median(of(|fill| fill.write_amplification), 2),
            median(of(|fill| fill.background.mean_compactions), 2),
            median(of(|fill| fill.stall_seconds), 1),
        ]
    };
    Table::new(names).keys(2).words(3).rows(record.layouts.iter().map(row))
}

fn queries(record: &Record, operation: Query) -> Table {
    let names = [operation.words(), "clients", "us", "", "processor us", "blocks read", "KiB read"];
    let mut table = Table::new(names).keys(2).words(3);
    for LayoutCell { name, .. } in record.layouts.iter().filter(|cell| cell.queried) {
        for &clients in &record.plan.clients {
            let of = |of: fn(&Read) -> f64| record.query(*name, operation, clients, of);
            let us = of(|read| read.wall_us);
            table.row([
                name.to_string(),
                clients.to_string(),
                median(us, 1),
                interval(us, 1),
                median(of(|read| read.processor_us), 1),
                median(of(|read| read.cache_misses), 2),
                median(of(|read| read.device_bytes / 1024.0), 1),
            ]);
        }
    }
    table
}

fn processor(costs: &ProcessorCosts) -> Table {
    let row = |(name, us): (&'static str, f64)| [name.to_owned(), format!("{us:.2}")];
    Table::named("", [""]).rows(processor_costs(costs).into_iter().map(row))
}

fn median(summary: Option<Summary>, digits: usize) -> String {
    summary.map_or_else(|| "-".to_owned(), |summary| format!("{:.digits$}", summary.median))
}

fn interval(summary: Option<Summary>, digits: usize) -> String {
    summary
        .and_then(|summary| summary.interval)
        .map_or_else(String::new, |[low, high]| format!("({low:.digits$} to {high:.digits$})"))
}
