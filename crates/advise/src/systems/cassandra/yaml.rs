//! cassandra.yaml. Before 4.1 names ended with a unit; later releases take both.

use std::path::Path;

use super::{COMPACTION, INTERVAL, PERIOD, STRATEGY, SYNC, TRICKLE, has_old_names};
use crate::syntax::sizes::scaled;
use crate::syntax::yaml::{self, Dialect, Value as Part};
use crate::{Advice, AdviseError, Config, Entry, Place, Setting, Value};

/// Names since 4.1, those before, and the unit that those have.
const RENAMED: [(&str, &str, &str); 3] = [
    (COMPACTION, "compaction_throughput_mb_per_sec", "MiB/s"),
    (PERIOD, "commitlog_sync_period_in_ms", "ms"),
    (INTERVAL, "trickle_fsync_interval_in_kb", "KiB"),
];

/// Units of 4.1 (`DataRateSpec`, `DataStorageSpec`, `DurationSpec`).
const RATES: [(&str, f64); 3] = [("B/s", 1.0), ("KiB/s", 1024.0), ("MiB/s", 1_048_576.0)];
const SIZES: [(&str, f64); 4] = [("B", 1.0), ("KiB", 1024.0), ("MiB", 1_048_576.0), ("GiB", 1_073_741_824.0)];
const TIMES: [(&str, f64); 7] =
    [("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("h", 3600.0), ("d", 86_400.0)];

/// A part of the file.
pub(super) fn write(advice: &Advice) -> String {
    let mut text: String = advice.heading().iter().map(|line| format!("# {line}\n")).collect();
    for setting in &advice.settings {
        let value = with_unit(setting);
        let old = RENAMED.iter().find(|(key, ..)| *key == setting.key && has_old_names(advice.version));
        let line = match old {
            Some((_, name, unit)) => format!("{name}: {}\n", value.trim_end_matches(unit)),
            None => format!("{}: {value}\n", setting.key),
        };
        text.push_str(&line);
    }
    text
}

/// In the unit that the old name has, so that both are one number.
fn with_unit(setting: &Setting) -> String {
    match &setting.value {
        Value::Bytes(bytes) if setting.key == COMPACTION => format!("{}MiB/s", bytes >> 20),
        Value::Bytes(bytes) => format!("{}KiB", bytes >> 10),
        Value::Seconds(seconds) => format!("{:.0}ms", 1e3 * seconds),
        other => other.to_string(),
    }
}

/// Without knowing the key.
pub(super) fn written(value: &Value) -> String {
    match value {
        Value::Bytes(bytes) => format!("{}KiB", bytes >> 10),
        Value::Seconds(seconds) => format!("{:.0}ms", 1e3 * seconds),
        other => other.to_string(),
    }
}

/// The keys of the document; those with old names under the new ones, with the unit behind the number, and
/// the old name as their section.
pub(super) fn read(text: &str, path: &Path) -> Result<Config, AdviseError> {
    // SnakeYAML merges, and the last of equal keys counts.
    let document =
        yaml::parse(text, Dialect::Go).map_err(|(line, reason)| AdviseError::syntax(path, line, reason))?;
    let mut config = Config::default();
    let entries = match &document.value {
        Part::Null => return Ok(config),
        Part::Map(entries) => entries,
        _ => return Err(AdviseError::syntax(path, document.line, "is not of the form KEY: VALUE")),
    };
    for (name, node) in entries {
        // Lists and maps, and keys without a value, are of no key that is advised.
        let Some(value) = node.text() else { continue };
        let place = Place::Line { path: path.into(), line: node.line };
        let old = RENAMED.iter().find(|(_, old, _)| old == name);
        let (section, key, value) = match old {
            Some((key, old, unit)) => (*old, *key, format!("{value}{unit}")),
            None => ("", name.as_str(), value.to_owned()),
        };
        config.entries.push(Entry { section: section.to_owned(), key: key.to_owned(), value, place });
    }
    Ok(config)
}

/// That this version knows the key by its other name only.
pub(super) fn of_another_version(entry: &Entry, version: &str) -> Option<String> {
    let (_, old, _) = RENAMED.iter().find(|(key, ..)| *key == entry.key)?;
    let is_new = entry.section.is_empty() && has_old_names(version);
    is_new.then(|| format!("{version} has {old} in its place, and does not start with this"))
}

/// What a value means; since 4.1 it has a unit.
pub(super) fn value(setting: &Setting, text: &str) -> Option<Value> {
    let amount = |units: &[(&str, f64)]| scaled(text, f64::NAN, units).filter(|amount| *amount >= 0.0);
    match setting.key {
        // 0 needs no unit to be 0.
        COMPACTION if text == "0" => Some(Value::Bytes(0)),
        COMPACTION => Some(Value::Bytes(amount(&RATES)? as u64)),
        INTERVAL => Some(Value::Bytes(amount(&SIZES)? as u64)),
        PERIOD => Some(Value::Seconds(amount(&TIMES)?)),
        SYNC => word(text, &["periodic", "batch", "group"]),
        STRATEGY => word(text, &["ssd", "spinning"]),
        TRICKLE => word(text, &["true", "false"]),
        _ => text.parse::<u32>().ok().map(|number| Value::Number(number.into())),
    }
}

fn word(text: &str, words: &[&str]) -> Option<Value> {
    words.iter().find(|word| word.eq_ignore_ascii_case(text)).map(|word| Value::word(*word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_names_stand_for_new_ones_with_their_unit() {
        let text = "cluster_name: 'x'\ncompaction_throughput_mb_per_sec: 64\nseed_provider:\n  - class_name: y\n\
                    concurrent_reads: 32\nkey_cache_size:\n";
        let config = read(text, Path::new("c.yaml")).unwrap();
        let found: Vec<(&str, &str)> =
            config.entries.iter().map(|entry| (entry.key.as_str(), entry.value.as_str())).collect();
        assert_eq!(found, [("cluster_name", "x"), (COMPACTION, "64MiB/s"), ("concurrent_reads", "32")]);
        assert_eq!(config.entries[1].place.to_string(), "c.yaml, line 2");
    }
}
