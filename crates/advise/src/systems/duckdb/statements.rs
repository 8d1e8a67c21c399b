//! `SET NAME = VALUE`, `SET NAME TO VALUE` and `PRAGMA NAME = VALUE`, in scripts and in programs.

use std::path::Path;

use super::{CHECKPOINT, GAP};
use crate::syntax::sizes::scaled;
use crate::syntax::{comments, sql};
use crate::{Advice, AdviseError, Config, Entry, Place, Setting, Value};

/// Names that stand for others.
const ALIASES: [(&str, &str); 3] =
    [("worker_threads", "threads"), ("wal_autocheckpoint", CHECKPOINT), ("max_memory", "memory_limit")];

/// Where a setting is to be in force.
const SCOPES: [&str; 3] = ["global", "session", "local"];

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
    let mut config = Config::default();
    let shown = comments::out_of_sql(text);
    let mut found: Vec<(usize, &str)> = Vec::new();
    for word in ["set", "pragma"] {
        let of_word = sql::behind(&shown, word).filter(|(_, before, _)| begins_a_statement(before));
        found.extend(of_word.map(|(line, _, rest)| (line, rest)));
    }
    // What is nearer to the end has the shorter rest.
    found.sort_by_key(|(_, rest)| std::cmp::Reverse(rest.len()));
    for &(line, rest) in &found {
        let place = Place::Line { path: path.into(), line };
        let (mut name, mut rest) = sql::name(rest);
        if SCOPES.contains(&name.to_ascii_lowercase().as_str()) {
            (name, rest) = sql::name(rest);
        }
        let key = name.to_ascii_lowercase();
        let key = ALIASES.iter().find(|(alias, _)| *alias == key).map_or(key, |(_, key)| (*key).to_owned());
        let Some(rest) = behind_sign(rest) else { continue };
        match sql::value(rest) {
            Some(value) => {
                config.entries.push(Entry { section: String::new(), key, value: value.to_owned(), place });
            }
            None => {
                config.notes.push(format!("{place}: the value of {key} is put in by a program: not judged"));
            }
        }
    }
    if found.is_empty() && !shown.trim().is_empty() {
        return Err(AdviseError::syntax(path, None, "has no SET NAME = VALUE"));
    }
    Ok(config)
}

/// Whether nothing of the same statement stands before: `UPDATE t SET a = 1` sets no setting. Lines that begin
/// with a dot are the shell's own.
fn begins_a_statement(before: &str) -> bool {
    let start = before.rfind([';', '"', '\'', '`', '(']).map_or(0, |at| at + 1);
    before[start..].lines().map(str::trim).all(|line| line.is_empty() || line.starts_with('.'))
}

/// What follows `=`, `TO` or `(`.
fn behind_sign(rest: &str) -> Option<&str> {
    let rest = rest.trim_start();
    if let Some(rest) = rest.strip_prefix(['=', '(']) {
        return Some(rest);
    }
    let (word, rest) = sql::name(rest);
    word.eq_ignore_ascii_case("to").then_some(rest)
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
    fn settings_are_found_in_scripts_and_in_programs() {
        let text = ".timer on\nSET threads = 4; set global Checkpoint_Threshold TO '1GB';\n\
                    UPDATE t SET threads = 9;\ncon.execute(\"PRAGMA worker_threads=2\")\n-- SET threads = 1;\n";
        let config = read(text, Path::new("s.sql")).unwrap();
        let found: Vec<(String, &str, &str)> = config
            .entries
            .iter()
            .map(|entry| (entry.place.to_string(), entry.key.as_str(), entry.value.as_str()))
            .collect();
        let place = |line| format!("s.sql, line {line}");
        let want = [(place(2), "threads", "4"), (place(2), CHECKPOINT, "1GB"), (place(4), "threads", "2")];
        assert_eq!(found, want);
    }

    #[test]
    fn a_text_that_sets_nothing_is_refused() {
        let said = read("SELECT 1;\n", Path::new("s.sql")).unwrap_err().to_string();
        assert_eq!(said, "s.sql: has no SET NAME = VALUE");
        let config = read("f'SET threads = {n}'", Path::new("s.py")).unwrap();
        assert_eq!(config.notes, ["s.py, line 1: the value of threads is put in by a program: not judged"]);
    }

    #[test]
    fn sizes_are_written_with_a_unit() {
        assert_eq!(written(&Value::Bytes(1 << 30)), "1GiB");
        assert_eq!(written(&Value::Bytes(16 << 20)), "16MiB");
        assert_eq!(written(&Value::Bytes(1000)), "1000B");
    }
}
