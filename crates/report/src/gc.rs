//! What `gc` says, in words, for the terminal and the page alike.

use leadline_profile::{Gc, GcPass, GcPassKind};

use crate::format::{bandwidth, block, bytes, seconds};

/// What collection takes, in the same order and in another, and what a rest gives back: a few sentences.
pub(crate) fn summary(found: &Gc) -> Vec<String> {
    let overwritten = |kind: GcPassKind, order: &str| {
        let pass = found.pass(kind)?;
        Some(format!(
            "Overwritten in {order}, {} at a time of {}: {}.",
            found.concurrency,
            block(found.block_bytes),
            drop(pass)
        ))
    };
    let mut said: Vec<String> = [
        overwritten(GcPassKind::SameOrder, "the random order of the fill"),
        overwritten(GcPassKind::OtherOrder, "another random order"),
    ]
    .into_iter()
    .flatten()
    .collect();
    if let Some(recovery) = &found.recovery {
        let (before, after) = (recovery.before_bytes_per_second, recovery.after_bytes_per_second);
        let lasted = recovery
            .lasted_bytes
            .map_or(String::new(), |lasted| format!("; it fell again after {}", bytes(lasted as u64)));
        said.push(format!(
            "After {} of rest it writes at {}, {:.0} % of the {} before it{lasted}.",
            seconds(recovery.rest_seconds),
            bandwidth(after),
            100.0 * after / before,
            bandwidth(before)
        ));
    }
    said
}

/// `bandwidth falls by 19 % (from 2.00 GB/s to 1.62 GB/s), robustly by 15 % (13–17 %)`.
fn drop(pass: &GcPass) -> String {
    format!(
        "bandwidth falls by {} (from {} to {}), robustly by {}",
        exactly(pass.drop),
        bandwidth(pass.max_bytes_per_second),
        bandwidth(pass.min_bytes_per_second),
        robust(pass)
    )
}

/// The robust drop with its interval.
pub(crate) fn robust(pass: &GcPass) -> String {
    let interval = pass.drop_robust_ci.map_or(String::new(), |[low, high]| {
        format!(" ({}–{})", exactly(low).trim_end_matches(" %"), exactly(high))
    });
    format!("{}{interval}", exactly(pass.drop_robust))
}

/// `0.5 %`, `19 %`: small drops are what an even drive is about.
pub(crate) fn exactly(share: f64) -> String {
    let percent = 100.0 * share;
    if percent < 9.95 { format!("{percent:.1} %") } else { format!("{percent:.0} %") }
}

/// The name of a pass.
pub(crate) fn pass_name(kind: GcPassKind) -> &'static str {
    match kind {
        GcPassKind::Fill => "fill",
        GcPassKind::SameOrder => "same order",
        GcPassKind::OtherOrder => "another order",
        GcPassKind::AfterRest => "after a rest",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::written_profile;

    #[test]
    fn drops_and_the_recovery_are_told() {
        let mut found = written_profile().experiments.gc.expect("measured");
        let said = summary(&found).join(" ");
        for part in [
            "in the random order of the fill, 256 at a time of 16K",
            "falls by 19 % (from 2.00 GB/s to 1.62 GB/s), robustly by 15 % (13–17 %)",
            "another random order",
            "After 15.0 s of rest it writes at 1.90 GB/s, 190 % of the 1.00 GB/s before it",
            "it fell again after 1.00 GiB",
        ] {
            assert!(said.contains(part), "no {part:?} in {said:?}");
        }
        found.recovery = None;
        found.passes.truncate(2);
        assert_eq!(summary(&found).len(), 1);
        assert_eq!((exactly(0.005), exactly(0.2)), ("0.5 %".to_owned(), "20 %".to_owned()));
    }
}
