//! The limits of a cloud volume: the `[cap]` part of a description.

use serde::{Deserialize, Serialize};

use crate::size::size;

/// Operations and bytes per second, each with credit that may be saved up for a burst. 0 stands for no limit
/// and no credit.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CapSpec {
    /// Most operations per second, 0.001 to 1e9, a multiple of 0.001.
    #[serde(default)]
    pub iops: f64,
    /// Operations that may be saved up, 1 to 1e12; there at the start.
    #[serde(default)]
    pub credit: u64,
    /// Operations per second at which credit comes back, 0.001 to `iops`, a multiple of 0.001: what is left
    /// when the credit is used up.
    #[serde(default)]
    pub refill: f64,
    /// A larger request counts as several operations: one for every that many bytes or part of them. 512 to
    /// 1G; 0 counts every request as one.
    #[serde(default, deserialize_with = "size")]
    pub operation_bytes: u64,
    /// Most bytes per second, 1K to 1T.
    #[serde(default, deserialize_with = "size")]
    pub bytes_per_s: u64,
    /// Bytes that may be saved up, 1 to 1048576T; there at the start.
    #[serde(default, deserialize_with = "size")]
    pub bytes_credit: u64,
    /// Bytes per second at which they come back, 1K to `bytes_per_s`.
    #[serde(default, deserialize_with = "size")]
    pub bytes_refill: u64,
}

/// Credit must be there again after an idle time of this many seconds, so that nanoseconds can count it.
const LONGEST_REFILL_S: f64 = 1e9;

impl CapSpec {
    /// The first field that cannot be, and what is allowed.
    pub(crate) fn check(&self) -> Result<(), (&'static str, &'static str)> {
        if self.iops == 0.0 && self.bytes_per_s == 0 {
            return Err(("cap", "limits nothing: give iops or bytes_per_s, or leave [cap] out"));
        }
        self.check_operations()?;
        self.check_bytes()
    }

    fn check_operations(&self) -> Result<(), (&'static str, &'static str)> {
        if !(self.iops == 0.0 || is_rate(self.iops)) {
            return Err(("cap.iops", "must be from 0.001 to 1e9 operations per second, a multiple of 0.001"));
        }
        if self.iops == 0.0 && (self.credit, self.refill, self.operation_bytes) != (0, 0.0, 0) {
            return Err(("cap.iops", "must be given with credit, refill or operation_bytes"));
        }
        if self.operation_bytes != 0 && !(512..=1 << 30).contains(&self.operation_bytes) {
            return Err(("cap.operation_bytes", "must be from 512 to 1G"));
        }
        if self.refill == 0.0 {
            let reason = "must be given with credit: from 0.001 to iops operations per second";
            return if self.credit == 0 { Ok(()) } else { Err(("cap.refill", reason)) };
        }
        if !(is_rate(self.refill) && self.refill <= self.iops) {
            let reason = "must be from 0.001 to iops operations per second, a multiple of 0.001";
            return Err(("cap.refill", reason));
        }
        if !(1..=1_000_000_000_000).contains(&self.credit) {
            return Err(("cap.credit", "must be given with refill: from 1 to 1e12 operations"));
        }
        if self.credit as f64 / self.refill > LONGEST_REFILL_S {
            return Err(("cap.credit", "must be at most 1e9 seconds of refill"));
        }
        Ok(())
    }

    fn check_bytes(&self) -> Result<(), (&'static str, &'static str)> {
        const RATES: std::ops::RangeInclusive<u64> = 1 << 10..=1 << 40;
        if self.bytes_per_s != 0 && !RATES.contains(&self.bytes_per_s) {
            return Err(("cap.bytes_per_s", "must be from 1K to 1T per second"));
        }
        if self.bytes_per_s == 0 && (self.bytes_credit, self.bytes_refill) != (0, 0) {
            return Err(("cap.bytes_per_s", "must be given with bytes_credit or bytes_refill"));
        }
        if self.bytes_refill == 0 {
            let reason = "must be given with bytes_credit: from 1K to bytes_per_s";
            return if self.bytes_credit == 0 { Ok(()) } else { Err(("cap.bytes_refill", reason)) };
        }
        if !RATES.contains(&self.bytes_refill) || self.bytes_refill > self.bytes_per_s {
            return Err(("cap.bytes_refill", "must be from 1K to bytes_per_s"));
        }
        if !(1..=1 << 60).contains(&self.bytes_credit) {
            return Err(("cap.bytes_credit", "must be given with bytes_refill: from 1 to 1048576T"));
        }
        if self.bytes_credit as f64 / self.bytes_refill as f64 > LONGEST_REFILL_S {
            return Err(("cap.bytes_credit", "must be at most 1e9 seconds of bytes_refill"));
        }
        Ok(())
    }
}

/// Whether a rate is in range and can be counted exactly, in thousandths.
fn is_rate(per_second: f64) -> bool {
    (0.001..=1e9).contains(&per_second) && (per_second * 1e3).round() / 1e3 == per_second
}
