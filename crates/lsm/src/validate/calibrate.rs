//! What RocksDB costs this machine's processor, from small databases of shapes that are not judged.

use std::sync::atomic::AtomicBool;

use crate::{Data, Layout, ProcessorCosts};

use super::db_bench::{Database, DbBench, Run};
use super::error::ValidateError;
use super::fill::{self, Fill, Shares};
use super::output;
use super::read::{self, Operation, Queries, Read};
use super::scratch::Scratch;

/// Data of each database.
pub(super) const DATA_BYTES: f64 = (64 << 20) as f64;
/// A pass over queries takes no longer than this, seconds.
const MOST_SECONDS: u32 = 3;
/// Pairs that a long scan returns.
const LONG_SCAN: u32 = 128;
const MIB: f64 = (1 << 20) as f64;

/// Files in level 0 that start a compaction; no layout that is judged has as many.
const L0_FILES: u32 = 6;
const FILE_BYTES: u64 = 128 << 10;
/// The block cache when it is to hold next to nothing.
const SMALL_CACHE_BYTES: u64 = 64 << 10;

/// What is measured with.
pub(super) struct Bench<'a> {
    pub(super) bench: &'a DbBench,
    pub(super) folder: &'a Scratch,
    /// Whose pairs are of the sizes to calibrate for.
    pub(super) data: Data,
    /// Seconds of a pass over queries.
    pub(super) seconds: u32,
    pub(super) seed: u64,
}

/// Steps of a calibration, of which `done` is told: two fills, one compaction, two states of six reads.
const STEPS: f64 = 15.0;

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
    next("filling");
    let db = bench.database(bench.data);
    let own = fill::run_with_shares(&db, "calibrating a fill", bench.seed, cancel)?;
    let writes = Writes::of([&own, &other], db.data.pairs);
    let levels = Reads::measure(bench, &db, runs(&own.0.levels), cancel, &mut next)?;
    next("compacting into one sorted run");
    let compact = Run {
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
    let value_bytes = if data.value_bytes >= 512 { data.value_bytes / 8 } else { data.value_bytes * 8 + 64 };
    Data { value_bytes, ..*data }
}

/// Sorted runs of a tree: the files in level 0, and each other level that has files.
fn runs(levels: &[output::Level]) -> f64 {
    let below = levels.iter().skip(1).filter(|level| level.files > 0).count();
    levels.first().map_or(0, |level| level.files) as f64 + below as f64
}

impl Bench<'_> {
    fn database(&self, data: Data) -> Database<'_> {
        let layout = Layout {
            fanout: 10.0,
            l0_files: L0_FILES,
            file_bytes: FILE_BYTES,
            base_bytes: u64::from(L0_FILES) * FILE_BYTES,
            memtable_bytes: FILE_BYTES,
            cache_bytes: SMALL_CACHE_BYTES,
            ..Layout::default()
        };
        let data = Data::of_bytes(DATA_BYTES, data.key_bytes, data.value_bytes);
        Database { bench: self.bench, folder: self.folder, data, layout }
    }
}

/// What one client's queries cost on one tree, with all data in the block cache and with next to none.
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
        let mut both = |operation: Operation, scan_pairs: u32| -> Result<[Read; 2], ValidateError> {
            let mut read = |cached: bool| {
                let place = if cached { "in the cache" } else { "on the device" };
                next(&format!("{} with {runs} sorted runs {place}", operation.words()));
                let seconds = bench.seconds.min(MOST_SECONDS);
                let queries =
                    Queries { operation, clients: 1, scan_pairs, seconds, cached, seed: bench.seed };
                let cache_bytes = if cached { 4 * DATA_BYTES as u64 } else { SMALL_CACHE_BYTES };
                let db = Database { layout: Layout { cache_bytes, ..db.layout }, ..*db };
                read::run(&db, &format!("calibrating {}", operation.words()), &queries, cancel)
            };
            Ok([read(true)?, read(false)?])
        };
        Ok(Reads {
            runs,
            points: both(Operation::Point, 0)?,
            seeks: both(Operation::Scan, 0)?,
            scans: both(Operation::Scan, LONG_SCAN)?,
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
}

impl Writes {
    /// From a fill of the pairs to calibrate for, of which there are `pairs`, and one of other pairs.
    fn of(fills: [&(Fill, Shares); 2], pairs: f64) -> Writes {
        // Pairs and MiB of each fill's compactions, and what they took.
        let equation = |(fill, shares): &(Fill, Shares)| {
            let background = &fill.background;
            let bytes = (background.compaction_read_bytes + background.compaction_written_bytes) as f64;
            [background.compaction_pairs as f64, bytes / MIB, shares.compaction_seconds * 1e6]
        };
        let (merge_pair_us, mib_us) = two(equation(fills[0]), equation(fills[1]));
        let (own, shares) = fills[0];
        let flushed_mib = own.background.flushed_bytes as f64 / MIB;
        Writes {
            insert_us: (shares.insert_seconds * 1e6 / pairs).max(0.0),
            flush_pair_us: ((shares.flush_seconds * 1e6 - flushed_mib * mib_us) / pairs).max(0.0),
            merge_pair_us,
            mib_us,
        }
    }
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
    }
}
