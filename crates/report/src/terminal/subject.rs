//! What was measured, and how, in two lines.

use leadline_profile::{DeviceKind, DeviceProfile, OpKind};

use crate::format;
use crate::origin::{imported_programs, is_imported, is_published, is_simulated};

/// `Example NVMe 980, 932 GiB (nvme0n1, PCIe 8.0 GT/s x4)`.
pub(super) fn title(profile: &DeviceProfile) -> String {
    let d = &profile.device;
    let name = d.model.as_ref().unwrap_or(&d.name);
    let size = d.capacity_bytes.map(|bytes| format!(", {}", format::bytes(bytes))).unwrap_or_default();
    if is_simulated(profile) {
        return format!("{name}{size}, simulated ({})", d.target);
    }
    if is_published(profile) || is_imported(profile) {
        return format!("{name}{size} ({})", d.target);
    }
    let short = d.model.is_some().then(|| d.name.clone());
    let aside: Vec<String> = short.into_iter().chain(d.link.as_ref().map(|link| link.name.clone())).collect();
    let aside = if aside.is_empty() { String::new() } else { format!(" ({})", aside.join(", ")) };
    format!("{name}{size}{aside}")
}

/// `Measured in /mnt/data (ext4) for 2 min: reads and writes of 4K and 8K.`
pub(super) fn how(profile: &DeviceProfile) -> String {
    let loads = loads(profile);
    if is_published(profile) {
        return format!("Published, not measured here: {loads}.");
    }
    if is_imported(profile) {
        return format!("Measured by {}, not by Leadline: {loads}.", imported_programs(profile));
    }
    let long = match profile.method.measured_seconds {
        seconds if seconds < 99.5 => format!("{seconds:.0} s"),
        seconds => format!("{:.0} min", seconds / 60.0),
    };
    if is_simulated(profile) {
        return format!("Measured for {long} of virtual time: {loads}.");
    }
    let d = &profile.device;
    let place = match d.kind {
        DeviceKind::Block => format!("on the raw device {}", d.target),
        _ => format!("in {}{}", d.target, file_system(d.filesystem.as_deref())),
    };
    format!("Measured {place} for {long}: {loads}.")
}

/// ` (ext4)`, without mount options.
fn file_system(mounted: Option<&str>) -> String {
    let kind = mounted.and_then(|text| text.split_whitespace().next());
    kind.map(|kind| format!(" ({kind})")).unwrap_or_default()
}

/// `reads and writes of 4K and 8K`.
fn loads(profile: &DeviceProfile) -> String {
    let operations = [(OpKind::Read, "reads"), (OpKind::Write, "writes")];
    let operations = operations
        .into_iter()
        .filter(|(op, _)| profile.points.iter().any(|point| point.op == *op))
        .map(|(_, name)| name.to_owned());
    let mut sizes: Vec<u32> = profile.parameters.iter().map(|entry| entry.block_bytes).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let sizes = match sizes.as_slice() {
        [first, _, .., last] => format!("{} to {}", format::block(*first), format::block(*last)),
        sizes => listed(sizes.iter().map(|&bytes| format::block(bytes))),
    };
    match (listed(operations).as_str(), sizes.as_str()) {
        (_, "") => "no reads or writes at several depths".to_owned(),
        ("", sizes) => format!("requests of {sizes}"),
        (operations, sizes) => format!("{operations} of {sizes}"),
    }
}

/// `a, b and c`.
pub(super) fn listed(words: impl IntoIterator<Item = String>) -> String {
    let words: Vec<String> = words.into_iter().collect();
    match words.as_slice() {
        [rest @ .., last] if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => words.concat(),
    }
}
