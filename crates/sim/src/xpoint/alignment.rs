//! Requests that are not whole pages: the `[alignment]` part of a description.

use leadline_device::Nanos;
use serde::{Deserialize, Serialize};

use super::PAGE_BYTES;
use crate::checks::number;
use crate::error::Flaw;
use crate::nearest::nearest;
use crate::size::size;

/// How much longer a request takes that does not begin and end at multiples of 4 KiB.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct XpointAlignment {
    /// Microseconds more where it begins and ends at multiples of 2 KiB, 0 to `odd_us`.
    pub even_us: f64,
    /// Microseconds more for every other, 0 to 1e6.
    pub odd_us: f64,
    /// Bytes of a request from which on it makes no difference, 4K to 16M: the larger the request, the more
    /// of it is in progress in addition to its ends. Below, the difference shrinks in proportion.
    #[serde(deserialize_with = "size")]
    pub fade: u64,
}

impl XpointAlignment {
    pub(super) fn check(&self) -> Result<(), Flaw> {
        number("alignment.odd_us", self.odd_us, 0.0..=1e6, "microseconds")?;
        number("alignment.even_us", self.even_us, 0.0..=self.odd_us, "microseconds (alignment.odd_us)")?;
        number("alignment.fade", self.fade, PAGE_BYTES..=16 << 20, "bytes")
    }

    /// How much longer this request takes.
    pub(super) fn extra(&self, offset: u64, len: u32) -> Nanos {
        let ends = offset | (offset + u64::from(len));
        let most = match ends {
            _ if ends.is_multiple_of(PAGE_BYTES) => return 0,
            _ if ends.is_multiple_of(PAGE_BYTES / 2) => self.even_us,
            _ => self.odd_us,
        };
        nearest((1.0 - f64::from(len) / self.fade as f64).max(0.0) * most * 1e3)
    }
}
