//! What one layout costs, for a terminal.

use leadline_figures::number::{bytes, count, micros, percent, range, seconds, significant};
use leadline_figures::{Table, Text};

use super::question::Question;
use super::words;
use crate::{Estimate, Operation, Prediction};

/// What a layout costs, for a terminal.
pub fn prediction_text(found: &Prediction, asked: &Question) -> Text {
    let mut text = Text::new();
    text.say_all(asked.words());
    text.say(words::layout(&found.layout));
    text.table(levels(found));
    text.table(numbers(found, asked));
    text.say(format!(
        "After numbers 95 % intervals: of the device's costs, and at full size of the {} simulated loads \
         (standard error {})",
        found.fills,
        percent(found.fill_error)
    ));
    text.say(format!("Point query: {}", words::query(&found.point)));
    text.say(format!("Absent key: {}", words::query(&found.absent)));
    text.say(format!("Scan: {}", words::query(&found.scan)));
    text.say(format!("Inserts at full size: {}", words::inserts(found)));
    if asked.has_mix {
        text.say(format!("Mix: {}", words::mix(&found.mix, asked)));
    }
    text.say(format!("Processor: {}", asked.processor));
    text
}

fn levels(found: &Prediction) -> Table {
    let levels = &found.load.levels;
    let last = levels.iter().rposition(|(files, _)| *files > 0).map_or(1, |last| last + 1);
    let mut table = Table::new(["level", "files", "size"]);
    for (level, (files, size)) in levels.iter().take(last).enumerate() {
        table.row([level.to_string(), files.to_string(), bytes(*size as u64)]);
    }
    table
}

fn numbers(found: &Prediction, asked: &Question) -> Table {
    let interval = |estimate: Estimate, show: fn(f64) -> String| format!("({})", range(estimate.ci, show));
    let mut table = Table::new(["", "time", "", "operations/s"]).words(2);
    for (name, query) in [("point query", &found.point), ("absent key", &found.absent), ("scan", &found.scan)]
    {
        let rate = count(query.per_second);
        table.row([name.to_owned(), micros(query.us.value), interval(query.us, micros), rate]);
    }
    let mut line = |name: &str, value: String, interval: String| {
        table.row([name.to_owned(), value, interval, String::new()]);
    };
    let load = &found.load;
    line(
        "inserts at full size, pairs/s",
        count(found.insert_per_s.value),
        interval(found.insert_per_s, count),
    );
    line("fill, with all compactions", seconds(load.seconds.value), interval(load.seconds, seconds));
    line("  inserts stopped or slowed down", seconds(load.stalled_seconds), String::new());
    line("  compactions at a time", significant(load.concurrency), String::new());
    for (name, estimate) in [
        ("  written per byte inserted", load.write_amplification),
        ("written per byte at full size", found.write_amplification),
        ("space per byte of distinct pairs", found.space_amplification),
    ] {
        line(name, significant(estimate.value), interval(estimate, significant));
    }
    line("read per byte of a point query", significant(read_amplification(found, asked)), String::new());
    if asked.has_mix {
        let mix = &found.mix;
        line("mix, operations/s", count(mix.per_second.value), interval(mix.per_second, count));
        if asked.demands.mix.share(Operation::Point) > 0.0 {
            line("  point query within it", micros(mix.point_us), String::new());
            line("  its 99th percentile, about", micros(mix.point_p99_us), String::new());
        }
    }
    table
}

/// Bytes read from the device per byte of the pair that a query finds.
pub(super) fn read_amplification(found: &Prediction, asked: &Question) -> f64 {
    found.point.bytes / asked.data.pair_bytes()
}
