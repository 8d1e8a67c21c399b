//! How far the numbers of a profile can be trusted: the state they were measured in, and what speaks against
//! them.

use leadline_profile::{
    Capped, Check, CheckName, CheckStatus, DeviceProfile, DeviceState, Limit, OpKind, Validity, WriteStatus,
};

use crate::format::{self, counted, percent};
use crate::headline;
use crate::origin::{imported_programs, is_buffered, is_imported, published_by};

/// Something that speaks against the numbers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Doubt {
    /// Half a sentence, which begins with a small letter.
    pub(crate) words: String,
    /// Whether the numbers may be wrong by it, and not only less exact or not for every use.
    pub(crate) bad: bool,
    /// The check that failed, if one did.
    pub(crate) check: Option<CheckName>,
}

/// What kind of numbers they are: what stands after `These are`.
pub(crate) fn state(profile: &DeviceProfile) -> String {
    let writes = matches!(profile.method.writes, WriteStatus::Measured);
    match (&profile.validity.state, &profile.validity.steady_state) {
        (DeviceState::Imported, _) => {
            let programs = imported_programs(profile);
            format!("numbers by {programs}, not by Leadline, of a device in an unknown state")
        }
        (DeviceState::Published, _) => published_by(profile),
        (DeviceState::Steady, _) => "steady-state numbers (SNIA test)".to_owned(),
        (DeviceState::Simulated, _) => "numbers of a simulated device".to_owned(),
        (_, rounds) => {
            let why = match rounds {
                Some(_) => "the SNIA test did not reach steady state",
                None => "steady state was not tested",
            };
            let slower = if writes { ", and long writing may be slower" } else { "" };
            format!("burst numbers: {why}{slower}")
        }
    }
}

/// What speaks against the numbers, worst first.
pub(crate) fn doubts(profile: &DeviceProfile) -> Vec<Doubt> {
    let bad = |words: String| Doubt { words, bad: true, check: None };
    let mut doubts: Vec<Doubt> = cut_short(profile).map(bad).into_iter().collect();
    if is_buffered(profile) {
        doubts.push(bad("requests went through the page cache, which is part of these numbers".to_owned()));
    }
    let failed = profile.validity.checks.iter().filter(|check| check.status == CheckStatus::Violated);
    doubts.extend(failed.map(|check| {
        let words = format!("check {} failed: {}", check.name, finding(check));
        Doubt { check: Some(check.name.clone()), ..bad(words) }
    }));
    doubts.extend(capped(profile).map(bad));
    let less = |words: String| Doubt { words, bad: false, check: None };
    doubts.extend(during_the_run(&profile.validity).into_iter().map(less));
    doubts.extend(skipped(profile).map(less));
    doubts.extend(imprecise(profile).into_iter().map(less));
    doubts
}

/// What was found by a check that failed, without the worst case and advice that follow.
pub(crate) fn finding(check: &Check) -> &str {
    check.detail.split("; ").next().unwrap_or_default()
}

fn cut_short(profile: &DeviceProfile) -> Option<String> {
    let Validity { complete, stopped_by, .. } = &profile.validity;
    let by = stopped_by.as_deref().unwrap_or("an unknown cause");
    (!complete).then(|| format!("the run is partial: it was cut short by {by}"))
}

fn capped(profile: &DeviceProfile) -> Option<String> {
    let entry = headline(profile).filter(|entry| entry.capped == Capped::Yes)?;
    let most = entry.max_read_iops.map(|x| format!(" of {} IOPS", format::count(x))).unwrap_or_default();
    Some(format!("the maximum{most} is a limit that was set, not the device's own"))
}

/// What happened while measuring.
fn during_the_run(validity: &Validity) -> Vec<String> {
    let failed = |name: CheckName| {
        validity.checks.iter().any(|check| check.name == name && check.status == CheckStatus::Violated)
    };
    let mut found = Vec::new();
    if let Some(cliff) = validity.cliffs.first() {
        found.push(format!(
            "writing fell from {} to {} after {}",
            format::bandwidth(cliff.before_bytes_per_second),
            format::bandwidth(cliff.after_bytes_per_second),
            format::bytes(cliff.at_bytes)
        ));
    }
    if validity.temperature.as_ref().is_some_and(|t| t.throttled) {
        found.push("the device reached its warning temperature".to_owned());
    }
    // What a failed check says is not said twice.
    let order = validity.order_effect.as_ref().filter(|effect| effect.seen);
    if let Some(effect) = order.filter(|_| !failed(CheckName::Order)) {
        let ratio = percent(effect.ratio);
        found.push(format!("reads right after writes ran at {ratio} of their usual speed"));
    }
    let slices = validity.slice_effects.iter().find(|effect| effect.seen);
    if let Some(effect) = slices.filter(|_| !failed(CheckName::Slices)) {
        let op = if effect.op == OpKind::Read { "reads" } else { "writes" };
        found.push(format!("in short slices, {op} ran at {} of long stretches", percent(effect.ratio)));
    }
    found
}

/// What was not taken from imported files: the first of it, and how much more.
fn skipped(profile: &DeviceProfile) -> Option<String> {
    let files = profile.method.imported.iter();
    let mut skipped = files.flat_map(|file| file.skipped.iter().map(move |line| (&file.file, line)));
    let (file, line) = skipped.next()?;
    let more = match skipped.count() {
        0 => String::new(),
        n => format!(" (and {n} more)"),
    };
    Some(format!("skipped in {file}: {line}{more}"))
}

/// What keeps numbers from being known closely.
fn imprecise(profile: &DeviceProfile) -> Vec<String> {
    let validity = &profile.validity;
    let limit = match &validity.limited_by {
        Some(Limit::Noise) => Some("the machine or the device was too noisy for narrow intervals".to_owned()),
        Some(Limit::Time) => Some("a longer run would narrow the intervals".to_owned()),
        _ => None,
    };
    let censored = (validity.censored_curves > 0).then(|| {
        let curves = counted(validity.censored_curves.into(), "curve");
        // An imported curve that grows has no k at all.
        let so = if is_imported(profile) { "" } else { ", so k is a lower bound" };
        format!("throughput still grew at the end of {curves}{so}")
    });
    limit.into_iter().chain(censored).collect()
}
