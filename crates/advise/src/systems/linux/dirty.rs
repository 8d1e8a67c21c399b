//! How much may be dirty in memory.

use leadline_profile::Pattern;

use crate::{Advice, Drive, Inputs, Setting, Source, Unmeasured, Value};

/// Seconds of writing after which the kernel begins to write back, and after which programs must do so.
const BACKGROUND: f64 = 1.0;
const FOREGROUND: f64 = 3.0;

const MIB: f64 = 1048576.0;

/// One of the two limits of the kernel, as a size or as a share of the memory.
pub(super) struct Limit {
    pub(super) bytes: &'static str,
    pub(super) ratio: &'static str,
    /// The kernel's own, percent.
    pub(super) default_ratio: f64,
    /// Fewer bytes are refused: two pages, and one byte.
    pub(super) least: f64,
    /// Seconds of writing.
    seconds: f64,
}

/// When the kernel begins to write back, and when programs must wait for it.
pub(super) const LIMITS: [Limit; 2] = [
    Limit {
        bytes: "vm.dirty_background_bytes",
        ratio: "vm.dirty_background_ratio",
        default_ratio: 10.0,
        least: 1.0,
        seconds: BACKGROUND,
    },
    Limit {
        bytes: "vm.dirty_bytes",
        ratio: "vm.dirty_ratio",
        default_ratio: 20.0,
        least: 8192.0,
        seconds: FOREGROUND,
    },
];

const SOURCE: Source =
    Source { defined: "Documentation/admin-guide/sysctl/vm.rst, dirty_bytes", version: "2.6.29 to 6" };

/// Without the memory nothing is advised: what a fast drive writes in seconds may be all that a machine has.
pub(super) fn add(drive: &Drive, inputs: &Inputs, advice: &mut Advice) {
    let Some(memory) = inputs.memory_bytes else {
        let [background, foreground] = LIMITS.each_ref().map(|limit| limit.bytes);
        advice.notes.push(format!("{background} and {foreground} depend on the memory: give --memory"));
        return;
    };
    for limit in &LIMITS {
        advice.add(limit.bytes, setting(drive, memory, limit));
    }
    if advice.setting("vm.dirty_bytes").is_some() {
        advice
            .notes
            .push("vm.dirty_* apply to all devices together: take the values of the slowest".to_owned());
    }
}

/// What the drive writes in seconds, and no more than the kernel's own share of the memory.
pub(super) fn setting(drive: &Drive, memory: u64, limit: &Limit) -> Result<Setting, Unmeasured> {
    let bandwidth = drive.sustained_writes(Pattern::Sequential)?;
    let seconds = limit.seconds;
    let most = limit.default_ratio / 100.0 * memory as f64;
    let bounded = |bytes: f64| bytes.max(16.0 * MIB * seconds).min(most);
    let value = ((bounded(seconds * bandwidth.value) / MIB).floor().max(1.0) * MIB) as u64;
    let rule = format!(
        "the drive's sustained sequential writes of {seconds} s, {:.0} MB; at most {} % of the memory, \
         {:.0} MB",
        seconds * bandwidth.value / 1e6,
        limit.default_ratio,
        most / 1e6
    );
    let setting = Setting::new(limit.bytes, Value::Bytes(value), "bytes", rule, SOURCE)
        .interval(bandwidth.ci.map(|bandwidth| bounded(seconds * bandwidth)))
        .fits(value as f64 / 4.0, (4.0 * value as f64).min(2.0 * most))
        .if_wrong(
            "programs wait for the drive at every write, and small writes are not combined",
            "fsync and sync wait until all of it is on the drive, and reads wait behind the burst",
        );
    // The kernel's own share of the memory is one number as it is. Both limits have the same number of steps,
    // so that one stays three times the other.
    let is_shared = seconds * bandwidth.value >= most;
    Ok(if is_shared { setting } else { setting.on_ladder(seconds * MIB, [16.0 * MIB * seconds, most]) })
}
