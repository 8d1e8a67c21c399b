//! What a replay came to: for a terminal, and for a page.

use leadline_figures::chart::{Datum, IntoRow, Panel, Scale, Series, Symbol};
use leadline_figures::number::{bandwidth, bytes, count, exact, micros, seconds, share, significant};
use leadline_figures::{Axis, Block, Chart, Colour, Page, Table, Text};
use leadline_profile::Replay;
use leadline_profile::replay::{Moment, Side};

/// What a replay came to, for a terminal.
pub fn replay_text(replay: &Replay) -> Text {
    let mut text = Text::new();
    text.say(format!("{} replayed on {}", replay.trace, replay.device));
    text.gap();
    if let Some(reason) = &replay.stopped_by {
        text.say(format!("PARTIAL: {reason}"));
        text.gap();
    }
    text.table(Table::of_facts(facts(replay)));
    let latencies = latencies(replay);
    if !latencies.rows.is_empty() {
        text.gap();
        text.table(latencies);
    }
    text
}

/// A page for a replay: the distribution and the tail of latency, and latency and load over time.
pub fn replay_page(replay: &Replay) -> Page {
    let title = format!("{} on {}", replay.trace, replay.device);
    let mut page = Page {
        brand: "leadline trace replay",
        title: title.clone(),
        heading: title,
        sub: vec![format!("{} · {} · pace {}", replay.target, replay.engine, replay.pace)],
        ..Page::default()
    };
    page.section("", warnings(replay));
    page.section("means", vec![Block::heading("Result"), tiles(replay)]);
    if replay.all.requests > 0 {
        page.section("curves", charts(replay));
    }
    let latencies = Table { title: "Latencies".to_owned(), ..latencies(replay) };
    page.section(
        "numbers",
        vec![
            Block::heading("Numbers"),
            Block::facts(facts(replay)),
            Block::table(latencies),
            Block::quiet("What pace, latency and mapping mean: leadline docs traces."),
        ],
    );
    page
}

fn warnings(replay: &Replay) -> Vec<Block> {
    let mut warnings: Vec<String> =
        replay.stopped_by.iter().map(|reason| format!("Partial: {reason}")).collect();
    if !replay.direct {
        let words = "Requests went through the page cache: much of this is memory, not the device.";
        warnings.push(words.to_owned());
    }
    if replay.bad_lines > 0 {
        warnings.push(format!(
            "{} lines of the trace were not requests and were skipped. The first: {}",
            replay.bad_lines,
            replay.first_bad_lines.join("; ")
        ));
    }
    warnings.into_iter().map(Block::warning).collect()
}

fn tiles(replay: &Replay) -> Block {
    let rate = |amount: u64| if replay.seconds > 0.0 { amount as f64 / replay.seconds } else { 0.0 };
    let latency = replay.all.latency.unwrap_or_default();
    Block::tiles([
        (count(rate(replay.all.requests)), "requests/s"),
        (bandwidth(rate(replay.all.bytes)), "reads and writes"),
        (micros(latency.p50), "p50"),
        (micros(latency.p99), "p99"),
        (micros(latency.p99_9), "p99.9"),
        (micros(latency.max), "longest"),
    ])
}

/// What there is to say, in order.
fn facts(replay: &Replay) -> Vec<(&'static str, String)> {
    let past_cache = if replay.direct { "" } else { ", through the page cache" };
    let done = format!("{} requests, {}", exact(replay.all.requests as f64), bytes(replay.all.bytes));
    let mut facts = vec![
        ("target", format!("{} ({}{past_cache})", replay.target, replay.engine)),
        ("pace", pace(replay)),
        ("replayed", format!("{done} in {}", seconds(replay.seconds))),
    ];
    if replay.seconds > 0.0 {
        let a_second = |amount: u64| amount as f64 / replay.seconds;
        let rate = count(a_second(replay.all.requests));
        let moved = [&replay.reads, &replay.writes].map(|side| bandwidth(a_second(side.bytes)));
        facts.push(("throughput", format!("{rate} requests/s, {} read, {} written", moved[0], moved[1])));
    }
    if let Some(schedule) = &replay.schedule {
        let words = format!(
            "{} planned; {} of requests sent over 1 ms late, p99 {}, at most {}; done {} after the last was due",
            seconds(schedule.planned_seconds),
            share(schedule.late_share),
            micros(schedule.p99_us),
            micros(schedule.max_us),
            micros(schedule.behind_seconds * 1e6)
        );
        facts.push(("schedule", words));
    }
    facts.extend(adapted(replay).map(|words| ("adapted", words)));
    if replay.bad_lines > 0 {
        facts.push(("bad lines", format!("{}, skipped", exact(replay.bad_lines as f64))));
    }
    facts
}

fn pace(replay: &Replay) -> String {
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

fn adapted(replay: &Replay) -> Option<String> {
    let m = replay.mapping;
    let counted = [
        (m.fast, "on the fast part"),
        (m.spilled, "on the slow part for want of room on the fast one"),
        (m.wrapped, "beyond the region, taken modulo its size"),
        (m.widened, "widened to whole blocks"),
        (m.cut, "sent in pieces"),
        (m.skipped_writes, "writes left out"),
    ];
    let counted = counted.into_iter().filter(|(n, _)| *n > 0);
    let said: Vec<String> = counted.map(|(n, what)| format!("{} {what}", exact(n as f64))).collect();
    (!said.is_empty()).then(|| said.join("; "))
}

/// A line of latencies for reads, writes and both, where there are any.
fn latencies(replay: &Replay) -> Table {
    let both = replay.reads.requests > 0 && replay.writes.requests > 0;
    let sides = [("reads", &replay.reads), ("writes", &replay.writes), ("all", &replay.all)];
    let row = |(name, side): (&str, &Side)| {
        let l = side.latency?;
        let values = [l.mean, l.p50, l.p90, l.p99, l.p99_9, l.p99_99, l.max].map(micros);
        let first = [name.to_owned(), exact(side.requests as f64)];
        Some(first.into_iter().chain(values).collect::<Vec<String>>())
    };
    let sides = sides.into_iter().filter(|(name, _)| both || *name != "all");
    let columns = ["", "requests", "mean", "p50", "p90", "p99", "p99.9", "p99.99", "max"];
    Table { none: "No request completed.", ..Table::new(columns).rows(sides.filter_map(row)) }
}

fn charts(replay: &Replay) -> Vec<Block> {
    vec![
        Block::heading("Latency"),
        Block::Charts { choices: false },
        Block::pair(vec![
            Block::chart(
                "Latency distribution",
                "Share of requests that took no longer.",
                over_latency("r-cdf", replay, false),
            ),
            Block::chart(
                "Latency tail",
                "Share of requests that took longer, each line a tenth of the one above.",
                over_latency("r-tail", replay, true),
            ),
        ]),
        Block::chart(
            "Latency over time",
            "By completion time: mean and longest latency of each time slice.",
            over_time(replay),
        ),
        Block::chart("Load over time", "Requests that completed.", load(replay)),
        Block::Zoom,
    ]
}

/// The share of requests that took no longer than each latency, or the share that took longer.
fn over_latency(id: &str, replay: &Replay, longer: bool) -> Chart {
    let sides = [("reads", "read", &replay.reads), ("writes", "write", &replay.writes)];
    let sides = || sides.into_iter().filter(|(_, _, side)| side.requests > 0);
    let line = |(label, colour, side): (&str, &'static str, &Side)| {
        let mut faster = 0;
        let start = side.histogram.first().map(|bin| (bin.upper_us, if longer { 1.0 } else { 0.0 }));
        let rest = side.histogram.iter().map(|bin| {
            faster += bin.count;
            let share = faster as f64 / side.requests as f64;
            (bin.upper_us, if longer { 1.0 - share } else { share })
        });
        // Shares that rounding made of nothing are none.
        let rows = start.into_iter().chain(rest).filter(|(_, share)| !longer || *share > 1e-12);
        let series = Series::line(label, Colour::Named(colour), 2.0, rows);
        let said = if longer { "{1|share} took longer" } else { "{1|share} took no longer" };
        Series { steps: true, ..series }.tip(said).in_legend()
    };
    let most = sides().map(|(_, _, side)| side.requests).fold(10, u64::max);
    let decades = ((most as f64).log10() - 1e-9).ceil() as i32;
    let tails = Axis {
        scale: Scale::Log10,
        min: Some(10f64.powi(-decades)),
        ticks: (0..=decades).map(|i| (10f64.powi(-i), String::new())).collect(),
        ..Axis::of_share("")
    };
    let y = if longer { tails } else { Axis::of_share("") };
    let panel = Panel {
        x: Axis { grid: false, ..Axis::decades("micros") }.named("latency", 24),
        y: Axis { unit: "share", grid: true, ..y },
        series: sides().map(line).collect(),
        along: true,
        head: "{0|micros}".to_owned(),
        ..Panel::default()
    };
    Chart::new(id, panel.with_legend())
}

fn over_time(replay: &Replay) -> Chart {
    let line = |label, colour, of: fn(&Moment) -> f64| {
        let rows = replay.over_time.iter().map(|moment| {
            let middle = moment.at_seconds + replay.moment_seconds / 2.0;
            let us = (moment.requests > 0).then(|| of(moment));
            let said = format!("{} s, {} requests", significant(moment.at_seconds), moment.requests);
            (middle, us, said)
        });
        let series = Series::line(label, Colour::Named(colour), 1.4, rows).tip("{1|micros}");
        Series { symbol: Symbol::circle(2.5), ..series }.in_legend()
    };
    let panel = Panel {
        x: Axis::of_time(end(replay)),
        y: Axis::decades("micros"),
        series: vec![
            line("mean", "read", |moment| moment.mean_us),
            line("longest", "durable", |moment| moment.max_us),
        ],
        along: true,
        head: "{2}".to_owned(),
        ..Panel::default()
    };
    Chart::new("r-time", panel.with_legend())
}

fn load(replay: &Replay) -> Chart {
    let panel = |unit, said: &str, of: fn(&Moment) -> u64| {
        let rate = |moment: &Moment| of(moment) as f64 / replay.moment_seconds;
        let row = |moment: &Moment| {
            (moment.at_seconds, rate(moment), format!("{} s", significant(moment.at_seconds))).into_row()
        };
        let mut rows: Vec<Vec<Datum>> = replay.over_time.iter().map(row).collect();
        rows.extend(replay.over_time.last().map(|last| (end(replay), rate(last), "the end").into_row()));
        let series = Series::line("load", Colour::Named("alpha"), 1.4, rows).tip(said);
        Panel {
            x: Axis::of_time(end(replay)),
            y: Axis::from_zero("", 0, unit),
            series: vec![Series { steps: true, area: 0.15, title: "{2}".to_owned(), ..series }],
            along: true,
            ..Panel::default()
        }
    };
    Chart::by_choice(
        "r-load",
        "Unit",
        [
            ("requests/s".to_owned(), panel("count", "{1|count} requests/s", |moment| moment.requests)),
            ("bytes/s".to_owned(), panel("bandwidth", "{1|bandwidth}", |moment| moment.bytes)),
        ],
    )
}

/// The end of the last time slice.
fn end(replay: &Replay) -> f64 {
    replay.over_time.last().map_or(0.0, |moment| moment.at_seconds) + replay.moment_seconds
}
