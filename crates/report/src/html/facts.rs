//! The words of the page: what it is, how it was measured, how far to trust it.

use leadline_profile::{CheckStatus, DeviceFacts, DeviceProfile, DeviceState, ImportedFile, Parameters};
use serde::Serialize;

use crate::format::{self, block, bytes, percent, significant, with_interval};
use crate::sentences::{imported_programs, is_buffered, is_imported, is_published, published_by};

/// A name and what it is, with how good that is.
#[derive(Debug, Serialize)]
pub(super) struct Fact {
    name: String,
    value: String,
    /// `ok`, `warn`, `bad` or empty.
    tone: &'static str,
}

fn fact(name: &str, value: impl Into<String>, tone: &'static str) -> Fact {
    Fact { name: name.to_owned(), value: value.into(), tone }
}

/// Warnings that belong above all numbers.
pub(super) fn banners(profile: &DeviceProfile) -> Vec<String> {
    let mut banners = Vec::new();
    if !profile.validity.complete {
        let by = profile.validity.stopped_by.as_deref().unwrap_or("an unknown cause");
        banners.push(format!(
            "Partial: the run was cut short by {by}. Points and intervals cover what was measured by then."
        ));
    }
    if is_buffered(profile) {
        let words =
            "Buffered I/O: requests went through the page cache, so these numbers measure the cache too.";
        banners.push(words.to_owned());
    }
    if is_imported(profile) {
        banners.push(format!(
            "Imported: measured by {}, not by Leadline. Intervals are wide, because one run does not show how \
             much the next would differ. Numbers that were not measured are missing.",
            imported_programs(profile)
        ));
    }
    banners
}

/// The validity card.
pub(super) fn validity(profile: &DeviceProfile) -> Vec<Fact> {
    let validity = &profile.validity;
    if is_published(profile) {
        return vec![
            fact("State", published_by(profile), "warn"),
            fact("Durability", non_empty(&validity.durability, "not stated"), ""),
        ];
    }
    if is_imported(profile) {
        return vec![
            fact("State", format!("imported, by {}: not known", imported_programs(profile)), "warn"),
            fact("Durability", non_empty(&validity.durability, "not stated"), ""),
        ];
    }
    let mut facts = vec![match (&validity.stopped_by, validity.complete) {
        (_, true) => fact("Run", "complete", "ok"),
        (Some(by), false) => fact("Run", format!("partial, cut short by {by}"), "bad"),
        (None, false) => fact("Run", "partial", "bad"),
    }];
    facts.push(state(profile));
    if is_buffered(profile) {
        facts.push(fact("Page cache", "not bypassed: buffered I/O", "bad"));
    }
    if validity.cliffs.is_empty() {
        facts.push(fact("Cliffs", "none seen", ""));
    }
    for cliff in &validity.cliffs {
        let (before, after) = (cliff.before_bytes_per_second, cliff.after_bytes_per_second);
        let words = format!(
            "{} to {} after {} ({})",
            format::bandwidth(before),
            format::bandwidth(after),
            bytes(cliff.at_bytes),
            cliff.phase
        );
        facts.push(fact("Cliff", words, "warn"));
    }
    facts.push(temperature(profile));
    facts.push(fact("Durability", non_empty(&validity.durability, "not stated"), ""));
    facts.push(fact("Footprint", footprint(profile), ""));
    facts.push(fact(
        "Transferred",
        format!("{} written, {} read", bytes(validity.bytes_written), bytes(validity.bytes_read)),
        "",
    ));
    let at_most = |n: u32, what: &str, bad| match n {
        0 => ("none".to_owned(), "ok"),
        n => (format!("{n} {what}{}", if n == 1 { "" } else { "s" }), bad),
    };
    let (words, tone) = at_most(validity.cpu_bound_points, "point", "warn");
    facts.push(fact("Limited by the processor", words, tone));
    let (words, tone) = at_most(validity.censored_curves, "curve", "warn");
    facts.push(fact("Censored: k is a lower bound", words, tone));
    facts.push(match &validity.order_effect {
        None => fact("Order effect", "not known", ""),
        Some(effect) => {
            let words = with_interval(effect.ratio, Some(effect.ratio_ci), significant);
            let tone = if effect.seen { "warn" } else { "ok" };
            let seen = if effect.seen { "seen" } else { "none seen" };
            fact(
                "Order effect",
                format!("{seen}: reads after writes run at {words} of reads after reads"),
                tone,
            )
        }
    });
    if let Some(washout) = validity.washout_seconds {
        facts.push(match validity.washout_recovered {
            Some(false) => fact(
                "Washout",
                format!("reads had not recovered {} after writes", format::seconds(washout)),
                "warn",
            ),
            _ => fact(
                "Washout",
                format!("reads recovered within {} after writes", format::seconds(washout)),
                "",
            ),
        });
    }
    if validity.cpu_pressure.is_some() || validity.cpu_steal.is_some() {
        let show = |share: Option<f64>| share.map_or_else(|| "unknown".to_owned(), percent);
        let words =
            format!("{} waiting (PSI), {} stolen", show(validity.cpu_pressure), show(validity.cpu_steal));
        facts.push(fact("Processor", words, ""));
    }
    facts
}

fn state(profile: &DeviceProfile) -> Fact {
    let rounds = profile.validity.steady_state.as_ref();
    let numbers = rounds.map_or_else(
        || "the SNIA test was not run".to_owned(),
        |r| {
            let passed = if r.passed { "passed" } else { "not passed" };
            format!(
                "SNIA test {passed}: range {}, slope {} over the last rounds",
                percent(r.range),
                percent(r.slope.abs())
            )
        },
    );
    match &profile.validity.state {
        DeviceState::Simulated => fact("State", "simulated", ""),
        DeviceState::Steady => fact("State", format!("steady; {numbers}"), "ok"),
        other => fact("State", format!("{}; {numbers}", non_empty(other.as_str(), "not known")), "warn"),
    }
}

fn temperature(profile: &DeviceProfile) -> Fact {
    let Some(t) = &profile.validity.temperature else { return fact("Temperature", "not readable", "") };
    let warning = t.warning_c.map(|c| format!(", warning at {c:.0} °C")).unwrap_or_default();
    let words = format!("{:.0} °C at the start, at most {:.0} °C{warning}", t.start_c, t.max_c);
    if t.throttled {
        fact("Temperature", format!("{words}: reached"), "bad")
    } else {
        fact("Temperature", words, "ok")
    }
}

fn footprint(profile: &DeviceProfile) -> String {
    let share = profile.validity.footprint_fraction.map(|f| format!(", {} of the device", percent(f)));
    format!("{}{}", bytes(profile.method.footprint_bytes), share.unwrap_or_default())
}

/// The sanity checks, violated ones first.
pub(super) fn checks(profile: &DeviceProfile) -> Vec<Fact> {
    let mut checks: Vec<_> = profile.validity.checks.iter().collect();
    checks.sort_by_key(|check| match check.status {
        CheckStatus::Violated => 0,
        CheckStatus::Unknown => 1,
        CheckStatus::Ok => 2,
    });
    let tone = |status| match status {
        CheckStatus::Ok => "ok",
        CheckStatus::Violated => "bad",
        CheckStatus::Unknown => "unknown",
    };
    checks.into_iter().map(|c| fact(c.name.as_str(), c.detail.clone(), tone(c.status))).collect()
}

/// What was measured.
pub(super) fn device(d: &DeviceFacts) -> Vec<Fact> {
    d.named().into_iter().map(|(name, value)| fact(name, value, "")).collect()
}

/// How it was measured, in numbers.
pub(super) fn method(profile: &DeviceProfile) -> Vec<Fact> {
    let m = &profile.method;
    let direct = if m.direct { "O_DIRECT" } else { "buffered" };
    let cpus: Vec<String> = m.cpus.iter().map(u32::to_string).collect();
    let pinned =
        if cpus.is_empty() { "not pinned".to_owned() } else { format!("pinned to CPU {}", cpus.join(", ")) };
    let budget = m.budget_seconds.map_or_else(|| "until converged".to_owned(), format::seconds);
    let patterns: Vec<&str> = m.patterns.iter().map(|&p| format::pattern(p)).collect();
    let sizes: Vec<String> = m.block_sizes.iter().map(|&b| block(b)).collect();
    if is_published(profile) {
        return vec![
            fact("Numbers", published_by(profile), ""),
            fact("Concurrency k", non_empty(&m.concurrency_is, "not stated"), ""),
            fact("Block sizes", sizes.join(", "), ""),
            fact("Patterns", patterns.join(", "), ""),
        ];
    }
    if is_imported(profile) {
        return imported(&m.imported, sizes, patterns);
    }
    vec![
        fact("Engine", format!("{}, {direct}", non_empty(m.engine.as_str(), "not known")), ""),
        fact("Concurrency k", non_empty(&m.concurrency_is, "not stated"), ""),
        fact("Threads", format!("{}, {pinned}", m.threads), ""),
        fact("Budget", format!("{} ({budget})", non_empty(m.budget.as_str(), "not stated")), ""),
        fact(
            "Time",
            format!(
                "{} measuring, {} layout",
                format::seconds(m.measured_seconds),
                format::seconds(m.layout_seconds)
            ),
            "",
        ),
        fact("Rounds", format!("{} epochs, slices of {}", m.epochs, format::seconds(m.slice_seconds)), ""),
        fact("Block sizes", sizes.join(", "), ""),
        fact("Patterns", patterns.join(", "), ""),
        fact("Highest k tried", m.max_concurrency.to_string(), ""),
        fact("Writes", non_empty(m.writes.as_str(), "not stated"), ""),
        fact(
            "Preconditioning",
            match m.precondition_passes {
                0 => "none".to_owned(),
                1 => "one pass".to_owned(),
                n => format!("{n} passes"),
            },
            "",
        ),
        fact("Seed", m.seed.to_string(), ""),
    ]
}

/// The files that numbers were imported from, and what of them.
fn imported(files: &[ImportedFile], sizes: Vec<String>, patterns: Vec<&str>) -> Vec<Fact> {
    let mut facts = Vec::new();
    for file in files {
        let version = file.version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
        facts.push(fact(&file.file, format!("by {}{version}", file.program), ""));
        let lists = [
            ("read", &file.read, ""),
            ("skipped", &file.skipped, "warn"),
            ("assumed", &file.assumed, "warn"),
        ];
        for (what, lines, tone) in lists {
            facts.extend(lines.iter().map(|line| fact(what, line.clone(), tone)));
        }
    }
    facts.push(fact("Block sizes", non_empty(&sizes.join(", "), "none"), ""));
    facts.push(fact("Patterns", non_empty(&patterns.join(", "), "none"), ""));
    facts
}

/// `yes`, `no`, `unknown` and how that reads in a table.
pub(super) fn capped(entry: &Parameters) -> &'static str {
    match entry.capped {
        leadline_profile::Capped::Yes => "yes",
        leadline_profile::Capped::No => "no",
        leadline_profile::Capped::Unknown => "unknown",
    }
}

fn non_empty(text: &str, otherwise: &str) -> String {
    if text.is_empty() { otherwise.to_owned() } else { text.to_owned() }
}
