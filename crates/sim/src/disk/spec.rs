//! The description of a hard disk: its fields, and what each may be.

use leadline_catalogue::Description;
use leadline_device::{Geometry, Nanos};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use crate::SimError;
use crate::cap::CapSpec;
use crate::checks::{SECTOR_BYTES, capacity, number};
use crate::error::Flaw;
use crate::host::HostLinkSpec;
use crate::nearest::nearest;
use crate::size::size;

/// The simulator's part of a description with `kind = "disk"`, as docs/simulated-devices.md has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiskSpec {
    kind: String,
    /// Addressable bytes.
    #[serde(deserialize_with = "size")]
    pub capacity: u64,
    /// Decides how the platter is at the start.
    #[serde(default = "one")]
    pub seed: u64,
    /// How it turns, and what passes the head.
    pub platter: DiskPlatter,
    /// How the head moves.
    pub seek: DiskSeek,
    /// What its electronics take.
    #[serde(default)]
    pub timing: DiskTiming,
    /// Which request is next.
    #[serde(default)]
    pub queue: DiskQueue,
    /// Its memory.
    #[serde(default)]
    pub buffer: DiskBuffer,
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

/// The platter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiskPlatter {
    /// Turns per minute, 100 to 100000.
    pub rpm: u32,
    /// Megabytes (10^6 bytes) per second that pass the head on the outermost tracks, which come first; 1 to
    /// 10000.
    pub mb_per_s: f64,
    /// The same on the innermost tracks, 1 to `mb_per_s`; left out, all tracks are alike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inner_mb_per_s: Option<f64>,
    /// Zones of tracks that are alike, 2 to 64, default 16; with `inner_mb_per_s` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zones: Option<u32>,
}

/// How long the head takes to another track: it grows with the square root of the distance up to a third of
/// all tracks, with the distance beyond.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiskSeek {
    /// Microseconds to the next track, 0 to 100000.
    pub track_us: f64,
    /// Microseconds over a third of the tracks, about the mean between two random places; `track_us` to 1e6.
    pub average_us: f64,
    /// Microseconds over all tracks, `average_us` to 1e6.
    pub full_us: f64,
    /// Microseconds more before a write, since it must not miss its track; 0 to 100000.
    #[serde(default)]
    pub write_us: f64,
}

/// What the electronics of a hard disk take.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiskTiming {
    /// Microseconds from the arrival of a request until the head may move for it, in addition to the time
    /// that the head works on; 0 to 1e6.
    #[serde(default)]
    pub controller_us: f64,
}

/// Which request a hard disk does next: the one whose first byte comes under the head first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiskQueue {
    /// How many of the oldest requests it chooses from, 1 (in the order of arrival) to 1024; default 32.
    #[serde(default = "default_depth")]
    pub depth: u32,
    /// None goes before one that arrived that many milliseconds earlier, 0 to 1e6; default 500. So none waits
    /// forever.
    #[serde(default = "default_reorder_ms")]
    pub reorder_ms: f64,
}

/// The memory of a hard disk.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiskBuffer {
    /// Bytes of plain writes that may be done before they are on the platter, at most 1T; default 0: none.
    #[serde(default, deserialize_with = "size")]
    pub write: u64,
    /// Bytes that it reads on behind a read while it has nothing else to do, at most 1T; default 2M.
    #[serde(default = "default_read_ahead", deserialize_with = "size")]
    pub read_ahead: u64,
}

fn one() -> u64 {
    1
}

fn default_depth() -> u32 {
    32
}

fn default_reorder_ms() -> f64 {
    500.0
}

fn default_read_ahead() -> u64 {
    2 << 20
}

/// Zones where their number is not given.
const ZONES: u32 = 16;

impl Default for DiskQueue {
    fn default() -> Self {
        DiskQueue { depth: default_depth(), reorder_ms: default_reorder_ms() }
    }
}

impl Default for DiskBuffer {
    fn default() -> Self {
        DiskBuffer { write: 0, read_ahead: default_read_ahead() }
    }
}

impl DiskPlatter {
    /// A turn.
    pub(super) fn turn(&self) -> Nanos {
        nearest(60e9 / f64::from(self.rpm))
    }

    /// Bytes of a track in each zone, from the outermost to the innermost.
    pub(super) fn track_bytes(&self) -> Vec<u64> {
        let inner = self.inner_mb_per_s.unwrap_or(self.mb_per_s);
        let zones = if self.inner_mb_per_s.is_some() { self.zones.unwrap_or(ZONES) } else { 1 };
        let sector = u64::from(SECTOR_BYTES);
        (0..zones)
            .map(|zone| {
                let inwards = f64::from(zone) / f64::from((zones - 1).max(1));
                let mb_per_s = self.mb_per_s + (inner - self.mb_per_s) * inwards;
                ((mb_per_s * 60e6 / f64::from(self.rpm)) as u64 / sector).max(1) * sector
            })
            .collect()
    }

    fn check(&self) -> Result<(), Flaw> {
        number("platter.rpm", self.rpm, 100..=100_000, "turns per minute")?;
        number("platter.mb_per_s", self.mb_per_s, 1.0..=1e4, "megabytes per second")?;
        if let Some(inner) = self.inner_mb_per_s {
            let unit = "megabytes per second (platter.mb_per_s)";
            number("platter.inner_mb_per_s", inner, 1.0..=self.mb_per_s, unit)?;
        }
        match (self.zones, self.inner_mb_per_s) {
            (Some(_), None) => {
                let reason = "must be left out without platter.inner_mb_per_s: all tracks are alike";
                Err(("platter.zones", reason.to_owned()))
            }
            (Some(zones), Some(_)) => number("platter.zones", zones, 2..=64, "zones"),
            (None, _) => Ok(()),
        }
    }
}

impl DiskSeek {
    fn check(&self) -> Result<(), Flaw> {
        number("seek.track_us", self.track_us, 0.0..=1e5, "microseconds")?;
        let unit = "microseconds (at least seek.track_us)";
        number("seek.average_us", self.average_us, self.track_us..=1e6, unit)?;
        let unit = "microseconds (at least seek.average_us)";
        number("seek.full_us", self.full_us, self.average_us..=1e6, unit)?;
        number("seek.write_us", self.write_us, 0.0..=1e5, "microseconds")
    }
}

impl DiskSpec {
    /// Reads a description; `path` is for the messages.
    ///
    /// # Errors
    /// [`SimError::Catalogue`] with the line.
    pub fn parse(text: &str, path: &str) -> Result<Self, SimError> {
        let spec: DiskSpec = toml::from_str(text).map_err(|error| SimError::syntax(&error, text, path))?;
        spec.check().map_err(|flaw| SimError::value(flaw, text, path))?;
        Description::parse(text, path)?;
        Ok(spec)
    }

    /// What the drive presents itself as.
    pub(super) fn geometry(&self) -> Geometry {
        Geometry { capacity_bytes: self.capacity, block_bytes: SECTOR_BYTES, writable: true }
    }

    /// The first value out of range, or against another.
    fn check(&self) -> Result<(), Flaw> {
        if self.kind != "disk" {
            return Err(("kind", "must be \"disk\" for this reader".to_owned()));
        }
        capacity(self.capacity)?;
        self.platter.check()?;
        self.seek.check()?;
        number("timing.controller_us", self.timing.controller_us, 0.0..=1e6, "microseconds")?;
        number("queue.depth", self.queue.depth, 1..=1024, "requests")?;
        number("queue.reorder_ms", self.queue.reorder_ms, 0.0..=1e6, "milliseconds")?;
        number("buffer.write", self.buffer.write, 0..=1 << 40, "bytes")?;
        number("buffer.read_ahead", self.buffer.read_ahead, 0..=1 << 40, "bytes")?;
        self.link.check()?;
        let cap = self.cap.as_ref().map_or(Ok(()), CapSpec::check);
        cap.map_err(|(field, reason)| (field, reason.to_owned()))
    }
}
