//! Which of `vm.dirty_bytes` and `vm.dirty_ratio` is in force, and whether it fits.
//!
//! The kernel's mm/page-writeback.c: whichever is written last sets the other to 0, unless it already has
//! that value; a size below the least is refused, 0 among them, and the ratio stays in force.

use super::super::dirty::{LIMITS, Limit, setting};
use crate::lint::finding;
use crate::systems::Scoped;
use crate::{Drive, Entry, Finding, Fits, Inputs, Setting, Verdict};

/// Takes the lines out that are not in force, and judges ratios.
pub(super) fn judge(found: &mut Scoped, drive: &Drive, inputs: &Inputs) {
    let limits = LIMITS.each_ref().map(|limit| State::after(&found.config.entries, limit));
    let fitting = |limit: &Limit| -> Result<Setting, String> {
        let memory = inputs.memory_bytes.ok_or("it depends on the memory: say --memory")?;
        setting(drive, memory, limit).map_err(|missing| missing.reason)
    };
    for (limit, state) in LIMITS.iter().zip(&limits) {
        for (entry, later) in &state.superseded {
            if entry.key == *later {
                let note = format!("{}: {} is set again below, which is in force", entry.place, entry.key);
                found.config.notes.push(note);
            } else {
                let reason = format!("because of {later}, which is written later and sets this to 0");
                found.findings.push(finding(entry, Verdict::Moot, reason));
            }
        }
        found.findings.extend(state.refused.iter().map(|(entry, reason)| {
            let verdict = match entry.value.parse::<u64>() {
                Ok(0) => Verdict::Fits,
                Ok(_) => Verdict::OutOfRange,
                Err(_) => Verdict::Invalid,
            };
            Finding { reason: reason.clone(), ..finding(entry, verdict, "") }
        }));
        match (&state.last, fitting(limit)) {
            (Some(entry), Err(reason)) => found.findings.push(finding(entry, Verdict::NotJudged, reason)),
            (Some(entry), Ok(setting)) if state.bytes == 0.0 => {
                found.findings.push(ratio(entry, state.ratio, limit, &setting, inputs.memory_bytes));
            }
            _ => {}
        }
    }
    let [background, foreground] = &limits;
    found.findings.extend(halved(background, foreground));
    let is_kept = |entry: &Entry| {
        LIMITS.iter().zip(&limits).all(|(limit, state)| {
            let is_it = entry.key == limit.bytes || entry.key == limit.ratio;
            let is_last = state.last.as_ref() == Some(entry) && state.bytes > 0.0;
            !is_it || is_last && fitting(limit).is_ok()
        })
    };
    found.config.entries.retain(is_kept);
}

/// One limit after all lines.
struct State {
    bytes: f64,
    ratio: f64,
    /// The line that is in force.
    last: Option<Entry>,
    /// Lines that others took the effect of, and the key of the other.
    superseded: Vec<(Entry, String)>,
    /// Lines that the kernel does not take.
    refused: Vec<(Entry, String)>,
}

impl State {
    fn after(entries: &[Entry], limit: &Limit) -> Self {
        let (last, superseded, refused) = (None, Vec::new(), Vec::new());
        let mut state = State { bytes: 0.0, ratio: limit.default_ratio, last, superseded, refused };
        for entry in entries {
            if entry.key == limit.bytes {
                state.size(entry, limit);
            } else if entry.key == limit.ratio {
                state.percent(entry);
            }
        }
        state
    }

    fn size(&mut self, entry: &Entry, limit: &Limit) {
        match entry.value.parse::<u64>() {
            Ok(0) => {
                let reason = match self.bytes > 0.0 {
                    true => format!(
                        "the kernel refuses 0, and {} bytes stay in force: set {}",
                        self.bytes, limit.ratio
                    ),
                    false => format!("0 stands for {}, which is in force", limit.ratio),
                };
                self.refused.push((entry.clone(), reason));
            }
            Ok(bytes) if (bytes as f64) < limit.least => {
                let reason = format!("the kernel refuses less than {} bytes", limit.least);
                self.refused.push((entry.clone(), reason));
            }
            Ok(bytes) => {
                self.supersede(entry);
                if bytes as f64 != self.bytes {
                    (self.bytes, self.ratio) = (bytes as f64, 0.0);
                }
            }
            Err(_) => {
                self.refused.push((entry.clone(), "the kernel refuses it: it is no number of bytes".into()))
            }
        }
    }

    fn supersede(&mut self, entry: &Entry) {
        let before = self.last.replace(entry.clone());
        self.superseded.extend(before.map(|before| (before, entry.key.clone())));
    }

    fn percent(&mut self, entry: &Entry) {
        match entry.value.parse::<u64>() {
            Ok(percent @ 0..=100) => {
                let percent = percent as f64;
                // Nothing changes where it has that value already.
                if percent == self.ratio && self.bytes > 0.0 {
                    let last = self.last.as_ref().map(|last| last.key.clone()).unwrap_or_default();
                    self.superseded.push((entry.clone(), last));
                    return;
                }
                self.supersede(entry);
                (self.bytes, self.ratio) = (0.0, percent);
            }
            _ => self
                .refused
                .push((entry.clone(), "the kernel refuses it: it is no percentage from 0 to 100".into())),
        }
    }
}

/// A percentage of the memory, against what the drive writes.
fn ratio(entry: &Entry, percent: f64, limit: &Limit, setting: &Setting, memory: Option<u64>) -> Finding {
    let (Fits::Range([least, most]), Some(memory)) = (&setting.fits, memory) else {
        return finding(entry, Verdict::NotJudged, "it is a share of the memory: say --memory");
    };
    let bytes = percent / 100.0 * memory as f64;
    let (verdict, if_wrong) = match bytes {
        bytes if bytes < *least => (Verdict::TooLow, setting.if_too_low),
        bytes if bytes > *most => (Verdict::TooHigh, setting.if_too_high),
        _ => (Verdict::Fits, ""),
    };
    let reason = match verdict {
        Verdict::Fits => String::new(),
        _ => format!(
            "{:.0} MB of the memory, where {:.0} to {:.0} MB fit: {if_wrong}; set {} = {} instead",
            bytes / 1e6,
            least / 1e6,
            most / 1e6,
            limit.bytes,
            setting.value
        ),
    };
    let advised = setting.value.number().unwrap_or(*least);
    let times = (percent > 0.0).then(|| (bytes / advised).max(advised / bytes));
    Finding { times, ..finding(entry, verdict, reason) }
}

/// A background that is not below the foreground, both of one kind.
fn halved(background: &State, foreground: &State) -> Option<Finding> {
    let entry = background.last.as_ref()?;
    foreground.last.as_ref()?;
    let are_bytes = background.bytes > 0.0 && foreground.bytes > 0.0;
    let are_ratios = background.bytes == 0.0 && foreground.bytes == 0.0;
    let (first, second) = match (are_bytes, are_ratios) {
        (true, _) => (background.bytes, foreground.bytes),
        (_, true) => (background.ratio, foreground.ratio),
        _ => return None,
    };
    let name = foreground.last.as_ref().map_or("", |entry| entry.key.as_str());
    let reason = format!("not below {name}, {second}: the kernel then takes half of that");
    (first >= second && second > 0.0).then(|| finding(entry, Verdict::Meaningless, reason))
}
