//! What `gc` found: bandwidth over time while a full drive is overwritten.

use serde::{Deserialize, Serialize};

use super::Record;
use super::range::{
    AT_LEAST_ONE, BadField, Impossible, NOT_NEGATIVE, POSITIVE, SHARE, ascending, check, first,
    impossible_procedure, named, not_negative, positive, share, under,
};
use crate::Procedure;

/// A region filled at random and overwritten in the same and in another order.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Gc {
    /// How it was measured; `epochs` are passes.
    pub procedure: Procedure,
    /// Bytes per request.
    pub block_bytes: u32,
    /// Requests in flight.
    pub concurrency: u32,
    /// Bytes of the blocks that were filled and overwritten.
    pub part_bytes: u64,
    /// In the order in which they were made.
    pub passes: Vec<GcPass>,
    /// What a rest gave; absent where there was no time for one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery: Option<GcRecovery>,
}

/// Which pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GcPassKind {
    /// The first one, in a random order.
    Fill,
    /// Overwriting in the order of the fill.
    SameOrder,
    /// Overwriting in another random order.
    OtherOrder,
    /// Overwriting in yet another, after a rest.
    AfterRest,
}

impl GcPassKind {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            GcPassKind::Fill => "fill",
            GcPassKind::SameOrder => "same order",
            GcPassKind::OtherOrder => "another order",
            GcPassKind::AfterRest => "after a rest",
        }
    }
}

/// The writes of one pass, as many in flight as there may be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GcPass {
    /// Which.
    pub kind: GcPassKind,
    /// Bytes written.
    pub bytes: u64,
    /// Time it took.
    pub seconds: f64,
    /// Whether it wrote all that it was to, and not as much as there was time for.
    pub whole: bool,
    /// All bytes / all time, bytes per second.
    pub mean_bytes_per_second: f64,
    /// Of the windows, bytes per second.
    pub max_bytes_per_second: f64,
    /// Of the windows, bytes per second.
    pub min_bytes_per_second: f64,
    /// Share by which the slowest window is slower than the fastest, 0 to 1.
    pub drop: f64,
    /// The same of the 5th and the 95th percentile of the windows.
    pub drop_robust: f64,
    /// 95 % interval of `drop_robust`, from resampled stretches of windows; `null` with few windows.
    #[serde(default)]
    pub drop_robust_ci: Option<[f64; 2]>,
    /// Bytes written to the medium per byte written, where the drive tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_amplification: Option<f64>,
    /// Seconds since the first pass began, and bytes per second from then on: one entry a window.
    pub windows: Vec<(f64, f64)>,
}

/// Bandwidth before and after a rest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GcRecovery {
    /// How long the drive was left alone, seconds.
    pub rest_seconds: f64,
    /// At the end of the pass before, bytes per second.
    pub before_bytes_per_second: f64,
    /// At the beginning of the pass after, bytes per second.
    pub after_bytes_per_second: f64,
    /// Bytes that were written after the rest until bandwidth fell again; absent where it did not fall.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lasted_bytes: Option<f64>,
}

impl Gc {
    /// The pass of this kind, if it was made.
    pub fn pass(&self, kind: GcPassKind) -> Option<&GcPass> {
        self.passes.iter().find(|pass| pass.kind == kind)
    }
}

impl Record for Gc {
    fn impossible(&self) -> Option<Impossible> {
        impossible_procedure(&self.procedure)
            .or_else(|| named(check(self.block_bytes > 0, "block_bytes", AT_LEAST_ONE)))
            .or_else(|| {
                first("passes", &self.passes, |pass| {
                    named(pass.bad()).or_else(|| {
                        first("windows", &pass.windows, |(_, rate)| {
                            named(check(not_negative(*rate), "1", NOT_NEGATIVE))
                        })
                    })
                })
            })
            .or_else(|| under("recovery", named(self.recovery.as_ref().and_then(GcRecovery::bad))))
    }
}

impl GcPass {
    fn bad(&self) -> Option<BadField> {
        check(positive(self.seconds), "seconds", POSITIVE)
            .or_else(|| check(positive(self.mean_bytes_per_second), "mean_bytes_per_second", POSITIVE))
            .or_else(|| check(positive(self.max_bytes_per_second), "max_bytes_per_second", POSITIVE))
            .or_else(|| check(not_negative(self.min_bytes_per_second), "min_bytes_per_second", NOT_NEGATIVE))
            .or_else(|| check(share(self.drop), "drop", SHARE))
            .or_else(|| check(share(self.drop_robust), "drop_robust", SHARE))
            .or_else(|| {
                let fits =
                    self.drop_robust_ci.is_none_or(|[low, high]| share(low) && share(high) && low <= high);
                check(fits, "drop_robust_ci", "must be an ascending pair from 0 to 1 or null")
            })
            .or_else(|| {
                let fits = self.write_amplification.is_none_or(not_negative);
                check(fits, "write_amplification", NOT_NEGATIVE)
            })
    }
}

impl GcRecovery {
    fn bad(&self) -> Option<BadField> {
        let [before, after] = [self.before_bytes_per_second, self.after_bytes_per_second];
        check(not_negative(self.rest_seconds), "rest_seconds", NOT_NEGATIVE)
            .or_else(|| check(positive(before), "before_bytes_per_second", POSITIVE))
            .or_else(|| check(positive(after), "after_bytes_per_second", POSITIVE))
            .or_else(|| {
                let lasted = self.lasted_bytes.map(|bytes| [bytes, bytes]);
                check(lasted.is_none_or(ascending), "lasted_bytes", POSITIVE)
            })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::range::{assert_read_as_written, assert_refused};
    use super::*;
    use crate::{DeviceProfile, Experiments, SCHEMA};

    fn sample() -> DeviceProfile {
        let pass = |kind| GcPass {
            kind,
            bytes: 1 << 30,
            seconds: 1.0,
            whole: true,
            mean_bytes_per_second: 1e9,
            max_bytes_per_second: 1.1e9,
            min_bytes_per_second: 0.9e9,
            drop: 0.18,
            drop_robust: 0.12,
            drop_robust_ci: Some([0.1, 0.14]),
            write_amplification: Some(1.5),
            windows: vec![(0.0, 1.1e9), (0.5, 0.9e9)],
        };
        let gc = Gc {
            block_bytes: 16384,
            concurrency: 256,
            part_bytes: 1 << 30,
            passes: vec![pass(GcPassKind::Fill), pass(GcPassKind::SameOrder)],
            recovery: Some(GcRecovery {
                rest_seconds: 5.0,
                before_bytes_per_second: 0.9e9,
                after_bytes_per_second: 1.1e9,
                lasted_bytes: Some(1e8),
            }),
            ..Gc::default()
        };
        let experiments = Experiments { gc: Some(gc), ..Experiments::default() };
        DeviceProfile { schema: SCHEMA.to_owned(), experiments, ..DeviceProfile::default() }
    }

    #[test]
    fn what_is_possible_is_read_as_written() {
        assert_read_as_written(&sample());
    }

    #[test]
    fn impossible_values_are_refused_with_their_place() {
        assert_refused(
            &sample(),
            [
                ("gc/block_bytes", json!(0), "gc.block_bytes"),
                ("gc/passes/1/seconds", json!(0.0), "gc.passes[1].seconds"),
                ("gc/passes/0/drop", json!(1.2), "gc.passes[0].drop"),
                ("gc/passes/0/drop_robust_ci", json!([0.5, 0.1]), "gc.passes[0].drop_robust_ci"),
                ("gc/passes/0/windows/1/1", json!(-1.0), "gc.passes[0].windows[1]"),
                ("gc/recovery/after_bytes_per_second", json!(0.0), "gc.recovery.after_bytes_per_second"),
                ("gc/recovery/lasted_bytes", json!(-1.0), "gc.recovery.lasted_bytes"),
            ],
        );
    }
}
