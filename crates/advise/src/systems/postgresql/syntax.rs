//! postgresql.conf.

use std::path::Path;

use super::PAGE;
use crate::lint::finding;
use crate::syntax::assignments;
use crate::syntax::sizes::scaled;
use crate::{Advice, AdviseError, Config, Finding, Setting, Value, Verdict};

/// Units of memory and of time (section "Parameter Names and Values"); they are case-sensitive.
const BYTES: [(&str, f64); 5] =
    [("B", 1.0), ("kB", 1024.0), ("MB", 1048576.0), ("GB", 1073741824.0), ("TB", 1099511627776.0)];
const SECONDS: [(&str, f64); 6] =
    [("us", 1e-6), ("ms", 1e-3), ("s", 1.0), ("min", 60.0), ("h", 3600.0), ("d", 86400.0)];

/// How large [`io_max_combine_limit`](clamped_combine_limit) is unless set.
const MAX_COMBINE: f64 = 131072.0;

/// A file to be included.
pub(super) fn write(advice: &Advice) -> String {
    let mut text = String::new();
    for line in advice.heading() {
        text.push_str(&format!("# {line}\n"));
    }
    for setting in &advice.settings {
        text.push_str(&format!("{} = {}\n", setting.key, written(&setting.value)));
    }
    text
}

/// As the server shows it: sizes in kB, MB or GB, times in ms, s or min.
pub(super) fn written(value: &Value) -> String {
    match value {
        Value::Bytes(bytes) => {
            let units = [("GB", 1 << 30), ("MB", 1 << 20), ("kB", 1 << 10), ("B", 1)];
            let whole = units.into_iter().find(|(_, unit)| bytes % unit == 0 && bytes / unit > 0);
            whole.map_or("0".to_owned(), |(name, unit)| format!("{}{name}", bytes / unit))
        }
        Value::Seconds(seconds) if *seconds < 1.0 => format!("{}ms", (seconds * 1e3).round()),
        Value::Seconds(seconds) if seconds % 60.0 == 0.0 => format!("{}min", seconds / 60.0),
        Value::Seconds(seconds) => format!("{}s", seconds.round()),
        other => other.to_string(),
    }
}

/// Reads a file. Others that it includes are not read.
pub(super) fn read(text: &str, path: &Path) -> Result<Config, AdviseError> {
    let mut config = assignments::read(text, path)?;
    config.entries.iter_mut().for_each(|entry| entry.key.make_ascii_lowercase());
    let (includes, entries) = std::mem::take(&mut config.entries)
        .into_iter()
        .partition(|entry| ["include", "include_if_exists", "include_dir"].contains(&entry.key.as_str()));
    config.entries = entries;
    for include in includes {
        config.notes.push(format!(
            "{}: {} '{}' was not read; name that file, or the running server, instead",
            include.place, include.key, include.value
        ));
    }
    Ok(config)
}

/// What a value means: plain numbers are in the unit of the key.
pub(super) fn value(setting: &Setting, text: &str) -> Option<Value> {
    match setting.value {
        Value::Number(_) => text.trim().parse().ok().map(Value::Number),
        Value::Bytes(_) => {
            let plain = if setting.key == "max_wal_size" { 1048576.0 } else { f64::from(PAGE) };
            scaled(text, plain, &BYTES).filter(|bytes| *bytes >= 0.0).map(|bytes| Value::Bytes(bytes as u64))
        }
        Value::Seconds(_) => {
            let plain = if setting.key == "checkpoint_timeout" { 1.0 } else { 1e-3 };
            scaled(text, plain, &SECONDS).filter(|seconds| *seconds >= 0.0).map(Value::Seconds)
        }
        Value::Word(_) => Some(Value::word(text.trim())),
    }
}

/// `io_combine_limit` above `io_max_combine_limit`, which silently clamps it.
pub(super) fn clamped_combine_limit(config: &Config) -> Option<Finding> {
    let limit = |key| scaled(&config.last(key)?.value, f64::from(PAGE), &BYTES);
    let most = limit("io_max_combine_limit").unwrap_or(MAX_COMBINE);
    let wanted = limit("io_combine_limit").filter(|wanted| *wanted > most)?;
    let reason = format!(
        "has no effect above io_max_combine_limit, {}: set that to {} as well, and restart",
        written(&Value::Bytes(most as u64)),
        written(&Value::Bytes(wanted as u64))
    );
    Some(finding(config.last("io_combine_limit")?, Verdict::Meaningless, reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times_are_written_in_the_largest_unit_that_is_whole() {
        assert_eq!(written(&Value::Bytes(512 << 10)), "512kB");
        assert_eq!(written(&Value::Bytes(3 << 30)), "3GB");
        assert_eq!(written(&Value::Bytes(0)), "0");
        assert_eq!(written(&Value::Seconds(0.2)), "200ms");
        assert_eq!(written(&Value::Seconds(900.0)), "15min");
        assert_eq!(written(&Value::Seconds(90.0)), "90s");
        assert_eq!(written(&Value::Number(1.1)), "1.1");
    }

    #[test]
    fn keys_are_read_whatever_their_case_and_includes_are_told() {
        let config =
            read("Effective_IO_Concurrency 16\ninclude_dir 'conf.d'\n", Path::new("p.conf")).unwrap();
        assert_eq!(config.last("effective_io_concurrency").unwrap().value, "16");
        assert_eq!(config.notes.len(), 1);
        assert!(config.notes[0].starts_with("p.conf, line 2: include_dir 'conf.d' was not read"));
    }
}
