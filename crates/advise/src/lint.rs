//! A configuration judged key by key.

use std::io::Read as _;
use std::path::Path;

use leadline_profile::DeviceProfile;
use serde::Serialize;

use crate::{Advice, AdviseError, Config, Drive, Entry, Inputs, Setting, System, Value, advise};

/// The largest configuration that is read: a wrong file should not fill the memory.
const MOST_BYTES: u64 = 4 << 20;

/// What was found out about a configuration.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Lint {
    /// What would be advised.
    pub advice: Advice,
    /// One entry per key that stands in the configuration and is known, in its order, then what is wrong with
    /// several keys together.
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
    /// The value, as it stands there.
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
}

/// Whether a value fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// As good as what would be advised.
    Fits,
    /// Lower than what fits.
    TooLow,
    /// Higher than what fits.
    TooHigh,
    /// Another word than those that fit.
    Wrong,
    /// It does nothing, or says something that cannot be, on this device or on any.
    Meaningless,
    /// Not a value of this key.
    Invalid,
    /// The profile lacks what it would be judged by.
    NotJudged,
}

impl Verdict {
    /// Whether something should be done about it.
    pub fn is_wrong(self) -> bool {
        !matches!(self, Verdict::Fits | Verdict::NotJudged)
    }

    /// In words: `too low`.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Fits => "fits",
            Verdict::TooLow => "too low",
            Verdict::TooHigh => "too high",
            Verdict::Wrong => "wrong",
            Verdict::Meaningless => "meaningless",
            Verdict::Invalid => "invalid",
            Verdict::NotJudged => "not judged",
        }
    }
}

impl Lint {
    /// Whether something is wrong.
    pub fn is_wrong(&self) -> bool {
        self.findings.iter().any(|finding| finding.verdict.is_wrong())
    }
}

/// Reads a configuration of `system` from a file.
///
/// # Errors
/// [`AdviseError::Io`], or [`AdviseError::Syntax`] where it is not in the system's syntax.
pub fn read(system: System, path: &Path) -> Result<Config, AdviseError> {
    let io = |source| AdviseError::Io { path: path.into(), source };
    let file = std::fs::File::open(path).map_err(io)?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(io)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(AdviseError::syntax(path, None, "is larger than 4 MiB; name a configuration file"));
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| AdviseError::syntax(path, None, "is not text; name a configuration file"))?;
    parse(system, &text, path)
}

/// Reads a configuration of `system` from the text of a file; `path` is what messages call it.
///
/// # Errors
/// [`AdviseError::Syntax`] where it is not in the system's syntax.
pub fn parse(system: System, text: &str, path: &Path) -> Result<Config, AdviseError> {
    system.rules().read(text.strip_prefix('\u{feff}').unwrap_or(text), path)
}

/// Judges each key of `config` that is known.
///
/// # Errors
/// As [`advise()`].
pub fn lint(
    system: System,
    config: &Config,
    profile: &DeviceProfile,
    inputs: &Inputs,
) -> Result<Lint, AdviseError> {
    let advice = advise(system, profile, inputs)?;
    let mut notes = config.notes.clone();
    let mut findings = Vec::new();
    for (at, entry) in config.entries.iter().enumerate() {
        let same = |other: &Entry| other.key == entry.key && other.section == entry.section;
        if config.entries[at + 1..].iter().any(same) {
            notes.push(format!("{}: {} is set again below, which is in force", entry.place, entry.key));
            continue;
        }
        if let Some(setting) = advice.setting(&entry.key) {
            findings.push(judge(system, setting, entry));
        } else if let Some(missing) = advice.missing.iter().find(|missing| missing.key == entry.key) {
            findings.push(finding(entry, Verdict::NotJudged, missing.reason.clone()));
        }
    }
    findings.extend(system.rules().patterns(config, &advice, &Drive::new(profile)));
    let unset = unset(config, &advice);
    Ok(Lint { advice, findings, unset, notes })
}

/// One key against what would be advised.
fn judge(system: System, setting: &Setting, entry: &Entry) -> Finding {
    let Some(value) = system.rules().value(setting, &entry.value) else {
        let reason = format!("not a value of this key, which is in {}", setting.unit);
        return Finding { advised: Some(setting.value.clone()), ..finding(entry, Verdict::Invalid, reason) };
    };
    let numbers = value.number().zip(setting.value.number());
    let verdict = match (setting.fits.has(&value), numbers) {
        (true, _) => Verdict::Fits,
        (false, Some((found, advised))) if found < advised => Verdict::TooLow,
        (false, Some(_)) => Verdict::TooHigh,
        (false, None) => Verdict::Wrong,
    };
    let reason = match verdict {
        Verdict::TooLow | Verdict::Wrong => setting.if_too_low,
        Verdict::TooHigh => setting.if_too_high,
        _ => "",
    };
    let off = |(found, advised): (f64, f64)| (found / advised).max(advised / found);
    let times = numbers.map(off).filter(|times| times.is_finite());
    let costs = setting.costs.as_ref();
    Finding {
        advised: Some(setting.value.clone()),
        times,
        costs: costs.and_then(|costs| Some((costs.at(&value)?, costs.of))),
        ..finding(entry, verdict, reason)
    }
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
    }
}

/// Keys that the configuration leaves at a default that does not fit.
fn unset(config: &Config, advice: &Advice) -> Vec<Unset> {
    let is_unset = |setting: &&Setting| config.last(setting.key).is_none();
    let misfit = |setting: &Setting| {
        let default = setting.default.clone().filter(|default| !setting.fits.has(default))?;
        Some(Unset { key: setting.key, default, advised: setting.value.clone() })
    };
    advice.settings.iter().filter(is_unset).filter_map(misfit).collect()
}
