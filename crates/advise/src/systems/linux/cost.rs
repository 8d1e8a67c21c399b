//! `io.cost.model` and `io.cost.qos`: how cgroups share the device by weight.

use leadline_profile::{IoCost, OpKind, Pattern};

use super::kernel::RATES;
use crate::{Advice, Drive, Setting, Source, Unmeasured, Value};

/// The block whose latency the controller is given.
const BLOCK: u32 = 4096;

/// The least and the most of what the model says that the controller may let through, percent: the solution
/// `naive` of resctl-bench, the only one that needs no more than the device.
const LEAST: f64 = 75.0;
const MOST: f64 = 100.0;

/// How far a rate may be off: the controller slows down to three quarters, and loses what is too low.
const TOO_LOW: f64 = 0.8;
const TOO_HIGH: f64 = 1.33;

/// `key=` in the files, and the key of the setting.
pub(super) const MODEL: [&str; 6] = [
    "io.cost.model rbps",
    "io.cost.model rseqiops",
    "io.cost.model rrandiops",
    "io.cost.model wbps",
    "io.cost.model wseqiops",
    "io.cost.model wrandiops",
];
pub(super) const QOS: [&str; 6] = [
    "io.cost.qos rpct",
    "io.cost.qos rlat",
    "io.cost.qos wpct",
    "io.cost.qos wlat",
    "io.cost.qos min",
    "io.cost.qos max",
];

const SOURCE: Source = Source {
    defined: "Documentation/admin-guide/cgroup-v2.rst, \"IO Interface Files\"; block/blk-iocost.c",
    version: "5.4 to 6",
};

pub(super) fn add(drive: &Drive, advice: &mut Advice) {
    for (at, key) in MODEL.into_iter().enumerate() {
        advice.add(key, rate(drive, at, key));
    }
    for (key, latency_key, op) in [(QOS[0], QOS[1], OpKind::Read), (QOS[2], QOS[3], OpKind::Write)] {
        let latency = latency(drive, latency_key, op);
        // Without a limit there is nothing of which to take a percentile.
        let percentile = latency.as_ref().map(|_| percentile(key)).map_err(Clone::clone);
        advice.add(key, percentile);
        advice.add(latency_key, latency);
    }
    advice.add(QOS[4], Ok(bound(QOS[4], LEAST)));
    advice.add(QOS[5], Ok(bound(QOS[5], MOST)));
}

/// What the device was found to do, by the definition of the kernel's own script.
fn rate(drive: &Drive, at: usize, key: &'static str) -> Result<Setting, Unmeasured> {
    let missing = || Unmeasured::experiment("io-cost", "the six rates of io.cost.model");
    let found: &IoCost = drive.profile().experiments.io_cost.as_ref().ok_or_else(missing)?;
    let (name, rate) = found.rates().into_iter().nth(at).ok_or_else(missing)?;
    debug_assert_eq!(name, RATES[at]);
    let value = rate.per_second.floor();
    let (unit, size, in_flight) = match name {
        "rbps" | "wbps" => ("bytes per second", found.large_bytes, 1),
        _ => ("requests per second", found.small_bytes, found.small_concurrency),
    };
    let way = if name.contains("rand") { "at random" } else { "in sequence" };
    let kind = if name.starts_with('r') { "reads" } else { "writes" };
    let mut rule = format!(
        "{kind} of {} KiB {way}, {in_flight} in flight, as tools/cgroup/iocost_coef_gen.py measures it",
        size / 1024
    );
    if let Some(before) = rate.before_fall {
        rule.push_str(&format!("; before it fell it was {before:.0}"));
    }
    let [low, high] = rate.per_second_ci.unwrap_or([value; 2]);
    Ok(Setting::new(key, Value::Number(value), unit, rule, SOURCE)
        .interval([low, high])
        .fits(TOO_LOW * low, TOO_HIGH * high)
        .if_wrong(
            "the device is taken for slower than it is: cgroups are held back while it could do more",
            "the device is taken for faster than it is: its queue fills, and weights no longer decide who \
             waits",
        ))
}

fn percentile(key: &'static str) -> Setting {
    let rule = "the 99th percentile, as in the solution naive of resctl-bench".to_owned();
    Setting::new(key, Value::Number(99.0), "percent", rule, SOURCE)
        .fits(0.0, 100.0)
        .default(Value::Number(0.0))
        .if_wrong(
            "0: the device counts as busy only when its queue is full",
            "a single slow request counts as a busy device",
        )
}

/// What the 99th percentile is where the device is just busy.
fn latency(drive: &Drive, key: &'static str, op: OpKind) -> Result<Setting, Unmeasured> {
    let (k, kind) = match op {
        OpKind::Read => (drive.reads_in_flight(Pattern::Random, BLOCK)?.value, "reads"),
        OpKind::Write => (drive.writes_in_flight(Pattern::Random, BLOCK)?.value, "writes"),
    };
    let latency = drive.latency(op, Pattern::Random, BLOCK, k)?;
    let value = latency.p99.max(1.0).ceil();
    let rule = format!(
        "the 99th percentile of random {kind} of 4K with {k} in flight, which is 90 % of the most that the \
         device does; {:.0} \u{b5}s is their median",
        latency.p50
    );
    Ok(Setting::new(key, Value::Number(value), "microseconds", rule, SOURCE)
        .fits(0.5 * value, 5.0 * value)
        .on_ladder(1.0, [1.0, f64::INFINITY])
        .if_wrong(
            "the device counts as busy all the time, and is held to the least that io.cost.qos min allows",
            "the device never counts as busy: one cgroup can fill its queue for all other cgroups",
        ))
}

fn bound(key: &'static str, value: f64) -> Setting {
    let (rule, low, high) = if value < MOST {
        ("three quarters at least of what the model says", 1.0, MOST)
    } else {
        ("no more than what the model says", MOST, 150.0)
    };
    let rule = format!("{rule}, as in the solution naive of resctl-bench");
    Setting::new(key, Value::Number(value), "percent", rule, SOURCE)
        .fits(low, high)
        .default(Value::Number(if value < MOST { 1.0 } else { 10_000.0 }))
        .if_wrong(
            "the device is held below its capacity",
            "the device gets more than its capacity, whatever the model says",
        )
}
