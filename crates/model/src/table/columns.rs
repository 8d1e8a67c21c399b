//! Which of the two layouts a header has, and what is wrong with it if it has neither.

use leadline_files::TextError;

use super::sheet::Sheet;
use super::shown::{LAYOUTS, quoted};

pub(super) const POINTS: [&str; 6] =
    ["op", "random_fraction", "concurrency", "block_bytes", "bytes", "seconds"];

pub(super) const COSTS: [&str; 5] = ["k", "s_us", "beta_us", "t_us", "alpha_us"];

/// Setup and transfer of writes, then of reads.
const PAIRS: [[&str; 2]; 2] = [["s_us", "beta_us"], ["t_us", "alpha_us"]];

pub(super) enum Layout {
    Points,
    Costs,
}

/// The layout that a header has more columns of; complete and without columns that look like a wrong unit.
pub(super) fn layout(sheet: &Sheet) -> Result<Layout, TextError> {
    let has = |name: &str| sheet.header.iter().any(|found| found == name);
    if let [only] = &sheet.header[..]
        && let Some(separator) = only.chars().find(|c| matches!(c, ';' | '\t' | '|'))
    {
        let reason = format!("columns are separated by {separator:?}; separate them by commas");
        return Err(sheet.header_error(reason));
    }
    let [points, costs] = [&POINTS[..], &COSTS].map(|names| names.iter().filter(|name| has(name)).count());
    let (layout, names) = if points == 0 && costs == 0 {
        return Err(sheet.header_error(format!("no column is known; {LAYOUTS}")));
    } else if points >= costs {
        (Layout::Points, &POINTS[..])
    } else {
        (Layout::Costs, &COSTS[..])
    };
    if let Some(name) =
        names.iter().find(|&name| sheet.header.iter().filter(|found| found == name).count() > 1)
    {
        return Err(sheet.header_error(format!("column {name} is there twice; leave one out")));
    }
    let (unknown, missing) = match layout {
        Layout::Points => (unknown_in_points(sheet), POINTS.into_iter().filter(|name| !has(name)).collect()),
        Layout::Costs => (unknown_in_costs(sheet), missing_in_costs(has)),
    };
    if let Some(reason) = unknown {
        return Err(sheet.header_error(reason));
    }
    if !missing.is_empty() {
        let columns = if missing.len() == 1 { "column" } else { "columns" };
        return Err(sheet.header_error(format!("missing {columns} {}; {LAYOUTS}", missing.join(", "))));
    }
    Ok(layout)
}

/// A table of points has no other columns: one that is not understood may well be the one that matters.
fn unknown_in_points(sheet: &Sheet) -> Option<String> {
    let unknown = sheet.header.iter().find(|found| !POINTS.contains(&found.as_str()))?;
    let words: Vec<&str> = unknown.split(|c: char| !c.is_alphanumeric()).collect();
    // From the most telling words to the least: block_size is not a total size, total_time is not a total.
    let meanings: [(&str, &[&str], &str); 6] = [
        ("block_bytes", &["block", "blocksize", "bs", "page"], "in bytes"),
        (
            "seconds",
            &[
                "s",
                "sec",
                "secs",
                "ms",
                "us",
                "ns",
                "msec",
                "usec",
                "time",
                "elapsed",
                "duration",
                "runtime",
                "latency",
                "lat",
                "wall",
                "microseconds",
                "milliseconds",
                "nanoseconds",
                "minutes",
            ],
            "in seconds",
        ),
        ("concurrency", &["k", "depth", "iodepth", "qd", "queue", "threads", "jobs", "inflight"], "requests"),
        ("random_fraction", &["random", "fraction", "r", "percent", "pct", "share"], "from 0 to 1"),
        ("bytes", &["size", "total", "b", "kb", "kib", "mb", "mib", "gb", "gib", "volume"], "in bytes"),
        ("op", &["rw", "kind", "type", "direction", "operation", "io"], "read or write"),
    ];
    let meant = meanings.iter().find(|(name, telling, _)| {
        !sheet.header.iter().any(|found| found == name) && words.iter().any(|word| telling.contains(word))
    });
    let unknown = quoted(unknown);
    Some(match meant {
        Some((name, _, unit)) => format!("unknown column {unknown}, did you mean {name} ({unit})?"),
        None => format!("unknown column {unknown}; leave it out: {LAYOUTS}"),
    })
}

/// Other columns are fine among costs (measures of fit, say), but not a cost in another unit: reads or writes
/// would be missing silently.
fn unknown_in_costs(sheet: &Sheet) -> Option<String> {
    sheet.header.iter().filter(|found| !COSTS.contains(&found.as_str())).find_map(|found| {
        let (stem, unit) = found.split_once('_').unwrap_or((found, ""));
        let is_unit = ["", "s", "ms", "ns", "sec", "seconds", "usec", "msec", "cycles"].contains(&unit);
        let meant =
            COSTS[1..].iter().find(|name| name.split_once('_').is_some_and(|(known, _)| known == stem))?;
        is_unit.then(|| format!("unknown column {}, did you mean {meant} (in microseconds)?", quoted(found)))
    })
}

fn missing_in_costs(has: impl Fn(&str) -> bool) -> Vec<&'static str> {
    let mut missing: Vec<&str> = if has("k") { Vec::new() } else { vec!["k"] };
    let begun: Vec<[&str; 2]> = PAIRS.into_iter().filter(|pair| pair.iter().any(|name| has(name))).collect();
    let needed = if begun.is_empty() { PAIRS.to_vec() } else { begun };
    missing.extend(needed.into_iter().flatten().filter(|name| !has(name)));
    missing
}
