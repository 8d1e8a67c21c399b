//! Names of what profiles have, and numbers as people read them.

use leadline_profile::{DeviceProfile, OpKind, Parameters, Pattern, Point};

pub(crate) use leadline_figures::number::*;
pub(crate) use leadline_profile::requests;

/// The name of a pattern.
pub(crate) fn pattern(pattern: Pattern) -> &'static str {
    pattern.name()
}

/// `read` or `write`.
pub(crate) fn operation(op: OpKind) -> &'static str {
    op.name()
}

/// The curve a point belongs to: `read`, `write` or `durable`.
pub(crate) fn curve(point: &Point) -> &'static str {
    match (point.op, point.durable) {
        (OpKind::Read, _) => "read",
        (OpKind::Write, false) => "write",
        (OpKind::Write, true) => "durable",
    }
}

/// The points of one curve of one pattern and block size, by rising concurrency.
pub(crate) fn curve_points<'a>(profile: &'a DeviceProfile, of: &Parameters, name: &str) -> Vec<&'a Point> {
    let mut points: Vec<&Point> = profile
        .points
        .iter()
        .filter(|p| p.pattern == of.pattern && p.block_bytes == of.block_bytes && curve(p) == name)
        .collect();
    points.sort_by_key(|p| p.concurrency);
    points
}

/// Names that tell several profiles apart: model or name, then what differs, then a number.
pub(crate) fn labels(profiles: &[DeviceProfile]) -> Vec<String> {
    let base = |p: &DeviceProfile| p.device.model.clone().unwrap_or_else(|| p.device.name.clone());
    let path = |p: &DeviceProfile| format!("{} ({})", base(p), p.device.target);
    let unique = |names: &[String]| names.iter().enumerate().all(|(i, n)| !names[..i].contains(n));
    let short: Vec<String> = profiles.iter().map(base).collect();
    if unique(&short) {
        return short;
    }
    let long: Vec<String> = profiles.iter().map(path).collect();
    if unique(&long) {
        return long;
    }
    long.iter().enumerate().map(|(i, name)| format!("{name} #{}", i + 1)).collect()
}
