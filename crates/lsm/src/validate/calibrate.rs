//! What RocksDB costs this machine's processor, from small databases of shapes that are not judged.

use std::sync::atomic::AtomicBool;

use leadline_process::Scratch;

use crate::{Data, Layout, ProcessorCosts};

use super::db_bench::{BenchRun, Database, DbBench, Tuning};
use super::error::ValidateError;
use super::fill::{self, Fill, Shares};
use super::output;
use super::read::{self, Queries, Query, Read};

/// Files of each database: enough for several levels.
const FILES: u64 = 128;
/// Files of one that is filled to see what many files cost.
const MANY_FILES: u64 = 1024;
/// A pass over queries takes no longer than this, seconds.
const MOST_SECONDS: u32 = 3;
/// Pairs that a long scan returns.
const LONG_SCAN: u32 = 128;
const MIB: f64 = (1 << 20) as f64;

/// Files in level 0 that start a compaction; no layout that is judged has as many.
const L0_FILES: u32 = 6;
/// The block cache when it is to hold next to nothing.
const SMALL_CACHE_BYTES: u64 = 64 << 10;

/// What is measured with.
pub(super) struct Bench<'a> {
    pub(super) bench: &'a DbBench,
    pub(super) folder: &'a Scratch,
    /// Whose pairs are of the sizes to calibrate for.
    pub(super) data: Data,
    /// Size of the files in the trees that are judged. A file costs the same whatever is in it, so what a MiB
    /// costs depends on it.
    pub(super) file_bytes: u64,
    /// Seconds of a pass over queries.
    pub(super) seconds: u32,
    pub(super) seed: u64,
}

/// Size of the largest database, bytes.
pub(super) fn data_bytes(file_bytes: u64) -> u64 {
    MANY_FILES * file_bytes
}

/// Steps of a calibration, of which `done` is told: three fills, one compaction, two states of six reads.
const STEPS: f64 = 16.0;

/// Measures the costs.
///
/// # Errors
/// Where db_bench fails or a count is missing.
pub(super) fn run(
    bench: &Bench,
    cancel: &AtomicBool,
    done: &mut dyn FnMut(f64, &str),
) -> Result<ProcessorCosts, ValidateError> {
    let mut step = 0.0;
    let mut next = |what: &str| {
        done(step / STEPS, what);
        step += 1.0;
    };
    next("filling with pairs of another size");
    let others = bench.database(other_size(&bench.data));
    let other = fill::run_with_shares(&others, "calibrating a fill of other pairs", bench.seed, cancel)?;
    others.remove()?;
    next("filling with many files");
    let many = bench.database_of(MANY_FILES, bench.data);
    let large = fill::run_with_shares(&many, "calibrating a fill of many files", bench.seed, cancel)?;
    many.remove()?;
    next("filling");
    let db = bench.database(bench.data);
    let own = fill::run_with_shares(&db, "calibrating a fill", bench.seed, cancel)?;
    let writes = Writes::of([&own, &other, &large], db.data.pairs);
    let levels = Reads::measure(bench, &db, runs(&own.0.levels), cancel, &mut next)?;
    next("compacting into one sorted run");
    let compact = BenchRun {
        during: "calibrating a compaction of all",
        benchmarks: "compact,stats",
        compactions: false,
        options: vec!["--use_existing_db=true".into()],
        seed: bench.seed,
    };
    let text = db.run(&compact, cancel, &mut |_, _| ())?;
    let one_run = output::levels(&text).map_or(1.0, |levels| runs(&levels));
    let single = Reads::measure(bench, &db, one_run, cancel, &mut next)?;
    db.remove()?;
    Ok(solve(&writes, &[levels, single]))
}

/// Pairs of another size, so that what each pair costs and what each byte costs can be told apart.
fn other_size(data: &Data) -> Data {
    let value_bytes =
        if data.value_bytes >= 512 { data.value_bytes / 32 } else { data.value_bytes * 32 + 64 };
    Data { value_bytes, ..*data }
}

/// Sorted runs of a tree: the files in level 0, and each other level that has files.
fn runs(levels: &[output::Level]) -> f64 {
    let below = levels.iter().skip(1).filter(|level| level.files > 0).count();
    levels.first().map_or(0, |level| level.files) as f64 + below as f64
}

impl Bench<'_> {
    fn database(&self, data: Data) -> Database<'_> {
        self.database_of(FILES, data)
    }

    fn database_of(&self, files: u64, data: Data) -> Database<'_> {
        let layout = Layout {
            fanout: 10.0,
            l0_files: L0_FILES,
            file_bytes: self.file_bytes,
            base_bytes: u64::from(L0_FILES) * self.file_bytes,
            memtable_bytes: self.file_bytes,
            cache_bytes: SMALL_CACHE_BYTES,
            jobs: two_per_processor(),
            ..Layout::default()
        };
        let bytes = (files * self.file_bytes) as f64;
        let data = Data::of_bytes(bytes, data.key_bytes, data.value_bytes);
        Database { bench: self.bench, folder: self.folder, data, layout, tuning: Tuning::default() }
    }
}

/// Clients of queries that read from the device, and compactions at a time.
///
/// With fewer clients a processor falls asleep in every read and is woken up, which takes time that nobody
/// else would miss: in a virtual machine with two processors, a query of 2.9 blocks took 129 us of processor
/// time with one client and 45 us with four. Compactions meet each other's locks: there, they took 2.5 ms of
/// processor time per MiB with one at a time, 3.1 ms with four and 3.6 ms with sixteen.
fn two_per_processor() -> u32 {
    std::thread::available_parallelism().map_or(1, |count| count.get() as u32 * 2)
}

/// What queries cost on one tree, with all data in the block cache and with next to none.
struct Reads {
    runs: f64,
    points: [Read; 2],
    seeks: [Read; 2],
    scans: [Read; 2],
}

impl Reads {
    fn measure(
        bench: &Bench,
        db: &Database,
        runs: f64,
        cancel: &AtomicBool,
        next: &mut impl FnMut(&str),
    ) -> Result<Reads, ValidateError> {
        let mut both = |operation: Query, scan_pairs: u32| -> Result<[Read; 2], ValidateError> {
            let mut read = |cached: bool| {
                let place = if cached { "in the cache" } else { "on the device" };
                next(&format!("{} with {runs} sorted runs {place}", operation.words()));
                let seconds = bench.seconds.min(MOST_SECONDS);
                let clients = if cached { 1 } else { two_per_processor() };
                let queries = Queries { operation, clients, scan_pairs, seconds, cached, seed: bench.seed };
                let cache_bytes = if cached { 4 * FILES * bench.file_bytes } else { SMALL_CACHE_BYTES };
                let db = Database { layout: Layout { cache_bytes, ..db.layout }, ..*db };
                read::run(&db, &format!("calibrating {}", operation.words()), &queries, cancel)
            };
            Ok([read(true)?, read(false)?])
        };
        Ok(Reads {
            runs,
            points: both(Query::Point, 0)?,
            seeks: both(Query::Scan, 0)?,
            scans: both(Query::Scan, LONG_SCAN)?,
        })
    }
}

/// What writing costs, microseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Writes {
    insert_us: f64,
    flush_pair_us: f64,
    merge_pair_us: f64,
    mib_us: f64,
    edit_file_us: f64,
}

/// Rounds in which the cost of a file and those of pairs and bytes are found from each other; each makes the
/// error smaller by the ratio of the numbers of files.
const ROUNDS: u32 = 8;

impl Writes {
    /// From a fill of the pairs to calibrate for, of which there are `pairs`, one of other pairs, and one
    /// of as large pairs with many more files.
    fn of(fills: [&(Fill, Shares); 3], pairs: f64) -> Writes {
        let mut edit_file_us = 0.0;
        let (mut merge_pair_us, mut mib_us) = (0.0, 0.0);
        // Pairs and MiB of a fill's compactions, and what they took without the lists of files.
        let equation = |(fill, shares): &(Fill, Shares), edit_file_us: f64| {
            let background = &fill.background;
            let bytes = (background.compaction_read_bytes + background.compaction_written_bytes) as f64;
            let lists = listed_files(fill) * edit_file_us;
            [background.compaction_pairs as f64, bytes / MIB, shares.compaction_seconds * 1e6 - lists]
        };
        for _ in 0..ROUNDS {
            (merge_pair_us, mib_us) = two(equation(fills[0], edit_file_us), equation(fills[1], edit_file_us));
            let [pairs, mib, us] = equation(fills[2], 0.0);
            let rest = us - pairs * merge_pair_us - mib * mib_us;
            edit_file_us = (rest / listed_files(&fills[2].0).max(1.0)).max(0.0);
        }
        let (own, shares) = fills[0];
        let flushed_mib = own.background.flushed_bytes as f64 / MIB;
        Writes {
            insert_us: (shares.insert_seconds * 1e6 / pairs).max(0.0),
            flush_pair_us: ((shares.flush_seconds * 1e6 - flushed_mib * mib_us) / pairs).max(0.0),
            merge_pair_us,
            mib_us,
            edit_file_us,
        }
    }
}

/// Files in all lists that a fill's compactions and moves made: the tree grows evenly to its last size.
fn listed_files(fill: &Fill) -> f64 {
    let files: u64 = fill.levels.iter().map(|level| level.files).sum();
    (fill.background.compactions + fill.background.moves) as f64 * files as f64 / 2.0
}

/// Solves `a x + b y = c` twice, for x and y of at least 0; where one would be less it is 0, and the other is
/// that of least squares.
fn two(first: [f64; 3], second: [f64; 3]) -> (f64, f64) {
    let ([a, b, c], [d, e, f]) = (first, second);
    let determinant = a * e - b * d;
    let (x, y) = ((c * e - b * f) / determinant, (a * f - c * d) / determinant);
    match (x >= 0.0, y >= 0.0) {
        (true, true) => (x, y),
        (false, _) => (0.0, slope([(b, c), (e, f)])),
        (true, false) => (slope([(a, c), (d, f)]), 0.0),
    }
}

/// The slope of the line through the origin that is closest to the points (x, y); at least 0.
fn slope<const N: usize>(points: [(f64, f64); N]) -> f64 {
    let square: f64 = points.iter().map(|(x, _)| x * x).sum();
    let product: f64 = points.iter().map(|(x, y)| x * y).sum();
    if square > 0.0 { (product / square).max(0.0) } else { 0.0 }
}

/// The costs that explain what both trees cost.
fn solve(writes: &Writes, trees: &[Reads; 2]) -> ProcessorCosts {
    let [levels, single] = trees;
    let line = |tree: &Reads, of: fn(&Reads) -> &[Read; 2]| {
        let [cached, _] = of(tree);
        [1.0, cached.cache_hits, cached.processor_us]
    };
    // In the cache, a query costs its own and each block's.
    let points: fn(&Reads) -> &[Read; 2] = |tree| &tree.points;
    let (point_us, cached_block_us) = two(line(levels, points), line(single, points));
    let block_us = slope(trees.each_ref().map(|tree| {
        let [_, device] = &tree.points;
        (device.cache_misses, device.processor_us - point_us - device.cache_hits * cached_block_us)
    }));
    // A scan of no pairs likewise, and each run's.
    let seek = |tree: &Reads| {
        let [cached, _] = &tree.seeks;
        [1.0, tree.runs, cached.processor_us - cached.cache_hits * cached_block_us]
    };
    let (seek_us, seek_run_us) = two(seek(levels), seek(single));
    let pairs = f64::from(LONG_SCAN);
    let pair_us = slope(trees.each_ref().map(|tree| {
        let ([cached, _], [longer, _]) = (&tree.seeks, &tree.scans);
        (pairs, longer.processor_us - cached.processor_us)
    }));
    // From the device, a long scan costs what it reads beyond the first blocks as well.
    let read_mib_us = slope(trees.each_ref().map(|tree| {
        let ([_, short], [_, long]) = (&tree.seeks, &tree.scans);
        let mib = (long.device_bytes - short.device_bytes) / MIB;
        (mib, long.processor_us - short.processor_us - pairs * pair_us)
    }));
    ProcessorCosts {
        point_us,
        block_us,
        cached_block_us,
        seek_us,
        seek_run_us,
        pair_us,
        read_mib_us,
        insert_us: writes.insert_us,
        flush_pair_us: writes.flush_pair_us,
        merge_pair_us: writes.merge_pair_us,
        compaction_mib_us: writes.mib_us,
        edit_file_us: writes.edit_file_us,
    }
}

#[cfg(test)]
mod tests {
    use super::super::output::Latency;
    use super::*;

    const COSTS: ProcessorCosts = ProcessorCosts {
        point_us: 3.0,
        block_us: 12.0,
        cached_block_us: 1.5,
        seek_us: 4.0,
        seek_run_us: 0.5,
        pair_us: 0.8,
        read_mib_us: 900.0,
        insert_us: 7.0,
        flush_pair_us: 2.0,
        merge_pair_us: 1.25,
        compaction_mib_us: 600.0,
        edit_file_us: 1.5,
    };

    fn read(processor_us: f64, cache_hits: f64, cache_misses: f64, device_bytes: f64) -> Read {
        let latency = Latency { p50_us: 1.0, p99_us: 1.0, p999_us: 1.0, max_us: 1.0 };
        let (device_reads, operations) = (cache_misses, 1000);
        Read {
            operations,
            seconds: 1.0,
            ops_per_second: 1000.0,
            wall_us: 1000.0,
            processor_us,
            device_reads,
            device_bytes,
            cache_misses,
            cache_hits,
            latency,
        }
    }

    /// What a tree with that many runs and blocks per query would cost.
    fn tree(runs: f64, blocks: f64) -> Reads {
        let c = COSTS;
        let seek = c.seek_us + runs * c.seek_run_us;
        let (cached, device) = (runs * c.cached_block_us, runs * c.block_us);
        let long = 128.0 * c.pair_us;
        Reads {
            runs,
            points: [
                read(c.point_us + blocks * c.cached_block_us, blocks, 0.0, 0.0),
                read(c.point_us + blocks * c.block_us, 0.0, blocks, 4608.0 * blocks),
            ],
            seeks: [read(seek + cached, runs, 0.0, 0.0), read(seek + device, 0.0, runs, 4608.0 * runs)],
            scans: [
                read(seek + cached + long, runs + 64.0, 0.0, 0.0),
                read(
                    seek + device + long + c.read_mib_us * 0.25,
                    0.0,
                    runs + 64.0,
                    4608.0 * runs + 262_144.0,
                ),
            ],
        }
    }

    /// A fill that costs [`COSTS`], of that many pairs, MiB and files.
    fn filled(pairs: f64, mib: f64, files: u64) -> (Fill, Shares) {
        let c = COSTS;
        let background = super::super::events::Background {
            flushed_bytes: (mib * MIB) as u64,
            compaction_read_bytes: (4.0 * mib * MIB) as u64,
            compaction_written_bytes: (4.0 * mib * MIB) as u64,
            compaction_pairs: (4.0 * pairs) as u64,
            compactions: 3 * files,
            moves: files,
            ..Default::default()
        };
        let shares = Shares {
            insert_seconds: pairs * c.insert_us / 1e6,
            flush_seconds: (pairs * c.flush_pair_us + mib * c.compaction_mib_us) / 1e6,
            compaction_seconds: (4.0 * pairs * c.merge_pair_us
                + 8.0 * mib * c.compaction_mib_us
                + 4.0 * (files * files) as f64 / 2.0 * c.edit_file_us)
                / 1e6,
        };
        let fill = Fill {
            fill_seconds: 1.0,
            insert_seconds: 1.0,
            processor_seconds: 1.0,
            device_read_bytes: 0,
            device_written_bytes: 0,
            write_amplification: 5.0,
            stall_seconds: 0.0,
            stalls: Default::default(),
            background,
            levels: vec![output::Level { files, bytes: 1.0 }],
        };
        (fill, shares)
    }

    #[test]
    fn the_costs_with_which_two_trees_and_three_fills_were_made_are_found_again() {
        let writes = Writes::of(
            [&filled(32_000.0, 64.0, 128), &filled(800_000.0, 64.0, 128), &filled(256_000.0, 512.0, 1024)],
            32_000.0,
        );
        let found = solve(&writes, &[tree(7.0, 3.2), tree(1.0, 1.0)]);
        let both = |costs: &ProcessorCosts| serde_json::to_value(costs).unwrap();
        let (found, expected) = (both(&found), both(&COSTS));
        for (name, value) in expected.as_object().unwrap() {
            let (found, value) = (found[name].as_f64().unwrap(), value.as_f64().unwrap());
            assert!((found / value - 1.0).abs() < 1e-6, "{name}: {found}, not {value}");
        }
    }

    #[test]
    fn no_cost_is_negative_and_the_other_then_explains_all() {
        // The second fill took less although it had more of both.
        let (x, y) = two([10.0, 1.0, 100.0], [20.0, 1.5, 90.0]);
        assert!(x == 0.0 && y > 60.0 && y < 100.0, "{x} {y}");
        assert_eq!(two([1.0, 0.0, 5.0], [0.0, 1.0, 7.0]), (5.0, 7.0));
    }

    #[test]
    fn runs_are_the_files_of_level_0_and_the_levels_that_have_files() {
        let level = |files| output::Level { files, bytes: 1.0 };
        assert_eq!(runs(&[level(3), level(4), level(0), level(9)]), 5.0);
    }
}
