//! Timeouts that a disk does not run into.

use super::verdict::{LIMIT_MS, alone, p99_ms, slowest_ms};
use super::{ELECTION, HEARTBEAT, LARGEST_MULTIPLIER, LONGEST_ELECTION_MS, MULTIPLIER, Program};
use crate::{Drive, Setting, Source, Unmeasured, Value};

/// Heartbeats per 99th percentile of an append: as many as etcd's default of 100 ms has of its limit of 10
/// ms.
const APPENDS_PER_HEARTBEAT: f64 = 10.0;

/// Heartbeats per election, as by default.
const HEARTBEATS_PER_ELECTION: f64 = 10.0;

/// The longest round trip, milliseconds, that etcd's documentation has a use for; the network may ask for
/// more than the disk does.
const LONGEST_ROUND_TRIP_MS: f64 = 5000.0;

/// What Consul takes unless it is set, or 0.
pub(super) const DEFAULT_MULTIPLIER: f64 = 5.0;

/// How long a Consul leader may be silent by its own clock, milliseconds, times the multiplier.
const LEASE_MS: f64 = 500.0;

const TUNING: Source = Source {
    defined: "documentation, \"Tuning\": \"Time parameters\"; server/embed/config.go",
    version: "etcd 3.4 to 3.6",
};
const K3S: Source = Source {
    defined: "k3s server --etcd-arg; pkg/etcd/etcd.go; etcd's documentation, \"Tuning\"",
    version: "k3s 1.27 and later",
};
const CONSUL: Source = Source {
    defined: "documentation, \"Server Performance\"; agent/consul/config.go",
    version: "Consul 1.15 and later",
};

fn source(program: Program) -> Source {
    if program == Program::K3s { K3S } else { TUNING }
}

fn heartbeat_ms(p99: f64, program: Program) -> f64 {
    let [default, _] = program.defaults();
    let needed = 10.0 * (APPENDS_PER_HEARTBEAT * p99 / 10.0).ceil();
    needed.max(default).min(LONGEST_ELECTION_MS / HEARTBEATS_PER_ELECTION)
}

pub(super) fn heartbeat(drive: &Drive, program: Program) -> Result<Setting, Unmeasured> {
    let (_, alone) = alone(drive)?;
    let p99 = p99_ms(alone);
    let value = heartbeat_ms(p99, program);
    let [default, _] = program.defaults();
    let rule = format!(
        "ten times the 99th percentile of fdatasync, {p99:.2} ms, as the default of 100 ms is of the \
         {LIMIT_MS} ms that etcd asks for; {default} at least. Members further apart than that need their \
         round trip"
    );
    let tolerated = (0.5 * APPENDS_PER_HEARTBEAT * p99).ceil().min(value);
    Ok(Setting::new(HEARTBEAT, Value::Number(value), "milliseconds", rule, source(program))
        .fits(tolerated, LONGEST_ROUND_TRIP_MS)
        .default(Value::Number(default))
        .if_wrong(
            "the leader is still writing its log when its heartbeat is due, and followers prepare elections",
            "followers notice late that the leader has failed",
        ))
}

pub(super) fn election(drive: &Drive, program: Program) -> Result<Setting, Unmeasured> {
    let (_, alone) = alone(drive)?;
    let (p99, slowest) = (p99_ms(alone), slowest_ms(alone));
    let [_, default] = program.defaults();
    let ten = HEARTBEATS_PER_ELECTION * heartbeat_ms(p99, program);
    let value = ten.max(100.0 * (2.0 * slowest / 100.0).ceil()).min(LONGEST_ELECTION_MS);
    let rule = format!(
        "ten heartbeats, and twice the slowest fdatasync that was measured, {slowest:.1} ms; \
         {LONGEST_ELECTION_MS} at most. A leader whose disk takes longer is as good as gone"
    );
    let tolerated =
        (0.5 * HEARTBEATS_PER_ELECTION * APPENDS_PER_HEARTBEAT * p99).max(slowest).ceil().min(value);
    Ok(Setting::new(ELECTION, Value::Number(value), "milliseconds", rule, source(program))
        .fits(tolerated, LONGEST_ELECTION_MS)
        .default(Value::Number(default))
        .if_wrong(
            "an append that takes long costs the leader its place, and the cluster stands still for an \
             election",
            "a leader that has failed is replaced late",
        ))
}

/// Consul's one number, by which all its timeouts are multiplied.
pub(super) fn multiplier(drive: &Drive) -> Result<Setting, Unmeasured> {
    let (_, alone) = alone(drive)?;
    let (p99, slowest) = (p99_ms(alone), slowest_ms(alone));
    let needed = (p99 / LIMIT_MS).max(2.0 * slowest / LEASE_MS).ceil();
    let value = needed.clamp(1.0, LARGEST_MULTIPLIER);
    let rule = format!(
        "1, as Consul recommends for production, for every {LIMIT_MS} ms of the 99th percentile of \
         fdatasync, {p99:.2} ms (then etcd and Consul bear the same), and a leader's lease, {LEASE_MS} ms \
         times this, is twice the slowest that was measured, {slowest:.1} ms"
    );
    let tolerated = (p99 / (2.0 * LIMIT_MS)).max(slowest / LEASE_MS).ceil().clamp(1.0, value);
    let high = (2.0 * value).clamp(DEFAULT_MULTIPLIER, LARGEST_MULTIPLIER);
    Ok(Setting::new(MULTIPLIER, Value::Number(value), "times the shortest timeouts", rule, CONSUL)
        .fits(tolerated, high)
        .default(Value::Number(DEFAULT_MULTIPLIER))
        .if_wrong(
            "an append that takes long costs the leader its lease, and the cluster stands still for an \
             election",
            "a leader that has failed is replaced late",
        ))
}
