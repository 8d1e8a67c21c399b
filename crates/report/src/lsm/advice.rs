//! The layouts of the front, the chosen one and why, and its neighbours.

use leadline_lsm::Operation::{Absent, Point, Scan};
use leadline_lsm::{Advice, Candidate, Neighbour, QueryPrediction, Wanted};

use super::question::LsmQuestion;
use super::words;
use crate::format::{block, bytes, count, micros, significant};
use crate::terminal::{finish, new_table, wrap};

/// For a terminal `width` columns wide. Ends with a newline.
pub fn render_lsm_advice(advice: &Advice, wanted: &Wanted, asked: &LsmQuestion, width: usize) -> String {
    let mut lines = vec![asked.words(), front(advice, width)];
    let mut say = |text: String| lines.push(wrap(&text, width, "  "));
    say(format!(
        "Of {} layouts within {} of memory, these are the ones of which none is better than another in read \
         time, insert rate, space and write amplification. Columns: files in level 0 that start a compaction, bits of the \
         filter per key, mean time of the mix's queries, inserts per second at full size, bytes stored per byte \
         of distinct pairs, bytes written per byte inserted, operations of the mix per second with their 95 % \
         interval",
        count(advice.searched as f64),
        bytes(wanted.memory_bytes as u64)
    ));
    let chosen = &advice.chosen;
    say(format!("Chosen (*): {}", words::layout(&chosen.prediction.layout)));
    say(words::mix(&chosen.prediction.mix, asked));
    for (name, found) in queries(chosen, asked) {
        say(format!("{name}: {}", words::query(found)));
    }
    say(format!(
        "Point queries within the mix take {}, 99 of 100 less than about {}",
        micros(chosen.prediction.mix.point_us),
        micros(chosen.prediction.mix.point_p99_us)
    ));
    say(format!(
        "Memory: {} for memtables, filters and indexes, {} for the block cache; life of the drive: {}",
        bytes(chosen.memory_bytes as u64),
        bytes(chosen.prediction.layout.cache_bytes),
        words::life(chosen.life_years)
    ));
    if !advice.neighbours.is_empty() {
        say("One step away, in operations of the mix per second:".to_owned());
        advice.neighbours.iter().for_each(|other| say(neighbour(chosen, other)));
    }
    say(format!("Processor: {}", asked.processor));
    lines.join("\n") + "\n"
}

fn front(advice: &Advice, width: usize) -> String {
    let mut table = new_table(width);
    table.set_header([
        "fanout",
        "files",
        "memtable",
        "block",
        "bits",
        "read",
        "inserts/s",
        "space",
        "writes",
        "life",
        "mix/s",
    ]);
    for candidate in &advice.front {
        let found = &candidate.prediction;
        let layout = &found.layout;
        let fanout = if layout.is_single_level() { "single".to_owned() } else { layout.fanout.to_string() };
        let mark = if *layout == advice.chosen.prediction.layout { " *" } else { "" };
        table.add_row([
            format!("{fanout}{mark}"),
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
        ]);
    }
    finish(table, 0)
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
    let change = 100.0 * (found.mix.per_second.value / best.mix.per_second.value - 1.0);
    format!(
        "  {}: {:.1} % {}{}; reads {} instead of {}, writes {} instead of {} bytes per byte",
        other.change,
        change.abs(),
        if change <= 0.0 { "fewer" } else { "more" },
        if found.mix.per_second.overlaps(&best.mix.per_second) { " (the intervals overlap)" } else { "" },
        micros(other.candidate.read_us),
        micros(chosen.read_us),
        significant(found.write_amplification.value),
        significant(best.write_amplification.value)
    )
}
