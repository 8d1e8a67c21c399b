//! What durability costs: the `[flush]` part of a description.

use serde::{Deserialize, Serialize};

/// What flushes and durable writes take. Both are about 0 for a drive with power-loss protection, and 0
/// unless the description says otherwise.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlushSpec {
    /// Microseconds that a flush takes once the writes that arrived before it are done, 0 to 1e9.
    #[serde(default)]
    pub service_us: f64,
    /// Microseconds that a durable write takes beyond a plain one, before jitter, 0 to 1e9.
    #[serde(default)]
    pub durable_us: f64,
}

impl FlushSpec {
    /// The first field out of range, and its range.
    pub(crate) fn check(&self) -> Result<(), (&'static str, &'static str)> {
        for (field, us) in [("flush.service_us", self.service_us), ("flush.durable_us", self.durable_us)] {
            if !(0.0..=1e9).contains(&us) {
                return Err((field, "must be from 0 to 1e9 microseconds"));
            }
        }
        Ok(())
    }
}
