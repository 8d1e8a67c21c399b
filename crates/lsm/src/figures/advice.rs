//! The layouts of the front, the chosen one and why, and its neighbours.

use leadline_figures::number::{block, bytes, count, micros, percent, significant};
use leadline_figures::{Table, Text};

use super::question::Question;
use super::words;
use crate::Operation::{Absent, Point, Scan};
use crate::{Advice, Candidate, Neighbour, QueryPrediction, Tied, Wanted};

/// What the table of layouts shows of each, in the order of [`row`].
pub(super) const COLUMNS: [&str; 12] = [
    "fanout",
    "files",
    "memtable",
    "block",
    "bits",
    "jobs",
    "read",
    "inserts/s",
    "space",
    "writes",
    "life",
    "mix/s",
];

/// What the columns are whose names do not say it.
pub(super) const MEANINGS: &str = "files in level 0 that start a compaction, bits of the filter per key, compactions at a time, mean time \
     of the mix's queries, inserts per second at full size, bytes stored per byte of distinct pairs, bytes \
     written per byte inserted, operations of the mix per second with their 95 % interval";

/// Tied layouts that a terminal shows, the nearest to the defaults; JSON and the page have all of them.
const TIED_SHOWN: usize = 6;

/// The advice, for a terminal.
pub fn advice_text(advice: &Advice, wanted: &Wanted, asked: &Question) -> Text {
    let mut text = Text::new();
    text.say_all(asked.words());
    text.table(front(advice));
    text.say(format!("{}. Columns: {MEANINGS}", searched(advice, wanted)));
    text.say(loads(advice));
    text.say(format!("Chosen (*): {}", words::layout(&advice.chosen.prediction.layout)));
    text.say(decided(advice));
    text.say_all(
        advice.tied.iter().skip(1).take(TIED_SHOWN).map(|other| format!("- {}", tied(advice, other))),
    );
    if let Some(more @ 1..) = advice.tied.len().checked_sub(1 + TIED_SHOWN) {
        text.say(format!("- and {more} more; --json and --report have all of them"));
    }
    text.say_all(reasons(&advice.chosen, asked));
    if !advice.neighbours.is_empty() {
        text.say("One step away, in operations of the mix per second:");
        text.say_all(advice.neighbours.iter().map(|other| neighbour(&advice.chosen, other)));
    }
    text.say(format!("Processor: {}", asked.processor));
    text
}

/// What the layouts of the front are.
pub(super) fn searched(advice: &Advice, wanted: &Wanted) -> String {
    format!(
        "Of {} layouts within {} of memory, these are the ones of which none is better than another in read \
         time, insert rate, space and write amplification",
        count(advice.searched as f64),
        bytes(wanted.memory_bytes as u64)
    )
}

/// What the numbers are means of, and by how much chance moves them.
pub(super) fn loads(advice: &Advice) -> String {
    let errors = || advice.front.iter().map(|candidate| candidate.prediction.fill_error);
    let most = errors().fold(0.0, f64::max);
    format!(
        "What writes cost is the mean of {} simulated loads, each while the tree grows from about 0.7 to 1.4 of \
         its size, or as much is replaced; by chance of those loads it is off by {} here at most (standard error)",
        advice.chosen.prediction.fills,
        percent(most)
    )
}

/// Which layouts do as many operations as the chosen one, and why it was chosen among them.
pub(super) fn decided(advice: &Advice) -> String {
    let rule = format!(
        "Chosen so that each doubling of a setting away from RocksDB's defaults brings {} more operations or more",
        percent(Advice::PER_DOUBLING - 1.0)
    );
    if advice.tied.len() <= 1 {
        return format!("No other layout does nearly as many operations of the mix per second. {rule}");
    }
    let told_apart = match advice.is_decided() {
        true => "The profile tells it from the one that does most: their intervals do not overlap",
        false => "Which of them does most is not decided by the profile: their intervals overlap",
    };
    format!(
        "Tied with it: {} layouts do at most {} fewer operations of the mix per second, or up to {} more: {}. \
         {told_apart}. \
         {rule} (fanout 10, 4 files in level 0, memtables of 64 MiB, blocks of 4 KiB, 1 compaction at a time, no \
         filter; a filter counts as one doubling, a single level as four)",
        advice.tied.len() - 1,
        percent(1.0 - Advice::TIED),
        percent(most_per_second(advice) / advice.tied[0].per_second - 1.0),
        spans(advice)
    )
}

fn most_per_second(advice: &Advice) -> f64 {
    advice.tied.iter().map(|other| other.per_second).fold(0.0, f64::max)
}

/// `fanout 4 to 12, 2 to 8 files in level 0`: what the settings of the tied layouts span.
fn spans(advice: &Advice) -> String {
    let layouts = || advice.tied.iter().map(|other| &other.layout);
    let levels = || layouts().filter(|layout| !layout.is_single_level());
    let span = |values: Vec<f64>, show: &dyn Fn(f64) -> String| {
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(0.0, f64::max);
        if low < high { format!("{} to {}", show(low), show(high)) } else { show(low) }
    };
    let plain = |value: f64| value.to_string();
    let size = |value: f64| memtable(value as u64);
    let mut said = Vec::new();
    if levels().next().is_some() {
        said.push(format!("fanout {}", span(levels().map(|l| l.fanout).collect(), &plain)));
        let files = span(levels().map(|l| f64::from(l.l0_files)).collect(), &plain);
        said.push(format!("{files} files in level 0"));
    }
    let single = layouts().filter(|layout| layout.is_single_level()).count();
    if single > 0 {
        said.push(format!("a single level ({single} of them)"));
    }
    said.push(format!("memtables of {}", span(layouts().map(|l| l.memtable_bytes as f64).collect(), &size)));
    said.push(format!("blocks of {}", span(layouts().map(|l| f64::from(l.block_bytes)).collect(), &size)));
    said.push(format!("{} bits per key", span(layouts().map(|l| l.bloom_bits).collect(), &plain)));
    said.push(format!(
        "{} compactions at a time",
        span(layouts().map(|l| f64::from(l.jobs)).collect(), &plain)
    ));
    said.join(", ")
}

/// A layout that is tied: its settings and what it does.
pub(super) fn tied(advice: &Advice, other: &Tied) -> String {
    let difference = other.per_second / advice.tied[0].per_second - 1.0;
    format!(
        "{}: {} operations per second ({} {}), {} doublings from the defaults",
        words::short(&other.layout),
        count(other.per_second),
        percent(difference.abs()),
        if difference < 0.0 { "fewer" } else { "more" },
        significant(other.distance)
    )
}

/// What sets the pace of the chosen layout, what its queries do, and what it takes: one sentence each.
pub(super) fn reasons(chosen: &Candidate, asked: &Question) -> Vec<String> {
    let mut said = vec![words::mix(&chosen.prediction.mix, asked)];
    for (name, found) in queries(chosen, asked) {
        said.push(format!("{name}: {}", words::query(found)));
    }
    if asked.demands.mix.share(Point) > 0.0 {
        said.push(format!(
            "Point queries within the mix take {}, 99 of 100 less than about {}",
            micros(chosen.prediction.mix.point_us),
            micros(chosen.prediction.mix.point_p99_us)
        ));
    }
    said.push(format!(
        "Memory: {} for memtables, filters and indexes, {} for the block cache; life of the drive: {}",
        bytes(chosen.memory_bytes as u64),
        bytes(chosen.prediction.layout.cache_bytes),
        words::life(chosen.life_years)
    ));
    said
}

fn front(advice: &Advice) -> Table {
    // Where the life of the drive is not known, its column would say so in every row.
    let known = advice.front.iter().any(|candidate| candidate.life_years.is_some());
    let shown = |cells: Vec<String>| {
        cells.into_iter().zip(COLUMNS).filter(move |(_, name)| known || *name != "life").map(|(cell, _)| cell)
    };
    let mut table = Table::new(shown(COLUMNS.map(str::to_owned).to_vec()));
    for candidate in &advice.front {
        let mut cells = row(candidate);
        if is_chosen(advice, candidate) {
            cells[0] += " *";
        }
        table.row(shown(cells.to_vec()));
    }
    table
}

/// Whether it is the chosen one.
pub(super) fn is_chosen(advice: &Advice, candidate: &Candidate) -> bool {
    candidate.prediction.layout == advice.chosen.prediction.layout
}

/// A layout in the table.
pub(super) fn row(candidate: &Candidate) -> [String; 12] {
    let found = &candidate.prediction;
    let layout = &found.layout;
    [
        if layout.is_single_level() { "single".to_owned() } else { layout.fanout.to_string() },
        layout.l0_files.to_string(),
        memtable(layout.memtable_bytes),
        block(layout.block_bytes),
        layout.bloom_bits.to_string(),
        layout.jobs.to_string(),
        if candidate.read_us > 0.0 { micros(candidate.read_us) } else { "-".to_owned() },
        count(found.insert_per_s.value),
        significant(found.space_amplification.value),
        significant(found.write_amplification.value),
        words::life(candidate.life_years),
        words::rate(found.mix.per_second),
    ]
}

/// `64M`.
fn memtable(size: u64) -> String {
    u32::try_from(size).map_or_else(|_| bytes(size), block)
}

/// The queries that the mix has.
fn queries<'a>(candidate: &'a Candidate, asked: &Question) -> Vec<(&'static str, &'a QueryPrediction)> {
    let found = &candidate.prediction;
    [
        (Point, "A point query", &found.point),
        (Absent, "A query for an absent key", &found.absent),
        (Scan, "A scan", &found.scan),
    ]
    .into_iter()
    .filter(|(operation, ..)| asked.demands.mix.share(*operation) > 0.0)
    .map(|(_, name, query)| (name, query))
    .collect()
}

/// `fanout 16: 3.2 % fewer; written 12.3 bytes per byte instead of 9.8`.
fn neighbour(chosen: &Candidate, other: &Neighbour) -> String {
    let (best, found) = (&chosen.prediction, &other.candidate.prediction);
    // Without queries there is no time of any.
    let reads = match chosen.read_us > 0.0 {
        true => format!("; reads {} instead of {}", micros(other.candidate.read_us), micros(chosen.read_us)),
        false => String::new(),
    };
    format!(
        "{}: {}{reads}, written per byte {} instead of {}",
        other.change,
        difference(chosen, &other.candidate),
        significant(found.write_amplification.value),
        significant(best.write_amplification.value)
    )
}

/// `3.2 % fewer (the intervals overlap)`: operations of the mix per second.
pub(super) fn difference(chosen: &Candidate, other: &Candidate) -> String {
    let (best, found) = (chosen.prediction.mix.per_second, other.prediction.mix.per_second);
    let change = 100.0 * (found.value / best.value - 1.0);
    format!(
        "{:.1} % {}{}",
        change.abs(),
        if change <= 0.0 { "fewer" } else { "more" },
        if found.overlaps(&best) { " (the intervals overlap)" } else { "" }
    )
}
