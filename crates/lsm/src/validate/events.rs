//! The events in RocksDB's LOG, and what they say about flushes and compactions.

use leadline_files::from_json;
use serde::{Deserialize, Serialize};

/// Before the JSON of an event.
const MARK: &str = "EVENT_LOG_v1 ";

/// The fields of events that are used; which there are depends on the event.
#[derive(Deserialize)]
struct Event {
    event: String,
    job: Option<u64>,
    time_micros: Option<u64>,
    /// Of `flush_started`: pairs in the memtables.
    num_entries: Option<u64>,
    /// Of `table_file_creation`.
    file_size: Option<u64>,
    /// Of `compaction_started`.
    input_data_size: Option<u64>,
    /// Of `compaction_finished`.
    total_output_size: Option<u64>,
    compaction_time_micros: Option<u64>,
    compaction_time_cpu_micros: Option<u64>,
    num_input_records: Option<u64>,
    num_subcompactions: Option<u64>,
}

/// What flushes and compactions did. Times are of the wall clock unless they are called processor time.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Background {
    /// Flushes.
    pub flushes: u64,
    /// Sum of their durations, seconds.
    pub flush_seconds: f64,
    /// Pairs that they wrote to level 0.
    pub flushed_pairs: u64,
    /// Bytes that they wrote to level 0.
    pub flushed_bytes: u64,
    /// Compactions that merged; compactions that only moved a file to the next level are not among them.
    pub compactions: u64,
    /// Compactions that only moved files.
    pub moves: u64,
    /// Sum of the durations of compactions, seconds: RocksDB's `compaction_time_micros`.
    pub compaction_seconds: f64,
    /// Time in which at least one compaction ran, seconds: the union of their intervals.
    pub compaction_busy_seconds: f64,
    /// Processor time of compactions, seconds: RocksDB's `compaction_time_cpu_micros`.
    pub compaction_processor_seconds: f64,
    /// Bytes that compactions read.
    pub compaction_read_bytes: u64,
    /// Bytes that compactions wrote.
    pub compaction_written_bytes: u64,
    /// Pairs that went into compactions.
    pub compaction_pairs: u64,
    /// Compactions that ran at a time, on average of the time in which at least one ran.
    pub mean_compactions: f64,
    /// Most compactions that ran at a time.
    pub max_compactions: u64,
    /// Subcompactions that ran at a time, likewise, if all parts of a compaction took as long as the whole.
    pub mean_subcompactions: f64,
}

/// The LOG, read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Log {
    pub(super) background: Background,
    /// When the last flush, compaction or move ended, microseconds since 1970.
    pub(super) last_end_us: u64,
    /// Flushes and compactions that began and did not end.
    pub(super) unfinished: usize,
}

/// A flush or compaction that began.
struct Begun {
    job: u64,
    at_us: u64,
    read_bytes: u64,
    is_flush: bool,
}

/// An interval in which `parts` subcompactions ran.
struct Interval {
    from_us: u64,
    to_us: u64,
    parts: u64,
}

/// Reads the events in the text of a LOG; lines without one are passed over.
///
/// # Errors
/// The line, from 1, and what is wrong with it, for an event that cannot be read.
pub(super) fn read(text: &str) -> Result<Log, (usize, String)> {
    let mut log = Reading::default();
    for (line, number) in text.lines().zip(1..) {
        let Some((_, json)) = line.split_once(MARK) else { continue };
        let event: Event = from_json(json).map_err(|flaw| (number, flaw.reason))?;
        log.take(&event).ok_or_else(|| (number, format!("a field of {} is missing", event.event)))?;
    }
    Ok(log.finish())
}

#[derive(Default)]
struct Reading {
    done: Background,
    begun: Vec<Begun>,
    compactions: Vec<Interval>,
    last_end_us: u64,
}

impl Reading {
    /// `None` where a field is missing.
    fn take(&mut self, event: &Event) -> Option<()> {
        match event.event.as_str() {
            "flush_started" => {
                self.begun.push(Begun::of(event, true)?);
                self.done.flushed_pairs += event.num_entries?;
            }
            "compaction_started" => self.begun.push(Begun::of(event, false)?),
            "table_file_creation" => {
                let job = event.job?;
                if self.begun.iter().any(|begun| begun.job == job && begun.is_flush) {
                    self.done.flushed_bytes += event.file_size?;
                }
            }
            "flush_finished" => {
                let (begun, to_us) = self.end(event)?;
                self.done.flushes += 1;
                self.done.flush_seconds += seconds(to_us.saturating_sub(begun.at_us));
            }
            "compaction_finished" => {
                let (begun, to_us) = self.end(event)?;
                let parts = event.num_subcompactions?;
                self.compactions.push(Interval { from_us: begun.at_us, to_us, parts });
                let done = &mut self.done;
                done.compactions += 1;
                done.compaction_seconds += seconds(event.compaction_time_micros?);
                done.compaction_processor_seconds += seconds(event.compaction_time_cpu_micros?);
                done.compaction_read_bytes += begun.read_bytes;
                done.compaction_written_bytes += event.total_output_size?;
                done.compaction_pairs += event.num_input_records?;
            }
            "trivial_move" => {
                self.done.moves += 1;
                self.last_end_us = self.last_end_us.max(event.time_micros?);
            }
            _ => {}
        }
        Some(())
    }

    /// The beginning of what ends with this event, and the end.
    fn end(&mut self, event: &Event) -> Option<(Begun, u64)> {
        let job = event.job?;
        let at = self.begun.iter().position(|begun| begun.job == job)?;
        let to_us = event.time_micros?;
        self.last_end_us = self.last_end_us.max(to_us);
        Some((self.begun.swap_remove(at), to_us))
    }

    fn finish(mut self) -> Log {
        let sum = |weight: fn(&Interval) -> u64| -> f64 {
            let each = |interval: &Interval| seconds(interval.to_us.saturating_sub(interval.from_us));
            self.compactions.iter().map(|interval| each(interval) * weight(interval) as f64).sum()
        };
        let (all, parts) = (sum(|_| 1), sum(|interval| interval.parts));
        let (busy, most) = overlap(&mut self.compactions);
        let mut background = self.done;
        if busy > 0.0 {
            background.compaction_busy_seconds = busy;
            background.mean_compactions = all / busy;
            background.mean_subcompactions = parts / busy;
            background.max_compactions = most;
        }
        Log { background, last_end_us: self.last_end_us, unfinished: self.begun.len() }
    }
}

impl Begun {
    fn of(event: &Event, is_flush: bool) -> Option<Begun> {
        let read_bytes = if is_flush { 0 } else { event.input_data_size? };
        Some(Begun { job: event.job?, at_us: event.time_micros?, read_bytes, is_flush })
    }
}

/// Seconds in which at least one of the intervals was open, and how many were open at most.
fn overlap(intervals: &mut [Interval]) -> (f64, u64) {
    intervals.sort_by_key(|interval| interval.from_us);
    let mut ends: Vec<u64> = Vec::new();
    let (mut busy_us, mut until_us, mut most) = (0, 0, 0);
    for interval in intervals {
        ends.retain(|&end| end > interval.from_us);
        ends.push(interval.to_us);
        most = most.max(ends.len() as u64);
        busy_us += interval.to_us.saturating_sub(until_us.max(interval.from_us));
        until_us = until_us.max(interval.to_us);
    }
    (seconds(busy_us), most)
}

fn seconds(us: u64) -> f64 {
    us as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An excerpt of a LOG of RocksDB 7.8.3.
    const LOG: &str = include_str!("../../tests/fixtures/LOG");

    #[test]
    fn flushes_and_compactions_of_a_real_log_are_counted() {
        let Log { background, last_end_us, unfinished } = read(LOG).unwrap();
        assert_eq!(
            (background.flushes, background.flushed_pairs, background.flushed_bytes),
            (2, 87, 122_111 + 61_564)
        );
        assert_eq!((background.compactions, background.moves, unfinished), (2, 1, 1));
        assert_eq!(background.compaction_pairs, 145 + 187);
        assert_eq!(background.compaction_written_bytes, 307_791 + 395_474);
        assert!((background.compaction_seconds - 0.065359).abs() < 1e-9);
        assert!((background.compaction_processor_seconds - 0.013492).abs() < 1e-9);
        assert_eq!(last_end_us, 1_795_362_623_383_961);
    }

    fn event(event: &str, job: u64, us: u64) -> String {
        format!(
            "2026/11/22-15:50:23 1 {MARK}{{\"time_micros\": {us}, \"job\": {job}, \"event\": \"{event}\", \
             \"input_data_size\": 10, \"total_output_size\": 20, \"compaction_time_micros\": 5, \
             \"compaction_time_cpu_micros\": 2, \"num_input_records\": 3, \"num_subcompactions\": 2}}\n"
        )
    }

    #[test]
    fn time_in_which_compactions_overlap_counts_once() {
        // 1: 0 to 4 s, 2: 2 to 6 s, 3: 6 to 7 s, 4: 9 to 10 s.
        let times = [(1, 0, 4), (2, 2, 6), (3, 6, 7), (4, 9, 10)];
        let mut text = String::new();
        for (job, from, _) in times {
            text += &event("compaction_started", job, from * 1_000_000);
        }
        for (job, _, to) in times {
            text += &event("compaction_finished", job, to * 1_000_000);
        }
        let background = read(&text).unwrap().background;
        assert_eq!(background.compaction_busy_seconds, 8.0);
        assert_eq!(background.mean_compactions, 10.0 / 8.0);
        assert_eq!(background.mean_subcompactions, 20.0 / 8.0);
        assert_eq!((background.max_compactions, background.compaction_read_bytes), (2, 40));
    }

    #[test]
    fn an_event_that_is_cut_short_is_told_by_its_line() {
        let text = format!("a line without an event\n{MARK}{{\"event\": \"flush_sta");
        assert_eq!(read(&text).unwrap_err().0, 2);
        let (line, problem) = read(&format!("{MARK}{{\"event\": \"flush_started\"}}")).unwrap_err();
        assert!(line == 1 && problem.contains("flush_started"), "{problem}");
    }
}
