//! Three plain sentences: how many in flight, what a write costs, what the numbers are worth.

use leadline_profile::{
    Capped, CheckName, CheckStatus, DeviceKind, DeviceProfile, DeviceState, EngineKind, Limit, OpKind,
    Parameters, WriteStatus,
};

use crate::advice::Advice;
use crate::format::{self, percent, significant, with_interval};
use crate::headline;

/// What the profile means for the builder of a storage engine: concurrency, cost of a write, worth.
///
/// The first two speak of [`headline`]'s pattern and block size. Every number comes with its 95 % interval
/// where there is one; what was not measured is named as such.
pub fn sentences(profile: &DeviceProfile) -> [String; 3] {
    let Some(entry) = headline(profile) else {
        let nothing = "No point was measured, so how many requests to keep in flight is not known.";
        return [nothing.to_owned(), cost_unknown(profile), worth(profile)];
    };
    [concurrency(profile, entry), cost(profile, entry), worth(profile)]
}

fn concurrency(profile: &DeviceProfile, entry: &Parameters) -> String {
    let kind = format!("{} {}", format::block(entry.block_bytes), format::pattern(entry.pattern));
    let reads = match Advice::new(profile, entry, OpKind::Read) {
        None => format!("How many {kind} reads to keep in flight was not measured"),
        Some(Advice { k, lower_bound: true, .. }) => format!(
            "Keep at least {k} {kind} {} in flight: throughput still grew at the highest depth tried{}",
            plural("read", k),
            share_at_one(profile, entry)
                .map(|(share, of)| format!(", and one at a time uses at most {share} ({of})"))
                .unwrap_or_default()
        ),
        Some(advice) if advice.open_range().is_some() => {
            format!("Keep {} {kind} reads in flight{}", range(&advice), ends(&advice))
        }
        Some(Advice { k: 1, .. }) => {
            format!("One {kind} read at a time is all the device needs: more only wait")
        }
        Some(advice) => format!(
            "Keep about {}{} {kind} reads in flight{}",
            advice.k,
            advice.interval(),
            share_at_one(profile, entry)
                .map(|(share, of)| format!(": one at a time uses {share} of what the device can do ({of})"))
                .unwrap_or_default()
        ),
    };
    let writes = match Advice::new(profile, entry, OpKind::Write) {
        None => String::new(),
        Some(Advice { k, lower_bound: true, .. }) => {
            format!("; write at least {k} blocks at a time, more may still gain")
        }
        Some(advice) if advice.open_range().is_some() => {
            format!("; write {} blocks at a time{}", range(&advice), ends(&advice))
        }
        Some(Advice { k: 1, .. }) => "; one write at a time is enough".to_owned(),
        Some(advice) => format!("; write {}{} blocks at a time", advice.k, advice.interval()),
    };
    format!("{reads}{writes}.")
}

/// `17 to 258`, of an open range.
fn range(advice: &Advice) -> String {
    advice.open_range().map_or_else(String::new, |[low, high]| format!("{low} to {high}"))
}

/// What the ends of an open range give.
fn ends(advice: &Advice) -> String {
    let given = advice.what_the_ends_give().map(|given| format!(": {given}")).unwrap_or_default();
    format!(" (this run cannot tell more closely){given}")
}

/// `12 %`, and of what: `9.80k of 82.0k IOPS`.
fn share_at_one(profile: &DeviceProfile, entry: &Parameters) -> Option<(String, String)> {
    let points = format::curve_points(profile, entry, "read");
    let one = points.iter().find(|p| p.concurrency == 1)?.iops;
    let most = entry.max_read_iops.filter(|most| *most > 0.0)?;
    let share = percent((one / most).min(1.0));
    Some((share, format!("{} of {} IOPS", format::count(one), format::count(most))))
}

fn cost(profile: &DeviceProfile, entry: &Parameters) -> String {
    let number = |value: f64, ends| with_interval(value, ends, significant);
    let mut plain = Vec::new();
    if let Some(alpha) = entry.alpha {
        let equal = entry.alpha_ci.is_some_and(|[low, high]| low <= 1.0 && high >= 1.0);
        let note = if equal { ", which cannot be told from one," } else { "" };
        let reads = plural_of("read", alpha);
        plain.push(format!("{} {reads} when saturated{note}", number(alpha, entry.alpha_ci)));
    }
    if let Some(alpha_1) = entry.alpha_1 {
        let reads = if plain.is_empty() { format!(" {}", plural_of("read", alpha_1)) } else { String::new() };
        plain.push(format!("{}{reads} unbatched", number(alpha_1, entry.alpha_1_ci)));
    }
    let mut durable = Vec::new();
    if let Some(alpha) = entry.alpha_durable {
        durable.push(format!("{} saturated", number(alpha, entry.alpha_durable_ci)));
    }
    if let Some(alpha_1) = entry.alpha_1_durable {
        durable.push(format!("{} unbatched", number(alpha_1, entry.alpha_1_durable_ci)));
    }
    let kind = format!("{} {}", format::block(entry.block_bytes), format::pattern(entry.pattern));
    match (plain.join(" and "), durable.join(" and ")) {
        (plain, durable) if plain.is_empty() && durable.is_empty() => cost_unknown(profile),
        (plain, durable) if durable.is_empty() => format!("A {kind} write costs {plain}."),
        (plain, durable) if plain.is_empty() => format!("A durable {kind} write costs, in reads, {durable}."),
        (plain, durable) => format!("A {kind} write costs {plain}; a durable one {durable}."),
    }
}

fn cost_unknown(profile: &DeviceProfile) -> String {
    let reason = match &profile.method.writes {
        WriteStatus::Absent(reason) => {
            reason.trim_start_matches("not measured").trim_start_matches([':', ' ', ','])
        }
        _ => "",
    };
    match reason {
        "" => "Writes were not measured, so what one costs in reads is not known.".to_owned(),
        why => format!("Writes were not measured ({why}), so what one costs in reads is not known."),
    }
}

/// A sentence holds no more; the rest is in the validity card.
const MOST_DOUBTS: usize = 4;

/// The state first, then the doubts, worst first.
fn worth(profile: &DeviceProfile) -> String {
    let validity = &profile.validity;
    let mut doubts = Vec::new();
    if !validity.complete {
        let by = validity.stopped_by.as_deref().unwrap_or("something unknown");
        doubts.push(format!("the run was cut short by {by} and is partial"));
    }
    if is_buffered(profile) {
        doubts.push(
            "I/O went through the page cache, so they are the cache's as much as the device's".to_owned(),
        );
    }
    let violated: Vec<&str> = validity
        .checks
        .iter()
        .filter(|check| check.status == CheckStatus::Violated)
        .map(|check| check.name.as_str())
        .collect();
    if !violated.is_empty() {
        doubts.push(format!("{} failed: {}", quantity(violated.len(), "check"), violated.join(", ")));
    }
    if let Some(entry) = headline(profile).filter(|entry| entry.capped == Capped::Yes) {
        let wall = entry.max_read_iops.map(|x| format!(" of {} IOPS", format::count(x))).unwrap_or_default();
        doubts.push(format!("the plateau{wall} is a limit that somebody set, not the device's own"));
    }
    if let Some(cliff) = validity.cliffs.first() {
        doubts.push(format!(
            "writing fell from {} to {} after {}",
            format::bandwidth(cliff.before_bytes_per_second),
            format::bandwidth(cliff.after_bytes_per_second),
            format::bytes(cliff.at_bytes)
        ));
    }
    if validity.temperature.as_ref().is_some_and(|t| t.throttled) {
        doubts.push("the device reached its warning temperature".to_owned());
    }
    if validity.order_effect.as_ref().is_some_and(|effect| effect.seen) {
        doubts.push("reads right after writes ran at another speed".to_owned());
    }
    if let Some(effect) = validity.slice_effects.iter().find(|effect| effect.seen) {
        doubts.push(format!(
            "just after other work {} run at {} of what a long stretch gets",
            if effect.op == OpKind::Read { "reads" } else { "writes" },
            percent(effect.ratio)
        ));
    }
    match &validity.limited_by {
        Some(Limit::Noise) => doubts.push("noise, not time, keeps the intervals wide".to_owned()),
        Some(Limit::Time) => doubts.push("a longer run would narrow the intervals".to_owned()),
        _ => {}
    }
    if validity.censored_curves > 0 {
        let curves = quantity(validity.censored_curves as usize, "curve");
        // An imported curve that grows has no k at all.
        let what =
            if is_imported(profile) { "throughput still grew at the end" } else { "k is a lower bound" };
        doubts.push(format!("on {curves} {what}"));
    }
    let imported = imported_from(profile);
    let state = match validity.state {
        DeviceState::Imported => &imported,
        DeviceState::Published => return published_worth(profile, &doubts),
        DeviceState::Steady => "These numbers are steady-state numbers by the SNIA test",
        DeviceState::Simulated => "These numbers are a simulated device's",
        _ => {
            "These numbers are burst numbers: steady state was not shown, and hours of writing may be slower"
        }
    };
    let more = doubts.len().saturating_sub(MOST_DOUBTS);
    doubts.truncate(MOST_DOUBTS);
    if more > 0 {
        doubts.push(format!("{} below", quantity(more, "more doubt")));
    }
    match doubts.as_slice() {
        [] if validity.state == DeviceState::Steady => {
            format!("{state}, and every check that could be made holds.")
        }
        [] => format!("{state}."),
        doubts => format!("{state}; but {}.", doubts.join("; ")),
    }
}

/// Published numbers are worth what their source is.
fn published_worth(profile: &DeviceProfile, doubts: &[String]) -> String {
    let but = if doubts.is_empty() { String::new() } else { format!("; but {}", doubts.join("; ")) };
    format!("These are {}{but}.", published_by(profile))
}

/// Whether the numbers were taken from the catalogue, not measured.
pub(crate) fn is_published(profile: &DeviceProfile) -> bool {
    profile.method.engine == EngineKind::Published
}

/// `published numbers, not measured here: SOURCE`.
pub(crate) fn published_by(profile: &DeviceProfile) -> String {
    let source = profile.validity.checks.iter().find(|check| check.name == CheckName::Source);
    let source = source.map_or("source not stated", |check| &check.detail);
    format!("published numbers, not measured here: {source}")
}

/// Whether another program measured.
pub(crate) fn is_imported(profile: &DeviceProfile) -> bool {
    profile.method.engine == EngineKind::Imported
}

/// `These numbers are imported, not measured here: fio 3.33's and etcd 3.4's`.
fn imported_from(profile: &DeviceProfile) -> String {
    let programs = imported_programs(profile);
    format!("These numbers are imported, not measured here, in a state that is not known: by {programs}")
}

/// `fio 3.33, etcd 3.4.23`: each once.
pub(crate) fn imported_programs(profile: &DeviceProfile) -> String {
    let mut programs: Vec<String> = Vec::new();
    for file in &profile.method.imported {
        let program = [Some(&file.program), file.version.as_ref()];
        let program = program.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" ");
        if !programs.contains(&program) {
            programs.push(program);
        }
    }
    if programs.is_empty() { "a program that is not stated".to_owned() } else { programs.join(", ") }
}

/// Whether the page cache stood between the measurement and the device.
pub(crate) fn is_buffered(profile: &DeviceProfile) -> bool {
    !profile.method.direct && !is_simulated(profile) && !is_published(profile) && !is_imported(profile)
}

/// Whether the device was a simulated one.
pub(crate) fn is_simulated(profile: &DeviceProfile) -> bool {
    profile.device.kind == DeviceKind::Simulated || profile.method.engine == EngineKind::Simulated
}

fn plural(word: &str, n: u32) -> String {
    if n == 1 { word.to_owned() } else { format!("{word}s") }
}

fn plural_of(word: &str, value: f64) -> String {
    if significant(value) == "1.00" { word.to_owned() } else { format!("{word}s") }
}

fn quantity(n: usize, word: &str) -> String {
    if n == 1 { format!("one {word}") } else { format!("{n} {word}s") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{imported_profile, one_point, reads_only, sample_profile, troubled_profile};

    #[test]
    fn imported_numbers_are_said_to_be_by_whom_and_nothing_is_said_of_a_state_or_the_cache() {
        let mut profile = imported_profile();
        let [_, _, worth] = sentences(&profile);
        assert_eq!(
            worth,
            "These numbers are imported, not measured here, in a state that is not known: by fio 3.33; but on \
             one curve throughput still grew at the end."
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
            "Keep about 32 (28–40) 4K random reads in flight: one at a time uses 12 % of what the device can do \
             (9.84k of 82.0k IOPS); write 8 blocks at a time."
        );
        assert!(second.starts_with(
            "A 4K random write costs 1.93 (1.70–2.10) reads when saturated and 0.90 unbatched; a durable one "
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
        let said = "write 16 to 64 blocks at a time (this run cannot tell more closely): 16 in flight give 76 % of the \
                    best, 64 give 92 % at a quarter of the latency of 252.";
        assert!(first.ends_with(said), "{first}");
        profile.parameters[0].k_w_90_ci = Some([32, 64]);
        let [first, ..] = sentences(&profile);
        assert!(first.ends_with("write 40 (32–64) blocks at a time."), "{first}");
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
            "Writes were not measured (a block device without --destructive), so what one costs in reads is not known."
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
            "one check failed: speedup",
            "somebody set",
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
        let order = ["writing fell", "warning temperature", "after writes", "on 2 curves k is a lower bound"];
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
                .contains("1.00 (0.97–1.03) read when saturated, which cannot be told from one")
        );
    }
}
