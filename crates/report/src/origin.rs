//! Where the numbers of a profile come from.

use leadline_profile::{CheckName, DeviceKind, DeviceProfile, EngineKind};

/// Whether the numbers were taken from the catalogue, not measured.
pub(crate) fn is_published(profile: &DeviceProfile) -> bool {
    profile.method.engine == EngineKind::Published
}

/// `published numbers, not measured here: SOURCE`.
pub(crate) fn published_by(profile: &DeviceProfile) -> String {
    let source = profile.validity.checks.iter().find(|check| check.name == CheckName::Source);
    let source = source.map_or("source not stated", |check| &check.detail);
    format!("published numbers, not measured here: {source}")
}

/// Whether another program measured.
pub(crate) fn is_imported(profile: &DeviceProfile) -> bool {
    profile.method.engine == EngineKind::Imported
}

/// `fio 3.33, etcd 3.4.23`: each once.
pub(crate) fn imported_programs(profile: &DeviceProfile) -> String {
    let mut programs: Vec<String> = Vec::new();
    for file in &profile.method.imported {
        let program = [Some(&file.program), file.version.as_ref()];
        let program = program.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" ");
        if !programs.contains(&program) {
            programs.push(program);
        }
    }
    if programs.is_empty() { "a program that is not stated".to_owned() } else { programs.join(", ") }
}

/// Whether the page cache stood between the measurement and the device.
pub(crate) fn is_buffered(profile: &DeviceProfile) -> bool {
    !profile.method.direct && !is_simulated(profile) && !is_published(profile) && !is_imported(profile)
}

/// Whether the device was a simulated one.
pub(crate) fn is_simulated(profile: &DeviceProfile) -> bool {
    profile.device.kind == DeviceKind::Simulated || profile.method.engine == EngineKind::Simulated
}
