//! Sanity checks: what must hold of any device, compared with what was measured.
//!
//! The detail of a failed check begins with what was found, up to the first semicolon: short outputs show
//! only that. One that holds is a short phrase, and one that could not be made says why.

use crate::disturbed::{DISTURBED, counted, quiet_wait};
use leadline_figures::number::count;
use leadline_profile::{
    Check, CheckName, CheckStatus, DeviceFacts, DeviceKind, DeviceProfile, Held, OpKind, OrderEffect, Point,
    SliceEffect,
};

/// Requests in flight up to which a point is shallow.
const SHALLOW: u32 = 16;

/// Little's law may be off by this much: the edges of the windows.
const LITTLE: f64 = 0.05;

/// Share of requests merged with a neighbour from which a point is one of larger requests.
const MERGED: f64 = 0.05;

/// Slices were bursts where they did more than this many times what the held load did.
const BURST: f64 = 1.25;

/// What follows from slices that are faster than a load that goes on.
const BURSTS: &str = "the device, or a limit above it, allows bursts; `leadline experiment burst` measures what is \
                      left after them";

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
        quiet(points, facts),
        merged_check(points, facts),
        cpu(points, facts),
    ]
}

/// That requests did not go through io_uring, because the kernel refused it, in this run or in the `earlier`
/// one that it resumed with its engine.
pub fn engine_check(refused: Option<&str>, earlier: Option<&DeviceProfile>) -> Option<Check> {
    let detail = refused.map(|reason| {
        format!(
            "requests went through psync, because {reason}; a thread for each request in flight takes more of the \
             processor than io_uring does"
        )
    });
    let checks = earlier.map_or(&[][..], |profile| &profile.validity.checks);
    let found = |detail| Check { name: CheckName::Engine, status: CheckStatus::Violated, detail };
    detail.map(found).or_else(|| checks.iter().find(|check| check.name == CheckName::Engine).cloned())
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

/// What a check over many points says.
struct Words<'a> {
    /// Where it holds, before `at all N points`.
    holds: &'a str,
    /// Where it failed, before and after `N of M points`.
    failed: [&'a str; 2],
    /// Why it could not be made.
    unknown: &'a str,
}

/// One check over many points: those at which it failed are counted, and the worst is named.
fn over_points(name: CheckName, words: &Words<'_>, tested: usize, mut bad: Vec<(f64, String)>) -> Check {
    bad.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (status, detail) = match (tested, bad.first()) {
        (0, _) => (CheckStatus::Unknown, words.unknown.to_owned()),
        (_, None) => (CheckStatus::Ok, format!("{} at all {tested} points", words.holds)),
        (_, Some((_, worst))) => {
            let [before, after] = words.failed;
            let detail = format!("{before}{} of {tested} points{after}; worst: {worst}", bad.len());
            (CheckStatus::Violated, detail)
        }
    };
    Check { name, status, detail }
}

fn unknown(name: CheckName, why: &str) -> Check {
    Check { name, status: CheckStatus::Unknown, detail: why.to_owned() }
}

fn is_simulated(facts: &DeviceFacts) -> bool {
    facts.kind == DeviceKind::Simulated
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
            bad.push((least / most, format!("{}, {speedup:.2} times as fast", name(point))));
        }
    }
    let words = Words {
        holds: "k requests are at most k times as fast as one",
        failed: ["", " exceed k times the speed of one"],
        unknown: "no curve has both one request in flight and several",
    };
    over_points(CheckName::Speedup, &words, tested, bad)
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
            bad.push((off, format!("{}, where it is {found:.2}", name(point))));
        }
    }
    let words = Words {
        holds: "Little's law holds within 5 %",
        failed: ["", " are off Little's law by more than 5 %"],
        unknown: "no slice completed enough requests to tell",
    };
    over_points(CheckName::Little, &words, tested, bad)
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
    if is_simulated(facts) {
        return unknown(CheckName::Link, "a simulated device has no link");
    }
    let Some((link, limit)) = facts.link.as_ref().and_then(|l| Some((&l.name, l.bandwidth_bytes?))) else {
        return unknown(CheckName::Link, "the kernel does not say how fast this link is");
    };
    let bandwidth = |p: &Point| format!("{}, {:.2} GB/s", name(p), p.bandwidth_bytes / 1e9);
    let over = points.iter().filter(|p| p.bandwidth_bytes > limit);
    let bad = over.map(|p| (p.bandwidth_bytes, bandwidth(p))).collect();
    let limit = format!("{:.2} GB/s of {link}", limit / 1e9);
    let words = Words {
        holds: &format!("bandwidth is within the {limit}"),
        failed: ["", &format!(" exceed the {limit}, so a cache is in the way")],
        unknown: "nothing was measured",
    };
    over_points(CheckName::Link, &words, points.len(), bad)
}

fn order_check(order: Option<&OrderEffect>) -> Check {
    let (status, detail) = match order {
        None => {
            (CheckStatus::Unknown, "too few rounds had reads after writes and reads after reads".to_owned())
        }
        Some(OrderEffect { ratio, ratio_ci: [low, high], seen }) => (
            if *seen { CheckStatus::Violated } else { CheckStatus::Ok },
            format!(
                "reads ran at {:.1} % ({:.1} to {:.1}) right after writes; 100 % is right after reads",
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
    let (status, detail) = match (held.filter(|held| bursts(held)), worst(true), worst(false)) {
        (Some(held), ..) => (CheckStatus::Violated, fell_after_a_second(held)),
        (None, Some(effect), _) => {
            // Faster in short slices: something saves up what is not used, and lets it go at once.
            let advice = if effect.ratio > 1.0 {
                BURSTS
            } else {
                "a program that goes on gets what the long stretches got"
            };
            let found = percent(effect);
            (CheckStatus::Violated, format!("short slices ran {found} of long stretches; {advice}"))
        }
        (None, None, Some(effect)) => {
            let farthest = percent(effect);
            (CheckStatus::Ok, format!("short slices are as fast as long stretches; farthest off: {farthest}"))
        }
        (None, None, None) => {
            (CheckStatus::Unknown, "too few long stretches to compare short slices with".to_owned())
        }
    };
    Check { name: CheckName::Slices, status, detail }
}

fn bursts(held: &Held) -> bool {
    held.in_slices_iops > BURST * held.iops
}

fn fell_after_a_second(held: &Held) -> String {
    let Held { iops, in_slices_iops, concurrency, .. } = held;
    format!(
        "reads ran at up to {}/s in short slices and at {}/s after one second (k = {concurrency}); {BURSTS}",
        count(*in_slices_iops),
        count(*iops)
    )
}

/// Nobody else had the processor: told by the shallow points, where the kernel's own workers do not matter.
fn quiet(points: &[Point], facts: &DeviceFacts) -> Check {
    if is_simulated(facts) {
        return unknown(CheckName::Quiet, "no other program runs in virtual time");
    }
    let shallow = points.iter().filter(|p| p.concurrency <= SHALLOW);
    let waits: Vec<f64> = shallow.filter_map(|p| quiet_wait(&p.slices)).collect();
    let Some(mean) = (!waits.is_empty()).then(|| waits.iter().sum::<f64>() / waits.len() as f64) else {
        return unknown(CheckName::Quiet, "the kernel does not say how long slices waited for a processor");
    };
    let all: usize = points.iter().map(|p| p.slices.len()).sum();
    let left_out = all - points.iter().map(|p| counted(&p.slices).count()).sum::<usize>();
    let (status, found) = if mean > DISTURBED {
        (CheckStatus::Violated, "other programs kept slices waiting for a processor")
    } else {
        (CheckStatus::Ok, "other programs kept slices waiting for a processor only")
    };
    let mut detail = format!("{found} {:.1} % of the time", mean * 100.0);
    if left_out > 0 {
        detail.push_str(&format!("; {left_out} of {all} slices waited longer and are left out"));
    }
    Check { name: CheckName::Quiet, status, detail }
}

/// The device saw the requests that were sent.
fn merged_check(points: &[Point], facts: &DeviceFacts) -> Check {
    if is_simulated(facts) {
        return unknown(CheckName::Merged, "no kernel stands between Leadline and a simulated device");
    }
    let mut tested = 0;
    let mut bad = Vec::new();
    for point in points {
        let Some(share) = merged_share(point) else { continue };
        tested += 1;
        if share > MERGED {
            let hint = format!("`echo 2 > /sys/block/{}/queue/nomerges` keeps them apart", facts.name);
            bad.push((share, format!("{}, {:.0} % of them; {hint}", name(point), share * 100.0)));
        }
    }
    let words = Words {
        holds: "the kernel passed on requests as they were sent",
        failed: ["the kernel merged neighbouring requests at ", ""],
        unknown: "the kernel does not count merged requests here",
    };
    over_points(CheckName::Merged, &words, tested, bad)
}

/// Of all requests in the slices of a point.
fn merged_share(point: &Point) -> Option<f64> {
    let known = counted(&point.slices).filter_map(|slice| Some((slice.merged?, slice.ops as f64)));
    let (merged, ops) = known.fold((0.0, 0.0), |sum, (share, ops)| (sum.0 + share * ops, sum.1 + ops));
    (ops > 0.0).then(|| merged / ops)
}

/// The device, not the processor, set the pace.
fn cpu(points: &[Point], facts: &DeviceFacts) -> Check {
    if is_simulated(facts) {
        let detail = "virtual time needs no processor".to_owned();
        return Check { name: CheckName::Cpu, status: CheckStatus::Ok, detail };
    }
    let bad = points.iter().filter(|p| p.cpu_bound).map(|p| (p.iops, name(p))).collect();
    let known = points.iter().filter(|p| p.slices.iter().any(|s| s.cpu_share.is_some())).count();
    let words = Words {
        holds: "the device, not the processor, set the pace",
        failed: ["the processor, not the device, limited ", ""],
        unknown: "no processor time was recorded",
    };
    over_points(CheckName::Cpu, &words, known, bad)
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
        assert_eq!(
            found.detail,
            "the kernel merged neighbouring requests at 1 of 1 points; worst: 8K sequential read at k = 16, 50 % of \
             them; `echo 2 > /sys/block/sdx/queue/nomerges` keeps them apart"
        );
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
        let found = "reads ran at up to 16.0k/s in short slices and at 12.0k/s after one second (k = 32); ";
        assert!(limited.detail.starts_with(found), "{}", limited.detail);
        assert_eq!(slices_check(&[], Some(&held(15_000.0))).status, CheckStatus::Unknown, "no stretches");
    }

    #[test]
    fn that_io_uring_was_refused_is_told_also_after_the_run_was_resumed() {
        assert_eq!(engine_check(None, None), None, "io_uring, or an engine that was asked for");
        let check = engine_check(Some("io_uring is forbidden here (EPERM)"), None).unwrap();
        assert_eq!((&check.name, &check.status), (&CheckName::Engine, &CheckStatus::Violated));
        assert!(check.detail.starts_with("requests went through psync, because io_uring is forbidden here"));
        let mut earlier = DeviceProfile::default();
        earlier.validity.checks.push(check.clone());
        assert_eq!(engine_check(None, Some(&earlier)), Some(check));
    }

    #[test]
    fn a_check_says_what_was_found_or_in_a_phrase_that_it_holds_or_why_it_could_not_be_made() {
        let real = DeviceFacts { name: "sdx".into(), ..DeviceFacts::default() };
        let simulated = DeviceFacts { kind: DeviceKind::Simulated, ..DeviceFacts::default() };
        let slice = Slice { ops: 1000, seconds: 0.1, cpu_share: Some(0.95), ..Slice::default() };
        let point = |concurrency, cpu_bound| Point {
            concurrency,
            cpu_bound,
            iops: f64::from(concurrency),
            slices: vec![slice.clone()],
            ..sequential(&[])
        };
        let limited = cpu(&[point(1, false), point(4, true), point(16, true)], &real);
        assert_eq!(limited.status, CheckStatus::Violated);
        let found =
            "the processor, not the device, limited 2 of 3 points; worst: 8K sequential read at k = 16";
        assert_eq!(limited.detail, found);
        let free = cpu(&[point(1, false)], &real);
        assert_eq!(
            (free.status, free.detail.as_str()),
            (CheckStatus::Ok, "the device, not the processor, set the pace at all 1 points")
        );
        assert_eq!(cpu(&[], &real).status, CheckStatus::Unknown, "nothing was measured");
        assert_eq!(cpu(&[], &simulated).status, CheckStatus::Ok);
        for (facts, why) in [(&real, "the kernel does not"), (&simulated, "simulated")] {
            for check in [link(&[], facts), merged_check(&[], facts)] {
                assert_eq!(check.status, CheckStatus::Unknown);
                assert!(check.detail.contains(why), "{}", check.detail);
            }
        }
        let fast = speedup(&[point(1, false), Point { iops: 7.5, ..point(4, false) }]);
        assert_eq!(
            fast.detail,
            "1 of 1 points exceed k times the speed of one; worst: 8K sequential read at k = 4, \
             7.50 times as fast"
        );
    }
}
