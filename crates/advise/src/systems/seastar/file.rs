//! io_properties.yaml.

use std::path::Path;

use crate::syntax::yaml::{self, Dialect, Node, Value as Part};
use crate::{Advice, AdviseError, Config, Entry, Place, Setting, Value};

/// Where ScyllaDB keeps its data unless it is told otherwise.
const MOUNT_POINT: &str = "/var/lib/scylla";

/// Those without which Seastar does not start.
const REQUIRED: [&str; 4] = ["read_iops", "read_bandwidth", "write_iops", "write_bandwidth"];

/// Those that it knows besides.
const OPTIONAL: [&str; 7] = [
    "read_saturation_length",
    "write_saturation_length",
    "physical_block_size",
    "duplex",
    "rate_factor",
    "mountpoint",
    "mountpoints",
];

/// The file, as iotune writes it.
pub(super) fn write(advice: &Advice) -> String {
    let mut text = String::new();
    for line in advice.heading() {
        text.push_str(&format!("# {line}\n"));
    }
    text.push_str(&format!("disks:\n  - mountpoint: {MOUNT_POINT}\n"));
    for setting in &advice.settings {
        text.push_str(&format!("    {}: {}\n", setting.key, setting.value));
    }
    text
}

/// Reads the disks; each is a section by its mount point.
pub(super) fn read(text: &str, path: &Path) -> Result<Config, AdviseError> {
    let wrong = |line: usize, reason: &str| AdviseError::syntax(path, line, reason);
    let document = yaml::parse(text, Dialect::Cpp).map_err(|(line, reason)| wrong(line, &reason))?;
    let Part::Map(sections) = &document.value else {
        return Err(wrong(document.line, "is not a map; io_properties.yaml begins with `disks:`"));
    };
    let mut config = Config::default();
    for (name, section) in sections {
        if name != "disks" {
            return Err(wrong(
                section.line,
                "is a section other than `disks`, with which Seastar does not start",
            ));
        }
        let disks = section.list().ok_or_else(|| wrong(section.line, "`disks` is not a list"))?;
        for disk in disks {
            read_disk(disk, path, &mut config)?;
        }
    }
    Ok(config)
}

fn read_disk(disk: &Node, path: &Path, config: &mut Config) -> Result<(), AdviseError> {
    let wrong = |line: usize, reason: String| AdviseError::syntax(path, line, reason);
    let Part::Map(entries) = &disk.value else {
        return Err(wrong(disk.line, "is not a disk: a map with a mountpoint and its rates".to_owned()));
    };
    let mount_point = mount_point(disk).ok_or_else(|| {
        wrong(disk.line, "is a disk without a mountpoint; Seastar does not start with it".to_owned())
    })?;
    if let Some(missing) = REQUIRED.iter().find(|key| disk.get(key).is_none()) {
        return Err(wrong(disk.line, format!("is a disk without {missing}; Seastar does not start with it")));
    }
    for (key, node) in entries {
        let place = Place::Line { path: path.into(), line: node.line };
        if !REQUIRED.contains(&key.as_str()) && !OPTIONAL.contains(&key.as_str()) {
            config.notes.push(format!("{place}: {key} is not a property of a disk; Seastar passes over it"));
        }
        if let Some(value) = node.text().filter(|_| !key.starts_with("mountpoint")) {
            let (section, key, value) = (mount_point.clone(), key.clone(), value.to_owned());
            config.entries.push(Entry { section, key, value, place });
        }
    }
    Ok(())
}

fn mount_point(disk: &Node) -> Option<String> {
    let several = disk.get("mountpoints").and_then(Node::list);
    match several {
        Some(paths) => Some(paths.iter().filter_map(Node::text).collect::<Vec<_>>().join(":")),
        None => disk.get("mountpoint")?.text().map(str::to_owned),
    }
}

/// What a value means: `parse_memory_size` in src/util/conversions.cc, by which k is 1024 whatever it counts.
pub(super) fn value(setting: &Setting, text: &str) -> Option<Value> {
    match setting.value {
        Value::Word(_) => Some(Value::word(text.trim())),
        Value::Number(_) => memory_size(text).map(|number| Value::Number(number as f64)),
        _ => memory_size(text).map(Value::Bytes),
    }
}

/// What a rate or size in `io_properties.yaml` comes to: digits, then k, K, M, G or T, each 1024 times the
/// one before, then i, iB or B. `None` where it is none.
pub fn memory_size(text: &str) -> Option<u64> {
    let text = text.trim();
    let text = ["iB", "i", "B"].iter().find_map(|end| text.strip_suffix(end)).unwrap_or(text);
    let suffixes = [("k", 10), ("K", 10), ("M", 20), ("G", 30), ("T", 40)];
    let scaled = suffixes.iter().find_map(|(end, shift)| Some((text.strip_suffix(end)?, *shift)));
    let (digits, shift) = scaled.unwrap_or((text, 0));
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_seastar() {
        for (text, size) in [("5", 5), ("4k", 4096), ("8Mi", 8 << 20), ("7GB", 7 << 30), ("1TiB", 1 << 40)] {
            assert_eq!(memory_size(text), Some(size), "{text}");
        }
        for text in ["", "M", "1.5M", "-1", "4 k", "5MBi", "99999999999T"] {
            assert_eq!(memory_size(text), None, "{text}");
        }
    }

    #[test]
    fn disks_are_sections_with_lines() {
        let text = "disks:\n  - mountpoint: /a\n    read_iops: 1k\n    read_bandwidth: 2M\n    write_iops: \
                    3\n    write_bandwidth: 4\n    colour: red\n  - {mountpoints: [/b, /c], read_iops: 5, \
                    read_bandwidth: 6, write_iops: 7, write_bandwidth: 8}\n";
        let config = read(text, Path::new("io.yaml")).unwrap();
        let of = |section: &str, key: &str| {
            let is_it = |entry: &&Entry| entry.section == section && entry.key == key;
            config.entries.iter().find(is_it).map(|entry| entry.value.as_str())
        };
        assert_eq!(of("/a", "read_iops"), Some("1k"));
        assert_eq!(of("/b:/c", "write_bandwidth"), Some("8"));
        assert_eq!(config.entries[0].place.to_string(), "io.yaml, line 3");
        assert_eq!(
            config.notes,
            ["io.yaml, line 7: colour is not a property of a disk; Seastar passes over it"]
        );
    }

    #[test]
    fn what_seastar_would_not_start_with_is_refused() {
        let said = |text| read(text, Path::new("io.yaml")).unwrap_err().to_string();
        assert!(said("disks: 3\n").contains("line 1: `disks` is not a list"));
        assert!(said("[1]\n").contains("is not a map"));
        assert!(said("nets: []\n").contains("other than `disks`"));
        assert!(said("disks:\n  - read_iops: 1\n").contains("line 2: is a disk without a mountpoint"));
        assert!(said("disks:\n  - mountpoint: /a\n    read_iops: 1\n").contains("without read_bandwidth"));
        assert!(said("disks:\n  - mountpoint: [\n").contains("io.yaml, line"));
    }
}
