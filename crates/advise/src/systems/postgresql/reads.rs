//! What PostgreSQL reads: how many pages ahead, how large, and what the planner takes them to cost.

use leadline_model::Estimate;
use leadline_profile::{OpKind, Pattern};

use super::{PAGE, documented};
use crate::{Advice, Drive, Inputs, Setting, Source, Unmeasured, Value};

/// Most requests of `effective_io_concurrency` and `maintenance_io_concurrency`.
const MOST_AHEAD: f64 = 1000.0;

/// The least that is advised, the default of 18: pages are asked for in their order, and the more of them are
/// known, the more a volume that counts requests can combine, and the shorter are a disk's ways.
const LEAST_AHEAD: f64 = 16.0;

/// Both are a distance: of that many pages ahead some have arrived, and the device has only the others to do.
const AHEAD_PER_IN_FLIGHT: f64 = 2.0;

/// Up to that many processors a scan that reads itself beat one that has workers read: on two, a sequential
/// scan took a fifth of the time, and a bitmap heap scan 0.7 (benches/RESULTS.md). With more it was not
/// tried.
const FEW_PROCESSORS: u32 = 2;

/// `io_workers` unless it is set.
const LEAST_WORKERS: f64 = 3.0;

/// Most processes of `io_workers`.
const MOST_WORKERS: f64 = 32.0;

/// What the kernel reads ahead of a sequential scan: `read_ahead_kb` is 128 unless set, and the next such
/// window is asked for while the one before is used.
const READ_AHEAD: u32 = 128 << 10;
const WINDOWS: u32 = 2;

/// `random_page_cost` unless it is set.
const DEFAULT_COST: f64 = 4.0;

/// Rows of 400 bytes, of which 20 fit in a page, are assumed.
const ROWS_PER_PAGE: f64 = 20.0;

/// `cpu_tuple_cost` and `cpu_operator_cost`, for one condition.
const COST_PER_ROW: f64 = 0.01 + 0.0025;

/// Above this fraction of the pages, a bitmap heap scan that costs as much as the whole table would be dearer
/// than it at smaller fractions: its price per page falls faster than the number of pages grows.
const MOST_OF_THE_TABLE: f64 = 0.6;

const IO: &str = "documentation, \"Resource Consumption\": \"Asynchronous Behavior\", since 18 \"I/O\"";
const PLANNER: &str = "documentation, \"Query Planning\": \"Planner Cost Constants\"";

pub(super) fn add(drive: &Drive, inputs: &Inputs, version: u32, advice: &mut Advice) {
    for key in ["effective_io_concurrency", "maintenance_io_concurrency"] {
        advice.add(key, concurrency(drive, version, key));
    }
    advice.add("random_page_cost", random_page_cost(drive, inputs));
    advice.add("seq_page_cost", Ok(seq_page_cost()));
    if version >= 18 {
        let cores = inputs.cores.or(drive.profile().device.cpus);
        let has_few = cores.is_some_and(|cores| cores <= FEW_PROCESSORS);
        advice.add("io_method", io_method(drive, has_few));
        if !has_few {
            advice.add("io_workers", io_workers(drive));
        }
        if advice.setting("io_method").is_some() {
            advice.notes.push(
                "io_method = io_uring has no limit like io_workers; builds with liburing have it".to_owned(),
            );
        }
    }
    if version >= 17 {
        for key in ["io_max_combine_limit", "io_combine_limit"] {
            if key == "io_combine_limit" || version >= 18 {
                advice.add(key, combine_limit(drive, version, key));
            }
        }
    }
}

/// How many pages a bitmap heap scan asks for before it needs them; since 18 how many requests any scan.
fn concurrency(drive: &Drive, version: u32, key: &'static str) -> Result<Setting, Unmeasured> {
    let k = drive.reads_in_flight(Pattern::Random, PAGE)?;
    let ahead = |k: f64| (AHEAD_PER_IN_FLIGHT * k).clamp(LEAST_AHEAD, MOST_AHEAD);
    let value = ahead(k.value);
    let times = times(drive)?;
    // Where a scan takes a quarter longer; and with no more than are in flight it does as well by definition.
    let low = times.iter().find(|(_, time)| *time <= 1.25).map_or(value, |(k, _)| *k).min(k.value);
    let rule = format!(
        "{} random reads of 8K in flight reach 90 % of the most that the device does, {:.0} per second; \
         twice as many pages ahead, since some of them have arrived already, and 16 at least",
        k.value,
        drive.plateau(OpKind::Read, Pattern::Random, PAGE)?.value
    );
    let default = match (key, version) {
        (_, 18..) => 16.0,
        ("effective_io_concurrency", _) => 1.0,
        _ => 10.0,
    };
    Ok(Setting::new(key, Value::Number(value), "pages ahead", rule, documented(IO))
        .interval(k.ci.map(ahead))
        .fits(low, 8.0 * value)
        .on_ladder(LEAST_AHEAD, [LEAST_AHEAD, MOST_AHEAD])
        .default(Value::Number(default))
        .if_wrong(
            "a scan waits for one page after the other while the device could serve several",
            "reads of other sessions wait behind the reads of one scan",
        )
        .costs("a cold bitmap heap scan", points(&times)))
}

/// Reads in flight, and the time per page / the time per page at the plateau.
fn times(drive: &Drive) -> Result<Vec<(f64, f64)>, Unmeasured> {
    let most = drive.plateau(OpKind::Read, Pattern::Random, PAGE)?.value;
    let curve = drive.curve(OpKind::Read, Pattern::Random, PAGE, false);
    Ok(curve.iter().map(|point| (f64::from(point.concurrency), (most / point.iops).max(1.0))).collect())
}

fn points(times: &[(f64, f64)]) -> Vec<(Value, f64)> {
    times.iter().map(|&(k, time)| (Value::Number(k), time)).collect()
}

/// A page at random against a page in sequence, both as scans read them.
fn random_page_cost(drive: &Drive, inputs: &Inputs) -> Result<Setting, Unmeasured> {
    let k = drive.reads_in_flight(Pattern::Random, PAGE)?.value.min(MOST_AHEAD);
    let random = drive.throughput(OpKind::Read, Pattern::Random, PAGE, k)?;
    let alone = drive.throughput(OpKind::Read, Pattern::Random, PAGE, 1.0)?;
    let sequential = drive.bandwidth(OpKind::Read, Pattern::Sequential, READ_AHEAD, WINDOWS)?;
    let pages = sequential.times(1.0 / f64::from(PAGE));
    let cached = inputs.cached_share();
    // The planner takes seq_page_cost as 1, and no page is cheaper than that.
    let ratio = |random: f64, pages: f64| as_priced(((1.0 - cached) * pages / random).max(1.0));
    let cost = Estimate::of(
        ratio(random.value, pages.value),
        [ratio(random.ci[1], pages.ci[0]), ratio(random.ci[0], pages.ci[1])],
    );
    let value = (10.0 * cost.value).round() / 10.0;
    let held = match cached {
        0.0 => "nothing cached".to_owned(),
        share => format!("{:.0} % cached", 100.0 * share),
    };
    let rule = format!(
        "a random page takes {:.1} \u{b5}s with {k} in flight, as a bitmap heap scan reads it ({:.1} \u{b5}s \
         alone), a sequential one {:.1} \u{b5}s with read-ahead of 128 KiB, {held}; the planner's pages get \
         cheaper the more of the table is read, the device's do not, and it takes reading and the work on \
         rows as done one after the other, so that the value is higher than their ratio: with it both kinds \
         of scan cost the same where they take the same time, at 20 rows per page",
        1e6 / random.value,
        1e6 / alone.value,
        1e6 / pages.value,
    );
    Ok(Setting::new("random_page_cost", Value::Number(value), "sequential pages", rule, documented(PLANNER))
        .interval(cost.ci)
        .fits((value / 4.0).max(1.0), 4.0 * value)
        .on_ladder(DEFAULT_COST, [1.0, f64::INFINITY])
        .default(Value::Number(DEFAULT_COST))
        .if_wrong(
            "indexes are used where reading the whole table is faster",
            "whole tables are read where an index is faster",
        ))
}

/// The value at which the planner prices a bitmap heap scan like a sequential one where they take the same
/// time: at 1 / `ratio` of the table's pages, if each takes `ratio` times as long as a sequential one.
///
/// It prices each page of a bitmap heap scan at r - (r - 1) sqrt(f), f the fraction of the table's pages
/// (`cost_bitmap_heap_scan` in src/backend/optimizer/path/costsize.c), as if the more of them were read, the
/// more were next to each other. But each is a request of its own. And it adds the processor's work on every
/// row to what reading the whole table costs, while that work is done as the kernel reads ahead.
///
/// Where random pages are hardly dearer, the default does: with it no fraction is so large that the planner
/// would take the whole table as cheaper.
fn as_priced(ratio: f64) -> f64 {
    let fraction = 1.0 / ratio;
    let root = fraction.sqrt();
    if fraction > MOST_OF_THE_TABLE {
        return DEFAULT_COST;
    }
    let whole_table = 1.0 + ROWS_PER_PAGE * COST_PER_ROW;
    (whole_table / fraction - root) / (1.0 - root)
}

/// The unit of all other costs: no value of it is wrong by itself.
fn seq_page_cost() -> Setting {
    let rule = "the unit of the planner's other costs: only their ratios matter".to_owned();
    Setting::new("seq_page_cost", Value::Number(1.0), "sequential pages", rule, documented(PLANNER))
        .fits(f64::MIN_POSITIVE, f64::MAX)
        .default(Value::Number(1.0))
        .if_wrong("reading is free: the planner takes every plan that reads in sequence", "")
}

/// `sync` on few processors, whatever the device.
fn io_method(drive: &Drive, has_few_processors: bool) -> Result<Setting, Unmeasured> {
    let setting = |value: &str, rule: String, fits: &[&str]| {
        let source = Source { defined: IO, version: "18" };
        let setting = Setting::new("io_method", Value::word(value), "a method", rule, source);
        let fits = crate::Fits::Words(fits.iter().map(|word| (*word).into()).collect());
        Setting { fits, ..setting }.default(Value::word("worker"))
    };
    if has_few_processors {
        let rule = format!(
            "workers would take turns with the scans they serve on up to {FEW_PROCESSORS} processors; with sync \
             the kernel is told of the pages ahead, and reads them meanwhile"
        );
        return Ok(setting("sync", rule, &["sync", "worker", "io_uring"])
            .if_wrong("with worker a scan waits for a processor as often as for a read", ""));
    }
    let k = drive.reads_in_flight(Pattern::Random, PAGE)?.value;
    let rule =
        format!("the device wants {k} reads in flight, and worker keeps several in flight in every build");
    Ok(setting("worker", rule, &["worker", "io_uring"])
        .if_wrong("with sync a scan waits for each read, apart from what the kernel reads ahead", ""))
}

fn io_workers(drive: &Drive) -> Result<Setting, Unmeasured> {
    let k = drive.reads_in_flight(Pattern::Random, PAGE)?;
    let value = k.value.clamp(LEAST_WORKERS, MOST_WORKERS);
    let rule = format!(
        "each worker has one read under way, and {} random reads of 8K in flight reach 90 % of the most that \
         the device does; from 3, the default, to 32, the most there may be",
        k.value
    );
    let times = times(drive)?;
    let low = times.iter().find(|(_, time)| *time <= 1.25).map_or(value, |(k, _)| k.min(value));
    let source = Source { defined: IO, version: "18" };
    Ok(Setting::new("io_workers", Value::Number(value), "processes", rule, source)
        .interval(k.ci.map(|end| end.clamp(1.0, MOST_WORKERS)))
        .fits(low, MOST_WORKERS)
        .on_ladder(MOST_WORKERS, [LEAST_WORKERS, MOST_WORKERS])
        .default(Value::Number(LEAST_WORKERS))
        .if_wrong(
            "effective_io_concurrency is not reached: the whole server has no more reads under way",
            "processes that have nothing to do",
        )
        .costs("a cold bitmap heap scan with io_method = worker", points(&times)))
}

/// How much a sequential read asks for at a time.
fn combine_limit(drive: &Drive, version: u32, key: &'static str) -> Result<Setting, Unmeasured> {
    let most: u32 = 256 << 10;
    let sizes: Vec<u32> = (13..=18).map(|power| 1 << power).filter(|size| *size <= most).collect();
    let bandwidths: Vec<(u32, Estimate)> = sizes
        .iter()
        .map(|&size| Ok((size, drive.bandwidth(OpKind::Read, Pattern::Sequential, size, 16)?)))
        .collect::<Result<_, Unmeasured>>()?;
    let best = bandwidths.iter().map(|(_, bandwidth)| bandwidth.value).fold(0.0, f64::max);
    // For certain: larger requests do no harm, and noise would choose between two sizes.
    let reaching = bandwidths.iter().find(|(_, bandwidth)| bandwidth.ci[0] >= 0.95 * best);
    // Below the default nothing is gained.
    let size = reaching.map_or(most, |(size, _)| *size).max(READ_AHEAD);
    let rule = format!(
        "the smallest request, from the default of 128K on, that reads in sequence with 16 in flight for \
         certain at 95 % of the most, {:.0} MB/s",
        best / 1e6
    );
    let relative = |(size, bandwidth): &(u32, Estimate)| {
        (Value::Bytes(u64::from(*size)), (best / bandwidth.value).max(1.0))
    };
    let version = if version >= 18 { "18" } else { "17" };
    Ok(Setting::new(key, Value::Bytes(size.into()), "bytes", rule, Source { defined: IO, version })
        .fits(f64::from(size) / 2.0, f64::from(8 * size))
        .default(Value::Bytes(READ_AHEAD.into()))
        .if_wrong(
            "a sequential scan makes more requests than it needs",
            "more buffers are pinned at a time, for nothing",
        )
        .costs("a cold sequential scan", bandwidths.iter().map(relative).collect()))
}
