//! Profiles of tuned: [sysctl], [disk], [vm], [sysfs].

use super::found::Found;
use super::source::Source;
use crate::{AdviseError, System};

/// Sections that only such profiles have.
const SECTIONS: [&str; 3] = ["sysctl", "disk", "sysfs"];

pub(super) fn find(source: &Source) -> Result<Option<Vec<Found>>, AdviseError> {
    let is_section = |line: &str| SECTIONS.iter().any(|name| line.trim() == format!("[{name}]"));
    let Some(at) = source.text.lines().position(is_section) else { return Ok(None) };
    let settings = settings(source.text);
    let evidence =
        format!("section {}, line {}", source.text.lines().nth(at).unwrap_or_default().trim(), at + 1);
    let mut linux = Found::new(System::Linux, source.path, evidence.clone());
    let mut zfs = Found::new(System::Zfs, source.path, evidence);
    let of = |section: &str, key: &str| {
        let is_it = |one: &&Setting| one.section == section && one.key == key;
        settings.iter().find(is_it).map(|one| one.value)
    };
    for one in &settings {
        let line = one.line;
        // A section may be called anything, and say its type.
        let kind = of(one.section, "type").unwrap_or(one.section);
        // As sections of lines that are for some drives: names with a bar between.
        let devices = of(one.section, "devices").unwrap_or_default();
        let devices = devices.split([',', ' ']).filter(|name| !name.is_empty()).collect::<Vec<_>>().join("|");
        let devices = devices.as_str();
        // `>` and `<` before a value: only if it is more, or less, than what is set.
        let value = one.value.trim_start_matches(['>', '<', '=']).trim();
        match (kind, one.key) {
            ("main", "include") => {
                linux.unread(line, &format!("include={value} was not read; name that profile, too"))
            }
            (_, "type" | "devices" | "enabled" | "replace" | "priority") => {}
            ("disk", key) if devices.contains('!') => {
                linux.unread(line, &format!("{key} is for all drives but some, and was not judged"));
            }
            ("sysctl", key) => linux.put(key, value, line),
            ("disk", "elevator") => linux.put_in(devices, "queue/scheduler", value, line),
            ("disk", "readahead") => match kib(value) {
                Some(kib) => linux.put_in(devices, "queue/read_ahead_kb", &kib, line),
                None => linux.put_in(devices, "queue/read_ahead_kb", value, line),
            },
            ("vm", key) if key.starts_with("dirty_") => percent(key, value, line, &mut linux),
            ("sysfs", path) => {
                if let Some((_, name)) = path.split_once("/module/zfs/parameters/") {
                    zfs.put(name, value, line);
                } else if let Some((device, name)) = path.split_once("/queue/") {
                    let device = device.rsplit('/').next().unwrap_or_default();
                    linux.put_in(device, &format!("queue/{name}"), value, line);
                }
            }
            _ => {}
        }
    }
    let is_used = |one: &Found| one.system == System::Linux || !one.config.entries.is_empty();
    Ok(Some([linux, zfs].into_iter().filter(is_used).collect()))
}

/// `KEY=VALUE` in a section.
struct Setting<'a> {
    section: &'a str,
    key: &'a str,
    value: &'a str,
    line: usize,
}

fn settings(text: &str) -> Vec<Setting<'_>> {
    let mut section = "";
    let mut settings = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if let Some((name, _)) = line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            section = name;
        } else if let Some((key, value)) = line.split_once('=').filter(|_| !line.starts_with(['#', ';'])) {
            settings.push(Setting { section, key: key.trim(), value: value.trim(), line: at + 1 });
        }
    }
    settings
}

/// Read-ahead is in KiB, with ` s` in sectors of 512 bytes.
fn kib(value: &str) -> Option<String> {
    let (number, unit) = value.split_once(char::is_whitespace)?;
    let sectors: u64 = number.parse().ok()?;
    unit.trim().starts_with('s').then(|| (sectors / 2).to_string())
}

/// `dirty_bytes = 10%` is the ratio.
fn percent(key: &str, value: &str, line: usize, found: &mut Found) {
    match value.strip_suffix('%') {
        Some(percent) => found.put(&format!("vm.{}", key.replace("_bytes", "_ratio")), percent.trim(), line),
        None => found.put(&format!("vm.{key}"), value, line),
    }
}
