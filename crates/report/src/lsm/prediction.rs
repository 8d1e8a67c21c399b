//! What one layout costs.

use leadline_lsm::{Estimate, Operation, Prediction};

use super::question::LsmQuestion;
use super::words;
use crate::format::{bytes, count, micros, percent, range, seconds, significant};
use crate::terminal::{finish, new_table, wrap};

/// For a terminal `width` columns wide. Ends with a newline.
pub fn render_lsm_prediction(found: &Prediction, asked: &LsmQuestion, width: usize) -> String {
    let mut lines = vec![asked.words(), wrap(&words::layout(&found.layout), width, "  ")];
    lines.push(levels(found, width));
    lines.push(numbers(found, asked, width));
    let mut say = |text: String| lines.push(wrap(&text, width, "  "));
    say(format!(
        "After numbers 95 % intervals: those of the device's costs, and at full size of the {} simulated loads \
         (standard error {})",
        found.fills,
        percent(found.fill_error)
    ));
    say(format!("Point query: {}", words::query(&found.point)));
    say(format!("Absent key: {}", words::query(&found.absent)));
    say(format!("Scan: {}", words::query(&found.scan)));
    say(format!("Inserts at full size: {}", words::inserts(found)));
    if asked.has_mix {
        say(format!("Mix: {}", words::mix(&found.mix, asked)));
    }
    say(format!("Processor: {}", asked.processor));
    lines.join("\n") + "\n"
}

fn levels(found: &Prediction, width: usize) -> String {
    let mut table = new_table(width);
    table.set_header(["level", "files", "size"]);
    let last = found.load.levels.iter().rposition(|(files, _)| *files > 0).map_or(1, |last| last + 1);
    for (level, (files, size)) in found.load.levels.iter().take(last).enumerate() {
        table.add_row([level.to_string(), files.to_string(), bytes(*size as u64)]);
    }
    finish(table, 0)
}

fn numbers(found: &Prediction, asked: &LsmQuestion, width: usize) -> String {
    let mut table = new_table(width);
    table.set_header(["", "time", "", "operations/s"]);
    let interval = |estimate: Estimate, show: fn(f64) -> String| format!("({})", range(estimate.ci, show));
    for (name, query) in [("point query", &found.point), ("absent key", &found.absent), ("scan", &found.scan)]
    {
        table.add_row([
            name.to_owned(),
            micros(query.us.value),
            interval(query.us, micros),
            count(query.per_second),
        ]);
    }
    let mut line = |name: &str, value: String, interval: String| {
        table.add_row([name.to_owned(), value, interval, String::new()]);
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
    finish(table, 2)
}

/// Bytes read from the device per byte of the pair that a query finds.
pub(super) fn read_amplification(found: &Prediction, asked: &LsmQuestion) -> f64 {
    found.point.bytes / asked.data.pair_bytes()
}
