//! `SET NAME = VALUE`, `SET NAME TO VALUE` and `PRAGMA NAME = VALUE`, in scripts and in programs.

use std::path::Path;

use super::{CHECKPOINT, GAP};
use crate::syntax::set;
use crate::syntax::sizes::scaled;
use crate::{Advice, AdviseError, Config, Setting, Value};

/// Names that stand for others.
const ALIASES: [(&str, &str); 3] =
    [("worker_threads", "threads"), ("wal_autocheckpoint", CHECKPOINT), ("max_memory", "memory_limit")];

/// Units of sizes, in lower case.
const UNITS: [(&str, f64); 15] = [
    ("b", 1.0),
    ("byte", 1.0),
    ("bytes", 1.0),
    ("kb", 1e3),
    ("mb", 1e6),
    ("gb", 1e9),
    ("tb", 1e12),
    ("kib", 1024.0),
    ("mib", 1_048_576.0),
    ("gib", 1_073_741_824.0),
    ("tib", 1_099_511_627_776.0),
    ("k", 1e3),
    ("m", 1e6),
    ("g", 1e9),
    ("t", 1e12),
];

/// A script.
pub(super) fn write(advice: &Advice) -> String {
    let mut text: String = advice.heading().iter().map(|line| format!("-- {line}\n")).collect();
    for setting in &advice.settings {
        let value = match (setting.key, &setting.value) {
            (CHECKPOINT, size) => format!("'{}'", written(size)),
            (_, value) => value.to_string(),
        };
        text.push_str(&format!("SET {} = {value};\n", setting.key));
    }
    text
}

/// Sizes in the largest unit that is whole.
pub(super) fn written(value: &Value) -> String {
    match value {
        Value::Bytes(bytes) => {
            let units = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
            let whole = units.into_iter().find(|(_, unit)| bytes % unit == 0 && bytes / unit > 0);
            whole.map_or(format!("{bytes}B"), |(name, unit)| format!("{}{name}", bytes / unit))
        }
        other => other.to_string(),
    }
}

/// Finds the statements that set something.
pub(super) fn read(text: &str, path: &Path) -> Result<Config, AdviseError> {
    let mut config = set::read(text, path, &["set", "pragma"])?;
    for entry in &mut config.entries {
        if let Some((_, key)) = ALIASES.iter().find(|(alias, _)| *alias == entry.key) {
            (*key).clone_into(&mut entry.key);
        }
    }
    Ok(config)
}

/// What a value means; `None` where DuckDB refuses it.
pub(super) fn value(setting: &Setting, text: &str) -> Option<Value> {
    match setting.key {
        // A size without a unit is refused.
        CHECKPOINT => {
            let bytes = scaled(&text.to_ascii_lowercase(), f64::NAN, &UNITS)?;
            (bytes >= 0.0).then_some(Value::Bytes(bytes as u64))
        }
        GAP => Some(Value::Bytes(text.parse().ok()?)),
        "threads" => text.parse::<u32>().ok().filter(|threads| *threads > 0).map(|n| Value::Number(n.into())),
        _ => text.parse::<u32>().ok().map(|number| Value::Number(number.into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_stand_for_their_settings() {
        let text = "set global Wal_Autocheckpoint TO '1GB'; PRAGMA worker_threads=2;";
        let config = read(text, Path::new("s.sql")).unwrap();
        let found: Vec<(&str, &str)> =
            config.entries.iter().map(|entry| (entry.key.as_str(), entry.value.as_str())).collect();
        assert_eq!(found, [(CHECKPOINT, "1GB"), ("threads", "2")]);
    }

    #[test]
    fn sizes_are_written_with_a_unit() {
        assert_eq!(written(&Value::Bytes(1 << 30)), "1GiB");
        assert_eq!(written(&Value::Bytes(16 << 20)), "16MiB");
        assert_eq!(written(&Value::Bytes(1000)), "1000B");
    }
}
