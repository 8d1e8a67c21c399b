//! How much may be dirty in memory.

use leadline_profile::Pattern;

use crate::{Advice, Drive, Inputs, Setting, Source, Unmeasured, Value};

/// Seconds of writing after which the kernel begins to write back, and after which programs must do so.
const BACKGROUND: f64 = 1.0;
const FOREGROUND: f64 = 3.0;

const MIB: f64 = 1048576.0;

/// The kernel's own limits, shares of the memory that can be dirty.
pub(super) const RATIOS: [(&str, f64); 2] = [("vm.dirty_background_bytes", 0.1), ("vm.dirty_bytes", 0.2)];

const SOURCE: Source =
    Source { defined: "Documentation/admin-guide/sysctl/vm.rst, dirty_bytes", version: "2.6.29 to 6" };

pub(super) fn add(drive: &Drive, inputs: &Inputs, advice: &mut Advice) {
    for ((key, share), seconds) in RATIOS.into_iter().zip([BACKGROUND, FOREGROUND]) {
        advice.add(key, bytes(drive, inputs, key, share, seconds));
    }
    if advice.setting("vm.dirty_bytes").is_some() {
        advice.notes.push("vm.dirty_* hold for all devices together: take those of the slowest".to_owned());
    }
}

fn bytes(
    drive: &Drive,
    inputs: &Inputs,
    key: &'static str,
    share: f64,
    seconds: f64,
) -> Result<Setting, Unmeasured> {
    let bandwidth = drive.sustained_writes(Pattern::Sequential)?;
    let most = inputs.memory_bytes.map_or(f64::INFINITY, |memory| share * memory as f64);
    let bounded = |bytes: f64| bytes.min(most).max(16.0 * MIB * seconds);
    let value = ((bounded(seconds * bandwidth.value) / MIB).round() * MIB) as u64;
    let rule = format!(
        "what the drive writes in sequence within {seconds} s for long, {:.0} MB; at most {:.0} % of the \
         memory",
        seconds * bandwidth.value / 1e6,
        100.0 * share
    );
    Ok(Setting::new(key, Value::Bytes(value), "bytes", rule, SOURCE)
        .interval(bandwidth.ci.map(|bandwidth| bounded(seconds * bandwidth)))
        .fits(value as f64 / 4.0, 4.0 * value as f64)
        .if_wrong(
            "programs wait for the drive at every write, and small writes are not combined",
            "fsync and sync wait until all of it is on the drive, and reads wait behind the burst",
        ))
}
