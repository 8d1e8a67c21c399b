//! The description of a parametric device: its fields, and what each may be.

use leadline_catalogue::Description;
use leadline_device::Geometry;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use crate::SimError;
use crate::cap::CapSpec;
use crate::error::Flaw;
use crate::flush::FlushSpec;
use crate::size::size;

/// Addresses are hashed and requests aligned in units of this.
pub(super) const BLOCK_BYTES: u32 = 512;

/// The simulator's part of a description, as docs/simulated-devices.md has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParametricSpec {
    kind: String,
    #[serde(deserialize_with = "size")]
    /// Addressable bytes.
    pub capacity: u64,
    /// What multiplies the service time.
    #[serde(default)]
    pub jitter: Jitter,
    /// Of the lognormal: standard deviation of its logarithm.
    #[serde(default = "default_sigma")]
    pub sigma: f64,
    /// Which server a request goes to.
    #[serde(default)]
    pub placement: Placement,
    /// Most requests per second, reads and writes together; 0 is unlimited. Not together with `cap`.
    #[serde(default)]
    pub cap_iops: f64,
    /// Seed of the jitter.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// Standard deviation of the whole device's speed, whose mean stays 1: neighbours, garbage collection,
    /// weather.
    #[serde(default)]
    pub noise: f64,
    /// How long a speed lasts before the next is drawn, milliseconds of virtual time.
    #[serde(default = "default_noise_ms")]
    pub noise_ms: f64,
    /// Seed of the noise.
    #[serde(default = "default_seed")]
    pub noise_seed: u64,
    /// How it reads.
    pub read: ServerSpec,
    /// How it writes.
    pub write: ServerSpec,
    /// Limits on operations and bytes, with credit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cap: Option<CapSpec>,
    /// What flushes and durable writes take.
    #[serde(default)]
    pub flush: FlushSpec,
    // The catalogue's part of the file: `Description::parse` reads it.
    #[serde(default, skip_serializing, rename = "description")]
    _description: IgnoredAny,
    #[serde(default, skip_serializing, rename = "source")]
    _source: IgnoredAny,
    #[serde(default, skip_serializing, rename = "class")]
    _class: IgnoredAny,
    #[serde(default, skip_serializing, rename = "published")]
    _published: IgnoredAny,
}

/// The servers of one operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerSpec {
    /// Microseconds a request, whatever its size.
    pub service_us: f64,
    /// Microseconds more per KiB.
    #[serde(default)]
    pub per_kib_us: f64,
    /// Requests served at once.
    pub servers: u32,
}

/// What multiplies the service time; mean 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Jitter {
    /// Nothing.
    #[default]
    None,
    /// An exponential variate.
    Exponential,
    /// A lognormal variate of the given sigma.
    Lognormal,
}

/// Which server a request goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// The first that is free.
    #[default]
    AnyFree,
    /// The one its block address hashes to.
    Hashed,
}

fn default_sigma() -> f64 {
    0.3
}

fn default_noise_ms() -> f64 {
    50.0
}

fn default_seed() -> u64 {
    1
}

impl ParametricSpec {
    /// Reads a description; `path` is for the messages.
    ///
    /// # Errors
    /// [`SimError::Catalogue`] with the line.
    pub fn parse(text: &str, path: &str) -> Result<Self, SimError> {
        let spec: ParametricSpec =
            toml::from_str(text).map_err(|error| SimError::syntax(&error, text, path))?;
        spec.check().map_err(|flaw| SimError::value(flaw, text, path))?;
        Description::parse(text, path)?;
        Ok(spec)
    }

    /// What the device presents itself as.
    pub(super) fn geometry(&self) -> Geometry {
        Geometry { capacity_bytes: self.capacity, block_bytes: BLOCK_BYTES, writable: true }
    }

    /// The first value out of range.
    pub(crate) fn check(&self) -> Result<(), Flaw> {
        let bad = |field, reason: &str| Err((field, reason.to_owned()));
        if self.kind != "parametric" {
            return bad("kind", "must be \"parametric\" for this reader");
        }
        if self.capacity < 1 << 20 || self.capacity > 1 << 60 {
            return bad("capacity", "must be from 1M to 1048576T");
        }
        if !self.capacity.is_multiple_of(u64::from(BLOCK_BYTES)) {
            return bad("capacity", "must be a multiple of 512 bytes");
        }
        if !(self.cap_iops == 0.0 || (self.cap_iops >= 1e-3 && self.cap_iops <= 1e9)) {
            return bad("cap_iops", "must be 0 (no cap) or from 0.001 to 1e9 requests per second");
        }
        if let Some(cap) = &self.cap {
            if self.cap_iops != 0.0 {
                return bad("cap_iops", "must be left out where there is [cap]: cap_iops is its iops alone");
            }
            cap.check().or_else(|(field, reason)| bad(field, reason))?;
        }
        self.flush.check().or_else(|(field, reason)| bad(field, reason))?;
        if !(0.0..=3.0).contains(&self.sigma) {
            return bad("sigma", "must be from 0 to 3");
        }
        if !(0.0..=1.0).contains(&self.noise) {
            return bad("noise", "must be from 0 to 1");
        }
        if !(0.001..=1e9).contains(&self.noise_ms) {
            return bad("noise_ms", "must be from 0.001 to 1e9 milliseconds");
        }
        for (fields, server) in [
            (["read.service_us", "read.per_kib_us", "read.servers"], &self.read),
            (["write.service_us", "write.per_kib_us", "write.servers"], &self.write),
        ] {
            if !(0.0..=1e9).contains(&server.service_us) {
                return bad(fields[0], "must be from 0 to 1e9 microseconds");
            }
            if !(0.0..=1e6).contains(&server.per_kib_us) {
                return bad(fields[1], "must be from 0 to 1e6 microseconds");
            }
            if server.service_us + server.per_kib_us < 0.001 {
                return bad(fields[0], "a request must take time: service_us or per_kib_us must be positive");
            }
            if !(1..=1 << 20).contains(&server.servers) {
                return bad(fields[2], "must be from 1 to 1048576");
            }
        }
        Ok(())
    }
}
