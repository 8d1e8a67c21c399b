//! A trace and a replay in words: rows of a name and a value, for the terminal and the page
//! alike.

use leadline_profile::Replay;
use leadline_profile::replay::Side;
use leadline_trace::Info;
use leadline_trace::info::CACHE_SHARES;
use serde::Serialize;

use crate::format::{bandwidth, bytes, count, exact, micros, seconds, share};

/// A quantity and its value.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) value: String,
}

fn row(name: &'static str, value: impl Into<String>) -> Row {
    Row { name, value: value.into() }
}

/// An LRU cache and what it misses.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Cache {
    pub(crate) share: String,
    pub(crate) pages: String,
    pub(crate) size: String,
    pub(crate) misses: String,
}

/// What there is to say of a trace, in order.
pub(crate) fn info_rows(info: &Info) -> Vec<Row> {
    let r = &info.requests;
    let mut rows = Vec::new();
    let reads = r.read_share.map_or(String::new(), |reads| format!(", {} reads", share(reads)));
    rows.push(row("requests", format!("{}{reads}", exact(r.count as f64))));
    rows.push(row("moved", format!("{} read, {} written", bytes(r.read_bytes), bytes(r.written_bytes))));
    if let Some(sizes) = &r.sizes {
        let [min, median, p99, max] =
            [sizes.min, sizes.median, sizes.p99, sizes.max].map(|size| length(info, size));
        rows.push(row("request size", format!("min {min}, median {median}, p99 {p99}, max {max}")));
    }
    rows.push(row("time", time_words(info)));
    rows.push(row("volumes", r.volumes.to_string()));
    if let (Some(first), Some(last)) = (r.first_address, r.last_address) {
        rows.push(row("addresses", format!("{} {first} to {last}", info.unit)));
    }
    if let Some(sequential) = r.sequential_share {
        rows.push(row(
            "sequential",
            format!("{} of requests start where the one before ended", share(sequential)),
        ));
    }
    rows.push(row(
        "accesses",
        format!("{} to pages of {}", exact(info.accesses as f64), bytes(info.page_bytes.into())),
    ));
    rows.push(row("footprint", pages(info, info.footprint_pages)));
    rows.push(row("written pages", pages(info, info.written_pages)));
    rows.extend(info.repeat_share.map(|repeats| row("repeat accesses", share(repeats))));
    if let (Some(median), Some(p90)) = (info.reuse.median_distance, info.reuse.p90_distance) {
        let [median, p90] = [median, p90].map(|distance| exact(distance as f64));
        rows.push(row("reuse distance", format!("median {median} pages, p90 {p90} pages")));
    }
    for (i, hot) in info.hotness.hot_sets.iter().enumerate() {
        let name = if i == 0 { "hot set" } else { "" };
        let (of, set) = (share(hot.share_of_accesses), share(hot.share_of_pages));
        rows.push(row(
            name,
            format!("{of} of accesses go to {set} of the pages ({})", pages(info, hot.pages)),
        ));
    }
    rows.push(row("counted", sampling_words(info)));
    if info.bad_lines.count > 0 {
        rows.push(row("bad lines", format!("{}, skipped", exact(info.bad_lines.count as f64))));
    }
    rows
}

fn length(info: &Info, size: u64) -> String {
    match (info.unit, size) {
        ("page", 1) => "1 page".to_owned(),
        ("page", _) => format!("{} pages", exact(size as f64)),
        _ => bytes(size),
    }
}

fn pages(info: &Info, pages: f64) -> String {
    let about = if info.sampling.exact { "" } else { "about " };
    format!("{about}{} pages, {}", exact(pages), bytes((pages * f64::from(info.page_bytes)) as u64))
}

fn time_words(info: &Info) -> String {
    let Some(rates) = &info.requests.rates else { return "not in the trace".to_owned() };
    let rate = |of: Option<f64>, show: fn(f64) -> String| of.map_or("–".to_owned(), show);
    format!(
        "{}, {} requests/s, {}",
        seconds(rates.seconds),
        rate(rates.requests_per_second, count),
        rate(rates.bytes_per_second, bandwidth)
    )
}

/// Whether numbers of pages are exact, and where they come from otherwise.
pub(crate) fn sampling_words(info: &Info) -> String {
    let s = info.sampling;
    if s.exact {
        return format!("exactly (up to {} distinct pages)", exact(s.most_pages as f64));
    }
    format!(
        "pages from a sample of {}, {} of them (SHARDS); requests exactly",
        exact(s.followed_pages as f64),
        share(s.rate)
    )
}

/// What LRU caches of some shares of the footprint miss.
pub(crate) fn caches(info: &Info) -> Vec<Cache> {
    let curve = &info.reuse.lru_miss_ratios;
    let mut found: Vec<(u64, f64)> = CACHE_SHARES
        .iter()
        .filter_map(|share| {
            let most = (share * info.footprint_pages).round() as u64;
            curve.iter().rev().find(|(pages, _)| *pages <= most).copied()
        })
        .collect();
    found.dedup();
    found
        .into_iter()
        .map(|(pages, ratio)| Cache {
            share: share(pages as f64 / info.footprint_pages),
            pages: exact(pages as f64),
            size: bytes(pages * u64::from(info.page_bytes)),
            misses: share(ratio),
        })
        .collect()
}

/// What a trace means for the size of a cache.
pub(crate) fn info_sentences(info: &Info) -> Vec<String> {
    let mut said = Vec::new();
    let size = bytes(info.footprint_bytes as u64);
    let Some(repeats) = info.repeat_share else {
        return vec!["This trace has no requests.".to_owned()];
    };
    said.push(format!(
        "The trace touches {size}; {} of its accesses are to a page accessed before, so no cache misses less than {}.",
        share(repeats),
        share(1.0 - repeats)
    ));
    if let Some((pages, ratio)) = info
        .reuse
        .lru_miss_ratios
        .iter()
        .rev()
        .find(|(pages, _)| *pages as f64 <= (info.footprint_pages / 10.0).round())
    {
        let cache = bytes(pages * u64::from(info.page_bytes));
        said.push(format!(
            "An LRU cache of a tenth of that, {cache}, misses {} of the accesses.",
            share(*ratio)
        ));
    }
    if let Some(hot) = info.hotness.hot_sets.get(2) {
        said.push(format!("90 % of the accesses go to {} of the pages.", share(hot.share_of_pages)));
    }
    said
}

/// What there is to say of a replay, in order.
pub(crate) fn replay_rows(replay: &Replay) -> Vec<Row> {
    let mut rows =
        vec![row("target", format!("{} ({}{})", replay.target, replay.engine, past_cache(replay)))];
    rows.push(row("pace", pace_words(replay)));
    rows.push(row("replayed", format!("{} in {}", done(&replay.all), seconds(replay.seconds))));
    if replay.seconds > 0.0 {
        let a_second = |amount: u64| amount as f64 / replay.seconds;
        let rate = count(a_second(replay.all.requests));
        let moved = [&replay.reads, &replay.writes].map(|side| bandwidth(a_second(side.bytes)));
        rows.push(row("throughput", format!("{rate} requests/s, {} read, {} written", moved[0], moved[1])));
    }
    if let Some(schedule) = &replay.schedule {
        rows.push(row(
            "schedule",
            format!(
                "{} planned; {} of requests sent over 1 ms late, p99 {}, at most {}; done {} after the last was due",
                seconds(schedule.planned_seconds),
                share(schedule.late_share),
                micros(schedule.p99_us),
                micros(schedule.max_us),
                micros(schedule.behind_seconds * 1e6)
            ),
        ));
    }
    rows.extend(mapping_words(replay).map(|words| row("adapted", words)));
    if replay.bad_lines > 0 {
        rows.push(row("bad lines", format!("{}, skipped", exact(replay.bad_lines as f64))));
    }
    rows
}

fn done(side: &Side) -> String {
    format!("{} requests, {}", exact(side.requests as f64), bytes(side.bytes))
}

fn past_cache(replay: &Replay) -> &'static str {
    if replay.direct { "" } else { ", through the page cache" }
}

fn pace_words(replay: &Replay) -> String {
    match replay.pace.as_str() {
        "recorded" => "as recorded: latency counts from when each request was to start".to_owned(),
        pace => match (pace.strip_prefix("closed:"), pace.strip_prefix('x')) {
            (Some(k), _) => format!("{k} in flight at any time, regardless of the recorded times"),
            (_, Some(times)) => {
                format!("{times} times as fast as recorded: latency counts from when each was to start")
            }
            _ => pace.to_owned(),
        },
    }
}

fn mapping_words(replay: &Replay) -> Option<String> {
    let m = replay.mapping;
    let counted = [
        (m.fast, "on the fast part"),
        (m.spilled, "on the slow part for want of room on the fast one"),
        (m.wrapped, "beyond the region, taken modulo its size"),
        (m.widened, "widened to whole blocks"),
        (m.cut, "sent in pieces"),
        (m.skipped_writes, "writes left out"),
    ];
    let said: Vec<String> = counted
        .into_iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, what)| format!("{} {what}", exact(n as f64)))
        .collect();
    (!said.is_empty()).then(|| said.join("; "))
}

/// Names of the columns of [`latencies`].
pub(crate) const LATENCY_COLUMNS: [&str; 9] =
    ["", "requests", "mean", "p50", "p90", "p99", "p99.9", "p99.99", "max"];

/// A line of latencies for reads, writes and both, where there are any.
pub(crate) fn latencies(replay: &Replay) -> Vec<Vec<String>> {
    let both = replay.reads.requests > 0 && replay.writes.requests > 0;
    let sides = [("reads", &replay.reads), ("writes", &replay.writes), ("all", &replay.all)];
    sides
        .into_iter()
        .filter(|(name, _)| both || *name != "all")
        .filter_map(|(name, side)| {
            let l = side.latency?;
            let values = [l.mean, l.p50, l.p90, l.p99, l.p99_9, l.p99_99, l.max].map(micros);
            Some([name.to_owned(), exact(side.requests as f64)].into_iter().chain(values).collect())
        })
        .collect()
}
