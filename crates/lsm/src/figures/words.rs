//! What bounds a tree, in words.

use leadline_figures::number::{bytes, count, counted, micros, percent, range, significant};

use super::question::Question;
use crate::{Bound, Busy, Estimate, Layout, MixPrediction, Prediction, QueryPrediction};

/// From this share of its time on, a resource counts as busy.
const BUSY: f64 = 0.9;

/// `fanout 8, 4 files in level 0, memtables of 64.0 MiB, blocks of 4.00 KiB, 10 bits per key`.
pub(super) fn layout(layout: &Layout) -> String {
    let shape = match layout.is_single_level() {
        true => "a single level".to_owned(),
        false => format!("fanout {}, {}", layout.fanout, counted_files(layout.l0_files)),
    };
    format!(
        "{shape}, memtables of {}, files of {}, blocks of {}, {}, a block cache of {}, {} at a time",
        bytes(layout.memtable_bytes),
        bytes(layout.file_bytes),
        bytes(u64::from(layout.block_bytes)),
        filter(layout),
        bytes(layout.cache_bytes),
        counted(layout.jobs.into(), "compaction")
    )
}

/// `fanout 8, 4 files in level 0, memtables of 64M, blocks of 4K, 8 compactions at a time`.
pub(super) fn short(layout: &Layout) -> String {
    let shape = match layout.is_single_level() {
        true => "a single level".to_owned(),
        false => format!("fanout {}, {}", layout.fanout, counted_files(layout.l0_files)),
    };
    let filter = if layout.bloom_bits > 0.0 { format!(", {}", filter(layout)) } else { String::new() };
    format!(
        "{shape}, memtables of {}, blocks of {}{filter}, {} at a time",
        bytes(layout.memtable_bytes),
        bytes(u64::from(layout.block_bytes)),
        counted(layout.jobs.into(), "compaction")
    )
}

fn counted_files(files: u32) -> String {
    format!("{} in level 0", counted(files.into(), "file"))
}

fn filter(layout: &Layout) -> String {
    match layout.bloom_bits {
        bits if bits > 0.0 => format!("filters of {bits} bits per key"),
        _ => "no filters".to_owned(),
    }
}

/// What sets the pace of the mix.
pub(super) fn mix(found: &MixPrediction, asked: &Question) -> String {
    let clients = asked.demands.clients;
    let waiting = format!("{} of {} at the device on average", significant(found.at_device), clients);
    let pace = match found.bound {
        Bound::Compaction => {
            format!("Compactions set the pace, {}", compactions_bound(&found.compactions, found.processor))
        }
        Bound::Processor => "The processor sets the pace: its cores are busy".to_owned(),
        Bound::Device => format!("The device sets the pace: {waiting}"),
        _ => format!(
            "The clients set the pace: each waits for its own operation, {waiting}; more of them would do more"
        ),
    };
    let writes = asked.demands.mix.writes() > 0.0;
    let taken = match writes {
        true => format!(". Meanwhile compactions take {}", busy(&found.compactions)),
        false => String::new(),
    };
    format!("{pace}. Operations take {} of the cores' time{taken}", percent(found.processor))
}

/// `20 % of the cores' time and 30 % of what the device can do`.
pub(super) fn busy(busy: &Busy) -> String {
    format!(
        "{} of the cores' time and {} of what the device can do",
        percent(busy.processor),
        percent(busy.device_used)
    )
}

/// What late compactions wait for, when operations take this share of the cores' time.
fn compactions_bound(busy: &Busy, operations: f64) -> &'static str {
    match (busy.processor + operations >= BUSY, busy.device_used >= BUSY) {
        (true, _) => "and the processor bounds them",
        (false, true) => "and the device bounds them",
        (false, false) => "bounded by how many run at a time",
    }
}

/// What sets the pace of inserts alone.
pub(super) fn inserts(found: &Prediction) -> String {
    let pace = match found.load.stalled_seconds > 0.0 {
        true => format!("compactions set the pace, {}", compactions_bound(&found.insert_busy, 0.0)),
        false => "the client that inserts sets the pace; compactions keep up".to_owned(),
    };
    format!("{pace}; compactions take {}", busy(&found.insert_busy))
}

/// What one query does, and what bounds clients that do only that.
pub(super) fn query(found: &QueryPrediction) -> String {
    format!(
        "{} blocks, {} reads of {} in all; {} of the processor, {} of the device; bounded by {}",
        significant(found.blocks),
        significant(found.requests),
        bytes(found.bytes.round() as u64),
        micros(found.processor_us),
        micros(found.device_us),
        match found.bound {
            Bound::Processor => "the processor",
            Bound::Device => "the device",
            _ => "the number of clients",
        }
    )
}

/// Years, or that they are not known.
pub(super) fn life(years: Option<f64>) -> String {
    match years {
        None => "unknown".to_owned(),
        Some(years) if years >= 1000.0 => "> 1000 y".to_owned(),
        Some(years) => format!("{} y", significant(years)),
    }
}

/// `12.3k (11.0k–13.4k)`, or the number alone where it has no interval.
pub(super) fn rate(value: Estimate) -> String {
    let (number, interval) = (count(value.value), range(value.ci, count));
    if number == interval { number } else { format!("{number} ({interval})") }
}
