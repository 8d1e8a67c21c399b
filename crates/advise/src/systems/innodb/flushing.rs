//! How fast InnoDB writes dirty pages, and which.

use leadline_model::Estimate;
use leadline_profile::{DurableWrites, OpKind, Pattern};

use super::pages::{beside_reads, capacity, p99_at_rest, with_doublewrite};
use super::{Flavour, concurrency};
use crate::{Advice, Drive, Inputs, Setting, Source, Unmeasured, Value};

/// By how much writing may raise the 99th percentile of reads, unless the user gives a limit.
const TIMES_AT_REST: f64 = 2.0;

/// The least of `innodb_io_capacity`, `innodb_io_capacity_max` and `innodb_lru_scan_depth`.
const LEAST: f64 = 100.0;

/// Beyond which MySQL's manual sees no use in a higher `innodb_io_capacity`.
const MOST_USEFUL: f64 = 20_000.0;

/// Four times which and so on are whole numbers, one of them near that.
const STEPS: f64 = 80.0;

/// A random write that takes that many times as long as one in sequence is a seek.
const SEEK: f64 = 4.0;

/// A page, and requests in flight, when random writes are compared with those in sequence.
const PAGE: u32 = 16 << 10;
const IN_FLIGHT: u32 = 16;

const CAPACITY: Source = Source {
    defined: "MySQL manual, \"Configuring InnoDB I/O Capacity\"; MariaDB documentation, \"InnoDB Page \
              Flushing\"",
    version: "MySQL 8.0 to 9, MariaDB 10.11 to 11",
};
const VARIABLES: Source = Source {
    defined: "MySQL manual, \"InnoDB Startup Options and System Variables\"; MariaDB documentation, \"InnoDB \
              System Variables\"",
    version: "MySQL 8.0 to 9, MariaDB 10.11 to 11",
};

pub(super) fn add(drive: &Drive, inputs: &Inputs, flavour: Flavour, advice: &mut Advice) {
    let capacity_max = io_capacity_max(drive, inputs, flavour);
    let most = capacity_max.as_ref().ok().and_then(|setting| setting.value.number());
    match pace(drive, inputs) {
        Ok(Some(pace)) => {
            let most = most.map_or(MOST_USEFUL, |most| most.min(MOST_USEFUL));
            let setting = io_capacity(drive, &pace, flavour).on_ladder(STEPS, [LEAST, most]);
            advice.add("innodb_io_capacity", Ok(setting));
        }
        Ok(None) => advice.notes.push(
            "innodb_io_capacity: reads alone already take longer than the limit (99th percentile), so no \
             rate of flushing keeps it; give a higher one"
                .to_owned(),
        ),
        Err(missing) => advice.add("innodb_io_capacity", Err(missing)),
    }
    advice.add("innodb_io_capacity_max", capacity_max);
    advice.add("innodb_lru_scan_depth", lru_scan_depth(drive, inputs, flavour));
    advice.add("innodb_flush_neighbors", flush_neighbors(drive, flavour));
    match flavour {
        Flavour::Mariadb { since_11: true } => advice.notes.push(
            "innodb_flush_method is deprecated in MariaDB 11; its default, innodb_data_file_buffering = \
             OFF, is direct I/O"
                .to_owned(),
        ),
        _ if drive.profile().method.direct => {
            advice.add("innodb_flush_method", Ok(flush_method(flavour)));
        }
        _ => advice.notes.push(
            "innodb_flush_method: the profile was measured through the page cache, so it does not show that \
             direct I/O works there"
                .to_owned(),
        ),
    }
}

fn found<'a>(drive: &Drive<'a>) -> Result<&'a DurableWrites, Unmeasured> {
    let missing = || Unmeasured::experiment("durable-writes", "the latency of reads during durable writes");
    drive.profile().experiments.durable_writes.as_ref().ok_or_else(missing)
}

/// How fast pages may be written during reads.
struct Pace {
    /// The 99th percentile of reads at rest, and its limit, microseconds.
    rest: f64,
    limit: f64,
    /// Where the limit comes from.
    whence: &'static str,
    /// Durable writes per second that keep it.
    writes: Estimate,
}

/// `None` where reads alone exceed the limit.
fn pace(drive: &Drive, inputs: &Inputs) -> Result<Option<Pace>, Unmeasured> {
    let found = found(drive)?;
    let rest = p99_at_rest(found)
        .ok_or_else(|| Unmeasured::experiment("durable-writes", "latency of reads at rest"))?;
    let (limit, whence) = match inputs.read_p99_seconds {
        Some(given) => (1e6 * given, "as given"),
        None => (TIMES_AT_REST * rest, "twice that at rest"),
    };
    Ok(beside_reads(found, limit).map(|writes| Pace { rest, limit, whence, writes }))
}

/// What a volume that has spent its burst credit allows, and the bandwidth for the doublewrite area.
fn lasting(drive: &Drive, writes: Estimate) -> Estimate {
    let writes = match drive.baseline() {
        Some(baseline) => {
            Estimate { value: writes.value.min(baseline), ci: writes.ci.map(|end| end.min(baseline)) }
        }
        None => writes,
    };
    let sequential = drive.sustained_writes(Pattern::Sequential).ok();
    with_doublewrite(writes, sequential.map(|bandwidth| bandwidth.value))
}

/// What is said of the limits that [`lasting`] knows.
fn lasting_in_words(drive: &Drive) -> String {
    let baseline = drive.baseline().map_or(String::new(), |baseline| {
        format!(", not more than the {baseline:.0} requests per second that the volume's baseline allows")
    });
    let doublewrite = match drive.sustained_writes(Pattern::Sequential) {
        Ok(bandwidth) => format!(
            "each page is written to the doublewrite area too, in sequence at {:.0} MB/s",
            bandwidth.value / 1e6
        ),
        Err(_) => {
            "each page counts twice for the doublewrite area (experiment sustained would tell how fast that \
             is written in sequence)"
                .to_owned()
        }
    };
    format!("{baseline}; {doublewrite}")
}

/// Pages per second, as the server takes them.
fn whole(pages: f64) -> f64 {
    pages.floor().max(LEAST)
}

/// The pace at which pages are flushed while nothing presses.
fn io_capacity(drive: &Drive, pace: &Pace, flavour: Flavour) -> Setting {
    let pages = lasting(drive, pace.writes);
    let value = whole(pages.value).min(MOST_USEFUL);
    let bounded = match pages.value {
        pages if pages < LEAST => "; InnoDB takes no less than 100",
        pages if pages > MOST_USEFUL => "; beyond 20000 the manual sees little use",
        _ => "",
    };
    let rule = format!(
        "{:.0} random durable writes of 16K per second keep the 99th percentile of reads within {:.0} \
         \u{b5}s ({}; at rest it is {:.0} \u{b5}s){}{bounded}",
        pace.writes.value,
        pace.limit,
        pace.whence,
        pace.rest,
        lasting_in_words(drive)
    );
    let key = "innodb_io_capacity";
    let default = if flavour == (Flavour::Mysql { since_8_4: true }) { 10_000.0 } else { 200.0 };
    Setting::new(key, Value::Number(value), "pages per second", rule, CAPACITY)
        .interval(pages.ci)
        // The manual: as low as practical. A tenth is still enough for what changes slowly.
        .fits((value / 10.0).max(LEAST), whole(pages.ci[1]).max(1.25 * value))
        .default(Value::Number(default))
        .if_wrong(
            "dirty pages pile up until the redo log is full, and then all of them are flushed at once while \
             writers wait",
            "flushing takes the drive from reads, and writes pages that will soon change again",
        )
        .costs("the slowest hundredth of reads", slower_reads(drive, pace.rest))
}

/// The 99th percentile of reads at each rate of flushing / at rest.
fn slower_reads(drive: &Drive, rest: f64) -> Vec<(Value, f64)> {
    let points = found(drive).map_or(&[][..], |found| &found.points);
    let keeping_up = points.iter().filter(|point| point.write_share > 0.0 && !point.fell_behind);
    keeping_up
        .map(|point| {
            let writes = Estimate::of(point.writes_per_second, [point.writes_per_second; 2]);
            (Value::Number(lasting(drive, writes).value.round()), (point.latency_us.p99 / rest).max(1.0))
        })
        .collect()
}

/// The most pages per second that are flushed when the redo log fills.
fn most_pages(drive: &Drive) -> Result<Estimate, Unmeasured> {
    Ok(lasting(drive, capacity(found(drive)?)))
}

fn io_capacity_max(drive: &Drive, inputs: &Inputs, flavour: Flavour) -> Result<Setting, Unmeasured> {
    let pages = most_pages(drive)?;
    let value = whole(pages.value);
    let rule = format!(
        "all {:.0} random durable writes of 16K per second that the drive makes{}",
        capacity(found(drive)?).value,
        lasting_in_words(drive)
    );
    let pace =
        pace(drive, inputs)?.map_or(0.0, |pace| whole(lasting(drive, pace.writes).value).min(MOST_USEFUL));
    let value = value.max(pace);
    let default = match flavour {
        Flavour::Mysql { since_8_4: true } => 20_000.0,
        _ => 2000.0,
    };
    let key = "innodb_io_capacity_max";
    Ok(Setting::new(key, Value::Number(value), "pages per second", rule, CAPACITY)
        .interval(pages.ci)
        .fits((value / 10.0).max(LEAST), 1.5 * value)
        .on_ladder(STEPS, [LEAST, f64::INFINITY])
        .default(Value::Number(default))
        .if_wrong(
            "the redo log fills although the drive could write more, and writers wait for a checkpoint",
            "more pages are asked for than the drive writes: they queue, and reads wait behind them",
        ))
}

/// Pages per second that each instance of the buffer pool may flush to have free ones; `innodb_io_capacity`
/// does not limit that.
fn lru_scan_depth(drive: &Drive, inputs: &Inputs, flavour: Flavour) -> Result<Setting, Unmeasured> {
    let pages = most_pages(drive)?;
    let instances = concurrency::instances(drive, inputs, flavour);
    let share = whole(pages.value / instances);
    let default = if flavour.is_mysql() { 1024.0 } else { 1536.0 };
    let value = share.min(default);
    let rule = format!(
        "the {:.0} pages per second that the drive can flush, over the instances of the buffer \
         pool ({instances}), and not more than the default: looking through more takes processor time",
        pages.value
    );
    Ok(Setting::new("innodb_lru_scan_depth", Value::Number(value), "pages", rule, VARIABLES)
        .interval(pages.ci.map(|end| (end / instances).clamp(LEAST, default)))
        .fits(LEAST, 1.5 * share)
        .default(Value::Number(default))
        .if_wrong(
            "sessions find no free page and have to flush one themselves before they can read",
            "more pages are flushed to have free ones than the drive writes; innodb_io_capacity does not \
             limit it",
        ))
}

/// Whether to flush pages next to each other together: only where that saves a seek.
fn flush_neighbors(drive: &Drive, flavour: Flavour) -> Result<Setting, Unmeasured> {
    let of = |pattern| drive.bandwidth(OpKind::Write, pattern, PAGE, IN_FLIGHT);
    let (random, sequential) = (of(Pattern::Random)?, of(Pattern::Sequential)?);
    let ratio = sequential.value / random.value;
    let value = if ratio >= SEEK { 1.0 } else { 0.0 };
    let rule = format!(
        "a random write of 16K takes {ratio:.1} times as long as one in sequence, {IN_FLIGHT} in flight; \
         pages next to each other are worth writing together from {SEEK} on. The kernel's word for what \
         spins is not used: virtual disks seldom tell"
    );
    let key = "innodb_flush_neighbors";
    let (low, high) = if ratio >= SEEK { (1.0, 2.0) } else { (0.0, 0.0) };
    Ok(Setting::new(
        key,
        Value::Number(value),
        "(0: no, 1: adjacent pages, 2: the whole extent)",
        rule,
        VARIABLES,
    )
    .fits(low, high)
    .default(Value::Number(if flavour.is_mysql() { 0.0 } else { 1.0 }))
    .if_wrong(
        "each page is a seek of its own, although those next to it are dirty too",
        "pages are written before their time for a seek that this drive does not make",
    ))
}

fn flush_method(flavour: Flavour) -> Setting {
    let rule =
        "direct I/O works there: the profile was measured with it. Pages are cached once, in the buffer \
                pool, and their writes are not held back by the kernel"
            .to_owned();
    let default = if flavour == (Flavour::Mysql { since_8_4: false }) { "fsync" } else { "O_DIRECT" };
    let setting = Setting::new("innodb_flush_method", Value::word("O_DIRECT"), "a method", rule, VARIABLES);
    let fits = crate::Fits::Words(vec!["O_DIRECT".to_owned(), "O_DIRECT_NO_FSYNC".to_owned()]);
    Setting { fits, ..setting }
        .default(Value::word(default))
        .if_wrong("pages are cached twice, and the kernel writes them in bursts behind which reads wait", "")
}
