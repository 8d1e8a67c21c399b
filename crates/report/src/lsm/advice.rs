//! The layouts of the front, the chosen one and why, and its neighbours.

use leadline_lsm::Operation::{Absent, Point, Scan};
use leadline_lsm::{Advice, Candidate, Neighbour, QueryPrediction, Wanted};

use super::question::LsmQuestion;
use super::words;
use crate::format::{block, bytes, count, micros, significant};
use crate::terminal::{finish, new_table, wrap};

/// What the table of layouts shows of each, in the order of [`row`].
pub(crate) const COLUMNS: [&str; 11] =
    ["fanout", "files", "memtable", "block", "bits", "read", "inserts/s", "space", "writes", "life", "mix/s"];

/// What the columns are whose names do not say it.
pub(crate) const MEANINGS: &str = "files in level 0 that start a compaction, bits of the filter per key, mean time of the mix's queries, \
     inserts per second at full size, bytes stored per byte of distinct pairs, bytes written per byte \
     inserted, operations of the mix per second with their 95 % interval";

/// For a terminal `width` columns wide. Ends with a newline.
pub fn render_lsm_advice(advice: &Advice, wanted: &Wanted, asked: &LsmQuestion, width: usize) -> String {
    let mut lines = vec![asked.words(), front(advice, width)];
    let mut say = |text: String| lines.push(wrap(&text, width, "  "));
    say(format!("{}. Columns: {MEANINGS}", searched(advice, wanted)));
    say(format!("Chosen (*): {}", words::layout(&advice.chosen.prediction.layout)));
    reasons(&advice.chosen, asked).into_iter().for_each(&mut say);
    if !advice.neighbours.is_empty() {
        say("One step away, in operations of the mix per second:".to_owned());
        advice.neighbours.iter().for_each(|other| say(neighbour(&advice.chosen, other)));
    }
    say(format!("Processor: {}", asked.processor));
    lines.join("\n") + "\n"
}

/// What the layouts of the front are.
pub(crate) fn searched(advice: &Advice, wanted: &Wanted) -> String {
    format!(
        "Of {} layouts within {} of memory, these are the ones of which none is better than another in read \
         time, insert rate, space and write amplification",
        count(advice.searched as f64),
        bytes(wanted.memory_bytes as u64)
    )
}

/// What sets the pace of the chosen layout, what its queries do, and what it takes: one sentence each.
pub(crate) fn reasons(chosen: &Candidate, asked: &LsmQuestion) -> Vec<String> {
    let mut said = vec![words::mix(&chosen.prediction.mix, asked)];
    for (name, found) in queries(chosen, asked) {
        said.push(format!("{name}: {}", words::query(found)));
    }
    said.push(format!(
        "Point queries within the mix take {}, 99 of 100 less than about {}",
        micros(chosen.prediction.mix.point_us),
        micros(chosen.prediction.mix.point_p99_us)
    ));
    said.push(format!(
        "Memory: {} for memtables, filters and indexes, {} for the block cache; life of the drive: {}",
        bytes(chosen.memory_bytes as u64),
        bytes(chosen.prediction.layout.cache_bytes),
        words::life(chosen.life_years)
    ));
    said
}

fn front(advice: &Advice, width: usize) -> String {
    let mut table = new_table(width);
    table.set_header(COLUMNS);
    for candidate in &advice.front {
        let mut cells = row(candidate);
        if candidate.prediction.layout == advice.chosen.prediction.layout {
            cells[0] += " *";
        }
        table.add_row(cells);
    }
    finish(table, 0)
}

/// A layout in the table.
pub(crate) fn row(candidate: &Candidate) -> [String; 11] {
    let found = &candidate.prediction;
    let layout = &found.layout;
    [
        if layout.is_single_level() { "single".to_owned() } else { layout.fanout.to_string() },
        layout.l0_files.to_string(),
        memtable(layout.memtable_bytes),
        block(layout.block_bytes),
        layout.bloom_bits.to_string(),
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
fn queries<'a>(candidate: &'a Candidate, asked: &LsmQuestion) -> Vec<(&'static str, &'a QueryPrediction)> {
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
    format!(
        "{}: {}; reads {} instead of {}, written per byte {} instead of {}",
        other.change,
        difference(chosen, &other.candidate),
        micros(other.candidate.read_us),
        micros(chosen.read_us),
        significant(found.write_amplification.value),
        significant(best.write_amplification.value)
    )
}

/// `3.2 % fewer (the intervals overlap)`: operations of the mix per second.
pub(crate) fn difference(chosen: &Candidate, other: &Candidate) -> String {
    let (best, found) = (chosen.prediction.mix.per_second, other.prediction.mix.per_second);
    let change = 100.0 * (found.value / best.value - 1.0);
    format!(
        "{:.1} % {}{}",
        change.abs(),
        if change <= 0.0 { "fewer" } else { "more" },
        if found.overlaps(&best) { " (the intervals overlap)" } else { "" }
    )
}
