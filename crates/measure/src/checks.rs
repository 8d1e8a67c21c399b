//! Sanity checks: what must hold of any device, held against what was measured. A violated one is shown.

use crate::disturbed::{DISTURBED, counted, quiet_wait};
use leadline_profile::{
    Check, CheckName, CheckStatus, DeviceFacts, Held, OpKind, OrderEffect, Point, SliceEffect,
};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// Requests in flight up to which a point is shallow.
const SHALLOW: u32 = 16;

/// Little's law may be off by this much: the edges of the windows.
const LITTLE: f64 = 0.05;

/// Share of requests merged with a neighbour from which a point is one of larger requests.
const MERGED: f64 = 0.05;

/// Slices were bursts where they did more than this many times what the held load did.
const BURST: f64 = 1.25;

/// What follows from slices that are faster than what goes on.
const BURSTS: &str = "a limit above the device, or the device itself, allows bursts that a program which goes on \
                      does not get: `leadline experiment burst` measures what is left when they are over";

/// All checks, in the order they are shown.
pub fn checks(
    points: &[Point],
    facts: &DeviceFacts,
    order: Option<&OrderEffect>,
    slices: &[SliceEffect],
    held: Option<&Held>,
) -> Vec<Check> {
    vec![
        speedup(points),
        little(points),
        link(points, facts),
        order_check(order),
        slices_check(slices, held),
        quiet(points),
        merged_check(points, facts),
        cpu(points),
    ]
}

fn name(point: &Point) -> String {
    let (op, pattern) =
        (format!("{:?}", point.op).to_lowercase(), format!("{:?}", point.pattern).to_lowercase());
    let durable = if point.durable { "durable " } else { "" };
    format!(
        "{} {pattern} {durable}{op} at k = {}",
        leadline_device::format_size(point.block_bytes.into()),
        point.concurrency
    )
}

/// One check over many points: violated points are counted and the worst is named.
fn worst(about: CheckName, holds: &str, tested: usize, mut bad: Vec<(f64, String)>) -> Check {
    bad.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (status, detail) = match (tested, bad.first()) {
        (0, _) => (CheckStatus::Unknown, format!("{holds}: nothing to test it on")),
        (_, None) => (CheckStatus::Ok, format!("{holds}: holds at all {tested} points")),
        (_, Some((_, worst))) => (
            CheckStatus::Violated,
            format!("{holds}: violated at {} of {tested} points; worst: {worst}", bad.len()),
        ),
    };
    Check { name: about, status, detail }
}

/// X(k) <= k X(1), beyond both intervals.
fn speedup(points: &[Point]) -> Check {
    let mut tested = 0;
    let mut bad = Vec::new();
    for point in points.iter().filter(|p| p.concurrency > 1) {
        let one = points.iter().find(|p| {
            (p.op, p.pattern, p.block_bytes, p.durable)
                == (point.op, point.pattern, point.block_bytes, point.durable)
                && p.concurrency == 1
        });
        let Some(one) = one else { continue };
        tested += 1;
        let most = f64::from(point.concurrency) * one.iops_ci.map_or(one.iops, |ci| ci[1]);
        let least = point.iops_ci.map_or(point.iops, |ci| ci[0]);
        if least > 1.01 * most {
            let speedup = point.iops / one.iops;
            bad.push((least / most, format!("{} is {speedup:.2} times depth 1", name(point))));
        }
    }
    worst(CheckName::Speedup, "X(k) <= k X(1)", tested, bad)
}

/// X R = k within 5 %.
fn little(points: &[Point]) -> Check {
    let mut tested = 0;
    let mut bad = Vec::new();
    // Where the processor sets the pace, requests wait in this process, and that has a check of its own.
    for point in points.iter().filter(|p| !p.cpu_bound) {
        let Some(found) = in_flight(point) else { continue };
        tested += 1;
        let off = (found / f64::from(point.concurrency) - 1.0).abs();
        if off > LITTLE {
            bad.push((off, format!("{}: X R = {found:.2}", name(point))));
        }
    }
    worst(CheckName::Little, "Little's law X R = k within 5 %", tested, bad)
}

/// X R over the slices that are long enough for it: with fewer rounds of the queue in a slice than this, the
/// edges of its window weigh more than the law may be off. Requests times latency, summed, over all time.
fn in_flight(point: &Point) -> Option<f64> {
    let long = counted(&point.slices).filter(|s| s.ops >= 40 * u64::from(point.concurrency));
    let (waited, seconds) = long.fold((0.0, 0.0), |(waited, seconds), s| {
        (waited + s.ops as f64 * s.mean_latency_us / 1e6, seconds + s.seconds)
    });
    (seconds > 0.0).then(|| waited / seconds)
}

/// Bandwidth within what the link carries.
fn link(points: &[Point], facts: &DeviceFacts) -> Check {
    let Some((name_, limit)) = facts.link.as_ref().and_then(|l| Some((&l.name, l.bandwidth_bytes?))) else {
        let detail = "bandwidth <= link: sysfs does not tell this link's speed".to_owned();
        return Check { name: CheckName::Link, status: CheckStatus::Unknown, detail };
    };
    let bad = points
        .iter()
        .filter(|p| p.bandwidth_bytes > limit)
        .map(|p| {
            (
                p.bandwidth_bytes,
                format!("{}: {:.2} GB/s; is a cache in the way?", name(p), p.bandwidth_bytes / 1e9),
            )
        })
        .collect();
    worst(CheckName::Link, &format!("bandwidth <= {:.2} GB/s of {name_}", limit / 1e9), points.len(), bad)
}

fn order_check(order: Option<&OrderEffect>) -> Check {
    let (status, detail) = match order {
        None => (
            CheckStatus::Unknown,
            "reads after writes against reads after reads: too few epochs of each".to_owned(),
        ),
        Some(OrderEffect { ratio, ratio_ci: [low, high], seen }) => (
            if *seen { CheckStatus::Violated } else { CheckStatus::Ok },
            format!(
                "reads after writes ran at {:.1} % ({:.1} to {:.1}) of reads after reads",
                ratio * 100.0,
                low * 100.0,
                high * 100.0
            ),
        ),
    };
    Check { name: CheckName::Order, status, detail }
}

/// Slices as fast as long stretches.
fn slices_check(effects: &[SliceEffect], held: Option<&Held>) -> Check {
    let percent = |effect: &SliceEffect| {
        let op = if effect.op == OpKind::Read { "reads" } else { "writes" };
        let [low, high] = effect.ratio_ci;
        format!("{op} at {:.1} % ({:.1} to {:.1})", effect.ratio * 100.0, low * 100.0, high * 100.0)
    };
    let far = |effect: &&SliceEffect| effect.ratio.ln().abs();
    let worst = |seen: bool| {
        let of = effects.iter().filter(|effect| effect.seen == seen);
        of.max_by(|a, b| far(a).total_cmp(&far(b)))
    };
    let holds = "slices run as fast as long stretches of the same load";
    let (status, detail) = match (worst(true), worst(false)) {
        _ if held.is_some_and(|held| held.in_slices_iops > BURST * held.iops) => {
            let at = held.map_or_else(String::new, |held| {
                let (slices, iops) = (held.in_slices_iops, held.iops);
                format!(
                    "reads ran at up to {slices:.0} a second, after one second at k = {} at {iops:.0}",
                    held.concurrency
                )
            });
            (CheckStatus::Violated, format!("{holds}: {at}; {BURSTS}"))
        }
        (Some(effect), _) => {
            // Faster in short slices: something saves up what is not used, and lets it go at once.
            let advice = if effect.ratio > 1.0 {
                BURSTS
            } else {
                "a program that continues gets the rate of the long stretches"
            };
            (CheckStatus::Violated, format!("{holds}: {}; {advice}", percent(effect)))
        }
        (None, Some(effect)) => (CheckStatus::Ok, format!("{holds}; farthest off: {}", percent(effect))),
        (None, None) => (CheckStatus::Unknown, format!("{holds}: too few stretches")),
    };
    Check { name: CheckName::Slices, status, detail }
}

/// Nobody else had the processor: told by the shallow points, where the kernel's own workers do not matter.
fn quiet(points: &[Point]) -> Check {
    let holds = "other programs left the processor to the slices";
    let shallow = points.iter().filter(|p| p.concurrency <= SHALLOW);
    let waits: Vec<f64> = shallow.filter_map(|p| quiet_wait(&p.slices)).collect();
    let Some(mean) = (!waits.is_empty()).then(|| waits.iter().sum::<f64>() / waits.len() as f64) else {
        let detail = format!("{holds}: nothing to tell it by");
        return Check { name: CheckName::Quiet, status: CheckStatus::Unknown, detail };
    };
    let all: usize = points.iter().map(|p| p.slices.len()).sum();
    let left_out = all - points.iter().map(|p| counted(&p.slices).count()).sum::<usize>();
    let status = if mean > DISTURBED { CheckStatus::Violated } else { CheckStatus::Ok };
    let detail = format!(
        "{holds}: the quiet ones waited {:.1} % of their time, {left_out} of {all} waited longer and are left out",
        mean * 100.0
    );
    Check { name: CheckName::Quiet, status, detail }
}

/// The device saw the requests that were sent.
fn merged_check(points: &[Point], facts: &DeviceFacts) -> Check {
    let mut tested = 0;
    let mut bad = Vec::new();
    for point in points {
        let Some(share) = merged_share(point) else { continue };
        tested += 1;
        if share > MERGED {
            let hint = format!("`echo 2 > /sys/block/{}/queue/nomerges` keeps them apart", facts.name);
            let percent = share * 100.0;
            bad.push((share, format!("{}: {percent:.0} % were part of a larger one; {hint}", name(point))));
        }
    }
    worst(CheckName::Merged, "the kernel hands requests to the device as they were sent", tested, bad)
}

/// Of all requests in the slices of a point.
fn merged_share(point: &Point) -> Option<f64> {
    let known = counted(&point.slices).filter_map(|slice| Some((slice.merged?, slice.ops as f64)));
    let (merged, ops) = known.fold((0.0, 0.0), |sum, (share, ops)| (sum.0 + share * ops, sum.1 + ops));
    (ops > 0.0).then(|| merged / ops)
}

fn cpu(points: &[Point]) -> Check {
    let bad = points.iter().filter(|p| p.cpu_bound).map(|p| (p.iops, name(p))).collect();
    let known = points.iter().filter(|p| p.slices.iter().any(|s| s.cpu_share.is_some())).count();
    if known == 0 {
        let detail = "the device sets the pace, not the processor: virtual time has no processor".to_owned();
        return Check { name: CheckName::Cpu, status: CheckStatus::Ok, detail };
    }
    worst(CheckName::Cpu, "the device sets the pace, not the processor", known, bad)
}

/// Reads of epochs that follow writes against reads that follow reads: the ratio of mean throughputs with
/// Welch's interval. `None` with fewer than two epochs of either.
pub fn order_effect(points: &[Point]) -> Option<OrderEffect> {
    let mut sequence: Vec<(u32, u32, OpKind)> =
        points.iter().flat_map(|p| p.slices.iter().map(|s| (s.order, s.epoch, p.op))).collect();
    sequence.sort_unstable_by_key(|&(order, ..)| order);
    let (mut after_writes, mut after_reads) = (Vec::new(), Vec::new());
    for (i, &(_, epoch, op)) in sequence.iter().enumerate() {
        let first_read_of_epoch = op == OpKind::Read
            && !sequence[..i].iter().rev().take_while(|s| s.1 == epoch).any(|s| s.2 == OpKind::Read);
        // Before the first epoch ran the search, which wrote last; its slices are not kept.
        if first_read_of_epoch && i > 0 {
            let group = if sequence[i - 1].2 == OpKind::Write { &mut after_writes } else { &mut after_reads };
            group.push(read_level(points, epoch)?);
        }
    }
    let (mean_w, error_w) = mean_and_error(&after_writes)?;
    let (mean_r, error_r) = mean_and_error(&after_reads)?;
    // Welch and Satterthwaite's degrees of freedom.
    let (w, r) = (error_w.powi(2), error_r.powi(2));
    let parts = w.powi(2) / (after_writes.len() - 1) as f64 + r.powi(2) / (after_reads.len() - 1) as f64;
    let freedom = if parts > 0.0 { (w + r).powi(2) / parts } else { 1.0 };
    let t = StudentsT::new(0.0, 1.0, freedom).ok()?.inverse_cdf(0.975);
    let half = t * error_w.hypot(error_r);
    let [low, middle, high] = [-half, 0.0, half].map(|d| (mean_w - mean_r + d).exp());
    let seen = (low > 1.0 || high < 1.0) && (middle - 1.0).abs() > 0.05;
    Some(OrderEffect { ratio: middle, ratio_ci: [low, high], seen })
}

/// Mean logarithm of read throughput in an epoch, each point relative to its own mean.
fn read_level(points: &[Point], epoch: u32) -> Option<f64> {
    let mut logs = Vec::new();
    for point in points.iter().filter(|p| p.op == OpKind::Read) {
        for slice in point.slices.iter().filter(|s| s.epoch == epoch && s.ops > 0 && s.seconds > 0.0) {
            logs.push((slice.ops as f64 / slice.seconds / point.iops).ln());
        }
    }
    (!logs.is_empty()).then(|| logs.iter().sum::<f64>() / logs.len() as f64)
}

pub(crate) fn mean_and_error(values: &[f64]) -> Option<(f64, f64)> {
    let n = values.len() as f64;
    if values.len() < 2 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
    Some((mean, (variance / n).sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_profile::{Latency, Pattern, Slice};

    /// Sequential reads of 8K, of whose requests these shares were merged: a slice each of 1000 requests.
    fn sequential(merged: &[Option<f64>]) -> Point {
        let slice = |&merged: &Option<f64>| Slice { ops: 1000, seconds: 0.1, merged, ..Slice::default() };
        Point {
            op: OpKind::Read,
            pattern: Pattern::Sequential,
            block_bytes: 8192,
            concurrency: 16,
            durable: false,
            iops: 10_000.0,
            iops_ci: None,
            bandwidth_bytes: 81_920_000.0,
            latency_us: Latency::default(),
            cpu_bound: false,
            cpu_us_per_op: None,
            slices: merged.iter().map(slice).collect(),
            stretches: Vec::new(),
            histogram: Vec::new(),
            extra: Default::default(),
        }
    }

    #[test]
    fn requests_that_were_merged_are_told_with_what_keeps_them_apart() {
        let facts = DeviceFacts { name: "sdx".into(), ..DeviceFacts::default() };
        let check = |merged: &[Option<f64>]| merged_check(&[sequential(merged)], &facts);
        assert_eq!(check(&[Some(0.0), Some(0.04), None]).status, CheckStatus::Ok);
        assert_eq!(check(&[None]).status, CheckStatus::Unknown);
        let found = check(&[Some(0.9), Some(0.1)]);
        assert_eq!(found.status, CheckStatus::Violated);
        for said in ["8K sequential read at k = 16: 50 %", "/sys/block/sdx/queue/nomerges"] {
            assert!(found.detail.contains(said), "{}", found.detail);
        }
    }

    #[test]
    fn slices_faster_than_stretches_are_bursts_and_slower_ones_are_not() {
        let effect = |ratio: f64| SliceEffect {
            op: OpKind::Read,
            concurrencies: vec![1, 16],
            ratio,
            ratio_ci: [ratio * 0.9, ratio * 1.05],
            seen: true,
        };
        let faster = slices_check(&[effect(4.0)], None);
        assert!(faster.detail.contains("reads at 400.0 %") && faster.detail.contains("experiment burst"));
        let slower = slices_check(&[effect(0.6)], None);
        assert!(slower.status == CheckStatus::Violated && !slower.detail.contains("burst"), "{slower:?}");
        let held = |iops: f64| Held {
            op: OpKind::Read,
            block_bytes: 4096,
            concurrency: 32,
            iops,
            in_slices_iops: 16_000.0,
        };
        let limited = slices_check(&[], Some(&held(12_000.0)));
        assert_eq!(limited.status, CheckStatus::Violated);
        assert!(
            limited.detail.contains("up to 16000 a second, after one second at k = 32 at 12000; a limit")
        );
        assert_eq!(slices_check(&[], Some(&held(15_000.0))).status, CheckStatus::Unknown, "no stretches");
    }
}
