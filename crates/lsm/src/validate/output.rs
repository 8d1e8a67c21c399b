//! What db_bench prints: results, percentiles, tickers, and RocksDB's table of compactions.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The line of one benchmark.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// From the first operation of a client to the last of all.
    pub seconds: f64,
    /// Of all clients.
    pub operations: u64,
    /// Keys that were looked for and found, where it looks for keys.
    pub found: Option<[u64; 2]>,
}

/// The outcome of benchmark `name`, if `line` is its line: `readrandom   :     311.327 micros/op 12843
/// ops/sec 3.002 seconds 38556 operations;   25.3 MB/s (9679 of 9679 found)`.
pub fn outcome(name: &str, line: &str) -> Option<Outcome> {
    let (words, rest) = line.strip_prefix(name)?.trim_start().strip_prefix(':')?.split_once(';')?;
    let words: Vec<&str> = words.split_whitespace().collect();
    let before = |unit: &str| Some(words[words.iter().position(|word| *word == unit)?.checked_sub(1)?]);
    let found = rest.split_once('(').and_then(|(_, counts)| {
        let (found, counts) = counts.split_once(" of ")?;
        Some([found.parse().ok()?, counts.split_once(" found")?.0.parse().ok()?])
    });
    Some(Outcome {
        seconds: before("seconds")?.parse().ok()?,
        operations: before("operations")?.parse().ok()?,
        found,
    })
}

/// Latency of one client's operation, microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// Half take at most this.
    pub p50_us: f64,
    /// 99 of 100 take at most this.
    pub p99_us: f64,
    /// 999 of 1000 take at most this.
    pub p999_us: f64,
    /// The longest.
    pub max_us: f64,
}

/// The percentiles of the last histogram in `text`.
pub fn latency(text: &str) -> Option<Latency> {
    let after = |line_of: &str, name: &str| -> Option<f64> {
        let line = text.lines().rev().find(|line| line.starts_with(line_of))?;
        line.split_once(name)?.1.split_whitespace().next()?.parse().ok()
    };
    Some(Latency {
        p50_us: after("Percentiles: ", "P50: ")?,
        p99_us: after("Percentiles: ", "P99: ")?,
        p999_us: after("Percentiles: ", "P99.9: ")?,
        max_us: after("Min: ", "Max: ")?,
    })
}

/// The ticker of this name: `rocksdb.block.cache.data.miss COUNT : 233972`.
pub(super) fn ticker(text: &str, name: &str) -> Option<u64> {
    let mut counts = text.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(" COUNT : "));
    counts.next()?.trim().parse().ok()
}

/// A level of a database.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Level {
    /// Its files.
    pub files: u64,
    /// Their size, bytes; RocksDB prints it to a hundredth of a KiB, MiB or GiB.
    pub bytes: f64,
}

/// The levels in RocksDB's table of compactions, level 0 first: `  L1      5/0   239.33 KB   0.9 ...`.
///
/// A level without files and without compactions has no line.
pub(super) fn levels(text: &str) -> Option<Vec<Level>> {
    let mut levels = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = words.first().and_then(|word| word.strip_prefix('L')?.parse::<usize>().ok());
        let Some(number) = number.filter(|number| (levels.len()..64).contains(number)) else { continue };
        let unit = match *words.get(3)? {
            "KB" => 1024.0,
            "MB" => 1024.0 * 1024.0,
            "GB" => 1024.0 * 1024.0 * 1024.0,
            "TB" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
            _ => return None,
        };
        let files = words.get(1)?.split('/').next()?.parse().ok()?;
        levels.resize(number, Level { files: 0, bytes: 0.0 });
        levels.push(Level { files, bytes: words.get(2)?.parse::<f64>().ok()? * unit });
    }
    (!levels.is_empty()).then_some(levels)
}

/// Time in which writers were slowed down or stopped, seconds:
/// `Cumulative stall: 00:00:17.082 H:M:S, 73.0 percent`.
pub fn stall_seconds(text: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix("Cumulative stall: "))?;
    let parts = line.split_whitespace().next()?.split(':');
    parts.map(|part| part.parse::<f64>().ok()).try_fold(0.0, |sum, part| Some(sum * 60.0 + part?))
}

/// How often writers were slowed down or stopped, by RocksDB's name of the reason, without those that never
/// happened: `Stalls(count): 2300 level0_slowdown, 1690 level0_slowdown_with_compaction, ...`.
pub(super) fn stalls(text: &str) -> Option<BTreeMap<String, u64>> {
    let line = text.lines().find_map(|line| line.strip_prefix("Stalls(count): "))?;
    let counts = line.split(", ").filter(|part| !part.starts_with("interval "));
    let counts = counts.filter_map(|part| {
        let (count, reason) = part.split_once(' ')?;
        Some((reason.to_owned(), count.parse().ok()?))
    });
    Some(counts.filter(|(_, count)| *count > 0).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Excerpts of what db_bench 7.8.3 printed.
    const QUERIES: &str = include_str!("../../tests/fixtures/queries.txt");
    const FILL: &str = include_str!("../../tests/fixtures/fill.txt");

    #[test]
    fn results_have_their_operations_and_seconds() {
        let all: Vec<Outcome> = QUERIES.lines().filter_map(|line| outcome("readrandom", line)).collect();
        let expected = |seconds, operations, found| Outcome { seconds, operations, found: Some([found; 2]) };
        assert_eq!(all, [expected(3.002, 38556, 9679), expected(3.002, 37786, 9419)]);
        let fill: Vec<Outcome> = FILL.lines().filter_map(|line| outcome("filluniquerandom", line)).collect();
        assert_eq!(fill, [Outcome { seconds: 18.367, operations: 62000, found: None }]);
        assert_eq!(outcome("read", "readrandom : 1 micros/op 1 ops/sec 1 seconds 1 operations;"), None);
    }

    #[test]
    fn percentiles_are_those_of_the_last_histogram() {
        let latency = latency(QUERIES).unwrap();
        assert_eq!((latency.p50_us, latency.p99_us), (300.68, 818.15));
        assert_eq!((latency.p999_us, latency.max_us), (4349.45, 10422.0));
    }

    #[test]
    fn tickers_are_found_by_their_whole_name() {
        assert_eq!(ticker(QUERIES, "rocksdb.block.cache.data.miss"), Some(233_972));
        assert_eq!(ticker(QUERIES, "rocksdb.block.cache.data"), None);
    }

    #[test]
    fn the_table_of_compactions_has_files_and_bytes_of_each_level_once() {
        let levels = levels(FILL).unwrap();
        assert_eq!(levels.len(), 7);
        assert_eq!(levels[0], Level { files: 0, bytes: 0.0 });
        assert_eq!(levels[1], Level { files: 5, bytes: 239.33 * 1024.0 });
        assert_eq!(levels[6].files, 732);
        let bytes: f64 = levels.iter().map(|level| level.bytes).sum();
        assert!((bytes / (125.67 * 1048576.0) - 1.0).abs() < 1e-3, "RocksDB's own sum");
    }

    #[test]
    fn stalls_have_their_time_and_reasons() {
        assert_eq!(stall_seconds(FILL), Some(17.082));
        assert_eq!(stall_seconds("Cumulative stall: 01:02:03.500 H:M:S, 1.0 percent"), Some(3723.5));
        let stalls = stalls(FILL).unwrap();
        assert_eq!(stalls.get("level0_slowdown"), Some(&2300));
        assert_eq!(stalls.len(), 5, "{stalls:?}");
    }

    #[test]
    fn a_level_without_a_line_is_empty() {
        let text =
            "  L1      4/0    1.60 MB   0.8\n  L2     18/0    7.96 MB   1.0\n Sum     22/0    9.56 MB\n";
        let files: Vec<u64> = levels(text).unwrap().iter().map(|level| level.files).collect();
        assert_eq!(files, [0, 4, 18]);
        assert_eq!(levels("Uptime"), None);
    }
}
