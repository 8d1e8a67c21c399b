//! A configuration judged: which settings are in force, and whether they fit.

mod judge;
mod verdict;
mod versions;

pub use verdict::Verdict;

use leadline_profile::DeviceProfile;
use serde::Serialize;

use crate::in_force::InForce;
use crate::syntax::templates;
use crate::{Advice, AdviseError, Config, Drive, Entry, Inputs, Setting, System, Value, of_version};

/// What was found out about a configuration.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Lint {
    /// What would be advised.
    pub advice: Advice,
    /// One per key of the configuration that is advised, or is one of another version: the one in force, in
    /// the order of the configuration.
    pub findings: Vec<Finding>,
    /// Keys that are not set and whose default does not fit. They are advice, and nothing wrong: whoever
    /// wrote the configuration did not choose them.
    pub unset: Vec<Unset>,
    /// What was not followed, one sentence each.
    pub notes: Vec<String>,
}

/// A key that is left at its default.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Unset {
    /// As the system spells it.
    pub key: &'static str,
    /// What is in force.
    pub default: Value,
    /// What would be advised.
    pub advised: Value,
}

/// What is to be said of one key.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// As the system spells it.
    pub key: String,
    /// The value, as it is there.
    pub found: String,
    /// Where it stands: file and line, or the server.
    pub place: String,
    /// Whether it fits.
    pub verdict: Verdict,
    /// What would be advised; `None` where the device does not tell.
    pub advised: Option<Value>,
    /// Found / advised, or one over that where it is too low: by how much it is off, 1 or more; `None` for
    /// words.
    pub times: Option<f64>,
    /// Time at this value / time at the best one, and of what; where the profile tells.
    pub costs: Option<(f64, &'static str)>,
    /// What that means, in one sentence.
    pub reason: String,
    /// Whether another value is in force only after a restart; `false` also where the program does not tell.
    pub needs_restart: bool,
}

impl Lint {
    /// Whether something is wrong.
    pub fn is_wrong(&self) -> bool {
        self.wrong() > 0
    }

    /// Keys that do not fit.
    pub fn wrong(&self) -> usize {
        self.findings.iter().filter(|finding| finding.verdict.is_wrong()).count()
    }

    /// Keys that were compared with what fits. 0 is no praise: nothing is known then.
    pub fn judged(&self) -> usize {
        self.findings.iter().filter(|finding| finding.verdict.is_judged()).count()
    }
}

/// Judges the settings that are in force in `config`.
///
/// Without a version, in `inputs`, in `config` itself or in the profile (which knows the kernel), only what
/// holds for all versions is judged.
///
/// # Errors
/// As [`advise()`](crate::advise()).
pub fn lint(
    system: System,
    config: &Config,
    profile: &DeviceProfile,
    inputs: &Inputs,
) -> Result<Lint, AdviseError> {
    let machines = system.rules().version_told(profile);
    // What the configuration says of itself may be a variable, and then it says nothing.
    let told =
        || config.version.as_deref().or(machines.as_deref()).filter(|told| system.version(told).is_ok());
    let Some(given) = inputs.version.as_deref().or_else(told) else {
        let of = |version: &'static str| lint_as(system, version, config, profile, inputs);
        return Ok(versions::in_common(system.versions_of(inputs.product).map(of).collect()));
    };
    let version = system.version(given)?;
    let mut lint = lint_as(system, version.known, config, profile, inputs);
    lint.notes.extend(version.note);
    Ok(lint)
}

/// Judges `config` as this version reads it.
fn lint_as(
    system: System,
    version: &'static str,
    config: &Config,
    profile: &DeviceProfile,
    inputs: &Inputs,
) -> Lint {
    let advice = of_version(system, version, profile, inputs);
    let drive = Drive::new(profile);
    let scoped = system.rules().scoped(config, &drive, inputs);
    let config = scoped.as_ref().map_or(config, |scoped| &scoped.config);
    let in_force = InForce::new(system, version, config, &advice.settings);
    let mut notes = config.notes.clone();
    let mut findings = Vec::new();
    for (at, entry) in config.entries.iter().enumerate() {
        let same = |other: &Entry| other.key == entry.key && other.section == entry.section;
        if config.entries[at + 1..].iter().any(same) {
            notes.push(format!("{}: {} is set again below, which is in force", entry.place, entry.key));
            continue;
        }
        findings.extend(one(entry, &advice, &in_force));
    }
    findings.extend(config.undecided.iter().filter_map(|entry| undecided(entry, &advice)));
    findings.extend(scoped.iter().flat_map(|scoped| scoped.findings.clone()));
    for pattern in system.rules().patterns(config, &advice, &drive) {
        match findings.iter_mut().find(|one| one.key == pattern.key && one.place == pattern.place) {
            Some(known) if known.verdict.is_refused() => {}
            Some(known) => *known = both(known, pattern),
            None => findings.push(pattern),
        }
    }
    // What is set, and would be judged if more were known.
    let is_open =
        |word: &str| advice.setting(word).is_none() && config.entries.iter().any(|entry| entry.key == word);
    let is_of_entry = |note: &&String| note.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(is_open);
    notes.extend(advice.notes.iter().filter(is_of_entry).map(|note| format!("not judged: {note}")));
    let unset = unset(config, &advice, &in_force);
    Lint { advice, findings, unset, notes }
}

/// That a key which would be judged is set to what is not known here.
fn undecided(entry: &Entry, advice: &Advice) -> Option<Finding> {
    let is_judged =
        advice.setting(&entry.key).is_some() || advice.missing.iter().any(|missing| missing.key == entry.key);
    let on = templates::depends_on(&entry.value).filter(|_| is_judged)?;
    Some(finding(entry, Verdict::NotJudged, format!("it depends on {on}")))
}

/// What is wrong with a key by itself, and with it and others together.
fn both(alone: &Finding, together: Finding) -> Finding {
    let reason = match alone.reason.as_str() {
        "" => together.reason,
        alone => format!("{}; {alone}", together.reason),
    };
    Finding { verdict: together.verdict, reason, ..alone.clone() }
}

/// What is to be said of one entry; `None` where it does not depend on the device.
fn one(entry: &Entry, advice: &Advice, in_force: &InForce) -> Option<Finding> {
    let (system, version) = (advice.system, advice.version);
    if let Some(setting) = advice.setting(&entry.key) {
        return Some(judge::judge(system, version, setting, entry, in_force));
    }
    if let Some(reason) = unknown(system, version, &entry.key) {
        return Some(finding(entry, Verdict::Unknown, reason));
    }
    if let Some(reason) = in_force.moot(&entry.key) {
        return Some(finding(entry, Verdict::Moot, reason));
    }
    let missing = advice.missing.iter().find(|missing| missing.key == entry.key)?;
    Some(finding(entry, Verdict::NotJudged, missing.reason.clone()))
}

/// Which versions have a key that this one has not; `None` where this one has it, or none is known to.
fn unknown(system: System, version: &str, key: &str) -> Option<String> {
    let rules = system.rules();
    let is_missing = rules.keys(version).is_some_and(|keys| keys.is_complete && keys.get(key).is_none());
    let has = |version: &&&str| rules.keys(version).is_some_and(|keys| keys.get(key).is_some());
    let mut having = system.versions().iter().filter(|_| is_missing).filter(has);
    let first = having.next()?;
    let since =
        having.next_back().map_or(format!("in {first} only"), |last| format!("from {first} to {last}"));
    Some(format!("{} has this key {since}, and {version} {}", system.title(), rules.if_unknown()))
}

/// A finding with nothing but its reason.
pub(crate) fn finding(entry: &Entry, verdict: Verdict, reason: impl Into<String>) -> Finding {
    Finding {
        key: entry.key.clone(),
        found: entry.value.clone(),
        place: entry.place.to_string(),
        verdict,
        advised: None,
        times: None,
        costs: None,
        reason: reason.into(),
        needs_restart: false,
    }
}

/// Keys that the configuration leaves at a default that does not fit, and that would have an effect.
fn unset(config: &Config, advice: &Advice, in_force: &InForce) -> Vec<Unset> {
    let rules = advice.system.rules();
    let is_unset = |setting: &&Setting| {
        rules.could_have(config, setting.key)
            && config.is_unset(setting.key)
            && in_force.moot(setting.key).is_none()
    };
    let misfit = |setting: &Setting| {
        let default = setting.default.clone().filter(|default| !setting.fits.has(default))?;
        Some(Unset { key: setting.key, default, advised: setting.value.clone() })
    };
    advice.settings.iter().filter(is_unset).filter_map(misfit).collect()
}
