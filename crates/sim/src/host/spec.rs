//! The host's side of a drive: the `[link]` part of a description.

use serde::{Deserialize, Serialize};

use crate::checks::number;
use crate::error::Flaw;

/// What a request costs before it is at the drive and after the drive is done with it. All of it is nothing
/// unless the description says otherwise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostLinkSpec {
    /// Megabytes (10^6 bytes) per second that the link moves, 1 to 1e6; 0: no limit.
    #[serde(default)]
    pub mb_per_s: f64,
    /// Microseconds of a processor that a request takes, 0 to 1e6; requests of one queue take turns.
    #[serde(default)]
    pub request_us: f64,
    /// Microseconds of `request_us` that pass before the request is on its way; during the rest of them the
    /// drive is at work already. 0 to `request_us`; left out, all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_us: Option<f64>,
    /// Microseconds of it more for each KiB that a request moves, as where data is copied; 0 to 1e6. All of
    /// them pass before the request is on its way.
    #[serde(default)]
    pub per_kib_us: f64,
    /// Queues, each with a processor of its own, 1 to 1024; a request passes the queue of its slot.
    #[serde(default = "one")]
    pub queues: u32,
    /// Whether data moves both ways at once.
    #[serde(default = "yes")]
    pub duplex: bool,
}

fn one() -> u32 {
    1
}

fn yes() -> bool {
    true
}

impl Default for HostLinkSpec {
    fn default() -> Self {
        HostLinkSpec {
            mb_per_s: 0.0,
            request_us: 0.0,
            latency_us: None,
            per_kib_us: 0.0,
            queues: one(),
            duplex: yes(),
        }
    }
}

impl HostLinkSpec {
    /// The first field that cannot be, and what is allowed.
    pub(crate) fn check(&self) -> Result<(), Flaw> {
        if self.mb_per_s != 0.0 {
            let unit = "megabytes per second, or left out: no limit";
            number("link.mb_per_s", self.mb_per_s, 1.0..=1e6, unit)?;
        }
        number("link.request_us", self.request_us, 0.0..=1e6, "microseconds")?;
        if let Some(latency_us) = self.latency_us {
            number("link.latency_us", latency_us, 0.0..=self.request_us, "microseconds (link.request_us)")?;
        }
        number("link.per_kib_us", self.per_kib_us, 0.0..=1e6, "microseconds")?;
        number("link.queues", self.queues, 1..=1024, "queues")
    }

    /// Microseconds that a request of `kib` KiB waits for software when it is alone.
    pub(crate) fn alone_us(&self, kib: f64) -> f64 {
        self.latency_us.unwrap_or(self.request_us) + self.per_kib_us * kib
    }
}
