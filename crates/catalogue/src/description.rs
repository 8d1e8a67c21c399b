//! The description of a device: one TOML file, docs/devices.md.

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use toml::Spanned;

use crate::CatalogueError;
use crate::error::line_at;

/// What a file says of a device, checked.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Description {
    /// What it is, one sentence.
    pub description: Option<String>,
    /// Where the published numbers are from, or what the simulated ones follow; there wherever something is
    /// published.
    pub source: Option<String>,
    /// The kind of device: `flash ssd`, `3d xpoint ssd`, `hard disk`, `cloud volume`.
    pub class: Option<String>,
    /// What was published of it; empty where nothing was.
    pub published: Vec<Published>,
    /// Whether the file has a part for the simulator.
    pub simulated: bool,
}

/// Published parameters of one pattern and block size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// Bytes a request, 512 to 16 MiB.
    pub block_bytes: u32,
    /// Random or sequential.
    pub pattern: Pattern,
    /// How requests reached the device, where that was published.
    pub path: Option<AccessPath>,
    /// Saturated read / saturated write throughput, as published.
    pub alpha: Option<f64>,
    /// Reads in flight that saturate the device, 1 to 1,000,000.
    pub k_r: u32,
    /// Writes in flight that saturate it, 1 to 1,000,000.
    pub k_w: u32,
    /// Microseconds a read takes, one at a time.
    pub read_latency_us: Option<f64>,
    /// Microseconds a write takes, one at a time.
    pub write_latency_us: Option<f64>,
    /// Requests per second at which a limit set in software holds both reads and writes.
    pub cap_iops: Option<f64>,
    /// What one must know to use the numbers.
    pub note: Option<String>,
}

impl Published {
    /// Write latency / read latency at depth one: the cost of one unbatched write in reads.
    pub fn alpha_1(&self) -> Option<f64> {
        Some(self.write_latency_us? / self.read_latency_us?)
    }
}

/// Where the next request goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pattern {
    /// Anywhere.
    Random,
    /// To the block after the last.
    Sequential,
}

/// How requests reach the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum AccessPath {
    /// Through a file system.
    #[serde(rename = "file system")]
    FileSystem,
    /// Past it.
    #[serde(rename = "raw")]
    Raw,
}

/// The file: what is read here, and the names of what the simulator reads.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    description: Option<Spanned<String>>,
    source: Option<Spanned<String>>,
    class: Option<Spanned<String>>,
    #[serde(default)]
    published: Vec<Spanned<Published>>,
    kind: Option<IgnoredAny>,
    capacity: Option<IgnoredAny>,
    jitter: Option<IgnoredAny>,
    sigma: Option<IgnoredAny>,
    placement: Option<IgnoredAny>,
    cap_iops: Option<IgnoredAny>,
    cap: Option<IgnoredAny>,
    flush: Option<IgnoredAny>,
    seed: Option<IgnoredAny>,
    noise: Option<IgnoredAny>,
    noise_ms: Option<IgnoredAny>,
    noise_seed: Option<IgnoredAny>,
    read: Option<IgnoredAny>,
    write: Option<IgnoredAny>,
    over_provisioning: Option<IgnoredAny>,
    state: Option<IgnoredAny>,
    allocation: Option<IgnoredAny>,
    geometry: Option<IgnoredAny>,
    timing: Option<IgnoredAny>,
    gc: Option<IgnoredAny>,
    buffer: Option<IgnoredAny>,
    slc: Option<IgnoredAny>,
    mapping: Option<IgnoredAny>,
    read_ahead: Option<IgnoredAny>,
    disturb: Option<IgnoredAny>,
    wear: Option<IgnoredAny>,
    stall: Option<IgnoredAny>,
    settle: Option<IgnoredAny>,
    alignment: Option<IgnoredAny>,
    platter: Option<IgnoredAny>,
    seek: Option<IgnoredAny>,
    queue: Option<IgnoredAny>,
    link: Option<IgnoredAny>,
}

impl File {
    /// Whether any key of the simulator's is there.
    fn simulates(&self) -> bool {
        [
            self.kind,
            self.capacity,
            self.jitter,
            self.sigma,
            self.placement,
            self.cap_iops,
            self.cap,
            self.flush,
            self.seed,
        ]
        .iter()
        .chain([&self.noise, &self.noise_ms, &self.noise_seed, &self.read, &self.write])
        .chain([
            &self.over_provisioning,
            &self.state,
            &self.allocation,
            &self.geometry,
            &self.timing,
            &self.gc,
        ])
        .chain([
            &self.buffer,
            &self.slc,
            &self.mapping,
            &self.read_ahead,
            &self.disturb,
            &self.wear,
            &self.link,
        ])
        .chain([&self.stall, &self.settle, &self.alignment, &self.platter, &self.seek, &self.queue])
        .any(Option::is_some)
    }
}

impl Description {
    /// Reads a description; `path` is for the messages. What it gives the simulator is not looked into here.
    ///
    /// # Errors
    /// [`CatalogueError::Syntax`] and [`CatalogueError::Value`] with the line.
    pub fn parse(text: &str, path: &str) -> Result<Self, CatalogueError> {
        let file: File = toml::from_str(text).map_err(|error| CatalogueError::syntax(&error, text, path))?;
        check(&file).map_err(|(at, field, reason)| CatalogueError::Value {
            path: path.to_owned(),
            line: Some(line_at(text, at)),
            field,
            reason,
        })?;
        Ok(Description {
            simulated: file.simulates(),
            description: file.description.map(Spanned::into_inner),
            source: file.source.map(Spanned::into_inner),
            class: file.class.map(Spanned::into_inner),
            published: file.published.into_iter().map(Spanned::into_inner).collect(),
        })
    }
}

/// Offset in the text, field, reason.
type Flaw = (usize, &'static str, String);

/// The first value that cannot be.
fn check(file: &File) -> Result<(), Flaw> {
    for (field, text) in
        [("description", &file.description), ("source", &file.source), ("class", &file.class)]
    {
        if let Some(text) = text {
            one_line(text.get_ref()).map_err(|reason| (text.span().start, field, reason))?;
        }
    }
    let Some(first) = file.published.first() else {
        let nothing = "missing; a description needs [[published]] entries, a part to simulate (kind, capacity, \
                       read, write), or both";
        return if file.simulates() { Ok(()) } else { Err((0, "published", nothing.to_owned())) };
    };
    if file.source.is_none() {
        let reason = "missing; say where the published numbers are from: source = \"author, year, table\"";
        return Err((first.span().start, "source", reason.to_owned()));
    }
    for (i, entry) in file.published.iter().enumerate() {
        let at = entry.span().start;
        check_entry(entry.get_ref()).map_err(|(field, reason)| (at, field, reason))?;
        // An entry that names no path goes with the file system's.
        let key = |e: &Published| (e.block_bytes, e.pattern, e.path == Some(AccessPath::Raw));
        if file.published[..i].iter().any(|other| key(other.get_ref()) == key(entry.get_ref())) {
            let reason = "a second entry for this pattern, block size and path; keep one".to_owned();
            return Err((at, "published", reason));
        }
    }
    Ok(())
}

fn check_entry(entry: &Published) -> Result<(), (&'static str, String)> {
    if !(512..=16 << 20).contains(&entry.block_bytes) {
        return Err(("published.block_bytes", "must be from 512 to 16777216 bytes".to_owned()));
    }
    for (field, k) in [("published.k_r", entry.k_r), ("published.k_w", entry.k_w)] {
        if !(1..=1_000_000).contains(&k) {
            return Err((field, "must be from 1 to 1000000 requests in flight".to_owned()));
        }
    }
    for (field, value, least, most, unit) in [
        ("published.alpha", entry.alpha, 1e-3, 1e6, "reads a write"),
        ("published.read_latency_us", entry.read_latency_us, 1e-3, 1e9, "microseconds"),
        ("published.write_latency_us", entry.write_latency_us, 1e-3, 1e9, "microseconds"),
        ("published.cap_iops", entry.cap_iops, 1e-3, 1e9, "requests per second"),
    ] {
        if value.is_some_and(|value| !(least..=most).contains(&value)) {
            return Err((
                field,
                format!("must be from {least} to {most} {unit}; leave it out where not known"),
            ));
        }
    }
    entry.note.as_deref().map_or(Ok(()), one_line).map_err(|reason| ("published.note", reason))
}

/// Text goes into tables and messages of one line.
fn one_line(text: &str) -> Result<(), String> {
    if text.trim().is_empty() {
        return Err("is empty; write a sentence or leave it out".to_owned());
    }
    if text.chars().any(char::is_control) {
        return Err("must be one line without control characters; end a line in \\ to go on".to_owned());
    }
    Ok(())
}
