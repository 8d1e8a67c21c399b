//! A validation's results as tables.

use std::fmt::Write as _;

use super::compared;
use leadline_lsm::ProcessorCosts;
use leadline_lsm::figures::processor_costs;
use leadline_lsm::validate::{Fill, LayoutCell, Query, Read, Record, Summary};

/// All that was measured: medians, and 95 % intervals where there are repeats.
pub(super) fn tables(record: &Record) -> String {
    let mut text = format!(
        "RocksDB {}, {:.0} pairs of {:.0} bytes, {} repeats; medians with 95 % intervals\n\n",
        record.rocksdb,
        record.plan.data.pairs,
        record.plan.data.pair_bytes(),
        record.plan.repeats
    );
    fills(&mut text, record);
    for operation in Query::ALL {
        queries(&mut text, record, operation);
    }
    processor(&mut text, &record.processor);
    if let Some(comparison) = &record.comparison {
        text.push('\n');
        text += &compared::tables(comparison);
    }
    text
}

fn fills(text: &mut String, record: &Record) {
    line(text, ["fill", "threads", "seconds", "", "write ampl.", "compactions at a time", "stalled s"]);
    for LayoutCell { name, jobs, .. } in &record.layouts {
        let of = |of: fn(&Fill) -> f64| record.fill(*name, *jobs, of);
        let seconds = of(|fill| fill.fill_seconds);
        line(
            text,
            [
                &name.to_string(),
                &jobs.to_string(),
                &median(seconds, 1),
                &interval(seconds, 1),
                &median(of(|fill| fill.write_amplification), 2),
                &median(of(|fill| fill.background.mean_compactions), 2),
                &median(of(|fill| fill.stall_seconds), 1),
            ],
        );
    }
    text.push('\n');
}

fn queries(text: &mut String, record: &Record, operation: Query) {
    let cpu = "processor us";
    line(text, [operation.words(), "clients", "us", "", cpu, "blocks read", "KiB read"]);
    for LayoutCell { name, .. } in record.layouts.iter().filter(|cell| cell.queried) {
        for &clients in &record.plan.clients {
            let of = |of: fn(&Read) -> f64| record.query(*name, operation, clients, of);
            let us = of(|read| read.wall_us);
            line(
                text,
                [
                    &name.to_string(),
                    &clients.to_string(),
                    &median(us, 1),
                    &interval(us, 1),
                    &median(of(|read| read.processor_us), 1),
                    &median(of(|read| read.cache_misses), 2),
                    &median(of(|read| read.device_bytes / 1024.0), 1),
                ],
            );
        }
    }
    text.push('\n');
}

fn processor(text: &mut String, costs: &ProcessorCosts) {
    text.push_str("processor time, us\n");
    for (name, us) in processor_costs(costs) {
        let _ = writeln!(text, "  {name:<36}{us:>10.2}");
    }
}

/// One row: a name, and numbers to the right of their columns.
fn line(text: &mut String, cells: [&str; 7]) {
    let [name, count, value, interval, rest @ ..] = cells;
    let [a, b, c] = rest;
    let _ = writeln!(text, "{name:<14}{count:>8}{value:>10} {interval:<20}{a:>14}{b:>23}{c:>11}");
}

fn median(summary: Option<Summary>, digits: usize) -> String {
    summary.map_or_else(|| "-".to_owned(), |summary| format!("{:.digits$}", summary.median))
}

fn interval(summary: Option<Summary>, digits: usize) -> String {
    summary
        .and_then(|summary| summary.interval)
        .map_or_else(String::new, |[low, high]| format!("({low:.digits$} to {high:.digits$})"))
}
