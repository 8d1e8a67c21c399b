//! Three plain sentences: how many requests to keep in flight, what a write is worth, how far to trust it.

use leadline_profile::{DeviceProfile, OpKind, Parameters, WriteStatus};

use crate::advice::Advice;
use crate::doubts::{doubts, state};
use crate::format::{self, counted, percent, significant, with_interval};
use crate::headline;
pub(crate) use crate::origin::{
    imported_programs, is_buffered, is_imported, is_published, is_simulated, published_by,
};

/// What the profile means for the builder of a storage engine: concurrency, worth of a write, trust.
///
/// The first two speak of [`headline`]'s pattern and block size. Every number comes with its 95 % interval
/// where there is one; what was not measured is named.
pub fn sentences(profile: &DeviceProfile) -> [String; 3] {
    let Some(entry) = headline(profile) else {
        let nothing = "No point was measured, so how many requests to keep in flight is not known.";
        return [nothing.to_owned(), worth_unknown(profile), trust(profile)];
    };
    let kind = format!("{} {} ", format::block(entry.block_bytes), format::pattern(entry.pattern));
    [
        concurrency(profile, entry, Says { kind: &kind, intervals: true }),
        worth_of_a_write(profile, entry),
        trust(profile),
    ]
}

/// How much the sentence on concurrency says.
#[derive(Clone, Copy)]
pub(crate) struct Says<'a> {
    /// What stands before `reads`, with a blank behind it: `4K random `.
    pub(crate) kind: &'a str,
    /// Whether numbers have their intervals, and ranges what their ends give.
    pub(crate) intervals: bool,
}

/// How many reads and writes to keep in flight, and what that gains.
pub(crate) fn concurrency(profile: &DeviceProfile, entry: &Parameters, says: Says<'_>) -> String {
    let kind = says.kind;
    let interval = |advice: &Advice<'_>| if says.intervals { advice.interval() } else { String::new() };
    let reads = match Advice::new(profile, entry, OpKind::Read) {
        None => format!("How many {kind}reads to keep in flight was not measured"),
        Some(Advice { k, lower_bound: true, .. }) => format!(
            "Keep at least {k} {kind}{} in flight: throughput still grew there{}",
            if k == 1 { "read" } else { "reads" },
            share_at_one(profile, entry)
                .map(|(share, of)| format!(", and one at a time gets at most {share} ({of})"))
                .unwrap_or_default()
        ),
        Some(advice) if advice.open_range().is_some() => {
            format!("Keep {} {kind}reads in flight{}", range(&advice), ends(&advice, says))
        }
        Some(Advice { k: 1, .. }) => {
            format!("One {kind}read at a time is all the device needs: more only wait")
        }
        Some(advice) => format!(
            "Keep about {}{} {kind}reads in flight{}",
            advice.k,
            interval(&advice),
            share_at_one(profile, entry)
                .map(|(share, of)| format!(": one at a time gets {share} of the maximum ({of})"))
                .unwrap_or_default()
        ),
    };
    let writes = match Advice::new(profile, entry, OpKind::Write) {
        None => String::new(),
        Some(Advice { k, lower_bound: true, .. }) => {
            format!("; send at least {} at a time, more may still gain", counted(k.into(), "write"))
        }
        Some(advice) if advice.open_range().is_some() => {
            format!("; send {} writes at a time{}", range(&advice), ends(&advice, says))
        }
        Some(Advice { k: 1, .. }) => "; one write at a time is enough".to_owned(),
        Some(advice) => format!("; send {}{} writes at a time", advice.k, interval(&advice)),
    };
    format!("{reads}{writes}.")
}

/// `17 to 258`, of an open range.
fn range(advice: &Advice<'_>) -> String {
    advice.open_range().map_or_else(String::new, |[low, high]| format!("{low} to {high}"))
}

/// Why it is a range, and what its ends give.
fn ends(advice: &Advice<'_>, says: Says<'_>) -> String {
    if !says.intervals {
        return " (noisy run; a longer one narrows this)".to_owned();
    }
    let given = advice.what_the_ends_give().map(|given| format!(": {given}")).unwrap_or_default();
    format!(" (noisy run; a longer one narrows this){given}")
}

/// `12 %`, and of what: `9.80k of 82.0k IOPS`.
fn share_at_one(profile: &DeviceProfile, entry: &Parameters) -> Option<(String, String)> {
    let points = format::curve_points(profile, entry, "read");
    let one = points.iter().find(|p| p.concurrency == 1)?.iops;
    let most = entry.max_read_iops.filter(|most| *most > 0.0)?;
    let share = percent((one / most).min(1.0));
    Some((share, format!("{} of {} IOPS", format::count(one), format::count(most))))
}

fn worth_of_a_write(profile: &DeviceProfile, entry: &Parameters) -> String {
    let mut first = true;
    let mut worth = |value: Option<f64>, ends: Option<[f64; 2]>, when: &str| {
        let value = value?;
        let number = if std::mem::take(&mut first) {
            reads(value, ends)
        } else {
            with_interval(value, ends, significant)
        };
        Some(format!("{number} {when}"))
    };
    let equal = entry.alpha_ci.is_some_and(|[low, high]| low <= 1.0 && high >= 1.0);
    let saturated = if equal { "under full load (perhaps no more than one)" } else { "under full load" };
    let plain = [
        worth(entry.alpha, entry.alpha_ci, saturated),
        worth(entry.alpha_1, entry.alpha_1_ci, "one at a time"),
    ];
    let durable = [
        worth(entry.alpha_durable, entry.alpha_durable_ci, "under full load"),
        worth(entry.alpha_1_durable, entry.alpha_1_durable_ci, "one at a time"),
    ];
    let kind = format!("{} {}", format::block(entry.block_bytes), format::pattern(entry.pattern));
    let [plain, durable] =
        [plain, durable].map(|numbers| numbers.into_iter().flatten().collect::<Vec<_>>().join(" and "));
    match (plain.is_empty(), durable.is_empty()) {
        (true, true) => worth_unknown(profile),
        (false, true) => format!("One {kind} write is worth {plain}."),
        (true, false) => format!("One durable {kind} write is worth {durable}."),
        (false, false) => format!("One {kind} write is worth {plain}; a durable one {durable}."),
    }
}

/// `1.93 reads (1.70–2.10)`.
pub(crate) fn reads(value: f64, ends: Option<[f64; 2]>) -> String {
    let number = with_interval(value, ends, significant);
    let word = if significant(value) == "1.00" { "read" } else { "reads" };
    match number.split_once(' ') {
        Some((value, interval)) => format!("{value} {word} {interval}"),
        None => format!("{number} {word}"),
    }
}

fn worth_unknown(profile: &DeviceProfile) -> String {
    match why_no_writes(profile) {
        None => "Writes were not measured, so how many reads one is worth is not known.".to_owned(),
        Some(why) => {
            format!("Writes were not measured ({why}), so how many reads one is worth is not known.")
        }
    }
}

/// Why writes were not measured, where that is stated.
pub(crate) fn why_no_writes(profile: &DeviceProfile) -> Option<&str> {
    let WriteStatus::Absent(reason) = &profile.method.writes else { return None };
    let reason = reason.trim_start_matches("not measured").trim_start_matches([':', ' ', ',']);
    Some(reason).filter(|reason| !reason.is_empty())
}

/// A sentence holds no more; the rest is among the checks.
const MOST_DOUBTS: usize = 4;

/// The state first, then the doubts, worst first.
fn trust(profile: &DeviceProfile) -> String {
    let state = format!("These are {}", state(profile));
    let mut doubts: Vec<String> = doubts(profile).into_iter().map(|doubt| doubt.words).collect();
    let more = doubts.len().saturating_sub(MOST_DOUBTS);
    doubts.truncate(MOST_DOUBTS);
    if more > 0 {
        doubts.push(format!("{} below", counted(more as u64, "more doubt")));
    }
    if doubts.is_empty() { format!("{state}.") } else { format!("{state}; but {}.", doubts.join("; ")) }
}

#[cfg(test)]
mod tests {
    use leadline_profile::Capped;

    use super::*;
    use crate::sample::{imported_profile, one_point, reads_only, sample_profile, troubled_profile};

    #[test]
    fn imported_numbers_are_said_to_be_by_whom_and_nothing_is_said_of_a_state_or_the_cache() {
        let mut profile = imported_profile();
        let [_, _, worth] = sentences(&profile);
        assert_eq!(
            worth,
            "These are numbers by fio 3.33, not by Leadline, of a device in an unknown state; but skipped in \
             <b>sweep</b>.json: job \"b\": went through the page cache; throughput still grew at the end of 1 curve."
        );
        profile.method.imported.clear();
        assert!(sentences(&profile)[2].contains("by a program that is not stated"));
    }

    #[test]
    fn numbers_come_from_the_profile() {
        let mut profile = sample_profile();
        let entry = &mut profile.parameters[0];
        (entry.k_r, entry.k_r_ci) = (Some(64), Some([50, 70]));
        (entry.k_r_90, entry.k_r_90_ci) = (Some(32), Some([28, 40]));
        (entry.k_w_90, entry.k_w_90_ci) = (Some(8), Some([8, 8]));
        (entry.alpha, entry.alpha_ci) = (Some(1.93), Some([1.7, 2.1]));
        (entry.alpha_1, entry.alpha_1_ci) = (Some(0.9), None);
        entry.max_read_iops = Some(82_000.0);
        profile.points[0].iops = 9_840.0;
        let [first, second, third] = sentences(&profile);
        assert_eq!(
            first,
            "Keep about 32 (28–40) 4K random reads in flight: one at a time gets 12 % of the maximum \
             (9.84k of 82.0k IOPS); send 8 writes at a time."
        );
        assert!(second.starts_with(
            "One 4K random write is worth 1.93 reads (1.70–2.10) under full load and 0.90 one at a time; a \
             durable one "
        ));
        assert!(
            third.contains("steady-state") && third.contains("1.92 GB/s to 440 MB/s after 6.00 GiB"),
            "{third}"
        );
    }

    #[test]
    fn a_number_known_only_within_a_factor_of_more_than_two_is_a_range_and_what_its_ends_give() {
        let mut profile = sample_profile();
        let entry = &mut profile.parameters[0];
        (entry.k_w, entry.k_w_ci) = (Some(252), Some([17, 258]));
        (entry.k_w_90, entry.k_w_90_ci) = (Some(40), Some([16, 64]));
        entry.max_write_iops = Some(100_000.0);
        let (pattern, block_bytes) = (entry.pattern, entry.block_bytes);
        let write = |p: &leadline_profile::Point| {
            (p.op, p.durable, p.pattern, p.block_bytes) == (OpKind::Write, false, pattern, block_bytes)
        };
        let of_curve = profile.points.iter().find(|p| write(p)).expect("writes").clone();
        profile.points.retain(|p| !write(p));
        for (concurrency, iops, mean) in
            [(1, 9e3, 110.0), (16, 76e3, 210.0), (64, 92e3, 700.0), (252, 1e5, 2800.0)]
        {
            let mut point = of_curve.clone();
            (point.concurrency, point.iops, point.latency_us.mean) = (concurrency, iops, mean);
            profile.points.push(point);
        }
        let [first, ..] = sentences(&profile);
        let said = "send 16 to 64 writes at a time (noisy run; a longer one narrows this): 16 in flight give 76 % of \
                    the best, 64 give 92 % at a quarter of the latency of 252.";
        assert!(first.ends_with(said), "{first}");
        profile.parameters[0].k_w_90_ci = Some([32, 64]);
        let [first, ..] = sentences(&profile);
        assert!(first.ends_with("send 40 (32–64) writes at a time."), "{first}");
    }

    #[test]
    fn numbers_without_the_90_percent_rule_are_advised_by_the_95_percent_rule() {
        let mut profile = sample_profile();
        let entry = &mut profile.parameters[0];
        (entry.k_r, entry.k_r_ci, entry.k_r_90, entry.k_r_90_ci) = (Some(80), None, None, None);
        assert!(sentences(&profile)[0].starts_with("Keep about 80 4K random reads"));
    }

    #[test]
    fn what_was_not_measured_is_said() {
        let [first, second, _] = sentences(&reads_only());
        assert!(first.contains("reads in flight") && !first.contains("write"), "{first}");
        assert_eq!(
            second,
            "Writes were not measured (a block device without --destructive), so how many reads one is worth is not \
             known."
        );
        let mut empty = reads_only();
        empty.parameters.clear();
        empty.points.clear();
        assert!(sentences(&empty)[0].contains("not known"));
        assert!(sentences(&one_point())[0].starts_with("Keep at least 1 4K random read in flight"));
    }

    #[test]
    fn doubts_are_spoken_worst_first() {
        let [first, _, third] = sentences(&troubled_profile());
        assert!(first.starts_with("Keep at least"), "{first}");
        let order = [
            "burst",
            "cut short by SIGINT",
            "page cache",
            "check speedup failed: 1 of 88 points exceed k times the speed of one;",
            "a limit that was set",
            "4 more doubts",
        ];
        let places: Vec<_> =
            order.iter().map(|part| third.find(part).unwrap_or_else(|| panic!("{part}: {third}"))).collect();
        assert!(places.is_sorted(), "{third}");
        let mut mended = troubled_profile();
        mended.validity.complete = true;
        mended.method.direct = true;
        mended.validity.checks.clear();
        mended.parameters[0].capped = Capped::No;
        let [.., third] = sentences(&mended);
        let order =
            ["writing fell", "warning temperature", "after writes", "of 2 curves, so k is a lower bound"];
        let places: Vec<_> =
            order.iter().map(|part| third.find(part).unwrap_or_else(|| panic!("{part}: {third}"))).collect();
        assert!(places.is_sorted(), "{third}");
    }

    #[test]
    fn an_alpha_of_one_is_not_made_more_of() {
        let mut profile = sample_profile();
        let entry = &mut profile.parameters[0];
        (entry.alpha, entry.alpha_ci) = (Some(1.002), Some([0.97, 1.03]));
        assert!(
            sentences(&profile)[1]
                .contains("is worth 1.00 read (0.97–1.03) under full load (perhaps no more than one)")
        );
    }
}
