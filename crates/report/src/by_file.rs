//! What a trace asked of each of its files, in words: for the terminal and the page alike.

use leadline_trace::by_file::{ByFile, Class, Usage};

use crate::format::{block, bytes, micros, seconds};
use crate::format::{exact, share};
use crate::trace::Row;

/// The heads of [`cells`].
pub(crate) const COLUMNS: [&str; 10] =
    ["file", "requests", "read", "random", "written", "random", "footprint", "rate", "I/O time", "class"];

/// What `columns` are for someone who cannot see them: the page's heads.
pub(crate) const LONG_COLUMNS: [&str; 10] = [
    "File",
    "Requests",
    "Read",
    "of it at random",
    "Written",
    "of it at random",
    "Footprint",
    "Accesses per page",
    "I/O time",
    "Class",
];

/// A line of the table: a name and its numbers.
pub(crate) fn cells(name: &str, usage: &Usage) -> [String; 10] {
    let shown = |of: Option<f64>| of.map_or("–".to_owned(), share);
    let amount = |amount: u64| if amount == 0 { "–".to_owned() } else { bytes(amount) };
    [
        name.to_owned(),
        exact(usage.requests as f64),
        amount(usage.read_bytes),
        shown(usage.random_read_share),
        amount(usage.written_bytes),
        shown(usage.random_write_share),
        bytes(usage.footprint_bytes),
        usage.repeat_access_rate.map_or("–".to_owned(), |rate| format!("{rate:.2}")),
        usage.io_seconds.map_or("–".to_owned(), time),
        usage.class.map_or("–", Class::name).to_owned(),
    ]
}

/// What there is to say of all files together, in order.
pub(crate) fn rows(found: &ByFile) -> Vec<Row> {
    let all = &found.all;
    let row = |name, value: String| Row { name, value };
    let mut rows = vec![row("files", exact(found.files.len() as f64))];
    let (reads, writes) = (exact(all.reads as f64), exact(all.writes as f64));
    let syncs = match all.syncs {
        0 => String::new(),
        syncs => format!(", {} syncs", exact(syncs as f64)),
    };
    rows.push(row("requests", format!("{reads} reads, {writes} writes{syncs}")));
    rows.push(row("moved", format!("{} read, {} written", bytes(all.read_bytes), bytes(all.written_bytes))));
    let sides = [
        ("reads", all.sequential_read_share, all.random_read_share),
        ("writes", all.sequential_write_share, all.random_write_share),
    ];
    for (name, sequential, random) in sides {
        if let (Some(sequential), Some(random)) = (sequential, random) {
            let of = format!("{} sequential, {} random", share(sequential), share(random));
            rows.push(row(name, format!("{of}, in pages of {}", block(found.page_bytes))));
        }
    }
    let about = if found.exact { "" } else { "about " };
    let pages = exact(all.distinct_pages as f64);
    rows.push(row("footprint", format!("{about}{pages} pages, {}", bytes(all.footprint_bytes))));
    if let Some(rate) = all.repeat_access_rate {
        let accesses = exact(all.page_accesses as f64);
        rows.push(row("repeat access rate", format!("{about}{rate:.2} ({accesses} accesses to pages)")));
    }
    rows.push(row("time", time_words(found)));
    rows.extend(all.class.map(|class| row("class", class.name().to_owned())));
    if found.bad_lines.count > 0 {
        rows.push(row("bad lines", format!("{}, skipped", exact(found.bad_lines.count as f64))));
    }
    rows
}

fn time_words(found: &ByFile) -> String {
    match (found.seconds, found.all.io_seconds, found.computing_seconds) {
        (Some(all), Some(io), Some(computing)) => {
            format!("{}: {} I/O, {} computing", time(all), time(io), time(computing))
        }
        (Some(all), ..) => format!("{}; the trace does not say when requests were completed", time(all)),
        _ => "not in the trace".to_owned(),
    }
}

/// What stands in for names that the trace does not have.
pub(crate) fn names_words(found: &ByFile) -> Option<&'static str> {
    (!found.named).then_some("The trace has no names of files: each volume stands for a file.")
}

/// A time of any length.
pub(crate) fn time(of: f64) -> String {
    if of < 1.0 { micros(of * 1e6) } else { seconds(of) }
}
