//! A profile of published numbers: what the catalogue has of a device, in the shape of a measurement.

use leadline_catalogue::{AccessPath, Description, Published, split_path};

use crate::{
    Capped, Check, CheckName, CheckStatus, DeviceFacts, DeviceKind, DeviceProfile, DeviceState, EngineKind,
    Latency, Method, OpKind, Parameters, Pattern, Point, SCHEMA, Validity, WriteStatus,
};

/// A description that makes no profile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PublishedError {
    /// It can only be simulated.
    #[error(
        "device:{name} has no published numbers; measure the simulated device: leadline profile sim:{name}"
    )]
    SimulatedOnly {
        /// The device asked for.
        name: String,
    },
    /// Nothing was published of the raw device.
    #[error("device:{name}:raw has no published numbers; leave out :raw")]
    NotRaw {
        /// The device asked for.
        name: String,
    },
}

/// The published numbers of a device as a profile. `name` is what follows `device:`: the numbers of the path
/// through the file system, or the numbers without a path, or if there are neither the raw device's;
/// `NAME:raw` only the latter.
///
/// One entry of `parameters` an entry, with `alpha_1` = write latency / read latency. One read and one write
/// point at concurrency 1 where the latency is published: IOPS = 1e6 / latency in microseconds; its
/// percentiles are 0, not known. Where a cap is published, it is both plateaus.
///
/// # Errors
/// [`PublishedError`]: nothing was published of it, or nothing by that path.
pub fn published_profile(description: &Description, name: &str) -> Result<DeviceProfile, PublishedError> {
    let entries = entries(description, name)?;
    let mut block_sizes: Vec<u32> = entries.iter().map(|e| e.block_bytes).collect();
    block_sizes.sort_unstable();
    block_sizes.dedup();
    let mut patterns: Vec<Pattern> = entries.iter().map(|e| pattern(e)).collect();
    patterns.sort_unstable();
    patterns.dedup();
    let asymmetry = entries.iter().any(|e| e.alpha.is_some() || e.alpha_1().is_some());
    Ok(DeviceProfile {
        schema: SCHEMA.to_owned(),
        leadline: env!("CARGO_PKG_VERSION").to_owned(),
        device: DeviceFacts {
            target: format!("device:{name}"),
            kind: DeviceKind::Published,
            name: short_name(name),
            ..DeviceFacts::default()
        },
        method: Method {
            engine: EngineKind::Published,
            concurrency_is: "requests in flight, as the source counts them".to_owned(),
            block_sizes,
            patterns,
            max_concurrency: entries.iter().map(|e| e.k_r.max(e.k_w)).max().unwrap_or(1),
            writes: if asymmetry {
                WriteStatus::Published
            } else {
                WriteStatus::Absent("no asymmetry was published".to_owned())
            },
            ..Method::default()
        },
        validity: Validity {
            complete: true,
            state: DeviceState::Published,
            checks: checks(description, &entries),
            durability: "not stated: whether a completed write outlives a power cut was not published"
                .to_owned(),
            ..Validity::default()
        },
        points: entries.iter().flat_map(|e| points(e)).collect(),
        parameters: entries.iter().map(|e| parameters(e)).collect(),
        ..DeviceProfile::default()
    })
}

/// The entries of the path that `name` asks for, in the file's order.
fn entries<'a>(description: &'a Description, name: &str) -> Result<Vec<&'a Published>, PublishedError> {
    let (device, path) = split_path(name);
    if description.published.is_empty() {
        return Err(PublishedError::SimulatedOnly { name: device.to_owned() });
    }
    let (raw, other): (Vec<_>, Vec<_>) =
        description.published.iter().partition(|e| e.path == Some(AccessPath::Raw));
    match path {
        Some(AccessPath::Raw) if raw.is_empty() => Err(PublishedError::NotRaw { name: device.to_owned() }),
        Some(AccessPath::Raw) => Ok(raw),
        _ if other.is_empty() => Ok(raw),
        _ => Ok(other),
    }
}

/// `p4510`, `p4510-raw`; of a file its stem.
fn short_name(name: &str) -> String {
    let (device, path) = split_path(name);
    let file = device.rsplit('/').next().unwrap_or(device);
    let stem = file.strip_suffix(".toml").unwrap_or(file);
    if path.is_some() { format!("{stem}-raw") } else { stem.to_owned() }
}

/// The source first; then where a limit and an asymmetry contradict one another; then the notes.
fn checks(description: &Description, entries: &[&Published]) -> Vec<Check> {
    let check = |name, status, detail| Check { name, status, detail };
    let source = description.source.clone().unwrap_or_default();
    let mut checks = vec![check(CheckName::Source, CheckStatus::Unknown, source)];
    for entry in entries {
        if let (Some(alpha), Some(cap)) = (entry.alpha.filter(|&alpha| alpha != 1.0), entry.cap_iops) {
            let detail = format!(
                "{}: alpha {alpha} was read before the limit, and at the limit of {cap} requests per second it is 1",
                kind(entry)
            );
            checks.push(check(CheckName::Alpha, CheckStatus::Violated, detail));
        }
    }
    let notes = entries.iter().filter_map(|e| Some((e, e.note.as_ref()?)));
    checks.extend(
        notes.map(|(e, note)| check(CheckName::Note, CheckStatus::Unknown, format!("{}: {note}", kind(e)))),
    );
    checks
}

/// `4K random`.
fn kind(entry: &Published) -> String {
    let size = match entry.block_bytes {
        b if b.is_multiple_of(1024) => format!("{}K", b / 1024),
        b => format!("{b}B"),
    };
    format!("{size} {}", if pattern(entry) == Pattern::Random { "random" } else { "sequential" })
}

fn pattern(entry: &Published) -> Pattern {
    match entry.pattern {
        leadline_catalogue::Pattern::Random => Pattern::Random,
        leadline_catalogue::Pattern::Sequential => Pattern::Sequential,
    }
}

fn points(entry: &Published) -> Vec<Point> {
    let latencies = [(OpKind::Read, entry.read_latency_us), (OpKind::Write, entry.write_latency_us)];
    let known = latencies.into_iter().filter_map(|(op, latency)| Some((op, latency?)));
    known
        .map(|(op, latency_us)| {
            let iops = 1e6 / latency_us;
            Point {
                op,
                pattern: pattern(entry),
                block_bytes: entry.block_bytes,
                concurrency: 1,
                durable: false,
                iops,
                iops_ci: None,
                bandwidth_bytes: iops * f64::from(entry.block_bytes),
                latency_us: Latency { mean: latency_us, ..Latency::default() },
                cpu_bound: false,
                cpu_us_per_op: None,
                slices: Vec::new(),
                stretches: Vec::new(),
                histogram: Vec::new(),
                extra: Default::default(),
            }
        })
        .collect()
}

fn parameters(entry: &Published) -> Parameters {
    Parameters {
        alpha: entry.alpha,
        alpha_1: entry.alpha_1(),
        // Published by the source's own rule, which is not 90 % of a plateau: k_r_90 and k_w_90 stay unknown.
        k_r: Some(entry.k_r),
        k_w: Some(entry.k_w),
        max_read_iops: entry.cap_iops,
        max_write_iops: entry.cap_iops,
        capped: if entry.cap_iops.is_some() { Capped::Yes } else { Capped::Unknown },
        ..Parameters::new(pattern(entry), entry.block_bytes)
    }
}
