//! The description of a 3D XPoint drive: its fields, and what each may be.

use leadline_catalogue::Description;
use leadline_device::Geometry;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::{PAGE_BYTES, XpointAlignment, XpointDisturb, XpointSettle};
use crate::SimError;
use crate::cap::CapSpec;
use crate::checks::{SECTOR_BYTES, capacity, number};
use crate::error::Flaw;
use crate::flush::FlushSpec;
use crate::host::HostLinkSpec;
use crate::size::size;

/// The simulator's part of a description with `kind = "xpoint"`, as docs/simulated-devices.md has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct XpointSpec {
    kind: String,
    /// Addressable bytes.
    #[serde(deserialize_with = "size")]
    pub capacity: u64,
    /// Seed of the spread and the stalls.
    #[serde(default = "one")]
    pub seed: u64,
    /// What it is made of.
    pub geometry: XpointGeometry,
    /// How long it takes.
    pub timing: XpointTiming,
    /// Requests that take longer for no reason that a program could see.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stall: Option<XpointStall>,
    /// Reads of what was just written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settle: Option<XpointSettle>,
    /// Requests that are not whole pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alignment: Option<XpointAlignment>,
    /// Places that are read again and again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disturb: Option<XpointDisturb>,
    /// What flushes and durable writes take.
    #[serde(default)]
    pub flush: FlushSpec,
    /// The host's side.
    #[serde(default)]
    pub link: HostLinkSpec,
    /// Limits on operations and bytes, with credit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cap: Option<CapSpec>,
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

/// What a 3D XPoint drive is made of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct XpointGeometry {
    /// Channels, 1 to 256.
    pub channels: u32,
    /// Bytes that one channel moves at once, a power of two from 64 to 4096. The parts of a request are on
    /// one channel after the other.
    #[serde(default = "default_part_bytes")]
    pub part_bytes: u32,
}

/// How long a 3D XPoint drive takes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct XpointTiming {
    /// Microseconds of the controller for each request, one after the other, 0 to 1e6.
    #[serde(default)]
    pub controller_us: f64,
    /// Microseconds that the medium takes to read, mean, 0 to 1e6; however many at once.
    pub read_us: f64,
    /// Microseconds that the medium takes to write, likewise.
    pub write_us: f64,
    /// Standard deviation of the logarithm of both, 0 to 3.
    #[serde(default)]
    pub sigma: f64,
    /// Megabytes (10^6 bytes) per second that all channels read, 1 to 1e6.
    pub read_mb_per_s: f64,
    /// Megabytes per second that they write, likewise.
    pub write_mb_per_s: f64,
}

/// Requests that take longer now and then, as work of the drive's own gets in their way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct XpointStall {
    /// Share of the requests, 0 to 1.
    pub share: f64,
    /// Microseconds longer, mean of an exponential distribution, 0 to 1e6.
    pub mean_us: f64,
}

fn one() -> u64 {
    1
}

fn default_part_bytes() -> u32 {
    512
}

impl XpointSpec {
    /// Reads a description; `path` is for the messages.
    ///
    /// # Errors
    /// [`SimError::Catalogue`] with the line.
    pub fn parse(text: &str, path: &str) -> Result<Self, SimError> {
        let spec: XpointSpec = toml::from_str(text).map_err(|error| SimError::syntax(&error, text, path))?;
        spec.check().map_err(|flaw| SimError::value(flaw, text, path))?;
        Description::parse(text, path)?;
        Ok(spec)
    }

    /// What the drive presents itself as.
    pub(super) fn geometry(&self) -> Geometry {
        Geometry { capacity_bytes: self.capacity, block_bytes: SECTOR_BYTES, writable: true }
    }

    /// Writes of a page in flight that keep its slowest stage busy, if each takes as long as one alone.
    pub fn writes_at_once(&self) -> u32 {
        let page_us = |mb_per_s: f64| PAGE_BYTES as f64 / mb_per_s;
        let (timing, link, page_kib) = (&self.timing, &self.link, PAGE_BYTES as f64 / 1024.0);
        let wire_us = if link.mb_per_s > 0.0 { page_us(link.mb_per_s) } else { 0.0 };
        let stages = [
            (link.request_us + link.per_kib_us * page_kib) / f64::from(link.queues),
            wire_us,
            timing.controller_us,
            page_us(timing.write_mb_per_s),
        ];
        let alone = link.alone_us(page_kib) + stages[1..].iter().sum::<f64>() + timing.write_us;
        (alone / stages.into_iter().fold(0.0, f64::max)).ceil().max(1.0) as u32
    }

    /// The first value out of range, or against another.
    fn check(&self) -> Result<(), Flaw> {
        if self.kind != "xpoint" {
            return Err(("kind", "must be \"xpoint\" for this reader".to_owned()));
        }
        capacity(self.capacity)?;
        number("geometry.channels", self.geometry.channels, 1..=256, "channels")?;
        let part = self.geometry.part_bytes;
        if !part.is_power_of_two() || !(64..=PAGE_BYTES).contains(&u64::from(part)) {
            return Err(("geometry.part_bytes", "must be a power of two from 64 to 4096 bytes".to_owned()));
        }
        self.timing.check()?;
        if let Some(stall) = &self.stall {
            number("stall.share", stall.share, 0.0..=1.0, "(of the requests)")?;
            number("stall.mean_us", stall.mean_us, 0.0..=1e6, "microseconds")?;
        }
        self.settle.as_ref().map_or(Ok(()), XpointSettle::check)?;
        self.alignment.as_ref().map_or(Ok(()), XpointAlignment::check)?;
        self.disturb.as_ref().map_or(Ok(()), XpointDisturb::check)?;
        self.link.check()?;
        let owned = |(field, reason): (&'static str, &str)| (field, reason.to_owned());
        self.flush.check().map_err(owned)?;
        self.cap.as_ref().map_or(Ok(()), CapSpec::check).map_err(owned)
    }
}

impl XpointTiming {
    fn check(&self) -> Result<(), Flaw> {
        for (field, us) in [
            ("timing.controller_us", self.controller_us),
            ("timing.read_us", self.read_us),
            ("timing.write_us", self.write_us),
        ] {
            number(field, us, 0.0..=1e6, "microseconds")?;
        }
        number("timing.sigma", self.sigma, 0.0..=3.0, "(of the logarithm)")?;
        for (field, mb_per_s) in
            [("timing.read_mb_per_s", self.read_mb_per_s), ("timing.write_mb_per_s", self.write_mb_per_s)]
        {
            number(field, mb_per_s, 1.0..=1e6, "megabytes per second")?;
        }
        Ok(())
    }
}
