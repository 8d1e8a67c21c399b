//! How many requests InnoDB keeps in flight, and with how many threads.

use leadline_model::Estimate;
use leadline_profile::{OpKind, Pattern};

use super::Flavour;
use crate::{Advice, Drive, Inputs, Setting, Source, Unmeasured, Value};

/// Requests that one thread of `innodb_read_io_threads` and the like has at most.
const PER_THREAD: f64 = 256.0;

/// More pending requests per thread than this are the manual's sign that more threads would help.
const COMFORTABLE: f64 = 64.0;

/// What the options are unless set, and what they are seldom worth to be less than.
const DEFAULT_THREADS: f64 = 4.0;
const MOST_THREADS: f64 = 64.0;

/// From the size of a page down: the profile's own sizes are smaller.
const SIZES: [u32; 3] = [16384, 8192, 4096];

const THREADS: Source = Source {
    defined: "MySQL manual, \"Configuring the Number of Background InnoDB I/O Threads\"; MariaDB \
              documentation, \"Configure the InnoDB I/O Threads\"",
    version: "MySQL 8.0 to 9, MariaDB 10.11 to 11",
};
const CLEANERS: Source =
    Source { defined: "MySQL manual, \"Configuring Buffer Pool Flushing\"", version: "MySQL 8.0 to 9" };

pub(super) fn add(drive: &Drive, inputs: &Inputs, flavour: Flavour, advice: &mut Advice) {
    let cores = cores(drive, inputs);
    advice.add("innodb_read_io_threads", threads(drive, OpKind::Read, flavour, cores));
    advice.add("innodb_write_io_threads", threads(drive, OpKind::Write, flavour, cores));
    if flavour.is_mysql() {
        advice.add("innodb_page_cleaners", page_cleaners(drive, inputs, flavour));
    }
}

fn cores(drive: &Drive, inputs: &Inputs) -> Option<u32> {
    inputs.cores.or(drive.profile().device.cpus)
}

/// Instances of the buffer pool. It has three quarters of the memory, and 1 GiB or more if nobody says.
pub(super) fn instances(drive: &Drive, inputs: &Inputs, flavour: Flavour) -> f64 {
    let large = inputs.memory_bytes.is_none_or(|memory| 0.75 * memory as f64 > f64::from(1 << 30));
    match flavour {
        Flavour::Mariadb { .. } => 1.0,
        _ if !large => 1.0,
        Flavour::Mysql { since_8_4: false } => 8.0,
        // A quarter of the processors; the other limit, half of the chunks of 128 MiB, is seldom less.
        Flavour::Mysql { since_8_4: true } => {
            let cores = cores(drive, inputs).unwrap_or(4);
            f64::from((cores / 4).clamp(1, 64))
        }
    }
}

/// Requests to keep in flight, of the size nearest to a page that was measured.
fn in_flight(drive: &Drive, op: OpKind) -> Result<(Estimate, u32), Unmeasured> {
    let of = |size: u32| match op {
        OpKind::Read => drive.reads_in_flight(Pattern::Random, size),
        OpKind::Write => drive.writes_in_flight(Pattern::Random, size),
    };
    let nearest = SIZES.iter().find_map(|&size| Some((of(size).ok()?, size)));
    // What asks for least: the sizes that are measured anyway.
    nearest.ok_or(()).or_else(|()| Ok((of(8192)?, 8192)))
}

fn threads(drive: &Drive, op: OpKind, flavour: Flavour, cores: Option<u32>) -> Result<Setting, Unmeasured> {
    let (k, size) = in_flight(drive, op)?;
    let (key, what) = match op {
        OpKind::Read => ("innodb_read_io_threads", "reads"),
        OpKind::Write => ("innodb_write_io_threads", "writes"),
    };
    let (per_thread, why) = if flavour.is_mysql() {
        (COMFORTABLE, "beyond 64 pending per thread the manual advises more threads")
    } else {
        (PER_THREAD, "MariaDB allows 256 at a time per thread, and has no such threads: it is only a limit")
    };
    let enough = |k: f64| (k / per_thread).ceil().clamp(DEFAULT_THREADS, MOST_THREADS);
    let value = enough(k.value);
    let rule = format!(
        "{} random {what} of {}K in flight reach 90 % of the most; {why}; the default of {DEFAULT_THREADS} \
         at least",
        k.value,
        size / 1024
    );
    let default = match (op, flavour, cores) {
        (OpKind::Read, Flavour::Mysql { since_8_4: true }, Some(cores)) => f64::from(cores / 2).max(4.0),
        _ => DEFAULT_THREADS,
    };
    Ok(Setting::new(key, Value::Number(value), "threads", rule, THREADS)
        .interval(k.ci.map(enough))
        .fits((k.value / PER_THREAD).ceil().max(1.0), MOST_THREADS)
        .on_ladder(DEFAULT_THREADS, [DEFAULT_THREADS, MOST_THREADS])
        .default(Value::Number(default))
        .if_wrong(
            "requests wait for a thread although the drive could take them",
            "more than the server has: it takes the most, 64",
        ))
}

fn page_cleaners(drive: &Drive, inputs: &Inputs, flavour: Flavour) -> Result<Setting, Unmeasured> {
    let (k, size) = in_flight(drive, OpKind::Write)?;
    let instances = instances(drive, inputs, flavour);
    let value = k.value.max(1.0).min(instances);
    let rule = format!(
        "one per instance of the buffer pool ({instances}), but not more than the {} random writes of {}K \
         in flight that reach 90 % of the most",
        k.value,
        size / 1024
    );
    let default =
        if flavour == (Flavour::Mysql { since_8_4: true }) { instances } else { instances.min(4.0) };
    Ok(Setting::new("innodb_page_cleaners", Value::Number(value), "threads", rule, CLEANERS)
        .fits(1.0, MOST_THREADS)
        .default(Value::Number(default))
        .if_wrong(
            "one thread flushes several instances one after the other",
            "more than the server has: it takes as many as there are instances",
        ))
}
